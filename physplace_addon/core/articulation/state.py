"""States of a linkage that is moved, how its solvers end, and where a tick of them leads."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from functools import cached_property
from typing import Generic

import numpy as np

from ..arrays import Bools, Floats
from ..contact.system import ContactSystem, InterfacePoints
from ..rigid import Pose
from .configuration import Configuration
from .contact.clearances import touching
from .contact.obstacles import ValidT
from .equations import Equations
from .least_motion import Iterate
from .rows import Rows


class LinkageStatus(Enum):
    """Running, or why a linkage goes no farther; `message` says it to a person."""

    RUNNING = "on its way"
    REACHED = "all goals are met"
    UNREACHABLE = "the goals cannot all be met: this is the nearest pose"
    AT_LIMIT = "limits of joints stop it"
    BLOCKED = "something is in the way"

    @property
    def message(self) -> str:
        """A sentence for a person."""
        return self.value

    @property
    def is_running(self) -> bool:
        """Whether a step may still change anything."""
        return self is LinkageStatus.RUNNING


@dataclass(frozen=True, eq=False)
class LinkageState:
    """One valid pose of a linkage: joints are closed, and nothing overlaps but what is excepted.

    Attributes:
        poses: where the parts (m) are.
        configuration: the same of the rigid groups.
        system: the bodies there; None without clearances.
        kept: D, the gap that bodies in contact keep, a length.
        joint_error: the largest error of a joint's or constraint's equation, over the figure's size, or
            radians.
        goal_errors: how far each goal (g,) is from being met, lengths, or radians of turns.
        joint_coordinates: the shifts, lengths, and turns, radians, of all joints (n, 6); 0 for welds.
    """

    poses: tuple[Pose, ...]
    configuration: Configuration
    system: ContactSystem | None
    kept: float
    joint_error: float
    goal_errors: Floats
    joint_coordinates: Floats

    @cached_property
    def contacts(self) -> InterfacePoints:
        """The interface points, in the scene, at which bodies touch: found when asked for."""
        return InterfacePoints.none() if self.system is None else touching(self.system, self.kept)


def state_of(
    equations: Equations,
    configuration: Configuration,
    system: ContactSystem | None,
    kept: float,
    rows: Rows | None = None,
    coordinates: Floats | None = None,
) -> LinkageState:
    """Return the state of a configuration.

    rows: of the equations there.  coordinates: the joints' (j, 6), with whole turns counted.
    """
    groups = equations.groups
    values = (equations.rows(configuration) if rows is None else rows).value
    found = equations.coordinates(configuration) if coordinates is None else coordinates
    of_joints = np.zeros((len(groups.linkage.joints), 6))
    if len(equations.numbers):
        of_joints[equations.numbers] = found * equations.joints.units
    return LinkageState(
        groups.poses(configuration),
        configuration,
        system,
        kept,
        equations.joint_error(values),
        equations.goal_errors(values),
        of_joints,
    )


@dataclass(frozen=True, eq=False)
class Solution:
    """The end of Newton's method: where it is, its rows there, and which gaps press.

    closed: whether all joints are closed.
    limits, clearances: how many limits of joints, and gaps between bodies, press.
    """

    iterate: Iterate
    rows: Rows
    closed: bool
    limits: int
    clearances: int

    @classmethod
    def of(cls, iterate: Iterate, rows: Rows, closed: bool, presses: Bools, count: int) -> Solution:
        """Return a solution of which so many gaps, the first ones, are limits of joints."""
        return cls(iterate, rows, closed, int(presses[:count].sum()), int(presses[count:].sum()))


@dataclass(frozen=True, eq=False)
class Tick(Generic[ValidT]):
    """Where a tick led.

    valid: what the clearances know of it; None where it did not move.
    share: s, the share of what was left of the goals.  length: how far a point moved, over L.
    """

    solution: Solution
    valid: ValidT | None
    share: float
    length: float
