"""Derivatives of gaps by coordinates, held against central differences of gaps that are solved again."""

from __future__ import annotations

import numpy as np

from physplace_addon.core.arrays import Floats
from physplace_addon.core.contact.free_travel import free_distance
from physplace_addon.core.contact.system import ContactSystem, InterfacePoints, Reach
from physplace_addon.core.mechanics.coordinates import Coordinates
from physplace_addon.core.rigid import Pose, quaternion_exponential
from tests.bodies_of_the_paper import sphere, superquadric

STEP = 1e-4
NEAR = 0.03


def near_ellipsoids(seed: int) -> ContactSystem:
    """Two ellipsoids, turned at random, each near a fixed ball and near the other."""
    rng = np.random.default_rng(seed)
    turns = [quaternion_exponential(rng.normal(size=3)) for _ in range(2)]
    body = superquadric((1.5, 1.0, 0.7), 1.0, 1.0, resolution=(24, 13)).body
    system = ContactSystem.of(
        [body, body.transformed(np.diag([0.6, 0.6, 0.6, 1.0]))],
        [Pose(turns[0], np.array([0.3, 0.2, 5.0])), Pose(turns[1], np.array([6.0, 0.1, 1.5]))],
        [sphere(1.0, resolution=(24, 13)).body],
    )
    for number, direction in enumerate(np.array([[0.0, 0.0, -1.0], [-1.0, 0.0, 0.0]])):
        poses, far = list(system.poses), free_distance(system, number, direction, NEAR)
        poses[number] = Pose(poses[number].rotation, poses[number].translation + far * direction)
        system = system.at(poses)
    return system


def nearest_points(system: ContactSystem) -> InterfacePoints:
    """The nearest pair of each two bodies that are near."""
    points = system.generate(Reach(0.1, 0.1, 0.0), InterfacePoints.none(), None)
    pairs = np.stack([points.body1, points.body2], axis=1)
    rows = [np.nonzero((pairs == pair).all(axis=1))[0] for pair in np.unique(pairs, axis=0)]
    return points.take(np.array([mine[np.argmin(points.gap[mine])] for mine in rows]))


def assert_derivatives(coordinates: Coordinates, system: ContactSystem) -> None:
    """Gradients and second derivatives of the nearest points' gaps are those of differences."""
    points = nearest_points(system)
    assert len(points) >= 2

    def gaps(x: Floats) -> Floats:
        return coordinates.displaced(system, x).track(points).gap / system.radius

    unit = STEP * np.eye(coordinates.size(system))
    first = np.array([gaps(a) - gaps(-a) for a in unit]).T / (2.0 * STEP)
    assert np.abs(coordinates.gradients(system, points) - first).max() < 1e-7
    second = np.empty((len(points), len(unit), len(unit)))
    for i, j in np.argwhere(np.tri(len(unit), dtype=bool)):  # differences are alike for (i, j) and (j, i)
        a, b = unit[i], unit[j]
        change = gaps(a + b) - gaps(a - b) - gaps(b - a) + gaps(-a - b)
        second[:, i, j] = second[:, j, i] = change / (4.0 * STEP**2)
    assert np.abs(coordinates.hessians(system, points) - second).max() < 1e-5
