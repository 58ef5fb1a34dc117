"""What keeps the bodies of a linkage apart in a tick, as Newton's method asks for it; or nothing."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Generic, TypeVar

import numpy as np

from ...arrays import Floats, Ints
from ..configuration import Configuration
from ..least_motion import Gaps

ValidT = TypeVar("ValidT")


class Clearances(ABC, Generic[ValidT]):
    """What keeps bodies apart in a tick: gaps to obey, and a check of where it leads.

    Attributes:
        free_share: of the last motion that was checked, what may be gone.
        has_obeyed: whether the gaps that the last check has found keep from that motion.
    """

    free_share: float = 1.0
    has_obeyed: bool = False

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
