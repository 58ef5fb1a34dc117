"""How far bodies may go on their paths before their true curved surfaces come nearer than a stop distance.

Most pairs of bodies do not stop on a path, and parted pieces that were kept of the last one prove that at
once (`kept_fronts`).  The others are searched from whole triangles, one pair of bodies after the other up to
the first stop so far (`piece_search`): so where they stop does not depend on what was kept.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np

from ...arrays import Floats, Ints
from ...bodies.surface_parts import SurfaceParts
from ...collision.rigid_paths import NEAR_STOP_SHARE
from ..points.interface_points import Pair
from .kept_fronts import KeptFronts
from .path_pairs import PairMotions, TrianglePairs
from .piece_search import FINE, TOGETHER, PiecePairs, PieceSearch

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
    moves: PairMotions,
    names: list[Pair],
    near: TrianglePairs,
    earliest: Floats,
    stops: Floats,
    until: Floats,
) -> CurvedStops:
    """Return where pairs of bodies stop between pieces of curved surfaces, up to the first that does.

    Where a pair is nearer than its stop distance at the start, that is .4 of their distance there.

    Args:
        moves: p pairs of bodies in motion.
        names: the numbers of both bodies of each.
        near: pairs of their triangles (k,) that may come near each other, not both plain.
        earliest: the times (k,) before which these surely are apart.
        stops: the stop distances (p,), lengths.
        until: the times (p,) up to which they are looked at.
    """
    parts = SurfaceParts.of(moves.joined.every.body)
    whole = PiecePairs.of(parts, near, earliest)
    fronts = KeptFronts.of(moves, parts)
    search = PieceSearch(moves, parts, stops, until)
    for row in _may_stop(moves, names, fronts, parts, whole, stops, until).tolist():
        _search_one(search, whole.take(whole.pair == row), row, float(stops[row]))
        fronts.keep(moves, row, names[row], search.left_of(row), renewed=True)
    fronts.trim()
    arrived = search.arrived()
    triangles = np.stack(
        [parts.flat_parts(each).triangle for each in (arrived.first, arrived.second)], axis=1
    )
    return CurvedStops(search.times, arrived.pair, triangles)


def _may_stop(
    moves: PairMotions,
    names: list[Pair],
    fronts: KeptFronts,
    parts: SurfaceParts,
    whole: PiecePairs,
    stops: Floats,
    until: Floats,
) -> Ints:
    """Return the rows (n,) of pairs of bodies that are not proven to stay farther apart than they stop."""
    proof = PieceSearch(moves, parts, stops, until, only_proves=True)
    proof.run(fronts.unproven(moves, names, whole, proof.stops, until))
    left = proof.left()
    for row in np.unique(left.pair).tolist():
        fronts.keep(moves, row, names[row], left.take(left.pair == row), renewed=False)
    found: Ints = np.flatnonzero(proof.times < until)
    return found


def _search_one(search: PieceSearch, whole: PiecePairs, row: int, stop: float) -> None:
    """Search whole triangles of one pair of bodies, with a stop distance, a length, or less if they are
    nearer at the start.
    """
    for trial in range(_TRIALS):
        if trial > 0:
            known = NEAR_STOP_SHARE * float(search.nearest[row])
            stop = known if known > 0.0 else FINE * stop
            search.begin_again(row, stop)
        search.run(whole)
        if not np.isfinite(search.nearest[row]) or search.times[row] > TOGETHER:
            return
