"""A body's topology prepared for region analysis: box trees of its entities, and what borders on what.

Bouma and Vanecek 1991, section 10, go through all entities of one solid against the other's spatial index.
Here each body has two trees beside that of its triangles: one over its straight edges and one over its
vertices, each a triangle without area.  A face of many triangles then costs no more than one of few.

The tessellation of a curved edge is no straight edge: its segments and their ends are left out, because
interface points of the curved features stand for them.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from weakref import WeakKeyDictionary

import numpy as np

from ...arrays import Bools, Floats, Ints
from ...bodies import Body
from ...bodies.topology import Topology, topology_of
from ...collision import BoxTree, build_tree
from ...rigid import Pose
from ..contact_body import ContactBody
from ..features import EDGE, FACE, VERTEX
from ..row_lists import IndexPairs, RowLists, placed


@dataclass(frozen=True, eq=False)
class ContactBoundary:
    """The topology of a body, with trees over its entities, in the body's frame.

    triangles: the tree over the body's triangles.
    trusted (f,): the face's normal is known to look outside.
    """

    topology: Topology
    triangles: BoxTree
    trusted: Bools

    @cached_property
    def tree_vertices(self) -> Ints:
        """The numbers (n,) of the vertices in `vertex_tree`."""
        return np.flatnonzero(~self.topology.vertex_curved)

    @cached_property
    def tree_edges(self) -> Ints:
        """The numbers (n,) of the edges in `edge_tree`."""
        return np.flatnonzero(~self.topology.edge_curved)

    @cached_property
    def vertex_tree(self) -> BoxTree | None:
        """The tree over `tree_vertices`; None if there are none."""
        points = self.topology.vertices[self.tree_vertices]
        return build_tree(np.repeat(points[:, None], 3, axis=1)) if len(points) else None

    @cached_property
    def edge_tree(self) -> BoxTree | None:
        """The tree over `tree_edges`; None if there are none."""
        ends = self.topology.edge_ends[self.tree_edges]
        return build_tree(ends[:, [0, 1, 1]]) if len(ends) else None

    @cached_property
    def faces_of_edges(self) -> RowLists:
        """The planar faces of each edge; their places are those of `Topology.edge_conormals`."""
        return RowLists(self.topology.edge_face_start, self.topology.edge_faces)

    @cached_property
    def places_of_edges(self) -> RowLists:
        """The places of each edge's faces in `Topology.edge_faces`."""
        return RowLists(self.topology.edge_face_start, np.arange(len(self.topology.edge_faces)))

    @cached_property
    def edges_of_vertices(self) -> RowLists:
        """The edges of each vertex."""
        return RowLists(self.topology.vertex_edge_start, self.topology.vertex_edges)

    @cached_property
    def faces_of_vertices(self) -> RowLists:
        """The planar faces of each vertex."""
        return RowLists(self.topology.vertex_face_start, self.topology.vertex_faces)

    @cached_property
    def components_of_vertices(self) -> RowLists:
        """The manifold components of each vertex."""
        start = self.topology.vertex_component_start
        return RowLists(start, np.arange(int(start[-1])))

    @cached_property
    def faces_of_components(self) -> RowLists:
        """The planar faces of each manifold component of a vertex."""
        return RowLists(self.topology.component_face_start, self.topology.component_faces)

    @cached_property
    def _bounds(self) -> dict[tuple[int, int], tuple[Ints, int]]:
        """For each two dimensions, the lesser first: sorted keys of incident entities, and their factor."""
        topology = self.topology
        edge = np.repeat(np.arange(topology.edge_count), np.diff(topology.edge_face_start))
        vertex = np.repeat(np.arange(topology.vertex_count), np.diff(topology.vertex_face_start))
        lists = {
            (VERTEX, EDGE): (topology.edge_vertices.ravel(), np.arange(2 * topology.edge_count) // 2),
            (EDGE, FACE): (edge, topology.edge_faces),
            (VERTEX, FACE): (vertex, topology.vertex_faces),
        }
        counts = {EDGE: topology.edge_count, FACE: topology.face_count}
        return {
            dims: (np.sort(lower * counts[dims[1]] + upper), counts[dims[1]])
            for dims, (lower, upper) in lists.items()
        }

    def likeness(self, dim: Ints, index: Ints, other_dim: Ints, other_index: Ints) -> Ints:
        """Return how entities (k,) are related to others (k,): 2 the same, 1 one bounds the other, 0 not."""
        like = np.where((dim == other_dim) & (index == other_index), 2, 0)
        swap = dim > other_dim
        low, high = np.where(swap, other_index, index), np.where(swap, index, other_index)
        low_dim, high_dim = np.minimum(dim, other_dim), np.maximum(dim, other_dim)
        for dims, (keys, factor) in self._bounds.items():
            rows = np.flatnonzero((low_dim == dims[0]) & (high_dim == dims[1]))
            if len(rows) and len(keys):
                wanted = low[rows] * factor + high[rows]
                place = np.searchsorted(keys, wanted).clip(max=len(keys) - 1)
                like[rows[keys[place] == wanted]] = 1
        return like

    def edges_around(self, dim: Ints, index: Ints) -> IndexPairs:
        """Return (row (m,), edge (m,)): the edges whose closure holds entities (k,); rows ascend."""
        return _around(dim, index, {VERTEX: self.edges_of_vertices}, EDGE)

    def faces_around(self, dim: Ints, index: Ints) -> IndexPairs:
        """Return (row (m,), face (m,)): the planar faces whose closure holds entities (k,); rows ascend."""
        return _around(dim, index, {VERTEX: self.faces_of_vertices, EDGE: self.faces_of_edges}, FACE)


def _around(dim: Ints, index: Ints, lists: dict[int, RowLists], own: int) -> IndexPairs:
    """Return rows and items of the lists of entities (k,) by dimension; one of dimension `own` is its own."""
    itself = np.flatnonzero(dim == own)
    rows, items = [itself], [index[itself]]
    for kind, neighbours in lists.items():
        of_kind = np.flatnonzero(dim == kind)
        place, item = neighbours.of_rows(index[of_kind])
        rows.append(of_kind[place])
        items.append(item)
    row = np.concatenate(rows)
    order = np.argsort(row, kind="stable")
    return row[order], np.concatenate(items)[order]


def boundary_of(prepared: ContactBody) -> ContactBoundary:
    """Return the boundary of a prepared body: made at the first call and freed together with the body."""
    known = _boundaries.get(prepared.body)
    if known is None:
        topology = topology_of(prepared.body)
        face = np.flatnonzero(topology.triangle_face >= 0)
        trusted = np.zeros(len(topology.face_normal), bool)
        trusted[topology.triangle_face[face]] = prepared.trusted[prepared.body.triangle_face[face]]
        known = _boundaries[prepared.body] = ContactBoundary(topology, prepared.tree, trusted)
    return known


_boundaries: WeakKeyDictionary[Body, ContactBoundary] = WeakKeyDictionary()


@dataclass(frozen=True, eq=False)
class PlacedBoundary:
    """A boundary at a pose in the frame of a pair; None leaves it where it is."""

    boundary: ContactBoundary
    pose: Pose | None

    @property
    def topology(self) -> Topology:
        """The body's topology, in the body's frame."""
        return self.boundary.topology

    def points(self, points: Floats) -> Floats:
        """Return points (..., 3) of the body's frame in the frame of the pair."""
        return placed(points, self.pose)

    def vectors(self, vectors: Floats) -> Floats:
        """Return vectors (..., 3) of the body's frame in the frame of the pair."""
        return vectors if self.pose is None else self.pose.vectors(vectors)

    def vertices(self, vertex: Ints) -> Floats:
        """Return the places (k, 3) of vertices (k,)."""
        return self.points(self.topology.vertices[vertex])

    def edge_ends(self, edge: Ints) -> Floats:
        """Return the ends (k, 2, 3) of edges (k,)."""
        return self.points(self.topology.edge_ends[edge])

    def edge_directions(self, edge: Ints) -> Floats:
        """Return the unit directions (k, 3) of edges (k,)."""
        return self.vectors(self.topology.edge_direction[edge])

    def face_normals(self, face: Ints) -> Floats:
        """Return the outward unit normals (k, 3) of planar faces (k,)."""
        return self.vectors(self.topology.face_normal[face])

    def conormals(self, place: Ints) -> Floats:
        """Return the unit conormals (k, 3) at places (k,) of `Topology.edge_faces`."""
        return self.vectors(self.topology.edge_conormals[place])
