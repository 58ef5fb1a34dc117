"""Regions on one side of a surface that samples of F show to be one, where neither boxes nor flows do.

Near a saddle of F boxes stay undecided down to the least size, and no flow is proven there. Two small boxes
that share a side are linked if F has the right sign at places along the way from one middle to the middle of
their common side, and on to the other middle. This proves nothing, but it finds what a fine grid finds.
"""

from __future__ import annotations

import numpy as np
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components

from ...arrays import Bools, Floats, Ints
from ..functions.base import ImplicitFunction
from .box_tree import FACES
from .subdivision import BoxClass, ClassifiedBoxes

_SHARES = np.linspace(0.0, 1.0, 9)  # of the way from a middle to the common side, at which F is taken
# share of the cube: larger boxes that are not decided link nothing, as a gap could be between places in them
_LARGE = 1.0 / 128.0


def linked_by_samples(
    function: ImplicitFunction, boxes: ClassifiedBoxes, group: Ints, own: BoxClass
) -> tuple[Ints, Ints]:
    """Return pairs of groups (m,), (m,) of a class that are linked through boxes that are not decided.

    Args:
        function: F.
        boxes: the classified boxes.
        group: the group (n,) of each box of the class, from 0; -1 of others.
        own: the class.
    """
    count = int(group.max(initial=-1)) + 1
    label = _labels(function, boxes, group, own)[1][:count]
    return np.arange(count), np.unique(label, return_index=True)[1][np.unique(label, return_inverse=True)[1]]


def reached_by_samples(
    function: ImplicitFunction, boxes: ClassifiedBoxes, group: Ints, unknown: Ints, own: BoxClass
) -> Ints:
    """Return the group (n,) of a class, as `group`, and of boxes that samples link to it; -1 of others.

    Where samples link boxes of a cluster of undecided ones to one group only, the whole cluster counts to it.

    Args:
        function: F.
        boxes: the classified boxes.
        group: the group (n,) of each box of the class, from 0; -1 of others.
        unknown: the cluster (n,) of each undecided box, from 0; -1 of others.
        own: the class.
    """
    node, label = _labels(function, boxes, group, own)
    found = np.full(len(label), -1, dtype=np.intp)
    known = group >= 0
    found[label[node[known]]] = group[known]
    reached = np.where(known, group, found[label[node]])
    rows = np.flatnonzero(unknown >= 0)
    mine = rows[reached[rows] >= 0]
    count = int(unknown.max(initial=-1)) + 1
    least, most = np.full(count, np.iinfo(np.intp).max), np.full(count, -1)
    np.minimum.at(least, unknown[mine], reached[mine])
    np.maximum.at(most, unknown[mine], reached[mine])
    whole = np.where(least == most, most, -1)
    reached[rows] = np.where(reached[rows] >= 0, reached[rows], whole[unknown[rows]])
    return reached


def _labels(
    function: ImplicitFunction, boxes: ClassifiedBoxes, group: Ints, own: BoxClass
) -> tuple[Ints, Ints]:
    """Return the node (n,) of each box, its group if it has one, and what each node is linked to (m,)."""
    tree = boxes.tree
    open_ = boxes.which(BoxClass.GRAPH, BoxClass.UNDECIDED)
    rows = np.flatnonzero(open_)
    open_[rows[tree.sides[rows] > _LARGE * tree.size]] = False
    rows = np.flatnonzero(open_)
    open_[rows] = own * function.value(tree.middles[rows]) > 0.0
    first, second = tree.neighbours(np.flatnonzero(open_ | (group >= 0)), FACES)  # the first is no larger
    either = open_[first] | open_[second]
    first, second = first[either], second[either]
    linked = _same_sign(function, boxes, first, second, own)
    first, second = first[linked], second[linked]
    count = int(group.max(initial=-1)) + 1
    node = np.where(group >= 0, group, count + np.arange(len(group)))
    total = count + len(group)
    links = coo_array((np.ones(len(first)), (node[first], node[second])), shape=(total, total))
    return node, np.asarray(connected_components(links, directed=False)[1], dtype=np.intp)


def _same_sign(
    function: ImplicitFunction, boxes: ClassifiedBoxes, first: Ints, second: Ints, own: BoxClass
) -> Bools:
    """Return between which boxes (k,) and neighbours no smaller (k,) F keeps the sign of a class."""
    start, end = boxes.tree.middles[first], boxes.tree.middles[second]
    way = end - start
    axis = np.argmax(np.abs(way) - 0.5 * boxes.tree.sides[second][:, None], axis=1)
    between: Floats = start.copy()
    rows = np.arange(len(first))
    between[rows, axis] += 0.5 * np.sign(way[rows, axis]) * boxes.tree.sides[first]
    ways = ((start, between), (between, end))
    places = np.stack([(1.0 - s) * a + s * b for a, b in ways for s in _SHARES], axis=1)
    values = function.value(places.reshape(-1, 3)).reshape(places.shape[:2])
    return np.asarray((own * values > 0.0).all(axis=1))
