"""Two bodies at a pose: what is outside, which curve a contact runs along, how far things have moved."""

import numpy as np
import pytest

from physplace_addon.core.contact.body_pair import displacement_since, farthest_displacement
from physplace_addon.core.contact.features import FACE
from tests.core.contact.body_pairs import everything_within, meet, pose


def test_a_displacement_is_a_turn_about_the_centre_of_mass_and_a_shift(rng: np.random.Generator) -> None:
    body_pair, x = meet("cone", "plane", (0.2, 0.4, 0.1), (0.3, 0.2, 2.0)), 0.1 * rng.normal(size=6)
    moved = body_pair.displaced(x)
    np.testing.assert_allclose(moved.centre, body_pair.centre + body_pair.radius * x[:3], atol=1e-14)
    turn = moved.pose.matrix @ body_pair.pose.matrix.T
    np.testing.assert_allclose(turn, pose(x[3:]).matrix, atol=1e-13)


def test_the_farthest_displacement_bounds_that_of_every_point(rng: np.random.Generator) -> None:
    before = meet("torus", "plane", (0.1, 0.2, 0.3), (0.0, 0.0, 1.0))
    for _ in range(10):
        now = before.displaced(0.2 * rng.normal(size=6))
        points = before.active.body.triangles.reshape(-1, 3)
        moved = np.linalg.norm(now.pose.points(points) - before.pose.points(points), axis=1)
        farthest = farthest_displacement(before, now)
        assert moved.max() <= farthest + 1e-12
        assert farthest <= 2.0 * moved.max() + 1e-12


@pytest.mark.parametrize("on_active", [True, False])
def test_bodies_displace_each_other_alike_under_a_shift(on_active: bool, rng: np.random.Generator) -> None:
    before, now = meet("cube", "cube", at=(0.0, 0.0, 1.0)), meet("cube", "cube", at=(0.3, 0.0, 0.6))
    found = displacement_since(before, now, rng.normal(size=(5, 3)), on_active)
    np.testing.assert_allclose(found, 0.5, atol=1e-14)


@pytest.mark.parametrize(
    ("active", "world", "knows"), [("ball", "plane", False), ("ball", "torus", True), ("plane", "ball", True)]
)
def test_a_point_knows_its_side_where_the_base_is_a_closed_solid(
    active: str, world: str, knows: bool
) -> None:
    points = everything_within(meet(active, world, at=(0.9, 0.0, 1.15 if world == "torus" else 1.01)), 0.3)
    assert len(points)
    body_pair = meet(active, world)
    assert (body_pair.knows_outside(points) == knows).all()
    assert body_pair.side_is_certain(points).all()


def test_samples_of_one_curve_share_its_feature_and_other_curves_have_others() -> None:
    body_pair = meet("torus", "plane", at=(0.0, 0.0, 0.3))
    points = everything_within(body_pair, 0.05)
    assert len(np.unique(body_pair.curve_feature(points))) == 1
    rims = meet("cylinder", "plane", (0.5 * np.pi, 0.0, 0.0), (0.0, 0.0, 0.5))
    points = everything_within(rims, 0.05)
    edges = points.take(points.dim1 != FACE)
    keys = rims.curve_feature(edges)
    for key in np.unique(keys):
        assert len(np.unique(edges.index1[keys == key])) == 1
