"""Tubes of constant radius about a smooth path, closed or with hemispherical ends.

*Surface.*  S(u, v) = c(u) + r N(u, v), N = cos v e1 - sin v e2 (so that dS/du x dS/dv points outward).  The
frame comes from one reference direction a: e1 is the unit part of a across the tangent T, e2 = T x e1.  It is
smooth, exact, and closes up on a closed path; a is chosen well away from all tangents.  With k the path's
curvature vector, the principal directions are T and the circle, the curvatures

    along   k . N / (1 - r k . N),        around   -1/r.

Beyond the ends of an open path u runs on over half a sphere, at s = |c'| (u_end - u) / r from the end's
circle: S = c + r (cos s N - sin s T) at the start.  Tube and ends are one face; their tangent planes agree
where they meet.

*Moving* is projection: u is the parameter of the path's point closest to the displaced point (two Newton
steps), v its direction across the path there.

*Bounds* on the distance from a tube to its triangles, cell by cell: |S_uu| <= |c''| + r |N''| and |S_vv| = r.
With k = T', a the reference direction at angle beta to T, and the frame's twist w = e1' . e2 = -cot(beta) (k
. e2):

    N'' = -(2 w B.k + N.k') T - (N.k) k + w' B - w^2 N,        B = T x N,
    |w| <= |k| |cot beta|,    |w'| <= |k|^2 (1 + 2 cot^2 beta) + |N.k'| |cot beta|,
    |N.k'| <= |c'''|/|c'| + 2 |k| |T.c''| / |c'|.

Over a cell every factor is its value at the middle of one of `_PARTS` parts plus its largest change from
there, which |c'''| bounds.  Where that leaves no positive speed, the cell is too coarse for more than a bound
by its length.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from ...arrays import Bools, Floats, Ints
from ...vectors import cross, dot, length, unit
from ..base import Patch
from ..cell_bounds import bilinear_bounds, cell_corners
from ..curves.paths import Path, PathJet
from ..curves.piecewise import closest_point_step
from ..geometry import FULL_TURN, Derivatives, FaceGeometry, Interval

# Least divisor of Newton's step over |c'|^2: steps are at most five times those without curvature.
_CLOSEST_TO_FOCAL = 0.2
_PARTS = 8  # parts of a cell over which the factors of its bound are taken


@dataclass(frozen=True, eq=False)
class PathFrame:
    """The path's jet and its moving frame: tangent, e1, e2, each (k, 3), orthonormal."""

    jet: PathJet
    tangent: Floats
    first: Floats
    second: Floats


@dataclass(frozen=True, eq=False)
class Tube(Patch):
    """One face around `path`; radius in scene units; reference (3,): a unit vector that is nowhere along the
    path.
    """

    path: Path
    radius: float
    reference: Floats

    @cached_property
    def domain(self) -> tuple[Interval, Interval]:
        """The path's range, widened by the ends of an open one; and the angle around."""
        own = self.path.domain
        if own.periodic:
            return own, FULL_TURN
        return Interval(own.lower - self.end_ranges[0], own.upper + self.end_ranges[1]), FULL_TURN

    @cached_property
    def end_ranges(self) -> tuple[float, float]:
        """The ranges of u of the two half-spheres: a quarter circle at the path's speed."""
        own = self.path.domain
        first = self.path.jet(np.array([own.lower, own.upper])).first
        quarter = 0.5 * math.pi * self.radius / length(first)
        return float(quarter[0]), float(quarter[1])

    @property
    def collapsed(self) -> tuple[bool, bool, bool, bool]:
        """The tips of an open tube."""
        open_path = not self.path.domain.periodic
        return (open_path, open_path, False, False)

    @property
    def breaks(self) -> tuple[Floats, Floats]:
        """The path's own, and the tips of the ends; a full turn."""
        inner = self.path.breaks
        around = np.array([FULL_TURN.lower, FULL_TURN.upper])
        if self.path.domain.periodic:
            return inner, around
        lower, upper = self.domain[0].lower, self.domain[0].upper
        return np.concatenate([[lower], inner, [upper]]), around

    def frame_at(self, u: Floats) -> PathFrame:
        """Return the path's frame at u (k,), clamped to the path."""
        jet = self.path.jet(self.path.domain.contain(u))
        tangent = unit(jet.first)
        first = unit(self.reference - (tangent @ self.reference)[:, None] * tangent)
        return PathFrame(jet, tangent, first, cross(tangent, first))

    def end_angles(self, u: Floats) -> Floats:
        """Return the signed angles (k,) beyond the end circles, radians: negative before the start, 0 on the
        tube.
        """
        own = self.path.domain
        if own.periodic:
            return np.zeros(len(u))
        before, beyond = self.end_ranges
        past = np.minimum(u - own.lower, 0.0) / before + np.maximum(u - own.upper, 0.0) / beyond
        angles: Floats = 0.5 * math.pi * past
        return angles

    def geometry(self, face: Ints, uv: Floats) -> FaceGeometry:
        """Return points, principal frames (along, around), outward normals and the principal curvatures."""
        f = self.frame_at(uv[:, 0])
        cos, sin = np.cos(uv[:, 1])[:, None], np.sin(uv[:, 1])[:, None]
        normal = cos * f.first - sin * f.second
        frame = np.empty((len(uv), 2, 3))
        frame[:, 0], frame[:, 1] = f.tangent, -sin * f.first - cos * f.second
        curvature = np.zeros((len(uv), 2, 2))
        curvature[:, 1, 1] = -1.0 / self.radius
        bend = dot(f.jet.second, normal) / dot(f.jet.first, f.jet.first)
        curvature[:, 0, 0] = bend / (1.0 - self.radius * bend)
        if not self.path.domain.periodic:
            self._round_ends(self.end_angles(uv[:, 0]), normal, frame, curvature)
        return FaceGeometry(f.jet.point + self.radius * normal, frame, normal, curvature)

    def _round_ends(self, angle: Floats, normal: Floats, frame: Floats, curvature: Floats) -> None:
        """Turn normals and frames over the half-spheres (in place)."""
        on_end = angle != 0.0
        if not on_end.any():
            return
        cos, sin = np.cos(angle)[:, None], np.sin(angle)[:, None]
        tangent = frame[:, 0].copy()
        frame[:, 0] = cos * tangent - sin * normal
        normal[:] = cos * normal + sin * tangent
        curvature[on_end, 0, 0] = -1.0 / self.radius

    def derivatives(self, face: Ints, uv: Floats) -> Derivatives:
        """Return the exact partial derivatives to second order."""
        own = self.path.domain
        u = own.contain(uv[:, 0])
        jet = self.path.jet(u)
        t0, t1, t2 = _unit_jet(jet.first, jet.second, self.path.third(u))
        a = self.reference
        w0 = a - _times(t0 @ a, t0)
        w1 = -_times(t1 @ a, t0) - _times(t0 @ a, t1)
        w2 = -_times(t2 @ a, t0) - _times(2.0 * (t1 @ a), t1) - _times(t0 @ a, t2)
        p0, p1, p2 = _unit_jet(w0, w1, w2)
        q0 = cross(t0, p0)
        q1 = cross(t1, p0) + cross(t0, p1)
        q2 = cross(t2, p0) + 2.0 * cross(t1, p1) + cross(t0, p2)
        cos, sin = np.cos(uv[:, 1])[:, None], np.sin(uv[:, 1])[:, None]
        r = self.radius
        n0, n1, n2 = (cos * p - sin * q for p, q in ((p0, q0), (p1, q1), (p2, q2)))
        around0, around1 = -sin * p0 - cos * q0, -sin * p1 - cos * q1
        inner = Derivatives(
            jet.point + r * n0, jet.first + r * n1, r * around0, jet.second + r * n2, r * around1, -r * n0
        )
        angle = self.end_angles(uv[:, 0])
        on_end = angle != 0.0
        return self._end_derivatives(on_end, angle, jet, t0, n0, around0, inner) if on_end.any() else inner

    def _end_derivatives(
        self,
        on_end: Bools,
        angle: Floats,
        jet: PathJet,
        tangent: Floats,
        normal: Floats,
        around: Floats,
        inner: Derivatives,
    ) -> Derivatives:
        """Return the derivatives with the rows on the half-spheres replaced: S = c + r (cos s N + sin s T),
        ds/du = |c'| / r.
        """
        r = self.radius
        speed = length(jet.first)[:, None]
        cos, sin = np.cos(angle)[:, None], np.sin(angle)[:, None]
        out = cos * normal + sin * tangent
        ends = Derivatives(
            jet.point + r * out,
            speed * (cos * tangent - sin * normal),
            r * cos * around,
            -(speed**2 / r) * out,
            -speed * sin * around,
            -r * cos * normal,
        )
        chosen = on_end[:, None]
        names = ("point", "du", "dv", "duu", "duv", "dvv")
        return Derivatives(*(np.where(chosen, getattr(ends, n), getattr(inner, n)) for n in names))

    def move(self, face: Ints, uv: Floats, displacement: Floats) -> Floats:
        """Return the parameters (k, 2) of the points locally closest to the displaced points."""
        start = self.frame_at(uv[:, 0])
        target = self._point(start, uv) + displacement
        u = self._toward(start.jet, self.path.domain.contain(uv[:, 0]), target)
        u = self._toward(self.path.jet(u), u, target)
        f = self.frame_at(u)
        across = target - f.jet.point
        out = dot(across, f.tangent)
        x, y = dot(across, f.first), dot(across, f.second)
        moved = np.empty_like(uv)
        moved[:, 0] = self._past_ends(u, out, np.hypot(x, y), length(f.jet.first))
        moved[:, 1] = FULL_TURN.contain(np.arctan2(-y, x))
        still = (displacement == 0.0).all(axis=1)
        if still.any():
            moved[still] = uv[still]
        return moved

    def _point(self, f: PathFrame, uv: Floats) -> Floats:
        """Return the surface points (k, 3) at a known frame."""
        out = np.cos(uv[:, 1:]) * f.first - np.sin(uv[:, 1:]) * f.second
        if not self.path.domain.periodic:
            angle = self.end_angles(uv[:, 0])[:, None]
            out = np.cos(angle) * out + np.sin(angle) * f.tangent
        point: Floats = f.jet.point + self.radius * out
        return point

    def _toward(self, jet: PathJet, u: Floats, target: Floats) -> Floats:
        """Return u (k,) after one Newton step towards the path's point closest to the target (k, 3)."""
        across = target - jet.point
        square, along = dot(jet.first, jet.first), dot(across, jet.first)
        bend = dot(across, jet.second)
        return self.path.domain.contain(u + closest_point_step(square, along, bend, _CLOSEST_TO_FOCAL))

    def _past_ends(self, u: Floats, out: Floats, across: Floats, speed: Floats) -> Floats:
        """Return u run on over the half-spheres, where the closest point is an end of the path and the target
        lies beyond it.
        """
        own = self.path.domain
        if own.periodic:
            return u
        beyond = ((u == own.lower) & (out < 0.0)) | ((u == own.upper) & (out > 0.0))
        return np.where(beyond, u + np.arctan2(out, across) * self.radius / speed, u)

    def cell_bounds(self, face: Ints, lower: Floats, upper: Floats) -> Floats:
        """Return the bounds of `tube_bounds`."""
        return tube_bounds(self, lower, upper)


def _unit_jet(w0: Floats, w1: Floats, w2: Floats) -> tuple[Floats, Floats, Floats]:
    """Return vectors (k, 3) divided by their lengths, with two derivatives."""
    size = length(w0)[:, None]
    f0 = w0 / size
    l1 = dot(f0, w1)[:, None]
    f1 = (w1 - l1 * f0) / size
    l2 = (dot(f1, w1) + dot(f0, w2))[:, None]
    return f0, f1, (w2 - l2 * f0 - 2.0 * l1 * f1) / size


def _times(scale: Floats, vectors: Floats) -> Floats:
    return scale[:, None] * vectors


def tube_bounds(tube: Tube, lower: Floats, upper: Floats) -> Floats:
    """Return bounds (k,) on the distance of a tube to its triangles over cells [lower, upper] (k, 2).

    Each cell is on the tube or on one end.
    """
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
    """Return du^2 max|S_uu| (k,), infinite where it cannot be bounded, and the most of the path's length
    (k,).
    """
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
    """Return the most of |c''| + r |N''| and of |c'| over the parts [start, start + 2 h], each (k,)."""
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
