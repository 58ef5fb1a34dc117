"""What happens to contacts in time: the events of Bouma and Vanecek 1991, section 7.

A contact is *active* while it presses: these are the paper's temporary hinges, all of a pair of bodies one.
One that touches without pressing is inactive, or dead where it opens.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import IntEnum
from typing import Self

import numpy as np

from ..arrays import ArrayRecord, Bools, Floats, Ints
from ..contact.system import InterfacePoints, feature_keys, rows_with_keys
from ..vectors import length

_SLIPS = 1e-3  # slip, over the speed of an approach without a bounce, that is one


class EventKind(IntEnum):
    """What an event is, in the order in which those of one time are handled."""

    SUPPORT_LEFT = 1
    NEW_CONTACT = 2
    COLLISION = 3
    SEPARATION = 4
    SLIP_BEGINS = 5
    SLIP_ENDS = 6
    LIMIT_REACHED = 7
    JOINT_BREAKS = 8


@dataclass(frozen=True, eq=False)
class Event:
    """One event.

    time: seconds.
    kind: what happens: an active contact leaves its support (type 1 of the paper), a contact is new (2),
        closes (3), opens (4), begins or ends to slip; a joint runs into a limit, or breaks.
    bodies: numbers of the two bodies, FIXED for what stands still.
    place (3,): where, in the scene.
    speed: of the approach or the slip, lengths a second.
    joint: the number of the joint among all that the simulation began with; -1 for none.
    """

    time: float
    kind: EventKind
    bodies: tuple[int, int]
    place: Floats
    speed: float
    joint: int = -1


@dataclass(frozen=True, eq=False)
class Touching(ArrayRecord):
    """The contacts (k,) at one time.

    keys (k, 6): their features.  place (k, 3): in the scene.
    active (k,): which press.  slip (k,): how fast they slip, lengths a second.
    """

    keys: Ints
    place: Floats
    active: Bools
    slip: Floats

    def __len__(self) -> int:
        return len(self.slip)

    @classmethod
    def none(cls) -> Self:
        """Return no contacts."""
        return cls(np.zeros((0, 6), np.intp), np.zeros((0, 3)), np.zeros(0, bool), np.zeros(0))

    @classmethod
    def of(cls, world: InterfacePoints, active: Bools, slip: Floats) -> Self:
        """Return contacts at points (k,) in the scene that press, or do not, and slip by vectors (k, 2)."""
        return cls(feature_keys(world), world.point1, active, length(slip))

    def pressing_as(self, later: Self) -> Self:
        """Return the contacts, of which those press that do so later, too: where nothing more is known."""
        rows = rows_with_keys(self.keys, later.keys)
        active = np.append(later.active, False)[rows]  # the last is for -1, what does not touch any more
        return replace(self, active=active)


def events_between(
    before: Touching, now: Touching, known: InterfacePoints, time: float, slow: float
) -> list[Event]:
    """Return the events from one time to the next one, in their order.

    Args:
        before: the contacts at the first time.
        now: those at the second.
        known: all interface points within reach then.
        time: of the second, s.
        slow: `Scene.slow`.
    """
    found: list[Event] = []

    def add(kind: EventKind, part: Touching, rows: Ints) -> None:
        for row in rows.tolist():
            bodies = (int(part.keys[row, 0]), int(part.keys[row, 1]))
            found.append(Event(time, kind, bodies, part.place[row], float(part.slip[row])))

    came, went = rows_with_keys(now.keys, before.keys), rows_with_keys(before.keys, now.keys)
    lost = np.flatnonzero(before.active & (went < 0))
    left = rows_with_keys(before.keys[lost], feature_keys(known)) < 0
    add(EventKind.SUPPORT_LEFT, before, lost[left])
    add(EventKind.NEW_CONTACT, now, np.flatnonzero(came < 0))
    add(EventKind.SEPARATION, before, lost[~left])
    both = np.flatnonzero((came >= 0) & now.active)
    both = both[before.active[came[both]]]
    slips, slipped = now.slip[both] > _SLIPS * slow, before.slip[came[both]] > _SLIPS * slow
    add(EventKind.SLIP_BEGINS, now, both[slips & ~slipped])
    add(EventKind.SLIP_ENDS, now, both[~slips & slipped])
    return found


def collisions(place: Floats, bodies: Ints, speed: Floats, time: float) -> list[Event]:
    """Return the collisions of contacts at places (k, 3) of pairs of bodies (k, 2) at speeds (k,)."""
    return [
        Event(time, EventKind.COLLISION, (int(pair[0]), int(pair[1])), at, float(v))
        for at, pair, v in zip(place, bodies, speed, strict=True)
    ]


def collisions_stopped(met: InterfacePoints, speed: Floats, end: InterfacePoints, time: float) -> list[Event]:
    """Return the collisions of points (k,) that a step has met at speeds (k,) and stopped: of those that are
    among the points which touch at its end, where they are then.
    """
    rows = rows_with_keys(feature_keys(end), feature_keys(met))
    hit = np.flatnonzero(rows >= 0)
    pairs = np.stack([end.body1[hit], end.body2[hit]], axis=1)
    return collisions(end.point1[hit], pairs, speed[rows[hit]], time)


def in_order(events: Sequence[Event]) -> list[Event]:
    """Return events in the order of their times, those of one time in that of their kinds."""
    return sorted(events, key=lambda event: (event.time, event.kind))
