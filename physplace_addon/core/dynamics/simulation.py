"""Simulation: motion in time, state by state, with the events of contact.

A step goes to its end, or to the first impact or the end of a slip before it, whichever comes first: so
these events stand at their own times (Bouma and Vanecek 1991, section 7).  Contacts that close slowly are
not isolated: the step obeys them.  What bounces, bounces lower each time, and not at all below a stated speed
(`Scene.slow`): so there are finitely many impacts.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from enum import Enum
from typing import Final

import numpy as np

from ..arrays import Bools, Floats
from ..contact.system import FIXED
from ..vectors import length
from .contacts import Contacts
from .driving.pulls import Pull, PullForce
from .events import Event, Touching, collisions, events_between
from .free_drift import FEW, free_drift
from .impacts import impact_at
from .joints.closure import closed_joints
from .motion import Motion, anchor_frames
from .scene import Scene
from .sleeping import Sleep, islands
from .start import interfering, parted
from .state import ContactHistory, SimulationState
from .step import Moment, moment_at, settled

_IMPACTS: Final = 4  # at one time: an impact may start another one
_ISOLATIONS: Final = 4  # steps in a row that end at an event; the next one obeys all contacts
_JAMMED: Final = 300  # steps in a row that end at an event, in less than one step's time, that lead nowhere
_TURN: Final = 2.0  # radians: most that a body turns in a step
_GAIN: Final = 2e-7  # energy, over all of it, that the rounding of a step may add


class SimulationStatus(Enum):
    """How a simulation stands."""

    RUNNING = "it moves"
    AT_REST = "everything has come to rest"
    INTERFERING_START = "bodies overlap at the start"
    JAMMED = "bodies are so near each other that none can move on"
    SQUEEZED = "bodies whose motion is given leave no room"

    @property
    def message(self) -> str:
        """A sentence for a person."""
        return self.value

    @property
    def is_running(self) -> bool:
        """Whether a step may still change anything."""
        return self is SimulationStatus.RUNNING


class Simulation:
    """Bodies that move in time.

    Attributes:
        scene: what is simulated.
        status: RUNNING, or how it ended.
        states: every state so far.
        pulling: what pulls a body at a point, in the scene; None for nothing.
        moment: the last of them, with its interface points.
        involved: the numbers of the bodies because of which it could not begin or go on; fixed ones are
            numbered on after those that move.
    """

    def __init__(self, scene: Scene, motion: Motion) -> None:
        """Begin with a scene's motion.  Raises JointError for joints that cannot be closed."""
        if len(scene.joints):
            motion = closed_joints(scene.joints, scene.inertia, motion)
        self.scene, self.status = scene, SimulationStatus.RUNNING
        start = parted(scene, motion)
        self.involved: tuple[int, ...] = ()
        if start is None:
            self.status, start = SimulationStatus.INTERFERING_START, motion
            self.involved = interfering(scene, motion)
        self.moment = moment_at(scene, 0.0, start, None, None, scene.step)
        self.pulling: Pull | None = None
        self._isolated, self._since = 0, 0.0  # steps in a row that ended before their time, and the first's
        self._hindering: tuple[int, ...] = ()  # the bodies that last came too near each other
        self.states = [self._state(Sleep.none(len(scene)), Touching.none(), (), 0.0)]

    def _state(
        self, sleep: Sleep, touching: Touching, events: Sequence[Event], work: float
    ) -> SimulationState:
        moment = self.moment
        energy = self.scene.energy(moment.motion, moment.coordinates)
        history = ContactHistory.of(moment, self._isolated, self._since, self._hindering)
        return SimulationState(
            moment.time,
            moment.motion,
            moment.coordinates,
            sleep,
            touching,
            tuple(events),
            energy,
            work,
            history,
        )

    def go_on_from(self, state: SimulationState) -> None:
        """Go on from an earlier state; those after it are dropped.

        What followed a state of this simulation before follows again, to the last bit.
        """
        self.states[:] = [known for known in self.states if known.time < state.time] + [state]
        self.status, self.involved, known = SimulationStatus.RUNNING, (), state.history
        if known is None:
            fresh = moment_at(self.scene, state.time, state.motion, None, None, self.scene.step)
            self.moment = replace(fresh, coordinates=state.coordinates)
            self._isolated = 0
            return
        self.moment = known.moment(self.scene, state.time, state.motion, state.coordinates)
        self._isolated, self._since, self._hindering = known.isolated, known.since, known.hindering

    def count_turns_from(self, near: Floats) -> None:
        """Count whole turns of the joints from coordinates (n, 6) known before, at the start."""
        scene, motion = self.scene, self.moment.motion
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
        left = until - self.state.time
        count = np.ceil(left / self.scene.step - 1e-9)
        return self.step(left / max(count, 1.0), until if count <= 1.0 else None)

    def step(self, h: float | None = None, until: float | None = None) -> SimulationState:
        """Go on by a step of h seconds, or to the first event before its end.

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
        sleep = self._kept_awake(_woken(self.scene, state.sleep, moment))
        scene = self.scene.holding(sleep.asleep).pulled_by(force)
        moment, events = self._after_impacts(scene, moment)
        h, until = _without_wrapping(moment.motion, h, until)
        made = self._stepped(scene, moment, h)
        jammed = self._isolated > _JAMMED and state.time - self._since < self.scene.step
        if made is None or jammed:
            self.status = SimulationStatus.JAMMED if jammed else SimulationStatus.SQUEEZED
            self.involved = self._hindering if jammed else _squeezed(self.scene, moment)
            return self.state
        end, contacts, impulses, part = made
        if until is not None and part == 1.0:
            end = replace(end, time=until)
        work = 0.0 if force is None else force.work(scene.inertia, moment.motion, end.motion)
        end = self._without_gain(state, end, work)
        _, slip = contacts.speeds(end.motion.rates)
        pressing = impulses[:, 0] > 0.0
        touching = Touching.of(contacts.points, pressing, slip)
        happened = events_between(state.touching, touching, end.points, end.time, scene.slow)
        sleep = sleep.after(self.scene, end.motion.rates, contacts.points.take(pressing), part * h)
        sleep = self._kept_awake(_woken(self.scene, sleep, end))
        end = end.with_rates(np.where(sleep.asleep[:, None], 0.0, end.motion.rates))
        self.moment = end
        self.states.append(self._state(sleep, touching, [*events, *happened], state.work + work))
        if (sleep.asleep | self.scene.given).all() and end.time >= self.scene.last_given_time:
            self.status = SimulationStatus.AT_REST
        return self.state

    def _pull_force(self, moment: Moment, h: float) -> PullForce | None:
        """Return the force of the pull over a step of h seconds; None for none."""
        if self.pulling is None:
            return None
        pull, scene = self.pulling.seen_from(self.scene.origin), self.scene
        return pull.force(scene.inertia, moment.motion, h)

    def _kept_awake(self, sleep: Sleep) -> Sleep:
        """Return who sleeps, but not what is pulled, nor its island."""
        return sleep if self.pulling is None else sleep.woken(np.array([self.pulling.body]))

    def _after_impacts(self, scene: Scene, moment: Moment) -> tuple[Moment, list[Event]]:
        """Return a moment after what hits there, and these collisions."""
        events: list[Event] = []
        for _ in range(_IMPACTS):
            impact = impact_at(scene, moment)
            if impact is None:
                break
            points, hit = impact.contacts.points, np.flatnonzero(impact.hits)
            pairs = np.stack([points.body1, points.body2], axis=1)
            events += collisions(points.point1[hit], pairs[hit], impact.speed[hit], moment.time)
            moment = impact.moment
        return moment, events

    def _stepped(
        self, scene: Scene, moment: Moment, h: float
    ) -> tuple[Moment, Contacts, Floats, float] | None:
        """Return the end of a step, its contacts, their impulses (k, 3), and the part of h that it took."""
        fast = self._fast(scene, moment, h)
        left_out = fast & ~_crowded(scene, moment) if self._isolated < _ISOLATIONS else np.zeros_like(fast)
        made = free_drift(scene, moment, h, left_out)
        if made is None:
            return None
        held, drift, part, end, hindering = made
        self._hindering = hindering or self._hindering
        self._since = self._since if self._isolated else moment.time
        self._isolated = self._isolated + 1 if part < 1.0 else 0
        time = moment.time + part * h
        if end is None:
            end = moment_at(scene, time, drift.motion, moment, drift, h)
        stopped = np.flatnonzero(fast[~left_out] & (drift.impulses[:, 0] > 0.0))
        bouncing = drift.contacts.take(stopped)
        closing, _ = bouncing.speeds(moment.motion.rates)
        speed = -bouncing.restitution * np.minimum(closing, 0.0)
        found = settled(held, moment, replace(end, time=time), part * h, bouncing, speed)
        return None if found is None else (*found, part)

    def _fast(self, scene: Scene, moment: Moment, h: float) -> Bools:
        """Return which points (k,) close too fast for a contact that a step obeys: they are run into."""
        opening, _ = moment.contacts.speeds(moment.motion.rates + 0.5 * h * scene.kicks)
        fast: Bools = (opening < -scene.slow_at(moment.points)) & ~moment.touching
        return fast

    def _without_gain(self, before: SimulationState, end: Moment, work: float) -> Moment:
        """Return the end of a step with its rates made so much less that energy does not rise by more than
        the work that was put in.
        """
        scene = self.scene
        if scene.given.any() or not np.isnan(scene.joints.speed).all():
            return end
        energy = scene.energy(end.motion, end.coordinates)
        kinetic = end.motion.kinetic_energy(scene.inertia)
        gain = energy - before.energy - work
        if gain <= _GAIN * max(kinetic, before.motion.kinetic_energy(scene.inertia)) or kinetic <= gain:
            return end
        rates = np.sqrt(1.0 - gain / kinetic) * end.motion.rates
        return end.with_rates(rates)


def _without_wrapping(motion: Motion, h: float, until: float | None) -> tuple[float, float | None]:
    """Return a time step in which no body turns so far that its path could be mistaken for a shorter one, s,
    and the time at its end where that is still to be met.
    """
    fastest = float(length(motion.spin).max(initial=0.0))
    return (h, until) if fastest * h <= _TURN else (_TURN / fastest, None)


def _squeezed(scene: Scene, moment: Moment) -> tuple[int, ...]:
    """Return the numbers of the bodies that move as given, and of those between them; of all that touch where
    nothing does.
    """
    points = moment.points.take(moment.touching)
    pairs = np.stack([points.body1, points.body2], axis=1)
    squeezing = scene.given & moment.motion.rates.any(axis=1)
    if not squeezing.any():
        return tuple(np.unique(pairs[pairs != FIXED]).tolist())
    number = islands(len(scene), np.zeros(len(scene), bool), points, scene.joints.body)
    return tuple(np.flatnonzero(np.isin(number, number[squeezing])).tolist())


def _crowded(scene: Scene, moment: Moment) -> Bools:
    """Return which points (k,) are of islands of so many contacts that a step obeys what hits there, too."""
    points = moment.points
    touching = points.take(moment.touching)
    number = islands(len(scene), scene.given, touching, scene.joints.body)
    first, second = (np.where(bodies == FIXED, len(scene), bodies) for bodies in (points.body1, points.body2))
    number = np.append(number, len(scene))  # the last is the fixed world, as are bodies whose motion is given
    number[:-1][scene.given] = len(scene)
    one, other = number[first[moment.touching]], number[second[moment.touching]]
    count = np.bincount(one, minlength=len(scene) + 1) + np.bincount(
        other[other != one], minlength=len(scene) + 1
    )
    crowded = count > FEW
    crowded[-1] = False
    found: Bools = crowded[number[first]] | crowded[number[second]]
    return found


def _woken(scene: Scene, sleep: Sleep, moment: Moment) -> Sleep:
    """Return who sleeps on of those who sleep: those that touch a body that moves wake."""
    touching = moment.points.take(moment.touching)
    asleep, rates = sleep.asleep, moment.motion.rates
    moves = np.append((rates != 0.0).any(axis=1) & ~asleep, False)  # the last is the fixed world
    sleeps = np.append(asleep, False)
    first = touching.body1[sleeps[touching.body1] & moves[touching.body2]]
    second = touching.body2[sleeps[touching.body2] & moves[touching.body1]]
    return sleep.woken(np.union1d(first, second))
