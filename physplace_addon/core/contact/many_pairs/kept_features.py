"""Near features of many pairs of bodies that are kept from state to state, while the bodies hardly move.

They are searched farther than the reach, up to a gap r, also behind faces, and off their places by a spare
length s.  Since then every point of a first body has moved by at most d against its second body, which has
turned directions by at most t.  Features whose gap is at most r' <= r now were among those found then if

    d + r' t <= s:

boxes have moved by at most d, and a distance of at most r' along a normal has turned by that times t.  The
tests of a search leave of what is kept the features that are near now, the same ones however old the search
is: nothing depends on what is kept.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, NamedTuple

import numpy as np

from ...arrays import Floats, Ints
from ...collision import directional_pairs_of_parts
from ..body_pair import BodyPairs, PairTable
from ..regions.candidates import Candidates, FlatCandidates, NearFeatures

FARTHER: Final = 2.0  # gap of a search whose features are kept, over the one that is asked for
SPARE: Final = 3.0  # spare length, over the same


def searched(
    pairs: BodyPairs, reach: Floats, behind: Floats, before: BodyPairs | None, spare: Floats
) -> NearFeatures:
    """Return the near features of p pairs of bodies.

    Args:
        pairs: a row for each.
        reach: the largest gap (p,), lengths.
        behind: how far features may be behind faces besides (p,).
        before: the same pairs at poses known to be free of overlap, `behind` ago; None if there are none.
        spare: how far features may be off their places (p,).
    """
    table = pairs.table
    slack = table.sign_tolerance + spare
    near = directional_pairs_of_parts(
        pairs.active.normal_bounds, pairs.world.normal_bounds, table.roots, table.poses, reach, slack, behind
    )
    number, t1, t2 = near.T
    return FlatCandidates(pairs.take(number), t1, t2, reach, before, spare=spare).found()


class _Features(NamedTuple):
    """Features (k,) of both bodies, and the numbers of their pairs of bodies."""

    number: Ints
    first: Ints
    second: Ints


@dataclass(frozen=True, eq=False)
class KeptFeatures:
    """Near features of p pairs of bodies, searched where they were.

    table: the pairs.  reach, spare (p,): the gap and the spare length of the search.  found: of each kind.
    """

    table: PairTable
    reach: Floats
    spare: Floats
    found: tuple[_Features, ...]

    @classmethod
    def of(cls, pairs: BodyPairs, reach: Floats, before: BodyPairs) -> KeptFeatures:
        """Return the near features of pairs (p,), one row each, for a reach (p,) and some farther ones."""
        over = reach + pairs.moved_since(before)
        farther, spare = FARTHER * over, SPARE * over
        found = searched(pairs, farther, np.zeros_like(over), None, spare)
        kept = []
        for now, a, b in found:
            assert isinstance(now, BodyPairs)
            kept.append(_Features(now.number, a, b))
        return cls(pairs.table, farther, spare, tuple(kept))

    def near(self, pairs: BodyPairs, reach: Floats, before: BodyPairs) -> NearFeatures | None:
        """Return the near features of pairs (p,), one row each, that a search would find; None if something
        might not be among those that are kept.
        """
        mine = self._numbers_of(pairs.table)
        if mine is None:
            return None
        over = reach + pairs.moved_since(before)
        if (over > self.reach[mine]).any():
            return None
        then = self.table.poses.take(mine)
        turned = pairs.table.poses.matrix - then.matrix
        turn = np.sqrt(np.einsum("pij,pij->p", turned, turned))
        if (pairs.moved_from(then) + over * turn > self.spare[mine]).any():
            return None
        place = np.full(len(self.reach), -1)
        place[mine] = np.arange(len(mine))
        kinds = [_renumbered(pairs, each, place) for each in self.found]
        return NearFeatures(*kinds).still(reach, over)

    def _numbers_of(self, table: PairTable) -> Ints | None:
        """Return which of the kept pairs those of a table (p,) are; None if one is not among them."""
        width = 2 + int(max(self.table.second.max(initial=0), table.second.max(initial=0)))
        keys, wanted = (each.first * width + each.second + 1 for each in (self.table, table))
        order = np.argsort(keys)
        found = np.minimum(np.searchsorted(keys, wanted, sorter=order), len(keys) - 1)
        mine: Ints = order[found]
        return mine if (keys[mine] == wanted).all() else None


def _renumbered(pairs: BodyPairs, kept: _Features, place: Ints) -> Candidates:
    """Return features with the pairs that they are of now, in their order; place (p',): their numbers now."""
    number = place[kept.number]
    rows = np.flatnonzero(number >= 0)
    rows = rows[np.argsort(number[rows], kind="stable")]
    return pairs.take(number[rows]), kept.first[rows], kept.second[rows]
