"""Waves finer than the tessellation are not missed."""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from physplace_addon.core.collision import near_pairs
from physplace_addon.core.contact.body_pair import BodyPair
from physplace_addon.core.contact.contact_body import ContactBody
from physplace_addon.core.contact.points.interface_points import (
    InterfacePoints,
)
from physplace_addon.core.contact.points.sub_cell_seeds import sub_cell_seeds
from physplace_addon.core.rigid import Pose
from tests.bodies_of_the_paper import floor
from tests.core.contact.body_pairs import (
    everything_within,
    meet,
)
from tests.core.dirty_meshes import dirty
from tests.core.surfaces.smooth.smooth_meshes import all_over, curved
from tests.oracles.frames import quaternion_of, random_rotation


@lru_cache
def wavy(lift: float) -> BodyPair:
    """A body of smooth faces that stands on a floor with its lowest point, and lifted from there."""
    mesh = dirty(74)
    body = curved(mesh.points, mesh.triangles.tolist())
    turned = quaternion_of(random_rotation(np.random.default_rng(0)))
    lowest = Pose(turned, np.zeros(3)).points(all_over(body, 9))[:, 2].min()
    stands = Pose(turned, np.array([0.0, 0.0, lift * body.radius - lowest]))
    return BodyPair.of(ContactBody.of([body]), ContactBody.of([floor()]), stands)


def test_a_valley_of_a_wavy_face_is_seen_between_its_samples() -> None:
    body_pair = wavy(0.0)
    points = everything_within(body_pair, 0.1 * body_pair.radius)
    assert points.gap.min() < 1e-6 * body_pair.radius


def test_faces_without_fine_waves_need_no_sub_cell_seeds() -> None:
    body_pair = meet("ball", "torus", at=(1.0, 0.0, 1.3))
    pairs = near_pairs(body_pair.active.tree, body_pair.pose, body_pair.world.tree, 0.2)
    assert len(pairs)
    assert sub_cell_seeds(body_pair, pairs[:, 0], pairs[:, 1], 0.2, InterfacePoints.none(), None) == []


def test_a_body_high_above_a_floor_has_no_cell_that_may_reach_it() -> None:
    body_pair = wavy(0.5)
    pairs = near_pairs(body_pair.active.tree, body_pair.pose, body_pair.world.tree, body_pair.radius)
    found = sub_cell_seeds(
        body_pair, pairs[:, 0], pairs[:, 1], body_pair.radius, InterfacePoints.none(), None
    )
    assert sum(len(part) for part in found) == 0


def test_where_a_wavy_body_is_sunk_in_its_deepest_point_is_near_a_seed() -> None:
    body_pair = wavy(-1e-3)
    pairs = near_pairs(body_pair.active.tree, body_pair.pose, body_pair.world.tree, 0.1 * body_pair.radius)
    found = InterfacePoints.join(
        sub_cell_seeds(body_pair, pairs[:, 0], pairs[:, 1], body_pair.radius, InterfacePoints.none(), None)
    )
    heights = body_pair.first(found).geometry().point[:, 2]
    assert heights.min() < -0.9e-3 * body_pair.radius
