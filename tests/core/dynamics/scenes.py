"""Scenes of boxes to simulate."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from physplace_addon.core.arrays import Floats
from physplace_addon.core.bodies import Body, polyhedron
from physplace_addon.core.dynamics.contacts import SurfaceLaws
from physplace_addon.core.dynamics.scene import HOLD, Scene
from physplace_addon.core.dynamics.simulation import Simulation
from physplace_addon.core.rigid import Pose
from tests.bodies_of_the_paper import cuboid

GRAVITY = 9.81
DOWN = np.array([0.0, 0.0, -GRAVITY])
UPRIGHT = np.array([1.0, 0.0, 0.0, 0.0])


def block(x: float = 1.0, y: float = 1.0, z: float = 1.0) -> Body:
    """A box with the given sides about the origin."""
    return polyhedron(*cuboid([0.0, 0.0, 0.0], [0.5 * x, 0.5 * y, 0.5 * z]), "block")


def floor(height: float = 0.0, wide: float = 20.0) -> Body:
    """A box with a wide top at a height."""
    return polyhedron(*cuboid([0.0, 0.0, height - 0.5], [wide, wide, 0.5]), "floor")


def at(body: Body, place: Floats) -> Body:
    """A body shifted to a place."""
    return body.transformed(Pose(UPRIGHT, place).matrix4)


def simulation(
    bodies: Sequence[Body],
    poses: Sequence[Pose],
    world: Sequence[Body],
    *,
    gravity: Floats = DOWN,
    friction: float = 0.5,
    restitution: float = 0.0,
    velocity: Floats | None = None,
    spin: Floats | None = None,
    step: float = 1.0 / 240.0,
) -> Simulation:
    """A simulation in which all contacts have one friction and restitution."""
    m = len(bodies)
    count = m + len(world)
    laws = SurfaceLaws(np.full(count, friction**0.5), np.full(count, restitution**0.5))
    scene = Scene.of(bodies, poses, world, laws, gravity, step=step)
    still = np.zeros((m, 3))
    motion = scene.motion(poses, still if velocity is None else velocity, still if spin is None else spin)
    return Simulation(scene, motion)


def standing(body: Body, x: float = 0.0, y: float = 0.0, floor_at: float = 0.0) -> Pose:
    """The pose of an upright body that stands on a floor by the gap of contacts."""
    height = floor_at - body.vertices[:, 2].min() + HOLD * body.radius
    return Pose(UPRIGHT, np.array([x, y, height]))


def brick_wall(rows: int, columns: int, size: tuple[float, float, float]) -> tuple[list[Body], list[Pose]]:
    """Bricks in rows, each shifted by half a brick, that touch each other exactly."""
    brick, (x, _, z) = block(*size), size
    places = [
        ((column + 0.5 * (row % 2)) * x, 0.0, (row + 0.5) * z)
        for row in range(rows)
        for column in range(columns)
    ]
    return [brick] * len(places), [Pose(UPRIGHT, np.array(place)) for place in places]
