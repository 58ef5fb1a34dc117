"""The boundary of one exact body whose faces are grids: faces, rim edges, feature vertices, triangles, mass.

A `GridComplex` has faces over one rectangle of parameters each, which lines u and v cut into cells.  Bodies
of many patches have a boundary of their own with the same fields: `bezier.complex`, `subdivision.complex`.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..arrays import Floats
from ..errors import SurfaceError
from ..mesh.mass import MassProperties
from .base import Curve, Patch
from .tessellation import EdgeSide, Tessellation, VertexCorner, tessellate

# Distance of triangles from the true surface over half the diagonal of the body's box, unless a caller says
# otherwise: some thousand triangles for a sphere.
DEFAULT_TOLERANCE = 2e-3
# Directions by which the cone of tangents at an apex is known: its sector is then right to 0.5 %.
CONE_SAMPLES = 32


@dataclass(frozen=True, eq=False)
class GridComplex:
    """Faces, edges and vertices of an exact body.

    surfaces: one face each, so face i is `surfaces[i]`.
    curves: their edges count on from one curve to the next.
    edge_sides: for each edge, the face and the side of its rectangle that the edge runs along.
    vertices (nv, 3): the feature vertices, scene units.
    vertex_directions: for each vertex, unit directions (m, 3) of the body's faces and edges that leave it.
    vertex_corners: for each vertex, where it lies on a face.
    closed: whether the faces enclose a solid; normals then point out of it.
    mass: integrated over the exact surfaces.
    size: half the diagonal of the bounding box, scene units.
    """

    kind: str
    surfaces: tuple[Patch, ...]
    curves: tuple[Curve, ...]
    edge_sides: tuple[EdgeSide, ...]
    vertices: Floats
    vertex_directions: tuple[Floats, ...]
    vertex_corners: tuple[VertexCorner, ...]
    closed: bool
    mass: MassProperties
    size: float

    def tessellate(
        self, resolution: tuple[int, int] | None = None, tolerance: float | None = None
    ) -> Tessellation:
        """Return triangles at a resolution, or within a tolerance.

        Args:
            resolution: lines (nu, nv) of parameters; the v lines are shared out over the faces.
            tolerance: largest distance of triangles from the surface, scene units; 0.2 % of the body's size
                unless given. Not used where there is a resolution.

        Raises:
            SurfaceError: for a tolerance that is not positive, or that needs more than a million cells.
        """
        within = DEFAULT_TOLERANCE * self.size if tolerance is None else tolerance
        if not within > 0.0:
            raise SurfaceError(self.kind, "tolerance", f"found {within:g}", "expected a positive number")
        edges = (self.curves, self.edge_sides)
        return tessellate(self.surfaces, edges, self.vertex_corners, resolution, within)


def featureless(kind: str, surface: Patch, mass: MassProperties, size: float) -> GridComplex:
    """Return the boundary of one smooth closed face without edges or vertices."""
    return GridComplex(kind, (surface,), (), (), np.empty((0, 3)), (), (), True, mass, size)
