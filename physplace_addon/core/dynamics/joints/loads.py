"""What joints bear: the force and torque of each on its second body, and when it breaks.

A multiplier l of a row exerts on the second body, at its anchor, the force l A_k / R for a shift along A_k,
and the torque that its block says for a turn.

The first kick of a symmetric step of h seconds closes the joints at its end, the second their velocities
there.  With a force f + f' t that the joint needs, to first order in h, their impulses are

    h/2 (f + f' h/3),    h/2 (f + f' 2 h/3):

over h/2 the force at one and at two thirds of the step.  So the line through both gives it at the ends of the
step, and the time between at which it reaches what the joint bears.  Where the force jumps in a step, as it
does when something hits slowly, there is no such line: then the whole impulse counts, spread as that of an
impact.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ...arrays import ArrayRecord, Bools, Floats
from ...mechanics.joints.equations import AnchorFrames, JointRows, Joints
from ...vectors import length

_STEADY = 0.5  # change between both kicks, over their mean, up to which a force has not jumped
_ALMOST = 1.0 - 1e-9  # of what a joint bears, that is all of it


@dataclass(frozen=True, eq=False)
class JointForces(ArrayRecord):
    """What n joints exert on their second bodies, in the scene: forces, or impulses.

    force (n, 3): at the second anchor.  torque (n, 3): about it.
    """

    force: Floats
    torque: Floats

    @classmethod
    def none(cls, count: int) -> JointForces:
        """Return no forces of so many joints."""
        return cls(np.zeros((count, 3)), np.zeros((count, 3)))

    @classmethod
    def of(cls, frames: AnchorFrames, rows: JointRows, multipliers: Floats) -> JointForces:
        """Return what rows (k,) of joints exert for multipliers (k,)."""
        found = cls.none(len(frames.joints))
        shift = rows.axis < 3
        joints = rows.joint[shift]
        along = frames.axes[joints, :, rows.axis[shift]]
        moved = rows.blocks[shift, 1, :3] - rows.blocks[shift, 0, :3]
        way = np.sign((moved * along).sum(axis=1)) / frames.joints.length  # an upper limit's is backwards
        np.add.at(found.force, joints, (way * multipliers[shift])[:, None] * along)
        turns = rows.blocks[~shift, 1, 3:] * multipliers[~shift, None]
        np.add.at(found.torque, rows.joint[~shift], turns)
        return found

    def plus(self, other: JointForces) -> JointForces:
        """Return both together."""
        return JointForces(self.force + other.force, self.torque + other.torque)

    def times(self, factor: float) -> JointForces:
        """Return so much of it."""
        return JointForces(factor * self.force, factor * self.torque)

    def over(self, joints: Joints) -> Floats:
        """Return the greater one of force and torque (n,), over what the joint bears."""
        sizes = np.stack([length(self.force), length(self.torque)], axis=1)
        return np.asarray((sizes / joints.strength).max(axis=1, initial=0.0))

    def impacts_over(self, joints: Joints) -> Floats:
        """Return the same (n,) of impulses at one time."""
        return self.over(joints) / joints.seconds


@dataclass(frozen=True, eq=False)
class Break:
    """The first joints that break in a step: part of it, 0 to 1, after which they do; joints (n,): which."""

    part: float
    joints: Bools

    @classmethod
    def none(cls, count: int) -> Break:
        """Return that none of so many joints breaks."""
        return cls(1.0, np.zeros(count, np.bool_))


def can_break(joints: Joints) -> bool:
    """Return whether a joint has a greatest force or torque."""
    return bool(np.isfinite(joints.strength).any())


def first_break(joints: Joints, start: Floats, end: Floats, jumps: Bools | None = None) -> Break:
    """Return the first break in a step at whose beginning and end forces over what joints bear are (n,) each.

    jumps (n,): where these are of no line, but what counts at the end.
    """
    grows = np.maximum(end - start, 1e-300)
    part = np.where(start >= _ALMOST, 0.0, np.clip((1.0 - start) / grows, 0.0, 1.0))
    breaks = np.maximum(start, end) >= _ALMOST
    if jumps is not None:
        part, breaks = np.where(jumps, 1.0, part), np.where(jumps, end >= _ALMOST, breaks)
    if not breaks.any():
        return Break.none(len(joints))
    first = float(part[breaks].min())
    return Break(first, breaks & (part <= first))


def break_in_step(joints: Joints, first: JointForces, second: JointForces, h: float) -> Break:
    """Return the first break in a step of h seconds with the impulses of its first and its second kick."""
    one, two = first.times(2.0 / h), second.times(2.0 / h)
    start = one.times(2.0).plus(two.times(-1.0))
    end = two.times(2.0).plus(one.times(-1.0))
    jumps = two.plus(one.times(-1.0)).over(joints) > _STEADY * one.plus(two).times(0.5).over(joints)
    spread = first.plus(second).over(joints) / np.maximum(joints.seconds, h)
    return first_break(joints, start.over(joints), np.where(jumps, spread, end.over(joints)), jumps)
