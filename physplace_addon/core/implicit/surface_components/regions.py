"""The regions on one side of a surface: groups of boxes that touch, and that flows or samples join.

A region's boxes are a group that touches, or several that are joined because a place of one flows to the
other (`descent`), or because samples link them (`sampled_links`), without a proof. There are at least as many
regions as groups of boxes that no box of the other class parts.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from scipy.sparse import coo_array
from scipy.sparse.csgraph import breadth_first_order, connected_components

from ...arrays import Bools, Floats, Ints
from ...vectors import length
from ..functions.base import ImplicitFunction
from .box_tree import FACES, BoxTree
from .descent import flowed, starts_of_flows
from .sampled_links import linked_by_samples
from .slope_degrees import slope_degrees
from .subdivision import BoxClass, ClassifiedBoxes

_LINKS = 6  # places all over each group of boxes, and highest ones, from which flows begin to join groups
# of a unit vector: two flows that face each other do not lead on together along a direction so short
_STILL = 0.3
NOWHERE = -1  # the region of a place that no proven flow leads from
UNCLEAR = -2  # the region of a box that may have parts of several


@dataclass(frozen=True, eq=False)
class Regions:
    """The regions on one side of a surface.

    Attributes:
        group: the region (n,) of each box of this class, from 0; -1 of others.
        apart: the group (n,) of touching boxes that are not of the other class; -1 of others.
        beyond: the region of what is beyond the cube; None if it is none of these.
        least: the proven least number of regions.
        most: the number of regions found.
        is_proven: whether all of them that are one are proven to be.
    """

    group: Ints
    apart: Ints
    beyond: int | None
    least: int
    most: int
    is_proven: bool = True

    def all_over(self, tree: BoxTree) -> Ints:
        """Return the region (n,) that each box of a tree may have a part of, or one of several that no boxes
        part; `NOWHERE` if there is none.
        """
        known, edge = self.group >= 0, tree.on_boundary() & (self.apart >= 0)
        of_apart = np.full(int(self.apart.max(initial=-1)) + 2, NOWHERE)
        of_apart[self.apart[known]] = self.group[known]
        if self.beyond is not None:
            of_apart[self.apart[edge]] = self.beyond
        return np.asarray(of_apart[self.apart])

    def as_one(self) -> Regions:
        """Return these regions as the only one of which it is proven that there is no other."""
        group = np.where(self.group >= 0, 0, -1)
        return replace(self, group=group, beyond=None if self.beyond is None else 0, least=1, most=1)

    @property
    def known_beyond(self) -> int:
        """The region of what is beyond the cube; `NOWHERE` if it is none of these."""
        return NOWHERE if self.beyond is None else self.beyond


def some_rows(group: Ints, most: int) -> Ints:
    """Return the numbers (k,) of about `most` members of each group (m,), spread over it."""
    order = np.argsort(group, kind="stable")
    number = np.arange(len(group)) - np.searchsorted(group[order], group[order])
    size = np.bincount(group + 1, minlength=1)[group[order] + 1]
    return np.asarray(order[number % np.maximum(size // most, 1) == 0], dtype=np.intp)


def regions_of(boxes: ClassifiedBoxes, own: BoxClass, outer: BoxClass | None) -> Regions:
    """Return the regions of one class; those at the cube's boundary are one if the outside is of the class.

    Args:
        boxes: the classified boxes.
        own: the class.
        outer: the class of what is beyond the cube; None if there is surface beyond.
    """
    tree, mine = boxes.tree, boxes.which(own)
    group, edge = tree.groups(mine), tree.on_boundary()
    apart = tree.groups(boxes.which(own, BoxClass.GRAPH, BoxClass.UNDECIDED))
    count, beyond, least = int(group.max(initial=-1)) + 1, None, len(np.unique(apart[mine]))
    if own == outer:
        at_edge = np.unique(apart[edge & (apart >= 0)])
        least = len(np.setdiff1d(apart[mine], at_edge)) + 1
        group, count, beyond = _with_beyond(group, count, np.unique(group[mine & edge]))
    return Regions(group, apart, beyond, least, count)


def _with_beyond(group: Ints, count: int, at_edge: Ints) -> tuple[Ints, int, int]:
    """Return groups (n,) of which those at the cube's boundary (k,) are one with what is beyond.

    Returns:
        The groups, how many there are, and the number of what is beyond.
    """
    if not len(at_edge):
        return group, count + 1, count
    group, label = _linked(group, count, np.full(len(at_edge), at_edge[0]), at_edge)
    return group, int(label.max()) + 1, int(label[at_edge[0]])


def _linked(group: Ints, count: int, first: Ints, second: Ints) -> tuple[Ints, Ints]:
    """Return groups (n,) of which pairs (m,), (m,) have become one, and each one's new number (count,)."""
    links = coo_array((np.ones(len(first)), (first, second)), shape=(count, count))
    label = np.asarray(connected_components(links, directed=False)[1], dtype=np.intp)
    return np.where(group >= 0, label[group], -1), label


def joined_by_flows(
    function: ImplicitFunction, boxes: ClassifiedBoxes, regions: Regions, own: BoxClass, steps: int
) -> Regions:
    """Return regions, those one of which a flow of some steps leads to the other.

    Only regions are tried that no boxes of the other class part.
    """
    if regions.least >= regions.most:
        return regions
    group, apart = regions.group, regions.apart
    mine, places = starts_of_flows(boxes, own)
    tried = _of_several(regions)[apart[mine]]
    mine, places = mine[tried], places[tried]
    heights = own * function.value(places)
    some = np.union1d(some_rows(group[mine], _LINKS), _highest_rows(group[mine], heights))
    some = some[heights[some] > 0.0]
    mine, places = mine[some], places[some]
    end = flowed(function, boxes, places, own, steps).box
    goal = np.where(end >= 0, group[end], np.where(end == -1, regions.known_beyond, -1))
    known = (goal >= 0) & (group[mine] >= 0)
    group, label = _linked(group, regions.most, group[mine][known], goal[known])
    beyond = None if regions.beyond is None else int(label[regions.beyond])
    return replace(regions, group=group, beyond=beyond, most=int(label.max()) + 1)


def _highest_rows(group: Ints, heights: Floats) -> Ints:
    """Return the numbers (k,) of the highest members of each group (m,), by their heights (m,).

    From the highest the way leads on and not back, unless F has a critical point in the group.
    """
    order = np.lexsort((-heights, group))
    number = np.arange(len(group)) - np.searchsorted(group[order], group[order])
    return np.asarray(order[number < _LINKS], dtype=np.intp)


def joined_by_samples(
    function: ImplicitFunction, boxes: ClassifiedBoxes, regions: Regions, own: BoxClass
) -> Regions:
    """Return regions, those one that samples link, where the search ended before their number was proven."""
    if regions.least >= regions.most:
        return regions
    pairs = linked_by_samples(function, boxes, regions.group, own)
    group, label = _linked(regions.group, regions.most, *pairs)
    beyond = None if regions.beyond is None else int(label[regions.beyond])
    most = int(label.max()) + 1
    return replace(regions, group=group, beyond=beyond, most=most, is_proven=most == regions.most)


def bounded_by_degrees(
    function: ImplicitFunction, boxes: ClassifiedBoxes, inside: Regions, outside: Regions
) -> Regions:
    """Return the regions inside, whose least number Euler characteristics may prove.

    The solid in a group of boxes that those outside part from others has half the Euler characteristic chi of
    its surface. That is the number of its regions, less its holes, and the number of its cavities, each of
    which is a region outside. So it has no fewer than chi / 2 regions, less the cavities. This tells two
    balls next to each other apart where no box fits in between.
    """
    unknown = boxes.which(BoxClass.UNDECIDED).any() or outside.least < outside.most
    if inside.least >= inside.most or inside.beyond is not None or unknown:
        return inside
    mine = boxes.which(BoxClass.INSIDE)
    several, count = _of_several(inside)[inside.apart], int(inside.apart.max()) + 1
    degrees = slope_degrees(function, boxes, np.where(several & mine, inside.apart, -1), count)
    if degrees is None:
        return inside
    least = int(np.maximum(degrees[np.unique(inside.apart[mine])], 1).sum()) - (outside.most - 1)
    return replace(inside, least=max(inside.least, least))


def boxes_between(
    function: ImplicitFunction, boxes: ClassifiedBoxes, regions: Regions, own: BoxClass
) -> Bools:
    """Return which graphs (n,) lie between regions of a class of whose number nothing is proven."""
    if regions.least >= regions.most:
        return np.zeros(len(boxes.kind), dtype=np.bool_)
    return _basins(function, boxes, regions, own)[1]


def regions_of_boxes(boxes: ClassifiedBoxes, regions: Regions, own: BoxClass) -> Ints:
    """Return the only region (n,) that each box may have a part of.

    It is `NOWHERE` where there is none, and `UNCLEAR` in a graph from which flows may lead to several that no
    boxes part. It has to be proven how many regions there are.
    """
    of_box = regions.all_over(boxes.tree)
    several = _of_several(regions)[regions.apart]
    if several.any():
        start, end = _flow_links(boxes, several & boxes.which(BoxClass.GRAPH), several, own)
        ways = np.zeros(len(of_box), dtype=np.intp)
        for region in np.unique(regions.group[several & (regions.group >= 0)]).tolist():
            goal = several & (regions.group == region)
            if region == regions.beyond:
                goal |= several & boxes.tree.on_boundary()
            led = _leading_to(goal, start, end)
            of_box[led] = region
            ways[led] += 1
        of_box[several & (ways != 1)] = UNCLEAR
    return of_box


def _leading_to(goal: Bools, start: Ints, end: Ints) -> Ints:
    """Return the boxes (k,) from which links (m,), (m,) lead to a goal, boxes (n,), and the goal itself."""
    count, goals = len(goal), np.flatnonzero(goal)
    first, second = np.append(end, np.full(len(goals), count)), np.append(start, goals)
    ones = np.ones(len(first), dtype=np.int8)
    links = coo_array((ones, (first, second)), shape=(count + 1, count + 1)).tocsr()
    led = breadth_first_order(links, count, return_predecessors=False)
    return np.asarray(led[led < count], dtype=np.intp)


def _flow_links(boxes: ClassifiedBoxes, graph: Bools, open_: Bools, own: BoxClass) -> tuple[Ints, Ints]:
    """Return from which graphs (m,) flows lead on to which boxes (m,) that are open (n,) beside them.

    Over the side of a graph on which F falls along its direction, or rises, for flows outside. Where two
    graphs lead to each other straight across the side that they share, other directions lead on, so that each
    of them is linked to all that touches it.
    """
    tree, starts, ends = boxes.tree, [], []
    stuck = np.zeros(len(graph), dtype=np.bool_)
    for step in FACES:
        small, large = tree.neighbours(np.flatnonzero(open_), step[None])
        small, large = small[open_[large]], large[open_[large]]
        out, back = (own * (boxes.direction[some] @ step) for some in (small, large))
        starts += [small[graph[small] & (out > 0.0)], large[graph[large] & (back < 0.0)]]
        ends += [large[graph[small] & (out > 0.0)], small[graph[large] & (back < 0.0)]]
        slides = boxes.direction[small] * back[:, None] - boxes.direction[large] * out[:, None]
        facing = graph[small] & graph[large] & (out > 0.0) & (back < 0.0)
        still = facing & (length(slides) <= _STILL * (out - back))
        stuck[small[still]] = stuck[large[still]] = True
    first, second = tree.touching
    for one, other in ((first, second), (second, first)):
        more = stuck[one] & open_[other]
        starts.append(one[more])
        ends.append(other[more])
    return np.concatenate(starts), np.concatenate(ends)


def _basins(
    function: ImplicitFunction, boxes: ClassifiedBoxes, regions: Regions, own: BoxClass
) -> tuple[Ints, Bools]:
    """Return the region (n,) that each box belongs to where several are not parted, and the graphs (n,) in
    which two of them meet.

    They meet on the ridges of F, or of -F: nowhere between two regions are boxes of the other class larger,
    nor is it sooner seen that there are none.
    """
    between = np.zeros(len(boxes.kind), dtype=np.bool_)
    open_ = boxes.which(own, BoxClass.GRAPH) & _of_several(regions)[regions.apart]
    first, second = boxes.tree.touching
    near = open_[first] & open_[second]
    first, second = first[near], second[near]
    label = _led_down_to(function, boxes, regions.group, first, second, own)
    while True:
        for one, other in ((first, second), (second, first)):
            late = (label[one] < 0) & (label[other] >= 0)
            label[one[late]] = label[other[late]]
        if not ((label[first] < 0) & (label[second] >= 0)).any():
            break
    differ = (label[first] >= 0) & (label[second] >= 0) & (label[first] != label[second])
    between[first[differ]] = between[second[differ]] = True
    return label, between & boxes.which(BoxClass.GRAPH)


def _of_several(regions: Regions) -> Bools:
    """Return which groups of boxes that are not of the other class (g + 1,) have several regions; the last is
    for boxes in none.
    """
    known = regions.group >= 0
    pairs = np.unique(np.stack([regions.apart, regions.group], axis=1)[known], axis=0)
    count = int(regions.apart.max(initial=-1)) + 1
    return np.append(np.bincount(pairs[:, 0], minlength=count) > 1, False)


def _led_down_to(
    function: ImplicitFunction, boxes: ClassifiedBoxes, group: Ints, first: Ints, second: Ints, own: BoxClass
) -> Ints:
    """Return the region (n,) that leads down to from each box, always on to the lowest box that touches it.

    Low is where F is, or -F outside, at the middle of a box; it is -1 where the way ends in no region. The
    boxes of first (m,) and second (m,) touch.
    """
    height, open_ = np.full(len(group), np.inf), np.unique(np.concatenate([first, second]))
    height[open_] = -own * function.value(boxes.tree.middles[open_])
    one, other = np.concatenate([first, second]), np.concatenate([second, first])
    down = (height[other] < height[one]) & (group[one] < 0)
    one, other = one[down], other[down]
    order = np.lexsort((-height[other], one))  # the last of each row is the lowest
    lowest = np.arange(len(group))
    lowest[one[order]] = other[order]
    while True:
        further = lowest[lowest]
        if np.array_equal(further, lowest):
            return np.asarray(group[lowest])
        lowest = further
