"""Random scenes in motion, judged by an oracle that shares no code with what moves them.

Run from the project's root: python -m benchmarks.random_motion [--scenes N] [--seed S] [--seconds T]
    [--models FOLDER] [--first N]

Each scene has 2 to 12 bodies: boxes, balls, cylinders, cones and tori, exact or meshes, blobs, open sheets,
and the meshes of a folder (.glb, .gltf), read by Blender.  They fall on a floor, down a slope, into a tray or
a bowl, or fly about each other without weight, with random sizes, masses, frictions, restitutions, speeds and
spins.

A line each: the end, the seconds of the processor, states, the deepest overlap of any two bodies over the
greatest radius, at every state and at a random time before it; the greatest rise of the energy in a step and
over all, over the energy of the start above what is lowest; what momentum changes without a world, over what
all bodies have; and the fault, if there is one.  Exits with 1 if there is any.
"""

from __future__ import annotations

import argparse
import sys
import time
import traceback
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from benchmarks.overlap_of_bodies import deepest_overlap
from benchmarks.random_scenes import RandomScene, random_scene, read_models
from physplace_addon.core.arrays import Floats
from physplace_addon.core.dynamics.state import SimulationState, SimulationStatus
from physplace_addon.core.rigid import Pose
from tests.oracles.frames import rotation_of

OVERLAP = 1e-8  # over the greatest radius
RISE = 1e-5  # of the energy, over that of the start
LIMIT = 300.0  # seconds of the processor that a scene may take
FRAME = 1.0 / 24.0  # seconds to which steps lead, as those of the add-on's session do
BELOW = -1e-3  # height of a body's lowest point that is lost, lengths
ENDS = (SimulationStatus.RUNNING, SimulationStatus.AT_REST)


@dataclass
class Judged:
    """What was found of one scene."""

    name: str
    status: str = ""
    seconds: float = 0.0
    states: int = 0
    overlap: float = 0.0
    rise: float = 0.0
    risen: float = 0.0
    momentum: float = 0.0
    faults: list[str] = field(default_factory=list)


def judge(scene: RandomScene, seconds: float, limit: float) -> Judged:
    """Simulate a scene, and judge each state."""
    made, found = scene.simulation, Judged(scene.name)
    oracle = Oracle(scene)
    while made.status.is_running and made.state.time < seconds:
        before, count = made.state, len(made.states)
        began = time.process_time()
        made.step_towards(min(seconds, FRAME * (int(made.state.time / FRAME + 1e-6) + 1)))
        found.seconds += time.process_time() - began
        for state, last in zip(made.states[count:], [before, *made.states[count:]], strict=False):
            oracle.look(found, last, state)
        if found.seconds > limit:
            found.faults.append(f"over {limit:.0f} s at {made.state.time:.2f} s")
            break
        if found.faults:
            break
    found.status, found.states = made.status.name, len(made.states)
    if made.status not in ENDS:
        found.faults.append(f"{made.status.name} at {made.state.time:.3f} s")
    return found


class Oracle:
    """What the states of one scene must be."""

    def __init__(self, scene: RandomScene) -> None:
        self.scene = scene
        self.rng = np.random.default_rng(0)
        bodies = [thing.body for thing in scene.moving]
        self.mass = np.array([body.mass.mass for body in bodies])
        self.inertia = np.array([body.mass.mass * body.mass.inertia for body in bodies])
        self.radius = max(body.radius for body in bodies)
        self.lowest = self.energy(scene.simulation.state)
        self.size = self._size()
        self.momentum = self.momenta(scene.simulation.state)
        motion = scene.simulation.state.motion
        speed = motion.velocity(scene.simulation.scene.inertia)
        self.scale = float((self.mass * np.linalg.norm(speed, axis=1)).sum()) + 1e-300

    def _size(self) -> float:
        """The kinetic energy of the start, and that of gravity above the floor."""
        state = self.scene.simulation.state
        height = -(state.motion.centre + self.scene.simulation.scene.origin) @ self.scene.gravity
        kinetic = self.energy(state) - float((self.mass * height).sum())
        return kinetic + float((self.mass * np.maximum(height, 0.0)).sum())

    def energy(self, state: SimulationState) -> float:
        """The kinetic energy and that of gravity."""
        motion, own = state.motion, self.scene.simulation.scene
        centre, speed = motion.centre + own.origin, motion.velocity(own.inertia)
        energy = 0.5 * float((self.mass[:, None] * speed**2).sum())
        energy -= float((self.mass * (centre @ self.scene.gravity)).sum())
        for turn, spin, inertia in zip(motion.rotation, motion.spin, self.inertia, strict=True):
            local = rotation_of(turn).T @ spin
            energy += 0.5 * float(local @ inertia @ local)
        return energy

    def momenta(self, state: SimulationState) -> Floats:
        """The linear momentum, and the angular one about the origin."""
        motion, own = state.motion, self.scene.simulation.scene
        centre, speed = motion.centre, motion.velocity(own.inertia)
        angular = np.cross(centre, self.mass[:, None] * speed).sum(axis=0)
        for turn, spin, inertia in zip(motion.rotation, motion.spin, self.inertia, strict=True):
            angular += rotation_of(turn) @ inertia @ rotation_of(turn).T @ spin
        return np.concatenate([(self.mass[:, None] * speed).sum(axis=0), angular])

    def look(self, found: Judged, before: SimulationState, state: SimulationState) -> None:
        """Judge a state, and a time between it and the one before."""
        own = self.scene.simulation.scene
        arrays = (state.motion.centre, state.motion.rotation, state.motion.rates)
        if not all(np.isfinite(array).all() for array in arrays):
            found.faults.append(f"not finite at {state.time:.4f} s")
            return
        energy = self.energy(state)
        found.rise = max(found.rise, (energy - self.energy(before)) / self.size)
        found.risen = max(found.risen, (energy - self.lowest) / self.size)
        self.lowest = min(self.lowest, energy)
        if found.risen > RISE:
            found.faults.append(f"energy rises by {found.risen:.1e} at {state.time:.4f} s")
        share = self.rng.random()
        twists = share * before.motion.twists_to(own.inertia, state.motion)
        between = before.motion.displaced(own.inertia, twists)
        for motion, when in (
            (between, before.time + share * (state.time - before.time)),
            (state.motion, state.time),
        ):
            depth, names = deepest_overlap(self.scene.things, own.poses(motion))
            found.overlap = max(found.overlap, depth / self.radius)
            if depth > OVERLAP * self.radius:
                found.faults.append(f"{names} overlap by {depth / self.radius:.1e} R at {when:.4f} s")
        if not self.scene.gravity.any():
            change = np.abs(self.momenta(state) - self.momentum).max()
            found.momentum = max(found.momentum, change / self.scale)
        elif self._lost(own.poses(state.motion)):
            found.faults.append(f"a body is below the floor at {state.time:.4f} s")

    def _lost(self, poses: tuple[Pose, ...]) -> bool:
        """Whether a body is below the floor without having gone over its border."""
        ground = self.scene.things[len(poses)].body.points
        border = np.abs(ground[:, :2]).max() - 2.0 * self.radius
        placed = [
            pose.points(thing.body.points) for thing, pose in zip(self.scene.moving, poses, strict=True)
        ]
        return any(
            points[:, 2].min() < BELOW and np.abs(points.mean(axis=0)[:2]).max() < border for points in placed
        )


def line(number: int, found: Judged) -> str:
    """Return the figures of a scene."""
    figures = f"{number:4d} {found.status:9} {found.seconds:6.1f} s {found.states:5d}"
    figures += f" {found.overlap:8.1e} {found.rise:8.1e} {found.risen:8.1e} {found.momentum:8.1e}"
    return f"{figures}  {'; '.join([*found.faults[:3]])}  [{found.name}]"


def main() -> int:
    """Run the scenes; return 1 if any has a fault."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--scenes", type=int, default=20)
    parser.add_argument("--first", type=int, default=0, help="the number of the first scene")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--seconds", type=float, default=3.0)
    parser.add_argument("--limit", type=float, default=LIMIT, help="seconds of the processor for a scene")
    parser.add_argument("--models", type=Path, help="a folder of meshes that take part, too")
    options = parser.parse_args()
    models = read_models(options.models) if options.models else []
    judged = []
    print(" no. end      seconds  states overlap     rise    risen momentum", flush=True)
    for number in range(options.first, options.first + options.scenes):
        try:
            found = judge(random_scene(options.seed, number, models), options.seconds, options.limit)
        except (ArithmeticError, AssertionError, LookupError, TypeError, ValueError) as error:
            traceback.print_exc()
            found = Judged("", "EXCEPTION", faults=[repr(error)])
        judged.append(found)
        print(line(number, found), flush=True)
    bad = [found for found in judged if found.faults]
    spent = [found.seconds for found in judged]
    print(
        f"{len(judged)} scenes, {len(bad)} with faults; median {np.median(spent):.1f} s, "
        f"longest {max(spent):.1f} s"
    )
    print(
        f"deepest overlap {max(f.overlap for f in judged):.1e} R, greatest rise in a step "
        f"{max(f.rise for f in judged):.1e}, over all {max(f.risen for f in judged):.1e}"
    )
    sys.stdout.flush()
    return int(bool(bad))


if __name__ == "__main__":
    sys.exit(main())
