"""When an iteration on pairs of features gives one up."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from physplace_addon.core.contact.points.iteration import Progress, eigen_2x2, inverse_2x2


def rounds(share: float, size: Callable[[int], float], most: int = 18) -> int:
    """Return for how many rounds a pair goes on that moves by a share of corrections of these sizes."""
    progress, place, still = Progress(1.0), np.zeros((1, 3)), np.zeros((1, 3))
    for count in range(most):
        if not progress.going(np.array([size(count)]), place.copy(), still)[0]:
            return count
        place[0, 0] += share * size(count)
    return most


def test_a_pair_that_stands_at_a_border_or_creeps_along_it_is_given_up() -> None:
    assert rounds(0.0, lambda _: 0.1) == 1
    assert rounds(0.3, lambda _: 0.1) == 4


def test_a_pair_that_does_as_it_should_or_comes_nearer_goes_on() -> None:
    assert rounds(1.0, lambda _: 0.1) == 18
    assert rounds(0.45, lambda count: 0.1 * 0.45**count) == 18


def test_a_pair_that_is_long_far_from_a_minimum_is_given_up_and_others_are_not() -> None:
    progress, place = Progress(1.0, 5), np.zeros((3, 3))
    going = []
    for count in range(8):
        far = np.array([True, False, count % 4 < 3])
        going.append(progress.going(np.full(3, 0.1), place.copy(), np.zeros((3, 3)), far))
        place[:, 0] += 0.1
    lasted = np.sum(going, axis=0)
    assert lasted[0] < 6
    assert (lasted[1:] == 8).all()
    taken = progress.take(np.array([True, False, False]))
    assert not taken.going(np.full(1, 0.1), place[:1], np.zeros((1, 3)), np.array([True]))[0]


def test_the_eigenvalues_of_2x2_matrices_are_those_of_lapack(rng: np.random.Generator) -> None:
    matrices = rng.normal(size=(50, 2, 2))
    matrices = matrices + matrices.transpose(0, 2, 1)
    matrices[0] = np.diag([3.0, -2.0])
    matrices[1] = 2.0 * np.eye(2)
    matrices[2] = 0.0
    values, vectors = eigen_2x2(matrices)
    assert np.abs(values - np.linalg.eigh(matrices)[0]).max() < 1e-14
    assert np.abs(np.einsum("kia,kib->kab", vectors, vectors) - np.eye(2)).max() < 1e-15
    assert np.abs(matrices @ vectors - vectors * values[:, None]).max() < 1e-14


def test_an_inverse_takes_small_eigenvalues_as_the_smallest_allowed(rng: np.random.Generator) -> None:
    turn = np.linalg.qr(rng.normal(size=(2, 2)))[0]
    matrix = turn @ np.diag([-3.0, 5.0]) @ turn.T
    assert np.allclose(inverse_2x2(matrix[None], 0.1)[0], turn @ np.diag([10.0, 0.2]) @ turn.T, atol=1e-13)
    definite = turn @ np.diag([0.5, 5.0]) @ turn.T
    assert np.allclose(inverse_2x2(definite[None], 0.1)[0], np.linalg.inv(definite), atol=1e-13)
