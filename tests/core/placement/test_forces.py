"""External pseudo-forces: their wrenches, energies, and how they change as bodies move (paper, 5.1)."""

from __future__ import annotations

import numpy as np
import pytest

from physplace_addon.core.contact.system import Assembly
from physplace_addon.core.errors import PlacementError
from physplace_addon.core.mechanics.external_wrench import Load, weights_of
from physplace_addon.core.mechanics.forces import Connection, Gravity, Local
from physplace_addon.core.rigid import Pose
from tests.bodies_of_the_paper import box, sphere

POINT, OTHER = np.array([0.4, -0.3, 0.2]), np.array([-0.2, 0.1, 0.3])
DOWN = (0.0, 0.0, -1.0)


def two():
    """A box and a larger one, turned and apart."""
    small, large = box((0.3, 0.5, 0.2)).body, box((0.6, 0.7, 1.0)).body
    poses = [
        Pose(np.array([0.9, 0.1, 0.3, -0.2]), np.array([0.5, 0.2, 2.0])),
        Pose(np.array([0.7, -0.5, 0.1, 0.4]), np.array([-1.0, 0.3, 0.4])),
    ]
    return Assembly.of([small, large], poses, [])


CONSERVATIVE = {
    "gravity": lambda a: Gravity.along((0.3, 0.2, -0.9), weights_of(a)),
    "connection to the world": lambda a: Connection(POINT, np.array([1.0, 2.0, 3.0]), strength=1.7),
    "connection of the second": lambda a: Connection(POINT, np.array([1.0, 2.0, 3.0]), body=1),
    "connection of both": lambda a: Connection(POINT, OTHER, strength=0.6, other=1),
    "connection at hand": lambda a: Connection(
        POINT, a.poses[0].points(POINT) + 3e-6 * a.radii[0] * np.array([0.6, 0.0, 0.8])
    ),
}
FOLLOWING = {"push": lambda a: Local(POINT, np.array([1.0, 2.0, -0.5]), strength=0.8, body=1)}


def differences(assembly, value, step=1e-6):
    """Central differences of a function of the assembly, along each of the pose's coordinates."""
    return np.stack(
        [
            (value(assembly.displaced(step * e)) - value(assembly.displaced(-step * e))) / (2 * step)
            for e in np.eye(6 * len(assembly))
        ],
        axis=-1,
    )


@pytest.mark.parametrize("name", CONSERVATIVE)
def test_the_wrench_is_the_energy_s_slope(name):
    assembly = two()
    force = CONSERVATIVE[name](assembly)
    step = 1e-9 if "hand" in name else 1e-6
    slope = differences(assembly, force.energy, step)
    assert np.abs(force.wrench(assembly) + slope).max() < 2e-6


@pytest.mark.parametrize("name", CONSERVATIVE | FOLLOWING)
def test_the_wrench_changes_as_its_finite_differences(name):
    assembly = two()
    force = (CONSERVATIVE | FOLLOWING)[name](assembly)
    step = 1e-9 if "hand" in name else 1e-6
    found = differences(assembly, force.wrench, step)
    scale = max(1.0, np.abs(found).max())
    assert np.abs(force.change(assembly) - found).max() < 1e-6 * scale


@pytest.mark.parametrize("name", CONSERVATIVE | FOLLOWING)
def test_the_stiffness_bounds_the_energy_over_a_step(name):
    assembly = two()
    force = (CONSERVATIVE | FOLLOWING)[name](assembly)
    if name in FOLLOWING:
        assert not force.stiffness(assembly).any()
        return
    rng = np.random.default_rng(1)
    wrench, stiffness, here = force.wrench(assembly), force.stiffness(assembly), force.energy(assembly)
    for _ in range(20):
        x = 0.02 * rng.normal(size=12)
        x[[3, 4, 5, 9, 10, 11]] = 0.0  # turns add the arms' own curvature, which a step's length keeps small
        bound = here - wrench @ x + 0.5 * x @ stiffness @ x
        assert force.energy(assembly.displaced(x)) <= bound + 1e-12


def test_a_push_is_a_unit_force_and_its_torque_about_the_centre_of_mass():
    assembly = two()
    wrench = Local(POINT, np.array([0.0, 3.0, 0.0])).wrench(assembly)
    force = assembly.poses[0].vectors(np.array([0.0, 1.0, 0.0]))
    arm = assembly.poses[0].points(POINT) - assembly.centres[0]
    assert np.abs(wrench[:3] - force).max() < 1e-12
    assert np.abs(wrench[3:6] - np.cross(arm, force) / assembly.radius).max() < 1e-12
    assert not wrench[6:].any()


def test_a_connection_has_the_same_size_far_and_near_and_fades_at_the_end():
    assembly = two()
    at = assembly.poses[0].points(POINT)
    for away, size in ((5.0, 1.0), (0.01, 1.0), (1e-4, 1.0), (5e-6 * assembly.radii[0], 0.5), (0.0, 0.0)):
        wrench = Connection(POINT, at + np.array([0.0, away, 0.0])).wrench(assembly)
        assert np.abs(wrench[:3] - [0.0, size, 0.0]).max() < 1e-6


def test_a_connection_of_two_bodies_pulls_them_equally_and_oppositely():
    assembly = two()
    wrench = Connection(POINT, OTHER, other=1).wrench(assembly).reshape(2, 6)
    forces = wrench[:, :3] / (assembly.radii / assembly.radius)[:, None]
    assert np.abs(forces.sum(axis=0)).max() < 1e-12
    line = assembly.poses[1].points(OTHER) - assembly.poses[0].points(POINT)
    assert np.abs(np.cross(forces[0], line)).max() < 1e-12
    assert forces[0] @ line > 0.0


def test_energy_falls_by_the_way_along_gravity():
    ball = sphere(2.0).body
    here = Assembly.of([ball], [Pose(np.array([1.0, 0, 0, 0]), np.array([1.0, 2.0, 3.0]))], [])
    there = here.at([Pose(np.array([1.0, 0, 0, 0]), np.array([1.0, 2.6, 2.2]))])
    gravity = Gravity.along((0.0, 3.0, -4.0))
    assert abs(gravity.energy(here) - gravity.energy(there) - 0.5) < 1e-9


def test_heavy_bodies_weigh_more_by_their_volume():
    weights = weights_of(two())
    assert abs(weights.mean() - 1.0) < 1e-12
    assert abs(weights[1] / weights[0] - (0.6 * 0.7 * 1.0) / (0.3 * 0.5 * 0.2)) < 1e-9


def test_a_load_far_from_the_origin_is_the_same():
    origin = np.array([1e4, -2e4, 3e3])
    assembly = two()
    near = Load.of(DOWN, [Connection(POINT, np.array([1.0, 2.0, 3.0]))], assembly, np.zeros(3))
    far = Load.of(DOWN, [Connection(POINT, np.array([1.0, 2.0, 3.0]) + origin)], assembly, origin)
    assert np.abs(near.wrench(assembly) - far.wrench(assembly)).max() < 1e-11


@pytest.mark.parametrize("direction", [(0.0, 0.0, 0.0), (np.nan, 0.0, 1.0), (0.0, 1.0)])
def test_gravity_without_a_direction_is_refused(direction):
    with pytest.raises(PlacementError, match="gravity"):
        Gravity.along(direction)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: Local(np.zeros(2), np.ones(3)), "local force: point"),
        (lambda: Local(np.zeros(3), np.zeros(3)), "local force: direction"),
        (lambda: Local(np.zeros(3), np.ones(3), strength=0.0), "local force: expected a strength"),
        (lambda: Connection(np.zeros(3), np.array([0.0, np.inf, 0.0])), "connection: target"),
        (lambda: Connection(np.zeros(3), np.zeros(3), strength=-1.0), "connection: expected a strength"),
        (lambda: Connection(np.zeros(3), np.zeros(3), body=1, other=1), "two bodies"),
        (lambda: Load.of(DOWN, [Local(np.zeros(3), np.ones(3), body=2)], two(), np.zeros(3)), "body 2"),
        (lambda: Load.of(None, [], two(), np.zeros(3)), "no force"),
    ],
)
def test_a_force_that_makes_no_sense_is_refused(make, message):
    with pytest.raises(PlacementError, match=message):
        make()
