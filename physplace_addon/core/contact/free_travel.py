"""How far one body of a contact system may move before it meets anything, everything else standing still.

All look at the tessellations, grown by their bounds, and so never say too much.
"""

from __future__ import annotations

import numpy as np

from ..arrays import Bools, Floats
from ..collision import clearance, free_travel
from ..rigid import Pose
from .contact_system import ContactSystem
from .points.interface_points import FIXED, Pair


def free_distance(system: ContactSystem, body: int, direction: Floats, near: float) -> float:
    """Return how far (a length) a body may be shifted along a unit direction (3,) before it comes within
    `near`, a length, of anything; np.inf if it never does.
    """
    ways = [np.inf]
    for pair in _pairs_of(system, body):
        body_pair, other = system.body_pair(pair), pair[1]
        along = direction if other == FIXED else system.poses[other].inverse().vectors(direction)
        ways.append(free_travel(body_pair.active.tree, body_pair.pose, body_pair.world.tree, along, near))
    return min(ways)


def free_falls(system: ContactSystem, free: Bools, direction: Floats, near: Floats, least: Floats) -> Floats:
    """Return how far (m,), lengths, bodies fall one after another, the lowest first.

    Args:
        system: the bodies.
        free: which bodies (m,) fall; the others stand still.
        direction: unit (3,), in which they fall.
        near: how near (m,) each comes to what it meets first.
        least: the lengths (m,) up to which a fall is none.

    Returns:
        0 where a body does not fall; inf for one that meets nothing, after which no other falls.
    """
    far = np.zeros(len(system))
    for body in np.argsort(-system.centres @ direction, kind="stable").tolist():
        if not free[body]:
            continue
        way = free_distance(system, body, direction, float(near[body]))
        if way > least[body]:
            far[body] = way
            if not np.isfinite(way):
                break
            poses = list(system.poses)
            poses[body] = Pose(poses[body].rotation, poses[body].translation + way * direction)
            system = system.at(poses)
    return far


def least_distance(system: ContactSystem, body: int, most: float = np.inf) -> float:
    """Return a lower bound of a body's distance, a length, from everything else, but no more than `most`."""
    pairs = [system.body_pair(pair) for pair in _pairs_of(system, body)]
    return min(
        (clearance(pair.active.tree, pair.pose, pair.world.tree, most=most) for pair in pairs), default=most
    )


def _pairs_of(system: ContactSystem, body: int) -> list[Pair]:
    fixed = [FIXED] if system.fixed is not None else []
    return [(body, other) for other in fixed + [other for other in range(len(system)) if other != body]]
