"""Surfaces for the frames of an animation, whose elements and control points are keyed.

A frame's surface continues that of the frame before: its parameters change as the keyed ones do, which is
what Q is for (Witkin and Heckbert 1994, section 3.4), and then by the least that takes the surface to the
frame's control points. Nothing else is carried over, and random numbers are drawn from the frame's number: so
a frame is the same whether it is played or scrubbed to.
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

_STILL = 6  # steps without motion of the surface, after which a frame's floaters are spread well enough


@dataclass(frozen=True, eq=False)
class KeyedFrame:
    """What is keyed in a frame.

    Attributes:
        function: F as its elements are keyed.
        places: the control points (n, 3), in scene units.
        names: their names (n), for messages.
    """

    function: ImplicitFunction
    places: Floats | Sequence[Sequence[float]]
    names: tuple[str, ...] = ()


class KeyedSculpting:
    """Solves frames one after another from the first, and keeps their states.

    Attributes:
        first: the number of the first frame.

    Args:
        keyed: returns what is keyed in a frame.
        settings: those of the sculpting.
        first: the number of the first frame.
        steps: most steps of a frame.
        first_steps: most steps of the first frame.
        seed: of the random numbers.

    Raises:
        SculptingError: for fewer than one step.
    """

    def __init__(
        self,
        keyed: Callable[[int], KeyedFrame],
        settings: SculptSettings,
        first: int,
        steps: int = 30,
        first_steps: int = 150,
        seed: int = 0,
    ) -> None:
        """Keep what is keyed, and solve nothing yet."""
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
        """Return the state of a frame, or of the first one if it is before that; frames up to
        it are solved.
        """
        while self.solved <= max(frame - self.first, 0):
            self._solve(self.first + self.solved)
        return self._states[max(frame - self.first, 0)]

    def forget(self, frame: int | None = None) -> None:
        """Forget a frame and all after it, or all frames, because what is keyed has changed."""
        kept = 0 if frame is None else max(frame - self.first, 0)
        del self._states[kept:], self._functions[kept:]

    def _solve(self, frame: int) -> None:
        """Solve a frame, whose predecessor is solved."""
        keyed = self._keyed(frame)
        function, floaters = self._continued(keyed.function)
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

    def _continued(self, keyed: ImplicitFunction) -> tuple[ImplicitFunction, Floaters | None]:
        """Return the function and the floaters with which a frame begins."""
        if not self._states:
            return keyed, None
        before, solved = self._functions[-1], self._states[-1]
        if keyed.names != before.names:
            return keyed, solved.floaters
        parameters = solved.function.parameters + keyed.parameters - before.parameters
        shrunk = keyed.positive & (parameters <= 0.0)
        return keyed.with_parameters(np.where(shrunk, keyed.parameters, parameters)), solved.floaters
