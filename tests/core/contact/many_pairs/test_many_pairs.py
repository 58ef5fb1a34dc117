"""Many pairs in one batch have the points that they have one by one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import fields, replace

import numpy as np
import pytest
from scipy.spatial import Delaunay

from physplace_addon.core.arrays import Ints
from physplace_addon.core.bodies import Body, polyhedron
from physplace_addon.core.collision import clearance
from physplace_addon.core.contact.continuous_collision import swept_contacts
from physplace_addon.core.contact.interpenetration import triangles_overlap
from physplace_addon.core.contact.points.creation import Reach
from physplace_addon.core.contact.points.generation import (
    generate_interface_points,
    track_interface_points,
)
from physplace_addon.core.contact.points.interface_points import (
    FIXED,
    InterfacePoints,
    between,
    feature_keys,
    grouped,
    labelled,
)
from physplace_addon.core.contact.system import ContactSystem
from physplace_addon.core.rigid import Pose
from tests.bodies_of_the_paper import box, cone, convex, cuboid, cylinder, prism, sphere
from tests.oracles.frames import quaternion_of, random_rotation

REACH = Reach(0.3, 0.3, 0.3)


def bodies(rng: np.random.Generator, count: int) -> list[Body]:
    """Cubes, prisms, slabs and random convex bodies in turn."""
    kinds = [
        box().body,
        prism(6, 0.45, 1.0).body,
        box((0.6, 0.4, 0.25)).body,
        convex(rng.normal(size=(12, 3)), "convex"),
    ]
    return [kinds[number % 4] for number in range(count)]


def world() -> list[Body]:
    """A floor in two parts and a wall."""
    return [
        polyhedron(*cuboid([-2.0, 0.0, -1.0], [2.0, 4.0, 1.0]), "floor"),
        polyhedron(*cuboid([2.0, 0.0, -1.0], [2.0, 4.0, 1.0]), "floor"),
        polyhedron(*cuboid([4.2, 0.0, 1.0], [0.2, 4.0, 3.0]), "wall"),
    ]


def scattered(rng: np.random.Generator, count: int, upright: bool) -> ContactSystem:
    """Bodies close together over the floor, turned at random or standing on it and on one another."""
    poses = []
    for number in range(count):
        layer, cell = divmod(number, 4)
        place = np.array([*divmod(cell, 2), layer]) * [1.1, 1.1, 1.0] + [0.0, 0.0, 0.5]
        turn = rng.normal(size=4) if not upright else np.array([1.0, 0.0, 0.0, 0.0])
        shift = rng.uniform(-0.1, 0.1, 3) * (np.array([1.0, 1.0, 0.0]) if upright else 1.0)
        poses.append(Pose(turn / np.linalg.norm(turn), place + shift))
    return ContactSystem.of(bodies(rng, count), poses, world())


def all_pairs(system: ContactSystem) -> list[tuple[int, int]]:
    """All pairs of bodies, also those that are far apart."""
    count = len(system)
    return [(one, other) for one in range(count) for other in (FIXED, *range(one + 1, count))]


def one_by_one(
    system: ContactSystem, tracked: InterfacePoints, before: ContactSystem | None
) -> InterfacePoints:
    """The points of all pairs, each searched by itself."""
    parts = [InterfacePoints.none()]
    for pair in all_pairs(system):
        then = None if before is None else before.body_pair(pair)
        known = tracked.take(between(tracked, pair))
        reach = REACH.times(system.span(pair))
        parts.append(labelled(generate_interface_points(system.body_pair(pair), reach, known, then), pair))
    return InterfacePoints.join(parts)


def in_order(points: InterfacePoints) -> InterfacePoints:
    columns: Sequence[Ints] = (
        points.index2,
        points.dim2,
        points.index1,
        points.dim1,
        points.body2,
        points.body1,
    )
    return points.take(np.lexsort(columns))


def assert_equal(one: InterfacePoints, other: InterfacePoints) -> None:
    one, other = in_order(one), in_order(other)
    assert len(one) == len(other)
    for field in fields(InterfacePoints):
        a, b = getattr(one, field.name), getattr(other, field.name)
        np.testing.assert_allclose(a, b, rtol=0.0, atol=1e-12, err_msg=field.name)


def assert_equal_gaps(one: InterfacePoints, other: InterfacePoints) -> None:
    """Points of the same features have the same gaps, but for samples, of which any will do."""
    found = []
    for points in (one, other):
        points = points.take(~points.on_curve)
        rows = np.lexsort((points.gap, *feature_keys(points).T))
        found.append((feature_keys(points)[rows], points.gap[rows]))
    np.testing.assert_array_equal(found[0][0], found[1][0])
    np.testing.assert_allclose(found[0][1], found[1][1], rtol=0.0, atol=1e-9)


@pytest.mark.parametrize("upright", [False, True])
@pytest.mark.parametrize("seed", range(4))
def test_points_of_all_pairs_are_those_of_each(seed: int, upright: bool) -> None:
    rng = np.random.default_rng(seed)
    before = scattered(rng, 9, upright)
    first = before.generate(REACH, InterfacePoints.none(), None)
    assert_equal(first, one_by_one(before, InterfacePoints.none(), None))
    assert len(first) > 50
    now = before.displaced(0.02 * rng.normal(size=54))
    tracked = now.track(first)
    assert_equal(now.generate(REACH, tracked, before), one_by_one(now, tracked, before))


def sheet(rough: float) -> Body:
    """An open sheet of 800 triangles, as rough as told, under the places of scattered bodies."""
    x, y = (each.ravel() for each in np.meshgrid(np.linspace(-1.0, 3.0, 21), np.linspace(-1.0, 3.0, 21)))
    points = np.stack([x, y, rough * np.sin(5.0 * x) * np.cos(4.0 * y)], axis=1)
    return polyhedron(points, Delaunay(points[:, :2]).simplices, "sheet")


@pytest.mark.parametrize(("upright", "rough"), [(True, 0.0), (False, 0.0), (False, 0.1)])
@pytest.mark.parametrize("seed", range(2))
def test_points_of_all_pairs_with_a_sheet_are_those_of_each(seed: int, upright: bool, rough: float) -> None:
    """They are searched at once where the reach is narrow, and alone where it is wide."""
    placed = scattered(np.random.default_rng(seed), 6, upright)
    system = ContactSystem.of([body.body for body in placed.bodies], placed.poses, [sheet(rough)])
    for far, is_narrow in ((0.09, True), (0.5, False)):
        searched = replace(system, travel=far / REACH.flat * system.radii, cone_tolerance=0.1)
        alone = [(one, FIXED) for one in range(len(system))]
        assert bool(searched.split_by_reach(alone, REACH.flat)[0]) is is_narrow
        found = searched.generate(REACH, InterfacePoints.none(), None)
        assert_equal(found, one_by_one(searched, InterfacePoints.none(), None))
        assert (found.body2 == FIXED).any()


def test_points_of_curved_pairs_searched_together_are_those_of_each(rng: np.random.Generator) -> None:
    shapes = (sphere(0.4), cylinder(0.3, 0.9), cone(0.3, 0.7), box((0.3, 0.3, 0.3)))
    moving = [shape.body for shape in shapes]
    poses = []
    for place in np.array(list(np.ndindex(2, 2, 1))) * 0.95 + [0.0, 0.0, 0.6]:
        turn = rng.normal(size=4)
        poses.append(Pose(turn / np.linalg.norm(turn), place))
    before = ContactSystem.of(moving, poses, world())
    first = before.generate(REACH, InterfacePoints.none(), None)
    assert_equal_gaps(first, one_by_one(before, InterfacePoints.none(), None))
    assert len(set(map(tuple, np.stack([first.body1, first.body2], axis=1).tolist()))) >= 4
    now = before.displaced(0.02 * rng.normal(size=24))
    tracked = now.track(first)
    assert_equal_gaps(now.generate(REACH, tracked, before), one_by_one(now, tracked, before))


@pytest.mark.parametrize("tolerance", [1e-7, 0.3])
@pytest.mark.parametrize("seed", range(4))
def test_points_known_before_are_solved_where_they_matter(seed: int, tolerance: float) -> None:
    """Their sides are those that all of them solved again show, also where most gaps show none."""
    rng = np.random.default_rng(seed)
    before = replace(scattered(rng, 9, False), sign_tolerance=tolerance)
    known = before.generate(REACH, InterfacePoints.none(), None)
    now = before.displaced(0.1 * rng.normal(size=54))
    moving = replace(now, moving=(0, 3, 4))
    for system in (now, moving):
        found = system.generate_from(REACH, known, before)
        assert_equal(found, system.generate(REACH, system.track(known), before))
    alone, found = (
        now.generate(REACH, InterfacePoints.none(), before),
        now.generate_from(REACH, known, before),
    )
    assert (tolerance > 0.1) == bool((in_order(alone).gap != in_order(found).gap).any())


@pytest.mark.parametrize("upright", [False, True])
@pytest.mark.parametrize("seed", range(4))
def test_what_crosses_in_all_pairs_is_what_crosses_in_each(seed: int, upright: bool) -> None:
    rng = np.random.default_rng(seed)
    start = scattered(rng, 9, upright)
    end = start.displaced(0.2 * rng.normal(size=54))
    parts = [InterfacePoints.none()]
    for pair in all_pairs(start):
        found = swept_contacts([(start.body_pair(pair), end.body_pair(pair))])[0]
        parts.append(labelled(found, pair))
    expected = InterfacePoints.join(parts)
    assert len(expected) > 10
    assert_equal(start.swept_contacts(end, 1.0), expected)


@pytest.mark.parametrize("upright", [False, True])
@pytest.mark.parametrize("seed", range(4))
def test_points_of_all_pairs_are_tracked_as_those_of_each(seed: int, upright: bool) -> None:
    rng = np.random.default_rng(seed)
    before = scattered(rng, 9, upright)
    points = before.generate(REACH, InterfacePoints.none(), None)
    now = before.displaced(0.02 * rng.normal(size=54))
    parts = [track_interface_points(now.body_pair(pair), points.take(rows)) for pair, rows in grouped(points)]
    expected = InterfacePoints.join(parts)
    assert 50 < len(expected) <= len(points)
    assert_equal(now.track(points), expected)


@pytest.mark.parametrize("seed", range(4))
def test_overlaps_of_all_pairs_are_those_of_each(seed: int) -> None:
    rng = np.random.default_rng(seed)
    system = scattered(rng, 9, upright=True)
    overlap = 0
    for _ in range(5):
        now = system.displaced(np.tile([0.0, 0.0, 1.0, 0.0, 0.0, 0.0], 9) * rng.uniform(-0.01, 0.3, 54))
        each = [triangles_overlap(now.body_pair(pair), 1e-6 * now.radius) for pair in all_pairs(now)]
        assert now.triangles_overlap(1e-6) == any(each)
        overlap += any(each)
    assert overlap
    heights = 3.0 * np.arange(1, 10)
    apart = system.displaced(
        np.column_stack([np.zeros((9, 2)), heights / system.radii, np.zeros((9, 3))]).ravel()
    )
    assert not apart.triangles_overlap(1e-6)


@pytest.mark.parametrize("seed", range(3))
def test_points_of_curved_bodies_are_tracked_in_one_call_as_pair_by_pair(seed: int) -> None:
    rng = np.random.default_rng(seed)
    shapes = [sphere(0.5).body, cone(0.5, 1.0).body, box().body, cylinder(0.4, 1.0).body]
    poses = [
        Pose.identity().displaced(
            np.array([1.0 * (i % 2), 1.0 * (i // 2), 0.55]), rng.normal(size=3), np.zeros(3)
        )
        for i in range(4)
    ]
    system = ContactSystem.of(shapes, poses, world())
    points = system.generate(REACH, InterfacePoints.none(), None)
    there = system.displaced(1e-3 * rng.normal(size=24))
    alone, together = there.track(points), replace(there, jointly=True).track(points)
    assert len(grouped(alone)) > 4
    assert len(alone) > 15
    for field in fields(InterfacePoints):
        one, other = getattr(alone, field.name), getattr(together, field.name)
        assert np.allclose(one, other, rtol=1e-9, atol=1e-9), field.name


def test_distances_of_pairs_of_all_kinds_in_one_call_are_those_of_each_pair(rng: np.random.Generator) -> None:
    """Of small solids, of these with the world, and of what is curved with both; cut off where asked."""
    solids = [box().body, sphere(0.4).body, prism(6, 0.45, 1.0).body, cone(0.5, 1.0).body]
    turns = [quaternion_of(random_rotation(rng)) for _ in solids]
    poses = [Pose(turn, np.array([1.5 * i - 1.5, 0.1 * i, 1.2])) for i, turn in enumerate(turns)]
    system = ContactSystem.of(solids, poses, world())
    pairs, expected = all_pairs(system), []
    for pair in pairs:
        alone = system.body_pair(pair)
        expected.append(clearance(alone.active.tree, alone.pose, alone.world.tree, 1e-9))
    assert min(expected) > 0.0
    order = rng.permutation(len(pairs))
    most = np.where(np.arange(len(pairs)) % 3 == 0, 0.1, np.inf)
    found = system.clearances([pairs[row] for row in order], most, 1e-9)
    np.testing.assert_allclose(found, np.minimum(np.array(expected)[order], most), rtol=1e-8)
