"""The scenes of the paper's Figures 10 to 16, placed body after body by the solver alone.

Each gives what stands in the end: (body, pose, colour's name), and the placements that brought it there.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import ArrayLike

from physplace_addon.core.bodies import Body
from physplace_addon.core.placement import Connection, Placement, Settings, fill
from physplace_addon.core.rigid import Pose
from tests.bodies_of_the_paper import (
    APPLE,
    BOWL,
    GLASS,
    GOBLET,
    bumpy_sphere,
    cone,
    cylinder,
    floor,
    jack,
    knot,
    pot,
    sphere,
    straw,
    superquadric,
    teapot_lid,
    torus,
    turned,
)

QUICK = Settings(eps_max=0.2, leave_metastable=True)
UPRIGHT = (1.0, 0.0, 0.0, 0.0)


@dataclass
class Scene:
    """Bodies that stand, in the order they were placed, with the placements that did it."""

    name: str
    looks_at: tuple[float, float, float] = (0.0, 0.0, 0.5)
    distance: float = 7.0
    standing: list[tuple[Body, Pose]] = field(default_factory=list)
    placements: list[Placement] = field(default_factory=list)

    @property
    def world(self) -> list[Body]:
        """The floor and all that stands."""
        return [floor(), *(body.transformed(pose.matrix4) for body, pose in self.standing)]

    def place(self, body: Body, at: ArrayLike, turn: ArrayLike = UPRIGHT) -> Placement:
        """Place one more body."""
        placement = Placement(body, pose(at, turn), self.world, QUICK)
        placement.run()
        self.keep(body, placement)
        return placement

    def keep(self, body: Body, placement: Placement) -> None:
        """A placed body stands from now on."""
        self.placements.append(placement)
        self.standing.append((body, placement.state.pose))


def pose(at: ArrayLike, turn: ArrayLike = UPRIGHT) -> Pose:
    """A pose from a place and a quaternion of any length."""
    return Pose(np.array(turn, dtype=float), np.array(at, dtype=float))


def stuck_together() -> Scene:
    """Figure 10: bodies drawn together by connections in the air, touching where they meet."""
    scene = Scene("figure 10, stuck together", (0.0, 0.0, 3.0), 8.0)
    bodies = [superquadric().body, cone().body, torus(0.8, 0.25).body]
    poses = [pose((0, 0, 3), (0.9, 0.2, 0.1, 0)), pose((2.6, 0, 3), (0.8, 0.1, 0.5, 0)), pose((-2.8, 0.2, 3))]
    pulls = [
        Connection(np.zeros(3), np.array([0.0, 0.0, 1.0]), body=0, other=1),
        Connection(np.zeros(3), np.array([0.8, 0.0, 0.0]), body=0, other=2),
    ]
    placement = Placement.of_several(bodies, poses, [], replace(QUICK, gravity=None), pulls)
    placement.run()
    scene.placements.append(placement)
    scene.standing = list(zip(bodies, placement.state.poses, strict=True))
    return scene


def straws() -> Scene:
    """Figure 11: straws dropped into a glass."""
    scene = Scene("figure 11, straws in a glass", (0.0, 0.0, 1.1), 7.5)
    scene.place(turned("glass", GLASS).body, (0, 0, 0.1))
    for number in range(5):
        angle = 2.4 * number
        aside = 0.16 * np.array([np.cos(angle), np.sin(angle)])
        lean = (1.0, 0.12 * np.sin(angle), -0.12 * np.cos(angle), 0.0)
        scene.place(straw().body, (*aside, 3.4), lean)
    return scene


def cluttered() -> Scene:
    """Figure 12: one thing after another, on and against what stands already."""
    scene = Scene("figure 12, cluttered", (0.2, 0.2, 0.6), 9.0)
    scene.place(cone().body, (0, 0, 2.2), (0.95, 0.2, 0.1, 0))
    scene.place(torus().body, (0.1, 0, 3.6), (0.95, 0.15, 0.1, 0))
    scene.place(knot().body, (1.9, 0.5, 1.5), (0.9, 0.1, 0.3, 0))
    scene.place(jack(0.8, 0.15).body, (-1.5, -1.2, 1.6), (0.9, 0.3, 0.2, 0))
    scene.place(cylinder(0.4, 1.6).body, (-1.2, 1.6, 2.6), (0.8, 0.5, 0.2, 0))
    scene.place(superquadric((0.6, 0.5, 0.4)).body, (1.0, -1.6, 1.2), (0.9, 0.2, 0.2, 0.1))
    scene.place(bumpy_sphere().body.transformed(np.diag([0.6, 0.6, 0.6, 1.0])), (-0.9, 0.6, 3.0))
    return scene


def fallen_teapot() -> Scene:
    """Figure 13: the pot lies on its side, its lid before it."""
    scene = Scene("figure 13, fallen teapot", (0.0, -1.4, 0.6), 14.0)
    scene.place(pot().body, (0, 0, 2.6), (0.75, 0.66, 0.1, 0.05))
    scene.place(teapot_lid().body, (0.3, -3.6, 1.0), (0.95, 0.2, 0.2, 0.0))
    return scene


def ice() -> Scene:
    """Figure 14: ice cubes fill a glass."""
    scene = Scene("figure 14, ice in a glass", (0.0, 0.0, 0.9), 6.0)
    glass = scene.place(turned("glass", GLASS).body, (0, 0, 0.1))
    cube = superquadric((0.24, 0.22, 0.2), 0.6, 0.6).body
    container = turned("glass", GLASS).body.transformed(glass.state.pose.matrix4)
    start = pose((0.05, 0.03, 3.0), (0.9, 0.2, 0.3, 0.1))
    for placement in fill(cube, start, scene.world, QUICK, count=12, container=container).placed:
        scene.keep(cube, placement)
    return scene


def balls() -> Scene:
    """Figure 15: forty-four balls in a bowl, each from the same start."""
    scene = Scene("figure 15, 44 balls in a bowl", (0.0, 0.0, 0.9), 8.0)
    scene.place(turned("bowl", BOWL, resolution=(81, 121)).body, (0, 0, 0.05))
    ball = sphere(0.3, resolution=(41, 21)).body
    for placement in fill(ball, pose((0.03, 0.02, 3.0)), scene.world, QUICK, count=44).placed:
        scene.keep(ball, placement)
    return scene


def still_life() -> Scene:
    """Figure 16: fruit in a bowl, a goblet beside it."""
    scene = Scene("figure 16, still life with fruit", (0.3, 0.0, 0.8), 9.5)
    scene.place(turned("bowl", BOWL).body, (0, 0, 0.05))
    scene.place(turned("goblet", GOBLET).body, (2.9, -0.6, 0.1))
    apple = turned("apple", APPLE).body.transformed(np.diag([0.7, 0.7, 0.7, 1.0]))
    pear = superquadric((0.8, 0.5, 0.5), 1.0, 1.0).body
    starts = ((0.6, 0.2), (-0.6, 0.4), (0.1, -0.7), (0.0, 0.1))
    for number, (x, y) in enumerate(starts):
        fruit = apple if number % 2 == 0 else pear
        scene.place(fruit, (x, y, 3.0), (0.9, 0.2 * number, 0.3, 0.1))
    return scene


SCENES: tuple[Callable[[], Scene], ...] = (
    stuck_together,
    straws,
    cluttered,
    fallen_teapot,
    ice,
    balls,
    still_life,
)
