"""Pairs of flat features, of near triangles, that may be within reach of each other.

Every feature is owned by one triangle, so pairs of near triangles list every pair of near features once.
Most triangles are next to one another, so most of those pairs are not near.  Boxes and the sides of the
triangles, with room for rounding, exclude them here before anything is solved.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np

from ...arrays import Floats, Ints
from ...collision import projects_inside
from ...rigid import Pose, Poses
from ..body_pair import AnyPairs
from ..contact_body import ContactBody
from ..row_lists import IndexPairs, RowLists, joined_by_row, placed

Candidates = tuple[AnyPairs, Ints, Ints]
"""Features (k,) of the first and of the second body, and the pairs of bodies that they are of."""


class NearFeatures(NamedTuple):
    """The candidates of all kinds of pairs of flat features: of the active body's features and the world's.

    Faces are triangles and edges are segments; each pair comes once, ascending.
    """

    vertices_over_faces: Candidates
    faces_over_vertices: Candidates
    edges_and_edges: Candidates
    vertices_and_edges: Candidates
    edges_and_vertices: Candidates
    vertices_and_vertices: Candidates

    def still(self, reach: float | Floats, over: float | Floats) -> NearFeatures:
        """Return those that are candidates where their pairs of bodies are.

        Args:
            reach: the largest gap, a length, one or that of each pair of bodies (p,).
            over: the same over faces, and how far behind them.
        """
        faces = _still_over(*self[0], over), _still_under(*self[1], over)
        lower = [
            _still_near(one, two, *found, reach) for (one, two), found in zip(_LOWER, self[2:], strict=True)
        ]
        return NearFeatures(*faces, *lower)


def vertices_over(
    pairs: AnyPairs, base: ContactBody, row: Ints, vertices: Ints, triangles: Ints
) -> Candidates:
    """Return the distinct pairs of vertices (m,) and flat triangles of the base of the same rows.

    pairs: the pair of bodies, or that of each of k rows; row (m,): the row of each vertex.
    triangles (k,): the triangle of each row.
    """
    flat = base.triangle_flat[triangles[row]]
    return pairs.take(row[flat]).distinct(vertices[flat], triangles[row[flat]])


@dataclass(frozen=True)
class FlatCandidates:
    """Finds pairs of flat features that k pairs of near triangles are or own.

    body_pair: the pair of bodies, or that of each row.
    t1, t2 (k,): triangles of the active body and of the world.
    reach: the farthest, a length, that the features may be apart, one or that of each pair of bodies (p,).
    before: a pose known to be free of overlap, or None.  What has come through a face since may be as far
    behind it as it has moved.
    also_over: more pairs of vertices of the active body and flat triangles of the world.
    spare: a length, one or that of each pair of bodies (p,), by which the features may be off their places.
    """

    body_pair: AnyPairs
    t1: Ints
    t2: Ints
    reach: float | Floats
    before: AnyPairs | None
    also_over: IndexPairs | None = None
    spare: float | Floats = 0.0

    def found(self) -> NearFeatures:
        """Return the candidates of all kinds."""
        faces = self.vertices_over_faces(), self.faces_over_vertices()
        return NearFeatures(*faces, *(self._near(*kinds) for kinds in _LOWER))

    @cached_property
    def _reach_over_faces(self) -> float | Floats:
        return self.reach + (0.0 if self.before is None else self.body_pair.moved_since(self.before))

    def vertices_over_faces(self) -> Candidates:
        """Return vertices of the active body and flat triangles of the world that they stand over."""
        row, vertices = self.body_pair.active.vertices.of_rows(self.t1)
        triangles = self.t2[row]
        flat = self.body_pair.world.triangle_flat[triangles]
        pairs, vertices, triangles = self.body_pair.take(row[flat]), vertices[flat], triangles[flat]
        if self.also_over is not None:
            vertices = np.concatenate([vertices, self.also_over[0]])
            triangles = np.concatenate([triangles, self.also_over[1]])
        at = pairs.pose.points(pairs.active.body.vertices[vertices])
        return self._standing(pairs, vertices, at, triangles, pairs.world.body.triangles[triangles])

    def faces_over_vertices(self) -> Candidates:
        """Return flat triangles of the active body and vertices of the world that stand over them."""
        row, vertices = self.body_pair.world.vertices.of_rows(self.t2)
        triangles = self.t1[row]
        flat = self.body_pair.active.triangle_flat[triangles]
        pairs, vertices, triangles = self.body_pair.take(row[flat]), vertices[flat], triangles[flat]
        corners = placed(pairs.active.body.triangles[triangles], pairs.pose)
        at = pairs.world.body.vertices[vertices]
        pairs, vertices, triangles = self._standing(pairs, vertices, at, triangles, corners)
        return pairs, triangles, vertices

    def _standing(
        self, pairs: AnyPairs, vertices: Ints, at: Floats, triangles: Ints, corners: Floats
    ) -> Candidates:
        reach, slack = pairs.each(self._reach_over_faces), pairs.sign_tolerance + pairs.each(self.spare)
        rows = projects_inside(at, corners, reach, slack)
        return pairs.take(rows).distinct(vertices[rows], triangles[rows])

    def _near(self, kind1: _Kind, kind2: _Kind) -> Candidates:
        """Return pairs of features whose boxes are within reach in the directions of their normals."""
        active, world = self.body_pair.active, self.body_pair.world
        owned1, owned2 = kind1.owned(active), kind2.owned(world)
        rows = np.flatnonzero(owned1.has_items[self.t1] & owned2.has_items[self.t2])
        pairs = self.body_pair.take(rows)
        if len(rows) == 0:
            return pairs, rows, rows
        row1, feature1 = owned1.of_rows(self.t1[rows])
        row2, feature2 = owned2.of_rows(self.t2[rows])
        middle1, half1 = kind1.boxes(active, feature1, pairs.take(row1).pose)
        middle2, half2 = kind2.boxes(world, feature2, None)
        here, there = joined_by_row(row1, np.arange(len(row1)), row2, np.arange(len(row2)), len(rows))
        apart = np.abs(np.take(middle1, here, axis=1) - np.take(middle2, there, axis=1))
        apart -= np.take(half1, here, axis=1)
        apart -= np.take(half2, there, axis=1)
        reach = _reach_of(kind2, world, feature2, pairs.take(row2), self.reach, self.spare)
        near = np.flatnonzero((apart <= np.take(reach, there, axis=1)).all(axis=0))
        return pairs.take(row1[here[near]]).distinct(feature1[here[near]], feature2[there[near]])


def _reach_of(
    kind: _Kind,
    world: ContactBody,
    features: Ints,
    pairs: AnyPairs,
    reach: float | Floats,
    spare: float | Floats,
) -> Floats:
    """Return how far (3, k) boxes may be from those of features (k,) of the world, in the directions of their
    normals.
    """
    bounds = np.take(kind.normal_bounds(world).T, features, axis=1)
    found: Floats = pairs.each(reach) * np.minimum(bounds, 1.0) + (pairs.sign_tolerance + pairs.each(spare))
    return found


def _still_over(pairs: AnyPairs, vertices: Ints, triangles: Ints, reach: float | Floats) -> Candidates:
    at = pairs.pose.points(pairs.active.body.vertices[vertices])
    corners = pairs.world.body.triangles[triangles]
    rows = projects_inside(at, corners, pairs.each(reach), pairs.sign_tolerance)
    return pairs.take(rows), vertices[rows], triangles[rows]


def _still_under(pairs: AnyPairs, triangles: Ints, vertices: Ints, reach: float | Floats) -> Candidates:
    corners = placed(pairs.active.body.triangles[triangles], pairs.pose)
    at = pairs.world.body.vertices[vertices]
    rows = projects_inside(at, corners, pairs.each(reach), pairs.sign_tolerance)
    return pairs.take(rows), triangles[rows], vertices[rows]


def _still_near(
    kind1: _Kind, kind2: _Kind, pairs: AnyPairs, first: Ints, second: Ints, reach: float | Floats
) -> Candidates:
    middle1, half1 = kind1.boxes(pairs.active, first, pairs.pose)
    middle2, half2 = kind2.boxes(pairs.world, second, None)
    apart = np.abs(middle1 - middle2) - half1
    apart -= half2
    allowed = _reach_of(kind2, pairs.world, second, pairs, reach, 0.0)
    rows = np.flatnonzero((apart <= allowed).all(axis=0))
    return pairs.take(rows), first[rows], second[rows]


class _Kind(NamedTuple):
    """What differs between segments and vertices.

    owned: those that each triangle owns; normal_bounds (n, 3): the bounds of their normals; boxes: around k
    of them, middles and half extents (3, k).
    """

    owned: Callable[[ContactBody], RowLists]
    normal_bounds: Callable[[ContactBody], Floats]
    boxes: Callable[[ContactBody, Ints, Pose | Poses | None], tuple[Floats, Floats]]


def _boxes_of_segments(body: ContactBody, segments: Ints, pose: Pose | Poses | None) -> tuple[Floats, Floats]:
    ends = body.body.segments[segments]
    first, second = placed(ends[:, 0], pose).T, placed(ends[:, 1], pose).T
    return 0.5 * (first + second), 0.5 * np.abs(second - first)


def _boxes_of_vertices(body: ContactBody, vertices: Ints, pose: Pose | Poses | None) -> tuple[Floats, Floats]:
    at = np.ascontiguousarray(placed(body.body.vertices[vertices], pose).T)
    return at, np.zeros_like(at)


_SEGMENTS = _Kind(
    lambda body: body.straight_segments, lambda body: body.edge_normal_bounds, _boxes_of_segments
)
_VERTICES = _Kind(lambda body: body.vertices, lambda body: body.vertex_normal_bounds, _boxes_of_vertices)
_LOWER = ((_SEGMENTS, _SEGMENTS), (_VERTICES, _SEGMENTS), (_SEGMENTS, _VERTICES), (_VERTICES, _VERTICES))
