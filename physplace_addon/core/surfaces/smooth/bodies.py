"""The boundary of the body that a smooth-shaded mesh stands for: curved faces through its vertices.

The mesh is creased (`creases`), faces that cannot be filled are cut (`reshaping`), tangents make a network of
curves (`network`), and Gregory's patches fill it (`gregory`).  Where patches fold over, creases are added
around their faces and all begins again.

*Mass.*  A rule of twelve nodes in each direction integrates the polynomial part of the fluxes exactly; the
rest is small, and its derivatives do not go on at the corners: more nodes reduce its error with their sixth
power.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from ...arrays import Bools, Floats, Ints
from ...mesh.mass import MassProperties
from ...vectors import cross, dot, length
from ..bernstein import bernstein
from ..bezier.joins import Joins
from ..bezier.sheet import BezierSheet
from ..cell_bounds import distances_to_triangles
from ..quadrature import flux_moments, gauss_rule, solid_of_moments, unit_square_rule
from ..subdivision.cage import with_infinite_sharpness
from ..subdivision.complex import CageComplex, Sheets, cage_boundary
from .creases import ShadedMesh, crease_sharp_edges, find_tangents, with_creases
from .gregory import GregoryNets, fill_network, twist_factors
from .network import Network, network_of
from .reshaping import inset_faces, triangulate_faces, unfillable_faces

_NODES = 12  # Gauss-Legendre nodes in each direction of a patch
_AT_ONCE = 1024  # patches integrated together: some ten megabytes
KIND = "smooth"  # the name of this kind of surface in errors
# Parameters in each direction of a patch at which it is checked for folds.
_GRID = np.array([0.0, 0.25, 0.5, 0.75, 1.0])
_ROUNDS = 6  # times that creases are added around folded patches before the mesh stays flat
# Contacts are first looked for at the corners of cells.  To show how a patch bends it is cut until the cells
# are within this distance of it, over the size of the mesh, or until there are so many along its sides.
_SHOWN = 4e-3
_ENOUGH = 3
_THIN = 1e-4  # least sine of the angle between a patch's tangents
_UPRIGHT = 0.05  # least cosine of the angle between a patch's normals and its face's
# Triangles of a face to which distances are measured; of larger faces they are measured to the plane.
_MOST_TRIANGLES = 64


def solid_mass(nets: GregoryNets) -> MassProperties:
    """Return the mass of the solid inside closed patches that face outwards."""
    centre = nets.control.mean(axis=(0, 1, 2))
    total = sum((_moments(nets, rows, centre) for rows in _batches(len(nets))), np.zeros(13))
    return solid_of_moments(total).moved(centre)


def _batches(count: int) -> list[slice]:
    return [slice(start, start + _AT_ONCE) for start in range(0, count, _AT_ONCE)]


def _moments(nets: GregoryNets, rows: slice, centre: Floats) -> Floats:
    """Return the moments (13,) of `flux_moments` about a centre, as far as some patches contribute."""
    basis = bernstein(gauss_rule(np.array([0.0, 1.0]), _NODES)[0], 1)
    at, weight = unit_square_rule(_NODES)
    twists = nets.twists[rows].reshape(-1, 4, 3)
    control = nets.control[rows] - centre
    point, du, dv = (
        (
            np.einsum("ai,bj,mijx->mabx", basis[:, a], basis[:, b], control, optimize=True).reshape(
                len(control), -1, 3
            )
            + twist_factors(at, 1)[a, b] @ twists
        ).reshape(-1, 3)
        for a, b in ((0, 0), (1, 0), (0, 1))
    )
    return flux_moments(point, du, dv, np.tile(weight, len(control)))


@dataclass(frozen=True, eq=False)
class SmoothMesh:
    """What is known of a smooth-shaded mesh.

    shaded: points, cage with its sharp edges, and wanted normals.  flat (nf,): which faces are flat.
    triangles (t, 3) of all faces; owner (t,): the face of each.  closed: whether it encloses a solid; mass:
    what it weighs if not.
    """

    shaded: ShadedMesh
    flat: Bools
    triangles: Ints
    owner: Ints
    closed: bool
    mass: MassProperties


@dataclass(frozen=True, eq=False)
class CurvedFaces:
    """The curved faces, their number of patches, and their largest distance from the mesh, scene units."""

    boundary: CageComplex
    patches: int
    distance: float


@dataclass(frozen=True, eq=False)
class ManyFaces(BezierSheet):
    """All faces of a mesh as one surface, so that one query serves many small ones.

    A face's parameters name the patch among all of them; no trace leaves a face.
    """

    count: int

    @property
    def face_count(self) -> int:
        """The number of faces."""
        return self.count


def is_curved(mesh: SmoothMesh) -> bool:
    """Return whether any two faces of a mesh go on smoothly in one another."""
    return not bool(crease_sharp_edges(mesh.shaded, mesh.flat).sharp.all())


def curved_faces(mesh: SmoothMesh) -> CurvedFaces | None:
    """Return the curved faces of a mesh; None if there are none without folds, or none at all."""
    shaded, parent = _reshaped(mesh)
    hard = np.zeros(len(shaded.points), dtype=np.bool_)
    for _ in range(_ROUNDS):
        found = find_tangents(shaded, hard)
        if found is None or found.shaded.cage.sharp.all():
            return None
        network = network_of(found)
        nets = fill_network(network)
        points, folded = _looked_at(nets, found.shaded.face_normals[network.parent])
        if not folded.any():
            distance = _distance(points, parent[network.parent], mesh)
            return CurvedFaces(_boundary(network, nets, mesh), len(nets), distance)
        bad = np.zeros(len(found.shaded.cage.sizes), dtype=np.bool_)
        bad[network.parent[folded]] = True
        shaded, hard = _creased_about(found.shaded, bad, hard)
    return None


def _reshaped(mesh: SmoothMesh) -> tuple[ShadedMesh, Ints]:
    """Return the mesh creased, its faces fit to be filled, and which of its faces (nf,) each of them is a
    part of.
    """
    shaded = replace(mesh.shaded, cage=crease_sharp_edges(mesh.shaded, mesh.flat))
    parent = np.arange(len(mesh.flat))
    bad = unfillable_faces(shaded)
    if bad.any():
        shaded, parent = triangulate_faces(shaded, bad, mesh.triangles, mesh.owner)
        shaded = replace(shaded, cage=crease_sharp_edges(shaded, np.zeros(len(parent), dtype=np.bool_)))
    found = find_tangents(shaded, np.zeros(len(shaded.points), dtype=np.bool_))
    if found is None or not found.blunt.any():
        return shaded, parent
    shaded, of = inset_faces(found)
    return shaded, parent[of]


def _looked_at(nets: GregoryNets, upright: Floats) -> tuple[Floats, Bools]:
    """Return points (n, p, 3) of patches, and which patches (n,) are turned away there from the unit vectors
    (n, 3) that their faces look along.
    """
    grid = np.stack(np.meshgrid(_GRID, _GRID, indexing="ij"), axis=-1).reshape(-1, 2)
    patch = np.repeat(np.arange(len(nets)), len(grid))
    slopes = nets.slopes(patch, np.tile(grid, (len(nets), 1)))
    normal = cross(slopes.along, slopes.across)
    size = length(normal)
    thin = size <= _THIN * length(slopes.along) * length(slopes.across)
    bad = thin | (dot(normal, upright[patch]) <= _UPRIGHT * size)
    return slopes.point.reshape(len(nets), -1, 3), np.asarray(bad.reshape(len(nets), -1).any(axis=1))


def _creased_about(shaded: ShadedMesh, bad: Bools, hard: Bools) -> tuple[ShadedMesh, Bools]:
    """Return the mesh with creases around some faces (nf,), and the hard vertices (nv,), theirs
    among them.
    """
    own = bad[shaded.cage.face]
    hard = hard.copy()
    hard[shaded.cage.corners[own]] = True
    return replace(shaded, cage=with_creases(shaded.cage, shaded.cage.sharp | own)), hard


def _boundary(network: Network, nets: GregoryNets, mesh: SmoothMesh) -> CageComplex:
    def bounds(rows: Ints, counts: Ints, enough: float) -> Floats:
        return nets.take(rows).bounds(counts)

    def sheets_of(face: Ints, joins: Joins) -> Sheets:
        within = replace(joins, patch=np.where(joins.smooth, joins.patch, -1))
        none = np.full(len(nets), -1, dtype=np.intp)
        sheet = ManyFaces(nets, within, (), none, int(face.max()) + 1)
        return (sheet,), sheet.layout.origins

    cage = with_infinite_sharpness(network.cage, False)
    mass = solid_mass(nets) if mesh.closed else mesh.mass
    return cage_boundary(KIND, cage, nets, bounds, sheets_of, mesh.closed, mass, _least_cells(nets))


def _least_cells(nets: GregoryNets) -> Ints:
    """Return how many cells (n,) each patch needs along its sides to show how it bends."""
    count, ends = len(nets), nets.control[:, ::3, ::3].reshape(-1, 3)
    size = 0.5 * float(np.linalg.norm(np.ptp(ends, axis=0)))
    whole = nets.bounds(np.ones((count, 2), dtype=np.intp))
    wanted = np.ceil(np.sqrt(whole / (_SHOWN * size)))  # halving a cell divides its bound by four
    cells: Ints = np.clip(wanted, 1.0, _ENOUGH).astype(np.intp)
    return cells


def _distance(points: Floats, parent: Ints, mesh: SmoothMesh) -> float:
    """Return the largest distance of points (m, p, 3) from the triangles of the faces `parent` (m,)."""
    order = np.argsort(mesh.owner, kind="stable")
    count = np.bincount(mesh.owner, minlength=len(mesh.flat))
    first = np.cumsum(count) - count
    few = np.minimum(count, _MOST_TRIANGLES)[parent]
    row = np.repeat(np.arange(len(parent)), few)
    number = np.arange(len(row)) - np.repeat(np.cumsum(few) - few, few)
    triangle = mesh.shaded.points[mesh.triangles[order[first[parent[row]] + number]]]
    away = distances_to_triangles(points[row], triangle)
    nearest = np.minimum.reduceat(away, np.cumsum(few) - few, axis=0)
    large = np.flatnonzero(count[parent] > _MOST_TRIANGLES)
    origin = mesh.shaded.points[mesh.shaded.cage.corners[mesh.shaded.cage.starts[parent[large]]]]
    offset = points[large] - origin[:, None]
    nearest[large] = np.abs(np.einsum("mpx,mx->mp", offset, mesh.shaded.face_normals[parent[large]]))
    return float(nearest.max())
