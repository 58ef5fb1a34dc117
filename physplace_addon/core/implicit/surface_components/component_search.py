"""All components of an implicit surface, and what of their number is proven.

The surface parts space into regions, inside and outside of it. Two regions that touch share one component of
a closed surface, and n regions have n - 1 of them between them. So to find all components is to find all
regions.

Space is cut into boxes that are inside, outside, graphs or undecided (`subdivision`). From a graph every
place inside descends to a box inside, or to an undecided one (`descent`), and never leaves its region. So
without undecided boxes every region holds a box of its own class: there are no more regions than groups of
touching boxes of the class. Groups from one of which a place flows to the other are in one region. On the
other hand, what is parted by boxes of the other class is parted by the surface: there are no fewer regions
inside than groups of touching boxes that are not outside, of those with a box inside. Where the two numbers
differ, the boxes between the groups are halved further. When they are equal, the number is proven; where the
search ends before, groups that samples link count as one (`sampled_links`), without a proof.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components

from ...arrays import Bools, Floats, Ints
from ..functions.base import ImplicitFunction
from ..projection import distances_to_surface, projected, surface_crossings
from .descent import FEW_STEPS, STEPS, Flow, flowed, starts_of_flows
from .sampled_links import linked_by_samples, reached_by_samples
from .subdivision import BoxClass, ClassifiedBoxes, SearchLimits, refined, subdivided

# places from which flows begin, of each group of boxes: to find seeds, more where these did not find all, and
# to join groups
_STARTS, _MORE_STARTS, _LINKS = 4, 64, 6
_REFINEMENTS = 14  # halvings of boxes between groups that are not parted
_PROJECTIONS = 6  # Newton steps from the centre of an undecided box
_ARRIVED = 0.05  # sides: a place so near to the surface is on it
_NOWHERE = -1  # the region of a place that no proven flow leads from


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

    @property
    def known_beyond(self) -> int:
        """The region of what is beyond the cube; `_NOWHERE` if it is none of these."""
        return _NOWHERE if self.beyond is None else self.beyond


@dataclass(frozen=True, eq=False)
class SurfaceComponents:
    """The components of a surface. Its components and their seeds are found when they are first used.

    Attributes:
        function: F.
        boxes: the boxes that space was cut into.
        inside: the regions inside.
        outside: the regions outside.
        whole: whether the boxes hold the whole surface, and not only what is within bounds.
    """

    function: ImplicitFunction
    boxes: ClassifiedBoxes
    inside: Regions
    outside: Regions
    whole: bool

    def __len__(self) -> int:
        return max(self.inside.most + self.outside.most - 1, 0) if self._decided else len(self.seeds)

    @property
    def proven(self) -> bool:
        """Whether it is proven that there are so many components, and a place on each was found."""
        return self._decided and (len(self) <= 1 or len(self.seeds) == len(self))

    @property
    def pairs(self) -> Ints:
        """The regions (c, 2), inside and outside, that each component parts."""
        return self._found[0]

    @property
    def seeds(self) -> Floats:
        """A place (c, 3) on each component."""
        return self._found[1]

    @cached_property
    def undecided(self) -> Floats:
        """The centres (u, 3) of the boxes of which nothing is proven."""
        return self.boxes.tree.middles[self.boxes.which(BoxClass.UNDECIDED)]

    @cached_property
    def _decided(self) -> bool:
        """Whether the number of regions is proven."""
        equal = self.inside.least == self.inside.most and self.outside.least == self.outside.most
        linked = self.inside.is_proven and self.outside.is_proven
        return self.whole and equal and linked and not len(self.undecided)

    def numbers_of(self, places: Floats) -> Ints:
        """Return the component (k,) that each place (k, 3) on the surface is on; -1 if unknown."""
        if len(self) == 1 and self._decided:
            return np.zeros(len(places), dtype=np.intp)
        pairs = self._pairs_of(places)[0]
        same = (pairs[:, None] == self.pairs).all(axis=2)
        return np.where(same.any(axis=1), same.argmax(axis=1) if len(self.pairs) else -1, -1)

    def within(self, number: int, places: Floats) -> Bools:
        """Return which places (k, 3) a component encloses."""
        inside = self.function.value(places) < 0.0
        region = np.full(len(places), _NOWHERE, dtype=np.intp)
        sides = ((self.inside, BoxClass.INSIDE, inside), (self.outside, BoxClass.OUTSIDE, ~inside))
        for side, goal, which in sides:
            own = self._region_of(side, flowed(self.function, self.boxes, places[which], goal))
            region[which] = np.where(own >= 0, 2 * own + (goal == BoxClass.OUTSIDE), _NOWHERE)
        enclosed, _ = self._enclosed(number)
        return np.asarray((region >= 0) & np.isin(region, enclosed))

    def is_hollow(self, number: int) -> bool:
        """Return whether what a component encloses is, next to it, outside, F > 0."""
        enclosed, (_, outside) = self._enclosed(number)
        return bool(np.isin(outside, enclosed))

    def _enclosed(self, number: int) -> tuple[Ints, Ints]:
        """Return the regions (e,) that a component encloses, and the two (2,) beside it.

        Regions and components are a tree, which without this component falls into two: one of them holds what
        is beyond the cube. Regions inside have even numbers here, those outside have odd ones.
        """
        nodes = 2 * self.pairs + np.array([0, 1])
        first, second = np.delete(nodes, number, axis=0).T
        far = 2 * self.inside.known_beyond if self.outside.beyond is None else 2 * self.outside.beyond + 1
        count = max(int(nodes.max()), far) + 1
        links = coo_array((np.ones(len(first)), (first, second)), shape=(count, count))
        part = connected_components(links, directed=False)[1]
        own = part[nodes[number]]
        return np.flatnonzero(np.isin(part, own[own != part[far]])), nodes[number]

    @cached_property
    def _reached(self) -> tuple[Ints, ...]:
        """The region inside (n,), and that outside (n,), that each box is in or samples link it to."""
        sides = ((self.inside.group, BoxClass.INSIDE), (self.outside.group, BoxClass.OUTSIDE))
        return tuple(
            reached_by_samples(self.function, self.boxes, group, self._unknown, own) for group, own in sides
        )

    @cached_property
    def _found(self) -> tuple[Ints, Floats]:
        """The pairs of regions (c, 2) that components part, and a place (c, 3) on each."""
        if not self.inside.most and not len(self.undecided):
            return np.zeros((0, 2), dtype=np.intp), np.zeros((0, 3))
        starts = [starts_of_flows(self.boxes, own) for own in (BoxClass.INSIDE, BoxClass.OUTSIDE)]
        sides = zip((self.inside, self.outside), starts, strict=True)
        few = [_some_of_each(regions.group[box], place, _STARTS) for regions, (box, place) in sides]
        found = self._components_at(np.concatenate(few), FEW_STEPS)
        if self._decided and len(found[0]) == len(self):
            return found
        sides = zip((self.inside, self.outside), starts, strict=True)
        many = [_some_of_each(regions.group[box], place, _MORE_STARTS) for regions, (box, place) in sides]
        unknown = _some_of_each(self._unknown[self._unknown >= 0], self.undecided, _STARTS)
        return self._components_at(np.concatenate([*many, unknown]))

    def _pairs_of(self, places: Floats, steps: int = STEPS) -> tuple[Ints, Flow, Flow]:
        """Return the regions (k, 2) on both sides of places (k, 3) near the surface, and both flows."""
        down, up = (
            flowed(self.function, self.boxes, places, goal, steps)
            for goal in (BoxClass.INSIDE, BoxClass.OUTSIDE)
        )
        ends = [self._region_of(side, flow) for side, flow in ((self.inside, down), (self.outside, up))]
        return np.stack(ends, axis=1), down, up

    def _region_of(self, side: Regions, flow: Flow) -> Ints:
        """Return the region (k,) on one side in which each place ended.

        So are undecided boxes that touch, unless samples link them to another, and what is beyond bounds.
        """
        unknown, of_box = self._unknown, side.group
        if len(self.undecided):
            of_box = self._reached[int(side is self.outside)]
            of_box = np.where((unknown >= 0) & (of_box < 0), side.most + 1 + unknown, of_box)
        beyond = side.most if side.beyond is None else side.beyond
        ended = np.where(flow.box >= 0, of_box[flow.box], _NOWHERE)
        return np.where(flow.box == -1, beyond, ended)

    @cached_property
    def _unknown(self) -> Ints:
        """The group (n,) of each undecided box; -1 of others."""
        return self.boxes.tree.groups(self.boxes.which(BoxClass.UNDECIDED))

    def _components_at(self, places: Floats, steps: int = STEPS) -> tuple[Ints, Floats]:
        """Return the pairs of regions (c, 2) beside places (k, 3), and places (c, 3) on the surface there."""
        pairs, down, up = self._pairs_of(places, steps)
        inner = np.where(np.isnan(down.inner), up.inner, down.inner)
        outer = np.where(np.isnan(down.outer), up.outer, down.outer)
        crossed, on = np.isfinite(inner[:, 0]), np.full(places.shape, np.nan)
        on[crossed] = surface_crossings(self.function, inner[crossed], outer[crossed])
        open_ = ~crossed & (down.box >= 0)
        on[open_] = _near_surface(self.function, places[open_], self.boxes.tree.sides[down.box[open_]])
        known = np.isfinite(on[:, 0]) & (pairs != _NOWHERE).all(axis=1)
        found, first = np.unique(pairs[known], axis=0, return_index=True)
        return found, on[known][first]


def _near_surface(function: ImplicitFunction, places: Floats, sides: Floats) -> Floats:
    """Return points (k, 3) of the surface near centres (k, 3) of undecided boxes; NaN where it is not."""
    on = projected(function, places, float(sides.max(initial=0.0)), _PROJECTIONS)
    off = distances_to_surface(*function.gradient(on))
    there = (np.abs(on - places).max(axis=1, initial=0.0) <= sides) & (off <= _ARRIVED * sides)
    return np.where(there[:, None], on, np.nan)


def _some_of_each(group: Ints, places: Floats, most: int) -> Floats:
    """Return about `most` of the places (m, 3) of each group (m,)."""
    return places[_some_rows(group, most)]


def _some_rows(group: Ints, most: int) -> Ints:
    """Return the numbers (k,) of about `most` members of each group (m,), spread over it."""
    order = np.argsort(group, kind="stable")
    number = np.arange(len(group)) - np.searchsorted(group[order], group[order])
    size = np.bincount(group + 1, minlength=1)[group[order] + 1]
    return np.asarray(order[number % np.maximum(size // most, 1) == 0], dtype=np.intp)


def components_of(
    function: ImplicitFunction, limits: SearchLimits | None = None, bounds: Floats | None = None
) -> SurfaceComponents:
    """Return the components of a surface.

    Args:
        function: F.
        limits: how far to search.
        bounds: the lowest and the highest corner (2, 3) of a box that cuts off an infinite or too large
            surface; its parts in the box are found. A surface that is infinite has to have bounds.
    """
    limits = SearchLimits() if limits is None else limits
    box = np.array(function.box(), dtype=np.float64)
    whole = bounds is None or bool((box[0] >= bounds[0]).all() and (box[1] <= bounds[1]).all())
    if bounds is not None:
        box = np.stack([np.maximum(box[0], bounds[0]), np.minimum(box[1], bounds[1])])
    if not (box[0] <= box[1]).all():
        return _none(function)
    boxes = subdivided(function, box, limits)
    outer = _class_beyond(function, boxes) if whole else None
    sides = (BoxClass.INSIDE, BoxClass.OUTSIDE)
    for _ in range(_REFINEMENTS):
        inside, outside = (
            _joined_by_flows(function, boxes, _regions(boxes, own, outer), own, FEW_STEPS) for own in sides
        )
        between = _between(boxes, inside, BoxClass.INSIDE) | _between(boxes, outside, BoxClass.OUTSIDE)
        if not between.any() or boxes.examined + 8 * int(between.sum()) > limits.most:
            break
        boxes = refined(function, boxes, between, limits)
    inside, outside = (
        _joined_by_samples(function, boxes, _joined_by_flows(function, boxes, regions, own, STEPS), own)
        for regions, own in zip((inside, outside), sides, strict=True)
    )
    return SurfaceComponents(function, boxes, inside, outside, whole)


def _class_beyond(function: ImplicitFunction, boxes: ClassifiedBoxes) -> BoxClass:
    """Return the class of what is beyond a cube that holds the whole surface."""
    return BoxClass.INSIDE if function.value(boxes.tree.low[None])[0] < 0.0 else BoxClass.OUTSIDE


def _none(function: ImplicitFunction) -> SurfaceComponents:
    """Return that there is no surface."""
    box = np.array([[0.0] * 3, [1.0] * 3])
    boxes = subdivided(function, box, SearchLimits(0))
    boxes = replace(boxes, kind=np.full(len(boxes.kind), BoxClass.OUTSIDE, dtype=np.intp))
    none = np.full(len(boxes.kind), _NOWHERE)
    nothing = Regions(none, none, None, 0, 0)
    return SurfaceComponents(function, boxes, nothing, nothing, whole=True)


def _regions(boxes: ClassifiedBoxes, own: BoxClass, outer: BoxClass | None) -> Regions:
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


def _joined_by_flows(
    function: ImplicitFunction, boxes: ClassifiedBoxes, regions: Regions, own: BoxClass, steps: int
) -> Regions:
    """Return regions, those one of which a flow of some steps leads to the other.

    Only regions are tried that no boxes of the other class part.
    """
    if regions.least >= regions.most:
        return regions
    group, apart = regions.group, regions.apart
    several = np.bincount(np.unique(np.stack([apart, group], 1)[group >= 0], axis=0)[:, 0]) > 1
    mine, places = starts_of_flows(boxes, own)
    tried = several[apart[mine]]
    mine, places = mine[tried], places[tried]
    some = _some_rows(group[mine], _LINKS)
    some = some[own * function.value(places[some]) > 0.0]
    mine, places = mine[some], places[some]
    end = flowed(function, boxes, places, own, steps).box
    goal = np.where(end >= 0, group[end], np.where(end == -1, regions.known_beyond, -1))
    known = (goal >= 0) & (group[mine] >= 0)
    group, label = _linked(group, regions.most, group[mine][known], goal[known])
    beyond = None if regions.beyond is None else int(label[regions.beyond])
    return replace(regions, group=group, beyond=beyond, most=int(label.max()) + 1)


def _joined_by_samples(
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


def _between(boxes: ClassifiedBoxes, regions: Regions, own: BoxClass) -> Bools:
    """Return which graphs (n,) lie between regions of a class that no boxes part."""
    none = np.zeros(len(boxes.kind), dtype=np.bool_)
    if regions.least >= regions.most:
        return none
    may_be = boxes.which(own, BoxClass.GRAPH)
    label = regions.group.copy()
    first, second = boxes.tree.touching
    near = may_be[first] & may_be[second]
    first, second = first[near], second[near]
    while True:
        for one, other in ((first, second), (second, first)):
            late = (label[one] < 0) & (label[other] >= 0)
            label[one[late]] = label[other[late]]
        if not ((label[first] < 0) & (label[second] >= 0)).any():
            break
    differ = (label[first] >= 0) & (label[second] >= 0) & (label[first] != label[second])
    none[first[differ]] = none[second[differ]] = True
    return none & boxes.which(BoxClass.GRAPH)
