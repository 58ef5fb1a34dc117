"""The way to a rest in time: bodies begin and end it at rest, and nowhere are they faster than is unseen.

The length of the way is the farthest that a point of a body goes, from state to state.  Of the whole length,
the part x^2 (3 - 2 x) is behind at the part x of the time: its speed is at most 3/2 of its mean.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Final

import numpy as np

from ..arrays import Floats
from ..dynamics.motion import Motion
from ..mechanics.inertia import Inertia
from ..vectors import length

PACE: Final = 2e-2  # greatest speed of a point on the way, over sqrt(g R)
_PEAK: Final = 1.5  # greatest speed over the mean


def path_lengths(inertia: Inertia, first: Motion, second: Motion) -> Floats:
    """Return how far a point of each body (m,) moves at most from one motion to another, lengths."""
    twists = first.twists_to(inertia, second)
    far: Floats = inertia.radius * (length(twists[:, :3]) + length(twists[:, 3:]))
    return far


@dataclass(frozen=True, eq=False)
class TimedPath:
    """The way of some bodies through the states of a placement.

    inertia: of these bodies (n).
    states: where they are; their rates are zero.
    reached: the length of the way up to each state, lengths.
    """

    inertia: Inertia
    states: tuple[Motion, ...]
    reached: Floats

    @classmethod
    def through(cls, inertia: Inertia, states: Sequence[Motion]) -> TimedPath:
        """Return the way through states, one or more."""
        parts = [float(path_lengths(inertia, one, next_one).max()) for one, next_one in pairwise(states)]
        return cls(inertia, tuple(states), np.concatenate([[0.0], np.cumsum(parts)]))

    def seconds(self, gravity: float) -> float:
        """Return the least time, s, in which it may be gone; gravity: lengths over s^2."""
        fastest = PACE * float(np.sqrt(gravity * self.inertia.radius.min()))
        return _PEAK * float(self.reached[-1]) / fastest

    def at(self, part: float) -> Motion:
        """Return where the bodies are, at rest, after a part of the time, 0 to 1."""
        if part >= 1.0:
            return self.states[-1]
        behind = part**2 * (3.0 - 2.0 * part) * float(self.reached[-1])
        last = max(len(self.states) - 2, 0)
        number = min(max(int(np.searchsorted(self.reached, behind, side="right")) - 1, 0), last)
        here = self.states[number]
        if len(self.states) == 1:
            return here
        step = float(self.reached[number + 1] - self.reached[number])
        share = (behind - float(self.reached[number])) / step if step > 0.0 else 1.0
        return here.displaced(self.inertia, share * here.twists_to(self.inertia, self.states[number + 1]))
