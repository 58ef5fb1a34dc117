"""Runs of the solver that several acceptance tests look at, each made once, and what the oracles say of them.

Poses are handed to the oracles as plain (rotation (3, 3), position (3,)); `R` is the active body's radius.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from physplace_addon.core.arrays import Floats
from physplace_addon.core.bodies.body import Body
from physplace_addon.core.placement import Certificate, Placement, Settings, Status
from physplace_addon.core.rigid import Pose
from tests.bodies_of_the_paper import (
    APPLE,
    GOBLET,
    Paired,
    bumpy_sphere,
    cone,
    floor,
    jack,
    knot,
    superquadric,
    torus,
    turned,
)
from tests.oracles.frames import angle_between, quaternion_of, random_rotation, rotation_of
from tests.oracles.rests import Rest, nearest_rest

UP = np.array([0.0, 0.0, 1.0])
ENDS = (Status.BALANCED, Status.AT_ENERGY_MINIMUM)


@dataclass(frozen=True)
class Run:
    """One placement, from its start to its end."""

    paired: Paired
    certificate: Certificate
    rotations: np.ndarray
    positions: np.ndarray
    label: str = ""

    @property
    def radius(self) -> float:
        """R: the radius of the active body's enclosing sphere."""
        return self.paired.body.radius

    @property
    def down(self) -> np.ndarray:
        """Gravity's final direction in the body's frame (3,)."""
        result: np.ndarray = -UP @ self.rotations[-1]
        return result

    @property
    def centre_of_mass(self) -> np.ndarray:
        """Where the oracle's centre of mass ends (3,)."""
        result: np.ndarray = self.rotations[-1] @ self.paired.shape.centre + self.positions[-1]
        return result

    @property
    def height(self) -> float:
        """Final height of the oracle's centre of mass."""
        return float(self.centre_of_mass[2])

    def clearances(self) -> np.ndarray:
        """Exact clearance over the floor z = 0 at every state (k,), by the oracle; negative is overlap."""
        down = np.einsum("i,kij->kj", -UP, self.rotations)
        centre = self.rotations @ self.paired.shape.centre + self.positions
        result: np.ndarray = centre[:, 2] - self.paired.shape.support(down)
        return result

    def rest(self) -> Rest:
        """The true rest nearest to where the body ended."""
        return nearest_rest(self.paired.shape, self.down)


def pose_over_floor(paired: Paired, rotation: Floats, gap: float) -> Pose:
    """The pose with this rotation (3, 3) whose lowest point is `gap` above z = 0, centre of mass over the
    origin.
    """
    shape = paired.shape
    lowest = float(shape.support((-UP @ rotation)[None])[0])
    return Pose(quaternion_of(rotation), UP * (lowest + gap) - rotation @ shape.centre)


def run(
    paired: Paired, pose: Pose, world: Sequence[Body], settings: Settings | None = None, label: str = ""
) -> Run:
    """Place the body to the end and keep every state's pose."""
    placement = Placement(paired.body, pose, world, settings or Settings())
    certificate = placement.run()
    poses = [pose, *(state.pose for state in placement.states)]
    rotations = np.array([rotation_of(p.rotation) for p in poses])
    return Run(paired, certificate, rotations, np.array([p.translation for p in poses]), label)


def drop(
    paired: Paired, rotation: Floats, gap: float = 0.25, settings: Settings | None = None, label: str = ""
) -> Run:
    """Drop the body on the floor from `gap` R above its first touch."""
    pose = pose_over_floor(paired, rotation, gap * paired.body.radius)
    return run(paired, pose, [floor()], settings, label)


BODIES: dict[str, Callable[[], Paired]] = {
    "goblet": lambda: turned("goblet", GOBLET),
    "knot": knot,
    "jack": jack,
    "bumpy sphere": bumpy_sphere,
    "torus": torus,
    "cone": cone,
    "superquadric": superquadric,
    "apple": lambda: turned("apple", APPLE),
}


@lru_cache
def paired_of(name: str) -> Paired:
    """The named body, made once."""
    return BODIES[name]()


@lru_cache
def four_drops(name: str) -> tuple[Run, ...]:
    """Drops of the named body from four random orientations."""
    random = np.random.default_rng(sum(map(ord, name)))
    paired = paired_of(name)
    return tuple(drop(paired, random_rotation(random), label=f"{name}, pose {i}") for i in range(4))


def tilted(rotation: Floats, degrees: float, heading: float) -> np.ndarray:
    """The rotation (3, 3) after a further tilt about the horizontal axis at `heading` radians, in the
    world.
    """
    half = np.radians(degrees) / 2
    axis = np.array([np.cos(heading), np.sin(heading), 0])
    result: np.ndarray = rotation_of([np.cos(half), *(np.sin(half) * axis)]) @ rotation
    return result


def rotation_with_down(down: Floats) -> np.ndarray:
    """A rotation (3, 3) that turns the body's direction `down` to the world's -z."""
    axis = np.cross(down, -UP)
    turn = angle_between(down, -UP)
    length = np.linalg.norm(axis)
    axis = axis / length if length > 1e-12 else np.array([1.0, 0, 0])
    return rotation_of([np.cos(turn / 2), *(np.sin(turn / 2) * axis)])
