"""Pairs of pieces of curved surfaces that were apart in the last search, kept for the next one.

A search of a path (`piece_search`) ends with pairs of pieces, each with the direction of a plane that parted
it.  They are a *front*: together they are all pairs of triangles that it began with.  On the next path of
the same two bodies, which differs little, most of these planes still part what they parted.  A front asks
that of all its planes at once, for as much as a round of the search takes, and only what is not parted is
searched.

With d the direction, fixed in B, and a = M r an arm of A's piece, in the symbols of `rigid_paths`,

    f(s) = d . (delta + M r) - (B's reach along d) - (A's margin) - stop

stays positive over [0, L] where the least of its quadratic part there is above J L^3 / 6.  B's reach along d
does not change from path to path.

A front only proves.  Where it proves that nothing stops, it does so with room to spare, so that a search from
whole triangles would find the same: what is found never depends on what was kept.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Final

import numpy as np

from ...arrays import ArrayRecord, Bools, Floats
from ...bodies.surface_parts import SurfaceParts
from ...collision.rigid_paths import RelativeMotion
from ...rigid import skew
from ...vectors import dot, length, sines_of
from ..points.interface_points import Pair
from .path_pairs import PairMotions
from .piece_search import PiecePairs

_ROLE: Final = "fronts of pieces"
_LARGER: Final = 2  # size of a front, over that after the last search from whole triangles, above which
_ROOM: Final = 1024  # and by so many pairs more, it is given up: it is finer than it needs to be
_MOST: Final = 80_000  # pairs of a front that is kept
_MOST_IN_ALL: Final = 300_000  # pairs of all fronts, of some 200 bytes each


@dataclass(frozen=True, eq=False)
class _Leaves(ArrayRecord):
    """k pairs of pieces of two bodies A and B.

    pairs: what they are.
    corners (k, 3, 3), normal (k, 3): of A's, from its reference point, in its own axes.
    across1, along1 (k,): bounds of A's, lengths (`SurfaceParts`).
    arm (k,): the largest distance of A's corners from its reference point.
    behind (k,): how far B's piece reaches along the direction from B's reference point.
    """

    pairs: PiecePairs
    corners: Floats
    normal: Floats
    across1: Floats
    along1: Floats
    arm: Floats
    behind: Floats

    @classmethod
    def of(cls, parts: SurfaceParts, pairs: PiecePairs, origin1: Floats, origin2: Floats) -> _Leaves:
        """Return pairs of pieces with reference points (3,) of both bodies."""
        first, second = parts.flat_parts(pairs.first), parts.flat_parts(pairs.second)
        corners = first.corners - origin1
        reach = dot(pairs.across[:, None], second.corners - origin2).max(axis=1)
        reach += second.across + second.along * sines_of(dot(pairs.across, second.normal))
        arm = length(corners).max(axis=1)
        return cls(pairs, corners, first.normal, first.across, first.along, arm, reach)


@dataclass(frozen=True, eq=False)
class _Front:
    """The leaves of two bodies, with their reference points (3,), and how many there were at first."""

    leaves: _Leaves
    origin1: Floats
    origin2: Floats
    count: int

    def looked_at(self, whole: PiecePairs) -> tuple[_Front, Bools]:
        """Return the front, and which of its leaves (k,) are parts of pairs of whole triangles; where those
        are less than half of them, the others are dropped.
        """
        asked = np.isin(self.leaves.pairs.root, whole.root)
        if 2 * np.count_nonzero(asked) >= len(asked):
            return self, asked
        leaves = self.leaves.take(asked)
        return replace(self, leaves=leaves), np.ones(len(leaves.pairs), np.bool_)

    def has(self, whole: PiecePairs) -> Bools:
        """Return of which pairs of whole triangles (k,) the leaves are parts."""
        return np.isin(whole.root, self.leaves.pairs.root)


class KeptFronts:
    """The fronts of pairs of bodies, by their numbers, in the order in which they were asked for."""

    def __init__(self, parts: SurfaceParts) -> None:
        """Begin with none."""
        self._parts = parts
        self._fronts: dict[Pair, _Front] = {}

    @classmethod
    def of(cls, moves: PairMotions, parts: SurfaceParts) -> KeptFronts:
        """Return the fronts that are kept with joined bodies, whose parts these are."""
        derived = moves.joined.every.body.derived
        known = derived.get(_ROLE)
        if isinstance(known, cls) and known._parts is parts:
            return known
        made = derived[_ROLE] = cls(parts)
        return made

    def trim(self) -> None:
        """Forget the fronts that were not asked for the longest time, of more than so many pairs in all."""
        count = sum(len(front.leaves.pairs) for front in self._fronts.values())
        while count > _MOST_IN_ALL:
            name = next(iter(self._fronts))
            count -= len(self._fronts.pop(name).leaves.pairs)

    def unproven(
        self, moves: PairMotions, names: list[Pair], whole: PiecePairs, stops: Floats, until: Floats
    ) -> PiecePairs:
        """Return the pairs of pieces that kept planes do not prove to stay apart, which are kept no more, and
        the whole triangles of which no front has parts.

        Args:
            moves: p pairs of bodies in motion.
            names: the numbers of both bodies of each.
            whole: pairs of whole triangles that may come near each other, in the order of pairs of bodies.
            stops: the stop distances (p,), lengths.
            until: the times (p,) up to which they are looked at.
        """
        motion, found = moves.paths.start(), [PiecePairs.none()]
        ends = np.searchsorted(whole.pair, np.arange(len(names) + 1))
        for row in np.flatnonzero(np.diff(ends)).tolist():
            mine = whole.take(slice(ends[row], ends[row + 1]))
            front = self._fronts.pop(names[row], None)
            if front is None:
                found.append(mine)
                continue
            front, asked = front.looked_at(mine)
            path = _Path(moves, row, motion, float(stops[row]), float(until[row]))
            open_ = asked & ~path.parts(front)
            self._fronts[names[row]] = replace(front, leaves=front.leaves.take(~open_))
            again = front.leaves.pairs.take(open_)
            found += [mine.take(~front.has(mine)), replace(again, pair=np.full(len(again), row))]
        return PiecePairs.join(found)

    def keep(self, moves: PairMotions, row: int, name: Pair, pairs: PiecePairs, renewed: bool) -> None:
        """Keep pairs of pieces of a pair of bodies, that a search ended with.

        renewed: whether they are all that there are, else they come to those that are kept.
        """
        known = self._fronts.pop(name, None)
        known = None if renewed else known
        if known is None:
            origin1, origin2 = moves.reference1[row], moves.reference2[row]
            leaves = _Leaves.of(self._parts, pairs, origin1, origin2)
            known = _Front(leaves, origin1, origin2, len(pairs))
        elif len(pairs):
            more = _Leaves.of(self._parts, pairs, known.origin1, known.origin2)
            leaves = _Leaves.join([known.leaves, more])
            known = _Front(leaves, known.origin1, known.origin2, known.count)
        if len(known.leaves.pairs) <= min(_LARGER * known.count + _ROOM, _MOST):
            self._fronts[name] = known


@dataclass(frozen=True, eq=False)
class _Path:
    """The path of a row of pairs of bodies, on which they are to stay apart by a stop distance, a length, up
    to a time.

    motion: of all rows at the start.
    """

    moves: PairMotions
    row: int
    motion: RelativeMotion
    stop: float
    until: float

    def parts(self, front: _Front) -> Bools:
        """Return which leaves (k,) of a front stay apart on both sides of their planes."""
        row, motion, leaves = self.row, self.motion, front.leaves
        turn, turning = self.moves.relative.matrix[row], skew(motion.spin[:, row])
        bending = turning @ turning + skew(motion.spin_rate[:, row])
        across, bounds = leaves.pairs.across, self.moves.paths.bounds[:, row]
        moved = self.moves.reference1[row] - front.origin1
        arms, arm = leaves.corners - moved, leaves.arm + float(length(moved))
        shift = motion.offset[:, row] + self.moves.reference2[row] - front.origin2
        inward = across @ turn
        margin = leaves.across1 + leaves.along1 * sines_of(dot(inward, leaves.normal))
        value = dot(arms, inward[:, None]) + (across @ shift - leaves.behind - margin - self.stop)[:, None]
        slope = dot(arms, (across @ (turning @ turn))[:, None])
        slope += (across @ motion.rate[:, row] - leaves.along1 * bounds[3])[:, None]
        curvature = dot(arms, (across @ (bending @ turn))[:, None])
        curvature += (across @ motion.change[:, row])[:, None]
        jerk = (bounds[2] + bounds[5] * arm)[:, None] * (self.until**3 / 6.0)
        parted: Bools = (_least(value, slope, curvature, self.until) > jerk).all(axis=1)
        return parted


def _least(value: Floats, slope: Floats, curvature: Floats, until: float) -> Floats:
    """Return the least of value + slope s + curvature s^2 / 2 for s in [0, until]."""
    turns = (slope < 0.0) & (-slope < until * curvature)
    lowest = np.divide(-slope, curvature, out=np.zeros_like(slope), where=turns)
    falls = [s * (slope + 0.5 * s * curvature) for s in (lowest, until)]
    least: Floats = value + np.minimum(np.minimum(*falls), 0.0)
    return least
