"""Near triangles of many pairs of bodies, in one traversal (Snyder 1995, section 3.2).

Most pairs whose boxes are near each other have nothing near each other: a search of each by itself costs
more in calls than all of them in one.  So most pairs of triangles whose boxes are near are not near, either.
Those of curved surfaces would give starts, each of which is solved, so they are measured.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ...arrays import Floats
from ...collision import swept_pairs_of_parts
from ..points.generation import near_if_curved
from ..points.interface_points import Pair
from ..row_lists import IndexPairs
from .placed_bodies import PlacedBodies


def near_triangles(system: PlacedBodies, pairs: Sequence[Pair], reach: Floats) -> list[IndexPairs]:
    """Return the pairs of triangles (k,), (k,) of both bodies that may be within reach, for each of p pairs.

    Args:
        system: bodies at their poses.
        pairs: of them, p.
        reach: how near, lengths (p,).
    """
    joined, kinds = system.all_joined
    first, second = np.array(pairs, dtype=np.intp).reshape(-1, 2).T
    one, other = kinds[first], kinds[second]
    frames = system.frames
    poses = frames.take(second).inverse().after(frames.take(first))
    roots = joined.roots[one], joined.roots[other]
    number, t1, t2 = swept_pairs_of_parts(joined.every.tree, roots, poses, None, reach).T
    kept = near_if_curved(joined.every, joined.every, t1, t2, poses.take(number), reach[number])
    number, t1, t2 = number[kept], t1[kept], t2[kept]
    number, first_of = number[order := np.argsort(number, kind="stable")], joined.first_triangles
    t1, t2 = t1[order] - first_of[one[number]], t2[order] - first_of[other[number]]
    ends = np.searchsorted(number, np.arange(1, len(pairs)))
    return list(zip(np.split(t1, ends), np.split(t2, ends), strict=True))
