"""The rests of heaps, carried on in Bullet: what is reported stable stays put there, too, with friction.

Run from the project's root: python -m benchmarks.rests_in_bullet [--short]

Cubes, and boxes, prisms and cones mixed, come to rest in a bin as in `benchmarks.heaps`.  Then Bullet, a
simulation of rigid bodies that shares nothing with the solver, takes them over where they stand: the hulls of
the same points, the bin fixed, friction .5, no bounce, five seconds in steps of 1/480 s.  Of each heap: how
it ended, whether its report says stable, and the farthest that a point of a body has moved, over the body's
diameter 2 R: at most 2 % is asked of stable ones.  With --short one small heap alone, to see that it runs.
"""

from __future__ import annotations

import argparse
import importlib
from collections.abc import Sequence
from typing import Any

import numpy as np

from benchmarks.heaps import run
from physplace_addon.core.arrays import Floats
from physplace_addon.core.bodies import Body
from physplace_addon.core.placement import Placement
from physplace_addon.core.rigid import Pose

COUNTS, SHORT = (15, 30, 60, 120), (4,)
SEEDS = (0, 1)
FRICTION = 0.5
SECONDS = 5.0
RATE = 480  # steps a second
SWEEPS = 200  # of Bullet's solver, in each step: its default, 50, leaves tall heaps soft
GRAVITY = 9.81
MARGIN = 1e-4  # by which Bullet grows hulls, a length: its default, .04 at hulls of size 1, moves them apart
MOST = 0.02  # shift over the diameter of what stays put


def hull(bullet: Any, body: Body, pose: Pose, mass: float) -> int:
    """Add a body's hull to the simulation, fixed if it has no mass; return its number there."""
    centre = body.mass.center if mass else np.zeros(3)
    shape = bullet.createCollisionShape(bullet.GEOM_MESH, vertices=(body.points - centre).tolist())
    number: int = bullet.createMultiBody(
        mass, shape, basePosition=pose.points(centre).tolist(), baseOrientation=of_bullet(pose)
    )
    bullet.changeDynamics(
        number,
        -1,
        lateralFriction=FRICTION,
        restitution=0.0,
        linearDamping=0.0,
        angularDamping=0.0,
        collisionMargin=MARGIN,
    )
    return number


def of_bullet(pose: Pose) -> list[float]:
    """Return a rotation as Bullet has it: the scalar part last."""
    rotation: list[float] = np.roll(pose.rotation, -1).tolist()
    return rotation


def carried_on(bodies: Sequence[Body], poses: Sequence[Pose], world: Sequence[Body]) -> list[Pose]:
    """Return the poses of moving bodies after five seconds in Bullet among fixed ones."""
    bullet = importlib.import_module("pybullet")
    bullet.connect(bullet.DIRECT)
    bullet.setGravity(0.0, 0.0, -GRAVITY)
    bullet.setPhysicsEngineParameter(fixedTimeStep=1.0 / RATE, numSolverIterations=SWEEPS)
    for body in world:
        hull(bullet, body, Pose.identity(), 0.0)
    volumes = np.array([body.mass.volume for body in bodies])
    numbers = [
        hull(bullet, body, pose, mass)
        for body, pose, mass in zip(bodies, poses, (volumes / volumes.mean()).tolist(), strict=True)
    ]
    for _ in range(round(SECONDS * RATE)):
        bullet.stepSimulation()
    ended = []
    for number, body in zip(numbers, bodies, strict=True):
        place, turn = bullet.getBasePositionAndOrientation(number)
        pose = Pose(np.roll(turn, 1), np.zeros(3))
        ended.append(Pose(pose.rotation, np.array(place) - pose.points(body.mass.center)))
    bullet.disconnect()
    return ended


def shifts(bodies: Sequence[Body], before: Sequence[Pose], after: Sequence[Pose]) -> Floats:
    """Return the farthest (m,) that a point of each body has moved, over its diameter."""
    moved = [
        np.linalg.norm(then.points(body.points) - now.points(body.points), axis=1).max() / (2.0 * body.radius)
        for body, now, then in zip(bodies, before, after, strict=True)
    ]
    return np.array(moved)


def shift_of(placement: Placement) -> Floats:
    """Return the shifts (m,) of a placement's bodies from where it ended."""
    setup, poses = placement.setup, placement.state.poses
    return shifts(setup.bodies, poses, carried_on(setup.bodies, poses, setup.world))


def main() -> None:
    """Print a line for each heap."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--short", action="store_true", help="one small heap alone, to see that it runs")
    short = parser.parse_args().short
    print(f"{'heap':16}{'end':>22}{'stable':>8}{'shift / 2 R':>13}")
    for count in SHORT if short else COUNTS:
        for mixed in (False, True):
            for seed in SEEDS[: 1 if short else None]:
                placement = run(mixed, count, seed)[0]
                stable, shift = placement.certificate().stable, float(shift_of(placement).max())
                name = f"{count} {'mixed' if mixed else 'cubes'}"
                moved = "" if not stable or shift < MOST else "  moved"
                print(
                    f"{name:16}{placement.status.name.lower():>22}{stable!s:>8}{shift:13.1e}{moved}",
                    flush=True,
                )


if __name__ == "__main__":
    main()
