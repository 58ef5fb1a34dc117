"""States of a linkage that is moved, and how its solvers end."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

from ..arrays import Floats
from ..contact.system import InterfacePoints
from ..rigid import Pose
from .configuration import Configuration


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
        points: the interface points of near parts, each in the frame of its second body; none without
            clearances.
        contacts: those that touch, in the scene.
        joint_error: the largest error of a joint's or constraint's equation, over the figure's size, or in
            radians.
        goal_errors: how far each goal (g,) is from being met, lengths, or radians of turns.
        joint_coordinates: the shifts, lengths, and turns, radians, of all joints (n, 6); 0 for welds.
    """

    poses: tuple[Pose, ...]
    configuration: Configuration
    points: InterfacePoints
    contacts: InterfacePoints
    joint_error: float
    goal_errors: Floats
    joint_coordinates: Floats
