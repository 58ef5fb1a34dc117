"""Body: one boundary of faces, edges and vertices, with the triangles and segments that approximate them.

Collisions are found on triangles, segments and vertices.  Each has a bound on its distance to the exact
boundary, and its place there: triangle i lies on the global face `triangle_face[i]`, at parameters
`triangle_uv[i]`.  Global faces and edges are numbered through all surfaces and curves of the body.
`face_geometry` and the like take global numbers and evaluate each surface once, for all queries on it.

Mass of a sheet, a surface that encloses nothing, of uniform thickness: under a map that stretches, area does
not scale by one factor, so it is integrated again over the exact surfaces.  Flat faces are summed exactly.
The tessellation takes no part, so where a sheet rests does not depend on it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import TypeVar

import numpy as np
from numpy.typing import ArrayLike

from ..arrays import Bools, Floats, Ints
from ..errors import PhysPlaceError
from ..mesh.enclosing_ball import enclosing_ball
from ..mesh.mass import AREA, VOLUME, MassProperties, combined, mass_of_corners
from ..surfaces.base import Curve, Surface
from ..surfaces.flat import Triangles
from ..surfaces.geometry import EdgeGeometry, FaceGeometry
from ..surfaces.quadrature import face_sheet_mass

SPREAD_NOTE = "it encloses no volume, its mass is spread over its area"
HULL_NOTE = "its mass is from its hull, its holes closed, loose sheets without weight"


def sheet_mass(surfaces: Sequence[Surface]) -> MassProperties:
    """Return the mass, basis "area", of all faces of one or more surfaces, taken as one sheet."""
    return combined([_surface_mass(surface) for surface in surfaces])


def _surface_mass(surface: Surface) -> MassProperties:
    if isinstance(surface, Triangles):
        return mass_of_corners(surface.corners, AREA)
    return face_sheet_mass(surface)


SIMILARITY = 1e-12
"""Largest departure of L' L from a multiple of 1, over that multiple, that rounding of a similarity
causes."""


@dataclass(frozen=True, eq=False, repr=False)
class Body:
    """The boundary of a rigid body in its own frame.

    Lengths are in scene units.  There are nf faces, ne edges, nv vertices, t triangles and e segments.

    surfaces, face_surface (nf,), face_index (nf,): each face's surface, and the face's number there.
    curves, edge_curve (ne,), edge_index (ne,): each edge's curve, and the edge's number there.
    vertices (nv, 3): points.
    cone_start (nv + 1,), cone_directions (m, 3): unit directions along the body at vertex i are the rows
        cone_start[i] to cone_start[i + 1] - 1.
    triangles (t, 3, 3): corners, counterclockwise seen from outside.
    triangle_face (t,), triangle_uv (t, 3, 2): the face of each, and the parameters of its corners.
    triangle_bound (t,): no point of the face is farther from its triangle.
    triangle_corners (t, 3), point_count: numbers of the tessellation's points, shared within a face.
    segments (e, 2, 3), segment_edge (e,), segment_t (e, 2), segment_bound (e,): the same for edges.
    segment_owner (e,), vertex_owner (nv,): a triangle beside each, whose box holds it in a search.
    mass: in the body's frame.  radius: of the smallest ball that encloses the tessellation.
    face_flat (nf,): whether a face is planar.
    closed: whether this is a consistently oriented solid; if not, normals do not tell inside from outside.
    notes: what was found or assumed, for the report.
    derived: what is made of the body once and freed with it, such as its box tree, by name.
    """

    name: str
    surfaces: tuple[Surface, ...]
    face_surface: Ints
    face_index: Ints
    curves: tuple[Curve, ...]
    edge_curve: Ints
    edge_index: Ints
    vertices: Floats
    cone_start: Ints
    cone_directions: Floats
    triangles: Floats
    triangle_face: Ints
    triangle_uv: Floats
    triangle_bound: Floats
    triangle_corners: Ints
    point_count: int
    segments: Floats
    segment_edge: Ints
    segment_t: Floats
    segment_bound: Floats
    segment_owner: Ints
    vertex_owner: Ints
    mass: MassProperties
    radius: float
    face_flat: Bools
    closed: bool
    notes: tuple[str, ...] = field(default_factory=tuple)  # no class attribute: `MeshBody` makes it later
    derived: dict[str, object] = field(default_factory=dict, init=False)

    def __repr__(self) -> str:
        counts = f"{self.face_count} faces, {self.edge_count} edges, {len(self.vertices)} vertices"
        return f"Body({self.name!r}: {counts}, {len(self.triangles)} triangles)"

    @property
    def face_count(self) -> int:
        """The number of faces."""
        return len(self.face_surface)

    @property
    def edge_count(self) -> int:
        """The number of edges."""
        return len(self.edge_curve)

    @property
    def points(self) -> Floats:
        """The tessellation's points (point_count, 3)."""
        points = np.empty((self.point_count, 3))
        points[self.triangle_corners.ravel()] = self.triangles.reshape(-1, 3)
        return points

    def face_geometry(self, face: Ints, uv: Floats) -> FaceGeometry:
        """Return points, frames, outward normals and curvature of global faces (k,) at parameters (k, 2)."""
        parts = _by_owner(
            self.surfaces, self.face_surface[face], lambda s, rows: _face_part(s, self, face, uv, rows)
        )
        count = len(face)
        return FaceGeometry(
            _gathered(parts, 0, (count, 3)),
            _gathered(parts, 1, (count, 2, 3)),
            _gathered(parts, 2, (count, 3)),
            _gathered(parts, 3, (count, 2, 2)),
        )

    def face_points(self, face: Ints, uv: Floats) -> Floats:
        """Return the points (k, 3) alone of global faces (k,) at parameters (k, 2)."""

        def part(surface: Surface, rows: Ints) -> tuple[Floats, ...]:
            return (surface.points(self.face_index[face[rows]], uv[rows]),)

        return _gathered(_by_owner(self.surfaces, self.face_surface[face], part), 0, (len(face), 3))

    def face_move(self, face: Ints, uv: Floats, displacement: Floats) -> Floats:
        """Return the parameters (k, 2) of the closest points of faces (k,) to those at uv displaced by (k,
        3).
        """

        def moved(surface: Surface, rows: Ints) -> tuple[Floats, ...]:
            return (surface.move(self.face_index[face[rows]], uv[rows], displacement[rows]),)

        return _gathered(_by_owner(self.surfaces, self.face_surface[face], moved), 0, (len(face), 2))

    def edge_geometry(self, edge: Ints, t: Floats) -> EdgeGeometry:
        """Return points, unit tangents and curvature vectors of global edges (k,) at parameters (k,)."""

        def part(curve: Curve, rows: Ints) -> tuple[Floats, ...]:
            found = curve.geometry(self.edge_index[edge[rows]], t[rows])
            return found.point, found.tangent, found.curvature

        parts = _by_owner(self.curves, self.edge_curve[edge], part)
        shape = (len(edge), 3)
        return EdgeGeometry(
            _gathered(parts, 0, shape), _gathered(parts, 1, shape), _gathered(parts, 2, shape)
        )

    def edge_move(self, edge: Ints, t: Floats, distance: Floats) -> Floats:
        """Return the parameters (k,) on edges (k,) a signed arc length (k,) farther along than t (k,)."""

        def moved(curve: Curve, rows: Ints) -> tuple[Floats, ...]:
            return (curve.move(self.edge_index[edge[rows]], t[rows], distance[rows]),)

        return _gathered(_by_owner(self.curves, self.edge_curve[edge], moved), 0, (len(edge),))

    def edge_conormals(self, edge: Ints, t: Floats) -> Floats:
        """Return the unit conormals (k, 2, 3), into each adjacent face, of edges (k,) at t; NaN where
        unknown.
        """

        def part(curve: Curve, rows: Ints) -> tuple[Floats, ...]:
            return (curve.conormals(self.edge_index[edge[rows]], t[rows]),)

        return _gathered(_by_owner(self.curves, self.edge_curve[edge], part), 0, (len(edge), 2, 3))

    def transformed(self, affine: ArrayLike, name: str | None = None) -> Body:
        """Return this body after an invertible affine map (4, 4), exactly; a mirrored body keeps its outside.

        Raises:
            PhysPlaceError: the map is not finite, or it flattens the body.
        """
        matrix = checked_affine(affine, self.name)
        if np.array_equal(matrix, np.eye(4)):
            return replace(self, name=self.name if name is None else name)
        stretch = float(np.linalg.norm(matrix[:3, :3], ord=2))
        mirrored = bool(np.linalg.det(matrix[:3, :3]) < 0.0)
        triangles = mapped(self.triangles, matrix)
        moved = replace(
            self,
            name=self.name if name is None else name,
            surfaces=tuple(surface.transformed(matrix) for surface in self.surfaces),
            curves=tuple(curve.transformed(matrix) for curve in self.curves),
            vertices=mapped(self.vertices, matrix),
            cone_directions=_unit(self.cone_directions @ matrix[:3, :3].T),
            triangles=reversed_corners(triangles) if mirrored else triangles,
            triangle_uv=reversed_corners(self.triangle_uv) if mirrored else self.triangle_uv,
            triangle_corners=reversed_corners(self.triangle_corners) if mirrored else self.triangle_corners,
            triangle_bound=self.triangle_bound * stretch,
            segments=mapped(self.segments, matrix),
            segment_bound=self.segment_bound * stretch,
        )
        scale = similarity_scale(matrix)
        if scale is not None:
            return replace(moved, mass=self.mass.transformed(matrix), radius=self.radius * scale)
        return replace(moved, mass=_stretched_mass(moved, matrix), radius=enclosing_ball(moved.points)[1])


def _face_part(surface: Surface, body: Body, face: Ints, uv: Floats, rows: Ints) -> tuple[Floats, ...]:
    found = surface.geometry(body.face_index[face[rows]], uv[rows])
    return found.point, found.frame, found.normal, found.curvature


Owner = TypeVar("Owner")


def _by_owner(
    owners: Sequence[Owner], owner: Ints, question: Callable[[Owner, Ints], tuple[Floats, ...]]
) -> list[tuple[Ints, tuple[Floats, ...]]]:
    """Return, for each owner (a surface or a curve) with queries, the rows of its queries and the answers.

    owner (k,) is that of each query; `question` is called once an owner.
    """
    if len(owner) and np.all(owner == owner[0]):
        return [(np.arange(len(owner)), question(owners[int(owner[0])], np.arange(len(owner))))]
    order = np.argsort(owner, kind="stable")
    groups = np.split(order, np.flatnonzero(np.diff(owner[order])) + 1)
    return [(rows, question(owners[int(owner[rows[0]])], rows)) for rows in groups if len(rows)]


def _gathered(parts: list[tuple[Ints, tuple[Floats, ...]]], which: int, shape: tuple[int, ...]) -> Floats:
    """Return one of the answers of all owners, in the order of the queries."""
    if len(parts) == 1:
        return parts[0][1][which]
    result = np.empty(shape)
    for rows, answers in parts:
        result[rows] = answers[which]
    return result


def checked_affine(affine: ArrayLike, name: str) -> Floats:
    """Return an affine map as an array (4, 4).

    Raises:
        PhysPlaceError: it is not finite, or it flattens space.
    """
    matrix = np.asarray(affine, dtype=np.float64)
    if matrix.shape != (4, 4) or not np.all(np.isfinite(matrix)):
        raise PhysPlaceError(
            f'"{name}": expected a finite (4, 4) matrix, found {matrix.shape}: {matrix.tolist()}'
        )
    scales = np.linalg.svd(matrix[:3, :3], compute_uv=False)
    if scales[2] <= 1e-9 * scales[0]:
        raise PhysPlaceError(f'"{name}": its scale is zero along some direction; give it a scale on all axes')
    return matrix


def similarity_scale(matrix: Floats) -> float | None:
    """Return the factor by which a map (4, 4) scales all lengths, or None if it is no similarity."""
    linear = matrix[:3, :3]
    square = linear.T @ linear
    factor = float(np.trace(square)) / 3.0
    if np.abs(square - factor * np.eye(3)).max() > SIMILARITY * factor:
        return None
    return float(np.sqrt(factor))


def _stretched_mass(moved: Body, matrix: Floats) -> MassProperties:
    """Return the mass, now that of `moved` before the map (4, 4), after it: of a sheet what was given stays
    given, else its density stays.
    """
    before = moved.mass
    if before.basis == VOLUME:
        return before.transformed(matrix)
    found = sheet_mass(moved.surfaces)
    return found.weighing(before.mass) if before.given else replace(found, density=before.density)


def mapped(points: Floats, matrix: Floats) -> Floats:
    """Return points (..., 3) after an affine map (4, 4)."""
    moved: Floats = points.reshape(-1, 3) @ matrix[:3, :3].T + matrix[:3, 3]
    return moved.reshape(points.shape)


def _unit(vectors: Floats) -> Floats:
    unit: Floats = vectors / np.linalg.norm(vectors, axis=-1, keepdims=True)
    return unit


Corners = TypeVar("Corners", Floats, Ints)


def reversed_corners(corners: Corners) -> Corners:
    """Return the corners (t, 3, ...) of triangles in the opposite order."""
    return np.concatenate([corners[:, :1], corners[:, :0:-1]], axis=1)
