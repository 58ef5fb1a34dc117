"""The points of a pose cover what touches: rings all around, one point in a bowl, none through a wall."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from physplace_addon.core.arrays import Floats
from physplace_addon.core.bodies import exact
from physplace_addon.core.contact.points.creation import Reach
from physplace_addon.core.contact.points.generation import (
    generate_interface_points,
    track_interface_points,
)
from physplace_addon.core.contact.points.interface_points import (
    InterfacePoints,
    without_duplicates,
)
from physplace_addon.core.surfaces import kinds
from physplace_addon.core.surfaces.analytic import swept
from tests.bodies_of_the_paper import BOWL
from tests.core.contact.body_pairs import everything_within, meet
from tests.oracles.frames import rotation_of

HOLLOW = np.array([[1.88, 1.24], [1.68, 0.64], [1.0, 0.15], [0.0, 0.15]])  # (r, z), the inside of the bowl


def bezier(control: Floats, t: Floats) -> Floats:
    a, b, c, d = control
    s = 1.0 - t[:, None]
    t = t[:, None]
    result: Floats = s**3 * a + 3.0 * s**2 * t * b + 3.0 * s * t**2 * c + t**3 * d
    return result


@pytest.mark.parametrize("aside", [0.0, 0.2, 0.8, 1.3])
def test_a_ball_in_a_bowl_is_found_where_it_is_nearest(aside: float) -> None:
    bowl = exact(swept.revolution(BOWL), "bowl", resolution=(32, 12))
    body_pair = meet("small ball", bowl, turn=(0.3, 0.5, 0.1), at=(aside, 0.0, 0.7))
    points = everything_within(body_pair, 0.4)
    inside = bezier(HOLLOW, np.linspace(0.0, 1.0, 200_001))
    distance = np.hypot(inside[:, 0] - aside, inside[:, 1] - 0.7)
    nearest = np.argmin(distance)
    lowest = points.take(slice(int(np.argmin(points.gap)), int(np.argmin(points.gap)) + 1))
    assert abs(lowest.gap[0] - (distance[nearest] - 0.3)) < 1e-9
    assert np.abs(lowest.point2[0] - [inside[nearest, 0], 0.0, inside[nearest, 1]]).max() < 1e-4


def test_tracked_points_follow_the_body(rng: np.random.Generator) -> None:
    body_pair = meet("ellipsoid", "torus", turn=rng.normal(size=3), at=(1.0, 0.2, 1.15))
    points = everything_within(body_pair, 0.2)
    assert len(points)
    moved = body_pair.displaced(0.01 * rng.normal(size=6))
    tracked = track_interface_points(moved, points.take(~points.on_curve))
    fresh = everything_within(moved, 0.2)
    assert abs(tracked.gap.min() - fresh.gap.min()) < 1e-12


def test_tracking_and_creation_do_not_report_a_pair_twice(rng: np.random.Generator) -> None:
    body_pair = meet("ellipsoid", "torus", turn=rng.normal(size=3), at=(1.0, 0.2, 1.15))
    points = everything_within(body_pair, 0.2)
    again = generate_interface_points(body_pair, Reach(0.2, 0.2, 0.2), points, body_pair)
    assert len(again) == len(points)
    assert len(without_duplicates(again, 1e-6)) == len(again)


def test_the_lowest_sample_of_a_curve_is_a_point_of_its_own_where_no_seed_leads_to_it() -> None:
    """It may be one of two minima beside each other between the same corners of a mesh."""
    body_pair, reach = (
        meet("ellipsoid", "plane", turn=(0.4, 0.3, 0.0), at=(0.0, 0.0, 1.0)),
        Reach(1.0, 1.0, 1.0),
    )
    lowest = everything_within(body_pair, 1.0)
    sample = replace(lowest, on_curve=np.ones(1, bool))
    height = (body_pair.active.body.triangles @ rotation_of(body_pair.pose.rotation).T)[:, :, 2].mean(axis=1)
    of_the_top = np.argsort(height)[-1:], np.zeros(1, np.intp)
    nothing = InterfacePoints.none()
    assert len(generate_interface_points(body_pair, reach, nothing, body_pair, of_the_top)) == 0
    found = generate_interface_points(body_pair, reach, sample, body_pair, of_the_top)
    assert found.gap.tolist() == pytest.approx(lowest.gap.tolist(), abs=1e-12)
    assert found.on_curve.tolist() == [False]


def test_points_beyond_reach_are_not_reported() -> None:
    body_pair = meet("ball", "plane", at=(0.0, 0.0, 1.1))
    assert len(everything_within(body_pair, 0.05)) == 0
    assert abs(everything_within(body_pair, 0.15).gap.min() - 0.1) < 1e-12


@pytest.mark.parametrize(("half", "radius"), [(2.0, 0.1), (0.5, 0.1), (1.0, 0.5), (20.0, 0.1)])
@pytest.mark.parametrize("turn", [(np.pi / 2.0, 0.0, 0.0), (1.2, 0.1, 0.0)])
def test_rods_that_cross_have_the_point_where_their_axes_are_nearest(
    half: float, radius: float, turn: tuple[float, float, float]
) -> None:
    """Between exact rods all corners of the tessellations are at the rims, out of reach."""
    rod, other = exact(kinds.cylinder(radius, 2.0 * half), "rod"), exact(kinds.cylinder(0.1, 4.0), "other")
    for first, second in ((rod, other), (other, rod)):
        body_pair = meet(first, second, turn, (radius + 0.103, 0.03, 0.02))
        axis = body_pair.pose.vectors(np.array([0.0, 0.0, 1.0]))
        across = np.cross(axis, [0.0, 0.0, 1.0])
        apart = abs(body_pair.pose.translation @ across) / np.linalg.norm(across) - radius - 0.1
        lengths = Reach(*[0.3 * min(first.radius, second.radius)] * 3)
        found = generate_interface_points(body_pair, lengths, InterfacePoints.none(), None)
        assert abs(found.gap.min(initial=np.inf) - apart) < 1e-9
