"""The fifteen experiments of the paper's Figure 9 (and a few more), from careless starts near a rest.

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
from numpy.typing import ArrayLike

from physplace_addon.core.arrays import Floats
from physplace_addon.core.bodies import Body
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
    pot,
    sphere,
    straw,
    superquadric,
    teapot_lid,
    torus,
    turned,
)
from tests.core.placement.drops import UP, Run, paired_of, pose_over_floor, rotation_with_down, run, tilted
from tests.heap_of_balls import heap
from tests.oracles.frames import quaternion_of, rotation_of
from tests.oracles.overlap import separation
from tests.oracles.rests import Rest, nearest_rest
from tests.oracles.shapes import Box, Together

TILTS = (25.0, 20.0, 30.0)
GAP = 0.25
ON_CONE = np.array([0.0, 0.0, 1.0])


Standing = tuple[tuple[Paired, tuple[float, float, float]], ...]


@dataclass(frozen=True)
class Experiment:
    """An active body and a gentle pose: its rotation, and where its origin is over what it is placed on.

    paper: how many iterations the paper's took, None for one of ours.
    on: bodies on the floor, each with its place; None: the floor alone.  aside: how far over R a careless
    start is beside the rest; for a ball, which has no tilt.  pivot: what keeps its place over the rest when
    the body is tilted, in its own frame; None: its centre of mass.
    """

    name: str
    paper: int | None
    active: Callable[[], Paired]
    rotation: np.ndarray
    on: Callable[[], Standing] | None = None
    start: tuple[float, float] = (0.0, 0.0)
    aside: float = 0.0
    pivot: tuple[float, float, float] | None = None


def block() -> Paired:
    """A small cube, a polyhedron for the solver and a box for the oracle."""
    half = np.full(3, 0.22)
    corners = np.array(np.meshgrid(*[[-h, h] for h in half], indexing="ij")).reshape(3, -1).T
    return Paired("block", lambda: convex(corners, "block"), lambda: Box(half))


BALL = 0.33
BALLS = 43


def ball() -> Paired:
    """A ball of which 44 fill the bowl, tessellated as the paper's."""
    return sphere(BALL, resolution=(41, 21))


def bowl_of_balls() -> Standing:
    """A bowl with 43 balls, which share one tessellation."""
    wall = tuple(tuple(point) for point in BOWL[3].tolist())
    same = ball()
    balls = tuple((same, tuple(place)) for place in heap(wall, BALL, BALLS).tolist())
    return ((turned("bowl", BOWL), (0.0, 0.0, 0.0)), *balls)


def a_cone() -> Standing:
    """A cone on the floor, its apex up."""
    return ((cone(), (0.0, 0.0, 1.0)),)


def one(body: Callable[[], Paired]) -> Callable[[], Standing]:
    """A body that stands on the floor as it is."""
    return lambda: ((body(), (0.0, 0.0, 0.0)),)


def goblet() -> Paired:
    """The goblet, upright."""
    return turned("goblet", GOBLET)


def glass() -> Paired:
    """The glass, upright."""
    return turned("glass", GLASS)


def ice_cube() -> Paired:
    """A rounded box that goes into the glass."""
    return superquadric((0.3, 0.26, 0.22), 0.7, 0.7)


EYE = np.eye(3)
SIDEWAYS = rotation_with_down(np.array([1.0, 0.0, -0.08]))

FIGURE_9 = (
    Experiment("torus on cone", 13, torus, EYE, a_cone, (0.05, 0)),
    Experiment("block into goblet", 25, block, EYE, one(goblet), (0.03, 0)),
    Experiment("goblet sideways on ground", 28, lambda: paired_of("goblet"), SIDEWAYS),
    Experiment("knot on ground", 12, lambda: paired_of("knot"), rotation_of([0.9, 0.1, 0.2, 0])),
    Experiment("jack on ground", 36, lambda: paired_of("jack"), rotation_of([0.9, 0.3, 0.2, 0])),
    Experiment(
        "bumpy sphere on ground", 14, lambda: paired_of("bumpy sphere"), rotation_of([0.7, 0.1, 0.6, 0])
    ),
    Experiment("torus on ground", 37, lambda: paired_of("torus"), EYE),
    Experiment("cone on ground", 23, lambda: paired_of("cone"), EYE),
    Experiment("teapot on ground", 20, pot, EYE),
    Experiment("lid on teapot", 29, teapot_lid, EYE, one(pot), (0.02, 0.01)),
    Experiment("straw in glass", 40, straw, EYE, one(glass), (0.1, 0), pivot=(0, 0, -1.3)),
    Experiment("ice cube in glass", 39, ice_cube, EYE, one(glass), (0.05, 0)),
    Experiment("44th ball in bowl", 9, ball, EYE, bowl_of_balls, (0.1, 0.2), 0.5),
    Experiment("bumpy sphere on cone", 50, bumpy_sphere, EYE, a_cone, (0.1, 0)),
    Experiment("apple on ground", 12, lambda: paired_of("apple"), EYE),
)
OTHERS = (
    Experiment("superquadric on ground", None, lambda: paired_of("superquadric"), EYE),
    Experiment("lid on pot", None, lambda: turned("lid", LID), EYE, one(glass), (0.02, 0.01)),
    Experiment("ball in bowl", None, lambda: sphere(0.5), EYE, one(lambda: turned("bowl", BOWL)), (0.6, 0.2)),
)
EXPERIMENTS = {e.name: e for e in FIGURE_9}
ALL = {e.name: e for e in FIGURE_9 + OTHERS}
PAPER = {e.name: e.paper for e in FIGURE_9 if e.paper is not None}


@lru_cache
def standing(name: str) -> tuple[Together | None, Floats, list[Body]]:
    """What an experiment's body is placed on: its shape, its place, and the solver's world with a floor."""
    experiment = ALL[name]
    if experiment.on is None:
        return None, np.zeros(3), [floor()]
    bodies = experiment.on()
    world = [floor()]
    for paired, place in bodies:
        matrix = np.eye(4)
        matrix[:3, 3] = place
        world.append(paired.body.transformed(matrix))
    shapes = Together([paired.shape for paired, _ in bodies], [place for _, place in bodies])
    return shapes, np.zeros(3), world


@lru_cache
def active_of(name: str) -> Paired:
    """The active body of an experiment, made once."""
    return ALL[name].active()


def clearance(name: str, rotation: Floats, position: Floats, below: float = np.inf) -> float:
    """Exact clearance of the experiment's active body at a pose, from its support and from the floor.

    Not less than `below` where it says so, but then perhaps too great.
    """
    shape, place, _ = standing(name)
    active = active_of(name).shape
    down = (-UP @ rotation)[None]
    over_floor = (rotation @ active.centre + position)[2] - float(active.support(down)[0])
    if shape is None:
        return float(over_floor)
    return float(min(over_floor, separation(active, rotation, position, shape, EYE, place, below)))


def above_first_touch(name: str, rotation: Floats, position: ArrayLike, gap: float) -> Pose:
    """The pose on the vertical through `position` that is `gap` R above where the falling body first
    touches.
    """
    radius = active_of(name).body.radius
    x, y = np.asarray(position, float)[:2]
    at = np.array([x, y, 5.0])
    for _ in range(60):  # it may fall by its clearance without touching
        room = clearance(name, rotation, at)
        if room < 1e-3 * radius:
            break
        at[2] -= room
    return Pose(quaternion_of(rotation), at + gap * radius * UP)


@lru_cache
def settled(name: str) -> Run:
    """A placement out of the gentle pose, whose end is the rest that the experiment starts near."""
    experiment, active = ALL[name], active_of(name)
    pose = above_first_touch(name, experiment.rotation, experiment.start, 0.1)
    return run(active, pose, standing(name)[2], label=f"{name}, gentle")


def careless_start(name: str, number: int) -> Pose:
    """Start `number` of the experiment: a quarter of R above first touch, tilted from the nearest rest."""
    random = np.random.default_rng([sum(map(ord, name)), number])
    tilt = TILTS[(list(ALL).index(name) + number) % len(TILTS)]
    heading = random.uniform(0, 2 * np.pi)
    far = ALL[name].aside * active_of(name).body.radius
    return start_near_rest(
        name, tilt, heading, GAP, aside=(far * np.cos(heading), far * np.sin(heading), 0.0)
    )


def random_start(name: str, random: np.random.Generator) -> Pose:
    """A random start near a rest: tilted up to 30 degrees, turned about the vertical up to 30 either way, up
    to R / 10 aside, and up to R / 4 above first touch.
    """
    tilt, heading, spin = 30.0 * random.random(), *random.uniform(0, 2 * np.pi, 2)
    gap, far = GAP * random.random(), 0.1 * np.sqrt(random.random())
    turn = random.uniform(-np.pi, np.pi) / 6.0
    aside = far * active_of(name).body.radius * np.array([np.cos(spin), np.sin(spin), 0.0])
    return start_near_rest(name, tilt, heading, gap, turn, aside)


def start_near_rest(
    name: str, tilt: float, heading: float, gap: float, turn: float = 0.0, aside: ArrayLike = (0.0, 0.0, 0.0)
) -> Pose:
    """The pose `gap` R above first touch, after a turn about z and a tilt (degrees) out of the nearest
    rest.
    """
    active, spin = active_of(name), rotation_of([np.cos(turn / 2), 0, 0, np.sin(turn / 2)])
    if ALL[name].on is None:
        rotation = tilted(spin @ rotation_with_down(rest_on_floor(name).down), tilt, heading)
        return pose_over_floor(active, rotation, gap * active.body.radius)
    end = settled(name)
    rotation = tilted(spin @ end.rotations[-1], tilt, heading)
    pivot = active.shape.centre if ALL[name].pivot is None else np.array(ALL[name].pivot)
    over = end.rotations[-1] @ pivot + end.positions[-1] + np.array(aside)
    return above_first_touch(name, rotation, over - rotation @ pivot, gap)


@lru_cache
def rest_on_floor(name: str) -> Rest:
    """The oracle's rest of the body on the floor that is nearest to its gentle pose."""
    return nearest_rest(active_of(name).shape, -UP @ ALL[name].rotation)


@lru_cache
def experiment(name: str, number: int, eps_max: float) -> Run:
    """The experiment run from its careless start."""
    pose, world = careless_start(name, number), standing(name)[2]
    label = f"{name}, start {number}, eps_max {eps_max}"
    return run(active_of(name), pose, world, Settings(eps_max=eps_max), label)
