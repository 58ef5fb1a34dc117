"""Best-first search over pairs of nodes, many pairs a round.

A node pair's value is a lower bound of what its triangles can give.  The pairs with the least values
are opened first, so that a leaf gives a small upper bound early; once there is one, many are opened at a
time, for a round has a fixed cost.  Pairs that cannot beat it, or cannot beat it by more than the
accepted error, are dropped.
"""

from __future__ import annotations

from typing import Protocol

import numpy as np

from ..arrays import Floats, Ints
from .pairs import first_pairs, leaf_triangles, opened
from .tree import BoxTree

__all__ = ["Objective", "least_value"]

FEW, MANY = 128, 4096
"""Node pairs opened a round before and after the first upper bound."""

CHUNKS = (16, 64, 256, 1024)
"""Triangle pairs evaluated exactly at once: first the most promising."""


class Objective(Protocol):
    """What is minimized over all triangle pairs, never negative."""

    def nodes(self, node1: Ints, node2: Ints) -> Floats:
        """Lower bounds (k,) of the values of all triangle pairs below the node pairs."""

    def triangles(self, triangle1: Ints, triangle2: Ints) -> Floats:
        """Lower bounds (k,) of the values of triangle pairs, cheaper than `exact`."""

    def exact(self, triangle1: Ints, triangle2: Ints, best: float) -> Floats:
        """Values (k,) of triangle pairs; anything not less than `best` may be returned for the rest."""


def least_value(
    tree1: BoxTree, tree2: BoxTree, objective: Objective, accuracy: float, most: float = np.inf
) -> float:
    """A value at most the least over all triangle pairs, and less by at most the part `accuracy` of it.

    np.inf if every pair's value is.  `most`: what is greater counts as this; the less, the faster.
    """
    node1, node2 = first_pairs(tree1, tree2)
    value = objective.nodes(node1, node2)
    best, dropped = most, np.inf
    while True:
        hopeless = value >= best * (1.0 - accuracy) if np.isfinite(best) else ~np.isfinite(value)
        dropped = min(dropped, float(value[hopeless].min(initial=np.inf)))
        kept = np.flatnonzero(~hopeless)
        if not kept.size:
            return min(best, dropped)
        node1, node2, value = node1[kept], node2[kept], value[kept]
        now, later = _nearest(value, MANY if np.isfinite(best) else FEW)
        below1, below2, is_leaf = opened(tree1, tree2, node1[now], node2[now])
        leaf = now[is_leaf]
        if leaf.size:
            pairs = leaf_triangles(tree1, tree2, node1[leaf], node2[leaf])
            best, given_up = _least_of_triangles(objective, *pairs, best, accuracy)
            dropped = min(dropped, given_up)
        node1, node2 = np.concatenate([node1[later], below1]), np.concatenate([node2[later], below2])
        value = np.concatenate([value[later], objective.nodes(below1, below2)])


def _nearest(value: Floats, batch: int) -> tuple[Ints, Ints]:
    """Places of the `batch` least values, and the others."""
    if value.size <= batch:
        return np.arange(value.size), np.empty(0, dtype=np.intp)
    order = np.argpartition(value, batch)
    return order[:batch], order[batch:]


def _least_of_triangles(
    objective: Objective, triangle1: Ints, triangle2: Ints, best: float, accuracy: float
) -> tuple[float, float]:
    """The least value of the pairs or `best`, and the least bound of those not worth evaluating."""
    value = objective.triangles(triangle1, triangle2)
    order = np.argsort(value, kind="stable")
    order = order[: int(np.isfinite(value).sum())]
    begin = turn = 0
    while begin < order.size:
        hopeful = value[order[begin:]] < best * (1.0 - accuracy)
        chunk = order[begin : begin + min(int(hopeful.sum()), CHUNKS[min(turn, len(CHUNKS) - 1)])]
        if not chunk.size:
            return best, float(value[order[begin]])
        best = min(best, float(objective.exact(triangle1[chunk], triangle2[chunk], best).min()))
        begin, turn = begin + chunk.size, turn + 1
    return best, np.inf
