"""Sculpting: a surface that follows control points and is shown by floaters (Witkin and Heckbert 1994).

A step is section 5's: where the control points are pulled, and what is desired of the parameters; how these
change, by equations 7 and 8 (`following`); how the floaters follow, how their radii fit, who splits and who
dies (`sampling`).  The points may be moved, added and taken away between steps, and the function replaced
by any other.  A state that was can be gone back to.

What the change of parameters is measured by is how far it moves the surface, taken from the floaters anew
every few steps (footnote 1; see `least_change`).
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import Enum

import numpy as np

from ..arrays import Bools, Floats
from .control_points import ControlPoints
from .equations import Pace
from .floaters import Floaters, FloaterSettings
from .following import Followed, follow
from .function import ImplicitFunction
from .least_change import mobility_by_motion, mobility_by_scales
from .sampling import Sampling

_NEAR = 1e-3  # of the floaters' radius: how far off the surface a point is counted as on it
_STRIDE = 0.02  # the square of a step's longest way, over the radius times the size of the surface
_LEAST_RADIUS = 0.5  # of the floaters' radius: an element as small as that does not get smaller
_AGAIN = 10  # steps after which the metric is taken anew
_SAMPLES = 200  # floaters that it is taken from
_MANY = 30  # floaters that show how large the surface is
_STUCK = 0.1  # of its way in a step: a point that comes by less gets no nearer
_CALM, _CALM_STEPS = 0.02, 5  # of their radii: floaters that move less, for so many steps, are at rest
_NO_MOTION = 1e-3  # of "near": a change of the parameters that is none


class SculptStatus(Enum):
    """What the surface is doing; `message` says it to a person.  None is an end: steps may go on."""

    RUNNING = "the surface is moving"
    SETTLED = "at rest: the surface passes through all control points"
    HELD_BACK = "at rest, but the surface cannot pass through all control points"
    VANISHED = "there is no surface: its elements are too small or too far apart; enlarge one"

    @property
    def message(self) -> str:
        """A sentence for a person."""
        return self.value


@dataclass(frozen=True)
class SculptSettings:
    """floaters: their radius and more; hold: whether the surface at a dragged point must not slip away."""

    floaters: FloaterSettings
    hold: bool = True


@dataclass(frozen=True, eq=False)
class SculptState:
    """A surface after a step: its function, its floaters, its control points.

    off (n,): how far off the surface each control point is, and left (n,) how far from where it is wanted, in
    scene units.  stuck (n,): those that get no nearer.
    """

    function: ImplicitFunction
    floaters: Floaters
    controls: ControlPoints
    off: Floats
    left: Floats
    stuck: Bools
    status: SculptStatus = SculptStatus.RUNNING
    steps: int = 0

    @property
    def message(self) -> str:
        """What the surface is doing, in a sentence that names the control points that it cannot follow."""
        names = [f'"{name}"' for name, stuck in zip(self.controls.names, self.stuck, strict=True) if stuck]
        if not names:
            return self.status.message
        farthest = float(np.max(np.maximum(self.off, self.left)[self.stuck]))
        points = "point" if len(names) == 1 else "points"
        return (
            f"{self.status.message}: control {points} {', '.join(names)} out of reach, by up to "
            f"{farthest:.3g}; release or remove some, free more parameters, or add an element"
        )


class _Kept:
    """What is kept from step to step, and taken anew when it is too old."""

    def __init__(self, function: ImplicitFunction) -> None:
        self.mobility: dict[bytes, Floats] = {}
        self.positive = function.positive
        self.scales = function.scales
        self.size = 0.0
        self.age = _AGAIN
        self.at_rest = False
        self.calm = 0


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
        self._rng, self._kept = rng, _Kept(function)
        self._desired = np.zeros(len(function.parameters))
        self._set_up(settings)
        shown = self._sampling.seeds(function) if floaters is None else floaters
        points = ControlPoints.pinned([]) if controls is None else controls
        nothing = np.zeros(len(points))
        self.state = SculptState(function, shown, points, nothing, points.distance_left, nothing > 0.0)

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
        self._take(self.state.controls.pulled(index, target))

    def release(self, index: int) -> None:
        """Let go of a control point: it is pinned where it is."""
        self._take(self.state.controls.released(index))

    def pin(self, index: int, place: Floats) -> None:
        """Pin a control point at another place (3,); the surface comes there as fast as it can."""
        self._take(self.state.controls.put(index, place))

    def add(self, place: Floats, name: str = "") -> int:
        """Pin the surface at one more place (3,); return its number."""
        self._take(self.state.controls.with_point(place, name))
        return len(self.state.controls) - 1

    def remove(self, index: int) -> None:
        """Take a control point away; those behind it move up."""
        self._take(self.state.controls.without(index))

    def _take(self, controls: ControlPoints) -> None:
        nothing = np.zeros(len(controls))
        self.state = replace(
            self.state, controls=controls, off=nothing, left=controls.distance_left, stuck=nothing > 0.0
        )
        self._stir()

    def change_function(self, function: ImplicitFunction) -> None:
        """Go on with another function, of any kind and number of parameters: elements were moved, added,
        taken away.  Nothing is desired of its parameters until it is set.
        """
        self._desired = np.zeros(len(function.parameters))
        self._kept = _Kept(function)
        self.state = replace(self.state, function=function, status=SculptStatus.RUNNING)

    def go_back(self, state: SculptState) -> None:
        """Go on from a state that was."""
        self.change_function(state.function)
        self.state = state

    def _stir(self) -> None:
        self.state = replace(self.state, status=SculptStatus.RUNNING)
        self._kept.at_rest, self._kept.calm = False, 0

    def step(self) -> SculptState:
        """Make one step of dt."""
        before = self.state
        followed = self._followed()
        after = before.function if followed is None else followed.function
        rate = None
        if after is not before.function:
            rate = (after.parameters - before.function.parameters) / self._settings.floaters.time_step
        floaters = self._sampling.advance(before.floaters, before.function, rate, after)
        self._kept.age += 1
        calm = rate is None and _are_calm(before.floaters, floaters)
        self._kept.calm = self._kept.calm + 1 if calm else 0
        moved = before if followed is None else self._moved(before, followed)
        state = replace(moved, floaters=floaters, steps=before.steps + 1)
        self.state = replace(state, status=self._status_of(state))
        return self.state

    def _followed(self) -> Followed | None:
        """Have the surface follow its control points; None where nothing is to be done."""
        if self._kept.at_rest or not (len(self.state.controls) or self._desired.any()):
            return None
        if self._kept.age >= _AGAIN:
            self._kept.size = _size_of(self.state.function, self.state.floaters, self._settings.floaters)
            self._kept.mobility, self._kept.age = {}, 0
            self._kept.scales = self.state.function.scales
        pace, function, known = self._pace(), self.state.function, self.state.floaters.positions
        desired = self._desired * self._settings.floaters.time_step
        made = follow(function, self.state.controls, desired, self._mobility, pace, known)
        change = np.abs(made.function.parameters - function.parameters) / pace.scales
        still = np.all(change <= _NO_MOTION * pace.near)
        return replace(made, function=function) if still else made

    def _pace(self) -> Pace:
        radius = self._settings.floaters.radius
        stride = float(np.sqrt(_STRIDE * radius * self._kept.size))
        least, hold = _LEAST_RADIUS * radius, self._settings.hold
        return Pace(
            stride, _NEAR * radius, self._kept.size, least, self._kept.positive, self._kept.scales, hold
        )

    def _mobility(self, free: Bools) -> Floats:
        """Return the metric's B with some parameters (m,) free, by how far they move the surface."""
        key = free.tobytes()
        if key not in self._kept.mobility:
            self._kept.mobility[key] = _mobility(self.state.function, self.state.floaters, free)
        return self._kept.mobility[key]

    def _moved(self, before: SculptState, made: Followed) -> SculptState:
        """Return the state after the surface has followed; note what gets no nearer."""
        near = _NEAR * self._settings.floaters.radius
        left = made.controls.distance_left
        ask = np.where(before.controls.free, np.minimum(before.left, self._pace().stride), before.off)
        gained = np.where(before.controls.free, before.left - left, before.off - made.off)
        far = np.maximum(left, made.off) > near
        self._kept.at_rest = bool(
            made.function is before.function and not far.any() and not self._desired.any()
        )
        return replace(
            before,
            function=made.function,
            controls=made.controls,
            off=made.off,
            left=left,
            stuck=far & (gained < _STUCK * ask),
        )

    def _status_of(self, state: SculptState) -> SculptStatus:
        if not len(state.floaters):
            return SculptStatus.VANISHED
        if self._kept.calm < _CALM_STEPS:
            return SculptStatus.RUNNING
        if state.stuck.any():
            return SculptStatus.HELD_BACK
        at_rest = self._kept.at_rest or not len(state.controls)
        return SculptStatus.SETTLED if at_rest else SculptStatus.RUNNING


def _size_of(function: ImplicitFunction, floaters: Floaters, settings: FloaterSettings) -> float:
    """Return how large the surface is, in scene units: the longest side of what is shown, or its box."""
    if len(floaters) >= _MANY:
        return max(float(np.ptp(floaters.positions, axis=0).max()), settings.radius)
    box = function.box()
    side = float(np.max(box[1] - box[0]))
    return max(side, settings.radius) if np.isfinite(side) else settings.radius


def _mobility(function: ImplicitFunction, floaters: Floaters, free: Bools) -> Floats:
    every = max(1, len(floaters) // _SAMPLES)
    few = floaters.only(np.arange(0, len(floaters), every))
    slope = np.sqrt(np.einsum("ri,ri->r", few.gradients, few.gradients))
    firm = slope > 0.0
    if not firm.any():
        return mobility_by_scales(function.scales, free)
    motion = function.parameter_gradient(few.positions[firm]).toarray() / slope[firm, None]
    return mobility_by_motion(motion, few.radii[firm] ** 2, function.scales, free)


def _are_calm(before: Floaters, after: Floaters) -> bool:
    """Whether none was born, died, or moved by more than a small part of its radius."""
    if len(before) != len(after) or not len(after) or after.ages.min() == 0:
        return False
    moves = after.positions - before.positions
    return bool(np.all(np.einsum("ri,ri->r", moves, moves) <= (_CALM * after.radii) ** 2))
