"""Jointed figures of rods and boxes in the plane y = 0, and what statics says of them."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike

from physplace_addon.core.arrays import Floats
from physplace_addon.core.bodies import polyhedron
from physplace_addon.core.bodies.body import Body
from physplace_addon.core.contact.system import FIXED
from physplace_addon.core.mechanics.joints import FREE, Anchors, Axis, Joint, hinge
from physplace_addon.core.rigid import Pose, quaternion_from_matrix
from tests.bodies_of_the_paper import cuboid

HINGE_FRAME = quaternion_from_matrix(np.array([[1.0, 0.0, 0.0], [0.0, 0.0, 1.0], [0.0, -1.0, 0.0]]))
"""Its axis z is the scene's y."""

THICK = 0.1


def block(size: Sequence[float], name: str, centre: ArrayLike = (0.0, 0.0, 0.0)) -> Body:
    """A box with the given sides."""
    return polyhedron(*cuboid(np.asarray(centre, np.float64), [0.5 * side for side in size]), name)


def floor(height: float = 0.0) -> Body:
    """A box with a wide top at a height."""
    return block((20.0, 20.0, 1.0), "floor", (0.0, 0.0, height - 0.5))


def down(angle: float) -> Floats:
    """The direction at an angle from straight down, towards x."""
    return np.array([np.sin(angle), 0.0, -np.cos(angle)])


def rod(start: ArrayLike, end: ArrayLike, name: str = "rod", thick: float = THICK) -> tuple[Body, Pose]:
    """A rod between two points of the plane, its own x along it; it ends at them."""
    first, last = np.asarray(start, np.float64), np.asarray(end, np.float64)
    length = float(np.linalg.norm(last - first))
    x, y = (last - first) / length, np.array([0.0, 1.0, 0.0])
    pose = Pose(quaternion_from_matrix(np.stack([x, y, np.cross(x, y)], axis=1)), 0.5 * (first + last))
    return block((length, thick, thick), name), pose


def pin(
    name: str, first: int, second: int, place: ArrayLike, poses: Sequence[Pose], axis: Axis = FREE
) -> Joint:
    """A hinge about y between two bodies where they are now."""
    frame = Pose(HINGE_FRAME, np.asarray(place, np.float64))
    return hinge(Anchors.at(name, first, second, frame, poses), axis)


def chain(
    angles: Sequence[float], axes: Sequence[Axis] | None = None, top: ArrayLike = (0.0, 0.0, 0.0)
) -> tuple[list[Body], list[Pose], list[Joint]]:
    """Rods of length 1 that hang one from the other, the first from a point of the world."""
    points = [np.asarray(top, np.float64)]
    for angle in angles:
        points.append(points[-1] + down(angle))
    made = [rod(points[i], points[i + 1], f"rod {i}") for i in range(len(angles))]
    bodies, poses = [body for body, _ in made], [pose for _, pose in made]
    chosen = axes or [FREE] * len(angles)
    joints = [
        pin(f"pin {i}", i - 1 if i else FIXED, i, points[i], poses, chosen[i]) for i in range(len(angles))
    ]
    return bodies, poses, joints


def angle_of(pose: Pose) -> float:
    """The angle of a rod from straight down."""
    along = pose.matrix[:, 0]
    return float(np.arctan2(along[0], -along[2]))
