"""Force balance from contact points and normals alone: sums, and the best pushing forces.

For several bodies the wrench of all of them is one vector, (F, T / R) of each after the other, and a contact
between two of them is one column that pushes the first and pulls the second.  Whether forces exist that
balance the bodies is a linear programme, solved by HiGHS:

    min t  with  -t <= w + G f <= t,  f >= 0.

With friction a contact's one column is replaced by the edges of its cone.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike
from scipy.optimize import linprog, nnls

from tests.oracles.arrays import Floats
from tests.oracles.contacts import Contacts
from tests.oracles.frames import tangents

FACETS = 32  # edges of a friction cone: inside the round one, short of it by 0.5 %


def residual(
    positions: Floats,
    normals: Floats,
    forces: Floats,
    centre: ArrayLike,
    gravity: tuple[int, int, int] = (0, 0, -1),
    radius: float = 1.0,
) -> tuple[float, float]:
    """Norms of the total force and of the total torque / radius about the centre, in units of the weight."""
    push = np.asarray(normals) * np.asarray(forces)[:, None]
    torque = np.cross(np.asarray(positions) - np.asarray(centre), push).sum(axis=0) / radius
    return float(np.linalg.norm(push.sum(axis=0) + np.asarray(gravity))), float(np.linalg.norm(torque))


def best_residual(
    positions: Floats,
    normals: Floats,
    centre: ArrayLike,
    gravity: tuple[int, int, int] = (0, 0, -1),
    radius: float = 1.0,
) -> float:
    """The least norm of (force, torque / radius) that any pushing forces at these contacts leave."""
    arms = (np.asarray(positions) - np.asarray(centre)) / radius
    columns = np.concatenate([normals, np.cross(arms, normals)], axis=1).T
    return float(nnls(columns, -np.concatenate([gravity, np.zeros(3)]))[1])


def over_support(positions: Floats, centre: ArrayLike, gravity: ArrayLike = (0, 0, -1)) -> bool:
    """Whether a body on a level floor has its centre of mass over the hull of its contacts (a convex
    combination).
    """
    up = -np.asarray(gravity, float)
    flat = positions - np.outer(np.asarray(positions) @ up, up)
    target = np.asarray(centre) - (np.asarray(centre) @ up) * up
    scale = max(float(np.ptp(flat, axis=0).max()), 1e-12)
    columns = np.vstack([(flat - target).T / scale, np.ones(len(flat))])
    return bool(nnls(columns, np.array([0, 0, 0, 1.0]))[1] < 1e-6)


@dataclass(frozen=True)
class Balance:
    """The largest component of the wrench that the best forces f >= 0 at the contacts leave, over the sum of
    weights; and those forces: of each contact (k,) or, with friction, of each edge of its cone (k * FACETS,).
    """

    imbalance: float
    forces: np.ndarray


def balanced(
    contacts: Contacts,
    centres: Sequence[Floats],
    weights: ArrayLike,
    radii: ArrayLike,
    friction: float = 0.0,
    down: ArrayLike = (0, 0, -1),
) -> Balance:
    """Look for contact forces that hold bodies 0 .. m - 1, whose centres of mass are centres (m, 3).

    Contacts with other numbers are with what stands still.  weights (m,), radii (m,): torques of body i are
    divided by radii[i].
    """
    columns = wrenches(contacts, centres, radii, friction)
    shares = np.asarray(weights, float) / np.sum(np.asarray(weights))
    wrench = np.zeros((len(shares), 6))
    wrench[:, :3] = shares[:, None] * np.asarray(down, float)
    return _least_imbalance(wrench.ravel(), columns)


def wrenches(contacts: Contacts, centres: ArrayLike, radii: ArrayLike, friction: float = 0.0) -> np.ndarray:
    """Wrenches of unit forces on all the bodies (6 m, k), or along the cones' edges (6 m, k * FACETS)."""
    centres, radii = np.asarray(centres, float), np.asarray(radii, float)
    push = contacts.normal[:, None]
    if friction > 0:
        turn = np.arange(FACETS) * 2 * np.pi / FACETS
        ring = np.stack([np.cos(turn), np.sin(turn)], axis=1)
        push = push + friction * np.einsum("kia,fa->kfi", tangents(contacts.normal), ring)
    out = np.zeros((len(contacts), push.shape[1], len(centres), 6))
    for bodies, sign in ((contacts.first, 1.0), (contacts.second, -1.0)):
        rows = np.nonzero(bodies < len(centres))[0]
        body = bodies[rows]
        arm = (contacts.position[rows] - centres[body]) / radii[body, None]
        force = sign * push[rows]
        out[rows, :, body] = np.concatenate([force, np.cross(arm[:, None], force)], axis=2)
    return out.reshape(-1, 6 * len(centres)).T


def _least_imbalance(wrench: Floats, columns: Floats) -> Balance:
    size, count = columns.shape
    above = np.hstack([columns, -np.ones((size, 1))])
    below = np.hstack([-columns, -np.ones((size, 1))])
    found = linprog(
        np.append(np.zeros(count), 1.0),
        A_ub=np.vstack([above, below]),
        b_ub=np.concatenate([-wrench, wrench]),
        method="highs",
        options={"primal_feasibility_tolerance": 1e-10, "dual_feasibility_tolerance": 1e-10},
    )
    assert found.status == 0, found.message
    forces = np.maximum(found.x[:-1], 0)
    return Balance(float(np.abs(wrench + columns @ forces).max()), forces)
