"""The mass of a solid that Bezier patches enclose, by the fluxes of `quadrature` through its boundary.

The integrands are polynomials of degree 5 d - 1 in u and in v at most: 5 d / 2 Gauss-Legendre nodes a
direction integrate them exactly. For rational patches nodes are doubled until two sums agree.
"""

from __future__ import annotations

import numpy as np

from ...arrays import Floats
from ...mesh.mass import VOLUME, MassProperties
from ...vectors import cross, dot
from ..patches import Patches
from ..quadrature import converged, pieces_rule
from .nets import Nets

_MOST_NODES = 64


def signed_volume(nets: Nets) -> float:
    """Return the volume inside closed nets, negative where their normals point inwards."""
    return float(_moments(nets)[0])


def solid_mass(nets: Nets) -> MassProperties:
    """Return the mass of the solid inside closed nets that face outwards."""
    moments = _moments(nets)
    return MassProperties.from_moments(float(moments[0]), moments[1:4], moments[4:].reshape(3, 3), VOLUME)


def _moments(nets: Nets) -> Floats:
    if nets.rational:
        return converged(lambda nodes: moments_of(nets, nodes), most=_MOST_NODES)
    return moments_of(nets, (5 * nets.degree + 1) // 2)


def moments_of(nets: Patches, nodes: int) -> Floats:
    """Return volume, first moments (3) and second moments (9) of the solid inside closed patches, about the
    origin, by Gauss's rule with so many nodes along u and along v.
    """
    t, weight = pieces_rule(np.array([0.0, 1.0]), nodes)
    at = np.column_stack([np.repeat(t, nodes), np.tile(t, nodes)])
    found = nets.derivatives(np.repeat(np.arange(len(nets)), len(at)), np.tile(at, (len(nets), 1)))
    flux = np.tile(np.outer(weight, weight).ravel(), len(nets)) * dot(found.point, cross(found.du, found.dv))
    second = ((0.2 * flux)[:, None] * found.point).T @ found.point
    return np.concatenate([[flux.sum() / 3.0], 0.25 * flux @ found.point, second.ravel()])
