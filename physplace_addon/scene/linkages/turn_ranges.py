# SPDX-License-Identifier: GPL-3.0-or-later
"""Ranges of the Euler angles of a joint, as Blender's locks and limits give them, as axes of a joint.

A rotation in the order ijk is `R = R_k(c) R_j(b) R_i(a)`: the turn about i acts first. Each angle has a
range; one of no width is locked. R is the turn of the second anchor frame seen from the first, and a locked
angle that stands first or last in the product goes into one of the two frames:

    R = R_k(c) R'          the first frame turned by R_k(c) sees R'
    R = R' R_i(a)          the second frame turned back by R_i(a) is seen at R'

So two locked angles leave a hinge, exactly, also where the middle one is free: with a and c taken into the
frames, R' = R_j(b). With three the frames are one. Where fewer are locked, the angles themselves are
constrained (`core.articulation.EulerAngles`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from ...core.arrays import Bools, Floats
from ...core.mechanics.joints import FREE, LOCKED, Anchors, Axis
from ...core.rigid import Pose, quaternion_from_matrix, rotation_matrix
from .. import rotations

Axes = tuple[Axis, Axis, Axis]
_WHOLE_TURN = 2.0 * np.pi - 1e-5  # radians: less than a turn by single precision
_ZERO = 1e-5  # radians that an angle of zero has at most by single precision


@dataclass(frozen=True, eq=False)
class TurnRange:
    """The ranges of the Euler angles of a turn.

    order: such as "XYZ". lower, upper (3,): of the angles about x, y, z, radians; infinite where free.
    """

    order: str
    lower: Floats
    upper: Floats

    @classmethod
    def free(cls, order: str) -> TurnRange:
        """Return the ranges that allow any turn."""
        return cls(order, np.full(3, -np.inf), np.full(3, np.inf))

    @property
    def locked(self) -> Bools:
        """Which angles (3,) about x, y, z are locked."""
        return np.asarray(self.lower == self.upper)

    @property
    def is_limited(self) -> bool:
        """Whether an angle that is not locked has a limit."""
        return bool((np.isfinite(self.lower) | np.isfinite(self.upper))[~self.locked].any())

    @property
    def says_something(self) -> bool:
        """Whether any angle has a limit, or is locked."""
        return bool((np.isfinite(self.lower) | np.isfinite(self.upper)).any())

    def with_locked(self, axes: Bools, at: Floats) -> TurnRange:
        """Return the ranges with the angles about some axes (3,) locked at values (3,)."""
        return replace(self, lower=np.where(axes, at, self.lower), upper=np.where(axes, at, self.upper))

    def within(self, axis: int, lower: float, upper: float) -> TurnRange:
        """Return the ranges with that of one angle narrowed to limits; an empty one becomes a value.

        Limits a whole turn apart, or more, leave it as it is.
        """
        if upper - lower >= _WHOLE_TURN:
            return self
        low, high = self.lower.copy(), self.upper.copy()
        low[axis], high[axis] = max(low[axis], lower), min(high[axis], upper)
        if low[axis] > high[axis]:
            low[axis] = high[axis] = lower if self.upper[axis] < lower else upper
        return replace(self, lower=low, upper=high)

    def holding(self, turn: Floats) -> tuple[TurnRange, float]:
        """Return the ranges, widened to hold a rotation (3, 3), and by how much, radians."""
        excess = self.excess(turn)
        angles = self.angles(turn)
        angles[np.abs(angles) < _ZERO] = 0.0
        lower, upper = np.minimum(self.lower, angles), np.maximum(self.upper, angles)
        lower = np.where(self.locked, angles, lower)
        upper = np.where(self.locked, angles, upper)
        return replace(self, lower=lower, upper=upper), float(max(excess.max(), 0.0))

    def angles(self, turn: Floats) -> Floats:
        """Return the angles (3,) of a rotation (3, 3), with the whole turns that bring them nearest to the
        middles of their ranges.
        """
        principal = rotations.values_of(self.order, turn, np.zeros(3))
        limited = np.isfinite(self.lower) & np.isfinite(self.upper)
        middle = principal.copy()
        middle[limited] = 0.5 * (self.lower[limited] + self.upper[limited])
        angles: Floats = principal + 2.0 * np.pi * np.round((middle - principal) / (2.0 * np.pi))
        return angles

    def excess(self, turn: Floats) -> Floats:
        """Return by how much the angles (3,) of a rotation (3, 3) are outside of their ranges, radians."""
        angles = self.angles(turn)
        excess: Floats = np.maximum(self.lower - angles, angles - self.upper)
        return excess


def merged(ranges: Sequence[TurnRange]) -> list[TurnRange]:
    """Return ranges in different orders without what others say already.

    Where two angles are locked at zero, or all three at any value, the turn is the same in every order.
    """
    found = sorted(ranges, key=lambda each: -int(each.locked.sum()))
    if not found or found[0].locked.sum() < 2:
        return found
    first, others = found[0], found[1:]
    if first.locked.all():
        return [first]
    if np.abs(first.lower[first.locked]).max() > _ZERO:
        return found
    (free,) = np.flatnonzero(~first.locked).tolist()
    for each in others:
        first = first.within(free, float(each.lower[free]), float(each.upper[free]))
    return [first]


def turning_axes(turns: TurnRange) -> Axes | None:
    """Return the axes of the turns between the frames of `settled`; None where angles remain."""
    locked = turns.locked
    if locked.all():
        return LOCKED, LOCKED, LOCKED
    if locked.sum() == 2:
        axes = [LOCKED, LOCKED, LOCKED]
        (free,) = np.flatnonzero(~locked).tolist()
        axes[free] = Axis(lower=float(turns.lower[free]), upper=float(turns.upper[free]))
        return axes[0], axes[1], axes[2]
    return None if locked.any() or turns.is_limited else (FREE, FREE, FREE)


def settled(anchors: Anchors, turns: TurnRange) -> Anchors:
    """Return anchors with the locked angles of a hinge, or of a joint that does not turn, taken into them."""
    if turns.locked.sum() < 2:
        return anchors
    order = ["XYZ".index(letter) for letter in turns.order]
    free = [i for i in order if not turns.locked[i]]
    position = order.index(free[0]) if free else 0
    before = _product(turns, order[position + len(free) :])
    after = _product(turns, order[:position] if free else [])
    return replace(
        anchors,
        frame1=anchors.frame1.compose(_turn(before)),
        frame2=anchors.frame2.compose(_turn(after.T)),
    )


def _product(turns: TurnRange, axes: list[int]) -> Floats:
    """Return the rotation (3, 3) by the locked angles about some axes, the first of them acting first."""
    product = np.eye(3)
    for axis in axes:
        product = rotation_matrix(turns.lower[axis] * np.eye(3)[axis]) @ product
    return product


def _turn(rotation: Floats) -> Pose:
    return Pose(quaternion_from_matrix(rotation), np.zeros(3))
