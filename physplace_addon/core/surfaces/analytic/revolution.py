"""Surfaces of revolution about the z axis, in closed form, and the bodies they bound.

*Faces.*  S(u, v) = (r cos u, r sin u, z) with (r, z)(v) a smooth profile.  The principal directions are the
azimuth and the profile's tangent t = (r', z')/|p'|; the outward normal is n = (z', -r')/|p'| in the
half-plane; the curvatures are

    along the profile   n . p'' / |p'|^2,        around   -n_r / r.

At a pole (r = 0 with a horizontal tangent) the second tends to the first, which stands for it there.  Moving
is exact: the point of a surface of revolution closest to q has the azimuth of q, and its profile parameter is
that of the point of the profile closest to (hypot(q_x, q_y), q_z).

*Boundary.*  The profile is a chain of smooth runs.  Each run sweeps one face; a corner between runs, or a
free end, sweeps a rim edge, a circle.  An end on the axis that is not horizontal is an apex, any other end on
the axis a smooth pole.  The chain encloses a solid if it is a ring or has both ends on the axis; the solid
then lies on its left.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from ...arrays import Floats, Ints
from ...vectors import from_coordinates
from ..base import Curve, Patch
from ..complex import CONE_SAMPLES, GridComplex
from ..curves.profiles import LineProfile, Profile, ProfilePoint
from ..geometry import FULL_TURN, Derivatives, EdgeGeometry, FaceGeometry, Interval
from ..quadrature import revolution_mass
from ..tessellation import EdgeSide, VertexCorner

# Largest r, over the profile's extent, of a point on the axis: below it the curvature -n_r / r has no digits.
_ON_AXIS = 1e-9
# Largest axial part of the unit tangent at an end on the axis that counts as a smooth pole.
_HORIZONTAL = 1e-9
_NONE = -1  # stands for no run


@dataclass(frozen=True, eq=False)
class CircularEdges(Curve):
    """Horizontal circles of radius (e,) and height (e,), scene units; t is the azimuth, radians.

    inward (e, 2, 2): in the half-plane (r, z), the unit directions from the rim into the face before and the
    face after the corner; NaN where there is none.
    """

    radius: Floats
    height: Floats
    inward: Floats

    @property
    def edge_count(self) -> int:
        """Number of rims."""
        return len(self.radius)

    @property
    def domain(self) -> Interval:
        """A full turn."""
        return FULL_TURN

    def geometry(self, edge: Ints, t: Floats) -> EdgeGeometry:
        """Return points, unit tangents and curvature vectors, of length 1/radius towards the axis."""
        c, s, r = np.cos(t), np.sin(t), self.radius[edge]
        point, tangent, curvature = np.empty((len(t), 3)), np.zeros((len(t), 3)), np.zeros((len(t), 3))
        point[:, 0], point[:, 1], point[:, 2] = r * c, r * s, self.height[edge]
        tangent[:, 0], tangent[:, 1] = -s, c
        curvature[:, 0], curvature[:, 1] = -c / r, -s / r
        return EdgeGeometry(point, tangent, curvature)

    def move(self, edge: Ints, t: Floats, distance: Floats) -> Floats:
        """Return t (k,) moved by arc lengths (k,)."""
        return self.domain.contain(t + distance / self.radius[edge])

    def conormals(self, edge: Ints, t: Floats) -> Floats:
        """Return the conormals (k, 2, 3): into the face before and the face after the corner."""
        inward = self.inward[edge]
        out = np.empty((len(t), 2, 3))
        out[:, :, 0] = inward[:, :, 0] * np.cos(t)[:, None]
        out[:, :, 1] = inward[:, :, 0] * np.sin(t)[:, None]
        out[:, :, 2] = inward[:, :, 1]
        return out

    def chord_bounds(self, edge: Ints, lower: Floats, upper: Floats) -> Floats:
        """Return the sagitta (k,) of each arc."""
        sagitta: Floats = self.radius[edge] * (1.0 - np.cos(0.5 * (upper - lower)))
        return sagitta


@dataclass(frozen=True, eq=False)
class Revolution(Patch):
    """One face: a smooth profile turned about the z axis; u is the azimuth, radians, v the profile's
    parameter.
    """

    profile: Profile

    @cached_property
    def _axis(self) -> float:
        """The radius below which a point counts as on the axis, scene units."""
        samples = np.linspace(self.profile.domain.lower, self.profile.domain.upper, 33)
        p = self.profile.evaluate(samples)
        return _ON_AXIS * float(np.max(np.abs(p.r)) + np.ptp(p.z))

    @property
    def flat(self) -> bool:
        """Whether the face is a horizontal disk or ring."""
        return isinstance(self.profile, LineProfile) and self.profile.start[1] == self.profile.stop[1]

    @property
    def domain(self) -> tuple[Interval, Interval]:
        """A full turn, and the profile's range."""
        return FULL_TURN, self.profile.domain

    @cached_property
    def collapsed(self) -> tuple[bool, bool, bool, bool]:
        """Whether the profile starts, and ends, on the axis (an apex counts as well)."""
        domain = self.profile.domain
        ends = self.profile.evaluate(np.array([domain.lower, domain.upper])).r <= self._axis
        return (False, False, bool(ends[0]) and not domain.periodic, bool(ends[1]) and not domain.periodic)

    @property
    def breaks(self) -> tuple[Floats, Floats]:
        """The seam, and the profile's joints."""
        return np.array([FULL_TURN.lower, FULL_TURN.upper]), self.profile.breaks

    def derivatives(self, face: Ints, uv: Floats) -> Derivatives:
        """Return the exact partial derivatives to second order."""
        p = self.profile.evaluate(uv[:, 1])
        c, s = np.cos(uv[:, 0]), np.sin(uv[:, 0])
        zero = np.zeros_like(c)
        return Derivatives(
            from_coordinates(p.r * c, p.r * s, p.z),
            from_coordinates(-p.r * s, p.r * c, zero),
            from_coordinates(p.r1 * c, p.r1 * s, p.z1),
            from_coordinates(-p.r * c, -p.r * s, zero),
            from_coordinates(-p.r1 * s, p.r1 * c, zero),
            from_coordinates(p.r2 * c, p.r2 * s, p.z2),
        )

    def geometry(self, face: Ints, uv: Floats) -> FaceGeometry:
        """Return points, principal frames (azimuth, profile), outward normals and the principal
        curvatures.
        """
        p = self.profile.evaluate(uv[:, 1])
        c, s = np.cos(uv[:, 0]), np.sin(uv[:, 0])
        inverse = 1.0 / np.sqrt(p.r1 * p.r1 + p.z1 * p.z1)
        tr, tz = p.r1 * inverse, p.z1 * inverse
        frame = np.zeros((len(c), 2, 3))
        frame[:, 0, 0], frame[:, 0, 1] = -s, c
        frame[:, 1, 0], frame[:, 1, 1], frame[:, 1, 2] = tr * c, tr * s, tz
        curvature = np.zeros((len(c), 2, 2))
        curvature[:, 0, 0], curvature[:, 1, 1] = self._principal(p, tr, tz, inverse)
        points, normals = from_coordinates(p.r * c, p.r * s, p.z), from_coordinates(tz * c, tz * s, -tr)
        return FaceGeometry(points, frame, normals, curvature)

    def _principal(self, p: ProfilePoint, tr: Floats, tz: Floats, inverse: Floats) -> tuple[Floats, Floats]:
        """Return the curvatures (k,) around the axis and along the profile."""
        along = (tz * p.r2 - tr * p.z2) * inverse * inverse
        off_axis = p.r > self._axis
        if off_axis.all():
            return -tz / p.r, along
        return np.where(off_axis, -tz / np.where(off_axis, p.r, 1.0), along), along

    def move(self, face: Ints, uv: Floats, displacement: Floats) -> Floats:
        """Return the parameters (k, 2) of the points locally closest to the displaced points."""
        u, v = uv[:, 0], uv[:, 1]
        dx, dy, dz = displacement[:, 0], displacement[:, 1], displacement[:, 2]
        c, s = np.cos(u), np.sin(u)
        p = self.profile.evaluate(v)
        outward, sideways = p.r + (dx * c + dy * s), dy * c - dx * s
        moved = np.empty_like(uv)
        moved[:, 0] = FULL_TURN.contain(u + np.arctan2(sideways, outward))
        moved[:, 1] = self.profile.nearest(v, p, np.hypot(outward, sideways) - p.r, dz)
        return moved

    def cell_bounds(self, face: Ints, lower: Floats, upper: Floats) -> Floats:
        """Return the profile's distance to its chord plus the sagitta of the widest circle, (k,).

        Over a cell the chord sweeps a cone whose four corners lie in one plane, in the trapezium of the two
        triangles; each of its circles is farther from the trapezium by its sagitta at most.
        """
        low, high = self.profile.evaluate(lower[:, 1]).r, self.profile.evaluate(upper[:, 1]).r
        sagitta = np.maximum(low, high) * (1.0 - np.cos(0.5 * (upper[:, 0] - lower[:, 0])))
        bounds: Floats = self.profile.chord_bounds(lower[:, 1], upper[:, 1]) + sagitta
        return bounds


@dataclass(frozen=True)
class _Corner:
    """A rim: the run that ends there and the run that starts there, `_NONE` where there is none."""

    before: int
    after: int


def revolve(kind: str, runs: Sequence[Profile], ring: bool = False) -> GridComplex:
    """Return the boundary of smooth runs that follow one another end to end, the solid on their left.

    Args:
        kind: the name of the body's kind.
        runs: the profile, from its start on.
        ring: whether the last run ends where the first starts; a single periodic run has no corner at all.
    """
    faces = tuple(Revolution(run) for run in runs)
    closed = ring or (faces[0].collapsed[2] and faces[-1].collapsed[3])
    corners = _corners(faces, ring)
    apexes = [_apex(runs, face, upper) for face, upper in _tips(faces, runs)]
    size = _half_diagonal(runs)
    return GridComplex(
        kind,
        faces,
        (_rims(runs, corners),) if corners else (),
        tuple(_edge_side(corner) for corner in corners),
        np.array([point for point, _ in apexes]).reshape(-1, 3),
        tuple(cone for _, cone in apexes),
        tuple(VertexCorner(face, False, upper) for face, upper in _tips(faces, runs)),
        closed,
        revolution_mass(runs, closed),
        size,
    )


def _corners(faces: Sequence[Revolution], ring: bool) -> list[_Corner]:
    last = len(faces) - 1
    inner = [_Corner(i, i + 1) for i in range(last)]
    if ring:
        return inner if faces[0].profile.domain.periodic else [*inner, _Corner(last, 0)]
    first = [] if faces[0].collapsed[2] else [_Corner(_NONE, 0)]
    return [*first, *inner, *([] if faces[last].collapsed[3] else [_Corner(last, _NONE)])]


def _edge_side(corner: _Corner) -> EdgeSide:
    return EdgeSide(corner.after, 2) if corner.before == _NONE else EdgeSide(corner.before, 3)


def _rims(runs: Sequence[Profile], corners: Sequence[_Corner]) -> CircularEdges:
    inward = np.full((len(corners), 2, 2), np.nan)
    places = np.empty((len(corners), 2))
    for i, corner in enumerate(corners):
        if corner.before != _NONE:
            places[i], tangent = runs[corner.before].end(upper=True)
            inward[i, 0] = -tangent
        if corner.after != _NONE:
            places[i], inward[i, 1] = runs[corner.after].end(upper=False)
    return CircularEdges(places[:, 0], places[:, 1], inward)


def _tips(faces: Sequence[Revolution], runs: Sequence[Profile]) -> list[tuple[int, bool]]:
    """Return the faces, and which end of their v, that meet the axis in an apex."""
    ends = [(0, False), (len(faces) - 1, True)]
    on_axis = [(face, upper) for face, upper in ends if faces[face].collapsed[3 if upper else 2]]
    return [(face, upper) for face, upper in on_axis if abs(runs[face].end(upper)[1][1]) > _HORIZONTAL]


def _apex(runs: Sequence[Profile], face: int, upper: bool) -> tuple[Floats, Floats]:
    """Return the apex (3,) and the directions (32, 3) down its cone."""
    at, tangent = runs[face].end(upper)
    radial, axial = -tangent if upper else tangent
    u = 2.0 * math.pi * np.arange(CONE_SAMPLES) / CONE_SAMPLES
    cone = np.column_stack([radial * np.cos(u), radial * np.sin(u), np.full(CONE_SAMPLES, axial)])
    return np.array([0.0, 0.0, at[1]]), cone


def _half_diagonal(runs: Sequence[Profile]) -> float:
    samples = [run.evaluate(np.linspace(run.domain.lower, run.domain.upper, 65)) for run in runs]
    radius = max(float(p.r.max()) for p in samples)
    z = np.concatenate([p.z for p in samples])
    return math.hypot(math.sqrt(2.0) * radius, 0.5 * float(np.ptp(z)))
