"""New points: nothing binding is missed, and nothing beyond the threshold is made."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from scipy.spatial import cKDTree

from physplace_addon.core.bodies import exact
from physplace_addon.core.collision import near_pairs
from physplace_addon.core.contact.body_pair import BodyPair
from physplace_addon.core.contact.contact_body import ContactBody
from physplace_addon.core.contact.points.creation import (
    Reach,
    binding,
    interface_points_of_triangles,
)
from physplace_addon.core.contact.points.generation import generate_interface_points
from physplace_addon.core.contact.points.interface_points import (
    InterfacePoints,
)
from physplace_addon.core.contact.regions.flat_pairs import flat_pairs
from physplace_addon.core.surfaces import kinds
from tests.core.contact.body_pairs import (
    everything_within,
    lowered,
    meet,
    pose,
    prepared,
)


def test_a_point_that_would_walk_farther_than_the_threshold_is_no_point() -> None:
    coarse = exact(kinds.sphere(1.0), "coarse", resolution=(8, 5))
    body_pair = BodyPair.of(
        ContactBody.of([coarse]), prepared("plane"), pose((0.3, 0.2, 0.0), (0.0, 0.0, 1.0 + 1e-3))
    )

    def found(threshold: float) -> InterfacePoints:
        return generate_interface_points(
            body_pair, Reach(0.2, 0.2, 0.2, threshold), InterfacePoints.none(), None
        )

    assert abs(found(np.inf).gap.min() - 1e-3) < 1e-9
    assert abs(found(0.7).gap.min() - 1e-3) < 1e-9
    assert len(found(0.05)) == 0


@pytest.mark.parametrize(
    ("active", "world"),
    [("ellipsoid", "torus"), ("ball", "ellipsoid"), ("cylinder", "ball"), ("cone", "torus")],
)
def test_no_point_of_the_surfaces_is_nearer_than_the_least_gap(
    active: str, world: str, rng: np.random.Generator
) -> None:
    """Seeds miss no extremal pair: the least gap is the least distance of points all over both surfaces."""
    for _ in range(2):
        body_pair, _ = chance_of(active, world, rng)
        points = everything_within(body_pair, 0.06)
        first = body_pair.pose.points(body_pair.active.body.triangles.reshape(-1, 3))
        second = body_pair.world.body.triangles.reshape(-1, 3)
        from_second = np.min(cKDTree(second).query(first)[0])
        assert len(points)
        assert points.gap.min() <= from_second + 1e-12


def chance_of(active: str, world: str, rng: np.random.Generator) -> tuple[BodyPair, BodyPair]:
    """A pair that is some hundredths apart, at a random attitude, and its distance before it was let down."""
    while True:
        start = meet(active, world, rng.normal(size=3), (*rng.uniform(-0.6, 0.6, 2), 4.0))
        near = lowered(start, 0.03)
        if near is not None:
            return near, start


def test_points_of_given_triangles_are_those_of_the_whole_search() -> None:
    body_pair = meet("ellipsoid", "torus", (0.4, 0.2, 0.1), (1.0, 0.2, 1.15))
    pairs = near_pairs(body_pair.active.tree, body_pair.pose, body_pair.world.tree, 0.2)
    found = interface_points_of_triangles(body_pair, pairs[:, 0], pairs[:, 1], 0.2)
    assert found.gap.min() == pytest.approx(everything_within(body_pair, 0.2).gap.min(), abs=1e-13)


def test_only_points_in_both_normal_cones_or_over_a_face_bind() -> None:
    body_pair = meet("cube", "slab", at=(0.0, 0.0, 0.6))
    count1, count2 = len(body_pair.active.body.triangles), len(body_pair.world.body.triangles)
    points = flat_pairs(body_pair, *np.divmod(np.arange(count1 * count2), count2))
    assert len(binding(body_pair, points, 0.2)) == (np.abs(points.gap) <= 0.2).sum() > 0
    inside = replace(points, normal=-points.normal, gap=-points.gap, side=-points.side)
    assert len(binding(body_pair, inside, 0.2)) == 0


def test_a_reach_scales_with_the_pair() -> None:
    reach = Reach(0.1, 0.3, 0.2)
    assert reach.farthest == 0.3
    assert reach.times(2.0) == Reach(0.2, 0.6, 0.4)
