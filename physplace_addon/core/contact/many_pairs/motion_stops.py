"""How far bodies may go on their paths before any two of them come nearer than a stop distance.

All pairs of bodies are searched in one batch: boxes around the paths give pairs of bodies and of triangles,
these give pairs of vertices and flat triangles and of straight segments, and each goes forward by safe steps
(`collision.rigid_paths`).

*Stop distance*: half of the gap, or .4 of the least distance of a pair's flat features at the start where it
is less than the gap.  It is one for a pair of bodies, not for a pair of features: else what slides at less
than half of the gap would be stopped by each new triangle that it comes to.

*Curved parts*: their triangles are only near the true surface, by `Body.triangle_bound`.  While two such
triangles are farther apart than both bounds and a stop distance of their own, nothing can meet there.  From
then on the pair of bodies is undecided: its interface points have to tell.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ...arrays import Floats, Ints
from ...collision.rigid_paths import PrimitivePairs, first_approaches, stop_distances
from ..row_lists import joined_by_row
from .path_pairs import PairMotions, RigidPaths, TrianglePairs, moving_pairs
from .placed_bodies import PlacedBodies

_AT_ONCE = 4096
"""Pairs of triangles whose primitives are searched at once."""

_SIDES = np.array([[0, 1], [1, 2], [2, 0]])
_SIDES1, _SIDES2 = np.repeat(_SIDES, 3, axis=0), np.tile(_SIDES, (3, 1))


@dataclass(frozen=True, eq=False)
class MotionStops:
    """Where on their paths pairs of bodies come as near as their stop distances.

    bodies (k, 2): pairs that do, the second FIXED where it stands for the fixed bodies.
    times (k,): the first tau of each, in [0, 1); 0 only where they touch or overlap at the start.
    undecided (u, 2): pairs whose curved surfaces may do so.
    undecided_times (u,): the tau of each up to which they surely do not.
    """

    bodies: Ints
    times: Floats
    undecided: Ints
    undecided_times: Floats

    @property
    def first(self) -> float:
        """The first tau at which any pair stops, 1 if none does; the undecided ones do not count."""
        return float(self.times.min(initial=1.0))

    def stopped_first(self, tolerance: float) -> Ints:
        """Return the pairs (j, 2) that stop before `first` and a tolerance, a part of the path."""
        return self.bodies[self.times <= self.first + tolerance]


def motion_stops(system: PlacedBodies, paths: RigidPaths, gap: float) -> MotionStops:
    """Return where the bodies of a system come too near to each other on their paths.

    Args:
        system: at the start.
        paths: of its m moving bodies.
        gap: a length, twice the stop distance of what is not nearer at the start.
    """
    first, second = moving_pairs(system, paths, gap)
    if not first.size:
        nothing, never = np.zeros((0, 2), np.intp), np.zeros(0)
        return MotionStops(nothing, never, nothing, never)
    moves = PairMotions.of(system, paths, first, second)
    times, undecided = _first_times(moves, moves.near_triangles(gap), gap).reshape(2, -1)
    pairs = np.stack([first, second], axis=1)
    stop, unsure = times < 1.0, undecided < 1.0
    return MotionStops(pairs[stop], times[stop], pairs[unsure], undecided[unsure])


def _first_times(moves: PairMotions, near: TrianglePairs, gap: float) -> Floats:
    """Return the times (2 p,) of p pairs of bodies up to which their flat parts, then their curved parts, do
    not stop.

    Where there are many pairs of triangles, the earliest go first: those behind a stop are never looked at.
    """
    earliest = np.zeros(near.pair.size)
    if near.pair.size > _AT_ONCE:
        near, earliest = moves.in_order(near, gap)
    times, begin = np.ones(2 * len(moves)), 0
    end = max(_AT_ONCE, int(np.searchsorted(earliest, 0.0, side="right")))  # all that set stop distances
    stops = None
    while begin == 0 or begin < near.pair.size:
        some = near.take(slice(begin, end))
        latest = np.maximum(times[some.pair], times[some.pair + len(moves)])
        some = some.take(np.flatnonzero(earliest[begin:end] < latest))
        parts = [*_flat_pairs(moves, some, gap), *_curved_pairs(moves, some, gap)]
        if stops is None:
            stops = stop_distances(parts, gap, times.size)
        times = first_approaches(parts, stops, times)
        begin, end = end, end + _AT_ONCE
    return times


def _flat_pairs(moves: PairMotions, near: TrianglePairs, gap: float) -> list[PrimitivePairs]:
    """Return the pairs of vertices and flat triangles, and of straight segments, that near triangles own."""
    every, p = moves.joined.every, len(moves)
    numbers, vertices, triangles = [], [], []
    for own, other, shift in ((near.first, near.second, 0), (near.second, near.first, p)):
        row, vertex = every.vertices.of_rows(own)
        flat = every.triangle_flat[other[row]]
        row = row[flat]
        numbers.append(near.pair[row] + shift)
        vertices.append(vertex[flat])
        triangles.append(other[row])
    number = np.concatenate(numbers)
    points = every.body.vertices[np.concatenate(vertices)][:, None]
    over = every.body.triangles[np.concatenate(triangles)]
    row1, segment1 = every.straight_segments.of_rows(near.first)
    row2, segment2 = every.straight_segments.of_rows(near.second)
    here, there = joined_by_row(row1, np.arange(row1.size), row2, np.arange(row2.size), near.pair.size)
    beside = near.pair[row1[here]]
    ends, others = every.body.segments[segment1[here]], every.body.segments[segment2[there]]
    return [
        moves.primitive_pairs(number, points, over, number % p, np.zeros(number.size), gap),
        moves.primitive_pairs(beside, ends, others, beside, np.zeros(beside.size), gap),
    ]


def _curved_pairs(moves: PairMotions, near: TrianglePairs, gap: float) -> list[PrimitivePairs]:
    """Return the pairs of corners and triangles, and of sides, of near triangles that are not both flat."""
    every, p = moves.joined.every, len(moves)
    rows = np.flatnonzero(~(every.triangle_plain[near.first] & every.triangle_plain[near.second]))
    if not rows.size:
        return []
    pair, first, second = near.pair[rows], near.first[rows], near.second[rows]
    triangles, bounds = every.body.triangles, every.body.triangle_bound
    one, other = np.concatenate([first, second]), np.concatenate([second, first])
    number, bound = np.concatenate([pair, pair + p]), bounds[one] + bounds[other]
    corners = triangles[one].reshape(-1, 1, 3)
    number, other, bound = (np.repeat(each, 3) for each in (number, other, bound))
    sides1, sides2 = triangles[first][:, _SIDES1], triangles[second][:, _SIDES2]
    beside, between = np.repeat(pair, 9), np.repeat(bounds[first] + bounds[second], 9)
    return [
        moves.primitive_pairs(number, corners, triangles[other], number % p + p, bound, gap),
        moves.primitive_pairs(
            beside, sides1.reshape(-1, 2, 3), sides2.reshape(-1, 2, 3), beside + p, between, gap
        ),
    ]
