"""How paths bend in a step, and which steps bend them too much.

The error of a step of second order lies in what paths bend beyond straight ones: at the arm of a body of
radius R that turns by t in the step, at most R t^2 / 2.  What swings or tips under an acceleration a has a
rate of sqrt(a / R) besides.  A step of h seconds in which a contact that presses or a joint bends is made
shorter where t or h sqrt(a / R) is above a given one: so bodies of a millimetre move as exactly as those of a
metre do.  At contacts only how gaps open counts: what rolls or spins in place opens none, however far it
turns.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, NamedTuple, Self

import numpy as np

from ..arrays import ArrayRecord, Floats, Ints
from ..vectors import length

_BENT: Final = 1e-3  # of the gap to be kept: a change of bending that need not be put right
_MANY: Final = 16  # contacts above which it is put right only where it matters
_MATTERS: Final = 0.2  # of the gap to be kept
_PART: Final = 0.15  # of the bending itself, besides
_UNSEEN: Final = 0.3  # of the gap to be kept, by which bodies may come nearer on the way
_FARTHEST: Final = 300.0  # of the same: the most that bodies keep besides for the bending of their paths
_TURN: Final = 0.025  # radians: most that a body turns in a step while its paths bend, and
_TURN_OF_MANY: Final = 0.1  # the same where many contacts touch
_SHARE: Final = 0.1  # of the most that a turn bends a path, above which it is no rolling
_SEEN: Final = 1e-8  # of the radius, above which it is no rounding
_SPARING: Final = 0.9  # part of what would do that is tried


class Coarse(NamedTuple):
    """A step is too long; a share of its time may do."""

    share: float


@dataclass(frozen=True, eq=False)
class Bending(ArrayRecord):
    """How paths bend at k contacts: what gaps open and contacts slip beyond what rates say, lengths.

    opened (k,), slid (k, 2): beyond what the rates say with which a drift begins.
    evenly (k,): what gaps open beyond what they open at first, on the even ways of their bodies.
    """

    opened: Floats
    slid: Floats
    evenly: Floats

    @classmethod
    def none(cls, count: int) -> Bending:
        """Return straight paths."""
        return cls(np.zeros(count), np.zeros((count, 2)), np.zeros(count))

    def times(self, factor: float) -> Bending:
        """Return so much of it."""
        return Bending(factor * self.opened, factor * self.slid, factor * self.evenly)

    def is_nearly(self, other: Bending, gap: Floats, hold: float) -> bool:
        """Return whether another one differs so little that it need not be put right.

        gap (k,): of the contacts at the start.  What is nearer than the gap to be kept has less room, and no
            path may use that up, however much it bends.
        """
        mine, its = (np.column_stack([each.opened, each.slid]) for each in (self, other))
        error = np.abs(mine - its).max(axis=1)
        if len(error) <= _MANY:
            return bool((error <= _BENT * hold).all())
        room = _MATTERS * np.clip(gap, 0.0, hold)
        nearer = other.opened - self.opened
        return bool((nearer <= room).all() and (error <= room + _PART * length(mine)).all())


@dataclass(frozen=True, eq=False)
class Turns:
    """How far m bodies turn in a step.

    radius (m,): lengths.
    turned (m,): by how much, radians.
    quick (m,): by how much they turn in it at most or swing under what pulls at them, radians.
    most: of that, where paths bend.
    """

    radius: Floats
    turned: Floats
    quick: Floats
    most: float

    @classmethod
    def of(cls, radius: Floats, rates: Floats, kicks: Floats, h: float, crowded: bool) -> Self:
        """Return those of bodies in a step of h seconds with rates (m, 6) under accelerations (m, 6) of them.

        crowded: whether many contacts touch.
        """
        turned = h * length(rates[:, 3:])
        if crowded:
            return cls(radius, turned, turned, _TURN_OF_MANY)
        swing = h * np.sqrt(length(kicks[:, :3]) + length(kicks[:, 3:]))
        return cls(radius, turned, np.maximum(turned, swing), _TURN)

    def finer_share(self, bodies: Ints, bent: Floats) -> float:
        """Return the share of the step in which the paths bend little enough, 1 for all of it.

        bodies: of contacts or joints (k, 2), FIXED for the world.
        bent (k,): by how much their paths bend, lengths.
        """
        most = np.append(0.5 * self.radius * self.turned**2, 0.0)[bodies]  # the last is the fixed world's
        seen = np.append(_SEEN * self.radius, np.inf)[bodies]
        bends = bent[:, None] > np.maximum(_SHARE * most, seen)
        quick = np.append(self.quick, 0.0)[bodies][bends].max(initial=0.0)
        return 1.0 if quick <= self.most else _SPARING * self.most / float(quick)


def kept_gaps(gap: Floats, dipped: Floats, hold: float) -> Floats:
    """Return the gaps (k,) that contacts keep at the end of a step, lengths (`Drift.kept`).

    gap (k,): at its start.  dipped (k,): by how much the even ways of their bodies bend them open.
    """
    unseen = (1.0 - _UNSEEN) * hold
    bent = np.maximum(dipped, 0.0)
    above = np.divide(np.maximum(gap - unseen, 0.0), bent, out=np.ones_like(bent), where=bent > 0.0)
    dip = bent * np.maximum(0.25, (1.0 - np.sqrt(np.minimum(above, 1.0))) ** 2)
    kept: Floats = np.clip(unseen + dip, hold, (1.0 + _FARTHEST) * hold)
    return kept
