"""Solids that stand flush on one another, shifted: they overlap as far as one is lowered into the other.

Cylinders, cones, boxes and prisms stand on one another with their flat ends in one plane, or lowered or
raised by e.  Somewhere in what both ends have in common the border of either is farther off than e, so that
the deepest point is e deep.  Rims stand over the other's side, or in its plane, all along.
"""

from __future__ import annotations

import numpy as np
import pytest

from physplace_addon.core.arrays import Floats
from physplace_addon.core.bodies import Body, exact, polyhedron
from physplace_addon.core.placement.contact_query import ContactQuery, QueriedContacts
from physplace_addon.core.rigid import Pose
from physplace_addon.core.surfaces import kinds
from tests.bodies_of_the_paper import convex
from tests.core.contact.body_pairs import pose
from tests.core.meshes import CUBE_POINTS, CUBE_TRIANGLES
from tests.oracles.frames import quaternion_of

ROUNDING = 1e-7
# Raised by so much over R, or lowered.
RAISED = (0.0, 0.0, 1e-13, 1e-10, 1e-8, 1e-7, 1e-5, -1e-13, -1e-9, -1e-5, -1e-4, -1e-3, -1e-2)
SHIFTS = (0.0, 0.05, 0.07, 0.09, 0.13, 0.3, 0.57, 0.65)


def solid(kind: str, radius: float, height: float, corners: int = 8) -> Body:
    """An upright solid about its middle."""
    if kind == "cylinder":
        return exact(kinds.cylinder(radius, height), kind)
    if kind == "cone":
        return exact(kinds.cone(radius, height), kind)
    if kind == "box":
        return polyhedron(CUBE_POINTS * [1.4 * radius, 1.4 * radius, height], CUBE_TRIANGLES, kind)
    angle = 2.0 * np.pi * np.arange(corners) / corners
    ring = radius * np.stack([np.cos(angle), np.sin(angle)], axis=1)
    ends = [np.column_stack([ring, np.full(corners, z)]) for z in (-0.5 * height, 0.5 * height)]
    return convex(np.concatenate(ends), kind)


def stacked(
    upper: Body, lower: Body, shift: Floats, raised: float, yaw: float, whole: Pose
) -> QueriedContacts:
    """Query the upper one on the lower one, shifted by (2,), the whole stack carried by a pose."""
    height = lower.points[:, 2].max() - upper.points[:, 2].min() + raised
    matrix = whole.matrix4 @ pose((0.0, 0.0, yaw), (*shift, height)).matrix4
    stands = Pose(quaternion_of(matrix[:3, :3]), matrix[:3, 3])
    return ContactQuery.of(upper, stands, [lower.transformed(whole.matrix4)]).at(stands, ROUNDING)


@pytest.mark.parametrize("shift", SHIFTS)
def test_cylinders_stacked_flush_overlap_nothing(shift: float) -> None:
    cylinder = solid("cylinder", 0.5, 1.0)
    found = stacked(cylinder, cylinder, np.array([0.5 * shift, 0.0]), 0.0, 0.0, Pose.identity())
    assert not found.overlaps
    assert found.overlap == 0.0
    assert np.abs(found.contacts.normal[:, 2]).min() >= 1.0 - 1e-9
    assert found.regions.dimension.tolist() == [2]


@pytest.mark.parametrize(
    ("upper", "lower"), [("cylinder", "cylinder"), ("cylinder", "box"), ("box", "cylinder")]
)
@pytest.mark.parametrize("depth", [1e-5, 1e-3])
def test_lowered_into_one_another_they_overlap_by_as_much(upper: str, lower: str, depth: float) -> None:
    high, low = solid(upper, 0.5, 1.0), solid(lower, 0.7, 1.0)
    found = stacked(high, low, np.array([0.02, 0.01]), -depth, 0.3, Pose.identity())
    assert found.overlap == pytest.approx(depth, rel=1e-6)


@pytest.mark.parametrize("turned_over", [False, True])
def test_a_disk_on_the_corner_of_a_box_touches_its_top_alone(turned_over: bool) -> None:
    """Its rim runs through the planes of both sides, and lies beside them: neither is contact."""
    upper, lower = solid("cylinder", 0.5, 1.0), solid("box", 1.0, 1.0)
    if turned_over:
        upper, lower = lower, upper
    found = stacked(upper, lower, np.array([0.7, 0.7]), 0.0, 0.0, Pose.identity())
    assert not found.overlaps
    assert len(found.contacts) >= 3
    np.testing.assert_allclose(found.contacts.normal, np.tile([0.0, 0.0, 1.0], (len(found.contacts), 1)))
    assert found.regions.dimension.tolist() == [2]
    places = found.regions.points.point2
    assert np.linalg.norm(places - [0.7, 0.7, 0.5], axis=1).min() < 0.5 - 1e-3  # the corner in the disk


@pytest.mark.slow
@pytest.mark.parametrize("other", ["cylinder", "box", "prism"])
@pytest.mark.parametrize("kind", ["cylinder", "cone", "box", "prism"])
def test_any_stack_overlaps_as_far_as_it_was_lowered(kind: str, other: str) -> None:
    rng = np.random.default_rng([*f"{kind} on {other}".encode()])
    for flush_sides in (True, False):
        corners = int(rng.integers(5, 40))
        size = rng.uniform(0.3, 1.2, 2)
        other_size = size if flush_sides else rng.uniform(0.3, 1.2, 2)
        upper = solid(kind, size[0], size[1], corners)
        lower = solid(other, other_size[0], other_size[1], corners)
        turn = rng.uniform(0.0, 2.0 * np.pi)
        shift = 0.5 * rng.choice(SHIFTS) * (size[0] + other_size[0]) * np.array([np.cos(turn), np.sin(turn)])
        raised = rng.choice(RAISED) * upper.radius
        whole = pose(rng.choice([0.0, 1.0]) * rng.normal(size=3), rng.normal(size=3))
        found = stacked(upper, lower, shift, raised, rng.choice([0.0, turn]), whole)
        case = f"shift {shift}, raised {raised}"
        assert found.overlaps == (-raised > found.touching), case
        depth = -raised if found.overlaps else 0.0
        assert found.overlap == pytest.approx(depth, rel=2e-3, abs=1e-7 * upper.radius), case
