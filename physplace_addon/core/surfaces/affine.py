"""Surfaces and curves under an invertible affine map x -> A x + b, exactly.

Tangents map by A, the outward normal by A^-T (so it stays outward under mirroring too).  With m = |A^-T n|
the second fundamental form in the mapped basis (A e1, A e2) is the old one divided by m; both are then
brought to an orthonormal frame.  Displacements are made tangential *before* they are mapped back: the foot
of a perpendicular is not preserved by A, tangency is.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from ..arrays import Bools, Floats, Ints
from ..vectors import dot, length
from .base import Curve, Derivatives, EdgeGeometry, FaceGeometry, Hulls, Interval, Surface

_CONFORMAL = 1e-13


@dataclass(frozen=True, eq=False)
class AffineSurface(Surface):
    """A surface under the affine map `matrix` (4, 4)."""

    surface: Surface
    matrix: Floats

    def __post_init__(self) -> None:
        matrix = np.array(self.matrix, dtype=np.float64)  # of its own: the caller may go on using theirs
        matrix.flags.writeable = False
        object.__setattr__(self, "matrix", matrix)

    @property
    def face_count(self) -> int:
        """The faces of the surface."""
        return self.surface.face_count

    @property
    def flat(self) -> bool:
        """Affine maps keep planes."""
        return self.surface.flat

    @property
    def domain(self) -> tuple[Interval, Interval]:
        """The parameters stay."""
        return self.surface.domain

    @property
    def pieces(self) -> Floats:
        """The parameters stay."""
        return self.surface.pieces

    @cached_property
    def _inverse(self) -> Floats:
        inverse: Floats = np.asarray(np.linalg.inv(self.matrix[:3, :3]), dtype=np.float64)
        return inverse

    @cached_property
    def _similarity(self) -> float | None:
        """How much larger the map makes everything, if it keeps angles, and so feet of perpendiculars."""
        metric = self.matrix[:3, :3].T @ self.matrix[:3, :3]
        square = np.trace(metric) / 3.0
        alike = np.all(np.abs(metric - square * np.eye(3)) <= _CONFORMAL * square)
        return float(np.sqrt(square)) if alike else None

    @property
    def has_hulls(self) -> bool:
        """Those of the surface, mapped."""
        return self.surface.has_hulls

    def hulls(self, face: Ints, lower: Floats, upper: Floats) -> Hulls:
        """Return the mapped hulls."""
        inner, linear = self.surface.hulls(face, lower, upper), self.matrix[:3, :3].T
        return Hulls(inner.control @ linear + self.matrix[:3, 3], inner.twists @ linear, inner.bends)

    def may_wave(self, face: Ints, lower: Floats, upper: Floats) -> Bools:
        """Tell it of the surface."""
        return self.surface.may_wave(face, lower, upper)

    def derivatives(self, face: Ints, uv: Floats) -> Derivatives:
        """Return the mapped partial derivatives."""
        inner, linear = self.surface.derivatives(face, uv), self.matrix[:3, :3].T
        parts = (inner.du, inner.dv, inner.duu, inner.duv, inner.dvv)
        return Derivatives(inner.point @ linear + self.matrix[:3, 3], *(part @ linear for part in parts))

    def geometry(self, face: Ints, uv: Floats) -> FaceGeometry:
        """Return the mapped geometry in an orthonormal frame whose first vector is A e1."""
        inner, linear = self.surface.geometry(face, uv), self.matrix[:3, :3].T
        point = inner.point @ linear + self.matrix[:3, 3]
        if self._similarity is not None:
            turn = linear / self._similarity
            return FaceGeometry(
                point, inner.frame @ turn, inner.normal @ turn, inner.curvature / self._similarity
            )
        normal = inner.normal @ self._inverse
        stretch = length(normal)
        frame, to_frame = _orthonormal(inner.frame @ linear)
        curvature = to_frame @ inner.curvature @ to_frame.transpose(0, 2, 1) / stretch[:, None, None]
        return FaceGeometry(point, frame, normal / stretch[:, None], curvature)

    def move(self, face: Ints, uv: Floats, displacement: Floats) -> Floats:
        """Return moved parameters: exact as the inner surface's for similarities, else to first order."""
        if self._similarity is None:
            normal = self.geometry(face, uv).normal
            displacement = displacement - dot(displacement, normal)[:, None] * normal
        return self.surface.move(face, uv, displacement @ self._inverse.T)

    def transformed(self, affine: Floats) -> Surface:
        """Return the surface under both maps, as one."""
        return AffineSurface(self.surface, np.asarray(affine, dtype=np.float64) @ self.matrix)


def _orthonormal(basis: Floats) -> tuple[Floats, Floats]:
    """Gram-Schmidt on pairs (k, 2, 3): the frame, and the matrix (k, 2, 2) from the basis to it."""
    first, second = basis[:, 0], basis[:, 1]
    size = length(first)
    shear = dot(first, second) / (size * size)
    upright = second - shear[:, None] * first
    height = length(upright)
    frame = np.stack([first / size[:, None], upright / height[:, None]], axis=1)
    to_frame = np.zeros((len(basis), 2, 2))
    to_frame[:, 0, 0] = 1.0 / size
    to_frame[:, 1, 0] = -shear / height
    to_frame[:, 1, 1] = 1.0 / height
    return frame, to_frame


@dataclass(frozen=True, eq=False)
class AffineCurve(Curve):
    """A curve under the affine map `matrix` (4, 4)."""

    curve: Curve
    matrix: Floats

    def __post_init__(self) -> None:
        matrix = np.array(self.matrix, dtype=np.float64)  # of its own: the caller may go on using theirs
        matrix.flags.writeable = False
        object.__setattr__(self, "matrix", matrix)

    @property
    def edge_count(self) -> int:
        """The edges of the curve."""
        return self.curve.edge_count

    @property
    def domain(self) -> Interval:
        """The parameter stays."""
        return self.curve.domain

    def geometry(self, edge: Ints, t: Floats) -> EdgeGeometry:
        """Return the mapped point and tangent, and the curvature vector by the new arc length."""
        inner, linear = self.curve.geometry(edge, t), self.matrix[:3, :3].T
        tangent = inner.tangent @ linear
        speed = length(tangent)[:, None]
        tangent = tangent / speed
        bend = inner.curvature @ linear
        bend = (bend - dot(bend, tangent)[:, None] * tangent) / (speed * speed)
        return EdgeGeometry(inner.point @ linear + self.matrix[:3, 3], tangent, bend)

    def move(self, edge: Ints, t: Floats, distance: Floats) -> Floats:
        """Return t moved by arc lengths (k,), to first order."""
        tangent = self.curve.geometry(edge, t).tangent @ self.matrix[:3, :3].T
        return self.curve.move(edge, t, distance / length(tangent))

    def conormals(self, edge: Ints, t: Floats) -> Floats:
        """Return the mapped conormals, made perpendicular to the mapped edge."""
        linear = self.matrix[:3, :3].T
        inward = self.curve.conormals(edge, t) @ linear
        tangent = self.geometry(edge, t).tangent[:, None]
        across = inward - (inward * tangent).sum(axis=2, keepdims=True) * tangent
        unit: Floats = across / np.sqrt((across * across).sum(axis=2, keepdims=True))
        return unit

    def chord_bounds(self, edge: Ints, lower: Floats, upper: Floats) -> Floats:
        """Return the bounds scaled by the map's largest stretch."""
        stretch = float(np.linalg.norm(self.matrix[:3, :3], 2))
        return self.curve.chord_bounds(edge, lower, upper) * stretch

    def transformed(self, affine: Floats) -> Curve:
        """Return the curve under both maps, as one."""
        return AffineCurve(self.curve, np.asarray(affine, dtype=np.float64) @ self.matrix)
