"""Dragging a body until it stands, and what it is dragged along."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypedDict, Unpack

import numpy as np
from numpy.typing import ArrayLike

from physplace_addon.core.arrays import Floats
from physplace_addon.core.bodies import Body, exact, polyhedron
from physplace_addon.core.placement import Manipulation, Placement
from physplace_addon.core.rigid import Pose, quaternion_exponential
from physplace_addon.core.surfaces import kinds
from tests.bodies_of_the_paper import box, floor

UPRIGHT = np.array([1.0, 0.0, 0.0, 0.0])
TURNED = np.array([0.9, 0.3, 0.1, 0.2])
MOST = 400


def at(x: float, y: float, z: float, rotation: Floats = UPRIGHT) -> Pose:
    return Pose(rotation, np.array([x, y, z], float))


def about(axis: ArrayLike, degrees: float) -> np.ndarray:
    return quaternion_exponential(np.radians(degrees) * np.asarray(axis, float))


class How(TypedDict, total=False):
    """What is dragged, and how: see `Manipulation`."""

    body: int
    pivot: Floats
    axes: Floats


def drag_once(placement: Placement, target: Pose, **how: Unpack[How]) -> bool:
    """Drag one step; return whether the body came nearer."""
    manipulation = Manipulation(placement, target, **how)
    manipulation.step()
    return manipulation.status.is_running


def drag(placement: Placement, target: Pose, most: int = MOST, **how: Unpack[How]) -> int:
    """Drag until nothing moves any more; return the steps."""
    for step in range(most):
        if not drag_once(placement, target, **how):
            return step
    raise AssertionError(f"still under way after {most} steps")


def place_of(placement: Placement, body: int = 0) -> np.ndarray:
    return placement.state.poses[body].translation


def wall(*normal_and_place: float) -> Body:
    """A plane through a place, its outside towards the normal (6 numbers)."""
    normal, place = np.array(normal_and_place[:3], float), np.array(normal_and_place[3:], float)
    z = normal / np.linalg.norm(normal)
    x = np.cross([0.0, 1.0, 0.0] if abs(z[1]) < 0.9 else [1.0, 0.0, 0.0], z)
    x /= np.linalg.norm(x)
    matrix = np.eye(4)
    matrix[:3, :3], matrix[:3, 3] = np.column_stack([x, np.cross(z, x), z]), place
    return exact(kinds.plane(40.0, 40.0), "wall").transformed(matrix)


def grid(cells: int, size: float, height: Callable[[Floats, Floats], Floats] = lambda x, y: 0.0 * x) -> Body:
    """A floor of many triangles, an open mesh."""
    ticks = np.linspace(-size, size, cells + 1)
    x, y = np.meshgrid(ticks, ticks, indexing="ij")
    points = np.stack([x, y, height(x, y)], axis=-1).reshape(-1, 3)
    i, j = np.meshgrid(np.arange(cells), np.arange(cells), indexing="ij")
    a, row = (i * (cells + 1) + j).ravel(), cells + 1
    triangles = [np.stack([a, a + row, a + row + 1], axis=1), np.stack([a, a + row + 1, a + 1], axis=1)]
    return polyhedron(points, np.concatenate(triangles), "grid")


def resting_box() -> Placement:
    return Placement(box().body, at(0, 0, 0.5), [floor()])
