"""Near triangles by the trees, against every pair tried."""

from collections.abc import Callable

import numpy as np
import pytest

from physplace_addon.core.arrays import Floats, Ints
from physplace_addon.core.collision import build_tree, join_trees, meeting_pairs, near_pairs, swept_pairs
from physplace_addon.core.rigid import Pose
from tests.core.collision.soups import (
    all_pairs,
    closest_on_triangles,
    hostile_soup,
    random_pose,
    random_soup,
    shifted,
    sphere,
    torus,
)


def pairs_within(
    reach: float, pose: Pose, first: Floats, bound1: Floats, second: Floats, bound2: Floats
) -> set[tuple[int, int]]:
    """Every pair whose triangles, grown by their bounds, are within reach."""
    i, j = all_pairs(len(first), len(second))
    distance, _, _ = closest_on_triangles(pose.points(first)[i], second[j])
    near = distance - bound1[i] - bound2[j] <= reach
    return set(zip(i[near].tolist(), j[near].tolist(), strict=True))


def as_set(pairs: Ints) -> set[tuple[int, int]]:
    result = set(map(tuple, pairs.tolist()))
    assert len(result) == len(pairs), "a pair was reported twice"
    return result


@pytest.mark.parametrize("scale", [1e-6, 1.0, 1e6])
@pytest.mark.parametrize("offset", [0.0, 1e4])
@pytest.mark.parametrize("soup", [random_soup, hostile_soup])
def test_no_near_pair_is_missed_and_few_far_ones_are_named(
    rng: np.random.Generator, scale: float, offset: float, soup: Callable[..., Floats]
) -> None:
    first, second = scale * soup(rng, 150), scale * (soup(rng, 120) + offset)
    bound1, bound2 = 0.02 * scale * rng.random(150), 0.02 * scale * rng.random(120)
    here = random_pose(rng)
    pose = Pose(here.rotation, scale * (here.translation + offset))
    found = as_set(near_pairs(build_tree(first, bound1), pose, build_tree(second, bound2), 0.05 * scale))
    needed = pairs_within(0.05 * scale, pose, first, bound1, second, bound2)
    assert needed <= found
    assert len(found) <= 4 * len(needed) + 20


@pytest.mark.parametrize("scale", [1e-6, 1.0, 1e6])
@pytest.mark.parametrize("soup", [random_soup, hostile_soup])
def test_meeting_pairs_are_those_at_no_distance_no_more_and_no_less(
    rng: np.random.Generator, scale: float, soup: Callable[..., Floats]
) -> None:
    first, second = scale * soup(rng, 300), scale * soup(rng, 250)
    pose = Pose(rng.normal(size=4), 0.3 * scale * rng.normal(size=3))
    found = as_set(meeting_pairs(build_tree(first, np.full(300, 0.1 * scale)), pose, build_tree(second)))
    rounding = 1e-13 * scale
    assert pairs_within(0.0, pose, first, np.zeros(300), second, np.zeros(250)) <= found
    assert found <= pairs_within(rounding, pose, first, np.zeros(300), second, np.zeros(250))
    assert len(found) > 50


def test_rings_in_one_another_meet_where_every_pair_tried_says(rng: np.random.Generator) -> None:
    ring = torus(16, 8)
    tree, none = build_tree(ring), np.zeros(len(ring))
    for shift in (0.01, 0.3, 0.79):
        pose = Pose(np.array([1.0, 0.02, 0.01, 0.3]), np.array([0.01, 0.0, shift]))
        found = as_set(meeting_pairs(tree, pose, tree))
        assert found == pairs_within(0.0, pose, ring, none, ring, none)


@pytest.mark.parametrize("leaf_size", [1, 2, 4, 1000])
def test_the_size_of_the_leaves_does_not_change_the_answer(rng: np.random.Generator, leaf_size: int) -> None:
    pose = random_pose(rng)
    first, second = build_tree(torus(), leaf_size=leaf_size), build_tree(sphere(), leaf_size=leaf_size)
    found = as_set(near_pairs(first, pose, second, 0.02))
    assert found == as_set(near_pairs(build_tree(torus()), pose, build_tree(sphere()), 0.02))


def test_swapping_the_bodies_swaps_the_pairs(rng: np.random.Generator) -> None:
    """Boxes are taken in the second body's frame, so only what is really near must agree."""
    pose = random_pose(rng, 0.5)
    ring, ball = torus(12, 8), sphere(12, 8)
    first, second = build_tree(ring), build_tree(ball)
    needed = pairs_within(0.02, pose, ring, np.zeros(len(ring)), ball, np.zeros(len(ball)))
    assert needed
    assert needed <= as_set(near_pairs(first, pose, second, 0.02))
    assert {(j, i) for i, j in needed} <= as_set(near_pairs(second, pose.inverse(), first, 0.02))


def test_bodies_far_apart_have_no_near_pairs() -> None:
    first, second = build_tree(torus()), build_tree(sphere())
    pose = Pose(np.array([1.0, 0, 0, 0]), np.array([0.0, 0.0, 5.0]))
    assert near_pairs(first, pose, second, 0.1).shape == (0, 2)


def test_a_single_triangle_finds_a_single_triangle(rng: np.random.Generator) -> None:
    tree = build_tree(random_soup(rng, 1))
    assert near_pairs(tree, Pose.identity(), tree, 0.0).tolist() == [[0, 0]]


def test_a_small_body_against_a_large_one_and_the_reverse(rng: np.random.Generator) -> None:
    small, large = 0.01 * sphere(), 50.0 * np.array([[[-1.0, -1, 0], [1, -1, 0], [0, 1, 0]]])
    pose = Pose(rng.normal(size=4), np.array([0.0, 0.0, 0.0101]))
    none = np.zeros(len(small)), np.zeros(1)
    needed = pairs_within(5e-4, pose, small, none[0], large, none[1])
    found = as_set(near_pairs(build_tree(small), pose, build_tree(large), 5e-4))
    assert needed
    assert needed <= found
    reverse = near_pairs(build_tree(large), pose.inverse(), build_tree(small), 5e-4)
    assert needed <= as_set(reverse[:, ::-1])


def test_a_joined_world_gives_the_pairs_of_its_parts(rng: np.random.Generator) -> None:
    parts = [shifted(sphere(), 2.0 * i, 0.0, 0.0) for i in range(3)]
    pose = random_pose(rng)
    body = build_tree(torus())
    together = as_set(near_pairs(body, pose, join_trees(*map(build_tree, parts)), 0.05))
    alone = set()
    for place, part in enumerate(parts):
        pairs = near_pairs(body, pose, build_tree(part), 0.05)
        alone |= {(i, j + place * len(part)) for i, j in pairs.tolist()}
    assert together == alone


def test_a_sphere_of_neglect_hides_what_lies_inside_it_and_nothing_else() -> None:
    first, second = build_tree(sphere()), build_tree(sphere())
    pose = Pose(np.array([1.0, 0, 0, 0]), np.array([1.9, 0.0, 0.0]))
    found = near_pairs(first, pose, second, 0.0)
    center = np.array([[0.95, 0.0, 0.0]])
    assert len(found)
    assert not len(near_pairs(first, pose, second, 0.0, (center, np.array([0.8]))))
    assert as_set(near_pairs(first, pose, second, 0.0, (center, np.array([1e-6])))) == as_set(found)
    elsewhere = np.array([[0.0, 0.0, 5.0]])
    assert as_set(near_pairs(first, pose, second, 0.0, (elsewhere, np.array([1.0])))) == as_set(found)
    none = np.zeros((0, 3)), np.zeros(0)
    assert as_set(near_pairs(first, pose, second, 0.0, none)) == as_set(found)


def test_a_pair_that_meets_outside_every_sphere_is_always_found(rng: np.random.Generator) -> None:
    first, second = random_soup(rng, 120), random_soup(rng, 120)
    pose = random_pose(rng, 0.2)
    centers, radii = rng.normal(size=(5, 3)), 0.5 + 0.5 * rng.random(5)
    i, j = all_pairs(120, 120)
    distance, _, point2 = closest_on_triangles(pose.points(first)[i], second[j])
    reach = np.linalg.norm(point2[:, None] - centers, axis=2)
    outside = (distance <= 0.0) & (reach > radii).all(axis=1)
    needed = set(zip(i[outside].tolist(), j[outside].tolist(), strict=True))
    assert needed
    assert needed <= as_set(near_pairs(build_tree(first), pose, build_tree(second), 0.0, (centers, radii)))


@pytest.mark.parametrize("turn", [0.0, 0.3, 2.0])
def test_whatever_comes_near_on_the_way_is_among_the_swept_pairs(
    rng: np.random.Generator, turn: float
) -> None:
    first, second = random_soup(rng, 80), random_soup(rng, 80)
    start = random_pose(rng, 0.3)
    end = start.displaced(np.array([0.5, -0.4, 0.3]), turn * np.array([0.6, 0.0, 0.8]), start.translation)
    found = as_set(swept_pairs(build_tree(first), start, end, build_tree(second), 0.01))
    i, j = all_pairs(80, 80)
    for part in np.linspace(0.0, 1.0, 9):
        between = (1.0 - part) * start.points(first) + part * end.points(first)
        near = closest_on_triangles(between[i], second[j])[0] <= 0.01
        assert set(zip(i[near].tolist(), j[near].tolist(), strict=True)) <= found


def test_a_sweep_that_goes_nowhere_is_no_more_than_the_near_pairs_of_the_boxes(
    rng: np.random.Generator,
) -> None:
    pose = random_pose(rng, 0.5)
    first, second = build_tree(torus()), build_tree(sphere())
    swept = as_set(swept_pairs(first, pose, pose, second, 0.02))
    assert as_set(near_pairs(first, pose, second, 0.02)) <= swept
