"""How deep two bodies overlap at the deepest: their triangles tell it up to their bounds, and an interface
point there exactly.

An interface point that overlaps is a pair of points with a common normal; that it is the nearest way out, it
does not know: through a plate there is one to the plate's far side, too. So of all of them only those count
that the triangles allow.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ..arrays import Floats, Ints
from ..bodies import Body
from ..collision import closest_on_triangle
from ..contact.body_pair import Encounter
from ..contact.continuous_collision import cuts_of_triangles
from ..contact.features import dot
from ..contact.points.generation import points_between
from ..contact.points.interface_points import InterfacePoints
from .depths import depth_between

_NEAR = 12  # triangles of either body around the deepest point
_ROUNDING = 1e-9  # of R


def deepest_overlap(encounter: Encounter, world: Sequence[Body], points: InterfacePoints) -> float:
    """Return how deep a point of the active body's surface lies inside one of the world's bodies, or one of
    theirs inside it, at the deepest, a length; points: interface points that are known.  An open surface has
    no inside: there what the points tell counts, and how far flat triangles cut through each other.
    """
    active = encounter.active.body
    depths = [depth_between(active, encounter.pose, body) for body in world]
    deepest = max(depths, key=lambda depth: depth.least)
    if deepest.least > 0.0:
        near = _around(encounter, deepest.point, deepest.other)
        points = InterfacePoints.join([points, points_between(encounter, *near, 1.01 * deepest.most)])
    bounds = active.triangle_bound.max() + encounter.world.body.triangle_bound.max()
    slack, told, least = float(bounds) + _ROUNDING * encounter.radius, -points.gap, deepest.least
    if active.closed or all(body.closed for body in world):
        told = told[told <= max(depth.most for depth in depths) + slack]
    if not (active.closed and all(body.closed for body in world)):
        least = max(least, float(cuts_of_triangles(encounter).depth.max(initial=0.0)))
    exactly = float(told.max(initial=0.0))
    is_exact = exactly > 0.0 and bounds > 0.0 and exactly >= least - slack
    return exactly if is_exact else max(exactly, least)


def _around(encounter: Encounter, point: Floats, other: Floats) -> tuple[Ints, Ints]:
    """All pairs of triangles of the active body and of the world that are near to two points (3,) of them."""
    mine = _nearest(encounter.active.body.triangles, encounter.pose.inverse().points(point))
    theirs = _nearest(encounter.world.body.triangles, other)
    return np.repeat(mine, len(theirs)), np.tile(theirs, len(mine))


def _nearest(triangles: Floats, point: Floats) -> Ints:
    """The few triangles of (t, 3, 3) that are nearest to a point (3,)."""
    on = closest_on_triangle(np.broadcast_to(point, (len(triangles), 3)), triangles).barycentric
    away = np.einsum("ki,kij->kj", on, triangles) - point
    nearest: Ints = np.argsort(dot(away, away), kind="stable")[:_NEAR]
    return nearest
