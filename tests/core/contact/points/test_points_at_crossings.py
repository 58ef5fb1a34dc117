"""Where surfaces cross between the corners of their tessellations, the overlap is found, as deep as it is."""

from __future__ import annotations

from functools import lru_cache

import numpy as np
import pytest

from physplace_addon.core.bodies import Body
from physplace_addon.core.contact.body_pair import BodyPair
from physplace_addon.core.contact.contact_body import ContactBody
from physplace_addon.core.contact.interpenetration import missed_collisions
from physplace_addon.core.contact.points.creation import points_at_crossings
from physplace_addon.core.contact.points.interface_points import InterfacePoints
from physplace_addon.core.contact.points.surface_crossings import surface_crossings
from physplace_addon.core.rigid import Pose
from tests.bodies_of_the_paper import floor
from tests.core.contact.body_pairs import meet
from tests.core.dirty_meshes import dirty
from tests.core.surfaces.smooth.smooth_meshes import all_over, curved
from tests.oracles.frames import quaternion_of, random_rotation


@lru_cache
def wavy_body() -> Body:
    """A body of smooth faces with waves finer than its triangles."""
    mesh = dirty(74)
    return curved(mesh.points, mesh.triangles.tolist())


def wavy(lift: float) -> BodyPair:
    """It stands on a floor with its lowest point, and is lifted from there by so much of R."""
    body, turned = wavy_body(), quaternion_of(random_rotation(np.random.default_rng(0)))
    lowest = Pose(turned, np.zeros(3)).points(all_over(body, 17))[:, 2].min()
    stands = Pose(turned, np.array([0.0, 0.0, lift * body.radius - lowest]))
    return BodyPair.of(ContactBody.of([body]), ContactBody.of([floor()]), stands)


@pytest.mark.parametrize("depth", [1e-5, 1e-3, 1e-2])
def test_the_deepest_point_of_a_wavy_body_is_found_however_deep(depth: float) -> None:
    body_pair = wavy(-depth)
    missed = missed_collisions(body_pair, InterfacePoints.none())
    found = points_at_crossings(body_pair, missed, body_pair.radius, None)
    assert found.gap.min() == pytest.approx(-depth * body_pair.radius, abs=2e-5 * body_pair.radius)
    heights = body_pair.first(found).geometry().point[:, 2]
    assert np.allclose(found.gap, heights, atol=1e-9)


def test_above_the_floor_nothing_crosses() -> None:
    assert len(missed_collisions(wavy(1e-4), InterfacePoints.none())) == 0


@pytest.mark.parametrize(("before", "is_found"), [(1e-6, True), (-4e-7, True), (-2e-6, False)])
def test_what_was_inside_by_less_than_can_be_proven_is_no_far_side(before: float, is_found: bool) -> None:
    body_pair, then = (
        meet("ball", "plane", at=(0.0, 0.0, 1.0 - 1e-4)),
        meet("ball", "plane", at=(0.0, 0.0, 1.0 + before)),
    )
    missed = missed_collisions(body_pair, InterfacePoints.none())
    found = points_at_crossings(body_pair, missed, body_pair.radius, then)
    assert (len(found) > 0) == is_found


def test_a_crossing_beside_an_overlap_that_is_known_is_not_missed() -> None:
    body_pair = wavy(-1e-3)
    missed = missed_collisions(body_pair, InterfacePoints.none())
    found = points_at_crossings(body_pair, missed, body_pair.radius, None)
    assert len(missed_collisions(body_pair, found)) == 0


@pytest.mark.parametrize("name", ["torus", "cylinder", "cone", "ellipsoid"])
def test_samples_at_crossings_are_inside_the_other_body(name: str, rng: np.random.Generator) -> None:
    for _ in range(5):
        body_pair = meet(name, "ball", 3.0 * rng.normal(size=3), (0.0, 0.0, 1.25))
        crossings = surface_crossings(body_pair, 0.0)
        if len(crossings) == 0:
            continue
        found = points_at_crossings(body_pair, crossings, 1.0, None)
        assert (found.gap < 0.0).all()
        assert len(found) > 0
        offset = found.point1 - found.point2
        assert np.allclose((offset * found.normal).sum(axis=1), found.gap, atol=1e-12)
        on_ball = np.abs(np.sqrt((found.point2**2).sum(axis=1)) - 1.0)
        assert on_ball.max() < 1e-9
