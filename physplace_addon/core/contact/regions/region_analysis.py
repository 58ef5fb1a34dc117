"""The contact regions of two bodies, from the points at which their boundaries touch.

Bouma and Vanecek 1991, sections 5 and 10.  The points of contact give the straight intervals of contact
(`contact_intervals`), and these bound the regions of dimension 2: "each 2D region is enclosed by a sequence
of alternating 1D and 0D regions".  An interval may bound a region of two faces where

    an edge of one face lies inside the other face, or
    edges of both lie along each other, and both faces are on the same side of them;

and it does if the ends of all intervals of these two faces are not on one line, so that the faces are
coplanar.  What bounds a region of dimension 2 is none itself.  The remaining intervals are the regions of
dimension 1, and the points that are on no interval those of dimension 0.  Tolerances compare lengths alone,
never angles.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from ...arrays import ArrayRecord, Bools, Floats, Ints
from ...vectors import cross, dot, length
from ..body_pair import BodyPair
from ..features import EDGE, FACE
from ..row_lists import row_keys
from .boundary import PlacedBoundary, boundary_of
from .contact_intervals import ContactIntervals, Touching, collinear_edges, edges_inside_faces, runs
from .contact_regions import UNLABELLED, ContactRegions, EntityPairs, RegionPoints, RegionRows
from .convex_hulls import hull_corners
from .point_contacts import PointContacts, joined, point_contacts
from .region_normals import region_normals


def contact_regions(body_pair: BodyPair, tolerance: float) -> ContactRegions:
    """Return the contact regions of the flat features of two bodies, in the frame of the pair.

    Those of higher dimension come first.  Regions of curved features are those of their interface points
    (`regions_of_points`).

    Args:
        body_pair: the bodies; body 1 is the active one.
        tolerance: a length; entities that are no farther apart touch.
    """
    first = PlacedBoundary(boundary_of(body_pair.active), body_pair.pose)
    second = PlacedBoundary(boundary_of(body_pair.world), None)
    contacts = point_contacts(first, second, tolerance)
    if len(contacts) == 0:
        return ContactRegions.none()
    found = _found(Touching(first, second, contacts, tolerance))
    points = RegionPoints(
        found.region,
        EntityPairs(contacts.dim1, contacts.index1, contacts.dim2, contacts.index2).take(found.contact),
        contacts.point1[found.contact],
        contacts.point2[found.contact],
        np.full(len(found.contact), UNLABELLED),
    )
    normals = region_normals(first, second, found.entities, points)
    return ContactRegions(RegionRows.new(found.dimension, found.entities, normals), points)


class _Found(NamedTuple):
    """r regions, dimension and entities (r,), with m points: region and contact (m,)."""

    dimension: Ints
    entities: EntityPairs
    region: Ints
    contact: Ints


@dataclass(frozen=True, eq=False)
class _Lines(ArrayRecord):
    """m intervals of contact of any kind: their entities, and the contacts at their ends."""

    entities: EntityPairs
    start: Ints
    end: Ints

    def __len__(self) -> int:
        return len(self.start)

    @classmethod
    def of(cls, dims: tuple[int, int], found: ContactIntervals) -> _Lines:
        """Return intervals (m,) of entities of one dimension on each body."""
        m = len(found)
        pairs = EntityPairs(np.full(m, dims[0]), found.item1, np.full(m, dims[1]), found.item2)
        return cls(pairs, found.start, found.end)


@dataclass(frozen=True, eq=False)
class _FacePairs(ArrayRecord):
    """m times that an interval (line) may bound a region of a face of body 1 and one of body 2."""

    line: Ints
    face1: Ints
    face2: Ints

    def swapped(self) -> _FacePairs:
        """Return the same with the bodies' roles exchanged."""
        return _FacePairs(self.line, self.face2, self.face1)

    def shifted(self, by: int) -> _FacePairs:
        """Return the same for intervals that are numbered from `by`."""
        return _FacePairs(self.line + by, self.face1, self.face2)


def _found(touching: Touching) -> _Found:
    """Return the regions: faces, then lines, then points."""
    along, on_lines = collinear_edges(touching)
    lines, pairs = _lines_and_faces(touching, along)
    faces, bounding = _faces(touching, lines, pairs)
    others, long = _long_lines(touching, lines, np.flatnonzero(~bounding))
    covered = np.zeros(len(touching.contacts), bool)
    covered[on_lines.contact] = True
    for rows in (np.flatnonzero(bounding), long):
        covered[lines.start[rows]] = covered[lines.end[rows]] = True
    parts = [faces, others, _points(touching.contacts, np.flatnonzero(~covered))]
    shifts = np.cumsum([0, *(len(part.dimension) for part in parts)])
    return _Found(
        np.concatenate([part.dimension for part in parts]),
        EntityPairs.join([part.entities for part in parts]),
        np.concatenate([part.region + shift for part, shift in zip(parts, shifts, strict=False)]),
        np.concatenate([part.contact for part in parts]),
    )


def _lines_and_faces(touching: Touching, along: ContactIntervals) -> tuple[_Lines, _FacePairs]:
    """Return all intervals of contact, and the pairs of faces that each of them may bound."""
    turned = touching.swapped()
    inside1 = edges_inside_faces(touching, along)
    inside2 = edges_inside_faces(turned, along.swapped())
    lines = [
        _Lines.of((EDGE, EDGE), along),
        _Lines.of((EDGE, FACE), inside1),
        _Lines.of((FACE, EDGE), inside2.swapped()),
    ]
    beside1, beside2 = _beside_edges(touching, inside1), _beside_edges(turned, inside2).swapped()
    pairs = [
        _on_same_side(touching, along),
        beside1.shifted(len(along)),
        beside2.shifted(len(along) + len(inside1)),
    ]
    return _Lines.join(lines), _FacePairs.join(pairs)


def _faces(touching: Touching, lines: _Lines, pairs: _FacePairs) -> tuple[_Found, Bools]:
    """Return the regions of dimension 2, and which of the intervals (m,) bound one."""
    _, first, group = np.unique(row_keys(pairs.face1, pairs.face2), return_index=True, return_inverse=True)
    entities, group = np.stack([pairs.face1[first], pairs.face2[first]], axis=1), group.reshape(-1)
    count = len(touching.contacts)
    ends = np.concatenate([lines.start[pairs.line], lines.end[pairs.line]])
    members, contact = np.divmod(np.unique(np.tile(group, 2) * count + ends), count)
    places = touching.contacts.point2[contact]
    wide = _widths(places, members, len(entities)) >= touching.least
    bounding = np.zeros(len(lines), bool)
    bounding[pairs.line[wide[group]]] = True
    number = np.cumsum(wide) - 1
    kept = np.flatnonzero(wide[members])
    normals = touching.second.face_normals(entities[wide, 1])
    corners = kept[hull_corners(places[kept], number[members[kept]], normals)]
    faces = np.full(len(normals), FACE)
    both = EntityPairs(faces, entities[wide, 0], faces, entities[wide, 1])
    return _Found(np.full(len(normals), 2), both, number[members[corners]], contact[corners]), bounding


def _widths(points: Floats, group: Ints, count: int) -> Floats:
    """Return how far the points of each of `count` groups reach beside a line through two of them, lengths.

    points (m, 3); group (m,) ascends.
    """
    first = np.searchsorted(group, np.arange(count))[group]
    offset = points - points[first]
    far = np.lexsort((dot(offset, offset), group))
    last = np.searchsorted(group, np.arange(count), side="right") - 1
    axis = offset[far[last]]
    size = length(axis)[:, None]
    axis = axis / np.where(size > 0.0, size, 1.0)
    widths = np.zeros(count)
    np.maximum.at(widths, group, length(cross(axis[group], offset)))
    return widths


def _long_lines(touching: Touching, lines: _Lines, rows: Ints) -> tuple[_Found, Ints]:
    """Return the regions of dimension 1 of intervals (m,) of which none bounds a face, and their intervals.

    Intervals of the same two entities follow one another, in order along their edge.
    """
    pairs = lines.entities.take(rows)
    first, last, run = runs(row_keys(pairs.dim1, pairs.index1, pairs.dim2, pairs.index2))
    start, end = lines.start[rows[first]], lines.end[rows[last]]
    extent = length(touching.contacts.point1[end] - touching.contacts.point1[start])
    long = extent >= touching.least
    count = int(np.count_nonzero(long))
    ends = np.stack([start[long], end[long]], axis=1).ravel()
    region = np.repeat(np.arange(count), 2)
    return _Found(np.full(count, 1), pairs.take(first[long]), region, ends), rows[long[run]]


def _points(contacts: PointContacts, rows: Ints) -> _Found:
    """Return the regions of dimension 0: the given contacts."""
    pairs = EntityPairs(contacts.dim1, contacts.index1, contacts.dim2, contacts.index2)
    return _Found(np.zeros(len(rows), np.intp), pairs.take(rows), np.arange(len(rows)), rows)


def _on_same_side(touching: Touching, along: ContactIntervals) -> _FacePairs:
    """Return the faces on one side of edges (k,) of both bodies that lie along each other."""
    row1, place1 = touching.first.boundary.places_of_edges.of_rows(along.item1)
    row2, place2 = touching.second.boundary.places_of_edges.of_rows(along.item2)
    line, left, right = joined(row1, place1, row2, place2, len(along))
    same = dot(touching.first.conormals(left), touching.second.conormals(right)) > 0.0
    line, left, right = line[same], left[same], right[same]
    return _FacePairs(
        line, touching.first.topology.edge_faces[left], touching.second.topology.edge_faces[right]
    )


def _beside_edges(touching: Touching, inside: ContactIntervals) -> _FacePairs:
    """Return the faces beside edges (k,) of body 1, with the faces of body 2 that these edges lie in."""
    line, face = touching.first.boundary.faces_of_edges.of_rows(inside.item1)
    return _FacePairs(line, face, inside.item2[line])
