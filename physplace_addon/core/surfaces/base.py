"""What every exact surface and curve can say about itself.

A body's boundary is a complex of faces (two parameters), edges (one) and vertices (none).  The contact code
asks a face only for *geometric* facts: the point, an orthonormal tangent frame, the outward unit normal and
the second fundamental form in that frame, and it moves on the face by 3D displacements.  Raw partial
derivatives never leave this package, so a pole of the parameters is nothing special to a caller.

Signs: `curvature[a, b] = normal . d2S / ds_a ds_b` with the outward normal, so a sphere of radius r has
-1/r times the identity.  Lengths are in scene units, angles in radians, directions have unit length.
k is the number of queries in a batch.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass

import numpy as np

from ..arrays import Bools, Floats, Ints


@dataclass(frozen=True)
class Interval:
    """The range of one parameter."""

    lower: float
    upper: float
    periodic: bool = False

    @property
    def length(self) -> float:
        """Upper minus lower: the period where the parameter is periodic."""
        return self.upper - self.lower

    def contain(self, parameter: Floats) -> Floats:
        """Wrap (periodic) or clamp (bounded) parameters (k,) into the range."""
        if not self.periodic:
            clamped: Floats = np.minimum(np.maximum(parameter, self.lower), self.upper)
            return clamped
        inside = (parameter >= self.lower) & (parameter < self.upper)
        if inside.all():
            return parameter
        wrapped = self.lower + np.mod(parameter - self.lower, self.length)
        within: Floats = np.where(wrapped < self.upper, wrapped, self.lower)
        return np.where(inside, parameter, within)


@dataclass(frozen=True)
class Derivatives:
    """Exact point and partial derivatives to second order, each (k, 3)."""

    point: Floats
    du: Floats
    dv: Floats
    duu: Floats
    duv: Floats
    dvv: Floats


@dataclass(frozen=True)
class FaceGeometry:
    """Point (k, 3), tangent frame (k, 2, 3) orthonormal, normal (k, 3) outward, curvature (k, 2, 2)."""

    point: Floats
    frame: Floats
    normal: Floats
    curvature: Floats


@dataclass(frozen=True)
class Hulls:
    """Bounds on parts of faces, each over a unit square of its own parameters.

    control (k, 4, 4, 3): control points of a bicubic polynomial with the part's point and tangents in the
    middle.  Its second derivatives differ from the part's by sums of four vectors `twists` (k, 4, 3), each
    times no more than `bends` (k, 3, 4): by u, by both and by v.
    """

    control: Floats
    twists: Floats
    bends: Floats


@dataclass(frozen=True)
class Slack:
    """How much parts of faces, and their derivatives, may differ from what the control points of their hulls
    say: second (k, 3) of those by u, by both and by v; lengths, along a direction or in all.
    """

    second: Floats

    @classmethod
    def of(cls, hulls: Hulls, direction: Floats | None = None) -> Slack:
        """Return the slack along unit vectors (k, 3), or of lengths."""
        twists = hulls.twists
        if direction is None:
            share = np.sqrt((twists * twists).sum(axis=2))
        else:
            share = np.abs(twists @ direction[:, :, None])[..., 0]
        return cls((hulls.bends @ share[:, :, None])[..., 0])

    @property
    def point(self) -> Floats:
        """How far (k,) the points may be aside, by Taylor's theorem."""
        aside: Floats = self.second @ [0.125, 0.25, 0.125]
        return aside

    @property
    def first(self) -> Floats:
        """How much (k, 2) the derivatives by u and by v may differ."""
        first: Floats = 0.5 * (self.second[:, :2] + self.second[:, 1:])
        return first


@dataclass(frozen=True)
class EdgeGeometry:
    """Point (k, 3), unit tangent (k, 3), curvature vector d2S/ds2 by arc length (k, 3)."""

    point: Floats
    tangent: Floats
    curvature: Floats


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

    @property
    def has_hulls(self) -> bool:
        """Whether `hulls` bounds its faces: those that may have finer waves than their tessellation."""
        return False

    def hulls(self, face: Ints, lower: Floats, upper: Floats) -> Hulls:
        """Return what bounds the faces (k,) over rectangles [lower, upper] (k, 2) of a single patch each."""
        raise NotImplementedError(f"{type(self).__name__} has no hulls")

    def may_wave(self, face: Ints, lower: Floats, upper: Floats) -> Bools:
        """Tell which parts (k,) of faces, as of `hulls`, may have waves that their corners do not show: all
        that have hulls, unless a kind knows better.
        """
        return np.full(len(face), self.has_hulls)

    @abstractmethod
    def derivatives(self, face: Ints, uv: Floats) -> Derivatives:
        """Return the exact partial derivatives to second order."""

    @abstractmethod
    def geometry(self, face: Ints, uv: Floats) -> FaceGeometry:
        """Return point, frame, outward normal and curvature; well defined at poles."""

    @abstractmethod
    def move(self, face: Ints, uv: Floats, displacement: Floats) -> Floats:
        """Return the parameters (k, 2) of the surface point nearest to the displaced point.

        Exact to first order in `displacement` (k, 3) at least; a zero displacement returns `uv` itself.
        Periodic parameters wrap, bounded ones clamp, poles are crossed.
        """

    def transformed(self, affine: Floats) -> Surface:
        """Return this surface under an invertible affine map (4, 4), exactly."""
        from .affine import AffineSurface

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
        """The rectangles between the breaks."""
        u, v = self.breaks
        lower = np.stack(np.meshgrid(u[:-1], v[:-1], indexing="ij"), axis=-1).reshape(-1, 2)
        upper = np.stack(np.meshgrid(u[1:], v[1:], indexing="ij"), axis=-1).reshape(-1, 2)
        return np.stack([lower, upper], axis=1)

    @abstractmethod
    def cell_bounds(self, face: Ints, lower: Floats, upper: Floats) -> Floats:
        """Return proven bounds (k,) on the distance from the surface to its two triangles.

        The cell [lower, upper] (k, 2) is cut along the diagonal from (lower u, upper v) to (upper u, lower
        v); every point of the surface over the cell is at most this far from one of the flat triangles.
        """


class Curve(ABC):
    """One or more edges with the same kind of formula."""

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
        """Return point, unit tangent and curvature vector."""

    @abstractmethod
    def move(self, edge: Ints, t: Floats, distance: Floats) -> Floats:
        """Return t (k,) moved along the edge by a signed arc length (k,); wraps or clamps."""

    @abstractmethod
    def conormals(self, edge: Ints, t: Floats) -> Floats:
        """Return (k, 2, 3): unit, across the edge, into each adjacent face; NaN where there is none."""

    def chord_bounds(self, edge: Ints, lower: Floats, upper: Floats) -> Floats:
        """Bound the distance (k,) from the arc over [lower, upper] to its chord; 0 for straight edges."""
        return np.zeros(len(lower))

    def transformed(self, affine: Floats) -> Curve:
        """Return this curve under an invertible affine map (4, 4), exactly."""
        from .affine import AffineCurve

        return AffineCurve(self, np.asarray(affine, dtype=np.float64))
