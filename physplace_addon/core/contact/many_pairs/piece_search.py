"""A search for the first times at which pairs of pieces of curved surfaces come as near as stop distances.

Pieces of the surfaces (`bodies.surface_parts`) go forward in time by safe steps (`rigid_paths`).  Where a
pair of pieces is too near for what is known of it, the less known one is cut, and its parts go on from there:
so what is left is known to a fraction of the stop distance, and no pair is passed over that has not been
proven to stay apart.  Nothing has to be known of where the surfaces touch.  The pairs that can stop earliest
are looked at first; those that cannot stop before another one are left.

A plane that nearly parts two pieces often parts their parts, too.  So each pair has a direction, that of the
plane that let it go farthest, or of the pair that it was cut from, or at first that of the middles of both;
the distance of two triangles, which takes the longest, is asked for only where a plane across it is not
enough.

Where faces are nearly parallel, planes part only pieces that are flat to a fraction of their distance.  What
planes do not part is tried with quadrics that bend as the second piece does (`quadric_steps`).
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Final

import numpy as np

from ...arrays import TINY, ArrayRecord, Bools, Floats, Ints
from ...bodies.quadratic_parts import QuadraticParts
from ...bodies.surface_parts import SurfaceParts
from ...collision.rigid_paths import (
    PieceModels,
    Pieces,
    PiecesOnPaths,
    PieceSteps,
    QuadricSteps,
    RelativeMotion,
    RelativePaths,
    steps_before_quadrics,
)
from ...vectors import coordinate_arrays, coordinate_dot, coordinate_length
from .path_pairs import PairMotions, TrianglePairs

_AT_ONCE: Final = 2048  # pairs of pieces in a round
FINE: Final = 0.02  # what is not known, over the stop distance, of pairs that are not cut any more
_NEARLY: Final = 0.02  # distance less the stop distance, over that, at which such a pair has arrived
_SMALL: Final = 0.1  # the same, over the distance, up to which a pair goes on before it is cut
_SHORT: Final = 0.1  # step, over what is left, below which it is cut, for all that
_PARALLEL: Final = 0.7  # cosine of the angle of two pieces above which quadrics may part them
_LEAST_STEP: Final = 1e-10  # of the path: a pair of pieces that are not cut any more has arrived
TOGETHER: Final = 1e-9  # of the path: what stops so shortly after another stop, or the start, stops there
_ALIKE: Final = 0.5  # the same of a piece, over that of the other one, at which it is cut, too
_ROUNDING: Final = 2e-14  # the same, over the size of bodies, of pairs that are not cut any more
_MOST_ROUNDS: Final = 2000  # after which what is left stops where it is
_SURELY: Final = 1.1  # stop distances that are proven where it is only asked whether a pair stops
_BITS: Final = 32  # of the number of a part, in that of a pair of them


@dataclass(frozen=True, eq=False)
class PiecePairs(ArrayRecord):
    """k pairs of pieces on their paths.

    pair: their pairs of bodies.
    root: the pairs of whole triangles that they are parts of, numbered by both (`root_numbers`).
    first, second: the parts that they are.
    time: up to which they are free.
    across (k, 3): directions, unit, of planes that may part them, in the axes of the second body; 0 where
        none is known.
    """

    pair: Ints
    root: Ints
    first: Ints
    second: Ints
    time: Floats
    across: Floats

    def __len__(self) -> int:
        return len(self.time)

    @classmethod
    def none(cls) -> PiecePairs:
        """Return no pairs."""
        nothing = np.zeros(0, np.intp)
        return cls(nothing, nothing, nothing, nothing, np.zeros(0), np.zeros((0, 3)))

    @classmethod
    def of(cls, parts: SurfaceParts, near: TrianglePairs, earliest: Floats) -> PiecePairs:
        """Return whole triangles, or caps, at the earliest times (k,) at which they may be near, in the order
        of their pairs of bodies.
        """
        first, second = parts.of_triangles(near.first), parts.of_triangles(near.second)
        root = root_numbers(first, second)
        order = np.lexsort((root, near.pair))
        new = np.ones(len(order), np.bool_)
        new[1:] = (np.diff(near.pair[order]) != 0) | (np.diff(root[order]) != 0)
        begin = np.flatnonzero(new)
        time = np.minimum.reduceat(earliest[order], begin) if len(begin) else np.zeros(0)
        rows = order[begin]
        return cls(
            near.pair[rows],
            root[rows],
            first[rows],
            second[rows],
            np.minimum(time, 1.0),
            np.zeros((len(rows), 3)),
        )


def root_numbers(first: Ints, second: Ints) -> Ints:
    """Return one number (k,) for each pair of parts (k,), (k,)."""
    found: Ints = (first << _BITS) | second
    return found


class PieceSearch:
    """A search for the first stop.

    stops (p,): the stop distances, lengths.
    times (p,): at which pairs of bodies stop, as far as it is known.
    nearest (p,): the distances of those that are too near at the start, at least; infinite for others.
    """

    def __init__(
        self, moves: PairMotions, parts: SurfaceParts, stops: Floats, until: Floats, only_proves: bool = False
    ) -> None:
        """Begin with no stop.

        Args:
            moves: p pairs of bodies in motion.
            parts: of all bodies.
            stops: the stop distances (p,), lengths.
            until: the times (p,) up to which they are looked at.
            only_proves: whether it ends for a pair of bodies, with the time 0, where that might stop: then
                what it proves to be free is so far from stopping that any other search finds it free, too.
        """
        self._moves, self._parts, self._proves = moves, parts, only_proves
        self._models = QuadraticParts.of(moves.joined.every.body, parts)
        self._until, self.times, self.nearest = until, until.copy(), np.full(len(until), np.inf)
        self._least = _ROUNDING * float(np.abs(moves.joined.every.body.triangles).max())
        self._arrived: list[PiecePairs] = []
        self._left: list[PiecePairs] = []
        self.stops = stops.copy()
        if only_proves:
            bounds = moves.paths.bounds[:, : len(stops)]
            at_once = 10.0 * _LEAST_STEP * (bounds[0] + bounds[3] * moves.farthest)
            self.stops = _SURELY * stops + 4.0 * self._least + at_once

    def arrived(self) -> PiecePairs:
        """Return the pairs of pieces that stop first."""
        every = PiecePairs.join([PiecePairs.none(), *self._arrived])
        return every.take(every.time <= self._limit)

    def left(self) -> PiecePairs:
        """Return all pairs of pieces that the search ended with, at the start: together they are all that it
        began with.
        """
        every = PiecePairs.join([PiecePairs.none(), *self._left, *self._arrived])
        return replace(every, time=np.zeros(len(every)))

    def left_of(self, pair: int) -> PiecePairs:
        """Return those of one pair of bodies."""
        mine = [each.take(each.pair == pair) for each in (*self._left, *self._arrived)]
        every = PiecePairs.join([PiecePairs.none(), *mine])
        return replace(every, time=np.zeros(len(every)))

    @property
    def _limit(self) -> float:
        """The time after which nothing is looked for."""
        return 1.0 if self._proves else min(float(self.times.min(initial=1.0)) + TOGETHER, 1.0)

    def begin_again(self, pair: int, stop: float) -> None:
        """Forget what was found of a pair of bodies, to look for another stop distance, a length."""
        self.times[pair], self.nearest[pair], self.stops[pair] = self._until[pair], np.inf, stop
        for found in (self._arrived, self._left):
            found[:] = [each.take(each.pair != pair) for each in found]

    def run(self, places: PiecePairs) -> None:
        """Go forward until nothing is left before the first stop."""
        for _ in range(_MOST_ROUNDS):
            ahead = places.time < np.minimum(self.times[places.pair], self._limit)
            if not ahead.all():
                self._left.append(places.take(~ahead))
                places = places.take(ahead)
            if not len(places):
                return
            rest = places.take(slice(0, 0))
            if len(places) > _AT_ONCE:
                order = np.argsort(places.time, kind="stable")  # of like ones those that were cut last
                places, rest = places.take(order[:_AT_ONCE]), places.take(order[_AT_ONCE:])
            places = PiecePairs.join([self._after_round(places), rest])
        np.minimum.at(self.times, places.pair, 0.0 if self._proves else places.time)
        self._left.append(places)

    def _after_round(self, places: PiecePairs) -> PiecePairs:
        """Return what is left of pairs of pieces after a step, those that need it cut."""
        places, pieces = self._near(places)
        if not len(places):
            return places
        steps, stop, left = pieces.steps(), pieces.stop, pieces.left
        clear, unknown = steps.clear, steps.unknown1 + steps.unknown2
        fine = unknown <= np.maximum(FINE * stop, self._least)
        step, bent = self._steps_before_quadrics(places, pieces, np.flatnonzero(steps.step < left))
        unknown, step = np.where(step > steps.step, bent, unknown), np.maximum(step, steps.step)
        onward = replace(places, time=places.time + step, across=np.ascontiguousarray(steps.across.T))
        passed = step >= left
        arrived = fine & ~passed & ((clear <= (1.0 + _NEARLY) * stop) | (step < _LEAST_STEP))
        self._left.append(onward.take(passed))
        self._arrive(onward.take(arrived), clear[arrived])
        helped = (unknown > _SMALL * steps.distance) | (step <= _SHORT * left)
        cut = np.flatnonzero(~passed & ~fine & helped)
        whole = np.flatnonzero(~passed & ~arrived & (fine | ~helped))
        parted = self._parted(onward.take(cut), steps, cut)
        return PiecePairs.join([onward.take(whole), parted])

    def _steps_before_quadrics(self, places: PiecePairs, pieces: PiecesOnPaths, rows: Ints) -> QuadricSteps:
        """Return how far pieces (k,) of some rows (m,) may go as quadrics show; the others go nowhere."""
        found = QuadricSteps(*np.zeros((2, len(places))))
        rows = rows[np.abs(coordinate_dot(pieces.normal, pieces.second.normal)[rows]) > _PARALLEL]
        if len(rows):
            first, second = (self._models.rows(each[rows]) for each in (places.first, places.second))
            sides = self._moves.turns(places.pair[rows]) * coordinate_arrays(first.sides)[:, None]
            models = PieceModels(sides.sum(axis=2), first.across, first.along, second.bulges.T, second.height)
            found.step[rows], found.unknown[rows] = steps_before_quadrics(pieces.take(rows), models)
        return found

    def _near(self, places: PiecePairs) -> tuple[PiecePairs, PiecesOnPaths]:
        """Return the pairs of pieces that may stop, as far as balls and planes show, and how they move."""
        pair = places.pair
        stop, left = self.stops[pair], np.minimum(self._limit, self.times[pair]) - places.time
        moves, paths = self._moves, self._moves.paths.take(pair)
        first = _pieces(self._parts, places.first, moves.reference1[pair], moves.turns(pair))
        second = _pieces(self._parts, places.second, moves.reference2[pair], None)
        motion = paths.at(places.time)
        near, apart = _balls(motion, paths, first, second, stop, left)
        known = near & places.across.any(axis=1)
        places = replace(places, across=np.where(known[:, None], places.across, apart.T))
        self._left.append(places.take(~near))
        rows = np.flatnonzero(near)
        places = places.take(rows)
        pieces = PiecesOnPaths.of(
            motion.take(rows), paths.take(rows), first.take(rows), second.take(rows), stop[rows], left[rows]
        )
        step = pieces.step_before_plane_in_b(coordinate_arrays(places.across))
        passed = step >= pieces.left
        self._left.append(places.take(passed))
        rows = np.flatnonzero(~passed)
        return places.take(rows), pieces.take(rows)

    def _arrive(self, places: PiecePairs, clear: Floats) -> None:
        """Stop pairs of bodies where pieces (k,) have arrived, which are apart by lengths (k,)."""
        np.minimum.at(self.times, places.pair, 0.0 if self._proves else places.time)
        at_start = places.time <= TOGETHER
        np.minimum.at(self.nearest, places.pair[at_start], clear[at_start])
        self._arrived.append(places)

    def _parted(self, places: PiecePairs, steps: PieceSteps, rows: Ints) -> PiecePairs:
        """Return pairs of the parts of those pieces of which more is not known; rows (k,) of steps."""
        unknown1, unknown2 = steps.unknown1[rows], steps.unknown2[rows]
        first, second = unknown1 >= _ALIKE * unknown2, unknown2 >= _ALIKE * unknown1
        parts, row = self._parts.with_some_cut(places.first, first)
        places, second = replace(places.take(row), first=parts), second[row]
        parts, row = self._parts.with_some_cut(places.second, second)
        return replace(places.take(row), second=parts)


def _pieces(parts: SurfaceParts, numbers: Ints, reference: Floats, turns: Floats | None) -> Pieces:
    """Return parts (k,) as pieces, seen from reference points (k, 3) and turned by rotations (3, 3, k)."""
    flat = parts.flat_parts(numbers)
    corners = coordinate_arrays(flat.corners - reference[:, None])
    normal = coordinate_arrays(flat.normal)
    if turns is not None:
        corners = (turns * corners[:, None]).sum(axis=2)
        normal = (turns * normal).sum(axis=1)
    return Pieces(corners, normal, flat.across, flat.along, flat.beyond)


def _balls(
    motion: RelativeMotion, paths: RelativePaths, first: Pieces, second: Pieces, stop: Floats, left: Floats
) -> tuple[Bools, Floats]:
    """Return which pairs of pieces (k,) may stop, by balls around them, and the unit directions (3, k) from
    the second to the first where they are nearest.

    The middle of A's ball goes straight, but for half of the bound of its second derivative.
    """
    arm, reach1 = first.ball()
    centre, reach2 = second.ball()
    turned = motion.arms(arm)
    apart = motion.offset + turned - centre
    rate = motion.rate + motion.turning(turned)[0]
    square = coordinate_dot(rate, rate)
    nearest = -coordinate_dot(apart, rate) / np.maximum(square, TINY)
    apart = apart + np.clip(nearest, 0.0, left) * rate
    bend = 0.5 * paths.derivative_bounds(coordinate_length(arm))[1] * left**2
    distance = coordinate_length(apart)
    near: Bools = distance <= reach1 + reach2 + stop + bend
    return near, apart / np.maximum(distance, TINY)
