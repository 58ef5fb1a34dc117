"""Surfaces for the frames of an animation, whose elements and control points are keyed.

A frame's surface goes on from that of the frame before: its parameters change as the keyed ones do, which
is what Q is for (Witkin and Heckbert 1994, section 3.4), and then by the least that takes it to the frame's
control points.  Nothing else is taken along, and chance is drawn from the frame's number: so a frame is the
same whether it is played or scrubbed to.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from ...arrays import Floats
from ...errors import SculptingError
from ..functions.base import ImplicitFunction
from ..particles.floaters import Floaters
from .control_points import ControlPoints
from .sculpting import Sculpting
from .state import SculptSettings, SculptState, SculptStatus

_STILL = 6  # steps in which the surface has not moved, after which a frame's floaters are spread well enough


@dataclass(frozen=True, eq=False)
class KeyedFrame:
    """What is keyed in a frame: the function as its elements are, and where the control points are (n, 3)."""

    function: ImplicitFunction
    places: Floats | Sequence[Sequence[float]]
    names: tuple[str, ...] = ()


class KeyedSculpting:
    """Solves frames one after another from the first, and keeps them."""

    def __init__(
        self,
        keyed: Callable[[int], KeyedFrame],
        settings: SculptSettings,
        first: int,
        steps: int = 30,
        first_steps: int = 150,
        seed: int = 0,
    ) -> None:
        """Take what is keyed from a function of the frame; steps are what a frame takes at most."""
        if steps < 1 or first_steps < 1:
            raise SculptingError(f"steps of a frame: expected at least 1, found {min(steps, first_steps)}")
        self.first = first
        self._keyed, self._settings, self._seed = keyed, settings, seed
        self._steps, self._first_steps = steps, first_steps
        self._states: list[SculptState] = []
        self._functions: list[ImplicitFunction] = []

    @property
    def solved(self) -> int:
        """How many frames are solved."""
        return len(self._states)

    def at(self, frame: int) -> SculptState:
        """Return the surface in a frame, or in the first one if it is before that."""
        while self.solved <= max(frame - self.first, 0):
            self._solve(self.first + self.solved)
        return self._states[max(frame - self.first, 0)]

    def forget(self, frame: int | None = None) -> None:
        """Solve a frame, and all after it, anew when they are asked for: what is keyed has changed."""
        kept = 0 if frame is None else max(frame - self.first, 0)
        del self._states[kept:], self._functions[kept:]

    def _solve(self, frame: int) -> None:
        keyed = self._keyed(frame)
        function, floaters = self._gone_on(keyed.function)
        controls = ControlPoints.pinned(keyed.places, keyed.names)
        rng = np.random.default_rng([self._seed, frame - self.first])
        sculpting = Sculpting(function, self._settings, rng, controls, floaters)
        most = self._steps if self._states else self._first_steps
        still = 0
        while sculpting.state.steps < most and still < _STILL and sculpting.status is SculptStatus.RUNNING:
            before = sculpting.state.function
            still = still + 1 if sculpting.step().function is before and self._states else 0
        self._states.append(sculpting.state)
        self._functions.append(keyed.function)

    def _gone_on(self, keyed: ImplicitFunction) -> tuple[ImplicitFunction, Floaters | None]:
        """Return the function and the floaters that a frame begins with."""
        if not self._states:
            return keyed, None
        before, solved = self._functions[-1], self._states[-1]
        if keyed.names != before.names:
            return keyed, solved.floaters
        parameters = solved.function.parameters + keyed.parameters - before.parameters
        shrunk = keyed.positive & (parameters <= 0.0)
        return keyed.with_parameters(np.where(shrunk, keyed.parameters, parameters)), solved.floaters
