"""Joints between two bodies, or a body and the world: what an artist sets, one value for each joint.

A joint has an anchor frame in the own frame of each of its two bodies.  The frame of the second body may
shift along and turn about the axes x, y, z of the first one's frame.  Each of these six axes is locked, free,
or free between limits, and a free one may have a spring, a damper and a motor.  The kinds that a rigid body
constraint has in Blender are choices of axes:

    ball     shifts locked                       hinge   all but the turn about z locked
    slider   all but the shift along x locked    piston  all but the shift along and the turn about x locked
    fixed    all locked                          motor   none locked, the two axes x driven

Joints are not `mechanics.coordinates.Coordinates` with fewer unknowns than the twists of all bodies: a loop
of joints has none that hold everywhere.  They are equations between the coordinates of `FreeBodies`, the
twists (dX / R_b, dTheta) themselves (`equations`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from ...arrays import Floats
from ...contact.system import FIXED
from ...errors import JointError
from ...rigid import Pose


@dataclass(frozen=True)
class Spring:
    """A spring and a damper beside each other along one axis.

    stiffness: force a length, or torque a radian.
    damping: force over velocity, or torque over angular velocity.
    rest: the shift (length) or turn (radians) at which the spring is relaxed.
    """

    stiffness: float = 0.0
    damping: float = 0.0
    rest: float = 0.0


@dataclass(frozen=True)
class Motor:
    """What drives one axis at a target speed, lengths or radians a second.

    greatest: the greatest force or torque, infinite for any.  A greatest impulse in a step h is that over h.
    """

    speed: float
    greatest: float = np.inf


@dataclass(frozen=True)
class Axis:
    """What one of the six axes of a joint allows.

    lower, upper: limits of the shift (lengths) or turn (radians, beyond pi too), infinite for none.
    restitution: the share of its speed with which what runs into a limit leaves it, 0 to 1.
    """

    locked: bool = False
    lower: float = -np.inf
    upper: float = np.inf
    spring: Spring | None = None
    motor: Motor | None = None
    restitution: float = 0.0


LOCKED = Axis(locked=True)
FREE = Axis()


@dataclass(frozen=True)
class Strength:
    """What a joint bears: where its bodies exert more on each other, it breaks, and is gone.

    force: the greatest force.  torque: the greatest torque about the anchor.
    seconds: the time in which an impact gives its impulse: one of J counts as a force J / seconds.
    """

    force: float = np.inf
    torque: float = np.inf
    seconds: float = 1.0 / 240.0


UNBREAKABLE = Strength()


@dataclass(frozen=True, eq=False)
class Anchors:
    """Where a joint is.

    name: for messages.
    first, second: the numbers of its bodies, FIXED for the world.
    frame1, frame2: the anchor frame in the own frame of each body; in the scene for the world.
    """

    name: str
    first: int
    second: int
    frame1: Pose
    frame2: Pose

    @classmethod
    def at(cls, name: str, first: int, second: int, frame: Pose, poses: Sequence[Pose]) -> Anchors:
        """Return the anchors of a joint whose two frames are now one.

        Args:
            name: of the joint.
            first: number of a body, or FIXED.
            second: the same of the other one.
            frame: the anchor frame in the scene.
            poses: of all bodies.

        Raises:
            JointError: a body is not there.
        """
        frames = []
        for number in (first, second):
            if number != FIXED and not 0 <= number < len(poses):
                raise _no_such_body(name, number, len(poses))
            frames.append(frame if number == FIXED else poses[number].inverse().compose(frame))
        return cls(name, first, second, frames[0], frames[1])


@dataclass(frozen=True, eq=False)
class Joint:
    """A joint: where it is, and its axes, the shifts along x, y, z and the turns about them.

    collide: whether its two bodies may not go through each other.
    strength: what it bears before it breaks.
    """

    anchors: Anchors
    axes: tuple[Axis, Axis, Axis, Axis, Axis, Axis]
    collide: bool = False
    strength: Strength = UNBREAKABLE

    def seen_from(self, origin: Floats) -> Joint:
        """Return the joint in coordinates with another origin (3,): what it has in the world is there."""
        anchors = self.anchors
        frames = [
            Pose(frame.rotation, frame.translation - origin) if number == FIXED else frame
            for number, frame in ((anchors.first, anchors.frame1), (anchors.second, anchors.frame2))
        ]
        return replace(self, anchors=replace(anchors, frame1=frames[0], frame2=frames[1]))

    def check(self, count: int) -> None:
        """Raise a JointError if the joint has no meaning for a number of bodies."""
        name, bodies = self.anchors.name, (self.anchors.first, self.anchors.second)
        for number in bodies:
            if number != FIXED and not 0 <= number < count:
                raise _no_such_body(name, number, count)
        if bodies == (FIXED, FIXED):
            raise JointError(name, "it joins the world to itself", "give it a moving body")
        if bodies[0] == bodies[1]:
            raise JointError(name, f"it joins body {bodies[0]} to itself", "give it two different bodies")
        strength = self.strength
        if not min(strength.force, strength.torque, strength.seconds) > 0.0:
            raise JointError(name, "it has no strength", "give it more than zero, or remove it")
        for axis, title in zip(self.axes, _TITLES, strict=True):
            _check_axis(name, title, axis)


def ball(anchors: Anchors, turns: tuple[Axis, Axis, Axis] = (FREE, FREE, FREE)) -> Joint:
    """Return a ball and socket: the anchor points coincide."""
    return Joint(anchors, (LOCKED, LOCKED, LOCKED, *turns))


def hinge(anchors: Anchors, turn: Axis = FREE) -> Joint:
    """Return a pin: the frames turn about their common axis z alone."""
    return Joint(anchors, (LOCKED, LOCKED, LOCKED, LOCKED, LOCKED, turn))


def slider(anchors: Anchors, slide: Axis = FREE) -> Joint:
    """Return a prismatic joint: the frames shift along their common axis x alone."""
    return Joint(anchors, (slide, LOCKED, LOCKED, LOCKED, LOCKED, LOCKED))


def piston(anchors: Anchors, slide: Axis = FREE, turn: Axis = FREE) -> Joint:
    """Return a cylindrical joint: the frames shift along and turn about their common axis x."""
    return Joint(anchors, (slide, LOCKED, LOCKED, turn, LOCKED, LOCKED))


def fixed(anchors: Anchors) -> Joint:
    """Return a weld: the frames coincide."""
    return Joint(anchors, (LOCKED, LOCKED, LOCKED, LOCKED, LOCKED, LOCKED))


def generic(anchors: Anchors, shifts: tuple[Axis, Axis, Axis], turns: tuple[Axis, Axis, Axis]) -> Joint:
    """Return a joint with any six axes."""
    return Joint(anchors, (*shifts, *turns))


def motor(anchors: Anchors, linear: Motor | None = None, angular: Motor | None = None) -> Joint:
    """Return what drives a shift along and a turn about the axis x, and locks nothing."""
    return Joint(anchors, (Axis(motor=linear), FREE, FREE, Axis(motor=angular), FREE, FREE))


_TITLES = ("shift x", "shift y", "shift z", "turn x", "turn y", "turn z")


def _check_axis(name: str, title: str, axis: Axis) -> None:
    if axis.locked and axis != LOCKED:
        raise JointError(name, f"{title} is locked and has limits, a spring or a motor", "unlock it")
    if not axis.lower <= axis.upper:
        raise JointError(name, f"{title} has limits {axis.lower} to {axis.upper}", "put the lower one first")
    if not 0.0 <= axis.restitution <= 1.0:
        raise JointError(name, f"{title} has restitution {axis.restitution}", "give it 0 to 1")
    spring, motor = axis.spring or Spring(), axis.motor or Motor(0.0)
    if not np.all(np.isfinite([spring.stiffness, spring.damping, spring.rest, motor.speed])):
        raise JointError(name, f"{title} has a spring or motor that is not finite", "give it finite numbers")
    if min(spring.stiffness, spring.damping, motor.greatest) < 0.0 or np.isnan(motor.greatest):
        raise JointError(name, f"{title} has a negative strength", "give it at least zero")


def _no_such_body(name: str, number: int, count: int) -> JointError:
    return JointError(name, f"it joins body {number}, there are {count}", "give it a body that is there")
