"""Extremal pairs: sides, gaps and which stationary pairs are minima."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from physplace_addon.core.contact.body_pair import BodyPair
from physplace_addon.core.contact.features import EDGE, FeaturePoints
from physplace_addon.core.contact.points.extremal_pairs import may_be_minima, solve_extremal_pairs
from physplace_addon.core.contact.points.generation import track_interface_points
from physplace_addon.core.contact.points.interface_points import InterfacePoints
from physplace_addon.core.contact.points.pair_roles import PairRoles
from tests.core.contact.body_pairs import (
    chance_meeting,
    everything_within,
    meet,
    prepared,
)


def rims(roll: float) -> BodyPair:
    """A tilted cylinder whose lower rim is above the upper rim of another, and rolled."""
    return meet("cylinder", "cylinder", (roll, 0.2, 0.0), (0.3, 0.0, 2.2))


def pair_of_rims(body_pair: BodyPair) -> InterfacePoints:
    """The point of a lower and an upper rim."""
    solid = prepared("cylinder").body
    heights = solid.edge_geometry(np.arange(2), np.zeros(2)).point[:, 2]
    lower, upper = (
        FeaturePoints(solid, placed_at, np.array([EDGE]), np.array([edge]), np.zeros((1, 2)))
        for placed_at, edge in ((body_pair.pose, np.argmin(heights)), (None, np.argmax(heights)))
    )
    return PairRoles(body_pair, True).points(lower, upper)


def test_two_rims_that_pass_through_being_parallel_stay_on_their_sides() -> None:
    rolls = np.linspace(-0.1, 0.1, 20)
    points, valid = solve_extremal_pairs(rims(rolls[0]), pair_of_rims(rims(rolls[0])), known_sides=False)
    assert valid.all()
    turned = set()
    for roll in rolls:
        points = track_interface_points(rims(roll), points)
        assert abs(points.gap[0] - np.linalg.norm(points.point1 - points.point2)) < 1e-12
        assert points.normal[0, 2] > 0.5
        turned.add(float(points.side[0]))
    assert turned == {-1.0, 1.0}


@pytest.mark.parametrize("gap", [0.2, 0.0, -0.1])
def test_a_ball_over_a_ball_is_solved_from_fair_starts_whatever_the_gap(
    gap: float, rng: np.random.Generator
) -> None:
    body_pair = meet("ball", "ball", at=(0.0, 0.0, 2.0 + gap))
    near = meet("ball", "ball", at=(0.0, 0.0, 2.01))
    start = everything_within(near, 0.1).take(slice(0, 1))
    start = replace(start, param1=start.param1 + 0.1 * rng.normal(size=(1, 2)))
    solved, valid = solve_extremal_pairs(body_pair, start, known_sides=False)
    assert valid.all()
    np.testing.assert_allclose(solved.gap, gap, atol=1e-12)
    np.testing.assert_allclose(solved.normal, [[0.0, 0.0, 1.0]], atol=1e-9)


@pytest.mark.parametrize(("height", "side"), [(0.3, 1.0), (-0.3, -1.0)])
def test_over_a_sheet_the_distance_shows_the_side_unless_it_is_known(height: float, side: float) -> None:
    above = everything_within(meet("small ball", "plane", at=(0.1, 0.2, 0.31)), 0.1).take(slice(0, 1))
    there = meet("small ball", "plane", at=(0.1, 0.2, height))
    near = replace(above, param1=above.param1 * side)  # the point of the ball that faces the sheet
    solved, valid = solve_extremal_pairs(there, near, known_sides=False)
    assert (solved.normal[valid, 2] * side > 0.0).all()
    kept, valid = solve_extremal_pairs(there, above, known_sides=True)
    assert valid.all()
    np.testing.assert_allclose(kept.gap, height - 0.3, atol=1e-12)


def test_a_straight_edge_over_a_ball_may_be_a_minimum_and_inside_a_bowl_may_not() -> None:
    on_ball, point = chance_meeting("cube", "ball", "edge/face", np.random.default_rng(3))
    assert may_be_minima(on_ball, point, np.ones(1, bool)).all()
    turned = replace(point, side=-point.side)  # seen from inside, the ball is a hollow
    assert not may_be_minima(on_ball, turned, np.ones(1, bool)).any()
