"""Continuous collision detection: flat features that cross while two bodies move from one pose to another.

Constraints of near features do not see everything: a vertex can come round the end of an edge.  So the swept
boxes of a motion give pairs of triangles, their vertices and edges are followed on straight lines, and those
that cross are returned as interface points at the *start* of the motion, to be obeyed in a second try.

Features that start in one plane are not followed: they are contacts at rest, whose own constraints hold.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from ..arrays import Bools, Floats
from ..collision import SweptCrossing, edge_crossings, swept_pairs, vertex_crossings
from .body_pair import BodyPair
from .features import FACE, VERTEX
from .points.interface_points import InterfacePoints
from .regions.candidates import vertices_over
from .regions.flat_pairs import edge_edge, face_vertex, lowest_of_each, only_at_border, vertex_face
from .row_lists import IndexPairs, distinct_pairs, joined_by_row

Motion = tuple[BodyPair, BodyPair]
"""A body pair at the start and at the end of a motion."""

Paths = tuple[Floats, Floats, Floats, Floats]
"""Points of the first body at the start and at the end, then of the second body: each (k, ...)."""


def swept_contacts(motions: Sequence[Motion]) -> list[InterfacePoints]:
    """Return for each motion the flat feature pairs that cross during it, as they are at its start.

    Each is in the frame of its own pair; the crossings of all motions are computed in one batch.
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

    vertices: IndexPairs
    corners: IndexPairs
    edges: IndexPairs

    @classmethod
    def of(cls, start: BodyPair, end: BodyPair) -> _Swept:
        """Return what owns triangles whose swept boxes overlap."""
        active, world = start.active, start.world
        nothing = np.zeros(0, np.intp), np.zeros(0, np.intp)
        if not (active.has_flat_parts and world.has_flat_parts):
            return cls(nothing, nothing, nothing)
        pairs = swept_pairs(active.tree, start.pose, end.pose, world.tree, 0.0)
        if len(pairs) == 0:
            return cls(nothing, nothing, nothing)
        t1, t2 = pairs[:, 0], pairs[:, 1]
        row_s1, s1 = active.straight_segments.of_rows(t1)
        row_s2, s2 = world.straight_segments.of_rows(t2)
        vertices2, triangles1 = vertices_over(active, *world.vertices.of_rows(t2), t1)
        return cls(
            vertices_over(world, *active.vertices.of_rows(t1), t2),
            (triangles1, vertices2),
            distinct_pairs(*joined_by_row(row_s1, s1, row_s2, s2, len(t1))),
        )


def _crossed(
    motions: Sequence[Motion],
    candidates: list[IndexPairs],
    paths_of: Callable[[Motion, IndexPairs], Paths],
    crossings: Callable[[Floats, Floats, Floats, Floats], SweptCrossing],
    points_of: Callable[..., InterfacePoints],
    of_corners: bool,
) -> list[InterfacePoints]:
    """Return for each motion the points of those candidates, all of one kind, that cross.

    of_corners: they are vertices over faces, not edges.
    """
    counts = [len(first) for first, _ in candidates]
    if not any(counts):
        return [InterfacePoints.none() for _ in motions]
    paths = [paths_of(motion, pair) for motion, pair in zip(motions, candidates, strict=True)]
    crossing = crossings(*(np.concatenate(part) for part in zip(*paths, strict=True)))
    crossed = crossing.crossed & (crossing.side != 0.0)
    found: list[InterfacePoints] = []
    ends = np.cumsum(counts)[:-1]
    split = np.split(crossed, ends), np.split(crossing.fraction, ends)
    for motion, pair, mine, moment in zip(motions, candidates, *split, strict=True):
        points = InterfacePoints.none()
        if mine.any():
            points = points_of(motion[0], pair[0][mine], pair[1][mine], clamp=False)
            real = ~only_at_border(motion[0], points)
            if of_corners:  # each has a point: not so edges, which may be parallel
                real[real] = ~_comes_out(motion[0], points.take(real), moment[mine][real])
            points = lowest_of_each(points.take(real))
        found.append(points)
    return found


def _comes_out(body_pair: BodyPair, points: InterfacePoints, when: Floats) -> Bools:
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
        rows = rows[np.lexsort((when[rows], vertex[rows]))]
        first = np.flatnonzero(np.diff(vertex[rows], prepend=-1))
        earliest = rows[np.repeat(first, np.diff(first, append=len(rows)))]
        later = when[rows] > when[earliest]
        out[rows] = later & base.in_one_fan(face[rows], face[earliest])
    return out


def _vertex_paths(motion: Motion, pair: IndexPairs) -> Paths:
    at, corners = motion[0].active.body.vertices[pair[0]], motion[0].world.body.triangles[pair[1]]
    return motion[0].pose.points(at), motion[1].pose.points(at), corners, corners


def _corner_paths(motion: Motion, pair: IndexPairs) -> Paths:
    corners, at = motion[0].active.body.triangles[pair[0]], motion[0].world.body.vertices[pair[1]]
    return at, at, motion[0].pose.points(corners), motion[1].pose.points(corners)


def _edge_paths(motion: Motion, pair: IndexPairs) -> Paths:
    ends, others = motion[0].active.body.segments[pair[0]], motion[0].world.body.segments[pair[1]]
    return motion[0].pose.points(ends), motion[1].pose.points(ends), others, others
