"""How far bodies may go on their paths before their true curved surfaces come nearer than a stop distance.

Pieces of the surfaces (`bodies.surface_parts`) go forward in time by safe steps (`rigid_paths`).  Where a
pair of pieces is too near for what is known of it, the less known one is cut, and its parts go on from there:
so what is left is known to a fraction of the stop distance, and no pair is passed over that has not been
proven to stay apart.  Nothing has to be known of where the surfaces touch.  The pairs that can stop earliest
are looked at first; those that cannot stop before another one are left.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Final

import numpy as np

from ...arrays import ArrayRecord, Floats, Ints
from ...bodies.surface_parts import PartRows, SurfaceParts
from ...collision.rigid_paths import (
    NEAR_STOP_SHARE,
    Pieces,
    PieceSteps,
    RelativeMotion,
    RelativePaths,
    piece_steps,
)
from ...vectors import coordinate_arrays, coordinate_dot, coordinate_length
from .path_pairs import PairMotions, TrianglePairs

_AT_ONCE: Final = 2048  # pairs of pieces in a round
_FINE: Final = 0.02  # what is not known, over the stop distance, of pairs that are not cut any more
_NEARLY: Final = 0.02  # distance less the stop distance, over that, at which such a pair has arrived
_SMALL: Final = 0.1  # the same, over the distance, up to which a pair goes on before it is cut
_SHORT: Final = 1e-3  # step, over what is left, below which it is cut, for all that
_LEAST_STEP: Final = 1e-10  # of the path: a pair of pieces that are not cut any more has arrived
_TOGETHER: Final = 1e-9  # of the path: what stops so shortly after another stop, or the start, stops there
_ALIKE: Final = 0.5  # the same of a piece, over that of the other one, at which it is cut, too
_ROUNDING: Final = 2e-14  # the same, over the size of bodies, of pairs that are not cut any more
_MOST_ROUNDS: Final = 2000  # after which what is left stops where it is
_TRIALS: Final = 4  # of stop distances, where bodies are nearer than was known


@dataclass(frozen=True, eq=False)
class CurvedStops:
    """Where p pairs of bodies stop, at times (p,) of their paths, and between which triangles.

    pair (n,): pairs that stop first, maybe several times.
    triangles (n, 2): of both bodies, numbered in the joined body.
    """

    times: Floats
    pair: Ints
    triangles: Ints

    @classmethod
    def none(cls, until: Floats) -> CurvedStops:
        """Return that nothing stops before times (p,)."""
        return cls(until, np.zeros(0, np.intp), np.zeros((0, 2), np.intp))


def curved_stops(
    moves: PairMotions, near: TrianglePairs, earliest: Floats, stops: Floats, until: Floats
) -> CurvedStops:
    """Return where pairs of bodies stop between pieces of curved surfaces, up to the first that does.

    Where a pair is nearer than its stop distance at the start, that is .4 of their distance there.

    Args:
        moves: p pairs of bodies in motion.
        near: pairs of their triangles (k,) that may come near each other, not both plain.
        earliest: the times (k,) before which these surely are apart.
        stops: the stop distances (p,), lengths.
        until: the times (p,) up to which they are looked at.
    """
    stops = stops.copy()
    for _ in range(_TRIALS):
        search = _Search(moves, stops, until)
        search.run(_Places.of(search.parts, near, earliest))
        nearer = np.flatnonzero(np.isfinite(search.nearest) & (search.times <= _TOGETHER))
        if not len(nearer):
            break
        known = NEAR_STOP_SHARE * search.nearest[nearer]
        stops[nearer] = np.where(known > 0.0, known, _FINE * stops[nearer])
    return search.found()


@dataclass(frozen=True, eq=False)
class _Places(ArrayRecord):
    """k pairs of pieces on their paths: their pairs of bodies, the parts that they are, and the times up to
    which they are free.
    """

    pair: Ints
    first: Ints
    second: Ints
    time: Floats

    def __len__(self) -> int:
        return len(self.time)

    @classmethod
    def of(cls, parts: SurfaceParts, near: TrianglePairs, earliest: Floats) -> _Places:
        """Return whole triangles, or caps, at the earliest times (k,) at which they may be near."""
        keys = np.stack([near.pair, parts.of_triangles(near.first), parts.of_triangles(near.second)], axis=1)
        found, row = np.unique(keys, axis=0, return_inverse=True)
        time = np.ones(len(found))
        np.minimum.at(time, row.reshape(-1), earliest)
        pair, first, second = found.T
        return cls(pair, first, second, time)


class _Search:
    """A search for the first stop.

    parts: of all bodies.
    times (p,): at which pairs of bodies stop, as far as it is known.
    nearest (p,): the distances of those that are too near at the start, at least; infinite for others.
    """

    def __init__(self, moves: PairMotions, stops: Floats, until: Floats) -> None:
        """Begin with no stop."""
        self._moves, self._stops = moves, stops
        self.parts = SurfaceParts.of(moves.joined.every.body)
        self.times, self.nearest = until.copy(), np.full(len(until), np.inf)
        self._arrived: list[_Places] = []
        self._least = _ROUNDING * float(np.abs(moves.joined.every.body.triangles).max())

    def found(self) -> CurvedStops:
        """Return where the pairs stop."""
        if not self._arrived:
            return CurvedStops.none(self.times)
        arrived = _Places.join(self._arrived)
        arrived = arrived.take(arrived.time <= self._limit)
        triangles = np.stack(
            [self.parts.rows(each).triangle for each in (arrived.first, arrived.second)], axis=1
        )
        return CurvedStops(self.times, arrived.pair, triangles)

    @property
    def _limit(self) -> float:
        """The time after which nothing is looked for."""
        return min(float(self.times.min(initial=1.0)) + _TOGETHER, 1.0)

    def run(self, places: _Places) -> None:
        """Go forward until nothing is left before the first stop."""
        for _ in range(_MOST_ROUNDS):
            places = places.take(
                np.flatnonzero(places.time < np.minimum(self.times[places.pair], self._limit))
            )
            if not len(places):
                return
            rest = places.take(slice(0, 0))
            if len(places) > _AT_ONCE:
                order = np.argsort(places.time, kind="stable")  # of like ones those that were cut last
                places, rest = places.take(order[:_AT_ONCE]), places.take(order[_AT_ONCE:])
            places = _Places.join([self._after_round(places), rest])
        np.minimum.at(self.times, places.pair, places.time)

    def _after_round(self, places: _Places) -> _Places:
        """Return what is left of pairs of pieces after a step, those that need it cut."""
        stop, left = self._stops[places.pair], self._limit - places.time
        rows, steps = _steps(self._moves, self.parts, places, stop, left)
        places, stop, left = places.take(rows), stop[rows], left[rows]
        clear, unknown = steps.clear, steps.unknown1 + steps.unknown2
        fine = unknown <= np.maximum(_FINE * stop, self._least)
        onward = replace(places, time=places.time + steps.step)
        passed = steps.step >= left
        arrived = fine & ~passed & ((clear <= (1.0 + _NEARLY) * stop) | (steps.step < _LEAST_STEP))
        self._arrive(onward.take(arrived), clear[arrived])
        helped = (unknown > _SMALL * steps.distance) | (steps.step <= _SHORT * left)
        cut = np.flatnonzero(~passed & ~fine & helped)
        whole = np.flatnonzero(~passed & ~arrived & (fine | ~helped))
        parted = self._parted(onward.take(cut), steps.unknown1[cut], steps.unknown2[cut])
        return _Places.join([onward.take(whole), parted])

    def _arrive(self, places: _Places, clear: Floats) -> None:
        """Stop pairs of bodies where pieces (k,) have arrived, which are apart by lengths (k,)."""
        np.minimum.at(self.times, places.pair, places.time)
        at_start = places.time <= _TOGETHER
        np.minimum.at(self.nearest, places.pair[at_start], clear[at_start])
        self._arrived.append(places)

    def _parted(self, places: _Places, unknown1: Floats, unknown2: Floats) -> _Places:
        """Return pairs of the parts of those pieces of which more is not known, lengths (k,) and (k,)."""
        first, second = unknown1 >= _ALIKE * unknown2, unknown2 >= _ALIKE * unknown1
        parts, row = self.parts.with_some_cut(places.first, first)
        places, second = replace(places.take(row), first=parts), second[row]
        parts, row = self.parts.with_some_cut(places.second, second)
        return replace(places.take(row), second=parts)


def _steps(
    moves: PairMotions, parts: SurfaceParts, places: _Places, stop: Floats, left: Floats
) -> tuple[Ints, PieceSteps]:
    """Return the rows (n,) of pairs of pieces (k,) that may stop, and how far these go.

    stop: lengths (k,).  left: the longest steps (k,).
    """
    pair, paths = places.pair, moves.paths.take(places.pair)
    first = _pieces(parts.rows(places.first), moves.reference1[pair], moves.turns(pair))
    second = _pieces(parts.rows(places.second), moves.reference2[pair], None)
    motion = paths.at(places.time)
    rows = _near(motion, paths, first, second, stop, left)
    first, second = first.take(rows), second.take(rows)
    motion, paths = motion.take(rows), paths.take(rows)
    arm = np.stack([coordinate_length(each) for each in first.corners])
    bounds, spin = paths.derivative_bounds(arm), paths.bounds[3:]
    return rows, piece_steps(motion, bounds, spin, first, second, stop[rows], left[rows])


def _pieces(rows: PartRows, reference: Floats, turns: Floats | None) -> Pieces:
    """Return parts (k,) as pieces, seen from reference points (k, 3) and turned by rotations (3, 3, k)."""
    corners = coordinate_arrays(rows.corners - reference[:, None])
    normal = coordinate_arrays(rows.normal)
    if turns is not None:
        corners = (turns * corners[:, None]).sum(axis=2)
        normal = (turns * normal).sum(axis=1)
    return Pieces(corners, normal, rows.across, rows.along, rows.beyond)


def _near(
    motion: RelativeMotion, paths: RelativePaths, first: Pieces, second: Pieces, stop: Floats, left: Floats
) -> Ints:
    """Return which pairs (n,) of pieces (k,) may stop, by balls around them.

    The middle of A's ball goes straight, but for half of the bound of its second derivative.
    """
    arm, reach1 = first.ball()
    centre, reach2 = second.ball()
    turned = motion.arms(arm)
    apart = motion.offset + turned - centre
    rate = motion.rate + motion.turning(turned)[0]
    square = coordinate_dot(rate, rate)
    nearest = -coordinate_dot(apart, rate) / np.maximum(square, np.finfo(np.float64).tiny)
    apart = apart + np.clip(nearest, 0.0, left) * rate
    bend = 0.5 * paths.derivative_bounds(coordinate_length(arm))[1] * left**2
    found: Ints = np.flatnonzero(coordinate_length(apart) <= reach1 + reach2 + stop + bend)
    return found
