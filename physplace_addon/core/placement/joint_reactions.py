"""What the joints of a figure at rest bear: their reactions, and what their brakes and limits hold.

All that acts on the bodies from outside, gravity, springs, contacts, pushes them by a wrench w.  What joints
do not leave free of it they react to, with the multipliers of their equations, least squares of J' l = -w
(`mechanics.joints.jointed_bodies`); brakes and limits add theirs.  A joint's rows together are a force and a
torque on its second body, seen from its anchor.  Redundant joints, as of a closed loop, have no unique
reactions: these are of least norm.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..arrays import Floats
from ..contact.system import FIXED
from ..mechanics.joints.equations import JointRows
from ..mechanics.joints.jointed_bodies import JointedBodies
from ..vectors import cross
from .certificate import Status
from .contact_forces import contact_forces, forces_with_friction
from .problem import Problem
from .state import State


@dataclass(frozen=True, eq=False)
class JointReaction:
    """What one joint bears.

    Attributes:
        name: of the joint.
        gap: how far its anchors are apart where its axes are locked, scene units.
        turn: by what angle its frames are open there, radians.
        force: (3,), in the world, on its second body, in units of one weight.
        torque: (3,), likewise about its anchor, in units of one weight times the scene's unit of length.
        braking: the largest part, 0 to 1, of what a brake of it can hold that it has to hold; 0 without any.
        at_limit: whether a limit of it presses.
    """

    name: str
    gap: float
    turn: float
    force: Floats
    torque: Floats
    braking: float
    at_limit: bool


def joint_reactions(problem: Problem, state: State, status: Status) -> tuple[JointReaction, ...]:
    """Return what the joints of a state bear; none for bodies without joints."""
    bodies = state.coordinates
    if not isinstance(bodies, JointedBodies):
        return ()
    return _Reactions(problem, state, bodies, status).all()


class _Reactions:
    """The rows of a state's joints, and their multipliers."""

    def __init__(self, problem: Problem, state: State, bodies: JointedBodies, status: Status) -> None:
        system = state.system
        found = contact_forces(problem, state)
        acting = problem.external.wrench(system)
        if status is Status.BALANCED_BY_FRICTION:
            with_friction = forces_with_friction(problem, system, found.points, bodies)
            maps = system.wrench_maps(found.points)
            acting = acting + np.einsum("kdi,ki->d", maps, with_friction.forces)
            limits, pushing, braking = with_friction.limits, with_friction.limit_forces, with_friction.braking
        else:
            acting = acting + system.gradients(found.points).T @ found.forces
            limits, pushing, braking = found.limits, found.limit_forces, found.braking
        own, brakes = bodies.limit_and_brake_rows(system)
        held = JointRows.join([own.take(limits), brakes])
        forces = np.concatenate([pushing, braking])
        acting = acting + held.wrench(forces, len(system)).ravel()
        equations, reactions = bodies.reactions(system, acting)
        self._bodies, self._system = bodies, system
        self._rows = JointRows.join([equations, held])
        self._multipliers = np.concatenate([reactions, forces])
        self._pressing = set(own.joint[limits[pushing > 0.0]].tolist())
        greatest = bodies.brakes(system).greatest
        self._braking = np.zeros(len(bodies.joints))
        np.maximum.at(self._braking, brakes.joint, np.abs(braking) / greatest)

    def all(self) -> tuple[JointReaction, ...]:
        """Return what all joints bear."""
        joints, frames = self._bodies.joints, self._bodies.frames(self._system)
        error = np.where(joints.locked, np.abs(frames.residuals()), 0.0)
        found = []
        for number, name in enumerate(joints.names):
            force, torque = self._on_second(number)
            found.append(
                JointReaction(
                    name,
                    joints.length * float(np.sqrt((error[number, :3] ** 2).sum())),
                    float(np.sqrt((error[number, 3:] ** 2).sum())),
                    force,
                    torque,
                    float(self._braking[number]),
                    number in self._pressing,
                )
            )
        return tuple(found)

    def _on_second(self, joint: int) -> tuple[Floats, Floats]:
        """Return the force (3,), and the torque (3,) about the anchor, of a joint on its second body."""
        mine = self._rows.joint == joint
        frames, system = self._bodies.frames(self._system), self._system
        first, second = self._bodies.joints.body[joint].tolist()
        side, body, sign = (0, first, -1.0) if second == FIXED else (1, second, 1.0)
        wrench = sign * self._multipliers[mine] @ self._rows.blocks[mine, side]
        force = wrench[:3] * system.radius / system.radii[body]
        arm = frames.points[joint, side] - system.centres[body]
        torque = wrench[3:] * system.radius - cross(arm, force)
        return force, torque
