"""The mass of a solid that patches enclose, by the fluxes of `quadrature` through its boundary.

Over Bezier patches of degree d the integrands are polynomials of degree 5 d - 1 in u and in v at most: 5 d /
2 Gauss-Legendre nodes in each direction integrate them exactly.  For rational patches, and for others, nodes
are doubled until two sums agree.
"""

from __future__ import annotations

import numpy as np

from ...arrays import Floats
from ...mesh.mass import MassProperties
from ..patches import Patches
from ..quadrature import converged_integrals, flux_moments, solid_of_moments, unit_square_rule
from .nets import BezierNets

_MOST_NODES = 64  # in each direction of a rational patch, at which doubling ends


def signed_volume(nets: BezierNets) -> float:
    """Return the volume inside closed nets, cubed scene units; negative where their normals point inwards."""
    return float(_moments(nets, middle_of(nets))[0])


def solid_mass(nets: BezierNets) -> MassProperties:
    """Return the mass of the solid inside closed nets that face outwards."""
    middle = middle_of(nets)
    return solid_of_moments(_moments(nets, middle)).moved(middle)


def middle_of(patches: Patches) -> Floats:
    """Return the mean (3,) of the points in the middle of each patch: an origin near to all of them."""
    count = len(patches)
    found: Floats = patches.slopes(np.arange(count), np.full((count, 2), 0.5)).point.mean(axis=0)
    return found


def _moments(nets: BezierNets, origin: Floats) -> Floats:
    if nets.rational:
        return converged_integrals(lambda nodes: patch_moments(nets, nodes, origin), most=_MOST_NODES)
    return patch_moments(nets, (5 * nets.degree + 1) // 2, origin)


def patch_moments(patches: Patches, nodes: int, origin: Floats) -> Floats:
    """Return the moments (13,) of `flux_moments` of the solid inside closed patches, about an origin (3,).

    Args:
        patches: facing outwards.
        nodes: of Gauss's rule along u and along v of each patch.
        origin: see `middle_of`.
    """
    square, weight = unit_square_rule(nodes)
    count = len(patches)
    found = patches.slopes(np.repeat(np.arange(count), len(square)), np.tile(square, (count, 1)))
    weights = np.tile(weight, count) * found.scale  # next to a pole du is the tangent times the scale
    return flux_moments(found.point - origin, found.along, found.across, weights)
