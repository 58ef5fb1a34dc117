"""The motion in time of rigid bodies with joints, without contact.

A step of time is divided into sub-steps, each a symmetric composition of steps of RATTLE (`rattle`).  For a
rate r of what happens, 1/s, and a sub-step h, the energy of double pendulums and other linkages changes by
about 0.1 (h r)^p for a composition of order p, p = 4, 6 or 8.  The cheapest one is taken that keeps this
below a given error.  The rate is the greatest of

    |omega| of each body,    |omega'|^(1/2) of each body under the forces that act,
    the frequencies of the springs,    and, with a lower weight, the decay rates of the dampers.

Motors and limits are sorted out before each sub-step (`drives`).  A sub-step in which a limit is passed is
shortened to the time when it is touched, and followed by the impact (`limit_impacts`); one in which a joint
breaks, to the time when it does.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

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
from .limit_impacts import LimitHit, limit_impact
from .loads import can_break, first_break
from .rattle import Drives, JointedBodies, Position, Pushes, Stage, Wrench, projected, rattle_step
from .sub_steps import Trial, forces_of, pulling_limits

_SHARE = 0.1  # of (h r)^p that is the relative error of the energy
_COMPOSITIONS = ((FOURTH_ORDER, 4), (SIXTH_ORDER, 6), (EIGHTH_ORDER, 8))
_DAMPED_RATE = 0.2  # weight of a decay rate
_MOST_DAMPED_STEPS = 100  # sub-steps that dampers may ask for; stronger ones are stable, but less exact
_INSIDE = 0.6  # decay in a sub-step up to which dampers are part of the composition
_LEAST_STEP = 1e-4  # of a step: joints that cannot be followed for so long are blocked
_MOST_CHOICES = 6  # changes of the limits that bind in a sub-step
_MOST_TRIALS = 40  # to find the time when a limit is touched
_AT_ONCE = 1e-6  # part of a sub-step, from its beginning, within which joints break at once
_BREAK_TRIALS = 4  # to find the time when a joint breaks
_SAME_TIME = 1e-5  # of a sub-step, by which that time may be off
_PASSED = 0.5 * TOUCHING  # gap, over R or radians, below zero of a limit that is passed


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
        slow: float = 0.0,
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
            slow: speed, R a second, up to which nothing bounces off a limit.

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
        self._blocked, self._elapsed, self._slow = False, 0.0, slow
        self._broken = np.zeros(len(joints), np.bool_)
        self._was_away = np.zeros_like(joints.locked)
        self._hits: list[LimitHit] = []

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

    @property
    def elapsed(self) -> float:
        """The time, s, that the last step took: less than was asked for where a joint breaks."""
        return self._elapsed

    @property
    def broken(self) -> Bools:
        """The joints (n,) that broke at the end of the last step."""
        return self._broken

    @property
    def hits(self) -> list[LimitHit]:
        """What ran into limits in the last step."""
        return self._hits

    def step(self, h: float) -> Motion:
        """Return the motion after a further time h > 0, s, or at the time when a joint breaks."""
        self._blocked, self._elapsed, self._hits = False, 0.0, []
        self._broken = np.zeros(len(self._free.joints), np.bool_)
        left = h
        while left > 0.0 and not self._blocked and not self._broken.any():
            trial = self._sub_step(left, h)
            if trial is None:
                self._blocked = True
                return self.motion
            trial, self._broken = self._until_break(trial)
            if trial is None:
                return self.motion
            self._accept(trial)
            left = left - trial.h if trial.h < left else 0.0
            self._elapsed = h - left
            self._strike_limits()
        return self.motion

    def _until_break(self, trial: Trial) -> tuple[Trial | None, Bools]:
        """Return a sub-step up to the time when joints break, and these (n,); None where they do at once."""
        joints = self._free.joints
        if not can_break(joints):
            return trial, self._broken
        start, end = forces_of(trial)
        found = first_break(joints, start.over(joints), end.over(joints))
        if not found.joints.any() or found.part == 1.0:
            return trial, found.joints
        if found.part < _AT_ONCE:
            return None, found.joints
        shorter, part, late = trial, found.part, 1.0
        for _ in range(_BREAK_TRIALS):
            trial_there = self._composed(trial.bodies, trial.at, trial.momentum, part * trial.h, trial.steps)
            if trial_there is None:
                return trial, self._broken
            shorter, borne = trial_there, forces_of(trial_there)[1].over(joints)[found.joints].max()
            missing = (
                (1.0 - borne) * part / max(borne - float(start.over(joints)[found.joints].max()), 1e-300)
            )
            if abs(missing) <= _SAME_TIME:
                break
            part, late = min(part + missing, late), part if borne > 1.0 else late
        return shorter, found.joints

    def _strike_limits(self) -> None:
        """Stop or throw back what has run into limits that it touches now."""
        if not self._limited.any() or not (self._gap(self._coordinates) <= TOUCHING).any():
            return
        impact = limit_impact(self._free, self._at, self._momentum, self._coordinates, self._slow)
        if impact is None:
            return
        self._momentum = impact.momentum
        new = self._was_away[impact.joint, impact.axis]
        hits = zip(
            impact.joint[new].tolist(), impact.axis[new].tolist(), impact.speed[new].tolist(), strict=True
        )
        self._hits += [LimitHit(self._elapsed, *hit) for hit in hits]
        if can_break(self._free.joints):
            self._broken = self._broken | (impact.impulses.impacts_over(self._free.joints) >= 1.0)

    def _position(self, bodies: JointedBodies, centre: Floats, rotation: Floats) -> Position:
        return bodies.position(bodies.frames(centre, rotation), centre, rotation, self._momentum)

    def _accept(self, trial: Trial) -> None:
        end = trial.stages[-1]
        self._was_away = self._gap(self._coordinates) > TOUCHING
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

    def _remember(self, trial: Trial) -> None:
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

    def _sub_step(self, left: float, whole: float) -> Trial | None:
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

    def _obeying_limits(self, h: float, steps: tuple[float, ...]) -> Trial | None:
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
            pulling = pulling_limits(trial, touched.shape) & ~certain
            if (passed & touched).any():
                certain |= passed & touched
                released &= ~certain
            elif passed.any():
                return self._until_touch(trial)
            elif pulling.any():
                released |= pulling
            else:
                return trial
        return trial

    def _until_touch(self, passing: Trial) -> Trial | None:
        """Return the sub-step, shortened to the time when the first limit is touched (bisection and false
        position in turn).
        """
        early, late = 0.0, passing.h
        gap_early, gap_late = float(self._gap_of_free(self._coordinates, passing)), self._least(passing)
        trial: Trial | None = passing
        for number in range(_MOST_TRIALS):
            share = gap_early / (gap_early - gap_late) if number % 3 < 2 else 0.5
            h = early + (late - early) * min(max(share, 1e-3), 1.0 - 1e-3)
            trial = self._composed(passing.bodies, passing.at, passing.momentum, h, passing.steps)
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

    def _open(self, trial: Trial) -> Floats:
        """Return the least gaps (n, 6) at the end of a trial, infinite for limits that bind in it."""
        return self._unheld(trial.stages[-1].position.frames.coordinates(self._coordinates), trial)

    def _unheld(self, coordinates: Floats, trial: Trial) -> Floats:
        gaps = self._gap(coordinates)
        drives = trial.bodies.drives.take(trial.bodies.drives.sign != 0.0)
        gaps[drives.joint, drives.axis] = np.inf
        return gaps

    def _least(self, trial: Trial) -> float:
        return float(self._open(trial).min())

    def _gap_of_free(self, coordinates: Floats, trial: Trial) -> float:
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
    ) -> Trial | None:
        """Return a composition of steps of RATTLE, None where one has no solution."""
        begun = at, momentum
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
        return Trial(bodies, *begun, tuple(stages), h, steps)
