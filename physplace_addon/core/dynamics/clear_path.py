"""How far bodies may go on the paths of a step before any two of them come too near to each other.

On its path a body shifts and turns evenly.  Flat features are followed by safe steps (`motion_stops`); it
says, too, which pairs of bodies have curved surfaces that may come near.  Of these the interface points tell:

* at the end of the path all of them are looked for, those known at its start and new ones;
* a gap g that is known at both ends, with its speeds there, is taken as a cubic of the part s of the path.
  Where its least value is too small, or where a gap that only the start knows would become so if it went on
  at its speed, the points are solved again at that place;
* where bodies are too near somewhere, the first such place is found by false position (Dahlquist and
  Björck 1974, the Illinois algorithm), by halving where surfaces cross so that gaps say nothing.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Final, NamedTuple

import numpy as np

from ..arrays import Floats, Ints
from ..contact.system import (
    InterfacePoints,
    Pair,
    RigidPaths,
    between,
    feature_keys,
    motion_stops,
    rows_with_keys,
)
from .contacts import Contacts
from .motion import Motion
from .scene import Scene
from .step import Moment

_ROUNDS: Final = 60  # of the search for the place where curved surfaces come too near
_CLOSE: Final = 0.5  # gap, over the one to be kept, that is too near
_SHRUNK: Final = 0.4  # the same over the gap at the start, where that is less
_ENOUGH: Final = 1e-9  # of the paths: width of the search's end
_NEAR_ENOUGH: Final = 0.01  # of the gap to be kept: what may be left to go there
_BEHIND: Final = 1.05  # of the part of a path after which a gap seems to be too small: where that is tried


class FreePart(NamedTuple):
    """The part of paths that may be gone, 1 for all of them, and the pairs of bodies (j, 2) that end it.

    end: the moment at the end of paths that may be gone wholly, where it had to be looked for.
    """

    part: float
    pairs: Ints
    end: Moment | None


def free_part(scene: Scene, start: Moment, end: Motion, arrived: Callable[[Motion], Moment]) -> FreePart:
    """Return how far bodies may go on the paths from a moment to a motion.

    Nothing comes nearer than half of the gap that contacts keep, or .4 of what it was at the start where that
    is less.

    arrived: gives the moment at a motion that the start leads to.
    """
    twists = start.motion.twists_to(scene.inertia, end)
    shift = scene.inertia.radius[:, None] * twists[:, :3]
    stops = motion_stops(start.system, RigidPaths(shift, np.zeros_like(shift), twists[:, 3:]), scene.hold)
    first = stops.first
    undecided = stops.undecided[stops.undecided_times < first]
    if len(undecided) == 0:
        return FreePart(first, stops.stopped_first(_ENOUGH), None)
    there = arrived(end if first == 1.0 else start.motion.displaced(scene.inertia, first * twists))
    pairs = [(first, second) for first, second in undecided.tolist()]
    curved, stopping = _CurvedPaths.of(scene, start, first * twists, there, pairs).free_part()
    if curved < 1.0:
        return FreePart(curved * first, stopping, None)
    return FreePart(first, stops.stopped_first(_ENOUGH), there if first == 1.0 else None)


@dataclass(frozen=True, eq=False)
class _CurvedPaths:
    """The paths of bodies with curved surfaces, and what is known of them at both ends.

    twists (m, 6): of the whole paths.
    pairs: of the bodies that may come near each other.
    points: their interface points at the start, those that only the end knows, too.
    least: the gap that each pair may have at least, a length.
    """

    scene: Scene
    start: Moment
    end: Moment
    twists: Floats
    pairs: list[Pair]
    points: InterfacePoints
    least: dict[Pair, float]

    @classmethod
    def of(cls, scene: Scene, start: Moment, twists: Floats, end: Moment, pairs: list[Pair]) -> _CurvedPaths:
        """Return the paths by twists (m, 6) from one moment to another one."""
        points, there = _of_pairs(start.points, pairs), _of_pairs(end.points, pairs)
        new = there.take((_rows_of_same(there, points) < 0) & ~there.on_curve)
        points = InterfacePoints.join([points, start.system.track(new)])
        least = {pair: _least(points.gap[between(points, pair)], scene.hold) for pair in pairs}
        return cls(scene, start, end, twists, pairs, points, least)

    def free_part(self) -> tuple[float, Ints]:
        """Return the part of the paths that may be gone, and the pairs (j, 2) that end it."""
        for part in self._doubtful_parts():
            spare, pairs = self._spare_at(part)
            if spare < 0.0:
                return self._first_stop(part, spare, pairs)
        return 1.0, np.zeros((0, 2), np.intp)

    def _doubtful_parts(self) -> list[float]:
        """Return the parts of the paths at which a gap may be too small, ascending, the last of them 1."""
        points, there = self.points.take(~self.points.on_curve), self.end.points
        rows = _rows_of_same(points, there)
        pairs = zip(points.body1.tolist(), points.body2.tolist(), strict=True)
        least = np.array([self.least[pair] for pair in pairs])
        speed = self._speeds(self.start, points)
        both, lost = np.flatnonzero(rows >= 0), np.flatnonzero((rows < 0) & (points.gap + speed < least))
        then = there.take(rows[both])
        far = self._speeds(self.end, then)
        lowest = _lowest_parts(points.gap[both], speed[both], then.gap, far, least[both])
        passed = _BEHIND * (least[lost] - points.gap[lost]) / speed[lost]
        parts = np.concatenate([lowest, passed[(passed > 0.0) & (passed < 1.0)], [1.0]])
        found: list[float] = np.unique(parts).tolist()
        return found

    def _speeds(self, moment: Moment, points: InterfacePoints) -> Floats:
        """Return how fast gaps (k,) change with the part of the paths at a moment, lengths."""
        found, _ = Contacts.of(moment.system, points, self.scene.laws).speeds(self.twists)
        return found

    def _spare_at(self, part: float, crossings: bool = True) -> tuple[float, Ints]:
        """Return by how much all gaps are larger than they must be at a part of the paths, a length, and the
        pairs (j, 2) that are too near.

        crossings: whether it is -inf where surfaces cross although no gap says so.
        """
        if part == 1.0:
            system, points = self.end.system, _of_pairs(self.end.points, self.pairs)
        else:
            twists = part * self.twists
            system = self.scene.system(self.start.motion.displaced(self.scene.inertia, twists))
            points = system.track(self.points)
        found, near = self._spare(points)
        if found >= 0.0 and crossings:
            near = [pair for pair, _ in system.missed_crossings(points, self.pairs)]
            found = -np.inf if near else found
        return found, np.array(near, np.intp).reshape(-1, 2)

    def _spare(self, points: InterfacePoints) -> tuple[float, list[Pair]]:
        """Return by how much the gaps of points are larger than they must be, and the pairs that are not."""
        spare = {
            pair: float(points.gap[between(points, pair)].min(initial=np.inf)) - least
            for pair, least in self.least.items()
        }
        return min(spare.values()), [pair for pair, most in spare.items() if most < 0.0]

    def _first_stop(self, part: float, spare: float, pairs: Ints) -> tuple[float, Ints]:
        """Return where between the start and a part of the paths that is too far gaps come near what they may
        be at least, and the pairs (j, 2) that do.

        spare, pairs: what `_spare_at` says at that part.
        """
        paths = self._with_all_points()
        at_start = max(paths._spare(paths.points)[0], 0.0)
        aim = 0.5 * min(_NEAR_ENOUGH * self.scene.hold, at_start)
        crossings = not np.isfinite(spare)
        free, there, stopped, beyond, side = 0.0, at_start - aim, part, spare - aim, 0
        for _ in range(_ROUNDS):
            share = there / (there - beyond) if there > 0.0 and np.isfinite(beyond) else 0.5
            middle = free + share * (stopped - free)
            spare, near = paths._spare_at(middle, crossings)
            if 0.0 <= spare <= 2.0 * aim:
                return middle, pairs
            if spare < 0.0:
                there = 0.5 * there if side < 0 else there
                stopped, beyond, pairs, side = middle, spare - aim, near, -1
            else:
                beyond = 0.5 * beyond if side > 0 else beyond
                free, there, side = middle, spare - aim, 1
            if stopped - free < _ENOUGH:
                break
        return free, pairs

    def _with_all_points(self) -> _CurvedPaths:
        """Return the paths with all points that the end knows, too: features may have several."""
        known = self.start.system.track(_of_pairs(self.end.points, self.pairs))
        points = InterfacePoints.join([self.points, known])
        least = {pair: _least(points.gap[between(points, pair)], self.scene.hold) for pair in self.pairs}
        return replace(self, points=points, least=least)


def _of_pairs(points: InterfacePoints, pairs: list[Pair]) -> InterfacePoints:
    """Return those of the points that are between the bodies of a pair."""
    mine = np.zeros(len(points), bool)
    for pair in pairs:
        mine |= between(points, pair)
    return points.take(mine)


def _rows_of_same(points: InterfacePoints, others: InterfacePoints) -> Ints:
    """Return for each point (k,) the row of one of the others between the same features, or -1; samples of
    contact curves are like nothing.
    """
    known = np.flatnonzero(~others.on_curve)
    rows = rows_with_keys(feature_keys(points), feature_keys(others.take(known)))
    found: Ints = np.where((rows >= 0) & ~points.on_curve, known[rows] if len(known) else -1, -1)
    return found


def _least(gap: Floats, hold: float) -> float:
    """Return what gaps (k,) of one pair may shrink to, a length."""
    shrunk = gap - (1.0 - _SHRUNK) * np.abs(gap)
    return min(_CLOSE * hold, float(shrunk.min(initial=np.inf)))


def _lowest_parts(gap: Floats, speed: Floats, then: Floats, there: Floats, least: Floats) -> Floats:
    """Return the parts of the paths at which cubics are least and less than they may be (k,).

    gap, speed: of the cubics at the start (k,).  then, there: at the end.
    """
    third = 2.0 * (gap - then) + speed + there
    second = 3.0 * (then - gap) - 2.0 * speed - there
    root = np.sqrt(np.maximum(second**2 - 3.0 * third * speed, 0.0))
    below = second + root  # the minimum is at -c / (b + root), which is never the maximum
    with np.errstate(divide="ignore", invalid="ignore"):
        part = -speed / below
    part = np.where((part > 0.0) & (part < 1.0), part, 0.0)
    value = gap + part * (speed + part * (second + part * third))
    found: Floats = part[(part > 0.0) & (value < least)]
    return found
