"""How far bodies may go on their paths before any two of them come nearer than a stop distance.

All pairs of bodies are searched in one batch: boxes around the paths give pairs of bodies and of triangles,
these give pairs of vertices and flat triangles and of straight segments, and each goes forward by safe steps
(`collision.rigid_paths`).

*Stop distance*: half of the gap, or .4 of the least distance of a pair's flat features at the start where it
is less than the gap.  It is one for a pair of bodies, not for a pair of features: else what slides at less
than half of the gap would be stopped by each new triangle that it comes to.

*Curved parts* have triangles that are only near the true surface.  They are cut until that does not matter
(`curved_stops`).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from ...arrays import Floats, Ints
from ...bodies.surface_parts import reach_of_parts
from ...collision.rigid_paths import (
    NEAR_STOP_SHARE,
    STOP_SHARE,
    PrimitivePairs,
    first_approaches,
    stop_distances,
)
from ..points.interface_points import Pair
from ..row_lists import joined_by_row
from .curved_stops import CurvedStops, curved_stops
from .path_pairs import PairMotions, RigidPaths, TrianglePairs, moving_pairs
from .placed_bodies import PlacedBodies

_AT_ONCE = 4096
"""Pairs of triangles whose primitives are searched at once."""


@dataclass(frozen=True, eq=False)
class MotionStops:
    """Where on their paths pairs of bodies come as near as their stop distances.

    bodies (k, 2): pairs that do, the second FIXED where it stands for the fixed bodies.
    times (k,): the first tau of each, in [0, 1); 0 only where they touch or overlap at the start.  Curved
        surfaces that would stop only behind another pair are left out.
    curved (n, 2), triangles (n, 2): pairs of which curved surfaces stop, maybe several times, and the
        triangles of both between which they do.
    """

    bodies: Ints
    times: Floats
    curved: Ints
    triangles: Ints

    @property
    def first(self) -> float:
        """The first tau at which any pair stops, 1 if none does."""
        return float(self.times.min(initial=1.0))

    def stopped_first(self, tolerance: float) -> Ints:
        """Return the pairs (j, 2) that stop before `first` and a tolerance, a part of the path."""
        return self.bodies[self.times <= self.first + tolerance]


def motion_stops(
    system: PlacedBodies,
    paths: RigidPaths,
    gap: float,
    nearest: Mapping[Pair, float] | None = None,
) -> MotionStops:
    """Return where the bodies of a system come too near to each other on their paths.

    Args:
        system: at the start.
        paths: of its m moving bodies.
        gap: a length, twice the stop distance of what is not nearer at the start.
        nearest: how near curved surfaces of pairs of bodies are at the start, as far as it is known.
    """
    first, second = moving_pairs(system, paths, gap)
    pairs = np.stack([first, second], axis=1)
    if not first.size:
        return MotionStops(pairs, np.zeros(0), pairs, pairs)
    moves = PairMotions.of(system, paths, first, second)
    reach = gap + moves.sum_of([reach_of_parts(part.body) for part in moves.joined.parts])
    near, earliest = moves.near_triangles(reach), None
    if near.pair.size > _AT_ONCE:
        near, earliest = moves.in_order(near, reach)
    times = _first_times(moves, near, earliest, gap)
    plain = moves.joined.every.triangle_plain
    bent = np.flatnonzero(~(plain[near.first] & plain[near.second]))
    found = CurvedStops.none(times)
    if bent.size:
        known = nearest or {}
        names: list[Pair] = [(i, j) for i, j in pairs.tolist()]
        apart = np.array([known.get(name, np.inf) for name in names])
        apart[apart <= 0.0] = np.inf
        stops = np.minimum(STOP_SHARE * gap, NEAR_STOP_SHARE * apart)
        begin = np.zeros(bent.size) if earliest is None else np.maximum(earliest[bent], 0.0)
        found = curved_stops(moves, names, near.take(bent), begin, stops, times)
    stop = found.times < 1.0
    triangles = moves.own_triangles(found.pair, found.triangles)
    return MotionStops(pairs[stop], found.times[stop], pairs[found.pair], triangles)


def _first_times(moves: PairMotions, near: TrianglePairs, earliest: Floats | None, gap: float) -> Floats:
    """Return the times (p,) of p pairs of bodies up to which their flat parts do not stop.

    earliest (k,): where the pairs of triangles are in the order of the earliest times at which they can be
        near each other, these times: those behind a stop are never looked at.
    """
    times = np.ones(len(moves))
    if earliest is None:
        parts = _flat_pairs(moves, near, gap)
        return first_approaches(parts, stop_distances(parts, gap, times.size), times)
    begin, end = 0, max(_AT_ONCE, int(np.searchsorted(earliest, 0.0, side="right")))
    stops = None
    while begin < near.pair.size:
        some = near.take(slice(begin, end))
        some = some.take(np.flatnonzero(earliest[begin:end] < times[some.pair]))
        parts = _flat_pairs(moves, some, gap)
        if stops is None:  # the first ones are all that set stop distances
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
