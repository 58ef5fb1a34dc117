"""The order of unknowns in which a sparse symmetric pattern is a narrow band.

Cuthill and McKee (1969): nodes are numbered breadth first, neighbours of few neighbours first.  How wide the
band gets depends on where that begins.  So it begins again at the node that came last, which is far away
(George and Liu 1979), and the narrowest order counts: for a wall its band is two thirds of the first one's,
and a factorization takes the square of that.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Final

import numpy as np

from ...arrays import Ints

_KEPT: Final = 64  # orders that are kept: what touches changes little from one problem to the next
_BEGINNINGS: Final = 3  # of an order, each where the one before ended; more hardly find a narrower one


def banded_order(size: int, first: Ints, second: Ints) -> Ints:
    """Return the order (n,) of n = `size` nodes in which those that pairs (k,), (k,) connect are near.

    Pairs may come several times, either way round, and connect a node with itself.
    """
    least, most = np.minimum(first, second), np.maximum(first, second)
    edges = np.unique((least * size + most)[least != most])
    return _order(size, tuple(edges.tolist())).copy()


@lru_cache(_KEPT)
def _order(size: int, edges: tuple[int, ...]) -> Ints:
    """Return the order (n,) for ascending edges, each its first node times n plus its second one."""
    beside = _neighbours(size, edges)
    known: set[int] = set()
    order: list[int] = []
    for node in sorted(range(size), key=lambda node: len(beside[node])):
        if node not in known:
            part = _narrowest(beside, node)
            known.update(part)
            order += part
    return np.array(order, np.intp)


def _neighbours(size: int, edges: tuple[int, ...]) -> list[list[int]]:
    """Return the neighbours of each node, those of few neighbours first."""
    beside: list[list[int]] = [[] for _ in range(size)]
    for edge in edges:
        one, other = divmod(edge, size)
        beside[one].append(other)
        beside[other].append(one)
    count = [len(each) for each in beside]
    for each in beside:
        each.sort(key=count.__getitem__)
    return beside


def _narrowest(beside: list[list[int]], node: int) -> list[int]:
    """Return the narrowest order found of all nodes that are connected with one."""
    orders = [_breadth_first(beside, node)]
    while len(orders) < min(_BEGINNINGS, len(orders[0])):
        orders.append(_breadth_first(beside, orders[-1][-1]))
    return min(orders, key=lambda order: _width(beside, order))


def _breadth_first(beside: list[list[int]], node: int) -> list[int]:
    """Return the nodes that are connected with one, the nearest ones first."""
    order, known = [node], {node}
    for reached in order:
        for each in beside[reached]:
            if each not in known:
                known.add(each)
                order.append(each)
    return order


def _width(beside: list[list[int]], order: list[int]) -> int:
    """Return how far apart neighbours stand in an order at most."""
    place = {node: number for number, node in enumerate(order)}
    return max((place[each] - place[node] for node in order for each in beside[node]), default=0)
