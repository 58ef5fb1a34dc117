"""Ranges of Euler angles for bodies that placement moves (`mechanics.joints.jointed_bodies`).

A row f of a turn depends on the turn of the second body seen from the first alone.  Let c be its row by the
second body's rotation, in the scene, and D its second derivative along rotations of that body, the first one
standing still.  With twists a and b of both, f is a function of

    exp(-a) exp(b) = exp(b - a - 1/2 a x b + ...),

so that

    f'' = (b - a)' D (b - a) - c . (a x b).

D is the symmetric part of the derivative of c, by central differences of exact rows.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np

from ..arrays import Floats, Ints
from ..mechanics.joints.closure import Positions
from ..mechanics.joints.equations import JointRows
from ..quaternions import products
from ..rigid import Pose, quaternion_exponential, skew
from .configuration import Configuration
from .euler_angles import AngleRows, EulerAngles

_STEP = 1e-5  # radians, of differences


@dataclass(frozen=True, eq=False)
class AngleRanges:
    """Ranges of Euler angles between bodies: locked ones, and limits.

    joint (r,): the number of the joint that each range belongs to.
    """

    locked: AngleRows
    limited: AngleRows
    joint: Ints

    @classmethod
    def of(cls, ranges: Mapping[int, EulerAngles]) -> AngleRanges:
        """Return ranges by the numbers of their joints; their parts are numbered as the bodies."""
        groups, every = _Alone(), list(ranges.values())
        locked, limited = (AngleRows.of(every, groups, limits=limits) for limits in (False, True))
        return cls(locked, limited, np.array(list(ranges), np.intp))

    def equations(self, positions: Positions) -> JointRows:
        """Return what is locked, with the values that are to be 0."""
        return self._rows(self.locked, positions)

    def limits(self, positions: Positions) -> JointRows:
        """Return gaps that are to be >= 0, always as many."""
        return self._rows(self.limited, positions)

    def hessians(self, positions: Positions) -> tuple[Floats, Floats]:
        """Return the second derivatives (k, 12, 12) of the equations, and those of the limits."""
        return _hessians(self.locked, positions), _hessians(self.limited, positions)

    def _rows(self, batch: AngleRows, positions: Positions) -> JointRows:
        found = batch.rows(Configuration(positions.centre, positions.rotation))
        return JointRows(found.blocks, batch.body, found.value, self.joint[batch.number], batch.position)


class _Alone:
    """Every body is a group of its own."""

    length = 1.0

    def frame(self, part: int, frame: Pose) -> tuple[int, Pose]:
        """Return the body and the frame itself."""
        return part, frame

    def point(self, part: int, point: Floats) -> tuple[int, Floats]:
        """Return the body and the point itself."""
        return part, point


def _hessians(batch: AngleRows, positions: Positions) -> Floats:
    """Return f'' (n, 12, 12) of all rows: each turn has two bodies of its own, of which one is turned."""
    count = len(batch.axes)
    turn = np.concatenate([positions.rotation, [[1.0, 0.0, 0.0, 0.0]]])[batch.pairs]
    own = replace(batch, pairs=np.arange(2 * count).reshape(-1, 2))

    def rows_after(turned: Floats) -> Floats:
        after = turn.copy()
        half = np.broadcast_to(quaternion_exponential(turned), (count, 4))
        after[:, 1] = products(half, turn[:, 1])
        found = own.rows(Configuration(np.zeros((2 * count, 3)), after.reshape(-1, 4)))
        return found.blocks[:, 1, 3:]

    steps = _STEP * np.eye(3)
    change = np.stack([rows_after(step) - rows_after(-step) for step in steps], axis=2) / (2.0 * _STEP)
    spread = 0.5 * (change + change.transpose(0, 2, 1))
    mixed = 0.5 * skew(rows_after(np.zeros(3))) - spread
    out = np.zeros((len(batch.number), 12, 12))
    out[:, 3:6, 3:6] = out[:, 9:, 9:] = spread
    out[:, 3:6, 9:] = mixed
    out[:, 9:, 3:6] = mixed.transpose(0, 2, 1)
    return out
