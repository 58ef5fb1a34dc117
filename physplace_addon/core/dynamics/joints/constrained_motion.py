"""The motion in time of rigid bodies with joints, without contact.

A step of time is divided into sub-steps, each a symmetric composition of steps of RATTLE (`rattle`).  For a
rate r of what happens, 1/s, and a sub-step h, the energy of double pendulums and other linkages changes by
about 0.1 (h r)^p for a composition of order p, p = 4, 6 or 8.  The cheapest one is taken that keeps this
below a given error.  The rate is the greatest of

    |omega| of each body,    |omega'|^(1/2) of each body under the forces that act,
    the frequencies of the springs,    and, with a lower weight, the decay rates of the dampers.

Motors and limits are sorted out before each sub-step (`drives`).  A sub-step in which a limit is passed is
shortened to the time when it is touched; the impact is inelastic.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from ...arrays import Bools, Floats
from ...mechanics.inertia import Inertia
from ...mechanics.joints.equations import Joints
from ...vectors import length
from ..composition import EIGHTH_ORDER, FOURTH_ORDER, SIXTH_ORDER
from ..free_rotation import PrincipalAxes
from ..motion import BodyDamping, Motion
from .closure import closed_joints
from .damping import DamperFlow, is_damped
from .drives import TOUCHING, candidates, drives_of
from .forces import spring_rows, sprung
from .rattle import Drives, JointedBodies, Position, Pushes, Stage, Wrench, projected, rattle_step

_SHARE = 0.1  # of (h r)^p that is the relative error of the energy
_COMPOSITIONS = ((FOURTH_ORDER, 4), (SIXTH_ORDER, 6), (EIGHTH_ORDER, 8))
_DAMPED_RATE = 0.2  # weight of a decay rate
_MOST_DAMPED_STEPS = 100  # sub-steps that dampers may ask for; stronger ones are stable, but less exact
_INSIDE = 0.6  # decay in a sub-step up to which dampers are part of the composition
_LEAST_STEP = 1e-4  # of a step: joints that cannot be followed for so long are blocked
_MOST_CHOICES = 6  # changes of the limits that bind in a sub-step
_MOST_TRIALS = 40  # to find the time when a limit is touched
_PASSED = 0.5 * TOUCHING  # gap, over R or radians, below zero of a limit that is passed


@dataclass(frozen=True, eq=False)
class JointForces:
    """What joints exert on their second bodies, means over a step, in the scene.

    force (n, 3): at the second anchor.  torque (n, 3): about it.
    """

    force: Floats
    torque: Floats


@dataclass(frozen=True, eq=False)
class _Trial:
    """A sub-step of h, s, that was tried."""

    bodies: JointedBodies
    stages: tuple[Stage, ...]
    h: float
    steps: tuple[float, ...]


class ConstrainedMotion:
    """Bodies with joints that move under gravity, springs, dampers, motors and an external wrench."""

    def __init__(
        self,
        inertia: Inertia,
        joints: Joints,
        motion: Motion,
        gravity: Sequence[float] | Floats = (0.0, 0.0, 0.0),
        external: Wrench | None = None,
        accuracy: float = 1e-11,
        near: Floats | None = None,
        damping: BodyDamping | None = None,
    ) -> None:
        """Close the joints at a start.

        Args:
            inertia: of m bodies.
            joints: n of them.
            motion: at the start.
            gravity: acceleration (3,), lengths over s^2.
            external: other forces, smooth ones of the position.
            accuracy: relative error of the energy that a sub-step may make.
            near: coordinates of the joints (n, 6) known before, to count whole turns from.
            damping: of the bodies' velocities.

        Raises:
            JointError: the joints cannot be closed by moving from the start.
        """
        motion = closed_joints(joints, inertia, motion)
        nothing = Drives.none(), Pushes.none(), np.zeros((len(joints), 6))
        axes = PrincipalAxes.of(inertia)
        down = np.asarray(gravity, np.float64)
        self._plans = tuple((steps, (accuracy / _SHARE) ** (1.0 / p)) for steps, p in _COMPOSITIONS)
        damping = BodyDamping.none(len(inertia)) if damping is None else damping
        self._free = JointedBodies(inertia, axes, joints, down, external, damping, *nothing)
        self._momentum = (inertia.blocks(motion.rotation) @ motion.rates[:, :, None])[:, :, 0]
        self._at = self._position(self._free, motion.centre, motion.rotation)
        self._coordinates = self._at.frames.coordinates(near)
        self._limited = np.isfinite(joints.lower) | np.isfinite(joints.upper)
        self._drives_exist = bool((self._limited | ~np.isnan(joints.speed)).any())
        self._guesses: dict[int, list[Floats]] = {}
        self._guessed_for: tuple[int, float, int] = (0, 0.0, 0)
        self._done: list[_Trial] = []
        self._blocked = False

    @property
    def motion(self) -> Motion:
        """The motion now."""
        return self._at.motion(self._momentum)

    @property
    def coordinates(self) -> Floats:
        """The shifts over R and the turns, whole ones counted, of all joints' axes (n, 6)."""
        return self._coordinates.copy()

    @property
    def residual(self) -> float:
        """How far the joints are open: the greatest residual, lengths over R and radians."""
        values = self._at.frames.residuals()[self._free.joints.locked]
        return float(np.abs(values).max(initial=0.0))

    def sub_steps(self, h: float) -> int:
        """Return into how many steps of RATTLE a step of h, s, would be divided now."""
        length, steps = self._plan(h)
        return round(h / length) * len(steps)

    @property
    def blocked(self) -> bool:
        """Whether the last step ended early, as no motion obeys the joints and motors any longer."""
        return self._blocked

    def step(self, h: float) -> Motion:
        """Return the motion after a further time h > 0, s."""
        self._done, self._blocked = [], False
        left = h
        while left > 0.0 and not self._blocked:
            trial = self._sub_step(left, h)
            if trial is None:
                self._blocked = True
                return self.motion
            self._accept(trial)
            left = left - trial.h if trial.h < left else 0.0
        return self.motion

    def joint_forces(self) -> JointForces:
        """Return the mean forces of the joints over the last step, those of motors and limits included."""
        joints = self._free.joints
        force, torque, time = np.zeros((len(joints), 3)), np.zeros((len(joints), 3)), 0.0
        for trial in self._done:
            time += trial.h
            before = None
            for stage in trial.stages:
                for at, multipliers in ((before, stage.first), (stage.position, stage.second)):
                    _add_forces(at or stage.position, multipliers, force, torque)
                before = stage.position
        return JointForces(force / max(time, 1e-300), torque / max(time, 1e-300))

    def _position(self, bodies: JointedBodies, centre: Floats, rotation: Floats) -> Position:
        return bodies.position(bodies.frames(centre, rotation), centre, rotation, self._momentum)

    def _accept(self, trial: _Trial) -> None:
        end = trial.stages[-1]
        self._done.append(trial)
        self._momentum = end.momentum
        self._coordinates = end.position.frames.coordinates(self._coordinates)
        self._remember(trial)
        bodies = replace(self._free, near=self._coordinates)
        turned = bool(sprung(bodies.joints).any())
        if trial.bodies is self._free and not turned:
            self._at = end.position
        else:
            self._free = bodies
            self._at = self._position(bodies, end.position.centre, end.position.rotation)

    def _remember(self, trial: _Trial) -> None:
        """Keep the multipliers over the step of each stage, from which the next ones are extrapolated."""
        key = len(trial.steps), round(trial.h, 12), len(trial.stages[0].first)
        if key != self._guessed_for:
            self._guesses, self._guessed_for = {}, key
        for i, (stage, share) in enumerate(zip(trial.stages, trial.steps, strict=True)):
            self._guesses[i] = [*self._guesses.get(i, [])[-2:], stage.first / (share * trial.h)]

    def _guess(self, stage: int, steps: tuple[float, ...], h: float, last: Floats) -> Floats:
        """Return a guess of the multipliers over the step (q,) of a stage."""
        kept = self._guesses.get(stage, [])
        if (len(steps), round(h, 12), len(last)) != self._guessed_for or not kept:
            return last
        return kept[-1] if len(kept) < 3 else 3.0 * (kept[2] - kept[1]) + kept[0]

    def _sub_step(self, left: float, whole: float) -> _Trial | None:
        """Return a sub-step of at most the time that is left, None where there is none."""
        h, steps = self._plan(left)
        while h >= _LEAST_STEP * whole or h >= left:
            trial = self._obeying_limits(h, steps)
            if trial is not None:
                return trial
            h *= 0.5
        return None

    def _plan(self, left: float) -> tuple[float, tuple[float, ...]]:
        """Return the length of the next sub-step and its composition."""
        rate = self._rate(left)
        counts = [(max(1, int(np.ceil(left * rate / longest))), steps) for steps, longest in self._plans]
        count, steps = min(counts, key=lambda each: each[0] * len(each[1]))
        return left / count, steps

    def _rate(self, left: float) -> float:
        """Return the rate r, 1/s, of what happens now."""
        at = self._at
        count = len(self._momentum)
        spin = float(length(at.rates(self._momentum)[:, 3:]).max())
        turning = float(length(at.rows.responses(at.wrench[None])[0, :, 3:]).max())
        rate = max(spin, float(np.sqrt(turning)))
        if sprung(self._free.joints).any():
            rows, stiffness = spring_rows(at.frames)
            unit = rows.dense(count).reshape(-1, count, 6) * np.sqrt(stiffness)[:, None, None]
            responses = at.rows.responses(unit).reshape(len(unit), -1) @ unit.reshape(len(unit), -1).T
            rate = max(rate, float(np.sqrt(np.linalg.norm(responses, 2))))
        if is_damped(self._free):
            most = _MOST_DAMPED_STEPS * self._plans[-1][1] / left
            rate = max(rate, min(_DAMPED_RATE * DamperFlow(self._free, at).rate, most))
        return rate

    def _obeying_limits(self, h: float, steps: tuple[float, ...]) -> _Trial | None:
        """Return a sub-step of at most h in which no limit is passed or pulls."""
        released = np.zeros_like(self._limited)
        certain = np.zeros_like(self._limited)
        trial = None
        for _ in range(_MOST_CHOICES):
            bodies, at, momentum = self._driven(h, released, certain)
            trial = self._composed(bodies, at, momentum, h, steps)
            if trial is None or not self._limited.any():
                return trial
            touched = self._gap(self._coordinates) <= TOUCHING
            passed = (self._open(trial) < -_PASSED) & self._limited
            pulling = _pulling(trial, touched.shape) & ~certain
            if (passed & touched).any():
                certain |= passed & touched
                released &= ~certain
            elif passed.any():
                return self._until_touch(trial, at, momentum)
            elif pulling.any():
                released |= pulling
            else:
                return trial
        return trial

    def _until_touch(self, passing: _Trial, at: Position, momentum: Floats) -> _Trial | None:
        """Return the sub-step, shortened to the time when the first limit is touched (bisection and false
        position in turn).
        """
        early, late = 0.0, passing.h
        gap_early, gap_late = float(self._gap_of_free(self._coordinates, passing)), self._least(passing)
        trial: _Trial | None = passing
        for number in range(_MOST_TRIALS):
            share = gap_early / (gap_early - gap_late) if number % 3 < 2 else 0.5
            h = early + (late - early) * min(max(share, 1e-3), 1.0 - 1e-3)
            trial = self._composed(passing.bodies, at, momentum, h, passing.steps)
            if trial is None:
                return None
            gap = self._least(trial)
            if abs(gap) <= _PASSED:
                return trial
            early, gap_early = (h, gap) if gap > 0.0 else (early, gap_early)
            late, gap_late = (h, gap) if gap <= 0.0 else (late, gap_late)
        return trial

    def _gap(self, coordinates: Floats) -> Floats:
        """Return the least gap (n, 6) of coordinates to their limits."""
        joints = self._free.joints
        lower, upper = joints.lower / joints.units, joints.upper / joints.units
        gap: Floats = np.minimum(coordinates - lower, upper - coordinates)
        return gap

    def _open(self, trial: _Trial) -> Floats:
        """Return the least gaps (n, 6) at the end of a trial, infinite for limits that bind in it."""
        return self._unheld(trial.stages[-1].position.frames.coordinates(self._coordinates), trial)

    def _unheld(self, coordinates: Floats, trial: _Trial) -> Floats:
        gaps = self._gap(coordinates)
        drives = trial.bodies.drives.take(trial.bodies.drives.sign != 0.0)
        gaps[drives.joint, drives.axis] = np.inf
        return gaps

    def _least(self, trial: _Trial) -> float:
        return float(self._open(trial).min())

    def _gap_of_free(self, coordinates: Floats, trial: _Trial) -> float:
        """Return the least gap of the limits that are passed in a trial, at its beginning."""
        return float(self._unheld(coordinates, trial)[self._open(trial) < -_PASSED].min())

    def _driven(self, h: float, released: Bools, certain: Bools) -> tuple[JointedBodies, Position, Floats]:
        """Return the bodies with what is driven in a sub-step, their position, and momenta that obey it."""
        if not self._drives_exist:
            return self._free, self._at, self._momentum
        among = candidates(self._free.joints, self._coordinates, released, certain)
        drives, pushes = drives_of(self._at, self._momentum, h, among)
        bodies = replace(self._free, drives=drives, pushes=pushes)
        at = self._position(bodies, self._at.centre, self._at.rotation)
        return bodies, at, projected(bodies, at, self._momentum)[0]

    def _composed(
        self, bodies: JointedBodies, at: Position, momentum: Floats, h: float, steps: tuple[float, ...]
    ) -> _Trial | None:
        """Return a composition of steps of RATTLE, None where one has no solution."""
        with_dampers = is_damped(bodies)
        inside = with_dampers and DamperFlow(bodies, at).rate * h <= _INSIDE
        ends = 0.5 * h if with_dampers and not inside else 0.0
        momentum = DamperFlow(bodies, at).after(momentum, ends) if ends else momentum
        time, last = 0.0, self._guesses.get(0, [np.zeros(0)])[-1]
        last = last if len(last) == len(at.rows.rows) else np.zeros(len(at.rows.rows))
        stages: list[Stage] = []
        for i, share in enumerate(steps):
            part = share * h
            if inside:
                momentum = DamperFlow(bodies, at).after(momentum, 0.5 * part)
            stage = rattle_step(bodies, at, momentum, time, part, self._guess(i, steps, h, last) * part)
            if stage is None:
                return None
            at, momentum, last, time = stage.position, stage.momentum, stage.first / part, time + part
            if inside:
                momentum = DamperFlow(bodies, at).after(momentum, 0.5 * part)
            stages.append(replace(stage, momentum=momentum))
        if ends:
            stages[-1] = replace(stages[-1], momentum=DamperFlow(bodies, at).after(momentum, ends))
        return _Trial(bodies, tuple(stages), h, steps)


def _pulling(trial: _Trial, shape: tuple[int, ...]) -> Bools:
    """Return the axes (n, 6) whose limits pull in a trial, which they cannot."""
    drives = trial.bodies.drives
    pulling = np.zeros(shape, np.bool_)
    if len(drives):
        total = sum((stage.first + stage.second)[-len(drives) :] for stage in trial.stages)
        pulls = drives.sign * total < 0.0
        pulling[drives.joint[pulls], drives.axis[pulls]] = True
    return pulling


def _add_forces(at: Position, multipliers: Floats, force: Floats, torque: Floats) -> None:
    """Add to forces and torques (n, 3) on the second bodies what multipliers (q,) exert."""
    rows = at.rows.rows
    shift = rows.axis < 3
    joints = rows.joint[shift]
    along = at.frames.axes[joints, :, rows.axis[shift]] / at.frames.joints.length
    np.add.at(force, joints, along * multipliers[shift, None])
    turns = rows.blocks[~shift, 1, 3:] * multipliers[~shift, None]
    np.add.at(torque, rows.joint[~shift], turns)
