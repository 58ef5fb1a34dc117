"""What steps of sculpting are measured by: how far they may go, and the metric of the parameters' change.

The metric is how far a change moves the surface, taken from the floaters (footnote 1 of Witkin and Heckbert
1994; see `least_change`).  All is taken anew after some steps if the surface has moved by as much as it may
in one, or the floaters are more or fewer by a share.

Sculpting: a surface that follows control points and is shown by floaters (Witkin and Heckbert 1994).

A step is section 5's: where the control points are pulled, and what is desired of the parameters; how these
change, by equations 7 and 8 (`following`); how the floaters follow, how their radii fit, who splits and who
dies (`sampling`).  The points may be moved, added and taken away between steps, and the function replaced
by any other.  A state that was can be gone back to.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from ...arrays import Bools, Floats
from ..functions.base import ImplicitFunction
from ..particles.floaters import Floaters
from ..particles.sampling import Sampling
from .constraint_equations import StepLimits
from .control_points import ControlPoints
from .corrected_step import SurfaceStep, surface_motion
from .parameter_metric import ParameterMetric
from .state import SculptSettings, SculptState, SculptStatus
from .surface_step import surface_step

_STUCK = 0.1  # of its way in a step: a point that comes by less gets no nearer
_CALM, _CALM_STEPS = 0.02, 5  # of their radii: floaters that move less, for so many steps, are at rest
_PATIENCE = 120  # steps of a surface at rest after which nobody waits for floaters that find none
_NO_MOTION = 1e-3  # of "near": a change of the parameters that is none


class _Kept:
    """What is kept from step to step."""

    def __init__(self, points: int) -> None:
        self.measures: ParameterMetric | None = None
        self.followed: SurfaceStep | None = None
        self.off = np.zeros(points)
        self.at_rest = False
        self.finite: ImplicitFunction | None = None
        self.calm = self.still = 0


class Sculpting:
    """A surface under an artist's hands; `step` makes the next state.  Control points are told by number.

    Raises SculptingError for a point or number that has no meaning.
    """

    def __init__(
        self,
        function: ImplicitFunction,
        settings: SculptSettings,
        rng: np.random.Generator,
        controls: ControlPoints | None = None,
        floaters: Floaters | None = None,
    ) -> None:
        points = ControlPoints.pinned([]) if controls is None else controls
        self._rng, self._kept = rng, _Kept(len(points))
        self._desired = np.zeros(len(function.parameters))
        self._set_up(settings)
        shown = self._sampling.seeds(function) if floaters is None else floaters
        self.state = SculptState(function, shown, points, np.zeros(len(points), dtype=bool))

    def _set_up(self, settings: SculptSettings) -> None:
        self._settings = settings
        self._sampling = Sampling(settings.floaters, self._rng)

    @property
    def settings(self) -> SculptSettings:
        """The settings; others may be given between steps."""
        return self._settings

    @settings.setter
    def settings(self, settings: SculptSettings) -> None:
        self._set_up(settings)
        self._kept.measures = None
        self._stir()

    @property
    def status(self) -> SculptStatus:
        """What the surface is doing."""
        return self.state.status

    @property
    def desired(self) -> Floats:
        """The rate (m,) at which parameters are wished to change, Q, per unit of time."""
        return self._desired

    @desired.setter
    def desired(self, rate: Floats) -> None:
        self._desired = np.asarray(rate, dtype=np.float64)
        self._stir()

    def drag(self, index: int, target: Floats) -> None:
        """Pull a control point towards a place (3,), from now on."""
        self._take(self.state.controls.dragged_to(index, target))

    def release(self, index: int) -> None:
        """Let go of a control point: it is pinned where it is."""
        self._take(self.state.controls.released(index))

    def pin(self, index: int, place: Floats) -> None:
        """Pin a control point at another place (3,); the surface comes there as fast as it can."""
        self._take(self.state.controls.pinned_at(index, place))

    def add(self, place: Floats, name: str = "") -> int:
        """Pin the surface at one more place (3,); return its number."""
        self._take(self.state.controls.with_point(place, name))
        return len(self.state.controls) - 1

    def remove(self, index: int) -> None:
        """Take a control point away; those behind it move up."""
        self._take(self.state.controls.without(index))

    def _take(self, controls: ControlPoints) -> None:
        state, stuck = self.state, np.zeros(len(controls), dtype=bool)
        self.state = SculptState(
            state.function, state.floaters, controls, stuck, SculptStatus.RUNNING, state.steps
        )
        self._kept.off = np.zeros(len(controls))
        self._kept.at_rest, self._kept.calm, self._kept.still = False, 0, 0

    def change_function(self, function: ImplicitFunction) -> None:
        """Go on with another function, of any kind and number of parameters: elements were moved, added,
        taken away.  Nothing is desired of its parameters until it is set.
        """
        self._desired = np.zeros(len(function.parameters))
        self._kept = _Kept(len(self.state.controls))
        self.state = replace(self.state, function=function, status=SculptStatus.RUNNING)

    def resume_from(self, state: SculptState) -> None:
        """Go on from a state that was."""
        self.state = state
        self.change_function(state.function)
        self.state = state

    def _stir(self) -> None:
        self.state = replace(self.state, status=SculptStatus.RUNNING)
        self._kept.at_rest, self._kept.calm, self._kept.still = False, 0, 0

    def step(self) -> SculptState:
        """Make one step of dt, unless by it the surface would be gone, or infinite, with no bounds set."""
        before, settings = self.state, self._settings.floaters
        measures = self._measures()
        pace = measures.pace
        followed = self._followed(measures)
        after = before.function if followed is None else followed.function
        if settings.bounds is None and after is not self._kept.finite:
            if after.is_endless():
                return self._refused(SculptStatus.ENDLESS)
            self._kept.finite = after
        rate, far = None, 0.0
        if after is not before.function:
            change = after.parameters - before.function.parameters
            far = surface_motion(change, pace)
            if far <= _NO_MOTION * pace.near:
                after = before.function
            else:
                rate = change / settings.time_step
        if settings.focus_size > 0.0 and settings.focus is None:
            self._look_near(followed.controls if followed is not None else before.controls)
        floaters = self._sampling.advance(before.floaters, before.function, rate, after)
        if rate is not None and len(before.floaters) and not len(floaters):
            return self._refused(SculptStatus.HELD_BACK)
        measures.stepped(far)
        calm = rate is None and _are_calm(before.floaters, floaters)
        self._kept.calm = self._kept.calm + 1 if calm else 0
        self._kept.still = self._kept.still + 1 if rate is None else 0
        controls, stuck = before.controls, before.stuck
        if followed is not None:
            controls = followed.controls
            away = np.maximum(controls.distance_left, followed.off) > pace.near
            stuck = away & self._gets_no_nearer(before.controls, followed, pace)
            self._kept.at_rest = rate is None and not away.any() and not self._desired.any()
        status = self._status(len(floaters), bool(stuck.any()), len(controls))
        self.state = SculptState(after, floaters, controls, stuck, status, before.steps + 1)
        return self.state

    def _refused(self, status: SculptStatus) -> SculptState:
        """Leave all as it is but the status: after this step the surface would be infinite, or gone."""
        before, self._kept.followed = self.state, None
        stuck = before.controls.distance_left > self._measures().pace.near
        self.state = replace(before, stuck=stuck, status=status, steps=before.steps + 1)
        return self.state

    def _followed(self, measures: ParameterMetric) -> SurfaceStep | None:
        """Have the surface follow its control points; None where nothing is to be done."""
        if self._kept.at_rest or not (len(self.state.controls) or self._desired.any()):
            return None
        desired = self._desired * self._settings.floaters.time_step
        known = self.state.floaters.positions
        state, last = self.state, self._kept.followed
        followed = surface_step(
            state.function, state.controls, desired, measures.mobility, measures.pace, known, last
        )
        self._kept.followed = followed
        return followed

    def _measures(self) -> ParameterMetric:
        """Return what the step is measured by."""
        measures, state = self._kept.measures, self.state
        if measures is None or measures.are_old(state.floaters):
            measures = self._kept.measures = ParameterMetric(state.function, state.floaters, self._settings)
        return measures

    def _look_near(self, controls: ControlPoints) -> None:
        """Have floaters denser near what is dragged (section 6)."""
        dragged = controls.position[controls.dragged]
        self._sampling.settings = replace(self._settings.floaters, focus=dragged)

    def _gets_no_nearer(self, before: ControlPoints, made: SurfaceStep, pace: StepLimits) -> Bools:
        """Return which control points (n,) came by much less than they should, to places or surface."""
        was, self._kept.off = self._kept.off, made.off
        gained = np.where(before.free, before.distance_left - made.controls.distance_left, was - made.off)
        asked = np.where(before.free, np.minimum(before.distance_left, pace.stride), was)
        return np.asarray(gained < _STUCK * asked)

    def _status(self, shown: int, stuck: bool, pinned: int) -> SculptStatus:
        if not shown:
            return SculptStatus.VANISHED
        if self._kept.calm < _CALM_STEPS and self._kept.still < _PATIENCE:
            return SculptStatus.RUNNING
        if stuck:
            return SculptStatus.HELD_BACK
        return SculptStatus.SETTLED if self._kept.at_rest or not pinned else SculptStatus.RUNNING


def _are_calm(before: Floaters, after: Floaters) -> bool:
    """Whether none was born, died, or moved by more than a small part of its radius."""
    if len(before) != len(after) or not len(after) or after.ages.min() == 0:
        return False
    moves = after.positions - before.positions
    return bool(np.all(np.einsum("ri,ri->r", moves, moves) <= (_CALM * after.radii) ** 2))
