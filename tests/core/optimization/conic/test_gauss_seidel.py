"""Contacts solved one by one, and problems that only they lead to the end."""

from __future__ import annotations

import numpy as np
import pytest

from physplace_addon.core.optimization.conic.conic_qp import solve_conic_qp
from physplace_addon.core.optimization.conic.gauss_seidel import OneContact
from tests.core.optimization.conic.boxes_in_contact import assert_lawful, heap


def test_a_contact_by_itself_is_open_sticks_or_slides_by_coulombs_law() -> None:
    rng, seen = np.random.default_rng(5), set()
    for _ in range(300):
        coupling, sizes = rng.normal(size=2) * rng.choice([0.1, 1.0, 10.0]), np.exp(rng.normal(size=2))
        normal = float(np.exp(rng.normal()))
        q = rng.normal(size=3)
        one = OneContact(normal, (float(coupling[0]), float(coupling[1])), (float(sizes[0]), float(sizes[1])))
        z = np.array(one.force((float(q[0]), float(q[1]), float(q[2]))))
        compliance = np.block(
            [[np.full((1, 1), normal), coupling[None]], [coupling[:, None], np.zeros((2, 2))]]
        )
        compliance[1:, 1:] = np.diag(sizes) + np.outer(coupling, coupling) / normal
        v, size = compliance @ z + q, 1.0 + np.abs(z).max() * np.abs(compliance).max()
        held = float(np.hypot(z[1], z[2]))
        assert z[0] >= held - 1e-12 * size
        assert v[0] >= -1e-12 * size
        assert abs(v[0] * z[0]) < 1e-11 * size**2
        speed = float(np.hypot(v[1], v[2]))
        assert np.abs(z[1:] * speed + z[0] * v[1:]).max() < 1e-11 * size**2
        seen.add("open" if z[0] == 0.0 else "sticks" if speed < 1e-11 * size else "slides")
    assert seen == {"open", "sticks", "slides"}


@pytest.mark.parametrize(
    ("bodies", "contacts", "seed", "friction"),
    [
        (3, 4, 18, 1.0),
        (3, 4, 18, 1.5),
        (3, 4, 18, 10.0),
        (3, 4, 18, 100.0),
        (1, 4, 8, 100.0),
        (2, 4, 15, 10.0),
    ],
)
def test_boxes_obey_coulombs_law_where_newton_and_interior_points_fail(
    bodies: int, contacts: int, seed: int, friction: float
) -> None:
    rng = np.random.default_rng([7, seed, bodies])
    problem = heap(bodies, contacts, rng).problem(3.0 * rng.normal(size=6 * bodies), friction)
    found = solve_conic_qp(problem, fair=1e-4)
    assert found is not None
    assert_lawful(problem, found)
