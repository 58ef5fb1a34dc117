"""Seeds of edges and vertices: every near pair has one, no far pair does."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from scipy.interpolate import LinearNDInterpolator
from scipy.spatial import cKDTree

from physplace_addon.core.arrays import Floats, Ints
from physplace_addon.core.bodies import Body, polyhedron
from physplace_addon.core.collision import closest_on_triangle, near_pairs
from physplace_addon.core.contact.body_pair import BodyPair
from physplace_addon.core.contact.features import EDGE, FACE
from physplace_addon.core.contact.points.feature_seeds import distance_seeds, edge_seeds, vertex_seeds
from physplace_addon.core.contact.points.pair_roles import PairRoles
from tests.core.contact.body_pairs import (
    largest_hole,
    meet,
)
from tests.core.meshes import CUBE_POINTS, CUBE_TRIANGLES
from tests.core.polygon_meshes import lathe
from tests.core.surfaces.smooth.smooth_meshes import curved


def near(body_pair: BodyPair, reach: float) -> tuple[Ints, Ints]:
    pairs = near_pairs(body_pair.active.tree, body_pair.pose, body_pair.world.tree, reach)
    return pairs[:, 0], pairs[:, 1]


def test_every_corner_near_a_ball_is_a_seed_over_it_once() -> None:
    body_pair = meet("cube", "ball", (0.3, 0.2, 0.1), (0.0, 0.0, 1.6))
    t1, t2 = near(body_pair, 0.4)
    seeds = vertex_seeds(PairRoles(body_pair, True), t1, t2, 0.4)
    away = np.linalg.norm(body_pair.pose.points(body_pair.active.body.vertices), axis=1) - 1.0
    assert len(set(seeds.index1.tolist())) == len(seeds)
    assert set(np.flatnonzero(away < 0.3).tolist()) <= set(seeds.index1.tolist())
    assert set(seeds.kinds()) == {"vertex/face"}


def test_flat_pairs_are_left_to_closed_forms() -> None:
    body_pair = meet("cube", "cube", at=(0.0, 0.0, 1.1))
    t1, t2 = near(body_pair, 0.3)
    assert len(t1)
    assert len(edge_seeds(PairRoles(body_pair, True), t1, t2, 0.3)[1]) == 0
    assert len(vertex_seeds(PairRoles(body_pair, True), t1, t2, 0.3)) == 0
    assert len(distance_seeds(body_pair, t1, t2, 0.3)) == 0


def test_a_rim_has_a_start_for_each_segment_and_face_and_seeds_all_around() -> None:
    body_pair = meet("cylinder", "plane", at=(0.0, 0.0, 1.05))
    t1, t2 = near(body_pair, 0.2)
    nearest, every = edge_seeds(PairRoles(body_pair, True), t1, t2, 0.2)
    assert len(nearest) <= len(every)
    at = body_pair.first(nearest).geometry().point
    lower = at[at[:, 2] < 1.0]
    np.testing.assert_allclose(lower[:, 2], 0.05, atol=1e-9)
    assert largest_hole(lower) < 0.5


@pytest.mark.parametrize("turn", [(0.3, 0.2, 0.1), (1.0, -0.4, 0.6), (-0.7, 0.5, 2.0)])
def test_a_short_edge_starts_where_it_is_nearest_to_the_face(turn: tuple[float, float, float]) -> None:
    """The triangles of a cone are longer than the box's edges: how far their centres are says little."""
    body_pair = meet(polyhedron(0.5 * CUBE_POINTS, CUBE_TRIANGLES, "box"), "cone", turn, (0.9, 0.1, 0.2))
    active, world = body_pair.active.body, body_pair.world.body
    starts, _ = edge_seeds(PairRoles(body_pair, True), *near(body_pair, 0.5), 0.5)
    at, share = body_pair.first(starts).geometry().point, np.linspace(0.0, 1.0, 101)
    within = 0
    for start, edge, face in zip(at, starts.piece1.tolist(), starts.index2.tolist(), strict=True):
        first, last = body_pair.pose.points(active.segments[edge])
        places = np.concatenate([start[None], first + share[:, None] * (last - first)])
        triangles = world.triangles[world.triangle_face == face]
        corners = np.tile(triangles, (len(places), 1, 1))
        points = np.repeat(places, len(triangles), axis=0)
        feet = (closest_on_triangle(points, corners).barycentric[:, None] @ corners)[:, 0]
        away = np.linalg.norm(points - feet, axis=1).reshape(len(places), -1).min(axis=1)
        if away[1:].min() <= 0.5:  # else the nearest triangle is none of the near ones
            assert away[0] <= away[1:].min() + 1e-12
            within += 1
    assert within > 2


def test_segments_of_a_rim_beyond_reach_are_no_seeds_and_all_others_are() -> None:
    body_pair, reach = meet("cylinder", "cylinder", (0.0, 1.2, 0.0), (0.93, 0.0, 1.2)), 0.02
    roles, world = PairRoles(body_pair, True), body_pair.world.body
    active = body_pair.active.body
    mine, other = np.indices((len(active.triangles), len(world.triangles))).reshape(2, -1)
    seeds = edge_seeds(roles, mine, other, reach)[1]
    weights = np.array([(i, j, 24 - i - j) for i in range(25) for j in range(25 - i)]) / 24.0
    surface = (weights @ world.triangles).reshape(-1, 3)
    share = np.linspace(0.0, 1.0, 25)[:, None]
    rims = active.segments[:, :1] + share * (active.segments[:, 1:] - active.segments[:, :1])
    away = np.asarray(cKDTree(surface).query(body_pair.pose.points(rims))[0]).min(axis=1)
    seen = np.zeros(len(away), bool)
    for edge, t in zip(seeds.index1, seeds.param1[:, 0], strict=True):
        low, high = active.segment_t.min(axis=1), active.segment_t.max(axis=1)
        seen |= (active.segment_edge == edge) & (low - 1e-9 <= t) & (t <= high + 1e-9)
    assert (away <= reach).any()
    assert seen[away <= reach].all()
    assert not seen[away > reach + 0.1].any()


def test_two_rims_within_reach_have_a_seed_at_their_nearest_segments() -> None:
    body_pair = meet("cylinder", "cylinder", (0.0, 0.2, 0.0), (0.3, 0.0, 2.2))
    seeds = distance_seeds(body_pair, *near(body_pair, 0.4), 0.4)
    seeds = seeds.take((seeds.dim1 == EDGE) & (seeds.dim2 == EDGE))
    first, second = body_pair.evaluate(seeds)
    away = np.linalg.norm(first.point - second.point, axis=1).min()
    t = np.linspace(0.0, 2.0 * np.pi, 721)
    circle = np.stack([0.5 * np.cos(t), 0.5 * np.sin(t), np.ones_like(t)], axis=1)
    lower = body_pair.pose.points(circle * [1.0, 1.0, -1.0])
    least = np.linalg.norm(lower[:, None] - circle[None], axis=2).min()
    assert least - 1e-3 <= away <= least + 0.05


def test_an_apex_near_a_rim_is_a_seed_in_both_roles() -> None:
    over = meet("cone", "cylinder", (np.pi, 0.0, 0.0), (0.5, 0.0, 2.05))
    under = meet("cylinder", "cone", (np.pi, 0.0, 0.0), (0.5, 0.0, 2.05))
    assert "vertex/edge" in distance_seeds(over, *near(over, 0.2), 0.2).kinds()
    assert "edge/vertex" in distance_seeds(under, *near(under, 0.2), 0.2).kinds()


def test_an_edge_has_a_start_over_each_hill_of_a_face() -> None:
    """A dish of a few patches has a ridge along each seam, narrower than the triangles of its mesh."""
    profile = [(0.0, 0.0), (0.55, 0.0), (0.9, 0.1), (0.92, 0.14), (0.55, 0.06), (0.0, 0.06)]
    dish = curved(*lathe(profile, 24))
    box = polyhedron(CUBE_POINTS * [0.5, 0.2, 0.2], CUBE_TRIANGLES, "box")
    body_pair = meet(box, dish, (np.pi / 4.0, 0.0, 0.0), (0.0, 0.38, 0.055 + 0.1 * np.sqrt(2.0)))
    t1, t2 = near(body_pair, 0.1)
    starts, _ = edge_seeds(PairRoles(body_pair, True), t1, t2, 0.1)
    at = body_pair.first(starts).geometry().point
    lower = at[(np.abs(at[:, 1] - 0.38) < 1e-9) & (starts.dim2 == FACE)]
    for x in hills(dish, 0.38, 0.25):
        assert np.abs(lower[:, 0] - x).min() < 0.01


def hills(body: Body, y: float, half: float) -> Floats:
    """The places x, up to `half`, where the upper face of a body is highest along a line."""
    rows = np.flatnonzero(body.triangles[:, :, 2].min(axis=1) > 0.03)
    share = np.array(
        [[1.0 - a - b, a, b] for a, b in product(np.linspace(0.0, 1.0, 25), repeat=2) if a + b <= 1.0]
    )
    uv = (share @ body.triangle_uv[rows]).reshape(-1, 2)
    point = body.face_geometry(np.repeat(body.triangle_face[rows], len(share)), uv).point
    point = point[(np.abs(point[:, 1] - y) < 0.05) & (np.abs(point[:, 0]) < half + 0.05)]
    x = np.linspace(-half, half, 1001)
    height = LinearNDInterpolator(point[:, :2], point[:, 2])(x, np.full_like(x, y))
    inner = height[1:-1]
    return x[1:-1][(inner > height[:-2]) & (inner > height[2:]) & (inner > np.median(height))]
