"""The superquadric's gauge: nested p-norms, exact on the coordinate planes and axes.

f(x) = (|x/a|^(2/e2) + |y/b|^(2/e2))^(e2/e1) + |z/c|^(2/e1).  In scaled coordinates (s, t, w) and with
p = 2/e2, q = 2/e1 the gauge g = f^(e1/2) is the q-norm M of (N, w), N the p-norm of (s, t).  For 0 < e <= 2
both exponents are at least 1: g is a norm and the body is convex.  With sigma = |s|/N, tau = |t|/N, and so
for the outer norm:

    N_s = sign(s) sigma^(p-1),
    N_ss = (p-1)/N sigma^(p-2) tau^p,      N_st = -(p-1)/N sign(s t) (sigma tau)^(p-1).

Everything is written in such ratios; those of the inner norm depend on the azimuth alone, so that nothing is
0/0 on the axis.  For e < 1 the curvature on the coordinate planes is exactly 0.  For 1 < e < 2 it is infinite
there (a ridge): in a strip of relative width `RIDGE` the slope sigma^(p-1) is taken as linear, so the
curvature is finite.  At e = 2 the body has flat faces, with creases along the coordinate planes that are not
features of the complex.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.special import beta, gamma

from ...arrays import Floats
from ...mesh.mass import MassProperties
from ...vectors import from_coordinates
from .star import Gauge, GaugeJet, SphericalDirections

# Relative width of the strip along a ridge within which the slope is taken as linear, so that curvature is
# finite.
RIDGE = 1e-8


@dataclass(frozen=True)
class SuperquadricGauge(Gauge):
    """The unit superquadric's gauge; exponent_1 shapes the meridians, exponent_2 the parallels."""

    exponent_1: float
    exponent_2: float

    def value(self, at: SphericalDirections) -> Floats:
        """Return g (k,) at unit directions."""
        p, q = 2.0 / self.exponent_2, 2.0 / self.exponent_1
        around = _norm(np.abs(at.cos_u), np.abs(at.sin_u), p)
        return _norm(at.cos_v * around, np.abs(at.sin_v), q)

    def jet(self, at: SphericalDirections) -> GaugeJet:
        """Return g (k,), its gradient (k, 3) and Hessian (k, 3, 3) at unit directions."""
        p, q = 2.0 / self.exponent_2, 2.0 / self.exponent_1
        cos_u, sin_u, sin_v = np.abs(at.cos_u), np.abs(at.sin_u), np.abs(at.sin_v)
        around = _norm(cos_u, sin_u, p)
        sigma, tau = cos_u / around, sin_u / around
        reach = at.cos_v * around
        value = _norm(reach, sin_v, q)
        nu, omega = reach / value, sin_v / value
        sigma_low, tau_low = _low_power(sigma, p), _low_power(tau, p)
        nu_low, omega_low = _low_power(nu, q), _low_power(omega, q)
        ds, dt = np.copysign(sigma_low * sigma, at.cos_u), np.copysign(tau_low * tau, at.sin_u)
        dn, dw = nu_low * nu, np.copysign(omega_low * omega, at.sin_v)
        gradient = from_coordinates(dn * ds, dn * dt, dw)
        spread = nu_low / value
        meridian, turn = (q - 1.0) / value, (p - 1.0) * spread * sigma_low * tau_low
        bend = (q - 1.0) * spread * np.abs(dw) * omega
        mixed = -meridian * dn * dw
        hessian = np.empty((len(value), 3, 3))
        hessian[:, 0, 0] = bend * ds * ds + turn * tau * tau
        hessian[:, 1, 1] = bend * dt * dt + turn * sigma * sigma
        hessian[:, 0, 1] = hessian[:, 1, 0] = bend * ds * dt - turn * np.copysign(sigma, ds) * np.copysign(
            tau, dt
        )
        hessian[:, 0, 2] = hessian[:, 2, 0] = mixed * ds
        hessian[:, 1, 2] = hessian[:, 2, 1] = mixed * dt
        hessian[:, 2, 2] = meridian * omega_low * dn * nu
        return GaugeJet(value, gradient, hessian)


def _norm(a: Floats, b: Floats, p: float) -> Floats:
    """Return the p-norm (k,) of pairs a, b >= 0, scaled so that nothing under- or overflows."""
    large = np.maximum(a, b)
    norm: Floats = large * (1.0 + (np.minimum(a, b) / large) ** p) ** (1.0 / p)
    return norm


def _low_power(ratio: Floats, p: float) -> Floats:
    """Return ratio^(p - 2) (k,), kept finite on a ridge."""
    low: Floats = ratio ** (p - 2.0) if p >= 2.0 else np.maximum(ratio, RIDGE) ** (p - 2.0)
    return low


def superquadric_mass(axes: Floats, exponent_1: float, exponent_2: float) -> MassProperties:
    """Return the mass of the solid with half-axes (3,), in closed form by Dirichlet's integrals.

    Over the p-norm disk of radius N the integral of |s|^i |t|^j is N^m D_ij, m = i + j + 2, and over z it is
    2/q B((k + 1)/q, m/q + 1) for |z|^k; odd moments vanish.

    Args:
        axes: half-axes (3,), scene units.
        exponent_1: of the meridians.
        exponent_2: of the parallels.
    """
    p, q = 2.0 / exponent_2, 2.0 / exponent_1

    def moment(i: int, j: int, k: int) -> float:
        m = i + j + 2
        disk = 4.0 / p**2 * gamma((i + 1) / p) * gamma((j + 1) / p) / gamma((i + j + 2) / p + 1.0)
        return float(disk * 2.0 / q * beta((k + 1) / q, m / q + 1.0))

    scale = float(np.prod(axes))
    second = [moment(2, 0, 0), moment(0, 2, 0), moment(0, 0, 2)]
    return MassProperties.from_moments(
        scale * moment(0, 0, 0), np.zeros(3), np.diag(scale * axes**2 * np.array(second))
    )
