"""One body prepared for contact: its box tree, and what contact looks up of its triangles again and again."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from operator import is_

import numpy as np

from ..arrays import Bools, Floats, Ints
from ..bodies import Body, merge
from ..bodies.topology import pieces_of, topology_of
from ..bodies.topology.seams import Seams, seams_of
from ..collision import BoxTree, Part, TriangleDirections, join_trees, remember, tree_of
from ..mesh.edges import edge_table
from ..mesh.features import FLAT
from ..surfaces.flat import Segments
from ..vectors import dot
from .features import EDGE, FACE, VERTEX
from .normal_bounds import edge_normal_bounds, triangle_normal_bounds, vertex_normal_bounds
from .row_lists import RowLists


@dataclass(frozen=True, eq=False)
class PlanarFace:
    """A planar face of a body's topology, in the body's frame.

    normal (3,), unit; offset: the plane is normal . x = offset.
    deviation: the farthest, a length, that the face is from that plane.
    border (e, 2, 3): the ends of its edges.
    part: its triangles.
    """

    normal: Floats
    offset: float
    deviation: float
    border: Floats
    part: Part


@dataclass(frozen=True, eq=False)
class ContactBody:
    """A body, or several that never move against each other, with t triangles.

    trusted (nf,): the face belongs to a closed, oriented solid, so its normal says which side is outside.
    straight (ne,): the edge is a straight segment.
    triangle_flat (t,): the triangle is of a flat face.
    triangle_plain (t,): it is of a flat face and owns no bent edge.
    triangle_size (t,): its longest side, a length.
    segments, straight_segments, vertices: what each triangle owns.  Pairs of straight segments are found in
    another way than those of bent ones.
    """

    body: Body
    tree: BoxTree
    trusted: Bools
    straight: Bools
    triangle_flat: Bools
    triangle_plain: Bools
    triangle_size: Floats
    segments: RowLists
    straight_segments: RowLists
    vertices: RowLists

    @classmethod
    def of(cls, bodies: Sequence[Body]) -> ContactBody:
        """Prepare one body, or several that never move against each other (the world).

        A body is prepared once, and so is a world until its first body is prepared in another one.
        """
        role = _ALONE if len(bodies) == 1 else _WORLD
        known = bodies[0].derived.get(role)
        if isinstance(known, _Prepared) and known.is_of(bodies):
            return known.contact_body
        prepared = cls._made(bodies)
        bodies[0].derived[role] = _Prepared(tuple(bodies), prepared)
        return prepared

    @classmethod
    def _made(cls, bodies: Sequence[Body]) -> ContactBody:
        body = bodies[0]
        if len(bodies) > 1:
            body = merge(list(bodies), "world", bodies[0].mass)  # its mass is never used: it stands still
            remember(body, join_trees(*(tree_of(part) for part in bodies)))
        trusted = np.repeat([b.closed for b in bodies], [len(b.face_surface) for b in bodies])
        return cls._of_body(body, trusted)

    @classmethod
    def joined(cls, parts: Sequence[ContactBody]) -> ContactBody:
        """Return prepared bodies as one, each in its own frame; features are numbered body after body."""
        body = merge([part.body for part in parts], "joined", parts[0].body.mass)  # the mass is never used
        remember(body, join_trees(*(part.tree for part in parts)))
        return cls._of_body(body, np.concatenate([part.trusted for part in parts]))

    @classmethod
    def _of_body(cls, body: Body, trusted: Bools) -> ContactBody:
        straight_curve = np.array([isinstance(curve, Segments) for curve in body.curves], dtype=bool)
        straight = straight_curve[body.edge_curve] if len(straight_curve) else np.zeros(0, bool)
        side = body.triangles - np.roll(body.triangles, 1, axis=1)
        count = len(body.triangles)
        flat = body.face_flat[body.triangle_face]
        plain = flat.copy()
        plain[body.segment_owner[~straight[body.segment_edge]]] = False
        every, lines = np.arange(len(body.segments)), np.nonzero(straight[body.segment_edge])[0]
        return cls(
            body,
            tree_of(body),
            trusted,
            straight,
            flat,
            plain,
            np.sqrt(dot(side, side).max(axis=1)),
            RowLists.of(every, body.segment_owner, count),
            RowLists.of(lines, body.segment_owner[lines], count),
            RowLists.of(np.arange(len(body.vertices)), body.vertex_owner, count),
        )

    @cached_property
    def farthest(self) -> float:
        """A bound of the distances of its points from the centre of mass, a length."""
        centre = self.body.mass.center
        return float(np.linalg.norm(np.maximum(centre - self.tree.lower[0], self.tree.upper[0] - centre)))

    @cached_property
    def is_plain(self) -> bool:
        """Whether nothing of it is curved."""
        return bool(self.triangle_plain.all())

    @cached_property
    def is_plain_solid(self) -> bool:
        """Whether nothing of it is curved, and its normals say which side is outside."""
        return self.is_plain and bool(self.trusted.all())

    @cached_property
    def has_flat_parts(self) -> bool:
        """Whether it has a flat face, a straight edge or a vertex."""
        return bool(self.triangle_flat.any() or self.straight.any() or len(self.body.vertices))

    @cached_property
    def farthest_bound(self) -> float:
        """The largest distance, a length, of any triangle from the true surface."""
        return float(self.body.triangle_bound.max())

    @cached_property
    def dihedral_tolerance(self) -> Floats:
        """For each triangle (t,) the sine that `dihedral_tolerances` gives."""
        return dihedral_tolerances(self.body, self.triangle_flat)

    @cached_property
    def normal_bounds(self) -> TriangleDirections:
        """For each triangle the directions in which it and what it owns can be met (`normal_bounds`)."""
        owned = (
            (self.straight_segments, self.edge_normal_bounds),
            (self.vertices, self.vertex_normal_bounds),
        )
        return triangle_normal_bounds(self.body, self.tree, self.triangle_flat, self.vertices, owned)

    @cached_property
    def edge_normal_bounds(self) -> Floats:
        """For each segment (e, 3) the largest component of its normals on each axis."""
        return edge_normal_bounds(self.body, self.straight)

    @cached_property
    def vertex_normal_bounds(self) -> Floats:
        """For each vertex (v, 3) the largest component of its normals on each axis."""
        return vertex_normal_bounds(self.body)

    @cached_property
    def corners_across(self) -> Floats:
        """The far corners (t, 3, 3) of the triangles across the three sides of each, from corner i to i + 1.

        They are NaN where not exactly two triangles meet at a side.
        """
        edges = edge_table(self.body.triangle_corners)
        sides = edges.sides[edges.paired]
        opposite = np.roll(self.body.triangles, 1, axis=1).reshape(-1, 3)
        across = np.full_like(opposite, np.nan)
        across[sides[:, 0]], across[sides[:, 1]] = opposite[sides[:, 1]], opposite[sides[:, 0]]
        return across.reshape(-1, 3, 3)

    @cached_property
    def seams(self) -> Seams:
        """The seams of its curved faces."""
        return seams_of(self.body)

    @cached_property
    def triangle_centre(self) -> Floats:
        """The triangles' centres (t, 3) in the body's frame."""
        centre: Floats = self.body.triangles.mean(axis=1)
        return centre

    @cached_property
    def _edge_trusted(self) -> Bools:
        """Which edges (ne,) belong to a closed, oriented solid."""
        trusted = np.zeros(len(self.straight), bool)
        trusted[self.body.segment_edge] = self.trusted[self.body.triangle_face[self.body.segment_owner]]
        return trusted

    def of_solid(self, dim: Ints, index: Ints) -> Bools:
        """Return which features (k,) belong to a closed, oriented solid."""
        out = np.zeros(len(dim), bool)
        faces, edges, vertices = dim == FACE, dim == EDGE, dim == VERTEX
        out[faces] = self.trusted[index[faces]]
        out[edges] = self._edge_trusted[index[edges]]
        owner = self.body.vertex_owner[index[vertices]]
        out[vertices] = self.trusted[self.body.triangle_face[owner]]
        return out

    @cached_property
    def _planar_faces(self) -> dict[int, PlanarFace]:
        return {}

    def planar_face(self, number: int) -> PlanarFace:
        """Return a face of the body's topology; each is made once."""
        if number not in self._planar_faces:
            topology = topology_of(self.body)
            edges = np.repeat(np.arange(len(topology.edge_vertices)), np.diff(topology.edge_face_start))
            self._planar_faces[number] = PlanarFace(
                topology.face_normal[number],
                float(topology.face_offset[number]),
                float(topology.face_deviation[number]),
                topology.edge_ends[np.unique(edges[topology.edge_faces == number])],
                Part.of(self.tree, topology.triangle_face == number),
            )
        return self._planar_faces[number]

    @cached_property
    def _fans(self) -> tuple[RowLists, Ints]:
        """The manifold components of vertices at each planar face, and sorted keys of all these pairs."""
        topology = topology_of(self.body)
        face, count = topology.component_faces, topology.face_count
        component = np.repeat(
            np.arange(len(topology.component_face_start) - 1), np.diff(topology.component_face_start)
        )
        return RowLists.of(component, face, count), np.sort(component * count + face)

    def in_one_fan(self, first: Ints, second: Ints) -> Bools:
        """Return which flat faces (k,) are the same as others (k,), or meet them in a vertex from which one
        leads to the other across edges.
        """
        planar, (components, keys) = pieces_of(self.body).planar, self._fans
        a, b = planar[first], planar[second]
        row, component = components.of_rows(a)
        in_one: Bools = a == b
        wanted = component * topology_of(self.body).face_count + b[row]
        place = np.searchsorted(keys, wanted)  # not isin, which would sort the keys of the whole world again
        in_one[row[keys[np.minimum(place, len(keys) - 1)] == wanted]] = True
        return in_one

    def flat_or_straight(self, dim: Ints, index: Ints) -> Bools:
        """Return which features (k,) are flat faces or straight edges; vertices are neither."""
        faces, edges = dim == FACE, dim == EDGE
        out: Bools = faces | edges
        out[faces] = self.body.face_flat[index[faces]]
        out[edges] = self.straight[index[edges]]
        return out

    def flat_face(self, dim: Ints, index: Ints) -> Bools:
        """Return which features (k,) are flat faces."""
        faces = dim == FACE
        out: Bools = faces.copy()
        out[faces] = self.body.face_flat[index[faces]]
        return out


_ALONE, _WORLD = "alone in contact", "world of contact"


@dataclass(frozen=True, eq=False)
class _Prepared:
    """What bodies were prepared, and what for contact they became."""

    bodies: tuple[Body, ...]
    contact_body: ContactBody

    def is_of(self, bodies: Sequence[Body]) -> bool:
        """Return whether these very bodies were prepared."""
        return len(bodies) == len(self.bodies) and all(map(is_, bodies, self.bodies))


def dihedral_tolerances(body: Body, flat: Bools) -> Floats:
    """Return for each triangle (t,) the largest sine of its angles with its neighbours in the same plane.

    A quadrilateral in single precision is two triangles whose planes differ by rounding.  The edge between
    them is no feature where the sine is at most `mesh.features.FLAT`, so nothing keeps an edge of another
    body, lying along the face, from dipping into it by that sine times the length that the two share.  No
    smaller step could avoid that overlap, so `interpenetration` allows for it.

    flat (t,): which triangles are of flat faces.  The others, and larger angles, give 0.
    """
    tolerances = np.zeros(len(flat))
    rows = np.flatnonzero(flat)
    edges = edge_table(body.triangle_corners[rows])
    pairs = edges.faces[edges.paired]
    a, b, c = body.triangles[rows].transpose(1, 0, 2)
    normal = np.cross(b - a, c - a)
    normal /= np.sqrt(np.einsum("ti,ti->t", normal, normal))[:, None]
    turn = np.cross(normal[pairs[:, 0]], normal[pairs[:, 1]])
    sine = np.sqrt(np.einsum("ti,ti->t", turn, turn))
    for side in pairs.T:
        np.maximum.at(tolerances, rows[side], np.where(sine <= FLAT, sine, 0.0))
    return tolerances
