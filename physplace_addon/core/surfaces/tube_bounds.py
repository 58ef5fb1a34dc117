"""Proven bounds on the distance from a tube to its triangles, cell by cell.

|S_uu| <= |c''| + r |N''| and |S_vv| = r.  With k = T', a the reference direction at angle beta to T, and
the frame's twist w = e1' . e2 = -cot(beta) (k . e2):

    N'' = -(2 w B.k + N.k') T - (N.k) k + w' B - w^2 N,        B = T x N,
    |w| <= |k| |cot beta|,    |w'| <= |k|^2 (1 + 2 cot^2 beta) + |N.k'| |cot beta|,
    |N.k'| <= |c'''|/|c'| + 2 |k| |T.c''| / |c'|.

Over a cell every factor is its value at the middle of one of `_PARTS` parts plus its largest change from
there, which |c'''| bounds.  Where that leaves no positive speed, the cell is too coarse to say more than
its length.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ..arrays import Floats
from ..vectors import length
from .cell_bounds import bilinear_bounds, cell_corners
from .paths import Path

if TYPE_CHECKING:
    from .tube import Tube

_PARTS = 8


def tube_bounds(tube: Tube, lower: Floats, upper: Floats) -> Floats:
    """Return the bounds (k,) over cells [lower, upper] (k, 2); each is on the tube or on one end."""
    corners = cell_corners(lower, upper).reshape(-1, 2)
    points = tube.geometry(np.zeros(len(corners), dtype=np.intp), corners).point.reshape(-1, 4, 3)
    width = upper - lower
    angle = tube.end_angles(0.5 * (lower[:, 0] + upper[:, 0]))
    near_ring = np.minimum(np.abs(tube.end_angles(lower[:, 0])), np.abs(tube.end_angles(upper[:, 0])))
    bend_v = tube.radius * np.cos(near_ring) * width[:, 1] ** 2
    turn = tube.end_angles(upper[:, 0]) - tube.end_angles(lower[:, 0])
    bend_u = tube.radius * turn**2
    on_tube = angle == 0.0
    crude = np.full(len(lower), 2.0 * tube.radius)
    if on_tube.any():
        bend, path_length = _bend_along(tube, lower[on_tube, 0], upper[on_tube, 0])
        bend_u[on_tube] = bend
        crude[on_tube] += 0.5 * path_length
    bounds: Floats = np.minimum(bilinear_bounds(points, bend_u, bend_v), crude)
    return bounds


def _bend_along(tube: Tube, lower: Floats, upper: Floats) -> tuple[Floats, Floats]:
    """Return du^2 max|S_uu|, infinite where it can't be bounded, and the most of the path's length (k,)."""
    intervals, place = np.unique(np.column_stack([lower, upper]), axis=0, return_inverse=True)
    lower, width = intervals[:, 0], intervals[:, 1] - intervals[:, 0]
    half = 0.5 * width / _PARTS
    start = lower[:, None] + 2.0 * half[:, None] * np.arange(_PARTS)
    flat = start.reshape(-1)
    h = np.repeat(half, _PARTS)
    second, speed = _part_bounds(tube.path, tube.reference, tube.radius, flat, h)
    bend = width**2 * second.reshape(-1, _PARTS).max(axis=1)
    most_length = width * speed.reshape(-1, _PARTS).max(axis=1)
    return bend[place.reshape(-1)], most_length[place.reshape(-1)]


def _part_bounds(
    path: Path, reference: Floats, radius: float, start: Floats, h: Floats
) -> tuple[Floats, Floats]:
    """Return the most of |c''| + r |N''| and of |c'| over the parts [start, start + 2 h]."""
    jet = path.jet(start + h)
    m3 = path.third_bounds(start, start + 2.0 * h)
    mid_speed, mid_second = length(jet.first), length(jet.second)
    tangent = jet.first / mid_speed[:, None]
    m2 = mid_second + h * m3
    slowest = mid_speed - h * m2
    known = slowest > 0.0
    s = np.where(known, slowest, 1.0)
    stretch = np.abs((tangent * jet.second).sum(axis=1))
    mid_turn = np.sqrt(np.maximum(mid_second**2 - stretch**2, 0.0)) / mid_speed
    k = np.minimum(m2 / s, mid_turn + h * (m3 / s + 3.0 * (m2 / s) ** 2))
    k_change = m3 / s + 2.0 * k * np.minimum(m2, stretch + h * (m3 + k * m2)) / s
    cosine = np.abs(tangent @ reference)
    sine = np.sqrt(np.maximum(1.0 - cosine**2, 0.0)) - h * k
    known &= sine > 0.0
    cot = np.minimum(1.0, cosine + h * k) / np.where(known, sine, 1.0)
    twist = k * cot
    twist_change = k**2 * (1.0 + 2.0 * cot**2) + k_change * cot
    normal_second = np.hypot(2.0 * twist * k + k_change, k**2 + twist**2 + twist_change)
    return np.where(known, m2 + radius * normal_second, np.inf), mid_speed + h * m2
