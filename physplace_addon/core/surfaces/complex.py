"""The boundary of one exact body: its faces, rim edges and feature vertices, and how they are tessellated."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..arrays import Floats
from ..errors import SurfaceError
from ..mesh.mass import MassProperties
from .base import Curve, Patch
from .tessellation import EdgeSide, Tessellation, VertexCorner, tessellate

DEFAULT_TOLERANCE = 2e-3
CONE_SAMPLES = 32


@dataclass(frozen=True, eq=False)
class GridComplex:
    """Faces, edges and vertices of an exact body.

    `surfaces`: one face each, so face i is `surfaces[i]`.  `curves`: their edges count on from one to the
    next. `edge_sides` (edges): the face and the side of its rectangle that each edge runs along. `vertices`
    (nv, 3), `vertex_directions`: for each vertex unit directions (m, 3) of the body's faces and edges leaving
    it; `vertex_corners`: where it lies on a face.  `closed`: the faces enclose a solid, normals point out of
    it. `mass` is integrated over the exact surfaces.  `size`: half the diagonal of the bounding box.
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
        """Return triangles at a resolution (nu, nv) in lines, or within a tolerance in scene units.

        Without either the tolerance is 0.2 % of the body's size.
        Raises SurfaceError for a tolerance that is not positive, or that needs more than a million cells.
        """
        within = DEFAULT_TOLERANCE * self.size if tolerance is None else tolerance
        if not within > 0.0:
            raise SurfaceError(self.kind, "tolerance", f"found {within:g}", "expected a positive number")
        edges = (self.curves, self.edge_sides)
        return tessellate(self.surfaces, edges, self.vertex_corners, resolution, within)


def featureless(kind: str, surface: Patch, mass: MassProperties, size: float) -> GridComplex:
    """Return the complex of one smooth closed face without edges or vertices."""
    return GridComplex(kind, (surface,), (), (), np.empty((0, 3)), (), (), True, mass, size)
