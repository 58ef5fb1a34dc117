"""The straight intervals along which an edge of one body touches a face or an edge of the other.

Bouma and Vanecek 1991, section 10: a contact of dimension 1 shows in an edge's classification as a stretch
between two points of contact.  Here, too, it is derived from the points alone.  The points of contact that
lie in the closures of both an edge e and a face F are put in order along e.  All of e between two of them is
within the tolerance of the plane of F, and it crosses no edge of F there.  So each stretch lies along an edge
of F, or wholly inside F, or wholly outside it, which a look at F around one end decides:

    inside F                   the whole surrounding of the end
    on an edge of F            the side of that edge on which F is
    at a vertex of F           F is next to the first of its edges there, counterclockwise from e, on the
                               clockwise side of that edge

Two edges lie along each other if they share two points of contact that are far enough apart.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ...arrays import ArrayRecord, Bools, Floats, Ints
from ...vectors import cross, dot
from ..features import EDGE, FACE, VERTEX
from ..row_lists import row_keys
from .boundary import PlacedBoundary
from .point_contacts import PointContacts, joined

LEAST_EXTENT = 8.0
"""Least extent, over the tolerance, of a line or of the width of a face: less is one point, or one line."""

_SAME_ANGLE = 1e-12  # radians: difference of two angles at one vertex that rounding of one edge may cause


@dataclass(frozen=True, eq=False)
class Incidences(ArrayRecord):
    """m times that a contact lies in the closures of both an item of body 1 and an item of body 2.

    contact (m,): its row; item1, item2 (m,): the numbers of the edges or faces.
    """

    contact: Ints
    item1: Ints
    item2: Ints

    def __len__(self) -> int:
        return len(self.contact)

    def key(self) -> Ints:
        """Return a number (m,) for each pair of items."""
        key: Ints = self.item1 * (int(self.item2.max(initial=0)) + 1) + self.item2
        return key


@dataclass(frozen=True, eq=False)
class ContactIntervals(ArrayRecord):
    """m stretches of contact between two items, from one point of contact to another.

    item1, item2 (m,): the edges or faces; start, end (m,): rows of the contacts at both ends.
    """

    item1: Ints
    item2: Ints
    start: Ints
    end: Ints

    def __len__(self) -> int:
        return len(self.item1)

    def swapped(self) -> ContactIntervals:
        """Return the intervals with the bodies' roles exchanged."""
        return ContactIntervals(self.item2, self.item1, self.start, self.end)


@dataclass(frozen=True, eq=False)
class Touching:
    """Two boundaries, their point contacts, and what these are incident to."""

    first: PlacedBoundary
    second: PlacedBoundary
    contacts: PointContacts
    tolerance: float

    def swapped(self) -> Touching:
        """Return the same with the bodies' roles exchanged."""
        return Touching(self.second, self.first, self.contacts.swapped(), self.tolerance)

    @property
    def least(self) -> float:
        """The least length of a line of contact, and the least width of a face of contact."""
        return LEAST_EXTENT * self.tolerance

    def incidences(self, kind1: int, kind2: int) -> Incidences:
        """Return the incidences of edges or faces of body 1 with edges or faces of body 2, each once."""
        of_first, of_second = self.first.boundary, self.second.boundary
        around1 = of_first.edges_around if kind1 == EDGE else of_first.faces_around
        around2 = of_second.edges_around if kind2 == EDGE else of_second.faces_around
        row1, item1 = around1(self.contacts.dim1, self.contacts.index1)
        row2, item2 = around2(self.contacts.dim2, self.contacts.index2)
        every = Incidences(*joined(row1, item1, row2, item2, len(self.contacts)))
        once = np.unique(row_keys(every.contact, every.item1, every.item2), return_index=True)[1]
        return every.take(once)


def collinear_edges(touching: Touching) -> tuple[ContactIntervals, Incidences]:
    """Return the intervals of edges of both bodies that lie along each other, and all contacts on these."""
    found = touching.incidences(EDGE, EDGE)
    along = _heights(touching, found.item1, found.contact)
    order = np.lexsort((along, found.key()))
    found, along = found.take(order), along[order]
    first, last, group = runs(found.key())
    long = along[last] - along[first] >= touching.least
    rows, ends = first[long], last[long]
    intervals = ContactIntervals(
        found.item1[rows], found.item2[rows], found.contact[rows], found.contact[ends]
    )
    return intervals, found.take(long[group])


def edges_inside_faces(touching: Touching, along: ContactIntervals) -> ContactIntervals:
    """Return the intervals of edges of body 1 that lie inside faces of body 2, not along an edge of theirs.

    along: the intervals along edges of body 2.
    """
    found = touching.incidences(EDGE, FACE)
    height = _heights(touching, found.item1, found.contact)
    order = np.lexsort((height, found.key()))
    found, height = found.take(order), height[order]
    same = np.flatnonzero(np.diff(found.key()) == 0)
    same = same[height[same + 1] > height[same]]
    intervals = ContactIntervals(
        found.item1[same], found.item2[same], found.contact[same], found.contact[same + 1]
    )
    middle = 0.5 * (height[same] + height[same + 1])
    intervals = intervals.take(~_lie_along(touching, intervals, middle, along))
    return intervals.take(_are_inside(touching, intervals))


def _heights(touching: Touching, edge: Ints, contact: Ints) -> Floats:
    """Return how far (m,) contacts lie along edges of body 1 from their first ends, lengths."""
    start = touching.first.edge_ends(edge)[:, 0]
    return dot(touching.contacts.point1[contact] - start, touching.first.edge_directions(edge))


def runs(key: Ints) -> tuple[Ints, Ints, Ints]:
    """Return the first and the last row (g,) of each run of equal keys (m,), and each row's run (m,)."""
    new = np.flatnonzero(np.diff(key)) + 1
    first = np.concatenate([[0], new]) if len(key) else np.zeros(0, np.intp)
    last = np.concatenate([new, [len(key)]])[: len(first)] - 1
    return first, last, np.repeat(np.arange(len(first)), last - first + 1)


def _lie_along(
    touching: Touching, intervals: ContactIntervals, middle: Floats, along: ContactIntervals
) -> Bools:
    """Return which intervals (m,) of edges and faces lie along an edge of the face.

    middle (m,): how far the middle of each interval is along its edge, a length.
    """
    lies = np.zeros(len(intervals), bool)
    ends = np.sort([_heights(touching, along.item1, end) for end in (along.start, along.end)], axis=0)
    place, face = touching.second.boundary.faces_of_edges.of_rows(along.item2)
    width = len(touching.second.topology.face_normal)
    keys = intervals.item1 * width + intervals.item2
    others = along.item1[place] * width + face
    order = np.argsort(others, kind="stable")
    first = np.searchsorted(others[order], keys, side="left")
    counts = np.searchsorted(others[order], keys, side="right") - first
    row = np.repeat(np.arange(len(keys)), counts)
    offset = np.arange(len(row)) - np.repeat(np.cumsum(counts) - counts, counts)
    other = place[order[first[row] + offset]]
    lies[row[(ends[0, other] < middle[row]) & (middle[row] < ends[1, other])]] = True
    return lies


def _are_inside(touching: Touching, intervals: ContactIntervals) -> Bools:
    """Return which intervals (m,), that cross no edge of their faces of body 2, lie inside the faces."""
    dims = touching.contacts.dim2
    at_end = dims[intervals.end] > dims[intervals.start]
    contact = np.where(at_end, intervals.end, intervals.start)
    direction = touching.first.edge_directions(intervals.item1) * np.where(at_end, -1.0, 1.0)[:, None]
    inside: Bools = dims[contact] == FACE
    entity = touching.contacts.index2[contact]
    for dim, test in ((EDGE, _enters_beside_edge), (VERTEX, _enters_at_vertex)):
        rows = np.flatnonzero(dims[contact] == dim)
        inside[rows] = test(touching.second, entity[rows], intervals.item2[rows], direction[rows])
    return inside


def _enters_beside_edge(second: PlacedBoundary, edge: Ints, face: Ints, direction: Floats) -> Bools:
    """Return which directions (k, 3) lead from edges (k,) into faces (k,) beside them."""
    row, place = second.boundary.places_of_edges.of_rows(edge)
    kept = second.topology.edge_faces[place] == face[row]
    row, place = row[kept], place[kept]
    enters = np.zeros(len(edge), bool)
    enters[row[dot(direction[row], second.conormals(place)) > 0.0]] = True
    return enters


def _enters_at_vertex(second: PlacedBoundary, vertex: Ints, face: Ints, direction: Floats) -> Bools:
    """Return which directions (k, 3) lead from vertices (k,) into faces (k,) around them."""
    topology, boundary = second.topology, second.boundary
    row, edge = boundary.edges_of_vertices.of_rows(vertex)
    place, slot = boundary.places_of_edges.of_rows(edge)
    kept = topology.edge_faces[slot] == face[row[place]]
    row, edge, slot = row[place[kept]], edge[place[kept]], slot[kept]
    leaves = np.where(topology.edge_vertices[edge, 0] == vertex[row], 1.0, -1.0)
    away = second.edge_directions(edge) * leaves[:, None]
    normal = second.face_normals(face[row])
    angle = np.arctan2(dot(cross(normal, direction[row]), away), dot(direction[row], away)) % (2.0 * np.pi)
    least = np.full(len(vertex), np.inf)
    np.minimum.at(least, row, angle)
    clockwise = dot(second.conormals(slot), cross(normal, away)) < 0.0
    enters: Bools = np.isinf(least)  # no edge of the face ends there: it surrounds the vertex
    enters[row[clockwise & (angle <= least[row] + _SAME_ANGLE)]] = True
    return enters
