"""The mass of surfaces that enclose nothing: sheets of uniform thickness.

Area does not transform simply under a map that stretches, so it is integrated again over parameters,
dA = |S_u x S_v| du dv, by Gauss-Legendre rules on every smooth piece, nodes doubled until two sums agree.
Flat faces are summed exactly. No tessellation takes part, so where a sheet rests does not depend on one.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from .arrays import Floats
from .mass import AREA, MassProperties, combined, mass_of_corners
from .surfaces.affine import AffineSurface
from .surfaces.base import Patch, Surface
from .surfaces.quadrature import pieces_rule
from .surfaces.triangles import Triangles

AGREED = 1e-13
FIRST_NODES, MOST_NODES = 12, 96


def sheet_mass(surfaces: Sequence[Surface]) -> MassProperties:
    """The mass, basis "area", of all faces of some surfaces, at least one, taken as one sheet."""
    return combined([_surface_mass(surface) for surface in surfaces])


def _surface_mass(surface: Surface) -> MassProperties:
    if isinstance(surface, Triangles):
        return mass_of_corners(surface.corners, AREA)
    nodes, moments = FIRST_NODES, _moments(surface, FIRST_NODES)
    while nodes < MOST_NODES:
        nodes *= 2
        previous, moments = moments, _moments(surface, nodes)
        if np.abs(moments - previous).max() <= AGREED * np.abs(moments).max():
            break
    return MassProperties.from_moments(float(moments[0, 0]), moments[0, 1:], moments[1:, 1:], AREA)


def _moments(surface: Surface, nodes: int) -> Floats:
    """The integral (4, 4) of (1, x) (1, x)' over the one face of a surface."""
    (at_u, weight_u), (at_v, weight_v) = (pieces_rule(lines, nodes) for lines in _breaks(surface))
    uv = np.column_stack([np.repeat(at_u, len(at_v)), np.tile(at_v, len(at_u))])
    found = surface.derivatives(np.zeros(len(uv), dtype=np.intp), uv)
    stretch = np.linalg.norm(np.cross(found.du, found.dv), axis=1)
    weight = np.outer(weight_u, weight_v).ravel() * stretch
    extended = np.column_stack([np.ones(len(uv)), found.point])
    moments: Floats = (weight[:, None] * extended).T @ extended
    return moments


def _breaks(surface: Surface) -> tuple[Floats, Floats]:
    """The parameters between which a surface is smooth."""
    patch = surface.surface if isinstance(surface, AffineSurface) else surface
    if isinstance(patch, Patch):
        return patch.breaks
    u, v = patch.domain
    return np.array([u.lower, u.upper]), np.array([v.lower, v.upper])
