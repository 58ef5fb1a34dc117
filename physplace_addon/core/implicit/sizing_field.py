"""The sizing field: which repulsion radius sigma_hat is desired where on a surface.

Witkin and Heckbert (1994, section 6) propose two criteria for a density that is not uniform: curvature, and
the neighbourhood of a control point that is dragged. With n = F_x / |F_x| the surface's normal turns by the
operator S = (1 - n n') F_xx (1 - n n') / |F_x|. Its two eigenvalues besides 0 are the principal curvatures.
Their sum is tr S and the sum of their squares |S|^2, so the greater one is

    kappa = |tr S| / 2 + sqrt(|S|^2 / 2 - (tr S)^2 / 4),

and over a radius sigma the normal turns by kappa sigma radians.
"""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from ..arrays import Floats
from ..vectors import length
from .functions.base import ImplicitFunction
from .neighbours import nearest
from .particles.floaters import FloaterSettings


def desired_repulsion_radii(
    function: ImplicitFunction, positions: Floats, settings: FloaterSettings
) -> Floats:
    """Return sigma_hat (r,) at positions (r, 3) on the surface, in scene units.

    It is the radius of the settings, less where the surface bends, by `turn`, and less near the points of
    `focus`, by `focus_share` with a smooth transition over `focus_size`.
    """
    radii = _same_radii(len(positions), settings.radius)
    focused = settings.focus is not None and len(settings.focus) and settings.focus_size > 0.0
    if not len(positions) or not (settings.turn > 0.0 or focused):
        return radii
    if settings.turn > 0.0:
        kappa = greatest_curvature(function, positions)
        radii = np.minimum(radii, settings.turn / np.maximum(kappa, 1e-300))
    if focused:
        far = nearest(positions, np.asarray(settings.focus, dtype=np.float64))[0] / settings.focus_size
        ease = np.clip(far, 0.0, 1.0) ** 2 * (3.0 - 2.0 * np.clip(far, 0.0, 1.0))
        radii = np.minimum(
            radii, settings.radius * (settings.focus_share + (1.0 - settings.focus_share) * ease)
        )
    return np.asarray(np.maximum(radii, settings.least_share * settings.radius))


@lru_cache(maxsize=8)
def _same_radii(count: int, radius: float) -> Floats:
    """Return one radius for so many places (count,), not to be written to."""
    radii = np.full(count, radius)
    radii.flags.writeable = False
    return radii


def greatest_curvature(function: ImplicitFunction, positions: Floats) -> Floats:
    """Return the greater principal curvature (r,) without sign, in 1 / scene unit; infinite
    where F_x is 0.
    """
    _, gradient, hessian = function.hessian(positions)
    slope = length(gradient)
    normal = gradient / np.where(slope > 0.0, slope, 1.0)[:, None]
    flat = np.eye(3) - normal[:, :, None] * normal[:, None, :]
    turning = flat @ hessian @ flat
    half = 0.5 * np.einsum("rii->r", turning)
    squares = np.einsum("rij,rij->r", turning, turning)
    bend = np.abs(half) + np.sqrt(np.maximum(0.5 * squares - half * half, 0.0))
    return np.where(slope > 0.0, bend / np.where(slope > 0.0, slope, 1.0), np.inf)
