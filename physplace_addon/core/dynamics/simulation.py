"""Simulation: motion in time, state by state, with the events of contact.

A step goes to its end, or to the first impact or the end of a slip before it, whichever comes first: so
these events stand at their own times (Bouma and Vanecek 1991, section 7).  Contacts that close slowly are
not isolated: the step obeys them.  Nor are impacts in crowds, and those without a bounce where many contacts
would have to be solved once more for each (`step.FEW`).  What bounces, bounces lower each time, and not
at all below a stated speed (`Scene.slow`): so there are finitely many impacts.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from typing import Final

import numpy as np

from ..arrays import Bools, Floats
from ..contact.system import FIXED
from ..jobs import Slices, finished
from .bending import Coarse
from .drift.cut_short import Blocked
from .drift.ends import closing_fast, rolled_to
from .drift.free_drift import free_drift, without_wrapping
from .drift.made_step import MadeStep
from .driving.pulls import Pull, PullForce
from .energy_gains import without_gains
from .events import Event, EventKind, Touching, collisions, collisions_stopped, events_between, in_order
from .impacts import impact_at
from .joints.breaking import BrokenJoints, after_break, joint_events, limit_events, moment_after
from .joints.closure import closed_joints
from .joints.free_linkages import FreeLinkages
from .joints.loads import Break, break_in_step, can_break
from .joints.passed_limits import fast_limits
from .motion import Motion, anchor_frames
from .scene import Scene
from .sleeping import Sleep, crowded_bodies, squeezed, woken
from .start import interfering, parted, with_seated_joints
from .state import ContactHistory, SimulationState, SimulationStatus
from .step import FEW, Moment, moment_at, settled

_IMPACTS: Final = 4  # at one time: an impact may start another one
_ISOLATIONS: Final = 4  # steps in a row that end at an event; the next one obeys all contacts
_JAMMED: Final = 300  # steps in a row that end at an event, in less than one step's time, that lead nowhere
_AT_ONCE: Final = 1e-3  # part of a step, from its beginning, within which joints break at once
_LONGER: Final = 1.25  # a step that is tried, over the one before if that was shortened for what paths bend
_SHORTEST: Final = 1e-4  # share of a step below which none is tried for that


class Simulation:
    """Bodies that move in time.

    Attributes:
        scene: what is simulated, without the joints that have broken.
        status: RUNNING, or how it ended.
        states: every state so far.
        pulling: what pulls a body at a point, in the scene; None for nothing.
        moment: the last of them, with its interface points.
        involved: the numbers of the bodies because of which it could not begin or go on; fixed ones are
            numbered on after those that move.
    """

    def __init__(self, scene: Scene, motion: Motion, broken: Collection[str] = ()) -> None:
        """Begin with a scene's motion.

        Args:
            scene: what is simulated.
            motion: of its bodies.
            broken: the names of joints that have broken already.

        Raises:
            JointError: joints cannot be closed.
        """
        self._whole, self.scene, self._broken = scene, scene, BrokenJoints.none()
        gone = np.array([name in broken for name in scene.joints.names], np.bool_)
        if gone.any():
            self._broken, motion = after_break(scene, self._broken, np.flatnonzero(gone), motion)
            self.scene = scene = self._broken.scene(scene)
        motion = replace(motion, rates=scene.given_rates(0.0, motion, scene.step))
        if len(scene.joints):
            motion = closed_joints(scene.joints, scene.inertia, motion, scene.given)
        self.status = SimulationStatus.RUNNING
        start = parted(scene, motion)
        self.involved: tuple[int, ...] = ()
        if start is None:
            self.status, start = SimulationStatus.INTERFERING_START, motion
            self.involved = interfering(scene, motion)
        elif len(scene.joints):
            self._whole = with_seated_joints(self._whole, self._broken.intact(self._whole), start)
            self.scene = scene = self._broken.scene(self._whole)
        self.moment = moment_at(scene, 0.0, start, None, None, scene.step)
        self.pulling: Pull | None = None
        self._isolated, self._since = 0, 0.0  # steps in a row that ended before their time, and the first's
        self._hindering: tuple[int, ...] = ()  # the bodies that last came too near each other
        self._fine = np.inf  # the last step, s, where that was shortened for what paths bend
        self.states = [self._state(Sleep.none(len(scene)), self._touching_at_start(), (), 0.0)]

    def _state(
        self, sleep: Sleep, touching: Touching, events: Sequence[Event], work: float
    ) -> SimulationState:
        moment = self.moment
        energy = self.scene.energy(moment.motion, moment.coordinates)
        history = ContactHistory.of(moment, self._isolated, self._since, self._hindering, self._fine)
        return SimulationState(
            moment.time,
            moment.motion,
            moment.coordinates,
            self._broken,
            sleep,
            touching,
            tuple(events),
            energy,
            work,
            history,
        )

    def _touching_at_start(self) -> Touching:
        """Return the contacts that there are already, of which it is not known whether they press."""
        contacts = self.moment.contacts.take(np.flatnonzero(self.moment.touching))
        _, slip = contacts.speeds(self.moment.motion.rates)
        return Touching.of(contacts.points, np.zeros(len(contacts), np.bool_), slip)

    def go_on_from(self, state: SimulationState) -> None:
        """Go on from an earlier state; those after it are dropped.

        What followed a state of this simulation before follows again, to the last bit.
        """
        self.states[:] = [known for known in self.states if known.time < state.time] + [state]
        self._broken, self.scene = state.broken, state.broken.scene(self._whole)
        self.status, self.involved, known = SimulationStatus.RUNNING, (), state.history
        if known is None:
            fresh = moment_at(self.scene, state.time, state.motion, None, None, self.scene.step)
            self.moment = replace(fresh, coordinates=state.coordinates)
            self._isolated, self._fine = 0, np.inf
            return
        self.moment = known.moment(self.scene, state.time, state.motion, state.coordinates)
        self._isolated, self._since = known.isolated, known.since
        self._hindering, self._fine = known.hindering, known.fine

    def joint_coordinates(self, state: SimulationState) -> dict[str, Floats]:
        """Return the coordinates (6,) of the joints that hold in one of its states, by their names."""
        names = self._whole.joints.names
        numbers = state.broken.intact(self._whole).tolist()
        return {names[i]: own for i, own in zip(numbers, state.coordinates, strict=True)}

    def broken_names(self, state: SimulationState) -> list[str]:
        """Return the names of the joints that have broken in one of its states."""
        return [self._whole.joints.names[i] for i in sorted(state.broken.numbers)]

    def count_turns_from(self, known: Mapping[str, Floats]) -> None:
        """Count whole turns of the joints from coordinates (6,) known before by their names, at the start."""
        scene, motion = self.scene, self.moment.motion
        here = self.joint_coordinates(self.states[-1])
        near = np.array([known.get(name, own) for name, own in here.items()]).reshape(-1, 6)
        found = anchor_frames(scene.joints, scene.inertia, motion).coordinates(near)
        self.moment = replace(self.moment, coordinates=found)
        self.states[-1] = replace(self.states[-1], coordinates=found)

    def pull(self, pull: Pull | None) -> None:
        """Pull a body at a point from now on, or nothing any more; what has come to rest goes on.

        Raises PullError for a pull that has no meaning.
        """
        if pull is not None:
            pull.check(~self.scene.given)
            if self.status is SimulationStatus.AT_REST:
                self.status = SimulationStatus.RUNNING
        self.pulling = pull

    @property
    def state(self) -> SimulationState:
        """The last state."""
        return self.states[-1]

    def run(self, until: float) -> SimulationState:
        """Go on to a time, s, by equal steps where nothing happens between, or to the end before."""
        while self.status.is_running and self.state.time < until:
            self.step_towards(until)
        return self.state

    def step_towards(self, until: float) -> SimulationState:
        """Go on by one of the steps of `run`, that lead to a time, s, later than the last state's."""
        return finished(self.stepping_towards(until))

    def stepping_towards(self, until: float) -> Slices[SimulationState]:
        """Do the same in slices."""
        left = until - self.state.time
        count = np.ceil(left / self.scene.step - 1e-9)
        return self.stepping(left / max(count, 1.0), until if count <= 1.0 else None)

    def step(self, h: float | None = None, until: float | None = None) -> SimulationState:
        """Go on by a step of h seconds, or to the first event before its end (`stepping`)."""
        return finished(self.stepping(h, until))

    def stepping(self, h: float | None = None, until: float | None = None) -> Slices[SimulationState]:
        """Go on in slices by a step of h seconds, or to the first event before its end.

        Between two of them it may be given up, by going on from a state.

        Args:
            h: the scene's own step unless it is given.
            until: the time at its end, where that is to be met to the last bit.
        """
        if not self.status.is_running:
            return self.state
        h = self.scene.step if h is None else h
        state = self.state
        moment = self.moment.with_rates(self.scene.given_rates(state.time, state.motion, h))
        force = self._pull_force(moment, h)
        sleep = self._kept_awake(woken(self.scene, state.sleep, moment, h))
        scene = self.scene.holding(sleep.asleep).pulled_by(force)
        moment, events, breaks = self._after_impacts(scene, moment)
        yield
        h, until = without_wrapping(moment.motion, h, until)
        made = MadeStep.at_once(moment, breaks) if breaks.any() else (yield from self._made(scene, moment, h))
        if made is None or self._is_jammed:
            self._block(moment)
            return self.state
        if made.part == 0.0:
            sleep, broke = self._broken_now(moment, sleep, made.breaks.joints)
            self.states.append(self._state(sleep, state.touching, [*events, *broke], state.work))
            return self.state
        end = made.end if until is None or made.part < 1.0 else replace(made.end, time=until)
        work = np.zeros(len(scene))
        if force is not None:
            work[force.pull.body] = force.work(scene.inertia, moment.motion, end.motion)
        made = replace(made, end=without_gains(scene, self.moment, end, made.contacts.points, work))
        return self._arrived(scene, moment, made, h, (sleep, events, float(work.sum())))

    def _arrived(
        self,
        scene: Scene,
        moment: Moment,
        made: MadeStep,
        h: float,
        so_far: tuple[Sleep, Sequence[Event], float],
    ) -> SimulationState:
        """Go on to the end of a step that was made; return the state there.

        Args:
            scene: in which it was made.
            moment: at its beginning, after impacts.
            made: the step.
            h: its time if it had not ended early, s.
            so_far: who sleeps, what has happened at its beginning, and the work of a pull in it.
        """
        sleep, events, work = so_far
        touching, happened = self._what_happened(scene, moment, made)
        pressing = made.contacts.points.take(made.pressing)
        sleep = sleep.after(self.scene, made.end.motion.rates, pressing, made.part * h)
        sleep = self._kept_awake(woken(self.scene, sleep, made.end, 0.0))
        end = made.end.with_rates(np.where(sleep.asleep[:, None], 0.0, made.end.motion.rates))
        sleep, broke = self._broken_now(end, sleep, made.breaks.joints)
        every = in_order([*events, *made.stopped, *happened, *broke])
        self.states.append(self._state(sleep, touching, every, self.state.work + work))
        if (sleep.asleep | self.scene.given).all() and end.time >= self.scene.last_given_time:
            self.status = SimulationStatus.AT_REST
        return self.state

    @property
    def _is_jammed(self) -> bool:
        """Whether so many steps in a row ended early that they lead nowhere."""
        return self._isolated > _JAMMED and self.state.time - self._since < self.scene.step

    def _block(self, moment: Moment) -> None:
        """End at a moment from which nothing leads on."""
        squeezing = (self.scene.given & moment.motion.rates.any(axis=1)).any() and not self._is_jammed
        self.status = SimulationStatus.SQUEEZED if squeezing else SimulationStatus.JAMMED
        hindering = () if squeezing else self._hindering
        self.involved = hindering or squeezed(self.scene, moment)

    def _what_happened(self, scene: Scene, start: Moment, made: MadeStep) -> tuple[Touching, list[Event]]:
        """Return the contacts at the end of a step, and the events in it."""
        end = made.end
        _, slip = made.contacts.speeds(end.motion.rates)
        before, touching = self.state.touching, Touching.of(made.contacts.points, made.pressing, slip)
        before = before.pressing_as(touching) if self.state.time == 0.0 else before
        events = events_between(before, touching, end.points, end.time, scene.slow)
        numbers = self._broken.intact(self._whole)
        return touching, events + limit_events(scene, start, end, made.linkages, numbers)

    def _broken_now(self, moment: Moment, sleep: Sleep, breaks: Bools) -> tuple[Sleep, list[Event]]:
        """Go on at a moment without the joints (n,) that break there; return who sleeps, and the events."""
        self.moment = moment
        if not breaks.any():
            return sleep, []
        numbers, rows = self._broken.intact(self._whole), np.flatnonzero(breaks)
        none = [0.0] * len(rows)
        broke = joint_events(self.scene, moment, EventKind.JOINT_BREAKS, moment.time, rows, none, numbers)
        bodies = self.scene.joints.body[rows]
        self._broken, motion = after_break(self._whole, self._broken, numbers[rows], moment.motion)
        self.scene = self._broken.scene(self._whole)
        self.moment = moment_after(self.scene, moment, motion, ~breaks)
        return sleep.woken(bodies[bodies != FIXED]), broke

    def _pull_force(self, moment: Moment, h: float) -> PullForce | None:
        """Return the force of the pull over a step of h seconds; None for none."""
        if self.pulling is None:
            return None
        pull, scene = self.pulling.seen_from(self.scene.origin), self.scene
        return pull.force(scene.inertia, moment.motion, h)

    def _kept_awake(self, sleep: Sleep) -> Sleep:
        """Return who sleeps, but not what is pulled, nor its island."""
        return sleep if self.pulling is None else sleep.woken(np.array([self.pulling.body]))

    def _after_impacts(self, scene: Scene, moment: Moment) -> tuple[Moment, list[Event], Bools]:
        """Return a moment after what hits there, these collisions, and the joints (n,) that break by them."""
        events: list[Event] = []
        breaks = np.zeros(len(scene.joints), np.bool_)
        for _ in range(_IMPACTS):
            impact = impact_at(scene, moment)
            if impact is None or breaks.any():
                break
            points, hit = impact.contacts.points, np.flatnonzero(impact.hits)
            pairs = np.stack([points.body1, points.body2], axis=1)
            events += collisions(points.point1[hit], pairs[hit], impact.speed[hit], moment.time)
            numbers, speed = self._broken.intact(self._whole), impact.limit_speed.tolist()
            kind, rows = EventKind.LIMIT_REACHED, impact.limits.joint
            events += joint_events(scene, moment, kind, moment.time, rows, speed, numbers)
            breaks = impact.impulses.impacts_over(scene.joints) >= 1.0
            moment = impact.moment
        return moment, events, breaks

    def _made(self, scene: Scene, moment: Moment, h: float) -> Slices[MadeStep | None]:
        """Return a step of h seconds, or of the part of it up to its first event; None if it cannot be."""
        made = yield from self._finely_stepped(scene, moment, h)
        if made is None or not made.breaks.joints.any() or made.breaks.part == 1.0:
            return made
        part = made.part * made.breaks.part
        if part < _AT_ONCE:
            return MadeStep.at_once(moment, made.breaks.joints)
        again = yield from self._finely_stepped(scene, moment, part * h)
        if again is None:
            return made
        breaks = made.breaks if again.part == 1.0 else Break.none(len(scene.joints))
        return replace(again, part=part * again.part, breaks=breaks)

    def _finely_stepped(self, scene: Scene, moment: Moment, h: float) -> Slices[MadeStep | None]:
        """Return a step of h seconds, or of a part of it that bends paths little, with what breaks in it."""
        share = min(1.0, _LONGER * self._fine / h)
        made = yield from self._stepped(scene, moment, share * h)
        while isinstance(made, Coarse):
            if share < _SHORTEST:
                return None
            share *= made.share
            yield
            made = yield from self._stepped(scene, moment, share * h)
        self._fine = share * h if share < 1.0 else max(self._fine, h)
        return made if made is None or share == 1.0 else replace(made, part=share * made.part)

    def _stepped(self, scene: Scene, moment: Moment, h: float) -> Slices[MadeStep | Coarse | None]:
        """Return a step of h seconds, or of a part of it, with the joints that break in it."""
        fast = closing_fast(scene, moment, h)
        crowded = crowded_bodies(scene, moment, FEW)
        isolates = self._isolated < _ISOLATIONS
        points, motion = moment.points, moment.motion
        found_in_time = ~(crowded[points.body1] | crowded[points.body2]) & isolates & ~rolled_to(moment)
        if np.count_nonzero(moment.touching) > FEW:
            found_in_time &= moment.contacts.restitution > 0.0
        left_out = fast & found_in_time
        passing = fast_limits(scene, motion, moment.coordinates, crowded) & isolates
        made = yield from free_drift(scene, moment, h, left_out, passing)
        yield
        if made is None or isinstance(made, Blocked):
            self._hindering = () if made is None else made.bodies
            return None
        if isinstance(made, Coarse):
            return made
        if isinstance(made, FreeLinkages):
            return MadeStep.at_once(moment, made.broken)
        held, drift, part, hindering, linkages = made
        self._hindering = hindering or self._hindering
        self._since = self._since if self._isolated else moment.time
        self._isolated = self._isolated + 1 if part < 1.0 else 0
        time = moment.time + part * h
        end = moment_at(scene, time, drift.motion, moment, drift, h)
        yield
        stopped = np.flatnonzero(fast[~left_out] & (drift.impulses[:, 0] > 0.0))
        bouncing = drift.contacts.take(stopped)
        closing, _ = bouncing.speeds(motion.rates)
        speed = -bouncing.restitution * np.minimum(closing, 0.0)
        found = settled(held, moment, end, part * h, bouncing, speed)
        if found is None:
            return None
        end, contacts, impulses, borne = found
        hits = collisions_stopped(bouncing.points, -closing, contacts.points, time)
        breaks = Break(1.0, linkages.broken)
        if can_break(scene.joints) and not linkages.broken.any():
            breaks = break_in_step(scene.joints, drift.joints, borne, part * h)
        return MadeStep(end, contacts, impulses[:, 0] > 0.0, part, linkages, breaks, hits)
