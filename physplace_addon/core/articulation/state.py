"""States of a linkage that is moved, and how its solvers end."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from functools import cached_property

import numpy as np

from ..arrays import Floats
from ..contact.system import ContactSystem, InterfacePoints
from ..rigid import Pose
from .configuration import Configuration
from .contact.clearances import touching
from .equations import Equations
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
        float(np.abs(values[equations.hard]).max(initial=0.0)),
        equations.goal_errors(values),
        of_joints,
    )
