"""The boundary of the body that an implicit surface encloses: three patches over each triangle of a mesh of
it.

Each corner of a triangle has a quadrilateral, from the corner to the midpoints of its two edges and to the
triangle's centre, which all lie on the surface. A connected component of the surface is one face, without
edges or vertices.

The tessellation is those quadrilaterals, cut in two. How far a patch is from them is sampled at 5 by 5
parameters, and what it may be between the samples is added: as much as it changes from any of them to the
next. The distance is smooth, 0 at the corners, and greatest about the middle, where it changes least. In the
same way the height is bounded within which a patch looks for the surface along its lines.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from ..arrays import Bools, Floats, Ints
from ..errors import BlobError
from ..implicit.functions.base import ImplicitFunction
from ..implicit.polygonize.mesh_topology import MeshTopology, area_vectors
from ..implicit.polygonize.refinement import bisected_at_longest_edges
from ..implicit.projection import projected
from ..jobs import Job, Progress, finished
from ..mesh.mass import MassProperties
from ..surfaces.base import Curve, Surface
from ..surfaces.bezier.geodesics import PatchAtlas
from ..surfaces.bezier.joins import Joins
from ..surfaces.bezier.sheet import BezierSheet
from ..surfaces.flat import Triangles
from ..surfaces.tessellation import Tessellation
from ..vectors import dot, length, unit
from .implicit_mass import weighing
from .implicit_patches import BLOCK, ImplicitPatches, implicit_patches, most_between

_ROUNDING = 2.0**-48  # relative rounding of coordinates
_STEEPEST = 0.1  # least cosine between the direction of a line and F_x
_REACH = 0.25  # longest sides of a triangle: how far from a patch the surface is looked for at first
_CUTS = 6  # rounds in which triangles are cut
SMOOTHER = "blend its elements more smoothly"  # what to do about creases, for messages
# parameters (2, 3, 2) of the corners of the two triangles over a patch
_HALVES = np.array([[[0, 0], [1, 0], [0, 1]], [[1, 1], [0, 1], [1, 0]]], dtype=np.float64)


@dataclass(frozen=True, eq=False)
class ImplicitComplex:
    """The boundary of a body of implicit surfaces; its fields are those of `GridComplex`.

    Attributes:
        surfaces: the faces, one for each component of the surface.
        mass: of the solid, density 1.
        places: the points of the mesh, then midpoints of edges, then centres of triangles (p, 3), all on the
            surface.
        corners: the tessellation's triangles (6 t, 3), t those of the mesh, numbered in `places`.
        face: the face of each triangle (6 t,).
        uv: the parameters of its corners (6 t, 3, 2).
        bound: how far each triangle is from the surface at most (6 t,), in scene units.
        curves: none, as the surface has no edges.
        vertex_directions: none, as it has no vertices.
        closed: whether the surface bounds a solid.
    """

    surfaces: tuple[Surface, ...]
    mass: MassProperties
    places: Floats
    corners: Ints
    face: Ints
    uv: Floats
    bound: Floats
    curves: tuple[Curve, ...] = ()
    vertex_directions: tuple[Floats, ...] = ()
    closed: bool = True

    @cached_property
    def vertices(self) -> Floats:
        """None (0, 3)."""
        return np.zeros((0, 3))

    def tessellate(
        self, resolution: tuple[int, int] | None = None, tolerance: float | None = None
    ) -> Tessellation:
        """Return the triangles, which are the same at any resolution: the mesh decides."""
        none = np.zeros(0, dtype=np.intp)
        return Tessellation(
            self.places,
            self.corners,
            self.face,
            self.uv,
            self.bound,
            np.zeros((0, 2, 3)),
            none,
            np.zeros((0, 2)),
            np.zeros(0),
            none,
            none,
        )


@dataclass(frozen=True, eq=False)
class _PatchedMesh:
    """Patches over the t triangles of a mesh, three on each, one after another.

    Attributes:
        patches: the patches.
        places: points on the surface (p, 3).
        numbers: the corners of each patch (3 t, 2, 2) among the places.
        bound: how far each patch is from its two triangles at most (3 t,), in scene units.
        topology: that of the mesh.
    """

    patches: ImplicitPatches
    places: Floats
    numbers: Ints
    bound: Floats
    topology: MeshTopology

    @property
    def halves(self) -> Ints:
        """The corners (3 t, 2, 3) of the two triangles over each patch."""
        return _halves(self.numbers)


def implicit_complex(
    function: ImplicitFunction, points: Floats, triangles: Ints, tolerance: float
) -> ImplicitComplex:
    """Return the boundary of the solid F < 0.

    See `making_implicit_complex`.
    """
    return finished(making_implicit_complex(function, points, triangles, tolerance))


def making_implicit_complex(
    function: ImplicitFunction, points: Floats, triangles: Ints, tolerance: float
) -> Job[ImplicitComplex]:
    """Return the boundary of the solid F < 0, in slices.

    Args:
        function: F.
        points: points on the surface (n, 3).
        triangles: a closed mesh through them (t, 3), cut where patches would be too far from flat.
        tolerance: how far that is, in scene units.

    Raises:
        BlobError: where the surface bends too sharply for the mesh.
    """
    mesh = yield from _patching(function, points, triangles)
    for _ in range(_CUTS):
        far: Bools = np.any((mesh.bound > tolerance).reshape(-1, 3), axis=1)
        if not far.any():
            break
        points, triangles = bisected_at_longest_edges(function, points, triangles, far)
        mesh = yield from _patching(function, points, triangles)
    _check_directions(mesh.patches)
    mass = yield from weighing([mesh.patches])
    return _complex_of(mesh, mass)


def _complex_of(mesh: _PatchedMesh, mass: MassProperties) -> ImplicitComplex:
    """Return the boundary, with one face for each component."""
    part, joins = np.repeat(mesh.topology.component_labels, 3), _joins(mesh.topology)
    order = np.argsort(part, kind="stable")
    owned = np.split(order, np.flatnonzero(np.diff(part[order])) + 1)
    sheets = [_sheet(mesh.patches, joins, own) for own in owned]
    origins = np.concatenate([sheet.layout.origins for sheet in sheets])
    return ImplicitComplex(
        tuple(sheets),
        mass,
        mesh.places,
        mesh.halves[order].reshape(-1, 3),
        np.repeat(part[order], 2),
        (origins[:, None, None] + _HALVES).reshape(-1, 3, 2),
        np.repeat(mesh.bound[order], 2),
    )


def _patching(function: ImplicitFunction, points: Floats, triangles: Ints) -> Job[_PatchedMesh]:
    """Return the patches over a mesh, in slices; their directions are the mean normals of the triangles about
    each place.
    """
    topology = MeshTopology.of(triangles, len(points))
    side = points[topology.ends[:, 1]] - points[topology.ends[:, 0]]
    reach = _REACH * np.sqrt(dot(side, side))[topology.edge_of].max(axis=1)
    added = np.concatenate([points[topology.ends].mean(axis=1), points[triangles].mean(axis=1)])
    places = np.concatenate([points, projected(function, added, float(reach.max()))])
    numbers = _quadrilaterals(topology)
    corners = _halves(numbers).reshape(-1, 3)
    vectors = np.repeat(area_vectors(places, corners), 3, axis=0)
    sums = [np.bincount(corners.ravel(), vectors[:, i], len(places)) for i in range(3)]
    directions = np.asarray(np.column_stack(sums), dtype=np.float64)
    directions, reach = unit(directions)[numbers], np.repeat(reach, 3)
    parts, bounds = [], []
    for start in range(0, len(numbers), BLOCK):
        yield Progress(f"Laying patches over {len(triangles)} triangles", start / len(numbers))
        own = slice(start, start + BLOCK)
        patches, found = implicit_patches(function, places[numbers[own]], directions[own], reach[own])
        away = _away(found.reshape(len(patches), -1, 3), places[_halves(numbers[own])])
        parts.append(patches)
        bounds.append(most_between(away.reshape(found.shape[:3])))
    joined = ImplicitPatches.join(parts)
    bound = np.concatenate(bounds) + _ROUNDING * joined.reach
    return _PatchedMesh(joined, places, numbers, bound, topology)


def _halves(numbers: Ints) -> Ints:
    """Return the corners (n, 2, 3) of the triangles that quadrilaterals (n, 2, 2) are cut into."""
    low, up, right, far = numbers[:, 0, 0], numbers[:, 0, 1], numbers[:, 1, 0], numbers[:, 1, 1]
    return np.stack([low, right, up, far, up, right], axis=1).reshape(-1, 2, 3)


def _quadrilaterals(topology: MeshTopology) -> Ints:
    """Return the places (3 t, 2, 2) of each quadrilateral's corners, by the ends of u and of v."""
    edges = topology.count + topology.edge_of
    before = np.roll(edges, 1, axis=1)
    centre = topology.count + len(topology.ends) + np.arange(len(topology.triangles))
    centres = np.broadcast_to(centre[:, None], edges.shape)
    return np.stack([topology.triangles, before, edges, centres], axis=2).reshape(-1, 2, 2)


def _joins(topology: MeshTopology) -> Joins:
    """Return how the quadrilaterals' sides are joined: within a triangle, and with that beyond each edge."""
    own = np.arange(topology.triangles.size).reshape(-1, 3)
    pairs = np.argsort(topology.edge_of.ravel(), kind="stable").reshape(-1, 2)
    flat = np.empty(own.size, dtype=np.intp)
    flat[pairs] = pairs[:, ::-1]
    twin = flat.reshape(-1, 3)
    following, before = np.roll(own, -1, axis=1), np.roll(own, 1, axis=1)
    beyond = 3 * (twin // 3) + (twin + 1) % 3
    patch = np.stack([np.roll(twin, 1, axis=1), following, beyond, before], axis=2).reshape(-1, 4)
    side = np.broadcast_to(np.array([2, 3, 0, 1], dtype=np.intp), patch.shape)
    no, yes = np.zeros(patch.shape, dtype=np.bool_), np.ones(patch.shape, dtype=np.bool_)
    return Joins(patch, side, no, yes)


def _away(points: Floats, halves: Floats) -> Floats:
    """Return how far points (n, m, 3) are from the nearer of two triangles (n, 2, 3, 3): (n, m), in scene
    units.
    """
    count, samples = points.shape[:2]
    flat, face = points.reshape(-1, 3), np.repeat(np.arange(count), samples)
    away = np.full(len(flat), np.inf)
    for half in (0, 1):
        triangles = Triangles.from_corners(halves[:, half])
        start = np.zeros((len(flat), 2))
        foot = triangles.move(face, start, flat - halves[face, half, 0])
        away = np.minimum(away, length(flat - triangles.derivatives(face, foot).point))
    return away.reshape(count, samples)


def _check_directions(patches: ImplicitPatches) -> None:
    """Raise BlobError where the surface leans too far from a patch, or is not found near it."""
    count = len(patches)
    at = np.tile([[0.25, 0.25], [0.5, 0.5], [0.75, 0.75]], (count, 1))
    patch = np.repeat(np.arange(count), 3)
    lines, found = patches.lines(patch, at), patches.slopes(patch, at).point
    value, gradient = patches.function.gradient(found)
    steep = np.sqrt(dot(gradient, gradient))
    bad = (dot(gradient, lines.direction) < _STEEPEST * steep) | ~(
        np.abs(value) <= 1e-3 * patches.heights[patch] * steep
    )
    if bad.any():
        where = ", ".join(f"{x:.4g}" for x in found[np.flatnonzero(bad)[0]])
        raise BlobError(
            "blob", f"its surface bends too sharply near ({where})", "blend its elements more smoothly"
        )


@dataclass(frozen=True, eq=False)
class ImplicitSheet(BezierSheet):
    """One face of exact patches; geodesics are traced over the polynomials near to them, which need no F."""

    nets: ImplicitPatches

    @cached_property
    def atlas(self) -> PatchAtlas:
        """What the tracing needs to know of the polynomials."""
        return PatchAtlas(self.nets.near, self.joins, self.poles, self.pole_of)


def _sheet(patches: ImplicitPatches, joins: Joins, own: Ints) -> ImplicitSheet:
    """Return the face of some patches, numbered anew."""
    new = np.full(len(patches), -1, dtype=np.intp)
    new[own] = np.arange(len(own))
    inner = Joins(new[joins.patch[own]], joins.side[own], joins.backwards[own], joins.smooth[own])
    return ImplicitSheet(patches.take(own), inner, (), np.full(len(own), -1, dtype=np.intp))
