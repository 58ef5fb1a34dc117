"""Non-negative least squares obey their optimality conditions, whatever the columns and the start."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.optimize._lsq.lsq_linear import lsq_linear

from physplace_addon.core.arrays import Floats
from physplace_addon.core.optimization.non_negative import non_negative_least_squares


def assert_optimal(matrix: Floats, target: Floats, x: Floats, tolerance: float = 1e-9) -> None:
    """No entry is negative, no column descends, and those in use are at their minimum."""
    descent = matrix.T @ (target - matrix @ x)
    assert (x >= 0.0).all()
    assert descent.max(initial=0.0) < tolerance
    assert np.abs(descent * x).max(initial=0.0) < tolerance * max(1.0, x.max(initial=0.0))


def heap(bodies: int, pairs: int, rng: np.random.Generator) -> tuple[Floats, Floats]:
    """The matrix (d + 1, k) and target of a step of many bodies, each pair pushing two of them."""
    gradients = np.zeros((pairs, bodies, 6))
    for row in gradients:
        for body, sign in zip(rng.choice(bodies, 2, replace=False), (1.0, -1.0), strict=True):
            row[body] = sign * rng.normal(size=6)
    room = 0.3 * rng.random(pairs)
    return np.vstack([gradients.reshape(pairs, -1).T, room[None]]), np.eye(6 * bodies + 1)[-1]


@pytest.mark.parametrize("shape", [(6, 1), (6, 4), (7, 30), (20, 15), (40, 90)])
def test_the_optimality_conditions_hold(shape: tuple[int, int]) -> None:
    for seed in range(10):
        rng = np.random.default_rng(seed)
        matrix, target = rng.normal(size=shape), rng.normal(size=shape[0])
        x = non_negative_least_squares(matrix, target)
        assert_optimal(matrix, target, x)
        other = lsq_linear(matrix, target, (0.0, np.inf), method="bvls", tol=1e-14)
        assert np.linalg.norm(matrix @ x - target) <= np.sqrt(2.0 * other.cost) + 1e-9


@pytest.mark.parametrize("shape", [(6, 4), (7, 30), (40, 90)])
def test_any_start_leads_to_the_same_fit(shape: tuple[int, int]) -> None:
    for seed in range(10):
        rng = np.random.default_rng(seed)
        matrix, target = rng.normal(size=shape), rng.normal(size=shape[0])
        fit = matrix @ non_negative_least_squares(matrix, target)
        for start in (
            rng.random(shape[1]),
            rng.normal(size=shape[1]),
            1e6 * np.ones(shape[1]),
            -np.ones(shape[1]),
        ):
            x = non_negative_least_squares(matrix, target, start)
            assert_optimal(matrix, target, x)
            assert np.abs(matrix @ x - fit).max() < 1e-12


@pytest.mark.parametrize("of_matrix", [1e-12, 1.0, 1e9])
@pytest.mark.parametrize("of_target", [1e-15, 1.0, 1e9])
def test_the_units_do_not_matter(of_matrix: float, of_target: float) -> None:
    for seed in range(10):
        rng = np.random.default_rng(seed)
        matrix, target = rng.normal(size=(7, 30)), rng.normal(size=7)
        x = non_negative_least_squares(matrix, target)
        other = non_negative_least_squares(of_matrix * matrix, of_target * target)
        start = non_negative_least_squares(of_matrix * matrix, of_target * target, other)
        for found in (other, start):
            fit = matrix @ found * (of_matrix / of_target)
            assert np.abs(fit - matrix @ x).max() < 1e-12


def test_a_solution_is_its_own_start(rng: np.random.Generator) -> None:
    matrix, target = rng.normal(size=(40, 90)), rng.normal(size=40)
    x = non_negative_least_squares(matrix, target)
    assert np.abs(non_negative_least_squares(matrix, target, x) - x).max() < 1e-13


def test_columns_that_come_twice_or_are_zero_or_many_do_no_harm() -> None:
    for seed in range(20):
        rng = np.random.default_rng(seed)
        some = rng.normal(size=(6, 5))
        matrix = np.hstack([some, some, np.zeros((6, 2)), some @ rng.random((5, 8)), 1e-7 * some])
        for target in (rng.normal(size=6), matrix @ rng.random(matrix.shape[1])):
            for start in (None, rng.random(matrix.shape[1])):
                assert_optimal(matrix, target, non_negative_least_squares(matrix, target, start))


def squeeze(gap: float) -> tuple[Floats, Floats]:
    """Columns (6, 15), two thirds of which all but cancel or repeat the others, and a target (6,)."""
    rng = np.random.default_rng(4)
    some = rng.normal(size=(6, 5))
    against = -some @ np.diag(rng.random(5)) + gap * rng.normal(size=(6, 5))
    return np.hstack([some, against, some + gap * rng.normal(size=(6, 5))]), rng.normal(size=6)


@pytest.mark.parametrize("gap", 10.0 ** np.arange(-17.0, -2.0))
def test_columns_that_all_but_cancel_do_no_harm(gap: float) -> None:
    matrix, target = squeeze(gap)
    x = non_negative_least_squares(matrix, target)
    for start in (x, np.ones(15)):
        again = non_negative_least_squares(matrix, target, start)
        descent = matrix.T @ (target - matrix @ again)
        assert descent.max() < 1e-9 + 1e-13 * again.max()


def test_what_can_be_met_is_met_exactly() -> None:
    for seed in range(10):
        rng = np.random.default_rng(seed)
        matrix = rng.normal(size=(60, 150))
        target = matrix @ (rng.random(150) * (rng.random(150) < 0.2))
        x = non_negative_least_squares(matrix, target)
        assert np.abs(matrix @ x - target).max() < 1e-12


def test_a_heap_is_solved_afresh_and_from_the_step_before(rng: np.random.Generator) -> None:
    matrix, target = heap(20, 300, rng)
    before = non_negative_least_squares(matrix, target)
    assert_optimal(matrix, target, before)
    after = matrix + 1e-2 * rng.normal(size=matrix.shape) * (matrix != 0.0)
    x = non_negative_least_squares(after, target, before)
    assert_optimal(after, target, x)
    assert np.abs(after @ (x - non_negative_least_squares(after, target))).max() < 1e-12


def test_without_columns_nothing_is_solved() -> None:
    assert non_negative_least_squares(np.zeros((6, 0)), np.ones(6)).shape == (0,)
    assert np.array_equal(non_negative_least_squares(np.ones((6, 2)), -np.ones(6)), np.zeros(2))
