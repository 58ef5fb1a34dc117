# SPDX-License-Identifier: GPL-3.0-or-later
"""A body's centre of mass and the polygon of contacts that holds it up: their convex hull seen along gravity.

A body that stands on its contacts alone stays only while its centre of mass is above that polygon.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.linalg import null_space
from scipy.spatial import ConvexHull

from ..core.arrays import Floats, Ints

_LINE = 1e-6  # width / R below which contacts stand on one line
_OVER = 1e-4  # distance / R from its support at which the centre of mass still counts as over it


@dataclass(frozen=True, eq=False)
class Support:
    """centre (3,): the centre of mass.  polygon (n, 3): the corners of its support in order, at their own
    heights; two for a line, one for a point, none if nothing holds it.  foot (3,): the point under the centre
    (above it, for what falls upward) at the polygon's mean height; the centre itself if there is none.
    carries: whether the centre is over the polygon.
    """

    centre: Floats
    polygon: Floats
    foot: Floats
    carries: bool


def support_of(centre: Floats, contacts: Floats, direction: Floats | None, radius: float) -> Support:
    """The support of a body of radius R from where it is touched (k, 3), seen along the unit vector (3,) of
    gravity; without gravity there is none.
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
    """Which of the points (k, 2) are corners of their convex hull, in order; the two ends of a line narrower
    than `width`, or the one point.
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
    """How far the origin is outside a convex polygon with corners (n, 2) in order; negative inside."""
    if len(corners) == 1:
        return float(np.linalg.norm(corners[0]))
    start, side = corners, np.roll(corners, -1, axis=0) - corners
    share = np.clip(-(start * side).sum(axis=1) / (side * side).sum(axis=1), 0.0, 1.0)
    nearest = float(np.linalg.norm(start + share[:, None] * side, axis=1).min())
    turn = start[:, 0] * side[:, 1] - start[:, 1] * side[:, 0]
    inside = len(corners) > 2 and ((turn >= 0.0).all() or (turn <= 0.0).all())
    return -nearest if inside else nearest
