# SPDX-License-Identifier: GPL-3.0-or-later
"""Splines of curve and surface objects as exact Bezier pieces.

A Bezier spline is its pieces, and the sides of a poly spline are straight pieces. A NURBS spline is cut at
its knots; pieces of unequal weights are rational. Pieces of a lower degree than three are raised to cubics.

Blender makes the knots of a NURBS spline from its switches Cyclic, Bezier and Endpoint (`Direction`). Knots
are whole numbers that rise by 1, each of them once, or, with Bezier, order - 1 times. Endpoint repeats the
first and the last knot `order` times. A cyclic spline has its first order - 1 points again at its end, and
the widths between its first knots again at its end, too. The spline runs from the knot number order - 1
to the last but order - 1.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from bpy.types import Curve, Object, Spline

from ...core.arrays import Floats, Ints
from ...core.surfaces.bernstein import CUBIC, raising_matrix
from ...core.surfaces.bezier.splines import piece_matrices
from ...core.surfaces.rational import homogeneous
from ..errors import SceneError


@dataclass(frozen=True)
class Direction:
    """One direction of a NURBS spline: how many points, its order, and its switches."""

    count: int
    order: int
    cyclic: bool
    endpoint: bool
    bezier: bool

    @classmethod
    def u(cls, spline: Spline) -> Direction:
        """Return the direction u of a spline: the only one of a curve."""
        switches = spline.use_cyclic_u, spline.use_endpoint_u, spline.use_bezier_u
        return cls(spline.point_count_u, spline.order_u, *switches)

    @classmethod
    def v(cls, spline: Spline) -> Direction:
        """Return the direction v of a surface."""
        switches = spline.use_cyclic_v, spline.use_endpoint_v, spline.use_bezier_v
        return cls(spline.point_count_v, spline.order_v, *switches)

    @property
    def is_valid(self) -> bool:
        """Whether it has points enough for its order and for Bezier, so that Blender shows the spline."""
        if self.count < max(self.order, 2):
            return False
        if self.bezier and self.cyclic:
            return self.count % (self.order - 1) == 0
        return self.endpoint or not self.bezier or self.count > self.order

    @property
    def rows(self) -> Ints:
        """The numbers of the points in order (rows,); a cyclic spline has its first ones again at the end."""
        again = self.order - 1 if self.cyclic else 0
        return np.arange(self.count + again) % self.count

    @property
    def knots(self) -> Floats:
        """The knots (rows + order,)."""
        count = len(self.rows) + self.order
        tail = 2 * self.order - 1 if self.cyclic else self.order if self.endpoint else 0
        rising, last = self._rising(count - tail)
        knots: Floats = np.concatenate([rising, last + rising, 2.0 * last + rising])[:count]
        return knots

    def _rising(self, count: int) -> tuple[Floats, float]:
        """Return the first knots (count,), and the value that comes next."""
        inner = self.order - 1 if self.bezier else 1
        if self.endpoint and self.cyclic:
            times = [1, self.order - 1]
        else:
            times = [self.order if self.endpoint else min(2, inner)]
        times += [inner] * (count + 1)
        values = np.repeat(np.arange(float(len(times))), times)
        return values[:count], float(values[count])


def bezier_pieces(obj: Object) -> tuple[Floats, bool]:
    """Return the Bezier pieces of a curve object's one spline, in local coordinates.

    Returns:
        pieces: (n, p + 1, 3), or (n, p + 1, 4) with weights for rational ones.
        cyclic: whether the spline is closed.

    Raises:
        SceneError: if it is not a curve object of exactly one spline, or the spline has no length.
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
    """Return the points of a poly or NURBS spline, with their weights: (n, 4)."""
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
    pieces = _raised(matrices @ homogeneous(points, weights))
    if not (pieces[..., 3] > 0.0).all():
        raise SceneError(
            name, "the NURBS spline has a weight that is not positive", "make all of them positive"
        )
    pieces[..., :3] /= pieces[..., 3:]
    return pieces


def _raised(pieces: Floats) -> Floats:
    """Return pieces (n, d + 1, c) of a degree below three as cubics (n, 4, c), others as they are."""
    degree = pieces.shape[1] - 1
    raised: Floats = raising_matrix(degree, max(degree, CUBIC)) @ pieces
    return raised
