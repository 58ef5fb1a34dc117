"""Coordinates near the bodies: far from the world's origin they would lose digits that matter."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from ..arrays import Floats
from ..bodies import Body
from ..collision import remember_mapped
from ..rigid import Pose

_FAR: Final = 100.0  # distance over R from the world's origin at which digits that matter begin to get lost


def near_the_origin(
    actives: Sequence[Body], poses: Sequence[Pose], world: Sequence[Body]
) -> tuple[Floats, tuple[Pose, ...], tuple[Body, ...]]:
    """Return a scene with its bodies near the origin, so that coordinates keep their digits.

    Origins are points of a coarse grid, so that what begins nearby finds the fixed bodies shifted already.

    Returns:
        origin: (3,), in the world, of the new coordinates; zero if the bodies are near the world's own.
        poses: of the moving bodies, seen from there.
        world: the fixed bodies, seen from there.
    """
    centres = [pose.points(body.mass.center) for body, pose in zip(actives, poses, strict=True)]
    centre: Floats = np.mean(centres, axis=0)
    radius = max(body.radius for body in actives)
    if np.sqrt(centre @ centre) < _FAR * radius:
        return np.zeros(3), tuple(poses), tuple(world)
    side = 2.0 ** np.floor(np.log2(_FAR * radius))
    origin: Floats = side * np.round(centre / side)
    return (
        origin,
        tuple(Pose(pose.rotation, pose.translation - origin) for pose in poses),
        tuple(_shifted(body, origin) for body in world),
    )


def _shifted(body: Body, origin: Floats) -> Body:
    """Return a body seen from an origin (3,); the last one is kept with the body."""
    known = body.derived.get("shifted")
    if not isinstance(known, _ShiftedBody) or not np.array_equal(known.origin, origin):
        back = np.eye(4)
        back[:3, 3] = -origin
        known = _ShiftedBody(origin, body.transformed(back))
        remember_mapped(known.body, body)
        body.derived["shifted"] = known
    return known.body


@dataclass(frozen=True, eq=False)
class _ShiftedBody:
    """A body seen from an origin (3,)."""

    origin: Floats
    body: Body
