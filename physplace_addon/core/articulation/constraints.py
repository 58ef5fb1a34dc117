"""Constraints of linkages that are not locked axes of joints: each is a small class with its own rows.

    universal joint     a spherical joint, and two crossing axes, one of each part, at right angles (Cardan)
    point on surface    n . (r_1 + A_1 c_1 - s) = 0, s the closest point (Choi and Cremer 1999, section 4.1)
    point on curve      the same for the two directions across a curve

A new kind says which bodies it is between (`check`) and gives a batch of rows (`batch`); `rows.RowBatch` has
what a batch must give.  Its test holds the blocks against finite differences.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from ..arrays import Floats, Ints
from ..contact.system import FIXED
from ..errors import JointError
from ..mechanics.joints import Anchors, Joint, ball
from ..rigid import Pose
from ..vectors import cross
from .configuration import Configuration
from .guides import Guide, finite_vector, unit_direction
from .rows import PerpendicularAxes, RowBatch, Rows


class Grouping(Protocol):
    """What a constraint needs of the rigid groups of a linkage."""

    @property
    def length(self) -> float:
        """The figure's size."""
        ...

    def frame(self, part: int, frame: Pose) -> tuple[int, Pose]:
        """Return the group of a part, and a frame in the group's frame."""
        ...

    def point(self, part: int, point: Floats) -> tuple[int, Floats]:
        """Return the group of a part, and a point in the group's frame."""
        ...


@dataclass(frozen=True, eq=False)
class Constraint(ABC):
    """An equation between two parts.

    name: for messages.  first, second: the numbers of the parts, FIXED for the world.
    """

    name: str
    first: int
    second: int

    def check(self, count: int) -> None:
        """Raise a JointError if the constraint has no meaning for a number of parts."""
        for part in (self.first, self.second):
            if part != FIXED and not 0 <= part < count:
                raise JointError(
                    self.name, f"it is between part {part}, there are {count}", "name one that is there"
                )
        if self.first == self.second:
            raise JointError(
                self.name, f"it is between part {self.first} and itself", "name two different parts"
            )

    @abstractmethod
    def batch(self, groups: Grouping) -> RowBatch:
        """Return its rows."""


@dataclass(frozen=True, eq=False)
class Perpendicular(Constraint):
    """Two axes stay at right angles: axis1 (3,) of the first part and axis2 (3,) of the second, in their
    frames.
    """

    axis1: Floats
    axis2: Floats

    def check(self, count: int) -> None:
        """Raise a JointError if the constraint has no meaning for a number of parts."""
        super().check(count)
        unit_direction(self.name, "first axis", self.axis1)
        unit_direction(self.name, "second axis", self.axis2)

    def batch(self, groups: Grouping) -> RowBatch:
        """Return its row."""
        axes, pair = [], []
        for part, axis in ((self.first, self.axis1), (self.second, self.axis2)):
            group, frame = groups.frame(part, Pose.identity())
            axes.append(frame.vectors(unit_direction(self.name, "axis", axis))[None])
            pair.append(group)
        return PerpendicularAxes(np.array([pair]), axes[0], axes[1], np.full((1, 3), np.nan))


def universal(anchors: Anchors) -> tuple[Joint, Perpendicular]:
    """Return a universal joint (Cardan's): a spherical joint whose first frame's axis x and second frame's
    axis y, the arms of its cross, stay at right angles.
    """
    x, y = anchors.frame1.matrix[:, 0], anchors.frame2.matrix[:, 1]
    return ball(anchors), Perpendicular(anchors.name, anchors.first, anchors.second, x, y)


@dataclass(frozen=True, eq=False)
class _Guided(Constraint):
    """A point (3,) of the first part is on a guide that is fixed to the second one, in its frame."""

    point: Floats
    guide: Guide

    def check(self, count: int) -> None:
        """Raise a JointError if the constraint has no meaning for a number of parts."""
        super().check(count)
        finite_vector(self.name, "point", self.point)

    def batch(self, groups: Grouping) -> RowBatch:
        """Return its rows, one for each direction across the guide."""
        first, local = groups.point(self.first, self.point)
        second, frame = groups.frame(self.second, Pose.identity())
        return GuidedPoint((first, second), local, self.guide, frame, groups.length)


@dataclass(frozen=True, eq=False)
class PointOnSurface(_Guided):
    """A point (3,) of the first part stays on a surface that is fixed to the second one, in its frame."""


@dataclass(frozen=True, eq=False)
class PointOnCurve(_Guided):
    """A point (3,) of the first part stays on a curve that is fixed to the second one, in its frame."""


@dataclass(frozen=True, eq=False)
class GuidedPoint(RowBatch):
    """A point of group A on a guide that group B carries.

    pair: A and B.  local (3,): the point in the frame of A.  frame: of the guide in that of B.  length: L.

    The guide moves with B, so that its change at the point is that of a point of B that is there now.
    """

    pair: tuple[int, int]
    local: Floats
    guide: Guide
    frame: Pose
    length: float

    @property
    def body(self) -> Ints:
        """The groups (n, 2) of the rows."""
        return np.tile(np.array(self.pair), (self.guide.rows, 1))

    def rows(self, configuration: Configuration) -> Rows:
        """Return a row for each direction across the guide."""
        centre, matrix = configuration.frames
        (a, b), frame = self.pair, self.frame
        arm = matrix[a] @ self.local
        place = centre[a] + arm
        seen = frame.inverse().points((place - centre[b]) @ matrix[b])
        foot, directions = self.guide.nearest(seen)
        across = frame.vectors(directions) @ matrix[b].T
        value = directions @ (seen - foot) / self.length
        arms = np.broadcast_to(np.stack([arm, place - centre[b]]) / self.length, (len(across), 2, 3))
        direction = np.stack([across, -across], axis=1)
        return Rows(value, np.concatenate([direction, cross(arms, direction)], axis=2), direction, arms)
