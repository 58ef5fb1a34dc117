"""The boundary of the body that a subdivision cage stands for: its Catmull-Clark limit surface.

Quadrilaterals that join smoothly are one face, as Bezier patches are (`bezier`); edges that are sharp for
ever and borders are edges, see `borders`.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from ...arrays import Floats, Ints
from ...errors import SurfaceError
from ...mass import MassProperties
from ..bezier_joins import Joins
from ..bezier_mesh import alike, strips_of
from ..complexes import DEFAULT_TOLERANCE
from ..parameters import finite_array
from ..tessellation import Tessellation
from .borders import LimitChain, edges_of, vertices_of
from .cage import Cage, prepared
from .limit import KIND, limit_of
from .mass import mass_of
from .meshing import LimitMesh, bounds_of, counts_within, degenerate, mesh_of
from .neighbourhoods import corners_of
from .nets import LimitNets
from .refinement import refined
from .seams import faces_of, joins_of, joins_within
from .sheets import LimitSheet, hubs_of

_CORNERS = np.array([[0.0, 0.0], [1.0, 0.0], [1.0, 1.0], [0.0, 1.0]])


def quadrilaterals(points: ArrayLike, cage: Cage, sharp_corners: bool) -> tuple[Cage, Floats]:
    """Return a prepared cage of quadrilaterals with the same limit, and its points.

    sharp_corners: whether a border keeps the corner of a face that is alone there.
    Raises SurfaceError for no faces, or points (nv, 3) that are not finite.
    """
    at = finite_array(KIND, "points", points)
    if not len(cage.sizes):
        raise SurfaceError(KIND, "cage", "has no faces", "give it faces")
    cage = prepared(cage, sharp_corners)
    if (cage.sizes == 4).all():
        return cage, at
    cage, matrix = refined(cage)
    return cage, np.asarray(matrix @ at)


def subdivision(cage: Cage, points: Floats, closed: bool) -> SubdivisionComplex:
    """Return the limit surface of a prepared cage of quadrilaterals, which encloses a solid or not.

    Raises SurfaceError for a surface without tangent planes.
    """
    nets = limit_of(cage, points)
    bad = int(degenerate(nets).sum())
    if bad:
        raise SurfaceError(KIND, "cage", f"{bad} of its faces have no size", "merge its vertices by distance")
    return _complex_of(cage, nets, closed)


def _complex_of(cage: Cage, nets: LimitNets, closed: bool) -> SubdivisionComplex:
    joins = joins_of(cage)
    face, index = faces_of(joins)
    owned = [np.flatnonzero(face == number) for number in range(int(face.max()) + 1)]
    none = np.full(len(nets), -1, dtype=np.intp)
    vertices, odd = cage.corners.reshape(-1, 4), ~corners_of(cage).regular.reshape(-1, 4)
    hubs = [hubs_of(nets.taken(own), vertices[own], odd[own]) for own in owned]
    sheets = [
        LimitSheet(nets.taken(own), joins_within(joins, own), (), none[own], hub)
        for own, hub in zip(owned, hubs, strict=True)
    ]
    chains, borders = edges_of(cage, nets)
    points, cones, corners = vertices_of(cage, nets, borders)
    ends = nets.slopes(np.repeat(np.arange(len(nets)), 4), np.tile(_CORNERS, (len(nets), 1))).point
    return SubdivisionComplex(
        nets,
        joins,
        tuple(sheets),
        face,
        index,
        tuple(chains),
        points,
        tuple(cones),
        tuple(corners),
        closed,
        mass_of(nets, closed),
        0.5 * float(np.linalg.norm(np.ptp(ends, axis=0))),
    )


@dataclass(frozen=True, eq=False)
class SubdivisionComplex:
    """Faces, edges and vertices of a limit surface; the fields are those of `Complex`.

    nets, joins: all quadrilaterals.  patch_face (n,), patch_index (n,): the face of each, and its number
    there.  vertex_corners: a quadrilateral at each vertex, and its corner, 0 to 3.
    """

    nets: LimitNets
    joins: Joins
    surfaces: tuple[LimitSheet, ...]
    patch_face: Ints
    patch_index: Ints
    curves: tuple[LimitChain, ...]
    vertices: Floats
    cones: tuple[Floats, ...]
    vertex_corners: tuple[tuple[int, int], ...]
    closed: bool
    mass: MassProperties
    size: float
    kind: str = KIND

    def tessellate(
        self, resolution: tuple[int, int] | None = None, tolerance: float | None = None
    ) -> Tessellation:
        """Return triangles: `resolution` lines (nu, nv) or more on every quadrilateral, or within a tolerance
        in scene units, 0.2 % of the body's size unless given.

        Raises SurfaceError for a tolerance that is not positive, or that needs more than 300,000 cells.
        """
        within = DEFAULT_TOLERANCE * self.size if tolerance is None else tolerance
        if not within > 0.0:
            raise SurfaceError(self.kind, "tolerance", f"found {within:g}", "expected a positive number")
        if resolution is None:
            counts, bounds = counts_within(self.nets, self.joins, within)
        else:
            wanted = np.tile(np.maximum(np.array(resolution) - 1, 1), (len(self.nets), 1))
            counts = alike(strips_of(self.joins), wanted)
            bounds = bounds_of(self.nets, counts, within)
        return self._tessellation(mesh_of(self.nets, self.joins, counts, bounds))

    def _tessellation(self, mesh: LimitMesh) -> Tessellation:
        order = np.argsort(self.patch_face[mesh.patch], kind="stable")
        place = np.empty_like(order)
        place[order] = np.arange(len(order))
        patch = mesh.patch[order]
        uv = mesh.uv[order] + self._origins[patch][:, None]
        return Tessellation(
            mesh.points,
            mesh.corners[order],
            self.patch_face[patch],
            uv,
            mesh.bound[order],
            *self._segments(mesh, place),
            self._vertex_owners(mesh, place),
        )

    @property
    def _origins(self) -> Floats:
        """Where the parameters of each quadrilateral (n, 2) begin on its face."""
        origins = np.empty((len(self.nets), 2))
        for number, sheet in enumerate(self.surfaces):
            own = np.flatnonzero(self.patch_face == number)
            origins[own] = sheet.board.origins[self.patch_index[own]]
        return origins

    def _segments(self, mesh: LimitMesh, place: Ints) -> tuple[Floats, Ints, Floats, Floats, Ints]:
        """Polylines of all edges along their sides: ends, edge, t, bound, owner."""
        none = np.empty(0, dtype=np.intp)
        parts = [(np.empty((0, 2, 3)), none, np.empty((0, 2)), np.empty(0), none)]
        rounding = 4.0 * float(np.finfo(np.float64).eps) * float(np.abs(mesh.points).max())
        for edge, chain in enumerate(self.curves):
            for number, piece in enumerate(chain.side_pieces[:-1].tolist()):
                patch, side = int(chain.first.patch[piece]), int(chain.first.side[piece])
                crossing, _ = mesh.lattice.along(np.array([patch]), np.array([side]))
                owner = place[mesh.lattice.beside(patch, side)]
                if chain.first.backwards[piece]:
                    crossing, owner = crossing[::-1], owner[::-1]
                points = mesh.points[mesh.numbers[crossing]]
                knots = chain.parameters(number, np.arange(len(crossing)) / len(owner))
                t = np.column_stack([knots[:-1], knots[1:]])
                edges = np.full(len(owner), edge, dtype=np.intp)
                bound = chain.chord_bounds(edges, t[:, 0], t[:, 1]) + rounding
                parts.append((np.stack([points[:-1], points[1:]], axis=1), edges, t, bound, owner))
        ends, edges, ts, bounds, owners = (np.concatenate(column) for column in zip(*parts, strict=True))
        return ends, edges, ts, bounds, owners

    def _vertex_owners(self, mesh: LimitMesh, place: Ints) -> Ints:
        owners = []
        for patch, corner in self.vertex_corners:
            nu, nv = mesh.lattice.counts[patch].tolist()
            cell = (0, (nu - 1) * nv, nu * nv - 1, nv - 1)[corner]
            owners.append(2 * (int(mesh.lattice.first_cells[patch]) + cell) + (corner == 2))
        return place[np.array(owners, dtype=np.intp)]
