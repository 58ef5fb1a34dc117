"""Star-shaped bodies that are not convex: bumpy spheres, or any radius function of the direction.

The radius of a bumpy sphere in direction d is rho(d) = R (1 + sum_i a_i cos(k_i . d + phi_i)).  Any radius
function gives the gauge g(x) = |x| / rho(x/|x|).  With L = log rho extended by degree 0, P = 1 - d d' and
l = P grad(log rho) at a unit direction,

    grad log g = d - l,      Hess log g = P - d d' - Hess L,
    Hess L = P (Hess log rho) P - (d . grad log rho) P - (d l' + l d'),

and grad g = g grad log g, Hess g = g (grad log g grad log g' + Hess log g).
"""

from __future__ import annotations

import math
from abc import abstractmethod
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import roots_legendre

from physplace_addon.core.arrays import Floats, Ints
from physplace_addon.core.errors import SurfaceError
from physplace_addon.core.mesh.mass import MassProperties
from physplace_addon.core.surfaces.analytic.star import Gauge, GaugeJet, SphericalDirections, Star
from physplace_addon.core.surfaces.cell_bounds import bilinear_bounds, cell_corners
from physplace_addon.core.surfaces.complex import GridComplex, featureless
from physplace_addon.core.surfaces.quadrature import converged_integrals
from physplace_addon.core.surfaces.validation import finite_array, positive_number


class RadialGauge(Gauge):
    """The gauge of a positive radius function, smooth in a neighbourhood of the unit sphere."""

    @abstractmethod
    def radius(self, direction: Floats) -> tuple[Floats, Floats, Floats]:
        """Return rho (k,), its gradient (k, 3) and Hessian (k, 3, 3) in space, at unit directions (k, 3)."""

    @abstractmethod
    def slopes(self) -> tuple[float, float, float]:
        """Return the most of the radius, and of its first and second derivative along great circles."""

    def value(self, at: SphericalDirections) -> Floats:
        """Return 1 / rho."""
        return 1.0 / self.radius(at.vector)[0]

    def jet(self, at: SphericalDirections) -> GaugeJet:
        """Return g, its gradient and Hessian by the chain rule of the module's docstring."""
        d = at.vector
        rho, gradient, hessian = self.radius(d)
        slope = gradient / rho[:, None]
        bend = hessian / rho[:, None, None] - _outer(slope, slope)
        steep = (d * slope).sum(axis=1)
        along = slope - steep[:, None] * d
        across = np.eye(3) - _outer(d, d)
        radial = _outer(d, along) + _outer(along, d)
        log_hessian = across @ bend @ across - steep[:, None, None] * across - radial
        toward = d - along
        g = 1.0 / rho
        second = _outer(toward, toward) + across - _outer(d, d) - log_hessian
        return GaugeJet(g, g[:, None] * toward, g[:, None, None] * second)


def _outer(a: Floats, b: Floats) -> Floats:
    product: Floats = a[:, :, None] * b[:, None, :]
    return product


@dataclass(frozen=True, eq=False)
class Ripples(RadialGauge):
    """The sum of cosines: mean radius R, amplitudes (m,), wave vectors (m, 3) in radians, phases (m,)."""

    mean: float
    amplitude: Floats
    wave: Floats
    phase: Floats

    def radius(self, direction: Floats) -> tuple[Floats, Floats, Floats]:
        """Return rho, its gradient and Hessian."""
        angle = direction @ self.wave.T + self.phase
        size = self.mean * self.amplitude
        cos, sin = size * np.cos(angle), size * np.sin(angle)
        return self.mean + cos.sum(axis=1), -(sin @ self.wave), -(cos @ self._squares).reshape(-1, 3, 3)

    @cached_property
    def _squares(self) -> Floats:
        return (self.wave[:, :, None] * self.wave[:, None, :]).reshape(-1, 9)

    def slopes(self) -> tuple[float, float, float]:
        """Return the most of rho and of its derivatives along great circles, where d'' = -d."""
        size = self.mean * np.abs(self.amplitude)
        wave = np.sqrt((self.wave * self.wave).sum(axis=1))
        first = float(size @ wave)
        return self.mean + float(size.sum()), first, float(size @ wave**2) + first


@dataclass(frozen=True, eq=False)
class RadialStar(Star):
    """A star-shaped face that need not be convex: its cells are bounded by second derivatives."""

    gauge: RadialGauge

    def cell_bounds(self, face: Ints, lower: Floats, upper: Floats) -> Floats:
        """Return bounds from the radius's slopes along great circles."""
        flat = cell_corners(lower, upper).reshape(-1, 2)
        points = self.geometry(np.zeros(len(flat), dtype=np.intp), flat).point.reshape(-1, 4, 3)
        most_uu, most_vv = self._second_derivatives(lower, upper)
        width = upper - lower
        return bilinear_bounds(points, width[:, 0] ** 2 * most_uu, width[:, 1] ** 2 * most_vv)

    def _second_derivatives(self, lower: Floats, upper: Floats) -> tuple[Floats, Floats]:
        """Bound |S_uu| and |S_vv| (k,) over cells, from the gauge's slopes along great circles.

        A parallel of latitude v is run at speed cos v and turns on the sphere by sin v.
        """
        radius, first, second = self.gauge.slopes()
        largest = float(self.axes.max())
        south, north = lower[:, 1], upper[:, 1]
        least = np.maximum(np.maximum(south, -north), 0.0)
        c, s = np.cos(least), np.sin(np.maximum(np.abs(south), np.abs(north)))
        radial = c * c * second + c * s * first
        most_uu = np.hypot(radial + radius * c * c, c * s * radius + 2.0 * c * c * first)
        most_vv = np.full(len(c), math.hypot(second + radius, 2.0 * first))
        return largest * most_uu, largest * most_vv


def radial(gauge: RadialGauge, axes: ArrayLike = (1.0, 1.0, 1.0)) -> GridComplex:
    """Return the star-shaped body of any smooth gauge, stretched by `axes` (3,)."""
    surface = RadialStar(gauge, np.asarray(axes, dtype=np.float64))
    mass = star_mass(surface)
    reach = np.max(np.abs(surface.derivatives(*_direction_samples()).point), axis=0)
    return featureless("radial", surface, mass, float(np.linalg.norm(reach)))


def bumpy_sphere(radius: float, amplitude: ArrayLike, wave: ArrayLike, phase: ArrayLike) -> GridComplex:
    """Return the sphere of radius r (1 + sum a cos(k . d + phi)), d the direction.

    Amplitudes (m,) relative to the radius, wave vectors (m, 3) and phases (m,) in radians.
    """
    r = positive_number("bumpy sphere", "radius", radius)
    a, k, phi = (
        finite_array("bumpy sphere", name, x)
        for name, x in (("amplitude", amplitude), ("wave", wave), ("phase", phase))
    )
    if float(np.abs(a).sum()) >= 1.0:
        found = f"found a sum of {float(np.abs(a).sum()):g}"
        raise SurfaceError("bumpy sphere", "amplitude", found, "expected amplitudes that sum to less than 1")
    return radial(Ripples(r, a.reshape(-1), k.reshape(-1, 3), phi.reshape(-1)))


def star_mass(surface: Star) -> MassProperties:
    """Mass of a star-shaped solid with a smooth gauge, by rays d over the unit sphere.

    In scaled coordinates volume = 1/3 int rho^3, first = 1/4 int rho^4 d, second = 1/5 int rho^5 d d'.
    """
    axes = surface.axes

    def integrals(nodes: int) -> Floats:
        height, weight = roots_legendre(nodes)
        azimuth = math.pi * np.arange(2 * nodes) / nodes
        u, v = np.tile(azimuth, nodes), np.repeat(np.arcsin(height), 2 * nodes)
        share = np.repeat(weight, 2 * nodes) * math.pi / nodes
        at = SphericalDirections.at(np.column_stack([u, v]))
        rho, d = 1.0 / surface.gauge.value(at), at.vector
        second = ((share * rho**5 / 5.0)[:, None] * d).T @ d
        return np.concatenate([[share @ rho**3 / 3.0], (share * rho**4 / 4.0) @ d, second.reshape(-1)])

    total = converged_integrals(integrals, most=256)
    scale = float(np.prod(axes))
    second = scale * total[4:].reshape(3, 3) * np.outer(axes, axes)
    return MassProperties.from_moments(scale * float(total[0]), scale * axes * total[1:4], second)


def _direction_samples() -> tuple[Ints, Floats]:
    u, v = np.meshgrid(np.linspace(0.0, 2.0 * math.pi, 64), np.linspace(-0.5 * math.pi, 0.5 * math.pi, 33))
    return np.zeros(u.size, dtype=np.intp), np.column_stack([u.reshape(-1), v.reshape(-1)])
