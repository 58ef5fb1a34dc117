"""The boundary of a body of patches over the quadrilaterals of a cage.

Quadrilaterals that join smoothly are one face, as Bezier patches are; borders, and edges that are sharp for
ever, are edges, see `borders`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from ...arrays import Floats, Ints
from ...errors import SurfaceError
from ...mesh.mass import MassProperties
from ..bezier.joins import Joins, faces_of
from ..bezier.sheet import BezierSheet
from ..complex import DEFAULT_TOLERANCE
from ..patches import Patches
from ..tessellation import ROUNDING, EdgeSegments, Tessellation, join_segments
from .borders import LimitChain, edges_of, joins_of, vertices_of
from .cage import Cage
from .tessellation import Bounds, CageTessellation, cells_within_tolerance, tessellate_cage

Sheets = tuple[tuple[BezierSheet, ...], Floats]
"""Surfaces, and where the parameters of each patch (n, 2) begin on its own."""

# Parameters of the corners of a quadrilateral.
_CORNERS = np.array([[0.0, 0.0], [1.0, 0.0], [1.0, 1.0], [0.0, 1.0]])


def cage_boundary(
    kind: str,
    cage: Cage,
    nets: Patches,
    bounds: Bounds,
    sheets_of: Callable[[Ints, Joins], Sheets],
    closed: bool,
    mass: MassProperties,
    least: Ints | None = None,
) -> CageComplex:
    """Return the boundary that patches make over the quadrilaterals of a prepared cage.

    Args:
        kind: the name of the kind in errors.
        cage: of quadrilaterals.
        nets: one patch for each.
        bounds: proven bounds on cells, see `Bounds`.
        sheets_of: the surfaces that patches are, given the face (n,) of each and how they are joined.
        closed: whether they enclose a solid.
        mass: what they weigh.
        least: cells (n,) of each patch along u and along v, at least; None is one.
    """
    joins = joins_of(cage)
    face = faces_of(joins)
    sheets, origins = sheets_of(face, joins)
    chains, borders = edges_of(cage, nets)
    points, directions, corners = vertices_of(cage, nets, borders)
    ends = nets.slopes(np.repeat(np.arange(len(nets)), 4), np.tile(_CORNERS, (len(nets), 1))).point
    return CageComplex(
        nets,
        joins,
        bounds,
        sheets,
        face,
        origins,
        tuple(chains),
        points,
        tuple(directions),
        tuple(corners),
        closed,
        mass,
        0.5 * float(np.linalg.norm(np.ptp(ends, axis=0))),
        kind,
        np.ones(len(nets), dtype=np.intp) if least is None else least,
    )


@dataclass(frozen=True, eq=False)
class CageComplex:
    """Faces, edges and vertices of patches over a cage; the fields are those of `GridComplex`, and:

    nets, joins: all quadrilaterals, and how they are joined.
    bounds: those on the cells of some of them, see `Bounds`.
    patch_face (n,): the face of each; origins (n, 2): where its parameters begin there.
    vertex_corners: for each vertex a quadrilateral, and its corner, 0 to 3.
    least (n,): cells along each side of a quadrilateral, at least.
    """

    nets: Patches
    joins: Joins
    bounds: Bounds
    surfaces: tuple[BezierSheet, ...]
    patch_face: Ints
    origins: Floats
    curves: tuple[LimitChain, ...]
    vertices: Floats
    vertex_directions: tuple[Floats, ...]
    vertex_corners: tuple[tuple[int, int], ...]
    closed: bool
    mass: MassProperties
    size: float
    kind: str
    least: Ints

    def tessellate(
        self, resolution: tuple[int, int] | None = None, tolerance: float | None = None
    ) -> Tessellation:
        """Return triangles at a resolution, or within a tolerance.

        Args:
            resolution: lines (nu, nv) on every quadrilateral.
            tolerance: largest distance of triangles from the surface, scene units; 0.2 % of the body's size
                unless given.

        Raises:
            SurfaceError: for a tolerance that is not positive, or that needs more than 300,000 cells.
        """
        within = DEFAULT_TOLERANCE * self.size if tolerance is None else tolerance
        if not within > 0.0:
            raise SurfaceError(self.kind, "tolerance", f"found {within:g}", "expected a positive number")
        if resolution is None:
            counts, bounds = cells_within_tolerance(
                self.nets, self.bounds, self.joins, within, self.kind, self.least
            )
        else:
            counts = np.tile(np.maximum(np.array(resolution) - 1, 1), (len(self.nets), 1))
            bounds = self.bounds(np.arange(len(self.nets)), counts, within)
        return self._tessellation(tessellate_cage(self.nets, self.joins, counts, bounds))

    def _tessellation(self, mesh: CageTessellation) -> Tessellation:
        order = np.argsort(self.patch_face[mesh.patch], kind="stable")
        place = np.empty_like(order)
        place[order] = np.arange(len(order))
        patch = mesh.patch[order]
        uv = mesh.uv[order] + self.origins[patch][:, None]
        return Tessellation(
            mesh.points,
            mesh.corners[order],
            self.patch_face[patch],
            uv,
            mesh.bound[order],
            *self._segments(mesh, place),
            self._vertex_owners(mesh, place),
        )

    def _segments(self, mesh: CageTessellation, place: Ints) -> EdgeSegments:
        """Return the polylines of all edges along their sides."""
        parts: list[EdgeSegments] = []
        rounding = ROUNDING * float(np.abs(mesh.points).max())
        for edge, chain in enumerate(self.curves):
            ends, t, owner = self._along(mesh, place, chain)
            edges = np.full(len(owner), edge, dtype=np.intp)
            bound = chain.chord_bounds(edges, t[:, 0], t[:, 1]) + rounding
            parts.append((ends, edges, t, bound, owner))
        return join_segments(parts)

    def _along(self, mesh: CageTessellation, place: Ints, chain: LimitChain) -> tuple[Floats, Floats, Ints]:
        """Return the ends (e, 2, 3) of an edge's segments, their t (e, 2), and the triangles (e,) beside
        them.
        """
        ends, ts, owners = [], [], []
        for number, piece in enumerate(chain.side_pieces[:-1].tolist()):
            patch, side = int(chain.first.patch[piece]), int(chain.first.side[piece])
            crossing, owner = mesh.cut.along(mesh.lattice, patch, side)
            t = mesh.at[crossing, 1 if side < 2 else 0]
            if chain.first.backwards[piece]:
                crossing, owner, t = crossing[::-1], owner[::-1], 1.0 - t[::-1]
            points = mesh.points[mesh.numbers[crossing]]
            knots = chain.parameters(number, t)
            ends.append(np.stack([points[:-1], points[1:]], axis=1))
            ts.append(np.column_stack([knots[:-1], knots[1:]]))
            owners.append(place[owner])
        return np.concatenate(ends), np.concatenate(ts), np.concatenate(owners)

    def _vertex_owners(self, mesh: CageTessellation, place: Ints) -> Ints:
        """Return a triangle (nv,) at each vertex: beside the first or the last piece of a side."""
        owners = []
        for patch, corner in self.vertex_corners:
            upper = corner in (2, 3)
            beside = mesh.cut.along(mesh.lattice, patch, 3 if upper else 2)[1]
            owners.append(beside[-1 if corner in (1, 2) else 0])
        return place[np.array(owners, dtype=np.intp)]
