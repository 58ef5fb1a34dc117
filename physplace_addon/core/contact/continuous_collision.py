"""Continuous collision detection: flat features that cross while two bodies move from one pose to another.

Constraints of near features do not see everything: a vertex can come round the end of an edge.  So the swept
boxes of a motion give pairs of triangles, their vertices and edges are followed on straight lines, and those
that cross are returned as interface points at the *start* of the motion, to be obeyed in a second try.

Features that start in one plane are not followed: they are contacts at rest, whose own constraints hold.

The pairs of triangles whose swept boxes overlap hold all that meet at the end: the search is kept with the
pose there, for its overlap check, and no longer than that.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from weakref import ReferenceType, ref

import numpy as np

from ..arrays import Bools, Floats, Ints
from ..collision import (
    SweptCrossing,
    chosen_pairs,
    edge_crossings,
    swept_pairs,
    swept_pairs_of_parts,
    vertex_crossings,
)
from ..rigid import Pose, Poses
from .body_pair import AnyPairs, BodyPair, BodyPairs
from .features import FACE, VERTEX
from .points.interface_points import InterfacePoints
from .regions.candidates import Candidates, vertices_over
from .regions.flat_pairs import edge_edge, face_vertex, lowest_of_each, only_at_border, vertex_face
from .row_lists import joined_by_row, row_keys

Motion = tuple[BodyPair, BodyPair] | tuple[BodyPairs, BodyPairs]
"""A body pair at the start and at the end of a motion, or many pairs, a row for each."""

_ROLE = "swept triangles"

Paths = tuple[Floats, Floats, Floats, Floats]
"""Points of the first body at the start and at the end, then of the second body: each (k, ...)."""


def swept_contacts(motions: Sequence[Motion]) -> list[InterfacePoints]:
    """Return for each motion the flat feature pairs that cross during it, as they are at its start.

    Each point is in the frame of its own pair; the crossings of all motions are computed in one batch.
    """
    swept = [_Swept.of(*motion) for motion in motions]
    vertices, corners = [each.vertices for each in swept], [each.corners for each in swept]
    edges = [each.edges for each in swept]
    found = [
        _crossed(motions, vertices, _vertex_paths, vertex_crossings, vertex_face, of_corners=True),
        _crossed(motions, corners, _corner_paths, vertex_crossings, face_vertex, of_corners=True),
        _crossed(motions, edges, _edge_paths, edge_crossings, edge_edge, of_corners=False),
    ]
    return [InterfacePoints.join(list(parts)) for parts in zip(*found, strict=True)]


@dataclass(frozen=True)
class _Swept:
    """Pairs of features of the first and of the second body that may cross, (k,) each.

    vertices: vertices and flat triangles; corners: flat triangles and vertices; edges: straight segments.
    """

    vertices: Candidates
    corners: Candidates
    edges: Candidates

    @classmethod
    def of(cls, start: AnyPairs, end: AnyPairs) -> _Swept:
        """Return what owns triangles whose swept boxes overlap."""
        active, world = start.active, start.world
        pairs, t1, t2 = _near_triangles(start, end)
        if len(t1) == 0:
            return cls((pairs, t1, t2), (pairs, t1, t2), (pairs, t1, t2))
        row_s1, s1 = active.straight_segments.of_rows(t1)
        row_s2, s2 = world.straight_segments.of_rows(t2)
        here, there = joined_by_row(row_s1, np.arange(len(s1)), row_s2, np.arange(len(s2)), len(t1))
        of_corners, vertices2, triangles1 = vertices_over(pairs, active, *world.vertices.of_rows(t2), t1)
        return cls(
            vertices_over(pairs, world, *active.vertices.of_rows(t1), t2),
            (of_corners, triangles1, vertices2),
            pairs.take(row_s1[here]).distinct(s1[here], s2[there]),
        )


def _near_triangles(start: AnyPairs, end: AnyPairs) -> Candidates:
    """Return the pairs of triangles whose swept boxes overlap."""
    active, world = start.active, start.world
    nothing = np.zeros(0, np.intp)
    if isinstance(start, BodyPair):
        assert isinstance(end, BodyPair)
        if not (active.has_flat_parts and world.has_flat_parts):
            return start, nothing, nothing
        found = meeting_on_path(start, end)
        return start, found[:, 0], found[:, 1]
    assert isinstance(end, BodyPairs)
    number, t1, t2 = swept_pairs_of_parts(
        active.tree, start.table.roots, start.table.poses, end.table.poses
    ).T
    return start.take(number), t1, t2


def _crossed(
    motions: Sequence[Motion],
    candidates: list[Candidates],
    paths_of: Callable[[Pose | Poses, Pose | Poses, Candidates], Paths],
    crossings: Callable[[Floats, Floats, Floats, Floats], SweptCrossing],
    points_of: Callable[..., InterfacePoints],
    of_corners: bool,
) -> list[InterfacePoints]:
    """Return for each motion the points of those candidates, all of one kind, that cross.

    of_corners: they are vertices over faces, not edges.
    """
    counts = [len(first) for _, first, _ in candidates]
    if not any(counts):
        return [InterfacePoints.none() for _ in motions]
    paths = [
        paths_of(found[0].pose, _at_end(motion, found[0]), found)
        for motion, found in zip(motions, candidates, strict=True)
    ]
    crossing = crossings(*(np.concatenate(part) for part in zip(*paths, strict=True)))
    crossed = crossing.crossed & (crossing.side != 0.0)
    found: list[InterfacePoints] = []
    ends = np.cumsum(counts)[:-1]
    split = np.split(crossed, ends), np.split(crossing.fraction, ends)
    for (pairs, first, second), mine, moment in zip(candidates, *split, strict=True):
        points = InterfacePoints.none()
        if mine.any():
            points = points_of(pairs.take(mine), first[mine], second[mine], clamp=False)
            real = ~only_at_border(pairs, points)
            if of_corners:  # each has a point: not so edges, which may be parallel
                real[real] = ~_comes_out(pairs, points.take(real), moment[mine][real])
            points = lowest_of_each(points.take(real))
        found.append(points)
    return found


def _at_end(motion: Motion, pairs: AnyPairs) -> Pose | Poses:
    """Return the pose at the end of a motion, or that of each row of its pairs."""
    return motion[1].take(pairs.number).pose if isinstance(pairs, BodyPairs) else motion[1].pose


def _comes_out(body_pair: AnyPairs, points: InterfacePoints, when: Floats) -> Bools:
    """Return which points (k,) are of a vertex that comes out of what it went into before, and hold nothing.

    That is through another face of the fan of the one that it crossed first.  It stood behind the plane of
    such a face from the start: beside a convex edge, and never behind the face.

    when (k,): the fractions of the motion at which the pairs cross.
    """
    out = np.zeros(len(points), bool)
    for over, base, vertex, face in (
        ((points.dim1 == VERTEX) & (points.dim2 == FACE), body_pair.world, points.index1, points.piece2),
        ((points.dim1 == FACE) & (points.dim2 == VERTEX), body_pair.active, points.index2, points.piece1),
    ):
        rows = np.flatnonzero(over)
        mover = row_keys(points.body1, points.body2 + 1, vertex)
        rows = rows[np.lexsort((when[rows], mover[rows]))]
        first = np.flatnonzero(np.diff(mover[rows], prepend=-1))
        earliest = rows[np.repeat(first, np.diff(first, append=len(rows)))]
        later = when[rows] > when[earliest]
        out[rows] = later & base.in_one_fan(face[rows], face[earliest])
    return out


def _vertex_paths(start: Pose | Poses, end: Pose | Poses, found: Candidates) -> Paths:
    pairs, vertices, triangles = found
    at, corners = pairs.active.body.vertices[vertices], pairs.world.body.triangles[triangles]
    return start.points(at), end.points(at), corners, corners


def _corner_paths(start: Pose | Poses, end: Pose | Poses, found: Candidates) -> Paths:
    pairs, triangles, vertices = found
    corners, at = pairs.active.body.triangles[triangles], pairs.world.body.vertices[vertices]
    return at, at, start.points(corners), end.points(corners)


def _edge_paths(start: Pose | Poses, end: Pose | Poses, found: Candidates) -> Paths:
    pairs, segments1, segments2 = found
    ends, others = pairs.active.body.segments[segments1], pairs.world.body.segments[segments2]
    return start.points(ends), end.points(ends), others, others


@dataclass(frozen=True, eq=False)
class _KeptSearch:
    """The pairs of triangles (k, 2) whose swept boxes overlap between two poses: kept with the second."""

    start: ReferenceType[BodyPair]
    pairs: Ints


def meeting_on_path(start: BodyPair, end: BodyPair) -> Ints:
    """Return the pairs of triangles (k, 2) whose swept boxes overlap between two poses."""
    pairs = _searched(start, end)
    if pairs is None:
        pairs = swept_pairs(start.active.tree, start.pose, end.pose, start.world.tree, 0.0)
        end.derived[_ROLE] = _KeptSearch(ref(start), pairs)
    return pairs


def meeting_at_end(start: BodyPair, end: BodyPair) -> Ints | None:
    """Return the pairs of triangles (k, 2) that may meet at the end of a path; None where `meeting_on_path`
    was not asked last for this one.
    """
    pairs = _searched(start, end)
    return None if pairs is None else chosen_pairs(start.active.tree, [end.pose], start.world.tree, pairs)


def _searched(start: BodyPair, end: BodyPair) -> Ints | None:
    known = end.derived.get(_ROLE)
    return known.pairs if isinstance(known, _KeptSearch) and known.start() is start else None
