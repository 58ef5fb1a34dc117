"""A step that was made, before it is known what happened in it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ...arrays import Bools
from ..contacts import Contacts
from ..events import Event
from ..joints.free_linkages import FreeLinkages
from ..joints.loads import Break
from ..step import Moment


@dataclass(frozen=True, eq=False)
class MadeStep:
    """A step that was made.

    end: its end.  contacts (k,): that took part; pressing (k,): which of them press.
    part: of its time; 0 where joints break before any passes.
    linkages: what has moved by itself.
    breaks: the joints that break, and the part of what was made after which they do.
    stopped: the collisions that it has stopped.
    """

    end: Moment
    contacts: Contacts
    pressing: Bools
    part: float
    linkages: FreeLinkages
    breaks: Break
    stopped: Sequence[Event] = ()

    @classmethod
    def at_once(cls, moment: Moment, breaks: Bools) -> MadeStep:
        """Return a step that ends where it begins, as joints (n,) break there."""
        nobody = FreeLinkages.none(moment.motion, len(breaks))
        none = np.zeros(0, np.intp)
        return cls(moment, moment.contacts.take(none), np.zeros(0, bool), 0.0, nobody, Break(0.0, breaks))
