"""Ranges of Euler angles for bodies that placement moves (`mechanics.joints.jointed_bodies`).

Their rows and second derivatives are those of `euler_angles`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from ..arrays import Floats, Ints
from ..mechanics.joints.closure import Positions
from ..mechanics.joints.equations import JointRows
from ..rigid import Pose
from .configuration import Configuration
from .euler_angles import AngleRows, EulerAngles


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
        at = Configuration(positions.centre, positions.rotation)
        return self.locked.hessians(at), self.limited.hessians(at)

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
