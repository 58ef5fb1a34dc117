"""Goals: where points and parts of a figure are to be (Choi and Cremer 1999, sections 3, 4.1 and 5.6).

    point to point      r + A c - p = 0                        three rows
    point to surface    n . (r + A c - s) = 0                  one row, or two for a curve
    orientation         the rotation vector of A A_goal' = 0   three rows
    look-at             a direction of a part points at a place: two rows
    pinned              point and orientation of a whole part

A goal is hard, or least squares with a weight: hard ones are met exactly where they can be.  Those that
cannot all be met are met as nearly as they can be, by their weights.

Turns.  A rotation vector phi of R(phi) changes by J^-1(phi) dTheta, J^-1 = 1 - [phi] / 2 + c [phi]^2,
c = 1 / a^2 - (1 + cos a) / (2 a sin a), a = |phi|, which has no singular place short of a whole turn.
Look-at turns the direction u to s along the great circle between them; farther than _MOST away it is led to a
place _MOST on.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Self

import numpy as np

from ..arrays import Floats, Ints
from ..contact.system import FIXED
from ..errors import JointError
from ..quaternions import products
from ..rigid import Pose, quaternion_conjugate, rotation_vector, skew
from .configuration import Configuration
from .constraints import Grouping, GuidedPoint
from .guides import Guide, across, finite_vector, unit_direction
from .rows import CoincidentPoints, RowBatch, Rows

PIN_WEIGHT = 1e4  # of what stays where it is beside what is led, where both cannot be met
_MOST = 1.0  # radians that a direction is turned towards its target at once
_SMALL = 1e-4  # radians below which c is its limit, 1 / 12
_UNIT = 1e-6  # error of the square of the length of a unit quaternion


@dataclass(frozen=True, eq=False)
class Goal(ABC):
    """What a part is to do.

    part: its number.
    hard: whether it is met exactly where it can be, else in the sense of least squares.
    weight: of the goal beside others that cannot be met with it.
    """

    part: int
    hard: bool = field(default=True, kw_only=True)
    weight: float = field(default=1.0, kw_only=True)

    def check(self, count: int) -> None:
        """Raise a JointError if the goal has no meaning for a number of parts."""
        self.check_target()
        if not 0 <= self.part < count:
            raise JointError(
                "goal", f"it is of part {self.part}, there are {count}", "name one that is there"
            )
        if not (np.isfinite(self.weight) and self.weight > 0.0):
            raise JointError("goal", f"its weight is {self.weight}", "give it a positive one")

    @property
    def kind(self) -> tuple[object, ...]:
        """What goals have in common whose rows have the same structure, so that one can follow the other."""
        return type(self), self.part, self.hard, self.weight

    @property
    def is_turn(self) -> bool:
        """Whether its error is an angle, not a length."""
        return False

    @abstractmethod
    def check_target(self) -> None:
        """Raise a JointError if what the goal leads to has no meaning."""

    @abstractmethod
    def led_from(self, before: Self, groups: Grouping, at: Configuration) -> float:
        """Return how far this goal leads from where one of its kind led, over L or in radians; nothing only
        if both ask for the same.

        groups: of the linkage.  at: where they are.
        """

    @abstractmethod
    def batches(self, groups: Grouping) -> list[RowBatch]:
        """Return its rows."""


@dataclass(frozen=True, eq=False)
class PointGoal(Goal):
    """A point (3,), in the part's frame, comes to a target (3,) in the scene."""

    point: Floats
    target: Floats

    def check_target(self) -> None:
        """Raise a JointError if a number is not finite."""
        finite_vector("goal", "point", self.point)
        finite_vector("goal", "target", self.target)

    def led_from(self, before: Self, groups: Grouping, at: Configuration) -> float:
        """Return how far the target has moved, and how far the point has, over L."""
        return (_apart(self.target, before.target) + _apart(self.point, before.point)) / groups.length

    def batches(self, groups: Grouping) -> list[RowBatch]:
        """Return three rows."""
        return [_point_rows(groups, self.part, self.point, self.target)]


@dataclass(frozen=True, eq=False)
class SurfaceGoal(Goal):
    """A point (3,), in the part's frame, comes onto a surface or curve that stands in the scene."""

    point: Floats
    surface: Guide

    @property
    def kind(self) -> tuple[object, ...]:
        """What goals with the same structure of rows have in common: the number of directions, too."""
        return *super().kind, self.surface.rows

    def check_target(self) -> None:
        """Raise a JointError if a number is not finite."""
        finite_vector("goal", "point", self.point)

    def led_from(self, before: Self, groups: Grouping, at: Configuration) -> float:
        """Return how far the closest point of the surface has moved, and how far the point has, over L."""
        moved = _apart(self.point, before.point)
        if self.surface is not before.surface:
            place = _place(groups, at, self.part, self.point)
            moved += _apart(self.surface.nearest(place)[0], before.surface.nearest(place)[0])
        return moved / groups.length

    def batches(self, groups: Grouping) -> list[RowBatch]:
        """Return a row for each direction across."""
        group, local = groups.point(self.part, self.point)
        return [GuidedPoint((group, FIXED), local, self.surface, Pose.identity(), groups.length)]


@dataclass(frozen=True, eq=False)
class OrientationGoal(Goal):
    """The part's frame comes to an orientation in the scene: a unit quaternion (4,), scalar first."""

    rotation: Floats

    @property
    def is_turn(self) -> bool:
        """Whether its error is an angle: it is."""
        return True

    def check_target(self) -> None:
        """Raise a JointError if the quaternion has no direction."""
        _check_rotation(self.rotation)

    def led_from(self, before: Self, groups: Grouping, at: Configuration) -> float:
        """Return the angle between both orientations."""
        return _turn_between(self.rotation, before.rotation)

    def batches(self, groups: Grouping) -> list[RowBatch]:
        """Return three rows."""
        return [_turn_rows(groups, self.part, Pose(self.rotation, np.zeros(3)))]


@dataclass(frozen=True, eq=False)
class LookAtGoal(Goal):
    """A direction (3,) at a point (3,), both in the part's frame, points at a target (3,) in the scene."""

    point: Floats
    direction: Floats
    target: Floats

    @property
    def is_turn(self) -> bool:
        """Whether its error is an angle: it is."""
        return True

    def check_target(self) -> None:
        """Raise a JointError if a number is not finite, or the direction has no length."""
        finite_vector("goal", "point", self.point)
        finite_vector("goal", "target", self.target)
        unit_direction("goal", "direction", self.direction)

    def led_from(self, before: Self, groups: Grouping, at: Configuration) -> float:
        """Return the angle between the rays to both targets, and that between both directions."""
        rays = [goal.target - _place(groups, at, self.part, goal.point) for goal in (self, before)]
        return _angle_between(*rays) + _angle_between(self.direction, before.direction)

    def batches(self, groups: Grouping) -> list[RowBatch]:
        """Return two rows."""
        group, frame = groups.frame(self.part, Pose.identity())
        direction = frame.vectors(np.asarray(self.direction, np.float64))
        unit = direction / np.linalg.norm(direction)
        local = frame.points(np.asarray(self.point, np.float64))
        return [Pointing(group, local, unit, np.asarray(self.target, np.float64), groups.length)]


@dataclass(frozen=True, eq=False)
class PinGoal(Goal):
    """The whole part comes to a pose, or stays there."""

    pose: Pose

    def check_target(self) -> None:
        """Raise nothing: poses are checked where they are made."""

    def led_from(self, before: Self, groups: Grouping, at: Configuration) -> float:
        """Return how far the place has moved, over L, or the angle between both poses, if that is more."""
        moved = _apart(self.pose.translation, before.pose.translation) / groups.length
        return max(moved, _turn_between(self.pose.rotation, before.pose.rotation))

    def batches(self, groups: Grouping) -> list[RowBatch]:
        """Return six rows."""
        origin = _point_rows(groups, self.part, np.zeros(3), self.pose.translation)
        return [origin, _turn_rows(groups, self.part, self.pose)]


@dataclass(frozen=True, eq=False)
class FigureGoal:
    """The whole figure is moved by a rigid motion of the scene from where it was grabbed: that moves the
    reference of least motion, so that the figure follows without bending unless something is in its way.
    """

    motion: Pose


AnyGoal = Goal | FigureGoal


def pinned(poses: Sequence[Pose], parts: Sequence[int]) -> list[PinGoal]:
    """Return goals that keep parts, by number, at their poses.

    They weigh more than what is dragged: where both cannot be met, pins hold.
    """
    return [PinGoal(part, poses[part], weight=PIN_WEIGHT) for part in parts]


@dataclass(frozen=True, eq=False)
class Turned(RowBatch):
    """A group comes to an orientation: a unit quaternion (4,)."""

    group: int
    target: Floats

    @property
    def body(self) -> Ints:
        """The groups (3, 2) of the rows."""
        return np.tile(np.array([self.group, FIXED]), (3, 1))

    def rows(self, configuration: Configuration) -> Rows:
        """Return three rows: the rotation vector from the target, in the scene."""
        apart = products(configuration.turns[self.group][None], quaternion_conjugate(self.target)[None])[0]
        vector = rotation_vector(apart)
        blocks = np.zeros((3, 2, 6))
        blocks[:, 0, 3:] = inverse_jacobian(vector)
        return Rows.straight(vector, blocks)


@dataclass(frozen=True, eq=False)
class Pointing(RowBatch):
    """A direction (3,) at a point (3,) of a group points at a target (3,).  length: L."""

    group: int
    local: Floats
    direction: Floats
    target: Floats
    length: float

    @property
    def body(self) -> Ints:
        """The groups (2, 2) of the rows."""
        return np.tile(np.array([self.group, FIXED]), (2, 1))

    def rows(self, configuration: Configuration) -> Rows:
        """Return two rows: the parts of the direction across the one to look along."""
        centre, matrix = configuration.frames
        u, arm = matrix[self.group] @ self.direction, matrix[self.group] @ self.local
        ray = self.target - centre[self.group] - arm
        far = max(float(np.linalg.norm(ray)), 1e-9 * self.length)
        s = ray / far
        aim, follows = _aim(u, s)
        blocks = np.zeros((2, 2, 6))
        directions = across(aim)
        blocks[:, 0, 3:] = np.cross(u, directions)
        if follows:  # the direction to look along moves with the point: t . du - (s . u) t . ds
            shift = (s @ u) * (directions - np.outer(directions @ s, s)) / (far / self.length)
            blocks[:, 0, :3] += shift
            blocks[:, 0, 3:] += np.cross(arm / self.length, shift)
        return Rows.straight(directions @ u, blocks)


def inverse_jacobian(vector: Floats) -> Floats:
    """Return J^-1 (3, 3), by which a rotation vector (3,) changes with small turns of the scene."""
    angle = float(np.linalg.norm(vector))
    turn = skew(vector)
    if angle < _SMALL:
        share = 1.0 / 12.0
    else:
        half = 0.5 * angle
        share = (1.0 - half / np.tan(half)) / angle**2
    inverse: Floats = np.eye(3) - 0.5 * turn + share * (turn @ turn)
    return inverse


def _aim(u: Floats, s: Floats) -> tuple[Floats, bool]:
    """Return where a unit direction u is turned to on the great circle to s, and whether that is s itself."""
    along = float(u @ s)
    if along >= np.cos(_MOST):
        return s, True
    side = s - along * u
    size = float(np.linalg.norm(side))
    side = side / size if size > 1e-9 else across(u)[0]
    return np.cos(_MOST) * u + np.sin(_MOST) * side, False


def _apart(first: Floats, second: Floats) -> float:
    return float(np.linalg.norm(np.asarray(first, np.float64) - second))


def _angle_between(first: Floats, second: Floats) -> float:
    """Return the angle between two vectors (3,), radians."""
    return float(np.arctan2(np.linalg.norm(np.cross(first, second)), np.dot(first, second)))


def _turn_between(first: Floats, second: Floats) -> float:
    """Return the angle of the turn between two orientations, unit quaternions (4,)."""
    apart = products(np.asarray(first)[None], quaternion_conjugate(np.asarray(second))[None])
    return float(np.linalg.norm(rotation_vector(apart[0])))


def _check_rotation(rotation: Floats) -> None:
    """Raise a JointError for numbers that are no unit quaternion (4,)."""
    given = np.asarray(rotation, np.float64)
    if given.shape != (4,) or not abs(float(given @ given) - 1.0) < _UNIT:
        raise JointError("goal", f"its orientation is {rotation}", "give a quaternion of length 1")


def _place(groups: Grouping, at: Configuration, part: int, point: Floats) -> Floats:
    """Return where a point (3,) of a part is in the scene."""
    (centre, matrix), (group, local) = at.frames, groups.point(part, point)
    place: Floats = centre[group] + matrix[group] @ local
    return place


def _point_rows(groups: Grouping, part: int, point: Floats, target: Floats) -> RowBatch:
    group, local = groups.point(part, point)
    ends = np.stack([np.asarray(target, np.float64), local])
    return CoincidentPoints(np.array([[FIXED, group]]), ends[None], groups.length)


def _turn_rows(groups: Grouping, part: int, pose: Pose) -> RowBatch:
    group, frame = groups.frame(part, Pose.identity())
    return Turned(group, pose.compose(frame.inverse()).rotation)
