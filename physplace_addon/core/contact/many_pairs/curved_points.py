"""Interface points of pairs that are not joined solids: seeds of each, solutions of all in one call.

In motion a handful of pairs of curved bodies are near each other at a time, each with some dozen starts
(`points.creation`).  A round of Newton's method for so few takes as long as one for all of them.  So every
pair is prepared by itself up to its starts, these are solved together in the bodies that are joined for
tracking, and each pair goes on with its own solutions.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import numpy as np

from ...arrays import Bools
from ..points.creation import Starts
from ..points.generation import Generation
from ..points.interface_points import InterfacePoints, Pair, labelled
from .placed_bodies import PlacedBodies

_Solved = tuple[Starts, InterfacePoints, Bools]


def generated_points(
    system: PlacedBodies, pairs: Sequence[Pair], begun: Sequence[Generation]
) -> list[InterfacePoints]:
    """Return the interface points of each of some pairs of a system, of which the generation has begun."""
    several = [row for row, each in enumerate(begun) if len(each.starts)]
    together = several if system.jointly and len(several) > 1 else []
    solved = _solved_jointly(system, [pairs[row] for row in together], [begun[row] for row in together])
    known = dict(zip(together, solved, strict=True))
    return [
        labelled(each.ended(*(known[row] if row in known else each.solved())), pair)
        for row, (pair, each) in enumerate(zip(pairs, begun, strict=True))
    ]


def _solved_jointly(
    system: PlacedBodies, pairs: Sequence[Pair], begun: Sequence[Generation]
) -> list[_Solved]:
    """Return what `Generation.solved` does, of each of some pairs."""
    if not pairs:
        return []
    joined, kinds = system.all_joined
    body_pairs = system.all_body_pairs(pairs)

    def jointly(starts: Sequence[Starts]) -> Starts:
        points = [labelled(each.points, pair) for each, pair in zip(starts, pairs, strict=True)]
        known_sides = np.concatenate([each.known_sides for each in starts])
        return Starts(joined.numbered(InterfacePoints.join(points), kinds, 1), known_sides)

    hopeful = jointly([each.starts for each in begun]).hopeful(body_pairs)
    ends = np.cumsum([len(each.starts) for each in begun])[:-1]
    starts = [
        each.starts.take(rows).nearest(each.body_pair)
        for each, rows in zip(begun, np.split(hopeful, ends), strict=True)
    ]
    solved, valid = jointly(starts).solved(body_pairs)
    solved = joined.numbered(solved, kinds, -1)
    ends = np.cumsum([0, *(len(each) for each in starts)])
    rows_of = [slice(begin, end) for begin, end in pairwise(ends)]
    return [(own, solved.take(rows), valid[rows]) for own, rows in zip(starts, rows_of, strict=True)]
