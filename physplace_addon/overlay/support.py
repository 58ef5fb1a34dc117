# SPDX-License-Identifier: GPL-3.0-or-later
"""A body's support polygon: the convex hull of its contacts, seen along gravity.

A body that stands on its contacts alone stays there only while its centre of mass is above that polygon.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.linalg import null_space
from scipy.spatial import ConvexHull

from ..core.arrays import Floats, Ints

_LINE = 1e-6  # largest width of a polygon, over R, that counts as a line: ConvexHull fails on narrower ones
_OVER = 1e-4  # largest distance / R outside its polygon at which a centre of mass counts as over it


@dataclass(frozen=True, eq=False)
class Support:
    """What holds up a body's centre of mass; positions in the world, in scene units.

    Attributes:
        centre: (3,), the centre of mass.
        polygon: (n, 3), the corners of the support polygon in order, each at its contact's own height; two
            for a line, one for a point, none without contacts or without gravity.
        projection: (3,), the centre projected along gravity to the polygon's mean height; the centre itself
            if there is no polygon.
        carries: whether the centre is over the polygon.
    """

    centre: Floats
    polygon: Floats
    projection: Floats
    carries: bool


def support_of(centre: Floats, contacts: Floats, direction: Floats | None, radius: float) -> Support:
    """Return the support of a body.

    Args:
        centre: (3,), the centre of mass, in the world.
        contacts: (k, 3), the points where the body is touched, in the world.
        direction: (3,), the unit vector of gravity; None without gravity.
        radius: the body's radius R, in scene units.
    """
    if direction is None or len(contacts) == 0:
        return Support(centre, np.zeros((0, 3)), centre, False)
    flat = (contacts - centre) @ null_space(direction[None])
    corners = _hull(flat, _LINE * radius)
    polygon = contacts[corners]
    drop = float((polygon.mean(axis=0) - centre) @ direction)
    carries = _distance_outside(flat[corners]) <= _OVER * radius
    return Support(centre, polygon, centre + drop * direction, carries)


def _hull(flat: Floats, width: float) -> Ints:
    """Return which of the points (k, 2) are the corners of their convex hull, in order.

    Two for points on a line narrower than `width`, one for points within it of each other.
    """
    spread = flat - flat.mean(axis=0)
    axes = np.linalg.svd(spread, full_matrices=False)[2]
    along = spread @ axes.T
    extent = np.ptp(along, axis=0)
    if extent[0] <= width:
        return np.zeros(1, dtype=np.intp)
    if len(extent) == 1 or extent[1] <= width:
        return np.array([along[:, 0].argmin(), along[:, 0].argmax()], dtype=np.intp)
    return ConvexHull(flat).vertices.astype(np.intp)


def _distance_outside(corners: Floats) -> float:
    """Return how far the origin is outside a convex polygon, corners (n, 2) in order; negative inside."""
    if len(corners) == 1:
        return float(np.linalg.norm(corners[0]))
    start, side = corners, np.roll(corners, -1, axis=0) - corners
    parameter = np.clip(-(start * side).sum(axis=1) / (side * side).sum(axis=1), 0.0, 1.0)
    nearest = float(np.linalg.norm(start + parameter[:, None] * side, axis=1).min())
    turn = start[:, 0] * side[:, 1] - start[:, 1] * side[:, 0]
    inside = len(corners) > 2 and ((turn >= 0.0).all() or (turn <= 0.0).all())
    return -nearest if inside else nearest
