"""Sculpting: a surface that follows control points and is sampled by floaters (Witkin and Heckbert 1994,
section 5).

A step is the paper's differential step: the desired velocities P of the control points and Q of the
parameters are set; the parameters change by equations 7 and 8 (`surface_step`); floaters follow, repel each
other, adapt their radii, fission and die (`sampling`). Between steps points may be moved, added and removed,
the function may be replaced by any other, and an earlier state may be resumed.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from ...arrays import Bools, Floats
from ...vectors import dot
from ..functions.base import ImplicitFunction
from ..particles.floaters import Floaters
from ..particles.sampling import Sampling
from .constraint_equations import StepLimits
from .control_points import ControlPoints
from .corrected_step import SurfaceStep
from .parameter_metric import ParameterMetric
from .state import SculptSettings, SculptState, SculptStatus
from .surface_step import surface_step

_STUCK = 0.1  # share of what it should come nearer in a step: a point that comes by less is stuck
_CALM, _CALM_STEPS = 0.02, 5  # share of their radii: floaters that move less, for so many steps, are at rest
_PATIENCE = 120  # steps of a surface at rest after which floaters that find none are no longer waited for
_NO_MOTION = 1e-3  # share of `near`: a change of the parameters that moves the surface by less is none


class _Memory:
    """What is kept from step to step.

    Attributes:
        metric: the metric of the parameters' change, or None before the first step.
        followed: the last step of the surface, which saves work, or None.
        off: how far off the surface each control point was (n,), in scene units.
        out_of_reach: which control points (n,) were found out of reach, and are still off the surface.
        at_rest: whether all control points are where they are wanted, and nothing is desired.
        finite: the last function that was found to be finite.
        calm: steps in which the floaters rested.
        still: steps in which the surface rested.
    """

    def __init__(self, points: int) -> None:
        self.metric: ParameterMetric | None = None
        self.followed: SurfaceStep | None = None
        self.off, self.out_of_reach = np.zeros(points), np.zeros(points, dtype=np.bool_)
        self.at_rest = False
        self.finite: ImplicitFunction | None = None
        self.calm = self.still = 0


class Sculpting:
    """A surface that an artist shapes; `step` returns the next state. Control points are given by their
    number.

    `status` and `state` are those after the last step. Methods that take the number of a control point or a
    place raise SculptingError for one without meaning.
    """

    def __init__(
        self,
        function: ImplicitFunction,
        settings: SculptSettings,
        rng: np.random.Generator,
        controls: ControlPoints | None = None,
        floaters: Floaters | None = None,
    ) -> None:
        """Start from a function; without floaters, these are seeded.

        Args:
            function: F.
            settings: of the floaters and of the control points.
            rng: the source of random numbers.
            controls: the control points; none unless given.
            floaters: those to start with.

        Raises:
            SamplingError: for a surface that is infinite, if no bounds are set.
        """
        points = ControlPoints.pinned([]) if controls is None else controls
        self._rng, self._memory = rng, _Memory(len(points))
        self._desired = np.zeros(len(function.parameters))
        self._set_up(settings)
        shown = self._sampling.first_floaters(function) if floaters is None else floaters
        self.state = SculptState(function, shown, points, np.zeros(len(points), dtype=bool))

    def _set_up(self, settings: SculptSettings) -> None:
        """Use other settings, and start the sampling anew."""
        self._settings = settings
        self._sampling = Sampling(settings.floaters, self._rng)

    @property
    def settings(self) -> SculptSettings:
        """The settings; others may be set between steps."""
        return self._settings

    @settings.setter
    def settings(self, settings: SculptSettings) -> None:
        self._set_up(settings)
        self._memory.metric = None
        self._restart()

    @property
    def status(self) -> SculptStatus:
        """What the surface is doing."""
        return self.state.status

    @property
    def desired(self) -> Floats:
        """Q (m,), the rate at which parameters are desired to change, per unit of time."""
        return self._desired

    @desired.setter
    def desired(self, rate: Floats) -> None:
        self._desired = np.asarray(rate, dtype=np.float64)
        self._restart()

    def drag(self, index: int, target: Floats) -> None:
        """Pull a control point towards a place (3,), from now on."""
        self._replace_controls(self.state.controls.dragged_to(index, target))

    def release(self, index: int) -> None:
        """Pin a control point where it is."""
        self._replace_controls(self.state.controls.released(index))

    def pin(self, index: int, place: Floats) -> None:
        """Pin a control point at another place (3,); the surface comes there as fast as it can."""
        self._replace_controls(self.state.controls.pinned_at(index, place))

    def add(self, place: Floats, name: str = "") -> int:
        """Pin the surface at one more place (3,), and return the number of the new control point."""
        self._replace_controls(self.state.controls.with_point(place, name))
        return len(self.state.controls) - 1

    def remove(self, index: int) -> None:
        """Remove a control point; those behind it move up."""
        self._replace_controls(self.state.controls.without(index))

    def _replace_controls(self, controls: ControlPoints) -> None:
        """Go on with other control points."""
        state, stuck = self.state, np.zeros(len(controls), dtype=bool)
        self.state = SculptState(
            state.function, state.floaters, controls, stuck, SculptStatus.RUNNING, state.steps
        )
        self._memory.off = np.zeros(len(controls))
        self._memory.out_of_reach = state.controls.carried(self._memory.out_of_reach, controls)
        self._memory.at_rest, self._memory.calm, self._memory.still = False, 0, 0

    def change_function(self, function: ImplicitFunction) -> None:
        """Go on with another function, of any kind and number of parameters.

        Elements may have been moved, added or removed. Nothing is desired of its parameters until `desired`
        is set.
        """
        self._desired = np.zeros(len(function.parameters))
        self._memory = _Memory(len(self.state.controls))
        self.state = replace(self.state, function=function, status=SculptStatus.RUNNING)

    def resume_from(self, state: SculptState) -> None:
        """Go on from an earlier state."""
        self.state = state
        self.change_function(state.function)
        self.state = state

    def _restart(self) -> None:
        """Run again, because the task of the surface has changed."""
        self.state = replace(self.state, status=SculptStatus.RUNNING)
        self._memory.at_rest, self._memory.calm, self._memory.still = False, 0, 0

    def step(self) -> SculptState:
        """Make one step of dt and return the state after it.

        The surface stays as it is if by the step it would vanish or, without bounds, become infinite; the
        status says so.
        """
        before, metric = self.state, self._current_metric()
        followed = self._followed(metric)
        after = before.function if followed is None else followed.function
        if self._is_endless(after):
            return self._refused(SculptStatus.ENDLESS)
        after, rate, far = self._motion(after, metric.limits)
        self._focus_on_dragged(before.controls if followed is None else followed.controls)
        floaters = self._sampling.advance(before.floaters, before.function, rate, after)
        if rate is not None and len(before.floaters) and not len(floaters):
            return self._refused(SculptStatus.HELD_BACK)
        metric.stepped(far)
        self._count_rest(rate is None, floaters)
        floaters = self._completed(after, floaters)
        controls, stuck = before.controls, before.stuck
        if followed is not None:
            controls, stuck = followed.controls, self._stuck(followed, rate is None, metric.limits)
        status = self._status(len(floaters), bool(np.count_nonzero(stuck)), len(controls))
        self.state = SculptState(after, floaters, controls, stuck, status, before.steps + 1)
        return self.state

    def _completed(self, function: ImplicitFunction, floaters: Floaters) -> Floaters:
        """Return the floaters, with more where the surface is bare although they have come to rest."""
        if not self._rests or self._sampling.covered or not len(floaters):
            return floaters
        found = self._sampling.completed(floaters, function)
        if found is not floaters:
            self._memory.calm = self._memory.still = 0
        return found

    @property
    def _rests(self) -> bool:
        """Whether the surface and its floaters have been at rest for some steps, or the surface for many."""
        return self._memory.calm >= _CALM_STEPS or self._memory.still >= _PATIENCE

    def _is_endless(self, function: ImplicitFunction) -> bool:
        """Return whether a function is infinite and no bounds are set."""
        if self._settings.floaters.bounds is None and function is not self._memory.finite:
            if function.is_endless():
                return True
            self._memory.finite = function
        return False

    def _motion(
        self, after: ImplicitFunction, limits: StepLimits
    ) -> tuple[ImplicitFunction, Floats | None, float]:
        """Return the function after the step, q' (m,), None at rest, and how far the surface moves, in scene
        units.
        """
        before = self.state.function
        if after is before:
            return before, None, 0.0
        change = after.parameters - before.parameters
        far = limits.motion(change)
        if far <= _NO_MOTION * limits.near:
            return before, None, far
        return after, change / self._settings.floaters.time_step, far

    def _count_rest(self, still: bool, floaters: Floaters) -> None:
        """Count the steps in which the floaters, and the surface, rested."""
        calm = still and _are_calm(self.state.floaters, floaters)
        self._memory.calm = self._memory.calm + 1 if calm else 0
        self._memory.still = self._memory.still + 1 if still else 0

    def _stuck(self, followed: SurfaceStep, still: bool, limits: StepLimits) -> Bools:
        """Return which control points (n,) are not where they are wanted and get no nearer.

        Pins that were found out of reach are stuck until the surface passes through them or they are put
        elsewhere: it may come nearer to one while it leaves others.
        """
        away = np.maximum(followed.controls.distance_left, followed.off) > limits.near
        out_of_reach = self._memory.out_of_reach
        if followed.out_of_reach is not None:
            out_of_reach = out_of_reach | followed.out_of_reach
        self._memory.out_of_reach = away & out_of_reach
        stuck: Bools = away & (out_of_reach | self._gets_no_nearer(self.state.controls, followed, limits))
        arrived = not np.count_nonzero(away) and not np.count_nonzero(self._desired)
        self._memory.at_rest = still and arrived
        return stuck

    def _refused(self, status: SculptStatus) -> SculptState:
        """Leave all as it is but the status: after this step the surface would be infinite, or gone."""
        before, self._memory.followed = self.state, None
        stuck = before.controls.distance_left > self._current_metric().limits.near
        self.state = replace(before, stuck=stuck, status=status, steps=before.steps + 1)
        return self.state

    def _followed(self, metric: ParameterMetric) -> SurfaceStep | None:
        """Have the surface follow its control points; None where nothing is to be done."""
        if self._memory.at_rest or not (len(self.state.controls) or np.count_nonzero(self._desired)):
            return None
        desired = self._desired * self._settings.floaters.time_step
        known = self.state.floaters.positions
        state, last = self.state, self._memory.followed
        followed = surface_step(
            state.function, state.controls, desired, metric.mobility, metric.limits, known, last
        )
        self._memory.followed = followed
        return followed

    def _current_metric(self) -> ParameterMetric:
        """Return the metric, measured anew if it is old."""
        metric, state = self._memory.metric, self.state
        if metric is None or metric.is_old(state.floaters):
            metric = self._memory.metric = ParameterMetric(state.function, state.floaters, self._settings)
            last = self._memory.followed
            if last is not None and last.idle:  # in this metric there may be something to do
                self._memory.followed = replace(last, idle=False)
        return metric

    def _focus_on_dragged(self, controls: ControlPoints) -> None:
        """Have floaters denser near dragged points, if the settings ask for it (section 6)."""
        settings = self._settings.floaters
        if settings.focus_size > 0.0 and settings.focus is None:
            self._sampling.settings = replace(settings, focus=controls.position[controls.dragged])

    def _gets_no_nearer(self, before: ControlPoints, made: SurfaceStep, limits: StepLimits) -> Bools:
        """Return which control points (n,) came much less near than they should, to their targets or the
        surface.
        """
        was, self._memory.off = self._memory.off, made.off
        left = before.distance_left
        gained = np.where(before.free, left - made.controls.distance_left, was - made.off)
        asked = np.where(before.free, np.minimum(left, limits.stride), was)
        return np.asarray(gained < _STUCK * asked)

    def _status(self, shown: int, stuck: bool, pinned: int) -> SculptStatus:
        """Return the status, given the numbers of floaters and of control points, and whether any of these is
        stuck.
        """
        if not shown:
            return SculptStatus.VANISHED
        if not (self._rests and (self._sampling.covered or shown >= self._settings.floaters.most)):
            return SculptStatus.RUNNING
        if stuck:
            return SculptStatus.HELD_BACK
        return SculptStatus.SETTLED if self._memory.at_rest or not pinned else SculptStatus.RUNNING


def _are_calm(before: Floaters, after: Floaters) -> bool:
    """Return whether no floater was born, died, or moved by more than a small share of its radius."""
    if len(before) != len(after) or not len(after) or after.ages.min() == 0:
        return False
    moves = after.positions - before.positions
    return bool(np.all(dot(moves, moves) <= (_CALM * after.radii) ** 2))
