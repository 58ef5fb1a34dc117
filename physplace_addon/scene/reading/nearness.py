# SPDX-License-Identifier: GPL-3.0-or-later
"""What a moving object may come near: only that is read into bodies.

Every visible thing has a box in the world, which Blender keeps with its evaluated mesh. A body that moves
stays in a ball about its centre of mass, however it turns. What the ball, grown by what steps can reach, may
meet here or anywhere on its way down is near. Something is always near if its box says nothing of its
surface: an exact surface or a blob, whose mesh is only a picture of it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from bpy.types import Depsgraph, SubsurfModifier

from ...core.arrays import Bools, Floats
from ...core.bodies import Body
from ...core.rigid import Pose
from ..access import original, present
from .smooth import is_faceted
from .visible import VisibleItem

SURE = 4.0  # distance over eps R from the ball at which things must have been read: a step and its search
ROOM = 0.5  # distance over R beyond that at which they are read, so that few steps have to wait for reading
_BULGE = 0.25  # part of a box's diagonal by which a curved surface may stand out of its mesh's box


@dataclass(frozen=True, eq=False)
class Boxes:
    """Boxes in the world: lower and upper corners (n, 3)."""

    lower: Floats
    upper: Floats

    def met(self, centre: Floats, radius: float, way: Floats, farthest: float) -> Bools:
        """Return which boxes (n,) a ball meets on its way from a centre (3,) to centre + farthest * way."""
        lower, upper = self.lower - centre - radius, self.upper - centre + radius
        with np.errstate(divide="ignore", invalid="ignore"):
            times = np.sort(np.stack([lower / way, upper / way]), axis=0)
        stands = np.broadcast_to(way == 0.0, lower.shape)
        inside = (lower <= 0.0) & (upper >= 0.0)
        enters = np.where(stands, np.where(inside, -np.inf, np.inf), times[0]).max(axis=1)
        leaves = np.where(stands, np.where(inside, np.inf, -np.inf), times[1]).min(axis=1)
        return np.asarray((leaves >= 0.0) & (enters <= np.minimum(leaves, farthest)))

    def take(self, rows: Bools) -> Boxes:
        """Return some of the boxes."""
        return Boxes(self.lower[rows], self.upper[rows])

    def __len__(self) -> int:
        return len(self.lower)


def boxes_of(corners: Sequence[tuple[Floats, Floats]]) -> Boxes:
    """Return boxes given by their lower and upper corners (3,)."""
    found = np.array(corners, dtype=np.float64).reshape(-1, 2, 3)
    return Boxes(found[:, 0], found[:, 1])


def box_of(item: VisibleItem, depsgraph: Depsgraph) -> tuple[Floats, Floats]:
    """Return the lower and upper corner (3,) of an item's box in the world; infinite if unknown."""
    corners = np.array(item.evaluated.bound_box, dtype=np.float64)
    with np.errstate(invalid="ignore"):
        placed = corners @ item.matrix[:3, :3].T + item.matrix[:3, 3]
    if item.exact or not np.isfinite(placed).all():
        return np.full(3, -np.inf), np.full(3, np.inf)
    lower, upper = placed.min(axis=0), placed.max(axis=0)
    if _may_bulge(item, depsgraph):
        room = _BULGE * float(np.linalg.norm(upper - lower))
        return lower - room, upper + room
    return lower, upper


def _may_bulge(item: VisibleItem, depsgraph: Depsgraph) -> bool:
    """Return whether an item's surface may stand out of its displayed mesh."""
    source = original(item.evaluated)
    return (
        source.type != "MESH"
        or any(isinstance(modifier, SubsurfModifier) for modifier in source.modifiers)
        or not is_faceted(source, present(depsgraph.scene))
    )


@dataclass(frozen=True, eq=False)
class Travel:
    """A travel in one direction: as far as `farthest` times `way` (3,)."""

    way: Floats
    farthest: float = np.inf


@dataclass(frozen=True, eq=False)
class MovingBall:
    """A ball that holds a body however it turns.

    centre (3,): its centre of mass in its own frame. radius: of that ball. unit: R, for steps.
    """

    centre: Floats
    radius: float
    unit: float

    @classmethod
    def of(cls, body: Body) -> MovingBall:
        """Return the ball of a body."""
        offset = body.triangles.reshape(-1, 3) - body.mass.center
        farthest = float(np.sqrt(np.einsum("ij,ij->i", offset, offset).max()))
        return cls(body.mass.center, farthest + float(body.triangle_bound.max()), body.radius)

    def meets(self, boxes: Boxes, pose: Pose, travel: Travel, room: float) -> Bools:
        """Return which boxes (n,) it may meet on a travel from a pose.

        room: how far, over R, it may get aside.
        """
        radius = self.radius + room * self.unit
        return boxes.met(pose.points(self.centre), radius, travel.way, travel.farthest)


@dataclass(frozen=True, eq=False)
class Surroundings:
    """What bodies that move may come near.

    balls: of the bodies. fall: their way down. step: eps, the length over R of the longest step.
    """

    balls: tuple[MovingBall, ...]
    fall: Travel
    step: float

    def reach(
        self, boxes: Boxes, poses: Sequence[Pose], travels: Sequence[Travel], room: float = 0.0
    ) -> Bools:
        """Return which boxes (n,) the bodies may meet from poses on, falling or on one of some travels.

        room: over R, beyond what a step can reach.
        """
        met = np.zeros(len(boxes), dtype=bool)
        for ball, pose in zip(self.balls, poses, strict=True):
            for travel in (self.fall, *travels):
                met |= ball.meets(boxes, pose, travel, SURE * self.step + room)
        return met
