"""Which bodies sleep: islands that have come to rest are not solved for until something disturbs them.

Bodies that press on one another, or that joints connect, are an island.  One that has hardly moved for a
while, and not faster and faster, is put to sleep: its rates are zero from then on, and pairs of sleepers are
not searched.  What leaves a balance that is not stable moves faster and faster, which tells it from what
comes to rest, however slow it is.  All of an island wakes together, as soon as a body that moves touches one
of its bodies.

What goes less than e R in each of two steps need not be watched for a while.  Had it left a balance that is
not stable like exp(q t), it would be e R / (q h)^2 away from there: less than the rounding of coordinates in
single precision, with which bodies are placed, for q h above .005.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Self

import numpy as np
from scipy import sparse
from scipy.sparse.csgraph import connected_components

from ..arrays import Bools, Floats, Ints
from ..contact.system import FIXED, InterfacePoints
from ..vectors import dot
from .scene import Scene
from .step import TOUCHING, Moment

STILL = 1e-3  # rates, over those that gravity gives in a step, of a body that hardly moves
_GROWS = 2.0  # growth of rates, while a body hardly moves, with which it leaves a balance that is not stable
_ROUNDING = 1e-4  # of the rates of a body that hardly moves, below which growth is rounding
_DROWSY = 0.25  # seconds after which an island that hardly moves falls asleep
_STANDS = 1e-12  # e: what a body goes in a step, over its radius, that stands, and
_CALM = 1.99  # steps after which it falls asleep: in the first one it may have turned round


@dataclass(frozen=True, eq=False)
class Sleep:
    """Who sleeps among m bodies.

    asleep (m,): who does.
    still (m,): for how long each has hardly moved, s; begun (m,): at what rate it was when it began to.
    calm (m,): for how long each has stood, s.
    island (m,): the number of the island in which each fell asleep; -1 for those awake.
    """

    asleep: Bools
    still: Floats
    begun: Floats
    calm: Floats
    island: Ints

    @classmethod
    def none(cls, count: int) -> Self:
        """Return so many bodies awake."""
        zero = np.zeros(count)
        return cls(np.zeros(count, bool), zero, zero, zero, np.full(count, -1))

    def woken(self, bodies: Ints) -> Self:
        """Return this with the islands awake to which bodies (n,) belong."""
        wakes = np.isin(self.island, self.island[bodies[self.asleep[bodies]]]) & self.asleep
        if not wakes.any():
            return self
        return replace(
            self,
            asleep=self.asleep & ~wakes,
            still=np.where(wakes, 0.0, self.still),
            calm=np.where(wakes, 0.0, self.calm),
            island=np.where(wakes, -1, self.island),
        )

    def after(self, scene: Scene, rates: Floats, points: InterfacePoints, h: float) -> Self:
        """Return who sleeps after a step of h seconds.

        Args:
            scene: what is simulated.
            rates: (m, 6) at its end.
            points: the contacts that press.
        """
        parts = rates.reshape(-1, 2, 3)
        fastest = np.sqrt(dot(parts, parts)).sum(axis=1)
        most = STILL * scene.slow / scene.inertia.radius
        hardly = (fastest <= most) & ~scene.given
        begun = np.where(self.still > 0.0, self.begun, fastest)
        still = np.where(hardly, self.still + h, 0.0)
        leaves = (still >= _DROWSY) & (fastest > np.maximum(_GROWS * begun, _ROUNDING * most))
        still[leaves] = 0.0  # it goes away from a balance that is not stable: look again
        stands = fastest <= np.minimum(_ROUNDING * most, _STANDS / scene.step)
        calm = np.where(stands, self.calm + h, 0.0)
        drowsy = (still >= _DROWSY) | (calm >= _CALM * scene.step)
        number = islands(len(rates), scene.given, points, scene.joints.body)
        restless = np.zeros(number.max(initial=-1) + 1, bool)
        restless[number[~drowsy & ~self.asleep & ~scene.given]] = True
        falls = ~restless[number] & ~self.asleep & ~scene.given
        first = self.island.max(initial=-1) + 1
        return replace(
            self,
            asleep=self.asleep | falls,
            still=still,
            begun=begun,
            calm=calm,
            island=np.where(falls, first + number, self.island),
        )


def islands(count: int, given: Bools, points: InterfacePoints, ties: Ints) -> Ints:
    """Return the number of the island (m,) of each of `count` bodies.

    Args:
        count: of the bodies.
        given: whose motion (m,) is given: they connect nothing, as the fixed ones.
        points: the contacts that connect.
        ties: pairs of bodies (n, 2), FIXED for the world, that joints connect.
    """
    pairs = np.concatenate([np.stack([points.body1, points.body2], axis=1), ties.reshape(-1, 2)])
    pairs = pairs[(pairs != FIXED).all(axis=1)]
    pairs = pairs[~given[pairs].any(axis=1)]
    graph = sparse.coo_array((np.ones(len(pairs)), (pairs[:, 0], pairs[:, 1])), (count, count))
    found: Ints = connected_components(graph, directed=False)[1].astype(np.intp)
    return found


def crowded_bodies(scene: Scene, moment: Moment, few: int) -> Bools:
    """Return which bodies (m + 1,), the world last, are of islands of more than a few contacts."""
    points = moment.points
    touching = points.take(moment.touching)
    number = islands(len(scene), scene.given, touching, scene.joints.body)
    first, second = (
        np.where(bodies == FIXED, len(scene), bodies) for bodies in (touching.body1, touching.body2)
    )
    number = np.append(number, len(scene))  # the last is the fixed world, as are bodies whose motion is given
    number[:-1][scene.given] = len(scene)
    one, other = number[first], number[second]
    count = np.bincount(one, minlength=len(scene) + 1) + np.bincount(
        other[other != one], minlength=len(scene) + 1
    )
    crowded = count > few
    crowded[-1] = False
    found: Bools = crowded[number]
    return found


def woken(scene: Scene, sleep: Sleep, moment: Moment, h: float) -> Sleep:
    """Return who sleeps on of those who sleep, in a step of h seconds from a moment.

    What touches a body that moves, will do so in the step, or is joined to one, wakes with its island; so
    does what touches that island, and so on: it may be struck through it, and gives way by its mass, too.
    """
    points, ties = moment.points, scene.joints.body
    kicked = moment.motion.rates + h * np.where(sleep.asleep[:, None], 0.0, scene.kicks)
    near = points.gap + h * np.minimum(moment.contacts.speeds(kicked)[0], 0.0) <= TOUCHING * moment.kept
    one, other = np.append(points.body1[near], ties[:, 0]), np.append(points.body2[near], ties[:, 1])
    moves = np.append((moment.motion.rates != 0.0).any(axis=1) & ~sleep.asleep, False)  # at last the world
    while True:
        sleeps = np.append(sleep.asleep, False)
        first, second = one[sleeps[one] & moves[other]], other[sleeps[other] & moves[one]]
        if not len(first) and not len(second):
            return sleep
        sleep = sleep.woken(np.union1d(first, second))
        moves |= sleeps & ~np.append(sleep.asleep, False)


def squeezed(scene: Scene, moment: Moment) -> tuple[int, ...]:
    """Return the numbers of the bodies that move as given, and of those between them; of all that touch where
    nothing does.
    """
    points = moment.points.take(moment.touching)
    pairs = np.stack([points.body1, points.body2], axis=1)
    squeezing = scene.given & moment.motion.rates.any(axis=1)
    if not squeezing.any():
        return tuple(np.unique(pairs[pairs != FIXED]).tolist())
    number = islands(len(scene), np.zeros(len(scene), bool), points, scene.joints.body)
    return tuple(np.flatnonzero(np.isin(number, number[squeezing])).tolist())
