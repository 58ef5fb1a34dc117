"""The experiments of the paper's Figure 9, from careless starts near a rest.

A start is `gap` R above first touch, tilted 20 to 30 degrees from the nearest rest. On the floor the rest
comes from the oracle. On other bodies it comes from a first placement out of a gentle pose (`settled`),
which the test that uses it checks like any other run. First touch is found by lowering along z with the
oracle's separation.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from physplace_addon.core.placement import Settings
from physplace_addon.core.rigid import Pose
from tests.bodies_of_the_paper import (
    BOWL,
    GLASS,
    GOBLET,
    LID,
    Paired,
    bumpy_sphere,
    cone,
    convex,
    floor,
    sphere,
    straw,
    superquadric,
    torus,
    turned,
)
from tests.core.placement.drops import (
    UP,
    Run,
    paired_of,
    pose_over_floor,
    rotation_with_down,
    run,
    tilted,
)
from tests.oracles.frames import quaternion_of, rotation_of
from tests.oracles.overlap import separation
from tests.oracles.rests import nearest_rest
from tests.oracles.shapes import Box

TILTS = (25.0, 20.0, 30.0)
GAP = 0.25
ON_CONE = np.array([0.0, 0.0, 1.0])


@dataclass(frozen=True)
class Experiment:
    """An active body and a gentle pose; `support` stands at `place` on the floor (None: the floor alone)."""

    name: str
    active: Callable[[], Paired]
    rotation: np.ndarray
    support: Callable[[], Paired] | None = None
    place: tuple[float, float, float] = (0.0, 0.0, 0.0)
    start: tuple[float, float, float] = (0.0, 0.0, 0.0)


def block() -> Paired:
    """A small cube, a polyhedron for the solver and a box for the oracle."""
    half = np.full(3, 0.22)
    corners = np.array(np.meshgrid(*[[-h, h] for h in half], indexing="ij")).reshape(3, -1).T
    return Paired("block", lambda: convex(corners, "block"), lambda: Box(half))


EYE = np.eye(3)
SIDEWAYS = rotation_with_down(np.array([1.0, 0.0, -0.08]))

EXPERIMENTS = {
    e.name: e
    for e in (
        Experiment("torus on cone", torus, EYE, cone, (0, 0, 1), (0.05, 0, 3)),
        Experiment(
            "block into goblet", block, EYE, lambda: turned("goblet", GOBLET), (0, 0, 0), (0.03, 0, 3)
        ),
        Experiment("goblet sideways on ground", lambda: paired_of("goblet"), SIDEWAYS),
        Experiment("knot on ground", lambda: paired_of("knot"), rotation_of([0.9, 0.1, 0.2, 0])),
        Experiment("jack on ground", lambda: paired_of("jack"), rotation_of([0.9, 0.3, 0.2, 0])),
        Experiment(
            "bumpy sphere on ground", lambda: paired_of("bumpy sphere"), rotation_of([0.7, 0.1, 0.6, 0])
        ),
        Experiment("torus on ground", lambda: paired_of("torus"), EYE),
        Experiment("cone on ground", lambda: paired_of("cone"), EYE),
        Experiment("superquadric on ground", lambda: paired_of("superquadric"), EYE),
        Experiment("apple on ground", lambda: paired_of("apple"), EYE),
        Experiment(
            "lid on pot",
            lambda: turned("lid", LID),
            EYE,
            lambda: turned("glass", GLASS),
            (0, 0, 0),
            (0.02, 0.01, 3),
        ),
        Experiment("straw in glass", straw, EYE, lambda: turned("glass", GLASS), (0, 0, 0), (0.1, 0, 4)),
        Experiment(
            "ice cube in glass",
            lambda: superquadric((0.3, 0.26, 0.22), 0.7, 0.7),
            EYE,
            lambda: turned("glass", GLASS),
            (0, 0, 0),
            (0.05, 0, 3),
        ),
        Experiment(
            "ball in bowl", lambda: sphere(0.5), EYE, lambda: turned("bowl", BOWL), (0, 0, 0), (0.6, 0.2, 3)
        ),
        Experiment("bumpy sphere on cone", bumpy_sphere, EYE, cone, (0, 0, 1), (0.1, 0, 4)),
    )
}


@lru_cache
def standing(name: str):
    """The support of an experiment: its shape, its place, and the solver's world with a floor."""
    experiment = EXPERIMENTS[name]
    if experiment.support is None:
        return None, np.zeros(3), [floor()]
    paired, place = experiment.support(), np.array(experiment.place, float)
    matrix = np.eye(4)
    matrix[:3, 3] = place
    return paired.shape, place, [floor(), paired.body.transformed(matrix)]


@lru_cache
def active_of(name: str) -> Paired:
    """The active body of an experiment, made once."""
    return EXPERIMENTS[name].active()


def clearance(name: str, rotation, position, below: float = np.inf) -> float:
    """Exact clearance of the experiment's active body at a pose, from its support and from the floor.

    Not less than `below` where it says so, but then perhaps too great.
    """
    shape, place, _ = standing(name)
    active = active_of(name).shape
    down = (-UP @ rotation)[None]
    over_floor = (rotation @ active.centre + position)[2] - float(active.support(down)[0])
    if shape is None:
        return over_floor
    return min(over_floor, separation(active, rotation, position, shape, EYE, place, below))


def above_first_touch(name: str, rotation, position, gap: float) -> Pose:
    """The pose on the vertical through `position` that is `gap` R above where the falling body first
    touches.
    """
    radius = active_of(name).body.radius
    at = np.array([position[0], position[1], 5.0])
    for _ in range(60):  # it may fall by its clearance without touching
        room = clearance(name, rotation, at)
        if room < 1e-3 * radius:
            break
        at[2] -= room
    return Pose(quaternion_of(rotation), at + gap * radius * UP)


@lru_cache
def settled(name: str) -> Run:
    """A placement out of the gentle pose, whose end is the rest that the experiment starts near."""
    experiment, active = EXPERIMENTS[name], active_of(name)
    world = standing(name)[2]
    pose = above_first_touch(name, experiment.rotation, experiment.start, 0.1)
    return run(active, pose, world, label=f"{name}, gentle")


def careless_start(name: str, number: int) -> Pose:
    """Start `number` of the experiment: a quarter of R above first touch, tilted from the nearest rest."""
    random = np.random.default_rng([sum(map(ord, name)), number])
    experiment, active = EXPERIMENTS[name], active_of(name)
    tilt = TILTS[(list(EXPERIMENTS).index(name) + number) % len(TILTS)]
    heading = random.uniform(0, 2 * np.pi)
    if experiment.support is None:
        rest = nearest_rest(active.shape, -UP @ experiment.rotation)
        rotation = tilted(rotation_with_down(rest.down), tilt, heading)
        return pose_over_floor(active, rotation, GAP * active.body.radius)
    end = settled(name)
    rotation = tilted(end.rotations[-1], tilt, heading)
    return above_first_touch(name, rotation, end.positions[-1], GAP)


@lru_cache
def experiment(name: str, number: int, eps_max: float) -> Run:
    """The experiment run from its careless start."""
    pose, world = careless_start(name, number), standing(name)[2]
    label = f"{name}, start {number}, eps_max {eps_max}"
    return run(active_of(name), pose, world, Settings(eps_max=eps_max), label)
