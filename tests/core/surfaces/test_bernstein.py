"""Bernstein polynomials: a partition of unity, with the derivatives and parts that their tables say."""

import numpy as np
import pytest

from physplace_addon.core.surfaces.bernstein import (
    bernstein,
    derivative_matrix,
    part_matrices,
    raising_matrix,
    sub_matrices,
)

DEGREES = pytest.mark.parametrize("degree", [1, 2, 3, 5, 8])


@DEGREES
def test_they_sum_to_one_and_are_exact_at_the_ends(degree: int, rng: np.random.Generator) -> None:
    t = np.append(rng.uniform(0.0, 1.0, 20), [0.0, 1.0])
    value = bernstein(t, 0, degree)[:, 0]
    np.testing.assert_allclose(value.sum(axis=1), 1.0, atol=1e-13)
    assert value[-2].tolist() == [1.0] + [0.0] * degree
    np.testing.assert_allclose(value[-1], [0.0] * degree + [1.0], atol=1e-13)


@DEGREES
def test_derivatives_are_those_of_the_derivative_s_control_points(
    degree: int, rng: np.random.Generator
) -> None:
    control, t = rng.normal(size=(degree + 1, 3)), rng.uniform(0.0, 1.0, 10)
    jets = bernstein(t, 2, degree) @ control
    first = derivative_matrix(degree) @ control
    np.testing.assert_allclose(jets[:, 1], bernstein(t, 0, degree)[:, 0] @ first, atol=1e-11)
    second = derivative_matrix(degree) @ first
    np.testing.assert_allclose(jets[:, 2], bernstein(t, 0, degree)[:, 0] @ second, atol=1e-10)


@DEGREES
def test_a_part_runs_through_the_same_points(degree: int, rng: np.random.Generator) -> None:
    control, low, high = rng.normal(size=(degree + 1, 3)), np.array([0.2, 0.7]), np.array([0.9, 0.1])
    t = rng.uniform(0.0, 1.0, 10)
    for matrix, a, b in zip(part_matrices(low, high, degree), low, high, strict=True):
        part = bernstein(t, 0, degree)[:, 0] @ (matrix @ control)
        whole = bernstein(a + (b - a) * t, 0, degree)[:, 0] @ control
        np.testing.assert_allclose(part, whole, atol=1e-12)


def test_equal_parts_meet_end_to_end(rng: np.random.Generator) -> None:
    parts = sub_matrices(5, 4) @ rng.normal(size=(5, 2))
    np.testing.assert_allclose(parts[:-1, -1], parts[1:, 0], atol=1e-14)


def test_raising_the_degree_changes_no_point(rng: np.random.Generator) -> None:
    control, t = rng.normal(size=(3, 3)), rng.uniform(0.0, 1.0, 10)
    raised = raising_matrix(2, 6) @ control
    low, high = bernstein(t, 0, 2)[:, 0] @ control, bernstein(t, 0, 6)[:, 0] @ raised
    np.testing.assert_allclose(high, low, atol=1e-13)
