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
from .regions import (
    NOWHERE,
    UNCLEAR,
    Regions,
    bounded_by_degrees,
    boxes_between,
    joined_by_flows,
    joined_by_samples,
    regions_of,
    regions_of_boxes,
    some_rows,
)
from .sampled_links import reached_by_samples
from .slope_degrees import slope_degrees
from .subdivision import BoxClass, ClassifiedBoxes, SearchLimits, refined, subdivided, subdivided_on

# places from which flows begin, of each group of boxes, to find seeds, and more where these did not find all
_STARTS, _MORE_STARTS = 4, 64
_REFINEMENTS = 14  # halvings of boxes between groups that are not parted
_OUTSIDE_FIRST = 4  # first ones for groups outside: without cavities, regions inside are sooner known
_PROJECTIONS = 6  # Newton steps from the centre of an undecided box
_ARRIVED = 0.05  # sides: a place so near to the surface is on it


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

    @cached_property
    def euler_characteristics(self) -> Ints | None:
        """The Euler characteristic (r,) of the surface about each region inside; None if it is not proven.

        It is the sum of those of all components that bound the region.
        """
        if not self.proven or self.inside.beyond is not None:
            return None
        degrees = slope_degrees(self.function, self.boxes, self.inside.group, self.inside.most)
        return None if degrees is None else 2 * degrees

    def numbers_of(self, places: Floats) -> Ints:
        """Return the component (k,) that each place (k, 3) on the surface is on; -1 if unknown."""
        if len(self) == 1 and self._decided:
            return np.zeros(len(places), dtype=np.intp)
        sides = (self.inside, self.outside)
        found = [self._looked_up(side, places) for side in sides] if self._decided else None
        pairs = self._pairs_of(places)[0] if found is None else np.stack(found, axis=1)
        same = (pairs[:, None] == self.pairs).all(axis=2)
        return np.where(same.any(axis=1), same.argmax(axis=1) if len(self.pairs) else -1, -1)

    def within(self, number: int, places: Floats) -> Bools:
        """Return which places (k, 3) a component encloses."""
        inside = self.function.value(places) < 0.0
        region = np.full(len(places), NOWHERE, dtype=np.intp)
        sides = ((self.inside, BoxClass.INSIDE, inside), (self.outside, BoxClass.OUTSIDE, ~inside))
        for side, goal, which in sides:
            if self._decided:
                own = self._looked_up(side, places[which])
            else:
                own = self._region_of(side, flowed(self.function, self.boxes, places[which], goal))
            region[which] = np.where(own >= 0, 2 * own + (goal == BoxClass.OUTSIDE), NOWHERE)
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
        sides = list(zip((self.inside, self.outside), starts, strict=True))
        if self._decided:
            few = [_some_of_each(regions.group[box], place, _STARTS) for regions, (box, place) in sides]
            found = self._components_at(np.concatenate(few), FEW_STEPS)
            if len(found[0]) == len(self):
                return found
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

    def _looked_up(self, side: Regions, places: Floats) -> Ints:
        """Return the region (k,) on one side that places (k, 3) on that side, or on the surface, are in.

        Where the number of regions is proven, few boxes have parts of several: flows tell there.
        """
        box, outside = self.boxes.tree.box_at(places), side is self.outside
        beyond = side.most if side.beyond is None else side.beyond
        region = np.where(box >= 0, self._all_over[int(outside)][box], beyond)
        unclear = np.flatnonzero(region == UNCLEAR)
        if len(unclear):
            goal = BoxClass.OUTSIDE if outside else BoxClass.INSIDE
            flow = flowed(self.function, self.boxes, places[unclear], goal, FEW_STEPS)
            region[unclear] = self._region_of(side, flow)
        return region

    @cached_property
    def _all_over(self) -> tuple[Ints, ...]:
        """The only region inside (n,), and outside (n,), that each box may have a part of."""
        sides = ((self.inside, BoxClass.INSIDE), (self.outside, BoxClass.OUTSIDE))
        return tuple(regions_of_boxes(self.boxes, side, own) for side, own in sides)

    def _region_of(self, side: Regions, flow: Flow) -> Ints:
        """Return the region (k,) on one side in which each place ended.

        So are undecided boxes that touch, unless samples link them to another, and what is beyond bounds.
        """
        unknown, of_box = self._unknown, side.group
        if len(self.undecided):
            of_box = self._reached[int(side is self.outside)]
            of_box = np.where((unknown >= 0) & (of_box < 0), side.most + 1 + unknown, of_box)
        beyond = side.most if side.beyond is None else side.beyond
        ended = np.where(flow.box >= 0, of_box[flow.box], NOWHERE)
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
        known = np.isfinite(on[:, 0]) & (pairs != NOWHERE).all(axis=1)
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
    return places[some_rows(group, most)]


def components_of(
    function: ImplicitFunction,
    limits: SearchLimits | None = None,
    bounds: Floats | None = None,
    boxes: ClassifiedBoxes | None = None,
) -> SurfaceComponents:
    """Return the components of a surface.

    Args:
        function: F.
        limits: how far to search.
        bounds: the lowest and the highest corner (2, 3) of a box that cuts off an infinite or too large
            surface; its parts in the box are found. A surface that is infinite has to have bounds.
        boxes: those that `subdivided` gave for the same bounds, and limits no wider, if they are known.
    """
    limits = SearchLimits() if limits is None else limits
    box = np.array(function.box(), dtype=np.float64)
    whole = bounds is None or bool((box[0] >= bounds[0]).all() and (box[1] <= bounds[1]).all())
    if bounds is not None:
        box = np.stack([np.maximum(box[0], bounds[0]), np.minimum(box[1], bounds[1])])
    if not (box[0] <= box[1]).all():
        return _none(function)
    boxes = subdivided(function, box, limits) if boxes is None else subdivided_on(function, boxes, limits)
    outer = _class_beyond(function, boxes) if whole else None
    sides = (BoxClass.INSIDE, BoxClass.OUTSIDE)
    one_outside = False
    for round_ in range(_REFINEMENTS + 1):
        inside = joined_by_flows(
            function, boxes, regions_of(boxes, BoxClass.INSIDE, outer), BoxClass.INSIDE, FEW_STEPS
        )
        outside = regions_of(boxes, BoxClass.OUTSIDE, outer)
        outside = outside.as_one() if one_outside else outside
        for steps in (FEW_STEPS, STEPS):
            outside = joined_by_flows(function, boxes, outside, BoxClass.OUTSIDE, steps)
        one_outside = outside.most == 1
        inside = bounded_by_degrees(function, boxes, inside, outside)
        inside = joined_by_flows(function, boxes, inside, BoxClass.INSIDE, STEPS)
        between = boxes_between(function, boxes, outside, BoxClass.OUTSIDE)
        if round_ >= _OUTSIDE_FIRST or not between.any():
            between |= boxes_between(function, boxes, inside, BoxClass.INSIDE)
        last = round_ == _REFINEMENTS or boxes.examined + 8 * int(between.sum()) > limits.most
        if last or not between.any():
            break
        boxes = refined(function, boxes, between, limits)
    inside, outside = (
        joined_by_samples(function, boxes, regions, own)
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
    none = np.full(len(boxes.kind), NOWHERE)
    nothing = Regions(none, none, None, 0, 0)
    return SurfaceComponents(function, boxes, nothing, nothing, whole=True)
