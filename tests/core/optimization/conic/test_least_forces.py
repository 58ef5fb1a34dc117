"""The least forces with a wrench: they have it, lie in their cones, and no others there are less."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy import sparse
from scipy.optimize import minimize

from physplace_addon.core.arrays import Floats
from physplace_addon.core.optimization.conic.least_forces import ForceRows, RowForces


def random_forces(seed: int) -> tuple[ForceRows, Floats, RowForces]:
    """Rows of 2 equations, 3 limits and 5 contacts by 6 unknowns, all of them (20, 6), and forces on them."""
    rng = np.random.default_rng(seed)
    rows = rng.normal(size=(20, 6))
    friction = rng.uniform(0.0, 1.0, 5)
    normal, angle = rng.uniform(0.0, 2.0, 5), rng.uniform(0.0, 2.0 * np.pi, 5)
    size = friction * normal * rng.uniform(0.5, 1.0, 5)
    contacts = np.stack([normal, size * np.cos(angle), size * np.sin(angle)], axis=1)
    equations, limits, tangential = (sparse.csr_array(part) for part in np.split(rows, [2, 5]))
    forces = RowForces(rng.normal(size=2), rng.uniform(0.0, 2.0, 3), contacts)
    return ForceRows(equations, limits, tangential, friction), rows, forces


@pytest.mark.parametrize("seed", range(8))
def test_forces_are_the_least_within_their_cones_that_have_the_wrench(seed: int) -> None:
    given, rows, like = random_forces(seed)
    found = np.concatenate([part.ravel() for part in given.least(like)])
    start = np.concatenate([part.ravel() for part in like])

    def room(forces: Floats) -> Floats:
        contacts = forces[5:].reshape(-1, 3)
        slack = (given.friction * contacts[:, 0]) ** 2 - contacts[:, 1] ** 2 - contacts[:, 2] ** 2
        return np.concatenate([forces[2:5], contacts[:, 0], slack])

    assert room(found).min() > -1e-12
    assert rows.T @ found == pytest.approx(rows.T @ start, abs=1e-8)
    search: Any = minimize  # its stubs do not know functions of one argument
    other = search(
        lambda forces: 0.5 * forces @ forces,
        start,
        jac=lambda forces: forces,
        method="SLSQP",
        constraints=[
            {"type": "eq", "fun": lambda forces: rows.T @ (forces - start), "jac": lambda _: rows.T},
            {"type": "ineq", "fun": room},
        ],
        options={"maxiter": 500, "ftol": 1e-14},
    )
    assert found @ found <= 2.0 * other.fun * (1.0 + 1e-6)


def test_what_nothing_loads_bears_nothing() -> None:
    given, _, like = random_forces(0)
    least = given.least(RowForces(*(0.0 * part for part in like)))
    assert all((part == 0.0).all() for part in least)
