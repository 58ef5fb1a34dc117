"""A linkage among fixed bodies, prepared once: its groups, its closed start, and its clearances."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ..arrays import Floats
from ..bodies import Body
from ..contact.system import InterfacePoints
from ..errors import JointError
from ..rigid import Pose
from .configuration import Configuration
from .equations import Equations
from .groups import RigidGroups
from .least_motion import Iterate, newton_step
from .linkage import Linkage
from .rows import Rows
from .state import LinkageState

_OPEN = 1e-3  # gap of a joint, over the figure's size, and turn, that is no rounding
_CLOSED = 1e-12  # error of a joint, over L, that is rounding
_ROUNDS = 30


@dataclass(frozen=True, eq=False)
class LinkageScene:
    """A linkage among fixed bodies.

    Attributes:
        linkage: the linkage.
        world: the fixed bodies, in the scene.
        groups: its rigid groups.
        equations: of its joints and constraints, without goals.
        start: the state that it starts in.
    """

    linkage: Linkage
    world: tuple[Body, ...]
    groups: RigidGroups
    equations: Equations
    start: LinkageState

    @classmethod
    def of(cls, linkage: Linkage, poses: Sequence[Pose], world: Sequence[Body] = ()) -> LinkageScene:
        """Return a linkage at poses (m) among fixed bodies.  Joints that are open by rounding are closed.

        Raises:
            JointError: joints do not meet, or cannot be closed.
        """
        if len(poses) != len(linkage):
            raise JointError(
                "linkage", f"it has {len(linkage)} parts and {len(poses)} poses", "give each part a pose"
            )
        open_joints = linkage.joint_gaps(poses, _OPEN)
        if open_joints:
            name, gap, turn = open_joints[0]
            more = f", and {len(open_joints) - 1} more" if len(open_joints) > 1 else ""
            found = f"its parts do not meet: they are {gap:.3g} apart, and {turn:.3g} radians turned{more}"
            raise JointError(name, found, "move its parts together, or set the joint where they are")
        groups, configuration = RigidGroups.of(linkage, poses)
        equations = Equations.of(groups, (), configuration)
        closed = closed_configuration(equations, configuration)
        if closed is None:
            raise JointError("linkage", "its joints cannot all be closed", "check the joints of its loops")
        state = state_of(equations, closed, equations.rows(closed), InterfacePoints.none(), None)
        return cls(linkage, tuple(world), groups, equations, state)


def closed_configuration(equations: Equations, configuration: Configuration) -> Configuration | None:
    """Return the configuration of least motion whose joints are closed to rounding; None if there is none
    near.
    """
    at = Iterate.start(configuration, equations)
    for _ in range(_ROUNDS):
        rows = equations.rows(at.configuration)
        error = float(np.abs(rows.value[equations.hard]).max(initial=0.0))
        if error <= _CLOSED:
            return at.configuration
        at = newton_step(equations, configuration, at, rows, longest=0.2)
    return at.configuration if error <= 1e3 * _CLOSED else None


def state_of(
    equations: Equations,
    configuration: Configuration,
    rows: Rows,
    points: InterfacePoints,
    near: Floats | None,
    contacts: InterfacePoints | None = None,
) -> LinkageState:
    """Return the state of a configuration with its rows.

    points, contacts: of near parts, and those of them that touch.  near: the joints' coordinates (j, 6)
        before.
    """
    groups = equations.groups
    found = equations.coordinates(configuration, near) if near is None else near
    coordinates = np.zeros((len(groups.linkage.joints), 6))
    if len(equations.numbers):
        coordinates[equations.numbers] = found * equations.joints.units
    return LinkageState(
        groups.poses(configuration),
        configuration,
        points,
        InterfacePoints.none() if contacts is None else contacts,
        float(np.abs(rows.value[equations.hard]).max(initial=0.0)),
        equations.goal_errors(rows.value),
        coordinates,
    )
