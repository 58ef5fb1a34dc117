"""Candidates: no pair of features within reach is left out."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.spatial import ConvexHull

from physplace_addon.core.arrays import Ints
from physplace_addon.core.bodies import polyhedron
from physplace_addon.core.bodies.body import Body
from physplace_addon.core.contact.body_pair import BodyPair
from physplace_addon.core.contact.regions.candidates import FlatCandidates, vertices_over
from physplace_addon.core.contact.regions.flat_pairs import flat_pairs
from tests.core.contact.body_pairs import (
    meet,
    prepared,
)


def convex(rng: np.random.Generator) -> Body:
    points = rng.normal(size=(12, 3))
    return polyhedron(points, ConvexHull(points).simplices, "convex")


def everything(body_pair: BodyPair) -> tuple[Ints, Ints]:
    count1, count2 = len(body_pair.active.body.triangles), len(body_pair.world.body.triangles)
    return np.divmod(np.arange(count1 * count2), count2)


@pytest.mark.parametrize("seed", range(4))
def test_no_pair_that_a_search_without_limit_finds_within_reach_is_missing(seed: int) -> None:
    rng, reach = np.random.default_rng(seed), 0.4
    body_pair = meet(convex(rng), convex(rng), at=(0.0, 0.0, 3.2))
    near = FlatCandidates(body_pair, *everything(body_pair), reach, None)
    points = flat_pairs(body_pair, *everything(body_pair))
    points = points.take(points.gap <= reach)
    corners = {
        (v, int(body_pair.world.body.triangle_face[t]))
        for v, t in zip(*near.vertices_over_faces()[1:], strict=True)
    }
    for a, b, kind in zip(points.index1, points.index2, points.kinds(), strict=True):
        if kind == "vertex/face":
            assert (a, b) in corners
    _, edges1, edges2 = near.found().edges_and_edges
    edge1, edge2 = body_pair.active.body.segment_edge[edges1], body_pair.world.body.segment_edge[edges2]
    found = set(zip(edge1.tolist(), edge2.tolist(), strict=True))
    crossing = points.take(np.array(points.kinds(), dtype=object) == "edge/edge")
    assert set(zip(crossing.index1.tolist(), crossing.index2.tolist(), strict=True)) <= found


def test_far_features_are_no_candidates(rng: np.random.Generator) -> None:
    body_pair = meet(convex(rng), convex(rng), at=(0.0, 0.0, 50.0))
    near = FlatCandidates(body_pair, *everything(body_pair), 1.0, None)
    for pairs in (
        near.found().edges_and_edges,
        near.found().vertices_and_vertices,
        near.vertices_over_faces(),
    ):
        assert len(pairs[1]) == 0


def test_the_roles_of_both_bodies_are_mirror_images(rng: np.random.Generator) -> None:
    one, two = convex(rng), convex(rng)
    here = meet(one, two, at=(0.0, 0.0, 3.0))
    there = meet(two, one, at=(0.0, 0.0, -3.0))
    first = FlatCandidates(here, *everything(here), 0.5, None)
    second = FlatCandidates(there, *everything(there), 0.5, None)
    assert set(zip(*first.faces_over_vertices()[1:], strict=True)) == {
        (t, v) for v, t in zip(*second.vertices_over_faces()[1:], strict=True)
    }


def test_what_came_through_a_face_since_the_pose_before_is_still_a_candidate() -> None:
    before = meet("cube", "slab", at=(0.0, 0.0, 0.6))
    now = meet("cube", "slab", at=(0.0, 0.0, 0.2))
    assert len(FlatCandidates(now, *everything(now), 0.05, None).vertices_over_faces()[1]) == 0
    assert len(FlatCandidates(now, *everything(now), 0.05, before).vertices_over_faces()[1]) >= 4


def test_vertices_meet_only_flat_triangles_of_their_rows() -> None:
    cylinder, pair = prepared("cylinder"), meet("cylinder", "slab")
    row, vertices, triangles = np.array([0, 0, 1]), np.array([5, 5, 6]), np.arange(2)
    flat = cylinder.triangle_flat[triangles]
    found = set(zip(*vertices_over(pair, cylinder, row, vertices, triangles)[1:], strict=True))
    assert found == {(v, t) for r, v, t in zip(row, vertices, triangles[row], strict=True) if flat[r]}
