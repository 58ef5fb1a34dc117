"""One step of RATTLE for rigid bodies with joints (Andersen 1983; Jay 1996; on a Lie group).

With the momenta p = M u of the rates of twists, the wrench w(q) of all forces that depend on the position,
the equations Phi(q) = 0 with rows J by the twists, and F_h the free motion of the bodies over h,

    p' = p_0 + h/2 w(q_0) + J(q_0)' l,    q_1 = F_h(q_0, p'),    Phi(q_1) = 0,
    p_1 = p' + h/2 w(q_1) + J(q_1)' k,    J(q_1) u_1 = 0.

F_h is the symmetric splitting of `free_rotation`, in which p stays as it is in the scene.  The step is then
symmetric, symplectic on the surface Phi = 0, and of second order, and keeps the total momenta that the joints
leave free.  Bodies without joints fall on exact parabolas.

The multipliers l are found by Newton's method with the matrix h J(q_0) M^-1 J(q_0)' that differs from the
derivative of Phi(q_1) by terms of the order of h: each round gains about two digits.  It is the symmetric one
that also serves equations that repeat others (`multipliers`).

A driven coordinate (a motor that can hold its speed, a limit that is touched) is an equation that depends on
time, x(q) = x_0 + x' t, with J u = x'.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from ...arrays import ArrayRecord, Floats, Ints
from ...mechanics.inertia import Inertia
from ...mechanics.joints.equations import AnchorFrames, JointRows, Joints, equation_rows
from ...mechanics.joints.multipliers import Multipliers
from ..free_rotation import PrincipalAxes, short_rotation
from ..motion import BodyDamping, Motion
from .closure import inverse_mass
from .forces import spring_wrench, sprung

_MOST_ROUNDS = 25  # of Newton's method: one that gains less than half a digit each is not worth its time
_ROUNDING = 3e-15  # of residuals, over the bodies' distance from the origin over R
_SETTLED = 1e-11  # residual below which rounds that gain nothing are rounding

Wrench = Callable[[Motion], Floats]
"""A wrench (m, 6) on the rates of twists (V / R_b, omega), for a motion: (force times R_b, torque)."""


@dataclass(frozen=True, eq=False)
class Drives(ArrayRecord):
    """Coordinates (k,) of joints that change at given rates.

    joint, axis (k,): which.  start (k,): the value at the beginning of a step.  rate (k,): 1/s.
    sign (k,): 1 and -1 for lower and upper limits, which push that way only, and 0 for motors.
    """

    joint: Ints
    axis: Ints
    start: Floats
    rate: Floats
    sign: Floats

    def __len__(self) -> int:
        return len(self.joint)

    @classmethod
    def none(cls) -> Drives:
        """Return no drives."""
        return cls(np.zeros(0, np.intp), np.zeros(0, np.intp), np.zeros(0), np.zeros(0), np.zeros(0))


@dataclass(frozen=True, eq=False)
class Pushes(ArrayRecord):
    """Constant forces along coordinates (k,) of joints: joint, axis (k,), and the multipliers size (k,)."""

    joint: Ints
    axis: Ints
    size: Floats

    def __len__(self) -> int:
        return len(self.joint)

    @classmethod
    def none(cls) -> Pushes:
        """Return no pushes."""
        return cls(np.zeros(0, np.intp), np.zeros(0, np.intp), np.zeros(0))


@dataclass(frozen=True, eq=False)
class Position:
    """Jointed bodies at one position, and what a step needs of it.

    centre (m, 3), rotation (m, 4): as in `Motion`.
    in_scene (m, 3, 3): principal axes.  inverse (m, 6, 6): M^-1.  wrench (m, 6): w.
    rows: the equations, those of drives last.
    """

    centre: Floats
    rotation: Floats
    in_scene: Floats
    inverse: Floats
    frames: AnchorFrames
    rows: Multipliers
    wrench: Floats

    def rates(self, momentum: Floats) -> Floats:
        """Return the rates of twists u (m, 6) of momenta p (m, 6)."""
        rates: Floats = (self.inverse @ momentum[:, :, None])[:, :, 0]
        return rates

    def motion(self, momentum: Floats) -> Motion:
        """Return the motion with momenta p (m, 6)."""
        return Motion(self.centre, self.rotation, self.rates(momentum))


@dataclass(frozen=True, eq=False)
class JointedBodies:
    """What stays the same during a step: the bodies, the joints, the forces.

    near (n, 6): coordinates known before, to count whole turns from.
    """

    inertia: Inertia
    axes: PrincipalAxes
    joints: Joints
    gravity: Floats
    external: Wrench | None
    damping: BodyDamping
    drives: Drives
    pushes: Pushes
    near: Floats

    def frames(self, centre: Floats, rotation: Floats) -> AnchorFrames:
        """Return where the anchors are for centres of mass (m, 3) and rotations (m, 4)."""
        return AnchorFrames.at(self.joints, self.inertia, centre, rotation)

    def position(self, frames: AnchorFrames, centre: Floats, rotation: Floats, momentum: Floats) -> Position:
        """Return what a step needs of a position, and of momenta (m, 6) for an external wrench."""
        in_scene = self.axes.in_scene(rotation)
        inverse = inverse_mass(self.inertia, self.axes, in_scene)
        rows = Multipliers(self._rows(frames), inverse)
        wrench = self._wrench(frames)
        position = Position(centre, rotation, in_scene, inverse, frames, rows, wrench)
        if self.external is not None:
            wrench += self.external(position.motion(momentum))
        return position

    def target(self, equations: int) -> Floats | float:
        """Return the rates (q,) that the rows shall have."""
        if not len(self.drives):
            return 0.0
        rates: Floats = np.concatenate([np.zeros(equations - len(self.drives)), self.drives.rate])
        return rates

    def residuals(self, frames: AnchorFrames, time: float) -> Floats:
        """Return the residuals (q,) of all rows at a time, s, since the beginning of the step."""
        values = frames.residuals()
        equations: Floats = values[self.joints.locked]
        if not len(self.drives):
            return equations
        expected = self.near.copy()
        expected[self.drives.joint, self.drives.axis] = self.drives.start + time * self.drives.rate
        open_by = frames.coordinates(expected) - expected
        return np.concatenate([equations, open_by[self.drives.joint, self.drives.axis]])

    def moved(self, at: Position, momentum: Floats, h: float) -> tuple[Floats, Floats]:
        """Return the centres (m, 3) and rotations (m, 4) after free motion with momenta p (m, 6)."""
        scale = h / (self.inertia.mass * self.inertia.radius)
        centre = at.centre + scale[:, None] * momentum[:, :3]
        return centre, short_rotation(self.axes, at.rotation, at.in_scene, momentum[:, 3:], h)

    def _rows(self, frames: AnchorFrames) -> JointRows:
        rows = equation_rows(frames)
        if not len(self.drives):
            return rows
        return JointRows.join([rows, given_coordinates(frames, self.drives.joint, self.drives.axis)])

    def _wrench(self, frames: AnchorFrames) -> Floats:
        """Return the wrench (m, 6) of gravity, springs and pushes."""
        wrench = np.zeros((len(self.inertia), 6))
        wrench[:, :3] = (self.inertia.mass * self.inertia.radius)[:, None] * self.gravity
        if sprung(self.joints).any():
            wrench += spring_wrench(frames, len(wrench), self.near)
        if len(self.pushes):
            rows = given_coordinates(frames, self.pushes.joint, self.pushes.axis)
            wrench += rows.wrench(self.pushes.size, len(wrench))
        return wrench


@dataclass(frozen=True, eq=False)
class Stage:
    """The end of one step: a position, momenta (m, 6), and the multipliers l and k (q,)."""

    position: Position
    momentum: Floats
    first: Floats
    second: Floats


def rattle_step(
    bodies: JointedBodies, at: Position, momentum: Floats, time: float, h: float, guess: Floats
) -> Stage | None:
    """Return the end of a step of RATTLE, None where no multipliers close the joints.

    Args:
        bodies: and the forces on them.
        at: the position at the beginning.
        momentum: p_0 (m, 6).
        time: at the beginning, s, for the drives.
        h: the step, s; it may be negative.
        guess: of the multipliers l (q,).
    """
    found = _position_multipliers(bodies, at, momentum + 0.5 * h * at.wrench, (time, h), guess)
    if found is None:
        return None
    multipliers, half, frames, (centre, rotation) = found
    end = bodies.position(frames, centre, rotation, half)
    free = half + 0.5 * h * end.wrench
    after, second = projected(bodies, end, free)
    return Stage(end, after, multipliers, second)


def projected(bodies: JointedBodies, at: Position, momentum: Floats) -> tuple[Floats, Floats]:
    """Return momenta (m, 6) with J u as it shall be, changed by J' k, and k (q,)."""
    target = bodies.target(len(at.rows.rows))
    multipliers = at.rows.projection(at.rates(momentum), target)
    return momentum + at.rows.impulse(multipliers), multipliers


def _position_multipliers(
    bodies: JointedBodies, at: Position, free: Floats, times: tuple[float, float], guess: Floats
) -> tuple[Floats, Floats, AnchorFrames, tuple[Floats, Floats]] | None:
    """Return l (q,), p' (m, 6), and the frames, centres and rotations where the joints are closed."""
    time, h = times
    tolerance = _ROUNDING * (3.0 + np.abs(at.frames.points).max(initial=0.0) / bodies.joints.length)
    multipliers, before = guess, np.inf
    for _ in range(_MOST_ROUNDS):
        half = free + at.rows.impulse(multipliers)
        centre, rotation = bodies.moved(at, half, h)
        frames = bodies.frames(centre, rotation)
        if not len(guess):
            return multipliers, half, frames, (centre, rotation)
        open_by = bodies.residuals(frames, time + h)
        size = float(np.abs(open_by).max())
        if size <= tolerance or (before < _SETTLED and size > 0.5 * before):
            return multipliers, half, frames, (centre, rotation)
        if not np.isfinite(size):
            return None
        multipliers = multipliers - at.rows.solve(open_by) / h
        before = size
    return None


def given_coordinates(frames: AnchorFrames, joint: Ints, axis: Ints) -> JointRows:
    """Return the rows of given coordinates (k,)."""
    blocks = frames.coordinate_blocks()[joint, axis]
    return JointRows(blocks, frames.joints.body[joint], np.zeros(len(joint)), joint, axis)
