"""Contact curves are covered by samples all around, and their lowest points are found."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from physplace_addon.core.contact.points.contact_curves import (
    CurveSources,
    lost_samples,
    sample_contact_curves,
    settled_or_lowest,
)
from physplace_addon.core.contact.points.interface_points import (
    InterfacePoints,
)
from tests.core.contact.body_pairs import (
    everything_within,
    largest_hole,
    meet,
)


@pytest.mark.parametrize(
    ("world", "gap"), [("plane", 1e-3), ("plane", 0.0), ("slab", 1e-3), ("slab", 0.0), ("slab", -1e-6)]
)
@pytest.mark.parametrize(("name", "height", "ring"), [("torus", 0.3, 1.0), ("cylinder", 1.0, 0.5)])
def test_a_ring_flat_on_a_plane_is_covered_all_around(
    name: str, height: float, ring: float, world: str, gap: float
) -> None:
    body_pair = meet(name, world, at=(0.0, 0.0, height + gap))
    points = everything_within(body_pair, 0.05 * body_pair.radius)
    near = points.take(np.abs(points.gap - gap) < 1e-9)
    assert np.abs(np.hypot(near.point1[:, 0], near.point1[:, 1]) - ring).max() < 1e-6
    assert np.abs(near.normal - [0.0, 0.0, 1.0]).max() < 1e-9
    assert largest_hole(near.point1) <= 2.0 * np.pi / 12.0
    assert len(points) <= 64


def test_a_cylinder_on_its_side_has_points_at_both_ends() -> None:
    body_pair = meet("cylinder", "plane", turn=(0.5 * np.pi, 0.0, 0.0), at=(0.0, 0.0, 0.5))
    points = everything_within(body_pair, 0.02)
    near = points.take(np.abs(points.gap) < 1e-9)
    assert np.abs(near.point1[:, 0]).max() < 1e-4
    assert near.point1[:, 1].max() > 0.95
    assert near.point1[:, 1].min() < -0.95


@pytest.mark.parametrize("tilt", [1e-4, 1e-3])
def test_the_lowest_point_of_a_tilted_ring_is_among_the_samples(tilt: float) -> None:
    body_pair = meet("torus", "plane", (tilt, 0.0, 0.0), (0.0, 0.0, 0.302))
    points = everything_within(body_pair, 0.05)
    lowest = points.take(slice(int(points.gap.argmin()), int(points.gap.argmin()) + 1))
    assert lowest.gap[0] == pytest.approx(0.302 - 0.3 - np.sin(tilt), abs=1e-12)
    assert lowest.point1[0, 1] == pytest.approx(-np.cos(tilt), abs=1e-2)


def test_stiff_pairs_have_no_samples() -> None:
    body_pair = meet("ball", "plane", at=(0.0, 0.0, 1.001))
    points = everything_within(body_pair, 0.05)
    assert not points.on_curve.any()
    assert sample_contact_curves(body_pair, points, CurveSources([], []), 0.05, None) == []


def test_of_unsettled_points_the_lowest_of_each_curve_stays() -> None:
    body_pair = meet("torus", "plane", at=(0.0, 0.0, 0.3))
    points = everything_within(body_pair, 0.05)
    curve = points.take(points.on_curve)
    gaps = np.linspace(1.0, 2.0, len(curve))[::-1].copy()
    mixed = replace(curve, gap=gaps, on_curve=np.arange(len(curve)) > 0)
    assert sorted(settled_or_lowest(body_pair, mixed).tolist()) == [0, len(curve) - 1]


def test_samples_are_lost_only_where_their_curve_is_not_found_again() -> None:
    body_pair = meet("torus", "plane", at=(0.0, 0.0, 0.3))
    points = everything_within(body_pair, 0.05)
    samples = points.take(points.on_curve)
    assert len(lost_samples(body_pair, points, samples.take(slice(0, 1)), 0.05)) == 0
    assert len(lost_samples(body_pair, points, InterfacePoints.none(), 0.05)) == len(samples)
    far = replace(points, gap=points.gap + 1.0)
    assert len(lost_samples(body_pair, far, InterfacePoints.none(), 0.05)) == 0
