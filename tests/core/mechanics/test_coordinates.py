"""Coordinates: gaps and wrenches obey the chain rule, for free bodies and for any new kind, a small class."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import pytest

from physplace_addon.core.arrays import Floats
from physplace_addon.core.contact.system import ContactSystem, InterfacePoints, Reach
from physplace_addon.core.mechanics.coordinates import FREE_BODIES, Coordinates
from physplace_addon.core.rigid import skew
from tests.core.mechanics.derivatives import assert_derivatives, near_ellipsoids


@dataclass(frozen=True)
class Hinge(Coordinates):
    """One body that turns about an axis through a point of the world: one coordinate, an angle in radians."""

    body: int
    point: Floats
    axis: Floats

    @property
    def moving(self) -> tuple[int, ...]:
        return (self.body,)

    def size(self, system: ContactSystem) -> int:
        return 1

    def displaced(self, system: ContactSystem, x: Floats) -> ContactSystem:
        poses = list(system.poses)
        poses[self.body] = poses[self.body].displaced(np.zeros(3), x[0] * self.axis, self.point)
        return system.at(poses)

    def twists(self, system: ContactSystem) -> Floats:
        out = np.zeros((len(system), 6, 1))
        out[self.body, :3, 0] = np.cross(self.axis, self._arm(system))
        out[self.body, 3:, 0] = self.axis
        return out.reshape(-1, 1)

    def curvature(self, system: ContactSystem, gradients: Floats) -> Floats:
        to_axis = np.cross(self.axis, np.cross(self.axis, self._arm(system)))
        return (gradients[:, 6 * self.body : 6 * self.body + 3] @ to_axis).reshape(-1, 1, 1)

    def _arm(self, system: ContactSystem) -> Floats:
        result: Floats = (system.centres[self.body] - self.point) / system.radii[self.body]
        return result


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(3))
def test_free_bodies_have_the_gradients_and_curvatures_of_differences(seed: int) -> None:
    assert_derivatives(FREE_BODIES, near_ellipsoids(seed))


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("body", [0, 1])
def test_a_new_kind_of_coordinates_has_them_by_the_chain_rule(seed: int, body: int) -> None:
    axis = np.random.default_rng(seed).normal(size=3)
    hinge = Hinge(body, np.array([0.5, -1.0, 1.5]), axis / np.linalg.norm(axis))
    assert_derivatives(hinge, near_ellipsoids(seed))


@pytest.mark.parametrize("coordinates", [FREE_BODIES, Hinge(0, np.zeros(3), np.array([0.0, 0.6, 0.8]))])
def test_twists_are_how_the_bodies_move(coordinates: Coordinates) -> None:
    system = near_ellipsoids(4)
    for column, direction in zip(coordinates.twists(system).T, np.eye(coordinates.size(system)), strict=True):
        there = coordinates.displaced(system, 1e-6 * direction)
        back = coordinates.displaced(system, -1e-6 * direction)
        for body, twist in enumerate(column.reshape(-1, 6)):
            shift = (there.centres[body] - back.centres[body]) / (2e-6 * system.radii[body])
            turn = (there.poses[body].matrix - back.poses[body].matrix) / 2e-6 @ system.poses[body].matrix.T
            assert np.abs(shift - twist[:3]).max() < 1e-8
            assert np.abs(turn - skew(twist[3:])).max() < 1e-8


def test_a_wrench_does_the_same_work_in_any_coordinates() -> None:
    system, hinge = near_ellipsoids(5), Hinge(1, np.array([1.0, 0.0, 0.0]), np.array([0.0, 0.0, 1.0]))
    wrench = np.random.default_rng(5).normal(size=12)
    moved = hinge.displaced(system, np.array([1e-6]))
    shift = (moved.centres[1] - system.centres[1]) / system.radii[1]
    work = wrench[6:9] @ shift + wrench[11] * 1e-6
    assert abs(hinge.wrench(system, wrench)[0] * 1e-6 - work) < 1e-11
    assert np.array_equal(FREE_BODIES.wrench(system, wrench), wrench)


def test_pairs_of_bodies_at_rest_are_not_looked_for() -> None:
    system = near_ellipsoids(1)
    hinge = Hinge(1, np.zeros(3), np.array([0.0, 0.0, 1.0]))
    reach = Reach(0.1, 0.1, 0.0)
    assert (system.generate(reach, InterfacePoints.none(), None).body1 == 0).any()
    found = replace(system, moving=hinge.moving).generate(reach, InterfacePoints.none(), None)
    assert len(found)
    assert ((found.body1 == 1) | (found.body2 == 1)).all()


def test_the_length_of_a_motion_bounds_how_far_a_point_of_a_body_moves() -> None:
    system, rng = near_ellipsoids(2), np.random.default_rng(6)
    hinge = Hinge(0, np.array([0.2, 0.1, 1.0]), np.array([1.0, 0.0, 0.0]))
    for coordinates in (FREE_BODIES, hinge):
        for _ in range(10):
            x = 1e-4 * rng.normal(size=coordinates.size(system))
            moved = coordinates.displaced(system, x)
            for number, body in enumerate(system.bodies):
                points = body.body.points
                away = moved.poses[number].points(points) - system.poses[number].points(points)
                far = np.linalg.norm(away, axis=1).max() / system.radii[number]
                assert far <= coordinates.length(system, x) * (1.0 + 1e-3)


def test_each_free_body_is_a_block_of_the_trust_region() -> None:
    system = near_ellipsoids(0)
    region = FREE_BODIES.trust_region(system, 0.1)
    assert np.array_equal(region.blocks, [0] * 6 + [1] * 6)
    x = np.zeros(12)
    x[6:9] = [0.0, 0.2, 0.0]
    assert np.allclose(region.excess(x), [0.0, 2.0], rtol=1e-15)
