"""The mass of surfaces that enclose nothing: sheets of uniform thickness.

Area does not transform simply under a map that stretches, so it is integrated again over the exact surfaces.
Flat faces are summed exactly. No tessellation takes part, so where a sheet rests does not depend on one.
"""

from __future__ import annotations

from collections.abc import Sequence

from .mesh.mass import AREA, MassProperties, combined, mass_of_corners
from .surfaces.base import Surface
from .surfaces.flat import Triangles
from .surfaces.quadrature import area_mass

SPREAD_NOTE = "it encloses no volume, its mass is spread over its area"
HULL_NOTE = "its mass is from its hull, its holes closed, loose sheets without weight"


def sheet_mass(surfaces: Sequence[Surface]) -> MassProperties:
    """The mass, basis "area", of all faces of some surfaces, at least one, taken as one sheet."""
    return combined([_surface_mass(surface) for surface in surfaces])


def _surface_mass(surface: Surface) -> MassProperties:
    if isinstance(surface, Triangles):
        return mass_of_corners(surface.corners, AREA)
    return area_mass(surface)
