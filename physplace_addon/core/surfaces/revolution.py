"""Surfaces of revolution about the z axis, in closed form.

S(u, v) = (r cos u, r sin u, z) with (r, z)(v) a smooth profile.  The principal directions are the azimuth
and the profile's tangent t = (r', z')/|p'|; the outward normal is n = (z', -r')/|p'| in the half-plane; the
curvatures are

    along the profile   n . p'' / |p'|^2,        around   -n_r / r.

At a pole (r = 0 with a horizontal tangent) the second tends to the first, which stands for it there.
Moving is exact: the point of a surface of revolution nearest to q has the azimuth of q, and its profile
parameter is the foot of (hypot(q_x, q_y), q_z) on the profile.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from ..arrays import Floats, Ints
from ..vectors import columns
from .base import Derivatives, FaceGeometry, Interval, Patch
from .profiles import LineProfile, Profile, ProfilePoint

FULL_TURN = Interval(0.0, 2.0 * math.pi, periodic=True)
_ON_AXIS = 1e-9


@dataclass(frozen=True, eq=False)
class Revolution(Patch):
    """One face: a smooth profile turned about the z axis; u is the azimuth, v the profile's parameter."""

    profile: Profile

    @cached_property
    def _axis(self) -> float:
        """The radius below which a point counts as on the axis."""
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
            columns(p.r * c, p.r * s, p.z),
            columns(-p.r * s, p.r * c, zero),
            columns(p.r1 * c, p.r1 * s, p.z1),
            columns(-p.r * c, -p.r * s, zero),
            columns(-p.r1 * s, p.r1 * c, zero),
            columns(p.r2 * c, p.r2 * s, p.z2),
        )

    def geometry(self, face: Ints, uv: Floats) -> FaceGeometry:
        """Return point, principal frame (azimuth, profile), outward normal and the principal curvatures."""
        p = self.profile.evaluate(uv[:, 1])
        c, s = np.cos(uv[:, 0]), np.sin(uv[:, 0])
        inverse = 1.0 / np.sqrt(p.r1 * p.r1 + p.z1 * p.z1)
        tr, tz = p.r1 * inverse, p.z1 * inverse
        frame = np.zeros((len(c), 2, 3))
        frame[:, 0, 0], frame[:, 0, 1] = -s, c
        frame[:, 1, 0], frame[:, 1, 1], frame[:, 1, 2] = tr * c, tr * s, tz
        curvature = np.zeros((len(c), 2, 2))
        curvature[:, 0, 0], curvature[:, 1, 1] = self._principal(p, tr, tz, inverse)
        return FaceGeometry(columns(p.r * c, p.r * s, p.z), frame, columns(tz * c, tz * s, -tr), curvature)

    def _principal(self, p: ProfilePoint, tr: Floats, tz: Floats, inverse: Floats) -> tuple[Floats, Floats]:
        """Return the curvatures around the axis and along the profile."""
        along = (tz * p.r2 - tr * p.z2) * inverse * inverse
        off_axis = p.r > self._axis
        if off_axis.all():
            return -tz / p.r, along
        return np.where(off_axis, -tz / np.where(off_axis, p.r, 1.0), along), along

    def move(self, face: Ints, uv: Floats, displacement: Floats) -> Floats:
        """Return the parameters of the local nearest point to the displaced point."""
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
        """Return the profile's distance to its chord plus the sagitta of the widest circle.

        Over a cell the chord sweeps a cone whose four corners lie in one plane, in the trapezium of the two
        triangles; each of its circles is farther from the trapezium by its sagitta at most.
        """
        low, high = self.profile.evaluate(lower[:, 1]).r, self.profile.evaluate(upper[:, 1]).r
        sagitta = np.maximum(low, high) * (1.0 - np.cos(0.5 * (upper[:, 0] - lower[:, 0])))
        bounds: Floats = self.profile.chord_bounds(lower[:, 1], upper[:, 1]) + sagitta
        return bounds
