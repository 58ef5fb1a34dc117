"""Star-shaped convex surfaces in polar form: S(u, v) = A d / g(d), one point for every direction d(u, v).

g is a gauge, positive and homogeneous of degree 1, A = diag(axes): the surface is {g(A^-1 x) = 1}.  u is the
azimuth and v the latitude of d.  With G(x) = g(A^-1 x) the outward normal is grad G / |grad G| and the second
fundamental form -t' H t / |grad G|, H the Hessian of G; neither has a pole.  In the scaled coordinates x = d
/ g(d) the gradient is that at d, the Hessian g(d) times that at d.

A displacement is made tangential and the displaced point projected back along its ray: exact to first order.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from dataclasses import dataclass

import numpy as np

from ...arrays import Floats, Ints
from ...vectors import dot, from_coordinates
from ..base import Patch
from ..cell_bounds import cell_corners, tangent_plane_bounds
from ..geometry import FULL_TURN, Derivatives, FaceGeometry, Interval

LATITUDE = Interval(-0.5 * math.pi, 0.5 * math.pi)  # the range of v, radians
# A sine or cosine below this is the rounding of 0: coordinate planes and axes are met exactly.
_ROUNDING = 1e-15


@dataclass(frozen=True, eq=False)
class SphericalDirections:
    """Unit directions d by the cosines and sines of their angles, each (k,); cos_v >= 0.

    0 and 1 are exact on the coordinate axes.
    """

    cos_u: Floats
    sin_u: Floats
    cos_v: Floats
    sin_v: Floats

    @classmethod
    def at(cls, uv: Floats) -> SphericalDirections:
        """Return the directions at parameters (u, v) (k, 2)."""
        cos, sin = np.cos(uv), np.sin(uv)
        cos[np.abs(cos) < _ROUNDING] = 0.0
        sin[np.abs(sin) < _ROUNDING] = 0.0
        return cls(cos[:, 0], sin[:, 0], cos[:, 1], sin[:, 1])

    @property
    def vector(self) -> Floats:
        """The directions (k, 3)."""
        return from_coordinates(self.cos_v * self.cos_u, self.cos_v * self.sin_u, self.sin_v)


@dataclass(frozen=True, eq=False)
class GaugeJet:
    """g (k,), its gradient (k, 3) and Hessian (k, 3, 3), at unit directions."""

    value: Floats
    gradient: Floats
    hessian: Floats


class Gauge(ABC):
    """A positive function of degree 1 whose unit level is the surface, and which is convex."""

    @abstractmethod
    def value(self, at: SphericalDirections) -> Floats:
        """Return g (k,) at unit directions."""

    @abstractmethod
    def jet(self, at: SphericalDirections) -> GaugeJet:
        """Return g with its gradient and Hessian at unit directions."""


@dataclass(frozen=True, eq=False)
class Star(Patch):
    """One closed face around the origin, from a gauge and the half-axes (3,) that scale it, scene units."""

    gauge: Gauge
    axes: Floats

    @property
    def domain(self) -> tuple[Interval, Interval]:
        """Azimuth and latitude."""
        return FULL_TURN, LATITUDE

    @property
    def collapsed(self) -> tuple[bool, bool, bool, bool]:
        """Both ends of the latitude are poles."""
        return (False, False, True, True)

    @property
    def breaks(self) -> tuple[Floats, Floats]:
        """The coordinate planes, where superquadrics have their ridges."""
        quarter = 0.5 * math.pi
        return quarter * np.array([0.0, 1.0, 2.0, 3.0, 4.0]), quarter * np.array([-1.0, 0.0, 1.0])

    def derivatives(self, face: Ints, uv: Floats) -> Derivatives:
        """Return the exact partial derivatives to second order, from those of d and of 1/g(d)."""
        at = SphericalDirections.at(uv)
        jet = self.gauge.jet(at)
        cu, su, cv, sv, zero = at.cos_u, at.sin_u, at.cos_v, at.sin_v, np.zeros(len(uv))
        du, dv = from_coordinates(-cv * su, cv * cu, zero), from_coordinates(-sv * cu, -sv * su, cv)
        duu, duv = from_coordinates(-cv * cu, -cv * su, zero), from_coordinates(sv * su, -sv * cu, zero)
        d = at.vector
        rho = 1.0 / jet.value
        g_u, g_v = dot(jet.gradient, du), dot(jet.gradient, dv)
        second = ((du, du, duu), (du, dv, duv), (dv, dv, -d))
        g_uu, g_uv, g_vv = (_second_along(jet, a, b, ab) for a, b, ab in second)
        r_u, r_v = -g_u * rho**2, -g_v * rho**2
        r_uu = (2.0 * g_u * g_u * rho - g_uu) * rho**2
        r_uv = (2.0 * g_u * g_v * rho - g_uv) * rho**2
        r_vv = (2.0 * g_v * g_v * rho - g_vv) * rho**2
        parts = (
            _times(rho, d),
            _times(r_u, d) + _times(rho, du),
            _times(r_v, d) + _times(rho, dv),
            _times(r_uu, d) + _times(2.0 * r_u, du) + _times(rho, duu),
            _times(r_uv, d) + _times(r_u, dv) + _times(r_v, du) + _times(rho, duv),
            _times(r_vv - rho, d) + _times(2.0 * r_v, dv),
        )
        return Derivatives(*(part * self.axes for part in parts))

    def geometry(self, face: Ints, uv: Floats) -> FaceGeometry:
        """Return points, frames, outward normals and curvature, from the gauge's gradient and Hessian."""
        at = SphericalDirections.at(uv)
        jet = self.gauge.jet(at)
        point = at.vector * (self.axes / jet.value[:, None])
        gradient = jet.gradient / self.axes
        steepness = np.sqrt(dot(gradient, gradient))
        normal = gradient / steepness[:, None]
        frame = tangent_frame(normal)
        scaled = frame / self.axes
        curvature = scaled @ jet.hessian @ scaled.transpose(0, 2, 1)
        curvature *= (-jet.value / steepness)[:, None, None]
        return FaceGeometry(point, frame, normal, curvature)

    def move(self, face: Ints, uv: Floats, displacement: Floats) -> Floats:
        """Return the parameters (k, 2) of the rays through points displaced along their tangent planes."""
        at = SphericalDirections.at(uv)
        jet = self.gauge.jet(at)
        gradient = jet.gradient / self.axes
        normal_part = dot(displacement, gradient) / dot(gradient, gradient)
        step = (displacement - normal_part[:, None] * gradient) * (jet.value[:, None] / self.axes)
        out = at.cos_v + step[:, 0] * at.cos_u + step[:, 1] * at.sin_u
        side = step[:, 1] * at.cos_u - step[:, 0] * at.sin_u
        rise, run = step[:, 2], np.hypot(out, side) - at.cos_v
        moved = np.empty_like(uv)
        moved[:, 0] = FULL_TURN.contain(uv[:, 0] + np.arctan2(side, out))
        turn = np.arctan2(rise * at.cos_v - run * at.sin_v, 1.0 + run * at.cos_v + rise * at.sin_v)
        moved[:, 1] = LATITUDE.contain(uv[:, 1] + turn)
        return moved

    def cell_bounds(self, face: Ints, lower: Floats, upper: Floats) -> Floats:
        """Return bounds (k,) from the tangent planes at the corners of the cells, since the body is
        convex.
        """
        corners = cell_corners(lower, upper)
        flat = corners.reshape(-1, 2)
        geometry = self.geometry(np.zeros(len(flat), dtype=np.intp), flat)
        points, normals = geometry.point.reshape(-1, 4, 3), geometry.normal.reshape(-1, 4, 3)
        return tangent_plane_bounds(points, normals)


def tangent_frame(normal: Floats) -> Floats:
    """Return orthonormal tangents (k, 2, 3), right-handed with unit normals (k, 3), for every direction.

    Source: Duff et al., Building an Orthonormal Basis, Revisited, JCGT 6(1), 2017.
    """
    x, y, z = normal[:, 0], normal[:, 1], normal[:, 2]
    sign = np.copysign(1.0, z)
    a = -1.0 / (sign + z)
    b = x * y * a
    frame = np.empty((len(x), 2, 3))
    frame[:, 0, 0], frame[:, 0, 1], frame[:, 0, 2] = 1.0 + sign * x * x * a, sign * b, -sign * x
    frame[:, 1, 0], frame[:, 1, 1], frame[:, 1, 2] = b, sign + y * y * a, -y
    return frame


def _second_along(jet: GaugeJet, a: Floats, b: Floats, ab: Floats) -> Floats:
    """Return the derivative of g (k,) by two parameters, from those of the direction: a, b (k, 3), ab (k, 3)
    by both.
    """
    bent = (jet.hessian @ b[:, :, None])[:, :, 0]
    result: Floats = dot(a, bent) + dot(jet.gradient, ab)
    return result


def _times(scale: Floats, vectors: Floats) -> Floats:
    return scale[:, None] * vectors
