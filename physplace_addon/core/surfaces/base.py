"""The face of every exact surface and curve, and their images under affine maps.

Contact code needs only *geometric* facts of a face: the point, an orthonormal tangent frame, the outward unit
normal and the second fundamental form in that frame.  It moves on the face by displacements in space.  So a
pole of the parameters is nothing special to a caller: raw partial derivatives serve tessellation and mass.

*Affine maps* x -> A x + b.  Tangents map by A, the outward normal by A^-T, so it stays outward where A
mirrors.  With m = |A^-T n| the second fundamental form in the mapped basis (A e_1, A e_2) is the old one
divided by m; both are then brought to an orthonormal frame.  A displacement is made tangential *before* it is
mapped back, because A keeps tangency but not the perpendicular from a point to a surface.

Lengths are in scene units, angles in radians.  k is the number of queries in a batch.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from ..arrays import Floats, Ints
from ..vectors import dot, length
from .geometry import Derivatives, EdgeGeometry, FaceGeometry, Interval

# Largest difference of A'A from a multiple of the identity, over that multiple, at which A counts as a
# similarity: some hundred times the rounding of its entries.
_CONFORMAL = 1e-13


class Surface(ABC):
    """One or more faces with the same kind of formula.

    Every query takes the faces (k,) and their parameters (k, 2).
    """

    @property
    def face_count(self) -> int:
        """Number of faces: 1 for all curved kinds."""
        return 1

    @property
    def flat(self) -> bool:
        """Whether every face is planar."""
        return False

    @property
    def domain(self) -> tuple[Interval, Interval]:
        """Ranges of u and v, the same for every face; 0 to 1 unless a kind says otherwise."""
        return Interval(0.0, 1.0), Interval(0.0, 1.0)

    @property
    def pieces(self) -> Floats:
        """Rectangles of parameters (m, 2, 2), lower and upper corner, over which every face is smooth."""
        u, v = self.domain
        return np.array([[[u.lower, v.lower], [u.upper, v.upper]]])

    @abstractmethod
    def derivatives(self, face: Ints, uv: Floats) -> Derivatives:
        """Return the exact partial derivatives to second order at parameters uv (k, 2) of faces (k,)."""

    @abstractmethod
    def geometry(self, face: Ints, uv: Floats) -> FaceGeometry:
        """Return point, frame, outward normal and curvature at uv (k, 2); well defined at poles."""

    def points(self, face: Ints, uv: Floats) -> Floats:
        """Return the points (k, 3) alone at uv (k, 2), for kinds that find them faster."""
        return self.geometry(face, uv).point

    @abstractmethod
    def move(self, face: Ints, uv: Floats, displacement: Floats) -> Floats:
        """Return the parameters (k, 2) of the surface point nearest to the displaced point.

        Exact to first order in the displacement at least; a zero displacement returns `uv` itself.  Periodic
        parameters wrap, bounded ones clamp, poles are crossed.

        Args:
            face: faces (k,).
            uv: parameters (k, 2) from which to move.
            displacement: in space (k, 3), scene units.
        """

    def transformed(self, affine: Floats) -> Surface:
        """Return this surface under an invertible affine map (4, 4), exactly."""
        return AffineSurface(self, np.asarray(affine, dtype=np.float64))


class Patch(Surface):
    """One face over a rectangle of parameters, which a grid of lines tessellates."""

    @property
    def collapsed(self) -> tuple[bool, bool, bool, bool]:
        """Whether the line u = lower, u = upper, v = lower, v = upper is one single point."""
        return (False, False, False, False)

    @property
    def breaks(self) -> tuple[Floats, Floats]:
        """Parameters of u and of v, both ends included, where a tessellation must have a line."""
        u, v = self.domain
        return np.array([u.lower, u.upper]), np.array([v.lower, v.upper])

    @property
    def pieces(self) -> Floats:
        """The rectangles (m, 2, 2) between the breaks."""
        u, v = self.breaks
        lower = np.stack(np.meshgrid(u[:-1], v[:-1], indexing="ij"), axis=-1).reshape(-1, 2)
        upper = np.stack(np.meshgrid(u[1:], v[1:], indexing="ij"), axis=-1).reshape(-1, 2)
        return np.stack([lower, upper], axis=1)

    @abstractmethod
    def cell_bounds(self, face: Ints, lower: Floats, upper: Floats) -> Floats:
        """Return proven bounds (k,) on the distance from the surface to its two triangles, scene units.

        The cell [lower, upper] (k, 2) is cut along the diagonal from (lower u, upper v) to (upper u, lower
        v).  Every point of the surface over the cell is at most this far from one of the flat triangles.
        """


class Curve(ABC):
    """One or more edges with the same kind of formula.

    Every query takes the edges (k,) and their parameters t (k,).
    """

    @property
    def edge_count(self) -> int:
        """Number of edges."""
        return 1

    @property
    def domain(self) -> Interval:
        """Range of the parameter t, the same for every edge; 0 to 1 unless a kind says otherwise."""
        return Interval(0.0, 1.0)

    @abstractmethod
    def geometry(self, edge: Ints, t: Floats) -> EdgeGeometry:
        """Return point, unit tangent and curvature vector at t (k,) of edges (k,)."""

    @abstractmethod
    def move(self, edge: Ints, t: Floats, distance: Floats) -> Floats:
        """Return t (k,) moved along the edge by a signed arc length (k,), scene units; wraps or clamps."""

    @abstractmethod
    def conormals(self, edge: Ints, t: Floats) -> Floats:
        """Return the unit directions (k, 2, 3) across the edge into its two faces; NaN where there
        is none.
        """

    def chord_bounds(self, edge: Ints, lower: Floats, upper: Floats) -> Floats:
        """Return bounds (k,) on the distance from the arc over [lower, upper] to its chord, scene units.

        Zero for straight edges.
        """
        return np.zeros(len(lower))

    def transformed(self, affine: Floats) -> Curve:
        """Return this curve under an invertible affine map (4, 4), exactly."""
        return AffineCurve(self, np.asarray(affine, dtype=np.float64))


def _read_only(matrix: Floats) -> Floats:
    """Return a copy of a matrix that cannot be written to, since its owner may go on changing the
    original.
    """
    own = np.array(matrix, dtype=np.float64)
    own.flags.writeable = False
    return own


@dataclass(frozen=True, eq=False)
class AffineSurface(Surface):
    """A surface under the affine map `matrix` (4, 4)."""

    surface: Surface
    matrix: Floats

    def __post_init__(self) -> None:
        object.__setattr__(self, "matrix", _read_only(self.matrix))

    @property
    def face_count(self) -> int:
        """Number of faces of the inner surface."""
        return self.surface.face_count

    @property
    def flat(self) -> bool:
        """Whether the inner surface is flat: affine maps keep planes."""
        return self.surface.flat

    @property
    def domain(self) -> tuple[Interval, Interval]:
        """The inner surface's ranges of u and v."""
        return self.surface.domain

    @property
    def pieces(self) -> Floats:
        """The inner surface's rectangles of parameters (m, 2, 2)."""
        return self.surface.pieces

    @cached_property
    def _inverse(self) -> Floats:
        inverse: Floats = np.asarray(np.linalg.inv(self.matrix[:3, :3]), dtype=np.float64)
        return inverse

    @cached_property
    def _similarity(self) -> float | None:
        """The scale of the map where it keeps angles, and so closest points; else None."""
        metric = self.matrix[:3, :3].T @ self.matrix[:3, :3]
        square = np.trace(metric) / 3.0
        alike = np.all(np.abs(metric - square * np.eye(3)) <= _CONFORMAL * square)
        return float(np.sqrt(square)) if alike else None

    def derivatives(self, face: Ints, uv: Floats) -> Derivatives:
        """Return the mapped partial derivatives."""
        inner, linear = self.surface.derivatives(face, uv), self.matrix[:3, :3].T
        parts = (inner.du, inner.dv, inner.duu, inner.duv, inner.dvv)
        return Derivatives(inner.point @ linear + self.matrix[:3, 3], *(part @ linear for part in parts))

    def geometry(self, face: Ints, uv: Floats) -> FaceGeometry:
        """Return the mapped geometry, in an orthonormal frame whose first vector is along A e_1."""
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

    def points(self, face: Ints, uv: Floats) -> Floats:
        """Return the mapped points alone."""
        found: Floats = self.surface.points(face, uv) @ self.matrix[:3, :3].T + self.matrix[:3, 3]
        return found

    def move(self, face: Ints, uv: Floats, displacement: Floats) -> Floats:
        """Return moved parameters (k, 2): as exact as the inner surface's for similarities, else to first
        order.
        """
        if self._similarity is None:
            normal = self.geometry(face, uv).normal
            displacement = displacement - dot(displacement, normal)[:, None] * normal
        return self.surface.move(face, uv, displacement @ self._inverse.T)

    def transformed(self, affine: Floats) -> Surface:
        """Return the inner surface under both maps, as one."""
        return AffineSurface(self.surface, np.asarray(affine, dtype=np.float64) @ self.matrix)


def _orthonormal(basis: Floats) -> tuple[Floats, Floats]:
    """Return Gram-Schmidt on pairs (k, 2, 3): the frame, and the matrix (k, 2, 2) from the basis to it."""
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
        object.__setattr__(self, "matrix", _read_only(self.matrix))

    @property
    def edge_count(self) -> int:
        """Number of edges of the inner curve."""
        return self.curve.edge_count

    @property
    def domain(self) -> Interval:
        """The inner curve's range of t."""
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
        """Return t (k,) moved by arc lengths (k,), to first order."""
        tangent = self.curve.geometry(edge, t).tangent @ self.matrix[:3, :3].T
        return self.curve.move(edge, t, distance / length(tangent))

    def conormals(self, edge: Ints, t: Floats) -> Floats:
        """Return the mapped conormals (k, 2, 3), made perpendicular to the mapped edge."""
        linear = self.matrix[:3, :3].T
        inward = self.curve.conormals(edge, t) @ linear
        tangent = self.geometry(edge, t).tangent[:, None]
        across = inward - (inward * tangent).sum(axis=2, keepdims=True) * tangent
        unit: Floats = across / np.sqrt((across * across).sum(axis=2, keepdims=True))
        return unit

    def chord_bounds(self, edge: Ints, lower: Floats, upper: Floats) -> Floats:
        """Return the inner curve's bounds (k,) times the map's largest stretch."""
        stretch = float(np.linalg.norm(self.matrix[:3, :3], 2))
        return self.curve.chord_bounds(edge, lower, upper) * stretch

    def transformed(self, affine: Floats) -> Curve:
        """Return the inner curve under both maps, as one."""
        return AffineCurve(self.curve, np.asarray(affine, dtype=np.float64) @ self.matrix)
