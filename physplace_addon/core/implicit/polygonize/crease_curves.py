"""Creases of an implicit surface as curves: points along them, so near that edges of a mesh follow them.

From points on creases (`crease_points`) each curve is followed both ways, all curves at once: where a point
has no neighbour ahead, the next one is a step along the tangent, brought onto the crease. Where the crease
leads no farther, as at a corner where three sides meet, its end is found by halving the step.

Two neighbours are linked. Links are halved from whose middle the crease is farther than is allowed, that are
much longer than the next one, or in whose ball, whose diameter they are, is another point of a crease. What
is no crease point stays out of the points' zones, balls about them that cover the links. With the squares of
their radii as weights of the Delaunay tetrahedra, links become edges of these, and the two sides of a crease
are not joined across it (the protecting balls of Cheng, Dey and Ramos 2010).
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from scipy.spatial import cKDTree

from ...arrays import Bools, Floats, Ints
from ...vectors import dot, length, length_and_unit
from ..functions.base import ImplicitFunction
from ..neighbours import thinned_rows
from .crease_points import NO_POINTS, CreasePoints, on_creases

_STEP = 0.5  # spacings: greatest distance of points along a crease
_LEAST = 1.0 / 40.0  # spacings: links so short are not halved
_CLOSE, _CLOSE_CORNERS = 0.6, 0.35  # steps: the least distance of points, and of corners
_FAR = 1.6  # steps: how far ahead a neighbour may be
_LONG = 1.35  # steps: a longer link is halved
_AHEAD = 0.6  # least cosine between the tangent and the way to a neighbour
_ALIKE = 0.5  # least cosine between the normals of neighbours, side by side
_NEAREST = 16  # points among which neighbours are looked for
_REACH = 0.5  # steps: how far off its tangent a crease may be
_BEND = 0.7  # radians that a crease may turn from point to point
_LITTLE = 0.1  # share of the way to the end of a crease: what goes on as far did not end there, but bent
_HALVINGS = 9  # halvings of the step that ends at a corner
_AT_ONCE = 0.02  # steps: a crease that ends so near to a point ends there
_ROUNDS = 60  # most rounds in which points are added
_OFF = 0.35  # share of the allowed distance that a crease may be from the middle of a link
_WITHIN = 0.98  # radii of a link's ball: a point nearer to its centre is in it
_SHORT = 0.9  # shortest links: a zone is no wider
_UNEVEN = 1.9  # times the shortest link that it meets: a longer one is halved
_ZONE = 0.65  # longest links: what is no crease point is no nearer to a crease point
_ZONES = 6  # nearest points in whose zones a place may be


@dataclass(frozen=True, eq=False)
class CreaseCurves:
    """Points along creases.

    Attributes:
        points: the points (n).
        steps: how far apart they shall be about each (n,), in scene units.
        ended: whether the crease leads no farther (n, 2), against the tangent and along it.
        corners: which points (n,) are ends of creases that were found by halving.
    """

    points: CreasePoints
    steps: Floats
    ended: Bools
    corners: Bools

    @classmethod
    def of(cls, points: CreasePoints, steps: Floats, ends: bool = False) -> CreaseCurves:
        """Return points with their steps (n,), which are all ends of creases, or none of them."""
        count = len(points)
        return cls(points, steps, np.full((count, 2), ends), np.full(count, ends))

    def __len__(self) -> int:
        return len(self.points)

    def taken(self, rows: Ints | Bools) -> CreaseCurves:
        """Return some of the points, by their numbers (k,) or marks (n,)."""
        return CreaseCurves(self.points.taken(rows), self.steps[rows], self.ended[rows], self.corners[rows])

    def joined(self, other: CreaseCurves) -> CreaseCurves:
        """Return these points and others."""
        parts = zip(
            (self.steps, self.ended, self.corners), (other.steps, other.ended, other.corners), strict=True
        )
        return CreaseCurves(self.points.joined(other.points), *(np.concatenate(pair) for pair in parts))

    @cached_property
    def ahead(self) -> Ints:
        """The neighbour (n, 2) of each point against the tangent and along it; -1 where there is none."""
        count = len(self)
        if count < 2:
            return np.full((count, 2), -1)
        places, normals = self.points.places, self.points.normals
        near = np.asarray(cKDTree(places).query(places, min(_NEAREST, count))[1], dtype=np.intp)[:, 1:]
        apart, unit = length_and_unit(places[near] - places[:, None])
        alike = np.maximum(
            dot(normals[near], normals[:, None]).min(axis=2),
            dot(normals[near], normals[:, None, ::-1]).min(axis=2),
        )
        may_be = (apart <= _FAR * self.steps[:, None]) & ((alike >= _ALIKE) | self.corners[near])
        along = dot(unit, self.points.tangents[:, None])
        found = np.full((count, 2), -1)
        for side, sign in enumerate((-1.0, 1.0)):
            far = np.where(may_be & (sign * along >= _AHEAD), apart, np.inf)
            best = np.argmin(far, axis=1)
            rows = np.flatnonzero(np.isfinite(far[np.arange(count), best]) & ~self.corners)
            found[rows, side] = near[rows, best[rows]]
        return found

    @cached_property
    def links(self) -> Ints:
        """The numbers (m, 2) of linked points, one that is no corner first."""
        rows, sides = np.nonzero(self.ahead >= 0)
        both = np.stack([rows, self.ahead[rows, sides]], axis=1)
        once = np.unique(np.sort(both, axis=1), axis=0, return_index=True)[1]
        return np.asarray(both[once], dtype=np.intp)

    @cached_property
    def gaps(self) -> Floats:
        """The lengths (m,) of the links."""
        return length(self.points.places[self.links[:, 1]] - self.points.places[self.links[:, 0]])

    @cached_property
    def _shortest_and_longest(self) -> tuple[Floats, Floats]:
        """The lengths (n,), (n,) of the shortest and the longest link of each point; its step without any."""
        longest, shortest = np.zeros(len(self)), np.full(len(self), np.inf)
        for end in (0, 1):
            np.maximum.at(longest, self.links[:, end], self.gaps)
            np.minimum.at(shortest, self.links[:, end], self.gaps)
        linked = longest > 0.0
        return np.where(linked, shortest, self.steps), np.where(linked, longest, self.steps)

    @cached_property
    def zones(self) -> Floats:
        """How near to each point (n,) no other point may be that is not on a crease, in scene units."""
        shortest, longest = self._shortest_and_longest
        return np.minimum(_ZONE * longest, _SHORT * shortest)

    def zone_at(self, places: Floats) -> Ints:
        """Return a point (k,) in whose zone each place (k, 3) is; -1 where it is in none."""
        if not len(self) or not len(places):
            return np.full(len(places), -1)
        count = min(_ZONES, len(self))
        apart, near = (np.reshape(own, (len(places), count)) for own in self._tree.query(places, count))
        share = apart / self.zones[near]
        best = np.argmin(share, axis=1)
        rows = np.arange(len(places))
        return np.where(share[rows, best] < 1.0, near[rows, best], -1)

    @cached_property
    def uneven(self) -> Bools:
        """Which links (m,) are much longer than others that they meet."""
        shortest = self._shortest_and_longest[0]
        return np.asarray(self.gaps > _UNEVEN * shortest[self.links].min(axis=1))

    @cached_property
    def _tree(self) -> cKDTree:
        return cKDTree(self.points.places)


def no_curves() -> CreaseCurves:
    """Return that there are no creases."""
    return CreaseCurves.of(NO_POINTS, np.zeros(0))


def crease_curves(
    function: ImplicitFunction, curves: CreaseCurves, found: CreasePoints, spacing: float, within: float
) -> CreaseCurves:
    """Return points all along the creases that some points are on.

    Args:
        function: F.
        curves: those known already.
        found: other points on creases.
        spacing: the usual distance of points on the surface, in scene units.
        within: how far creases may be from links, in scene units.
    """
    near = curves.zone_at(found.places)
    curves = halved_links(function, curves, np.unique(near[near >= 0]), spacing)
    curves = curves.joined(_begun(function, found.taken(near < 0), spacing))
    for _ in range(_ROUNDS):
        open_ = (curves.ahead < 0) & ~curves.ended & ~curves.corners[:, None]
        if open_.any():
            longer = _followed(function, curves, open_, _LEAST * spacing)
            vain = len(longer) == len(curves) and bool(longer.corners.sum() == curves.corners.sum())
            curves = replace(curves, ended=curves.ended | open_) if vain else longer
            continue
        cut = _too_long(function, curves, _OFF * within) & (curves.gaps > 2.0 * _LEAST * spacing)
        if not cut.any():
            break
        curves = _with_middles(function, curves, cut)
    return curves


def halved_links(
    function: ImplicitFunction, curves: CreaseCurves, rows: Ints, spacing: float
) -> CreaseCurves:
    """Return curves with the links halved of some points (k,), unless these are short beside a spacing."""
    if not len(rows):
        return curves
    cut = np.isin(curves.links, rows).any(axis=1) & (curves.gaps > 2.0 * _LEAST * spacing)
    return _with_middles(function, curves, cut) if cut.any() else curves


def _begun(function: ImplicitFunction, points: CreasePoints, spacing: float) -> CreaseCurves:
    """Return points with steps as short as the crease bends there, none nearer to another than that."""
    probe = np.full(len(points), _LEAST * spacing)
    ahead = points.moved(points.places + probe[:, None] * points.tangents)
    near, known = on_creases(function, ahead, _REACH * probe)
    turn = np.where(known, length(near.tangents - points.tangents), 0.0)
    steps = np.clip(_BEND * probe / np.maximum(turn, 1e-9), probe, _STEP * spacing)
    stays = thinned_rows(points.places, _CLOSE * steps)
    return CreaseCurves.of(points.taken(stays), steps[stays])


def _followed(function: ImplicitFunction, curves: CreaseCurves, open_: Bools, least: float) -> CreaseCurves:
    """Return curves that go a step on where they are open (n, 2), or end there."""
    rows, sides = np.nonzero(open_)
    ways = np.where(sides == 0, -1.0, 1.0)[:, None] * curves.points.tangents[rows]
    start, steps = curves.points.taken(rows), curves.steps[rows]
    more, known = on_creases(function, start.moved(start.places + steps[:, None] * ways), _REACH * steps)
    going = CreaseCurves.of(more.taken(known), steps[known])
    rows, sides, ways, start, steps = (
        rows[~known],
        sides[~known],
        ways[~known],
        start.taken(~known),
        steps[~known],
    )
    last, shares = _ends(function, start, ways, steps)
    bends = _goes_on(function, last, start, _LITTLE * shares * steps) & (shares * steps >= least)
    at_once = (shares < _AT_ONCE) & ~bends
    ended, corners = curves.ended.copy(), curves.corners.copy()
    ended[rows[~bends], sides[~bends]] = True
    corners[rows[at_once]] = True
    shorter = curves.steps.copy()
    np.minimum.at(shorter, rows[bends], (shares * steps)[bends])
    ends = CreaseCurves.of(last.taken(~bends & ~at_once), steps[~bends & ~at_once], ends=True)
    new = ends.joined(CreaseCurves.of(last.taken(bends), (shares * steps)[bends])).joined(going)
    return _thinned(
        replace(curves, ended=ended, corners=corners, steps=shorter).joined(new), len(curves), least
    )


def _goes_on(function: ImplicitFunction, last: CreasePoints, start: CreasePoints, steps: Floats) -> Bools:
    """Return which creases go on a little step (k,) farther at their last points, away from the start."""
    tangents = last.tangents
    ways = np.where(dot(tangents, last.places - start.places) < 0.0, -1.0, 1.0)[:, None] * tangents
    return on_creases(function, last.moved(last.places + steps[:, None] * ways), _REACH * steps)[1]


def _ends(
    function: ImplicitFunction, start: CreasePoints, ways: Floats, steps: Floats
) -> tuple[CreasePoints, Floats]:
    """Return the last points of creases along ways (k, 3), and how far they are, in steps (k,)."""
    low, high, last = np.zeros(len(start)), np.ones(len(start)), start
    for _ in range(_HALVINGS if len(start) else 0):
        middle = 0.5 * (low + high)
        tried = start.moved(start.places + (middle * steps)[:, None] * ways)
        found, known = on_creases(function, tried, _REACH * middle * steps)
        low, high = np.where(known, middle, low), np.where(known, high, middle)
        last = CreasePoints(
            np.where(known[:, None], found.places, last.places),
            np.where(known[:, None, None], found.normals, last.normals),
            start.convex,
        )
    return last, low


def _thinned(curves: CreaseCurves, old: int, least: float) -> CreaseCurves:
    """Return curves without points that are too near to corners, or new ones that are too near to old ones.

    What is near sideways is on another crease: there steps become shorter.
    """
    order = np.argsort(np.where(curves.corners, 0, 1), kind="stable")
    new = order >= old
    curves = curves.taken(order)
    tangents, places = curves.points.tangents, curves.points.places
    close = np.where(curves.corners, _CLOSE_CORNERS, _CLOSE) * curves.steps
    first, second = cKDTree(places).query_pairs(float(_CLOSE * curves.steps.max()), output_type="ndarray").T
    apart, way = length_and_unit(places[second] - places[first])
    near = apart < np.maximum(close[first], close[second])
    both = curves.corners[first] & curves.corners[second]
    near &= ~both | (apart < np.minimum(close[first], close[second]))
    first, second, apart, way = first[near], second[near], apart[near], way[near]
    plain = ~curves.corners[first] & ~curves.corners[second]
    beside = plain & (np.maximum(*(np.abs(dot(way, tangents[own])) for own in (first, second))) < 0.7)
    steps = curves.steps.copy()
    for own in (first, second):
        np.minimum.at(steps, own[beside], np.maximum(1.3 * apart[beside], least))
    late, early = np.maximum(first, second)[~beside], np.minimum(first, second)[~beside]
    matters = new[late] | curves.corners[early]
    dropped = np.zeros(len(curves), dtype=np.bool_)
    for one, other in sorted(zip(late[matters].tolist(), early[matters].tolist(), strict=True)):
        if not dropped[other]:
            dropped[one] = True
    return replace(curves, steps=steps).taken(~dropped)


def _too_long(function: ImplicitFunction, curves: CreaseCurves, off: float) -> Bools:
    """Return which links (m,) are too long, or too far from their crease, or have a point in their ball."""
    if not len(curves.links):
        return np.zeros(0, dtype=np.bool_)
    _, known, bent = _middles(function, curves, np.ones(len(curves.links), dtype=np.bool_))
    steps = curves.steps[curves.links].max(axis=1)
    long = known & ((bent > off) | (curves.gaps > _LONG * steps))
    centres = curves.points.places[curves.links].mean(axis=1)
    count = min(3, len(curves))
    third = np.reshape(cKDTree(curves.points.places).query(centres, count)[0], (len(centres), count))[:, -1]
    crowded = (third < _WITHIN * 0.5 * curves.gaps) & (count == 3)
    return np.asarray(long | (known & (curves.uneven | crowded)))


def _middles(
    function: ImplicitFunction, curves: CreaseCurves, which: Bools
) -> tuple[CreasePoints, Bools, Floats]:
    """Return the points on creases nearest to the middles of some links (m,), which (k,) of them are known,
    and how far they are from these middles (k,), in scene units.
    """
    links = curves.links[which]
    centres = curves.points.places[links].mean(axis=1)
    start = curves.points.taken(links[:, 0]).moved(centres)
    found, known = on_creases(function, start, _REACH * curves.gaps[which])
    return found, known, length(found.places - centres)


def _with_middles(function: ImplicitFunction, curves: CreaseCurves, cut: Bools) -> CreaseCurves:
    """Return curves with points in the middle of some links (m,), and steps that are as short there."""
    found, known, _ = _middles(function, curves, cut)
    links, gaps = curves.links[cut][known], 0.55 * curves.gaps[cut][known]
    steps = curves.steps.copy()
    for end in (0, 1):
        np.minimum.at(steps, links[:, end], gaps)
    none = np.zeros(len(gaps), dtype=np.bool_)
    new = CreaseCurves(found.taken(known), gaps, np.zeros((len(gaps), 2), dtype=np.bool_), none)
    return replace(curves, steps=steps).joined(new)
