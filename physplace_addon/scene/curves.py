# SPDX-License-Identifier: GPL-3.0-or-later
"""Curve objects as Bezier pieces, exactly: the profile of a revolution, the path of a tube.

A Bezier spline is its pieces. A poly spline's sides are straight pieces. A NURBS spline is cut into its
pieces; those of unequal weights are rational. Pieces of a lower degree than three are raised to it.
"""

from __future__ import annotations

import numpy as np
from bpy.types import Curve, Object, Spline

from ..core.arrays import Floats
from ..core.surfaces.bernstein import CUBIC, raising_matrix
from ..core.surfaces.bezier.splines import piece_matrices
from ..core.surfaces.rational import weighted
from .errors import SceneError
from .knots import Direction


def bezier_pieces(obj: Object) -> tuple[Floats, bool]:
    """The pieces (n, p + 1, 3) of a curve object's one spline, in local coordinates, and whether it is
    cyclic; rational ones have weights as a fourth coordinate.

    Raises SceneError if it is not a curve of exactly one spline.
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
    points = control_points(spline)
    if spline.type == "POLY":
        return _of_polyline(points[:, :3], spline.use_cyclic_u)
    return _of_nurbs(name, points, Direction.u(spline))


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


def control_points(spline: Spline) -> Floats:
    """The points of a poly or NURBS spline, with their weights (n, 4)."""
    buffer = np.empty(len(spline.points) * 4, dtype=np.float32)
    spline.points.foreach_get("co", buffer)
    return buffer.astype(np.float64).reshape(-1, 4)


def _of_polyline(points: Floats, cyclic: bool) -> Floats:
    corners = np.concatenate([points, points[:1]]) if cyclic else points
    if len(corners) < 2:
        return np.empty((0, 4, 3))
    return _raised(np.stack([corners[:-1], corners[1:]], axis=1))


def _of_nurbs(name: str, points: Floats, along: Direction) -> Floats:
    if along.count < 2:
        return np.empty((0, 4, 3))
    if not along.is_valid:
        found = (
            f"the NURBS spline has {along.count} points, which make no Bezier pieces of order {along.order}"
        )
        raise SceneError(name, found, "switch off Bezier U, or add points")
    points, weights = points[along.rows, :3], points[along.rows, 3]
    matrices = piece_matrices(along.knots, along.order - 1)
    if np.ptp(weights) == 0.0:
        return _raised(matrices @ points)
    pieces = _raised(matrices @ weighted(points, weights))
    if not (pieces[..., 3] > 0.0).all():
        raise SceneError(
            name, "the NURBS spline has a weight that is not positive", "make all of them positive"
        )
    pieces[..., :3] /= pieces[..., 3:]
    return pieces


def _raised(pieces: Floats) -> Floats:
    """Pieces (n, d + 1, c) of a degree below three as cubics (n, 4, c), others as they are."""
    degree = pieces.shape[1] - 1
    raised: Floats = raising_matrix(degree, max(degree, CUBIC)) @ pieces
    return raised
