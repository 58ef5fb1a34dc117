"""The two roles of a pair see the same bodies, each as mover and as base."""

from __future__ import annotations

import numpy as np
import pytest

from physplace_addon.core.contact.features import VERTEX
from physplace_addon.core.contact.points.pair_roles import PairRoles, closest_parameters, nearest_partner
from tests.core.contact.body_pairs import (
    meet,
)


def test_mover_and_base_change_places_with_the_role() -> None:
    body_pair = meet("cube", "torus", (0.1, 0.2, 0.3), (0.0, 0.0, 1.0))
    one, two = PairRoles(body_pair, True), PairRoles(body_pair, False)
    assert (one.mover, one.base) == (two.base, two.mover) == (body_pair.active, body_pair.world)
    assert one.mover_pose is two.base_pose is body_pair.pose
    assert one.base_pose is two.mover_pose is None


@pytest.mark.parametrize("on_active", [True, False])
def test_points_name_the_active_bodys_feature_first(on_active: bool) -> None:
    roles = PairRoles(meet("cube", "torus"), on_active)
    corner = roles.mover_features(VERTEX, np.array([0]), np.zeros((1, 2)))
    points = roles.points(corner, roles.base_faces(np.array([0]), np.full((1, 2), 0.5)))
    assert points.kinds() == ["vertex/face" if on_active else "face/vertex"]
    assert points.side.tolist() == [1.0]


def test_the_partner_of_each_key_is_the_nearest(rng: np.random.Generator) -> None:
    key_a, key_b = rng.integers(0, 4, 60), rng.integers(0, 3, 60)
    points, partners = rng.normal(size=(60, 3)), rng.normal(size=(60, 3, 3))
    away = np.linalg.norm(points - partners.mean(axis=1), axis=1)
    best = nearest_partner(key_a, key_b, points, partners)
    expected = {
        (a, b): int(np.flatnonzero((key_a == a) & (key_b == b))[away[(key_a == a) & (key_b == b)].argmin()])
        for a, b in zip(key_a.tolist(), key_b.tolist(), strict=True)
    }
    assert sorted(best.tolist()) == sorted(expected.values())


def test_parameters_of_a_flat_face_are_those_of_the_point_below(rng: np.random.Generator) -> None:
    body_pair = meet("ball", "plane")
    roles, triangles = PairRoles(body_pair, True), np.zeros(5, int)
    corners = body_pair.world.body.triangles[triangles]
    weights = rng.dirichlet(np.ones(3), 5)
    below = (weights[:, None] @ corners)[:, 0]
    uv = closest_parameters(roles, below + np.array([0.0, 0.0, 0.7]), triangles, corners)
    there = roles.base_faces(np.zeros(5, int), uv).geometry().point
    np.testing.assert_allclose(there, below, atol=1e-12)
