"""Normal equations of rows between bodies against dense matrices; complementarity by its conditions."""

import numpy as np
import pytest

from physplace_addon.core.arrays import Floats, Ints
from physplace_addon.core.optimization import complementarity, dual_equations
from physplace_addon.core.optimization.complementarity import complementary
from physplace_addon.core.optimization.dual_equations import DualEquations


def ring(count: int) -> Ints:
    return np.repeat([(i, (i + 1) % count) for i in range(count)], 3, axis=0)


def star(count: int) -> Ints:
    """A hub with three rows to each other body, and three rows of the hub alone."""
    arms = np.repeat([(0, i) for i in range(1, count)], 3, axis=0)
    return np.concatenate([arms, np.array([(0, -1)] * 3)])


def tree(count: int) -> Ints:
    return np.repeat([(i, (i - 1) // 2) for i in range(1, count)], 3, axis=0)


def dense(body: Ints, blocks: Floats, count: int) -> Floats:
    rows = np.zeros((len(body), count, 6))
    for i, pair in enumerate(body):
        for slot, number in enumerate(pair):
            if number >= 0:
                rows[i, number] += blocks[i, slot]
    return rows.reshape(len(body), 6 * count)


@pytest.mark.parametrize("matrices", [False, True])
@pytest.mark.parametrize(
    ("body", "count", "hubs"), [(ring(19), 19, []), (star(60), 60, [0]), (tree(120), 120, [])]
)
def test_solutions_are_those_of_the_dense_matrix(
    body: Ints,
    count: int,
    hubs: list[int],
    matrices: bool,
    rng: np.random.Generator,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    for widest in (1000, 5):  # by bands, and as a general sparse matrix
        monkeypatch.setattr(dual_equations, "_WIDE", widest)
        equations = DualEquations(body, count)
        assert equations.dense_bodies == hubs
        for _ in range(2):  # the second time with the order that the first has found
            blocks, compliance = rng.normal(size=(len(body), 2, 6)), rng.uniform(1e-3, 1e-2, len(body))
            inverse = rng.uniform(0.5, 2.0, (count, 6))
            full = np.diag(inverse.ravel())
            if matrices:
                roots = rng.normal(size=(count, 6, 6))
                inverse = roots @ roots.transpose(0, 2, 1) + np.eye(6)
                full = np.zeros((6 * count, 6 * count))
                for i, block in enumerate(inverse):
                    full[6 * i : 6 * i + 6, 6 * i : 6 * i + 6] = block
            equations.factor(blocks, inverse, compliance)
            rows = dense(body, blocks, count)
            matrix = rows @ full @ rows.T + np.diag(compliance)
            for right in (rng.normal(size=len(body)), rng.normal(size=(len(body), 3))):
                assert np.abs(matrix @ equations.solve(right) - right).max() < 1e-10
            x = rng.normal(size=(count, 6))
            assert np.abs(equations.rates(x) - rows @ x.ravel()).max() < 1e-12
            assert np.abs(equations.rates_of_many(x[None])[:, 0] - rows @ x.ravel()).max() < 1e-12
            right = rng.normal(size=len(body))
            assert np.abs(equations.primal(right).ravel() - full @ rows.T @ right).max() < 1e-10


def test_a_star_is_as_sparse_as_a_chain() -> None:
    assert DualEquations(star(500), 500).half_bandwidth <= 3
    assert DualEquations(ring(500), 500).half_bandwidth <= 12


def test_primals_of_many_multipliers_are_those_of_each(rng: np.random.Generator) -> None:
    for body in (star(70), ring(12)):
        count = int(body.max()) + 1
        equations = DualEquations(body, count)
        equations.factor(rng.normal(size=(len(body), 2, 6)), np.ones((count, 6)), np.ones(len(body)))
        many = rng.normal(size=(len(body), 4))
        each = [equations.primal(column) for column in many.T]
        np.testing.assert_allclose(equations.primal_of_many(many), each, atol=1e-12)


def assert_complementary(matrix: Floats, linear: Floats, z: Floats) -> None:
    slack = matrix @ z + linear
    assert (z >= 0.0).all()
    assert slack.min() > -1e-7 * np.abs(linear).max()
    assert abs(z @ slack) < 1e-7 * max(1.0, float(np.abs(z).max()))


@pytest.mark.parametrize("rounds", [12, 0])
def test_complementarity_is_solved_by_active_sets_and_by_least_squares(
    rounds: int, rng: np.random.Generator, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(complementarity, "_ROUNDS", rounds)
    for size in (1, 4, 20):
        rows = rng.normal(size=(size, size + 4))
        matrix, linear = rows @ rows.T, rng.normal(size=size)
        assert_complementary(matrix, linear, complementary(matrix, linear))


def test_redundant_rows_have_a_solution(rng: np.random.Generator) -> None:
    rows = np.repeat(rng.normal(size=(3, 6)), 3, axis=0)
    matrix, linear = rows @ rows.T, np.repeat(-rng.uniform(0.1, 1.0, 3), 3)
    assert_complementary(matrix, linear, complementary(matrix, linear))


def test_nothing_presses_where_all_gaps_are_open() -> None:
    assert (complementary(np.eye(3), np.ones(3)) == 0.0).all()
