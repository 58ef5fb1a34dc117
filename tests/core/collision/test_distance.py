"""Clearance and free travel: never more than the truth, and close to it."""

import numpy as np
import pytest

from physplace_addon.core.arrays import Floats
from physplace_addon.core.collision import (
    build_tree,
    clearance,
    clearances,
    free_travel,
    join_trees,
    roots_of_parts,
)
from physplace_addon.core.rigid import Pose, Poses
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

STRAIGHT = np.array([1.0, 0.0, 0.0, 0.0])


def least_gap(pose: Pose, first: Floats, second: Floats, grown: float = 0.0) -> float:
    i, j = all_pairs(len(first), len(second))
    return float(closest_on_triangles(pose.points(first)[i], second[j])[0].min() - grown)


@pytest.mark.parametrize("scale", [1e-6, 1.0, 1e6])
@pytest.mark.parametrize("height", [0.003, 0.1, 1.0, 30.0])
def test_the_clearance_is_just_below_the_distance(
    rng: np.random.Generator, scale: float, height: float
) -> None:
    first, second = scale * sphere(12, 8), scale * torus(12, 8)
    pose = Pose(rng.normal(size=4), scale * np.array([0.7, 0.7, 1.3 + height]))
    bound = np.full(len(first), 1e-3 * scale)
    found = clearance(build_tree(first, bound), pose, build_tree(second))
    true = max(least_gap(pose, first, second, 1e-3 * scale), 0.0)
    assert 0.97 * true - 1e-12 * scale <= found <= true


@pytest.mark.parametrize("part", [0.5, 0.999, 1.5])
def test_a_clearance_that_matters_only_up_to_a_length_is_told_up_to_it(
    rng: np.random.Generator, part: float
) -> None:
    first, second = build_tree(sphere(12, 8)), build_tree(torus(12, 8))
    pose = Pose(rng.normal(size=4), np.array([0.7, 0.7, 1.6]))
    true = clearance(first, pose, second, accuracy=0.0)
    found = clearance(first, pose, second, most=part * true)
    assert 0.98 * min(part, 1.0) * true <= found <= min(part, 1.0) * true


def test_the_clearances_of_many_pairs_are_those_of_each(rng: np.random.Generator) -> None:
    shapes = [sphere(12, 8), torus(12, 8), random_soup(rng, 30), hostile_soup(rng, 40)]
    trees = [build_tree(shape) for shape in shapes]
    joined = join_trees(*trees)
    roots = roots_of_parts(joined, np.array([len(shape) for shape in shapes]))
    first, second = rng.integers(len(shapes), size=(2, 40))
    poses = [Pose(rng.normal(size=4), rng.normal(size=3) * reach) for reach in np.linspace(0.0, 4.0, 40)]
    most = np.where(rng.random(40) < 0.5, np.inf, 1.5)
    found = clearances(joined, joined, (roots[first], roots[second]), Poses.of(poses), most)
    pairs = zip(first, poses, second, most, strict=True)
    alone = [clearance(trees[a], pose, trees[b], most=float(far)) for a, pose, b, far in pairs]
    assert (found == 0.0).any()
    assert (found > 1.5).any()
    np.testing.assert_allclose(found, alone, rtol=0.02, atol=1e-12)


@pytest.mark.parametrize("depth", [0.0, 0.1])
def test_bodies_that_touch_have_no_clearance(rng: np.random.Generator, depth: float) -> None:
    first, second = hostile_soup(rng, 60), hostile_soup(rng, 60)
    assert clearance(build_tree(first), Pose(STRAIGHT, depth * np.ones(3)), build_tree(second)) == 0.0


def test_bounds_are_taken_off_the_clearance() -> None:
    pose = Pose(STRAIGHT, np.array([0.0, 0.0, 3.0]))
    body = sphere()
    plain = clearance(build_tree(body), pose, build_tree(body), accuracy=0.0)
    thick = clearance(
        build_tree(body, np.full(len(body), 0.1)), pose, build_tree(body, np.full(len(body), 0.2)), 0.0
    )
    assert plain == pytest.approx(1.0, rel=1e-9)
    assert thick == pytest.approx(0.7, rel=1e-9)
    assert clearance(build_tree(body, np.full(len(body), 1.5)), pose, build_tree(body)) == 0.0


def test_two_flat_plates_face_to_face_are_as_far_apart_as_they_look(rng: np.random.Generator) -> None:
    turn = Pose(rng.normal(size=4), rng.normal(size=3))
    cells = np.linspace(-1.0, 1.0, 21)
    corners = np.stack(np.meshgrid(cells, cells, [0.0], indexing="ij"), axis=-1)[:, :, 0]
    plate = np.stack([corners[:-1, :-1], corners[1:, :-1], corners[:-1, 1:]], axis=-2).reshape(-1, 3, 3)
    lifted = turn.points(shifted(plate, 0.0, 0.0, 0.01))
    found = clearance(build_tree(lifted), Pose.identity(), build_tree(turn.points(plate)))
    assert 0.0097 <= found <= 0.01


@pytest.mark.parametrize("scale", [1e-6, 1.0, 1e6])
def test_travel_ends_just_before_the_bodies_meet(rng: np.random.Generator, scale: float) -> None:
    first, second = scale * torus(10, 6), scale * sphere(10, 6)
    bound = np.full(len(first), 2e-3 * scale)
    trees = build_tree(first, bound), build_tree(second)
    hits = 0
    for _ in range(6):
        pose = Pose(rng.normal(size=4), scale * (rng.normal(size=3) * [0.5, 0.5, 0.0] + [0.0, 0.0, 6.0]))
        direction = rng.normal(size=3) * 0.15 - [0.0, 0.0, 1.0]
        direction /= np.linalg.norm(direction)
        travel = free_travel(trees[0], pose, trees[1], direction, accuracy=0.0)
        if np.isfinite(travel):
            hits += 1
            at = Pose(pose.rotation, pose.translation + travel * direction)
            beyond = Pose(pose.rotation, pose.translation + (travel + 1e-6 * scale) * direction)
            assert least_gap(at, first, second, 2e-3 * scale) >= 0.0
            assert least_gap(beyond, first, second, 2e-3 * scale) < 0.0
    assert hits >= 3


def test_a_body_that_passes_by_travels_for_ever() -> None:
    first, second = build_tree(sphere()), build_tree(sphere())
    pose = Pose(STRAIGHT, np.array([2.01, 0.0, 5.0]))
    assert free_travel(first, pose, second, np.array([0.0, 0.0, -1.0])) == np.inf
    assert free_travel(first, pose, second, np.array([0.0, 0.0, 1.0])) == np.inf
    assert np.isfinite(free_travel(first, pose, second, np.array([0.0, 0.0, -1.0]), reach=0.02))


def test_a_travel_between_two_near_walls_counts_only_what_it_approaches() -> None:
    wall = 100.0 * np.array([[[-1.0, -1, 0], [1, -1, 0], [0, 1, 0]]])
    body = build_tree(np.array([[[-1.0, -1, 0], [1, -1, 0], [0, 1, 0]]]))
    world = build_tree(np.concatenate([wall, shifted(wall, 0.0, 0.0, 10.0)]))
    pose = Pose(STRAIGHT, np.array([0.0, 0.0, 0.01]))
    up, aside = np.array([0.0, 0.0, 1.0]), np.array([1.0, 0.0, 0.0])
    assert free_travel(body, pose, world, up, reach=0.02) == pytest.approx(9.97, rel=1e-3)
    assert free_travel(body, pose, world, -up, reach=0.02) == 0.0
    assert free_travel(body, pose, world, aside, reach=0.001) == np.inf


def test_a_body_that_already_cuts_another_cannot_travel(rng: np.random.Generator) -> None:
    first = random_soup(rng, 50)
    assert (
        free_travel(build_tree(first), Pose.identity(), build_tree(first), np.array([0.0, 0.0, 1.0])) == 0.0
    )


def test_accuracy_is_the_part_given_away(rng: np.random.Generator) -> None:
    first, second = build_tree(sphere()), build_tree(torus())
    pose = Pose(rng.normal(size=4), np.array([0.9, 0.3, 4.0]))
    down = np.array([0.0, 0.0, -1.0])
    exact = free_travel(first, pose, second, down, accuracy=0.0)
    assert 0.9 * exact <= free_travel(first, pose, second, down, accuracy=0.1) <= exact


def test_triangles_that_touch_cannot_travel_whatever_rounding_makes_of_their_distance(
    rng: np.random.Generator,
) -> None:
    tip = np.array([[[0.1, 0.2, 0.0], [0.6, 0.3, 1.0], [-0.2, 0.6, 1.2]]])
    floor = np.array([[[-5.0, -4.0, 0.0], [6.0, -3.0, 0.0], [1.0, 7.0, 0.0]]])
    ridge = np.array([[[-1.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 0.3, 1.0]]])
    beam = np.array([[[0.0, -1.0, 0.0], [0.0, 1.0, 0.0], [0.4, 0.2, -1.0]]])
    for first, second in ((tip, floor), (ridge, beam)) * 40:
        own, place = random_pose(rng), random_pose(rng, 10.0)
        trees = [build_tree(pose.points(each[0])[None]) for pose, each in ((own, first), (place, second))]
        down = place.vectors(np.array([0.0, 0.0, -1.0]))
        assert free_travel(trees[0], place.compose(own.inverse()), trees[1], down) == 0.0
