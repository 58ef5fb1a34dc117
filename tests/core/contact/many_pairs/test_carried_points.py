"""Interface points carried by their bodies, beside the same points solved again."""

from __future__ import annotations

import numpy as np
import pytest

from physplace_addon.core.bodies import polyhedron
from physplace_addon.core.collision import closest_on_segments
from physplace_addon.core.contact.features import EDGE
from physplace_addon.core.contact.system import (
    FACE,
    FIXED,
    VERTEX,
    CarriedPoints,
    ContactSystem,
    InterfacePoints,
    Reach,
    common_points,
    feature_keys,
    rows_with_keys,
)
from physplace_addon.core.rigid import Pose, quaternion_exponential
from tests.bodies_of_the_paper import cuboid, sphere
from tests.core.dynamics.scenes import block, floor


def leaning_blocks(rng: np.random.Generator) -> ContactSystem:
    """Blocks in a row on a floor, each turned a little against its neighbours, all near each other."""
    turns = [quaternion_exponential(0.02 * rng.normal(size=3)) for _ in range(4)]
    poses = [Pose(turn, np.array([1.02 * number, 0.0, 0.53])) for number, turn in enumerate(turns)]
    return ContactSystem.of([block()] * 4, poses, [floor()])


@pytest.mark.parametrize("size", [1e-6, 1e-3, 1e-2])
@pytest.mark.parametrize("seed", range(5))
def test_gaps_after_a_motion_are_those_of_points_solved_again(seed: int, size: float) -> None:
    """Of vertices over faces and of crossing edges, whichever body has which."""
    rng = np.random.default_rng(seed)
    system = leaning_blocks(rng)
    points = system.generate(Reach(0.2, 0.2, 0.2), InterfacePoints.none(), None)
    there = system.displaced(size * rng.normal(size=6 * len(system)))
    gaps, _ = CarriedPoints.of(system, system.in_world(points)).after(there.frames, np.arange(len(points)))
    solved = there.track(points)
    rows = rows_with_keys(feature_keys(points), feature_keys(solved))
    known = rows >= 0
    assert known.sum() > 10
    assert np.abs(gaps[known] - solved.gap[rows[known]]).max() < 1e-13


def leaning_sheets(rng: np.random.Generator) -> ContactSystem:
    """The same of blocks without their upper faces, on an open sheet."""
    points, triangles = cuboid([0.0, 0.0, 0.0], [0.5, 0.5, 0.5])
    open_ = polyhedron(points, triangles[points[triangles, 2].min(axis=1) < 0.4], "open block")
    corners = 9.0 * np.array([[-1, -1, 0], [1, -1, 0], [1, 1, 0], [-1, 1, 0]])
    sheet = polyhedron(corners, np.array([[0, 1, 2], [0, 2, 3]]), "sheet")
    blocks = leaning_blocks(rng)
    return ContactSystem.of([open_] * len(blocks), blocks.poses, [sheet])


@pytest.mark.parametrize("seed", range(3))
def test_gaps_of_open_sheets_need_not_be_solved_for(seed: int) -> None:
    """As those of solids; also those of a single body."""
    rng = np.random.default_rng(seed)
    for system in (leaning_sheets(rng), leaning_blocks(rng), single(leaning_blocks(rng))):
        points = system.generate(Reach(0.2, 0.2, 0.2), InterfacePoints.none(), None)
        there = system.displaced(1e-3 * rng.normal(size=6 * len(system)))
        carried = CarriedPoints.of(system, system.in_world(points))
        gaps, _ = carried.after(there.frames, np.arange(len(points)))
        assert not np.isnan(gaps).any()
        solved = there.track(points)
        rows = rows_with_keys(feature_keys(points), feature_keys(solved))
        known = rows >= 0
        assert known.sum() >= 2
        assert np.abs(gaps[known] - solved.gap[rows[known]]).max() < 1e-13


def single(system: ContactSystem) -> ContactSystem:
    """The first of the moving bodies of a system, alone in its world."""
    return ContactSystem.of([system.bodies[0].body], system.poses[:1], system.parts)


def test_bodies_slip_at_the_point_of_the_one_that_has_it_alone() -> None:
    """At the vertex on a face, whichever body has it; between edges of like blocks half-way."""
    system = leaning_blocks(np.random.default_rng(0))
    points = system.in_world(system.generate(Reach(0.2, 0.2, 0.2), InterfacePoints.none(), None))
    common, middle = common_points(system, points), 0.5 * (points.point1 + points.point2)
    over = (points.dim1 == VERTEX) & (points.dim2 == FACE)
    under = (points.dim1 == FACE) & (points.dim2 == VERTEX)
    edges = (points.dim1 == EDGE) & (points.dim2 == EDGE) & (points.body2 != FIXED)
    for rows, expected in ((over, points.point1), (under, points.point2), (edges, middle)):
        assert rows.any()
        np.testing.assert_allclose(common[rows], expected[rows], rtol=0.0, atol=1e-15)


@pytest.mark.parametrize("flat_first", [False, True])
def test_what_is_curved_slips_at_its_own_point_on_what_is_flat(flat_first: bool) -> None:
    """Also where the flat body is the smaller one."""
    bodies = [sphere(1.0).body, block()]
    poses = [Pose.identity(), Pose(np.array([1.0, 0.0, 0.0, 0.0]), np.array([0.0, 0.0, 1.55]))]
    order = slice(None, None, -1 if flat_first else 1)
    system = ContactSystem.of(bodies[order], poses[order], [])
    points = system.in_world(system.generate(Reach(0.2, 0.2, 0.2), InterfacePoints.none(), None))
    lowest = points.take(np.argsort(points.gap)[:1])
    assert lowest.gap[0] == pytest.approx(0.05, abs=1e-9)
    np.testing.assert_allclose(common_points(system, lowest), [[0.0, 0.0, 1.0]], atol=1e-9)


def blocks_at_corners(rng: np.random.Generator) -> ContactSystem:
    """Blocks that are near each other at corners, and at a corner and the middle of an edge."""
    turns = [quaternion_exponential(0.02 * rng.normal(size=3)) for _ in range(4)]
    places = [(0.0, 0.0, 0.0), (1.05, 1.05, 1.04), (1.05, 1.04, -1.05), (-1.06, 1.05, 0.5)]
    poses = [Pose(turn, np.array(place)) for turn, place in zip(turns, places, strict=True)]
    return ContactSystem.of([block()] * 4, poses, [])


@pytest.mark.parametrize("size", [1e-6, 1e-3, 1e-2])
@pytest.mark.parametrize("seed", range(5))
def test_gaps_of_vertices_beside_edges_and_vertices_are_those_of_points_solved_again(
    seed: int, size: float
) -> None:
    rng = np.random.default_rng(seed)
    system = blocks_at_corners(rng)
    points = system.generate(Reach(0.3, 0.3, 0.3), InterfacePoints.none(), None)
    beside = np.flatnonzero(((points.dim1 == VERTEX) | (points.dim2 == VERTEX)) & (points.dim1 != FACE))
    points = points.take(beside[points.dim2[beside] != FACE])
    assert {"vertex/edge", "edge/vertex"} & set(points.kinds())
    assert "vertex/vertex" in points.kinds()
    there = system.displaced(size * rng.normal(size=6 * len(system)))
    gaps, _ = CarriedPoints.of(system, system.in_world(points)).after(there.frames, np.arange(len(points)))
    solved = there.track(points)
    rows = rows_with_keys(feature_keys(points), feature_keys(solved))
    known = rows >= 0
    assert known.sum() >= 2
    assert np.abs(gaps[known] - solved.gap[rows[known]]).max() < 1e-13


def blocks_all_but_parallel(rng: np.random.Generator) -> ContactSystem:
    """Blocks one upon another, each turned so little about the vertical that edges all but follow others."""
    turns = [quaternion_exponential(np.array([0.0, 0.0, 2e-4 * rng.normal()])) for _ in range(6)]
    poses = [Pose(turn, np.array([1e-6, 0.3, 1.0001]) * number) for number, turn in enumerate(turns)]
    return ContactSystem.of([block()] * 6, poses, [])


@pytest.mark.parametrize("size", [1e-9, 1e-6, 1e-5, 1e-4, 1e-3])
@pytest.mark.parametrize("seed", range(5))
def test_gaps_of_edges_all_but_parallel_are_those_of_their_closest_points(seed: int, size: float) -> None:
    """And there is none where these are not inside both edges any more."""
    rng = np.random.default_rng(seed)
    system = blocks_all_but_parallel(rng)
    points = system.generate(Reach(0.2, 0.2, 0.2), InterfacePoints.none(), None)
    carried = CarriedPoints.of(system, system.in_world(points))
    narrow = np.flatnonzero(carried.narrow)
    assert len(narrow) >= 4
    there = system.displaced(size * rng.normal(size=6 * len(system)))
    gaps, _ = carried.after(there.frames, narrow)
    points = points.take(narrow)
    ends = [
        there.frames.take(body).points(block().segments[block().segment_edge.argsort()[edge]])
        for body, edge in ((points.body1, points.piece1), (points.body2, points.piece2))
    ]
    s, t, inside1, inside2 = closest_on_segments(*ends)
    closest = [
        own[:, 0] + at[:, None] * (own[:, 1] - own[:, 0]) for own, at in zip(ends, (s, t), strict=True)
    ]
    assert (~np.isnan(gaps) == (inside1 & inside2)).all()
    known = inside1 & inside2
    assert known.all() or size > 1e-5
    apart = np.linalg.norm(closest[0] - closest[1], axis=1)
    assert np.abs(np.abs(gaps) - apart)[known].max(initial=0.0) < 1e-14
    if size <= 1e-5:  # no gap of 1e-4 has closed
        assert (gaps[known] > 0.0).all()


def test_the_common_points_of_bodies_move_as_these_do() -> None:
    """By the difference of what both bodies' motions make of one point: the one of the lesser feature, half
    way between those of two alike, and the moving body's beside the floor.
    """
    rng = np.random.default_rng(7)
    system = leaning_blocks(rng)
    points = system.in_world(system.generate(Reach(0.2, 0.2, 0.2), InterfacePoints.none(), None))
    there = system.displaced(0.1 * rng.normal(size=6 * len(system)))
    _, moved = CarriedPoints.of(system, points).after(there.frames, np.arange(len(points)))

    def shift(body: int, place: np.ndarray) -> np.ndarray:
        if body < 0:
            return np.zeros(3)
        own = system.poses[body].inverse().points(place)
        return np.asarray(there.poses[body].points(own) - place)

    shares = np.select(
        [points.dim1 < points.dim2, points.dim1 > points.dim2, points.body2 < 0], [1.0, 0.0, 1.0], 0.5
    )[:, None]
    places = shares * points.point1 + (1.0 - shares) * points.point2
    pairs = zip(points.body1.tolist(), points.body2.tolist(), places, strict=True)
    expected = [shift(one, place) - shift(other, place) for one, other, place in pairs]
    assert np.abs(moved - np.array(expected)).max() < 1e-13
