"""Contacts with much friction, which Newton's and the interior-point method alone often miss."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import sparse

from physplace_addon.core.arrays import Floats
from physplace_addon.core.optimization.conic.conic_problem import ConicQP, ContactRows, LinearRows
from physplace_addon.core.optimization.conic.conic_qp import solve_conic_qp
from tests.core.optimization.conic.boxes_in_contact import assert_lawful, heap


def one_contact(compliance: Floats, approach: Floats, friction: float) -> ConicQP:
    """A contact with a compliance A (3, 3) and a velocity (3,) without forces: x is its velocity."""
    matrix, none = np.linalg.inv(compliance), np.zeros(1)
    rows = ContactRows(sparse.csr_array(np.eye(3)), none, np.zeros((1, 2)), np.full(1, friction))
    nothing = LinearRows.empty(3)
    return ConicQP(sparse.csr_array(matrix), matrix @ approach, rows, nothing, nothing)


@pytest.mark.parametrize("friction", [3.0, 10.0, 30.0, 100.0])
def test_a_contact_of_which_the_impulse_that_stops_it_is_in_the_cone_stops(friction: float) -> None:
    rng = np.random.default_rng(3)
    for _ in range(60):
        root = rng.normal(size=(3, 3)) + np.eye(3)
        compliance = root @ root.T + 0.1 * np.eye(3)
        normal = rng.uniform(0.05, 1.0)
        angle, slant = rng.uniform(0.0, 2.0 * np.pi), rng.uniform(0.0, 0.9) * min(friction, 5.0)
        force = normal * np.array([1.0, slant * np.cos(angle), slant * np.sin(angle)])
        problem = one_contact(compliance, -compliance @ force, friction)
        found = solve_conic_qp(problem, fair=1e-4)
        assert found is not None
        before = 0.5 * float(force @ compliance @ force)
        assert 0.5 * float(found.x @ (problem.matrix @ found.x)) <= (1.0 + 1e-9) * before
        assert_lawful(problem, found, within=1e-8)


def test_boxes_that_hit_with_much_friction_gain_no_energy() -> None:
    for seed in range(20):
        rng = np.random.default_rng([7, seed])
        problem = heap(2, 3, rng).problem(3.0 * rng.normal(size=12), 100.0)
        found = solve_conic_qp(problem, fair=1e-4)
        assert found is not None
        matrix = problem.matrix.toarray()
        free = np.linalg.solve(matrix, problem.linear)
        before, after = (0.5 * float(x @ matrix @ x) for x in (free, found.x))
        assert after <= (1.0 + 1e-9) * before
