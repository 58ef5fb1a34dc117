"""Records of interface points: duplicates, the lowest ones, pairs of bodies, frames."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from physplace_addon.core.contact.points.interface_points import (
    FIXED,
    InterfacePoints,
    between,
    carried,
    grouped,
    labelled,
    lowest_spread,
    rows_nearest,
    rows_with_keys,
    spread_out,
    without_duplicates,
)
from physplace_addon.core.rigid import Pose, Poses
from tests.core.contact.body_pairs import (
    everything_within,
    largest_hole,
    meet,
    pose,
)


def some_points(rng: np.random.Generator, count: int = 30) -> InterfacePoints:
    """Random points between three moving bodies and the fixed ones."""
    points = everything_within(meet("cube", "slab", at=(0.0, 0.0, 0.51)), 0.2)
    points = points.take(rng.integers(0, len(points), count))
    body1 = rng.integers(0, 2, count)
    return replace(points, body1=body1, body2=np.where(rng.random(count) < 0.5, FIXED, body1 + 1))


def test_points_spread_out_leave_no_hole(rng: np.random.Generator) -> None:
    angles = rng.uniform(0.0, 2.0 * np.pi, 400)
    ring = np.stack([np.cos(angles), np.sin(angles), np.zeros(400)], axis=1)
    chosen = spread_out(ring, 16)
    assert len(np.unique(chosen)) == 16
    assert largest_hole(ring[chosen]) < np.radians(50.0)


def test_what_carries_is_kept_among_many_that_are_nearly_as_low(rng: np.random.Generator) -> None:
    count = 3000
    places = np.column_stack([rng.uniform(-1.0, 1.0, (count, 2)), np.zeros(count)])
    gap = rng.uniform(1e-6, 1e-5, count)
    carrying = np.argsort(np.linalg.norm(places - places[7], axis=1))[:5]
    gap[carrying] = [0.0, 1e-10, -1e-10, 3e-10, -2e-7]
    number, none = np.arange(count), np.full(count, FIXED)
    up, zeros = np.tile([0.0, 0.0, 1.0], (count, 1)), np.zeros((count, 2))
    vertices, faces = np.zeros(count, int), np.full(count, 2)
    on_curve, ones = np.zeros(count, bool), np.ones(count)
    points = InterfacePoints(
        vertices,
        number,
        number,
        zeros,
        faces,
        number,
        number,
        zeros,
        ones,
        on_curve,
        ones,
        places,
        places,
        up,
        gap,
        none,
        none,
    )
    chosen = lowest_spread(points, 128, 1e-9)
    assert len(np.unique(chosen.index1)) == 128
    assert np.isin(carrying, chosen.index1).all()
    assert np.ptp(chosen.point1[:, :2], axis=0).min() > 1.5


def test_only_points_of_the_same_features_at_the_same_place_are_duplicates() -> None:
    points = everything_within(meet("torus", "plane", at=(0.0, 0.0, 0.3)), 0.05)
    assert len(points) > 8
    doubled = InterfacePoints.join([points, points.take(np.array([3, 0]))])
    assert len(without_duplicates(doubled, 1e-9)) == len(points)
    others = replace(points, index2=points.index2 + 1)
    assert len(without_duplicates(InterfacePoints.join([points, others]), 1e-9)) == 2 * len(points)
    shifted = replace(points, point1=points.point1 + 1e-3)
    assert len(without_duplicates(InterfacePoints.join([points, shifted]), 1e-4)) == 2 * len(points)


def test_the_first_of_two_duplicates_stays() -> None:
    points = everything_within(meet("ball", "plane", at=(0.0, 0.0, 1.01)), 0.05)
    later = replace(points, gap=points.gap + 1.0)
    np.testing.assert_array_equal(
        without_duplicates(InterfacePoints.join([points, later]), 1e-9).gap, points.gap
    )


def test_the_groups_of_pairs_are_all_points_once(rng: np.random.Generator) -> None:
    points = some_points(rng)
    groups = grouped(points)
    assert np.sum([rows for _, rows in groups], axis=0).tolist() == [1] * len(points)
    for pair, rows in groups:
        assert (between(points, pair) == rows).all()
        assert {(int(a), int(b)) for a, b in zip(points.body1[rows], points.body2[rows], strict=True)} == {
            pair
        }
    assert grouped(labelled(points, (4, 2)))[0][0] == (4, 2)


def test_points_are_carried_by_their_second_body_and_back(rng: np.random.Generator) -> None:
    points = some_points(rng)
    poses = [*(pose(rng.normal(size=3), rng.normal(size=3)) for _ in range(3)), Pose.identity()]
    frames = Poses.of(poses)
    there = carried(points, frames.take(points.body2))
    for row, body in enumerate(points.body2.tolist()):
        expected = poses[body].points(points.point1[row])
        np.testing.assert_allclose(there.point1[row], expected, atol=1e-14)
    back = carried(there, frames.inverse().take(points.body2))
    np.testing.assert_allclose(back.normal, points.normal, atol=1e-13)
    np.testing.assert_allclose(back.point2, points.point2, atol=1e-13)


def test_joining_keeps_the_order_and_nothing_joins_to_nothing() -> None:
    points = everything_within(meet("cube", "slab", at=(0.0, 0.0, 0.51)), 0.2)
    joined = InterfacePoints.join([InterfacePoints.none(), points, InterfacePoints.none(), points])
    np.testing.assert_array_equal(joined.gap, np.concatenate([points.gap, points.gap]))
    assert len(InterfacePoints.join([InterfacePoints.none(), InterfacePoints.none()])) == 0


@pytest.mark.parametrize("largest", [2, 2**20])
def test_rows_are_found_by_all_columns_of_their_keys(rng: np.random.Generator, largest: int) -> None:
    keys = rng.permutation(np.unique(rng.integers(-1, largest, (40, 6)), axis=0))
    wanted = np.concatenate([keys[::2], keys[:7] + 1, rng.integers(-1, largest, (20, 6))])
    place = {tuple(key): row for row, key in enumerate(keys.tolist())}
    expected = [place.get(tuple(key), -1) for key in wanted.tolist()]
    assert rows_with_keys(wanted, keys).tolist() == expected
    assert rows_with_keys(wanted, keys[:0]).tolist() == [-1] * len(wanted)


def test_of_equal_keys_the_nearest_place_is_found(rng: np.random.Generator) -> None:
    keys, wanted = rng.integers(0, 4, (60, 2)), rng.integers(0, 5, (80, 2))
    others, places = rng.normal(size=(60, 3)), rng.normal(size=(80, 3))
    found = rows_nearest(wanted, places, keys, others)
    for row, key, place in zip(found, wanted, places, strict=True):
        same = np.flatnonzero((keys == key).all(axis=1))
        distances = np.linalg.norm(others[same] - place, axis=1)
        assert row == (same[distances.argmin()] if len(same) else -1)
