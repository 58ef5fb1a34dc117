"""What a tick of a linkage has to obey, as Newton's method asks for it: clearances, or none, and limits."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Generic, TypeVar
from weakref import WeakKeyDictionary

import numpy as np

from ...arrays import Floats, Ints
from ..configuration import Configuration
from ..equations import Equations
from ..least_motion import Gaps

ValidT = TypeVar("ValidT")


class Clearances(ABC, Generic[ValidT]):
    """What keeps bodies apart in a tick: gaps to obey, and a check of where it leads.

    Attributes:
        free_share: of the last motion that was checked, what may be gone.
        end_is_forbidden: whether the gaps that the last check has found forbid where that motion ends.
    """

    free_share: float = 1.0
    end_is_forbidden: bool = False

    @abstractmethod
    def gaps(self, configuration: Configuration) -> Gaps:
        """Return the gaps of what may meet in this tick, at any configuration in it."""

    def hessians(self, configuration: Configuration, numbers: Ints) -> Floats:
        """Return the parts (k, 12, 12) of the second derivatives of some gaps that `Gaps` leaves out."""
        return np.zeros((len(numbers), 12, 12))

    @abstractmethod
    def checked(self, configuration: Configuration) -> ValidT | None:
        """Return what is known of a configuration that the tick may lead to; None if anything is overlapped
        there or crossed on the way, of which `gaps` knows from then on.
        """


class NoClearances(Clearances[bool]):
    """Bodies may go through each other."""

    def gaps(self, configuration: Configuration) -> Gaps:
        """Return no gaps."""
        return Gaps.none()

    def checked(self, configuration: Configuration) -> bool | None:
        """Return that a configuration is valid."""
        return True


@dataclass(frozen=True, eq=False)
class Limits:
    """The limits of joints in a tick.

    near: the joints' coordinates at its start.  beyond (k,): gaps that may be negative, as they were so where
        the figure was grabbed, and have been since; 0 for others.
    """

    equations: Equations
    near: Floats
    beyond: Floats

    @classmethod
    def at(cls, equations: Equations, configuration: Configuration, near: Floats) -> Limits:
        """Return the limits of a figure that is grabbed at a configuration."""
        if not equations.has_limits:
            return cls(equations, near, np.zeros(0))
        gaps = equations.limits(configuration, near).value
        return cls(equations, near, np.minimum(gaps, 0.0))

    def moved(self, configuration: Configuration, near: Floats) -> Limits:
        """Return the limits in the next tick, which begins at a configuration: what has come back within its
        limits stays there, and nothing may go farther beyond than before.
        """
        if not len(self.beyond):
            return self
        gaps = self.equations.limits(configuration, near).value
        return Limits(self.equations, near, np.clip(gaps, self.beyond, 0.0))

    def passed(self, configuration: Configuration) -> float:
        """Return how far the worst joint is beyond what it may be, over L or in radians."""
        return float(-self.gaps(configuration).gap.min(initial=0.0))

    def with_clearances(
        self, configuration: Configuration, clearances: Clearances[ValidT]
    ) -> tuple[Gaps, int]:
        """Return the gaps of all limits, then those of clearances, and the number of limits."""
        mine = self.gaps(configuration)
        count = len(mine.gap)

        def hessians(numbers: Ints) -> Floats:
            of_limits, others = numbers[numbers < count], numbers[numbers >= count] - count
            found = [np.zeros((0, 12, 12))]
            found += [self.equations.limit_hessians(configuration, of_limits)] if len(of_limits) else []
            found += [clearances.hessians(configuration, others)] if len(others) else []
            return np.concatenate(found)

        every = Gaps.join([mine, clearances.gaps(configuration)])
        return replace(every, hessians=hessians), count

    def gaps(self, configuration: Configuration) -> Gaps:
        """Return the gaps of all limits; those of a configuration are found once."""
        if not len(self.beyond):
            return Gaps.none()
        found = self._found.get(configuration)
        if found is None:
            rows = self.equations.limits(configuration, self.near)
            found = Gaps.straight(rows.value - self.beyond, rows.blocks, rows.body)
            self._found[configuration] = found
        return found

    @cached_property
    def _found(self) -> WeakKeyDictionary[Configuration, Gaps]:
        return WeakKeyDictionary()
