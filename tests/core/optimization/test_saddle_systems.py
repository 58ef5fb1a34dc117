"""KKT systems whose curvature is put right by a few directions, against dense ones."""

from __future__ import annotations

import numpy as np
import pytest

from physplace_addon.core.arrays import Floats
from physplace_addon.core.optimization.dual_equations import DualEquations
from physplace_addon.core.optimization.saddle_systems import SaddleSystem, raised_inverse, times

COUNT, COMPLIANCE = 6, 1e-3
BODY = np.array([(i, i + 1) for i in range(COUNT - 1) for _ in range(5)], np.intp)


def _nothing(count: int = COUNT) -> tuple[Floats, Floats]:
    """No other changes of so many bodies, and their signs."""
    return np.zeros((0, count, 6)), np.zeros(0)


class Problem:
    """A chain of bodies with rows between neighbours, and a bend that turns some curvatures negative."""

    def __init__(self, rng: np.random.Generator, size: float) -> None:
        self.metric = np.ones((COUNT, 6))
        bend = size * rng.normal(size=(COUNT, 3, 3))
        self.bend = 0.5 * (bend + bend.transpose(0, 2, 1))
        self.blocks = rng.normal(size=(len(BODY), 2, 6))
        inverse, self.raised = raised_inverse(self.metric, self.bend, np.ones(COUNT, bool))
        dual = DualEquations(BODY, COUNT)
        dual.factor(self.blocks, inverse, np.full(len(BODY), COMPLIANCE))
        self.system = SaddleSystem.of(dual, inverse, len(BODY))

    @property
    def curvature(self) -> Floats:
        """K (6 m, 6 m), with its bend."""
        found = np.eye(6 * COUNT)
        for i, bend in enumerate(self.bend):
            found[6 * i + 3 : 6 * i + 6, 6 * i + 3 : 6 * i + 6] -= bend
        return found

    @property
    def rows(self) -> Floats:
        """J (n, 6 m)."""
        found = np.zeros((len(BODY), COUNT, 6))
        for slot in (0, 1):
            found[np.arange(len(BODY)), BODY[:, slot]] = self.blocks[:, slot]
        return found.reshape(len(BODY), -1)

    def free_curvature(self, curvature: Floats) -> float:
        """The least eigenvalue of K + J' C^-1 J, which motions that the rows leave free have to be positive
        in.
        """
        return float(np.linalg.eigvalsh(curvature + self.rows.T @ self.rows / COMPLIANCE)[0])

    def assert_solved(self, system: SaddleSystem, curvature: Floats, rng: np.random.Generator) -> None:
        """That a system solves K x - J' l = r, J x + C l = p."""
        right, below = rng.normal(size=(COUNT, 6)), rng.normal(size=len(BODY))
        x, multipliers = system.solved(right, below)
        first = curvature @ x.ravel() - self.rows.T @ multipliers - right.ravel()
        second = self.rows @ x.ravel() + COMPLIANCE * multipliers - below
        assert max(np.abs(first).max(), np.abs(second).max()) < 1e-8
        many, its = system.solved_for(np.stack([right, 2.0 * right]))
        alone, mine = system.solved(right, np.zeros(len(BODY)))
        np.testing.assert_allclose(many, [alone, 2.0 * alone], atol=1e-8)
        np.testing.assert_allclose(its.T, [mine, 2.0 * mine], atol=1e-7)


def test_what_was_raised_is_taken_back_where_free_motions_stay_positive(rng: np.random.Generator) -> None:
    seen = set()
    for size in (0.8, 1.5, 3.0, 6.0):
        problem = Problem(rng, size)
        assert len(problem.raised)
        raised = np.asarray(np.linalg.inv(_dense(problem.system.inverse)), np.float64)
        assert problem.free_curvature(raised) > 0.0
        is_positive = problem.free_curvature(problem.curvature) > 0.0
        found = problem.system.lowered(problem.raised, *_nothing(), problem.metric)
        if is_positive:
            problem.assert_solved(found, problem.curvature, rng)
        seen.add(is_positive)
    assert seen == {True, False}


def test_a_system_that_needs_some_of_what_was_raised_still_goes_downhill(rng: np.random.Generator) -> None:
    problem = Problem(rng, 4.0)
    assert problem.free_curvature(problem.curvature) < 0.0
    changes = 0.1 * rng.normal(size=(2, COUNT, 6))
    lowered = problem.system.lowered(problem.raised, changes, np.array([-1.0, 1.0]), problem.metric)
    for _ in range(20):
        right = rng.normal(size=(COUNT, 6))
        x, _ = lowered.solved(right, np.zeros(len(BODY)))
        assert float((x * right).sum()) > 0.0


def test_changes_of_either_sign_are_part_of_the_system(rng: np.random.Generator) -> None:
    problem = Problem(rng, 0.3)
    changes, signs = 0.1 * rng.normal(size=(4, COUNT, 6)), np.array([1.0, -1.0, 1.0, -1.0])
    flat = changes.reshape(4, -1)
    found = problem.system.lowered(problem.raised, changes, signs, problem.metric)
    problem.assert_solved(found, problem.curvature + flat.T @ (signs[:, None] * flat), rng)


def test_without_rows_each_curvature_is_its_size_to_all_digits_and_no_less_than_the_least() -> None:
    """Some are raised to just what they need: all but nothing is put back, or nothing, as rounding has it."""
    for seed in range(300):
        rng = np.random.default_rng(seed)
        metric = np.ones((4, 6))
        axes = np.linalg.qr(rng.normal(size=(4, 3, 3)))[0]
        values = rng.uniform(-0.9, 0.9, (4, 3))
        kept = np.where(values > 0.0, np.maximum(values, 3e-3), np.maximum(-values, 0.1))
        bend = (axes * (1.0 - values)[:, None]) @ axes.transpose(0, 2, 1)
        inverse, raised = raised_inverse(metric, bend, np.ones(4, bool))
        dual = DualEquations(np.zeros((0, 2), np.intp), 4)
        dual.factor(np.zeros((0, 2, 6)), inverse, np.zeros(0))
        found = SaddleSystem.of(dual, inverse, 0).lowered(raised, *_nothing(4), metric)
        right = rng.normal(size=(4, 6))
        x, _ = found.solved(right, np.zeros(0))
        exact = right.copy()
        turned = np.einsum("kji,kj->ki", axes, right[:, 3:]) / kept
        exact[:, 3:] = np.einsum("kij,kj->ki", axes, turned)
        np.testing.assert_allclose(x, exact, atol=1e-11 * np.abs(exact).max())


@pytest.mark.parametrize("bends_away", [False, True])
def test_what_a_dead_point_stiffens_without_bound_is_as_free_as_its_motions_are(
    bends_away: bool, rng: np.random.Generator
) -> None:
    """Two bodies that turn together, whose bends, 1e5 times the metric, all but cancel each other."""
    metric, bend = np.ones((3, 6)), np.zeros((3, 3, 3))
    bend[0, 0, 0], bend[1, 0, 0] = 1e5, -1e5 - 50.0
    bend[2, 1, 1] = 4.0 if bends_away else 0.0  # no row holds it
    inverse, raised = raised_inverse(metric, bend, np.ones(3, bool))
    blocks = np.zeros((1, 2, 6))
    blocks[0, :, 3] = 1.0, -1.0
    dual = DualEquations(np.array([[0, 1]]), 3)
    dual.factor(blocks, inverse, np.full(1, 1e-14))
    change = np.zeros((1, 3, 6))
    change[0, 2, 0] = 3.0
    found = SaddleSystem.of(dual, inverse, 1).lowered(raised, change, np.ones(1), metric)
    right = rng.normal(size=(3, 6))
    x, _ = found.solved(right, np.zeros(1))
    together = (right[0, 3] + right[1, 3]) / 52.0
    np.testing.assert_allclose(x[:2, 3], [together, together], rtol=1e-4)
    np.testing.assert_allclose(x[2, 0], right[2, 0] / 10.0, rtol=1e-8)
    if bends_away:  # it goes on at the size of its curvature
        np.testing.assert_allclose(x[2, 4], right[2, 4] / 3.0, rtol=1e-8)


def _dense(inverse: Floats) -> Floats:
    found = np.zeros((6 * COUNT, 6 * COUNT))
    for i, block in enumerate(inverse):
        found[6 * i : 6 * i + 6, 6 * i : 6 * i + 6] = block
    assert np.allclose(times(inverse, np.ones((COUNT, 6))).ravel(), found.sum(axis=1))
    return found


def test_however_many_bodies_bend_away_the_directions_that_are_put_right_are_few(
    rng: np.random.Generator,
) -> None:
    """Each takes a solution of all rows: with as many as bodies a step would grow with their square."""
    few, many = (3.0 * rng.normal(size=(count, 3, 3)) for count in (4, 400))
    found = [
        raised_inverse(np.ones((len(bend), 6)), bend + bend.transpose(0, 2, 1), np.ones(len(bend), bool))
        for bend in (few, many)
    ]
    values = [np.linalg.eigvalsh(np.eye(3) - bend - bend.transpose(0, 2, 1)) for bend in (few, many)]
    assert len(found[0][1]) == np.count_nonzero(values[0] < 0.1)
    assert len(found[1][1]) < 30 < np.count_nonzero(values[1] < 0.1)
    raised = (found[1][1] ** 2).sum(axis=(1, 2))
    assert raised.min() >= np.sort(np.abs(values[1][values[1] < 0.0]))[-len(raised)], "they are the greatest"
