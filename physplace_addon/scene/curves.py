# SPDX-License-Identifier: GPL-3.0-or-later
"""Curve objects as cubic Bezier pieces, exactly: the profile of a revolution, the path of a tube.

A Bezier spline is its pieces. A poly spline's sides are straight pieces. A NURBS spline of equal weights is
cut into its Bezier pieces by knot insertion (Boehm 1980: inserting each inner knot until its multiplicity is
the degree leaves the pieces' control points), and raised to degree three where it is of a lower one. A
rational spline, or one of a higher order, is no cubic: that is said, not approximated.
"""

from __future__ import annotations

from itertools import pairwise

import numpy as np
from bpy.types import Curve, Object, Spline

from ..core.arrays import Floats
from .errors import SceneError

CUBIC = 3


def bezier_pieces(obj: Object) -> tuple[Floats, bool]:
    """The pieces (n, 4, 3) of a curve object's one spline, in local coordinates, and whether it is cyclic.

    Raises SceneError if it is not a curve of exactly one spline of cubics.
    """
    curve = obj.data
    if not isinstance(curve, Curve):
        raise SceneError(obj.name, f"is a {obj.type.lower()} object", "name a curve object instead")
    if len(curve.splines) != 1:
        raise SceneError(obj.name, f"the curve has {len(curve.splines)} splines", "keep exactly one")
    spline = curve.splines[0]
    pieces = _pieces(obj.name, spline)
    if len(pieces) == 0 or not np.all(np.isfinite(pieces)):
        raise SceneError(obj.name, "the spline has no length", "give it two or more points at finite places")
    return pieces, bool(spline.use_cyclic_u)


def _pieces(name: str, spline: Spline) -> Floats:
    if spline.type == "BEZIER":
        return _of_bezier(spline)
    points = _control_points(spline)
    if spline.type == "POLY":
        return _of_polyline(points[:, :3], spline.use_cyclic_u)
    return _of_nurbs(name, points, spline)


def _of_bezier(spline: Spline) -> Floats:
    count = len(spline.bezier_points)
    points = np.empty((3, count * 3))
    for row, attribute in enumerate(("handle_left", "co", "handle_right")):
        buffer = np.empty(count * 3, dtype=np.float32)
        spline.bezier_points.foreach_get(attribute, buffer)
        points[row] = buffer
    left, middle, right = points.reshape(3, count, 3)
    last = count if spline.use_cyclic_u else count - 1
    start = np.arange(last)
    end = (start + 1) % count
    return np.stack([middle[start], right[start], left[end], middle[end]], axis=1)


def _control_points(spline: Spline) -> Floats:
    buffer = np.empty(len(spline.points) * 4, dtype=np.float32)
    spline.points.foreach_get("co", buffer)
    return buffer.astype(np.float64).reshape(-1, 4)


def _of_polyline(points: Floats, cyclic: bool) -> Floats:
    corners = np.concatenate([points, points[:1]]) if cyclic else points
    if len(corners) < 2:
        return np.empty((0, 4, 3))
    return _raised(np.stack([corners[:-1], corners[1:]], axis=1))


def _of_nurbs(name: str, points: Floats, spline: Spline) -> Floats:
    weights, order = points[:, 3], spline.order_u
    degree = min(order, len(points)) - 1
    if np.ptp(weights) > 0.0:
        raise SceneError(
            name, "the NURBS spline has unequal weights", "make its weights equal, or use Bezier"
        )
    if degree > CUBIC:
        raise SceneError(name, f"the NURBS spline has order {order}", "set its order to 4 or less")
    if degree < 1:
        return np.empty((0, 4, 3))
    if spline.use_bezier_u and (spline.use_cyclic_u or (len(points) - 1) % degree != 0):
        raise SceneError(name, "the NURBS spline's Bezier pieces are incomplete", "switch off Bezier U")
    control = points[:, :3]
    if spline.use_cyclic_u:
        control = np.concatenate([control, control[:degree]])
    knots = _knots(len(control), degree, spline)
    return _raised(_cut_at_knots(control, knots, degree))


def _knots(count: int, degree: int, spline: Spline) -> Floats:
    """Blender's knots, count + degree + 1, for count control points (the first ones of a cycle repeated)."""
    knots = np.arange(count + degree + 1, dtype=np.float64)
    if spline.use_cyclic_u:
        return knots
    if spline.use_bezier_u:
        inner = np.repeat(np.arange(1.0, (count - 1) // degree), degree)
        last = (count - 1) // degree
        return np.concatenate([np.zeros(degree + 1), inner, np.full(degree + 1, last)])
    if spline.use_endpoint_u:
        return np.clip(knots, degree, count) - degree
    return knots


def _cut_at_knots(control: Floats, knots: Floats, degree: int) -> Floats:
    """The Bezier pieces (n, degree + 1, 3) of a B-spline, over the knots where it is defined."""
    lower, upper = knots[degree], knots[len(control)]
    spans = np.unique(knots[degree : len(control) + 1])
    for knot in spans:
        present = int(np.count_nonzero(knots == knot))
        for _ in range(max(degree - present, 0)):
            control, knots = _insert(control, knots, degree, knot)
    pieces = []
    for start, _ in pairwise(spans[(spans >= lower) & (spans <= upper)]):
        last = int(np.searchsorted(knots, start, side="right")) - 1
        pieces.append(control[last - degree : last + 1])
    return np.array(pieces)


def _insert(control: Floats, knots: Floats, degree: int, knot: float) -> tuple[Floats, Floats]:
    span = int(np.searchsorted(knots, knot, side="right")) - 1
    span = min(span, len(control) - 1)
    new = np.empty((len(control) + 1, control.shape[1]))
    for i in range(len(new)):
        width = knots[min(i + degree, len(knots) - 1)] - knots[i]
        share = 1.0 if i <= span - degree else 0.0 if i > span else (knot - knots[i]) / width
        new[i] = share * control[min(i, len(control) - 1)] + (1.0 - share) * control[max(i - 1, 0)]
    return new, np.insert(knots, span + 1, knot)


def _raised(pieces: Floats) -> Floats:
    """Pieces (n, d + 1, 3) of degree d, 1 to 3, as cubics (n, 4, 3): the same curves."""
    while pieces.shape[1] < CUBIC + 1:
        degree = pieces.shape[1] - 1
        share = (np.arange(1, degree + 1) / (degree + 1.0))[:, None]
        inner = share * pieces[:, :-1] + (1.0 - share) * pieces[:, 1:]
        pieces = np.concatenate([pieces[:, :1], inner, pieces[:, -1:]], axis=1)
    return pieces
