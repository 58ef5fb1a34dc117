"""Star-shaped bodies from smooth gauges: the bumpy sphere, or any radius function of the direction."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike

from ...arrays import Floats, Ints
from ...errors import SurfaceError
from ..complex import Complex, featureless
from ..parameters import finite_array, positive
from ..quadrature import star_mass
from .ripples import Ripples
from .star import Gauge, Star


def radial(gauge: Gauge, axes: ArrayLike = (1.0, 1.0, 1.0)) -> Complex:
    """Return the star-shaped body of any smooth gauge, stretched by `axes` (3,)."""
    surface = Star(gauge, np.asarray(axes, dtype=np.float64))
    mass = star_mass(surface)
    reach = np.max(np.abs(surface.derivatives(*_direction_samples()).point), axis=0)
    return featureless("radial", surface, mass, float(np.linalg.norm(reach)))


def bumpy_sphere(radius: float, amplitude: ArrayLike, wave: ArrayLike, phase: ArrayLike) -> Complex:
    """Return the sphere of radius r (1 + sum a cos(k . d + phi)), d the direction.

    Amplitudes (m,) relative to the radius, wave vectors (m, 3) and phases (m,) in radians.
    """
    r = positive("bumpy sphere", "radius", radius)
    a, k, phi = (
        finite_array("bumpy sphere", name, x)
        for name, x in (("amplitude", amplitude), ("wave", wave), ("phase", phase))
    )
    if float(np.abs(a).sum()) >= 1.0:
        found = f"found a sum of {float(np.abs(a).sum()):g}"
        raise SurfaceError("bumpy sphere", "amplitude", found, "expected amplitudes that sum to less than 1")
    return radial(Ripples(r, a.reshape(-1), k.reshape(-1, 3), phi.reshape(-1)))


def _direction_samples() -> tuple[Ints, Floats]:
    u, v = np.meshgrid(np.linspace(0.0, 2.0 * math.pi, 64), np.linspace(-0.5 * math.pi, 0.5 * math.pi, 33))
    return np.zeros(u.size, dtype=np.intp), np.column_stack([u.reshape(-1), v.reshape(-1)])
