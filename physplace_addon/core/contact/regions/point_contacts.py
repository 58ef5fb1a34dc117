"""The points at which two boundaries touch: pairs of entities that meet at one point of both.

Bouma and Vanecek 1991, section 10: a contact of dimension 0 is a vertex on any entity, or a crossing of two
edges.  Every corner of a region of dimension 1 or 2 is such a point too, so these points are all that the
regions are made of.

Two closed entities touch if their distance is at most the tolerance.  Each point is stated once, of the
entities of least dimension: a vertex on a face is dropped if the vertex touches an edge or a vertex of that
face, a vertex on an edge if it touches an end of it, a crossing of two edges if an end of one touches the
other.  Nothing here depends on an angle, so slivers need no tolerance of their own.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ...arrays import ArrayRecord, Bools, Floats, Ints
from ...collision import closest_on_triangle, near_pairs
from ...rigid import Pose
from ...vectors import cross, dot
from ..features import EDGE, FACE, VERTEX
from ..row_lists import IndexPairs, RowLists, first_of_each_pair
from .boundary import PlacedBoundary


@dataclass(frozen=True, eq=False)
class PointContacts(ArrayRecord):
    """k points at which an entity of body 1 touches one of body 2, in the frame of the pair.

    dim1, index1, dim2, index2 (k,): the entities.
    point1, point2 (k, 3): the closest points of both.
    """

    dim1: Ints
    index1: Ints
    dim2: Ints
    index2: Ints
    point1: Floats
    point2: Floats

    def __len__(self) -> int:
        return len(self.dim1)

    @classmethod
    def of(
        cls, dims: tuple[int, int], first: Ints, second: Ints, point1: Floats, point2: Floats
    ) -> PointContacts:
        """Return contacts of entities (k,) of one dimension on each body."""
        k = len(first)
        return cls(np.full(k, dims[0]), first, np.full(k, dims[1]), second, point1, point2)

    def swapped(self) -> PointContacts:
        """Return the contacts with the bodies' roles exchanged."""
        return PointContacts(self.dim2, self.index2, self.dim1, self.index1, self.point2, self.point1)


def point_contacts(first: PlacedBoundary, second: PlacedBoundary, tolerance: float) -> PointContacts:
    """Return the points at which two boundaries are within a tolerance, a length, of each other.

    The second boundary stands in the frame of the pair, where it is.
    """
    edge1, edge2 = _near_edges(first, second, tolerance)
    corners = _vertices_on_vertices(first, second, edge1, edge2, tolerance)
    on_edges = _vertices_on_edges(first, second, edge1, edge2, tolerance)
    on_edges = on_edges.take(~_explained(on_edges, corners, _ends(second)))
    under_edges = _vertices_on_edges(second, first, edge2, edge1, tolerance).swapped()
    under_edges = under_edges.take(~_explained(under_edges.swapped(), corners.swapped(), _ends(first)))
    crossings = _edge_crossings(first, second, edge1, edge2, tolerance)
    lower = PointContacts.join([corners, on_edges, under_edges])
    crossings = crossings.take(~_cross_at_ends(first, second, crossings, lower))
    on_faces = _vertices_on_faces(first, second, tolerance)
    on_faces = on_faces.take(~_on_border(second, on_faces, lower))
    under_faces = _vertices_on_faces(second, first, tolerance)
    under_faces = under_faces.take(~_on_border(first, under_faces, lower.swapped())).swapped()
    return PointContacts.join([lower, crossings, on_faces, under_faces])


def pose_between(first: PlacedBoundary, second: PlacedBoundary) -> Pose:
    """Return the pose from the frame of the first body to that of the second; one of them is not placed."""
    if first is second:
        return Pose.identity()
    if second.pose is not None:
        return second.pose.inverse()
    return Pose.identity() if first.pose is None else first.pose


def _near_edges(first: PlacedBoundary, second: PlacedBoundary, tolerance: float) -> IndexPairs:
    """Return pairs of edges (k,) that may touch."""
    tree1, tree2 = first.boundary.edge_tree, second.boundary.edge_tree
    if tree1 is None or tree2 is None:
        return np.zeros(0, np.intp), np.zeros(0, np.intp)
    pairs = near_pairs(tree1, pose_between(first, second), tree2, tolerance)
    return first.boundary.tree_edges[pairs[:, 0]], second.boundary.tree_edges[pairs[:, 1]]


def _vertices_on_vertices(
    first: PlacedBoundary, second: PlacedBoundary, edge1: Ints, edge2: Ints, tolerance: float
) -> PointContacts:
    """Return contacts of ends of edge pairs (k,)."""
    ends1 = np.repeat(first.topology.edge_vertices[edge1], 2, axis=1).ravel()
    ends2 = np.tile(second.topology.edge_vertices[edge2], (1, 2)).ravel()
    rows = first_of_each_pair(ends1, ends2)
    vertex1, vertex2 = ends1[rows], ends2[rows]
    at1, at2 = first.vertices(vertex1), second.vertices(vertex2)
    found = PointContacts.of((VERTEX, VERTEX), vertex1, vertex2, at1, at2)
    return found.take(_within(at1 - at2, tolerance))


def _vertices_on_edges(
    first: PlacedBoundary, second: PlacedBoundary, edge1: Ints, edge2: Ints, tolerance: float
) -> PointContacts:
    """Return contacts of ends of the first edges with the second ones, of edge pairs (k,)."""
    ends, edges = first.topology.edge_vertices[edge1].ravel(), np.repeat(edge2, 2)
    rows = first_of_each_pair(ends, edges)
    vertex, edge = ends[rows], edges[rows]
    at, segment = first.vertices(vertex), second.edge_ends(edge)
    along = segment[:, 1] - segment[:, 0]
    square = dot(along, along)
    share = dot(at - segment[:, 0], along) / np.where(square > 0.0, square, 1.0)
    foot = segment[:, 0] + share.clip(0.0, 1.0)[:, None] * along
    return PointContacts.of((VERTEX, EDGE), vertex, edge, at, foot).take(_within(at - foot, tolerance))


def _edge_crossings(
    first: PlacedBoundary, second: PlacedBoundary, edge1: Ints, edge2: Ints, tolerance: float
) -> PointContacts:
    """Return contacts of edge pairs (k,) where their lines are closest, strictly between their ends.

    s and t of the closest points a + s u, b + t v follow from cross products, which stay exact for nearly
    parallel edges where the usual 2x2 system loses half of the digits.
    """
    ends1, ends2 = first.edge_ends(edge1), second.edge_ends(edge2)
    u, v, offset = ends1[:, 1] - ends1[:, 0], ends2[:, 1] - ends2[:, 0], ends2[:, 0] - ends1[:, 0]
    across = cross(u, v)
    square = dot(across, across)
    size = np.where(square > 0.0, square, 1.0)
    s, t = dot(cross(offset, v), across) / size, dot(cross(offset, u), across) / size
    point1, point2 = ends1[:, 0] + s[:, None] * u, ends2[:, 0] + t[:, None] * v
    inside = (square > 0.0) & (s > 0.0) & (s < 1.0) & (t > 0.0) & (t < 1.0)
    found = PointContacts.of((EDGE, EDGE), edge1, edge2, point1, point2)
    return found.take(inside & _within(point1 - point2, tolerance))


def _vertices_on_faces(first: PlacedBoundary, second: PlacedBoundary, tolerance: float) -> PointContacts:
    """Return contacts of the first body's vertices with the second's planar faces, one for each pair."""
    tree = first.boundary.vertex_tree
    if tree is None:
        none = np.zeros(0, np.intp)
        return PointContacts.of((VERTEX, FACE), none, none, np.zeros((0, 3)), np.zeros((0, 3)))
    pairs = near_pairs(tree, pose_between(first, second), second.boundary.triangles, tolerance)
    pairs = pairs[second.topology.triangle_face[pairs[:, 1]] >= 0]
    vertex, face = first.boundary.tree_vertices[pairs[:, 0]], second.topology.triangle_face[pairs[:, 1]]
    at, corners = first.vertices(vertex), second.points(second.boundary.triangles.triangles[pairs[:, 1]])
    foot = (closest_on_triangle(at, corners).barycentric[:, None] @ corners)[:, 0]
    offset = at - foot
    order = np.argsort(dot(offset, offset), kind="stable")
    order = order[_within(offset, tolerance)[order]]
    order = order[first_of_each_pair(vertex[order], face[order])]
    return PointContacts.of((VERTEX, FACE), vertex[order], face[order], at[order], foot[order])


def _within(offset: Floats, tolerance: float) -> Bools:
    within: Bools = dot(offset, offset) <= tolerance**2
    return within


def _ends(placed: PlacedBoundary) -> RowLists:
    """Return the edges that each vertex ends."""
    return placed.boundary.edges_of_vertices


def _explained(contacts: PointContacts, lower: PointContacts, above: RowLists) -> Bools:
    """Return which contacts (k,) are of the entity 1 of a lower one, and of an entity above its entity 2.

    above: of each entity 2 of the lower contacts, the entities of the contacts that it bounds.
    """
    place, item = above.of_rows(lower.index2)
    return _among((contacts.index1, contacts.index2), (lower.index1[place], item))


def _cross_at_ends(
    first: PlacedBoundary, second: PlacedBoundary, crossings: PointContacts, lower: PointContacts
) -> Bools:
    """Return which crossings of edges (k,) are of edges that touch at an end of one of them."""
    row1, edge1 = first.boundary.edges_around(lower.dim1, lower.index1)
    row2, edge2 = second.boundary.edges_around(lower.dim2, lower.index2)
    left, right = joined(row1, edge1, row2, edge2, len(lower))[1:]
    return _among((crossings.index1, crossings.index2), (left, right))


def _on_border(second: PlacedBoundary, contacts: PointContacts, lower: PointContacts) -> Bools:
    """Return which vertices on faces (k,) touch an edge or a vertex of the face."""
    rows = np.flatnonzero(lower.dim1 == VERTEX)
    row, face = second.boundary.faces_around(lower.dim2[rows], lower.index2[rows])
    return _among((contacts.index1, contacts.index2), (lower.index1[rows][row], face))


def _among(pairs: IndexPairs, others: IndexPairs) -> Bools:
    """Return which pairs (k,) are among others (m,)."""
    width = int(max(pairs[1].max(initial=0), others[1].max(initial=0))) + 1
    among: Bools = np.isin(pairs[0] * width + pairs[1], others[0] * width + others[1])
    return among


def joined(row_a: Ints, a: Ints, row_b: Ints, b: Ints, count: int) -> tuple[Ints, Ints, Ints]:
    """Return (row, a, b) of all pairs of items of the same rows; rows ascend in both lists."""
    counts = np.bincount(row_b, minlength=count)
    start = np.cumsum(counts) - counts
    repeat = counts[row_a]
    left = np.repeat(np.arange(len(a)), repeat)
    offset = np.arange(len(left)) - np.repeat(np.cumsum(repeat) - repeat, repeat)
    row = row_a[left]
    return row, a[left], b[start[row] + offset]
