"""Which flat features of near triangles may meet: those that are no farther apart than a reach, and where a
foot can be.

Each feature is owned by one triangle, so pairs of near triangles list each pair of near features once.  Most
of them are next to one another: what can be told from boxes and from the sides of a triangle, with room for
rounding, is told here, before anything is solved.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np

from ...arrays import Floats, Ints
from ...collision import standing_over
from ...rigid import Pose
from ..body_pair import ContactBody, Encounter, Owned
from ..features import dot

Pairs = tuple[Ints, Ints]


def unique_pairs(a: Ints, b: Ints) -> Ints:
    """Return the rows at which each distinct pair (a, b) occurs first."""
    if len(a) == 0:
        return np.zeros(0, np.intp)
    key = a.astype(np.int64) * (int(b.max()) + 1) + b
    first: Ints = np.unique(key, return_index=True)[1]
    return first


def distinct(a: Ints, b: Ints) -> Pairs:
    """Return the distinct pairs (a_i, b_i)."""
    rows = unique_pairs(a, b)
    return a[rows], b[rows]


def meet(row_a: Ints, a: Ints, row_b: Ints, b: Ints, rows: int) -> Pairs:
    """Return all pairs (a_i, b_j) of one row; rows ascend in both lists."""
    counts_b = np.bincount(row_b, minlength=rows)
    start_b = np.concatenate([[0], np.cumsum(counts_b)[:-1]])
    repeat = counts_b[row_a]
    left = np.repeat(a, repeat)
    offset = np.arange(len(left)) - np.repeat(np.cumsum(repeat) - repeat, repeat)
    return left, b[np.repeat(start_b[row_a], repeat) + offset]


def vertices_over(base: ContactBody, row: Ints, vertices: Ints, triangles: Ints) -> Pairs:
    """Return the distinct pairs of vertices (m,) and flat triangles of the base, of the same rows."""
    flat = base.triangle_flat[triangles[row]]
    return distinct(vertices[flat], triangles[row[flat]])


@dataclass(frozen=True)
class FlatCandidates:
    """Pairs of features of near triangles, t1 (k,) of the active body and t2 (k,) of the world, which may be
    no farther apart than `reach`, a length.

    before: a pose known to be free of overlap; what has come through a face since may be as far behind it as
    it has moved.
    """

    encounter: Encounter
    t1: Ints
    t2: Ints
    reach: float
    before: Encounter | None

    @cached_property
    def _from_face(self) -> float:
        moved = 0.0 if self.before is None else farthest_moved(self.before, self.encounter)
        return self.reach + moved

    def vertices_over_faces(self) -> Pairs:
        """Vertices of the active body, and flat triangles of the world under or over them."""
        row, vertices = self.encounter.active.vertices.of_triangles(self.t1)
        triangles = self.t2[row]
        flat = self.encounter.world.triangle_flat[triangles]
        vertices, triangles = vertices[flat], triangles[flat]
        at = self.encounter.pose.points(self.encounter.active.body.vertices[vertices])
        return self._standing(vertices, at, triangles, self.encounter.world.body.triangles[triangles])

    def faces_over_vertices(self) -> Pairs:
        """Flat triangles of the active body, and vertices of the world."""
        row, vertices = self.encounter.world.vertices.of_triangles(self.t2)
        triangles = self.t1[row]
        flat = self.encounter.active.triangle_flat[triangles]
        vertices, triangles = vertices[flat], triangles[flat]
        corners = placed(self.encounter.active.body.triangles[triangles], self.encounter.pose)
        return self._standing(vertices, self.encounter.world.body.vertices[vertices], triangles, corners)[
            ::-1
        ]

    def _standing(self, vertices: Ints, at: Floats, triangles: Ints, corners: Floats) -> Pairs:
        rows = standing_over(at, corners, self._from_face, self.encounter.sure)
        return distinct(vertices[rows], triangles[rows])

    def edges_and_edges(self) -> Pairs:
        """Straight segments of both."""
        return self._near(_SEGMENTS, _SEGMENTS)

    def vertices_and_edges(self) -> Pairs:
        """Vertices of the active body, and straight segments of the world."""
        return self._near(_VERTICES, _SEGMENTS)

    def edges_and_vertices(self) -> Pairs:
        """Straight segments of the active body, and vertices of the world."""
        return self._near(_SEGMENTS, _VERTICES)

    def vertices_and_vertices(self) -> Pairs:
        """Vertices of both."""
        return self._near(_VERTICES, _VERTICES)

    def _near(self, kind1: _Kind, kind2: _Kind) -> Pairs:
        """Pairs of features of the same rows whose boxes are within reach, as `directions` say."""
        active, world = self.encounter.active, self.encounter.world
        owned1, owned2 = kind1.owned(active), kind2.owned(world)
        rows = np.flatnonzero(owned1.owns[self.t1] & owned2.owns[self.t2])
        if len(rows) == 0:
            return rows, rows
        row1, feature1 = owned1.of_triangles(self.t1[rows])
        row2, feature2 = owned2.of_triangles(self.t2[rows])
        middle1, half1 = kind1.boxes(active, feature1, self.encounter.pose)
        middle2, half2 = kind2.boxes(world, feature2, None)
        here, there = meet(row1, np.arange(len(row1)), row2, np.arange(len(row2)), len(rows))
        apart = np.abs(np.take(middle1, here, axis=1) - np.take(middle2, there, axis=1))
        apart -= np.take(half1, here, axis=1)
        apart -= np.take(half2, there, axis=1)
        spread = np.take(kind2.spread(world).T, feature2, axis=1)
        reach = self.reach * np.minimum(spread, 1.0) + self.encounter.sure
        near = np.flatnonzero((apart <= np.take(reach, there, axis=1)).all(axis=0))
        return distinct(feature1[here[near]], feature2[there[near]])


Boxes = tuple[Floats, Floats]


class _Kind(NamedTuple):
    """A kind of feature: which of them triangles own, in which directions they are met (n, 3), and the boxes
    around some, middles and half extents.
    """

    owned: Callable[[ContactBody], Owned]
    spread: Callable[[ContactBody], Floats]
    boxes: Callable[[ContactBody, Ints, Pose | None], Boxes]


def _boxes_of_segments(body: ContactBody, segments: Ints, pose: Pose | None) -> Boxes:
    ends = body.body.segments[segments]
    first, second = placed(ends[:, 0], pose).T, placed(ends[:, 1], pose).T
    return 0.5 * (first + second), 0.5 * np.abs(second - first)


def _boxes_of_vertices(body: ContactBody, vertices: Ints, pose: Pose | None) -> Boxes:
    at = np.ascontiguousarray(placed(body.body.vertices[vertices], pose).T)
    return at, np.zeros_like(at)


_SEGMENTS = _Kind(lambda body: body.straight_segments, lambda body: body.edge_spreads, _boxes_of_segments)
_VERTICES = _Kind(lambda body: body.vertices, lambda body: body.vertex_spreads, _boxes_of_vertices)


def placed(points: Floats, pose: Pose | None) -> Floats:
    """Take points (..., 3) to the world."""
    return points if pose is None else pose.points(points.reshape(-1, 3)).reshape(points.shape)


def farthest_moved(before: Encounter, encounter: Encounter) -> float:
    """The farthest that any point of the active body has moved: a corner of its box has moved farthest."""
    lower, upper = encounter.active.tree.lower[0], encounter.active.tree.upper[0]
    corners = np.array(np.meshgrid(*np.stack([lower, upper], axis=1))).reshape(3, -1).T
    offset = encounter.pose.points(corners) - before.pose.points(corners)
    return float(np.sqrt(dot(offset, offset).max()))
