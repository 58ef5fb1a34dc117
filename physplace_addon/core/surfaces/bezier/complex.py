"""The boundary of one body of patches that are joined by their sides, and how it is tessellated."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ...arrays import Floats, Ints
from ...errors import SurfaceError
from ...mesh.mass import MassProperties
from ..complex import DEFAULT_TOLERANCE
from ..patches import SidedPatches
from ..tessellation import ROUNDING, EdgeSegments, Tessellation, first_triangles, join_faces, join_segments
from .borders import BorderChain
from .joins import Joins
from .sheet import BezierSheet
from .tessellation import SheetTessellation, cells_at_resolution, cells_within_tolerance, tessellate_sheet

# Cells above which the tolerance of a `loose` body grows: contact is no longer quick with more.
_MANY_CELLS = 40_000
_LOOSER = 1.0, 4.0, 16.0, 64.0  # factors by which it grows, one after another


@dataclass(frozen=True, eq=False)
class PatchComplex:
    """Faces, edges and vertices of a body of patches; the fields are those of `GridComplex`, and:

    nets, joins: all patches, and how they are joined.
    patch_face (n,), patch_index (n,): the face of each patch, and its number there.
    vertex_corners: for each vertex a patch, and the ends, 0 or 1, of its u and v.
    loose: whether the tolerance may grow where it would need very many cells, unless a caller gives one.
    """

    nets: SidedPatches
    joins: Joins
    surfaces: tuple[BezierSheet, ...]
    patch_face: Ints
    patch_index: Ints
    curves: tuple[BorderChain, ...]
    vertices: Floats
    vertex_directions: tuple[Floats, ...]
    vertex_corners: tuple[tuple[int, int, int], ...]
    closed: bool
    mass: MassProperties
    size: float
    kind: str = "bezier"
    loose: bool = False

    def tessellate(
        self, resolution: tuple[int, int] | None = None, tolerance: float | None = None
    ) -> Tessellation:
        """Return triangles at a resolution, or within a tolerance.

        Args:
            resolution: lines (nu, nv) on every patch, three at least; more where a neighbour has more.
            tolerance: largest distance of triangles from the surface, scene units; 0.2 % of the body's size
                unless given.

        Raises:
            SurfaceError: for a tolerance that is not positive, or that needs more than a million cells.
        """
        if tolerance is not None and not tolerance > 0.0:
            raise SurfaceError(self.kind, "tolerance", f"found {tolerance:g}", "expected a positive number")
        if resolution is not None:
            counts = cells_at_resolution(self.joins, resolution)
        elif tolerance is not None:
            counts = cells_within_tolerance(self.nets, self.joins, tolerance, self.kind)
        else:
            counts = self._default_counts()
        owned = [np.flatnonzero(self.patch_face == number) for number in range(len(self.surfaces))]
        meshes = [
            tessellate_sheet(sheet, self.nets.take(own), counts[own])
            for sheet, own in zip(self.surfaces, owned, strict=True)
        ]
        return self._gathered(meshes)

    def _default_counts(self) -> Ints:
        """Return the cells (n, 2) of patches for the default tolerance."""
        within = DEFAULT_TOLERANCE * self.size
        if not self.loose:
            return cells_within_tolerance(self.nets, self.joins, within, self.kind)
        for times in _LOOSER[:-1]:
            try:
                return cells_within_tolerance(self.nets, self.joins, times * within, self.kind, _MANY_CELLS)
            except SurfaceError:
                continue
        return cells_within_tolerance(self.nets, self.joins, _LOOSER[-1] * within, self.kind, _MANY_CELLS)

    def _gathered(self, meshes: list[SheetTessellation]) -> Tessellation:
        triangles = first_triangles(meshes)
        owners = [self._corner_owner(meshes, triangles, corner) for corner in self.vertex_corners]
        segments = self._segments(meshes, triangles)
        return Tessellation(*join_faces(meshes), *segments, np.array(owners, dtype=np.intp))

    def _segments(self, meshes: list[SheetTessellation], first_triangle: Ints) -> EdgeSegments:
        """Return the polylines of all edges along the sides of their patches."""
        parts: list[EdgeSegments] = []
        for edge, chain in enumerate(self.curves):
            for piece in range(len(chain.first.patch)):
                face, ends, owner = self._beside(meshes, chain, piece)
                knots = np.linspace(chain.knots[piece], chain.knots[piece + 1], len(owner) + 1)
                t = np.column_stack([knots[:-1], knots[1:]])
                edges = np.full(len(owner), edge, dtype=np.intp)
                bound = chain.chord_bounds(edges, t[:, 0], t[:, 1]) + ROUNDING * self.nets.reach
                parts.append((ends, edges, t, bound, owner + first_triangle[face]))
        return join_segments(parts)

    def _beside(
        self, meshes: list[SheetTessellation], chain: BorderChain, piece: int
    ) -> tuple[int, Floats, Ints]:
        """Return the face of one side of a chain, the ends (e, 2, 3) of its segments, and the triangles
        there.
        """
        patch = int(chain.first.patch[piece])
        face = int(self.patch_face[patch])
        points, owner = meshes[face].beside(int(self.patch_index[patch]), int(chain.first.side[piece]))
        if chain.first.backwards[piece]:
            points, owner = points[::-1], owner[::-1]
        at = meshes[face].points[points]
        return face, np.stack([at[:-1], at[1:]], axis=1), owner

    def _corner_owner(
        self, meshes: list[SheetTessellation], first_triangle: Ints, corner: tuple[int, int, int]
    ) -> int:
        patch, u, v = corner
        face = int(self.patch_face[patch])
        point = meshes[face].grid_points[int(self.patch_index[patch])][-u, -v]
        with_it = (meshes[face].corners == point).any(axis=1)
        return int(np.flatnonzero(with_it)[0] + first_triangle[face])
