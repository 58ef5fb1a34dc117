"""External pseudo-forces: their wrenches, energies, and how they change as bodies move (paper, 5.1)."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from physplace_addon.core.arrays import Floats
from physplace_addon.core.contact.system import ContactSystem
from physplace_addon.core.errors import PlacementError
from physplace_addon.core.mechanics.external_wrench import ExternalWrench, weights_of
from physplace_addon.core.mechanics.forces import Connection, Gravity, Local
from physplace_addon.core.rigid import Pose
from tests.bodies_of_the_paper import box, sphere

POINT, OTHER = np.array([0.4, -0.3, 0.2]), np.array([-0.2, 0.1, 0.3])
DOWN = (0.0, 0.0, -1.0)


def two() -> ContactSystem:
    """A box and a larger one, turned and apart."""
    small, large = box((0.3, 0.5, 0.2)).body, box((0.6, 0.7, 1.0)).body
    poses = [
        Pose(np.array([0.9, 0.1, 0.3, -0.2]), np.array([0.5, 0.2, 2.0])),
        Pose(np.array([0.7, -0.5, 0.1, 0.4]), np.array([-1.0, 0.3, 0.4])),
    ]
    return ContactSystem.of([small, large], poses, [])


CONSERVATIVE: dict[str, Callable[[ContactSystem], Gravity | Connection]] = {
    "gravity": lambda a: Gravity.along((0.3, 0.2, -0.9), weights_of(a)),
    "connection to the world": lambda a: Connection(POINT, np.array([1.0, 2.0, 3.0]), strength=1.7),
    "connection of the second": lambda a: Connection(POINT, np.array([1.0, 2.0, 3.0]), body=1),
    "connection of both": lambda a: Connection(POINT, OTHER, strength=0.6, other=1),
    "connection at hand": lambda a: Connection(
        POINT, a.poses[0].points(POINT) + 3e-6 * a.radii[0] * np.array([0.6, 0.0, 0.8])
    ),
}
FOLLOWING: dict[str, Callable[[ContactSystem], Local]] = {
    "push": lambda a: Local(POINT, np.array([1.0, 2.0, -0.5]), strength=0.8, body=1)
}
ALL: dict[str, Callable[[ContactSystem], Gravity | Connection | Local]] = {**CONSERVATIVE, **FOLLOWING}


def differences(
    system: ContactSystem, value: Callable[[ContactSystem], float | Floats], step: float = 1e-6
) -> Floats:
    """Central differences of a function of the system, along each of the pose's coordinates."""
    return np.stack(
        [
            (value(system.displaced(step * e)) - value(system.displaced(-step * e))) / (2 * step)
            for e in np.eye(6 * len(system))
        ],
        axis=-1,
    )


@pytest.mark.parametrize("name", CONSERVATIVE)
def test_the_wrench_is_the_energy_s_slope(name: str) -> None:
    system = two()
    force = CONSERVATIVE[name](system)
    step = 1e-9 if "hand" in name else 1e-6
    slope = differences(system, force.energy, step)
    assert np.abs(force.wrench(system) + slope).max() < 2e-6


@pytest.mark.parametrize("name", ALL)
def test_the_wrench_changes_as_its_finite_differences(name: str) -> None:
    system = two()
    force = ALL[name](system)
    step = 1e-9 if "hand" in name else 1e-6
    found = differences(system, force.wrench, step)
    scale = max(1.0, np.abs(found).max())
    assert np.abs(force.change(system) - found).max() < 1e-6 * scale


@pytest.mark.parametrize("name", ALL)
def test_the_stiffness_bounds_the_energy_over_a_step(name: str) -> None:
    system = two()
    force = ALL[name](system)
    if name in FOLLOWING:
        assert not force.stiffness(system).any()
        return
    rng = np.random.default_rng(1)
    wrench, stiffness, here = force.wrench(system), force.stiffness(system), force.energy(system)
    for _ in range(20):
        x = 0.02 * rng.normal(size=12)
        x[[3, 4, 5, 9, 10, 11]] = 0.0  # turns add the arms' own curvature, which a step's length keeps small
        bound = here - wrench @ x + 0.5 * x @ stiffness @ x
        assert force.energy(system.displaced(x)) <= bound + 1e-12


def test_a_push_is_a_unit_force_and_its_torque_about_the_centre_of_mass() -> None:
    system = two()
    wrench = Local(POINT, np.array([0.0, 3.0, 0.0])).wrench(system)
    force = system.poses[0].vectors(np.array([0.0, 1.0, 0.0]))
    arm = system.poses[0].points(POINT) - system.centres[0]
    assert np.abs(wrench[:3] - force).max() < 1e-12
    assert np.abs(wrench[3:6] - np.cross(arm, force) / system.radius).max() < 1e-12
    assert not wrench[6:].any()


def test_a_connection_has_the_same_size_far_and_near_and_fades_at_the_end() -> None:
    system = two()
    at = system.poses[0].points(POINT)
    for away, size in ((5.0, 1.0), (0.01, 1.0), (1e-4, 1.0), (5e-6 * system.radii[0], 0.5), (0.0, 0.0)):
        wrench = Connection(POINT, at + np.array([0.0, away, 0.0])).wrench(system)
        assert np.abs(wrench[:3] - [0.0, size, 0.0]).max() < 1e-6


def test_a_connection_of_two_bodies_pulls_them_equally_and_oppositely() -> None:
    system = two()
    wrench = Connection(POINT, OTHER, other=1).wrench(system).reshape(2, 6)
    forces = wrench[:, :3] / (system.radii / system.radius)[:, None]
    assert np.abs(forces.sum(axis=0)).max() < 1e-12
    line = system.poses[1].points(OTHER) - system.poses[0].points(POINT)
    assert np.abs(np.cross(forces[0], line)).max() < 1e-12
    assert forces[0] @ line > 0.0


def test_energy_falls_by_the_way_along_gravity() -> None:
    ball = sphere(2.0).body
    here = ContactSystem.of([ball], [Pose(np.array([1.0, 0, 0, 0]), np.array([1.0, 2.0, 3.0]))], [])
    there = here.at([Pose(np.array([1.0, 0, 0, 0]), np.array([1.0, 2.6, 2.2]))])
    gravity = Gravity.along((0.0, 3.0, -4.0))
    assert abs(gravity.energy(here) - gravity.energy(there) - 0.5) < 1e-9


def test_heavy_bodies_weigh_more_by_their_volume() -> None:
    weights = weights_of(two())
    assert abs(weights.mean() - 1.0) < 1e-12
    assert abs(weights[1] / weights[0] - (0.6 * 0.7 * 1.0) / (0.3 * 0.5 * 0.2)) < 1e-9


def test_a_load_far_from_the_origin_is_the_same() -> None:
    origin = np.array([1e4, -2e4, 3e3])
    system = two()
    near = ExternalWrench.of(DOWN, [Connection(POINT, np.array([1.0, 2.0, 3.0]))], system, np.zeros(3))
    far = ExternalWrench.of(DOWN, [Connection(POINT, np.array([1.0, 2.0, 3.0]) + origin)], system, origin)
    assert np.abs(near.wrench(system) - far.wrench(system)).max() < 1e-11


@pytest.mark.parametrize("direction", [(0.0, 0.0, 0.0), (np.nan, 0.0, 1.0), (0.0, 1.0)])
def test_gravity_without_a_direction_is_refused(direction: tuple[float, ...]) -> None:
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
        (
            lambda: ExternalWrench.of(DOWN, [Local(np.zeros(3), np.ones(3), body=2)], two(), np.zeros(3)),
            "body 2",
        ),
        (lambda: ExternalWrench.of(None, [], two(), np.zeros(3)), "no force"),
    ],
)
def test_a_force_that_makes_no_sense_is_refused(make: Callable[[], None], message: str) -> None:
    with pytest.raises(PlacementError, match=message):
        make()
