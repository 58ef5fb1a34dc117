"""Creases followed from the points of them that were found, to their ends.

From points on creases (`crease_points`) each curve is followed both ways, all curves at once: where a point
has no neighbour ahead, the next one is a step along the tangent, brought onto the crease. Where the crease
leads no farther, its end is found by halving the step, and the corner where three sides meet near that end.
From a corner all creases that end in it are followed. Where a crease becomes too narrow to be followed, links
become short, as its sides come near to each other beside that end. The links of acute corners are as long as
each other (`acute_corners`).

Links are halved from whose middle the crease is farther than is allowed, that are much longer than the next
one, or to which another point of a crease comes too near. Where no crease leads from one
end of a link to the other, there is a corner between.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from scipy.spatial import cKDTree

from ....arrays import Bools, Floats, Ints
from ....vectors import dot, length, length_and_unit
from ...functions.base import ImplicitFunction
from ...local_thickness import clear_distances
from ...neighbours import nearest, thinned_rows
from .acute_corners import are_short, with_concentric_links
from .crease_curves import CreaseCurves
from .crease_points import CreasePoints, corner_creases, corners_near, on_creases, on_creases_or_nearer

_STEP = 0.5  # spacings: greatest distance of points along a crease
_LEAST = 1.0 / 40.0  # spacings: links so short are not halved
_CLOSE, _CLOSE_CORNERS = 0.6, 0.35  # steps: the least distance of points, and of corners
_ONE = 0.02  # steps: corners so near to each other are one
_CLEAR = 0.7  # distances to the next sheet: points of creases are no farther apart
_LONG = 1.35  # steps: a longer link is halved
_REACH = 0.5  # steps: how far off its tangent a crease may be
_BEND = 0.7  # radians that a crease may turn from point to point
_LITTLE = 0.1  # share of the way to the end of a crease: what goes on as far did not end there, but bent
_HALVINGS = 9  # halvings of the step that ends at a corner
# steps: how far the corner may be from the last point of a crease that was found, first if it is near
_CORNER = (0.1, 0.5)
_LEADS = (0.5, 0.05)  # shares of the way from a corner to such a point: the crease is there
_BESIDE = 0.3  # of the distance from a corner: how far off its tangent a crease may be
# lengths of a link: how far from the cubic curve between its ends a crease is looked for, nearer where that
# fails, as where its sides bend
_REACHES = (0.5, 0.25, 0.12)
_SAGGING = 0.12  # lengths of a link: how far a crease from one end to the other is from the cubic curve there
_AT_ONCE = 0.02  # steps: a crease that ends so near to a point ends there
_ALIKE = 0.9  # least cosine between the normals of one crease at a corner
_ROUNDS = 60  # most rounds in which points are added
_OFF = 0.35  # share of the allowed distance that a crease may be from the middle of a link
_NEAREST = 8  # vertices next to a link that may be in its way
_FREE = 0.02  # squares of a link: how much more power than its ends another vertex has on it at least


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
    least = _LEAST * spacing
    near = curves.zone_at(found.places)
    crossed = near[near >= 0]
    # what is thin beside a knife has edges through it as long as points are too far apart
    crossed = crossed[~curves.points.knives[curves.vertices[crossed]] & ~curves.concentric[crossed]]
    crossed = np.unique(crossed)
    curves = halved_links(function, curves, crossed, spacing)
    curves = curves.joined(_begun(function, found.taken(near < 0), spacing))
    for _ in range(_ROUNDS):
        open_ = (curves.ahead < 0) & curves.leads & ~curves.ended
        if open_.any():
            curves = _followed(function, curves, open_, least)
            continue
        middles, known = _middles(function, curves)
        cornered = _with_corners_between(function, curves, ~known, least)
        if cornered is not curves:
            curves = cornered
            continue
        concentric = with_concentric_links(function, curves, least, _STEP * spacing, _OFF * within)
        if concentric is not curves:
            curves = concentric
            continue
        bent = length(middles.places - curves.points.places[curves.links].mean(axis=1))
        cut = known & (curves.gaps > 2.0 * least)
        cut &= (bent > _OFF * within) | _too_long(function, curves, spacing)
        cut = _with_concentric(curves, cut)
        if not cut.any():
            break
        curves = _with_middles(curves, middles, cut)
    return curves


def halved_links(
    function: ImplicitFunction, curves: CreaseCurves, vertices: Ints, spacing: float
) -> CreaseCurves:
    """Return curves with the links halved of some vertices (k,), unless these are short beside a spacing, or
    for an acute corner.
    """
    if not len(vertices):
        return curves
    at = np.isin(curves.vertex_of[curves.links], vertices).any(axis=1)
    cut = _with_concentric(curves, at & (curves.gaps > 2.0 * _LEAST * spacing))
    cut &= ~are_short(curves, _LEAST * spacing)
    if not cut.any():
        return curves
    middles, known = _middles(function, curves)
    return _with_middles(curves, middles, cut & known)


def _with_concentric(curves: CreaseCurves, cut: Bools) -> Bools:
    """Return the links (m,) to cut: given ones, and all those of an acute corner of which one is cut."""
    ends = curves.vertex_of[curves.links]
    at = np.zeros(len(curves.vertices), dtype=np.bool_)
    at[ends[cut]] = True
    at &= curves.concentric
    return np.asarray(cut | at[ends].any(axis=1))


def _begun(function: ImplicitFunction, points: CreasePoints, spacing: float) -> CreaseCurves:
    """Return points with steps as short as the crease bends there, or sheets are near, and none nearer to
    another than that.
    """
    probe = np.full(len(points), _LEAST * spacing)
    ahead = points.moved(points.places + probe[:, None] * points.tangents)
    near, known = on_creases(function, ahead, _REACH * probe)
    turn = np.where(known, length(near.tangents - points.tangents), 0.0)
    steps = np.clip(_BEND * probe / np.maximum(turn, 1e-9), probe, _STEP * spacing)
    steps = np.minimum(steps, _clear_steps(function, points, spacing))
    stays = thinned_rows(points.places, _CLOSE * steps)
    return CreaseCurves.of(points.taken(stays), steps[stays])


def _followed(function: ImplicitFunction, curves: CreaseCurves, open_: Bools, least: float) -> CreaseCurves:
    """Return curves that go a step on where they are open (n, 2), or end there."""
    rows, sides = np.nonzero(open_)
    ways = np.where(sides == 0, -1.0, 1.0)[:, None] * curves.points.tangents[rows]
    start, steps = curves.points.taken(rows), curves.steps[rows]
    more, known = on_creases_or_nearer(
        function, start.moved(start.places + steps[:, None] * ways), _REACH * steps
    )
    going = CreaseCurves.of(more.taken(known), steps[known])
    before, new = _stopped(function, curves, rows[~known], sides[~known], least)
    longer = _thinned(before.joined(new).joined(going), len(curves), least)
    vain = bool(known.all()) and len(longer) == len(curves)
    return replace(curves, ended=curves.ended | open_) if vain else longer


def _stopped(
    function: ImplicitFunction, curves: CreaseCurves, rows: Ints, sides: Ints, least: float
) -> tuple[CreaseCurves, CreaseCurves]:
    """Return curves that are known to end, or to bend, near points (k,) on sides (k,) of these, and the
    points where they do so, with the ends of all creases in the corners there.
    """
    ways = np.where(sides == 0, -1.0, 1.0)[:, None] * curves.points.tangents[rows]
    start, steps = curves.points.taken(rows), curves.steps[rows]
    last, shares = _ends(function, start, ways, steps)
    corners, exact = _corners_after(function, last, steps)
    far = shares * steps
    bends = ~exact & (far >= least) & _goes_on(function, last, start, _LITTLE * far)
    here = (shares < _AT_ONCE) & ~bends & ~exact
    stops, shorter = ~bends & ~here, curves.steps.copy()
    ended, leads, at_corners = curves.ended.copy(), curves.leads.copy(), curves.corners.copy()
    ended[rows[~bends], sides[~bends]] = True
    leads[rows[here], sides[here]] = False
    at_corners[rows[here]] = True
    np.minimum.at(shorter, rows[bends], far[bends])
    ends = _leading_back(last.moved(corners).taken(stops), ways[stops], steps[stops])
    new = ends.joined(_from_corners(function, curves, corners[exact], steps[exact]))
    new = new.joined(CreaseCurves.of(last.taken(bends), far[bends]))
    return replace(curves, steps=shorter, leads=leads, ended=ended, corners=at_corners), new


def _leading_back(points: CreasePoints, ways: Floats, steps: Floats) -> CreaseCurves:
    """Return ends of creases (n) that come to them along ways (n, 3)."""
    forward = dot(points.tangents, ways) > 0.0
    return CreaseCurves.of(points, steps, np.stack([forward, ~forward], axis=1))


def _from_corners(
    function: ImplicitFunction, curves: CreaseCurves, corners: Floats, steps: Floats
) -> CreaseCurves:
    """Return the ends of all creases at those of some corners (k, 3) that are not known yet."""
    stays = thinned_rows(corners, _ONE * steps)
    known = curves.points.places[curves.corners]
    if len(known) and len(corners):
        stays &= nearest(corners, known)[0] > _ONE * steps
    points, ways, number = corner_creases(function, corners[stays], _CORNER[1] * steps[stays])
    return _leading_back(points, -ways, steps[stays][number])


def _corners_after(function: ImplicitFunction, last: CreasePoints, steps: Floats) -> tuple[Floats, Bools]:
    """Return the corners (n, 3) that creases lead on to from their last points, which stay where there are
    none, and where (n,) there are some.
    """
    corners, known = last.places.copy(), np.zeros(len(last), dtype=np.bool_)
    for reach in (share * steps for share in _CORNER):
        rows = np.flatnonzero(~known)
        found, there = corners_near(function, last.places[rows], reach[rows])
        away = last.places[rows] - found
        for share in _LEADS:
            near = last.taken(rows).moved(found + share * away)
            size = _BESIDE * share * length(away)
            there &= on_creases(function, near, size)[1] | (size <= _ONE * _BESIDE * share * reach[rows])
        corners[rows[there]], known[rows[there]] = found[there], True
    return corners, known


def _with_corners_between(
    function: ImplicitFunction, curves: CreaseCurves, broken: Bools, least: float
) -> CreaseCurves:
    """Return curves with the corners between linked points, where no crease leads on broken links (m,)."""
    middles = curves.points.places[curves.links[broken]].mean(axis=1)
    corners, known = corners_near(function, middles, curves.gaps[broken])
    steps = curves.steps[curves.links[broken][known]].min(axis=1)
    new = _from_corners(function, curves, corners[known], steps)
    return _thinned(curves.joined(new), len(curves), least) if len(new) else curves


def _goes_on(function: ImplicitFunction, last: CreasePoints, start: CreasePoints, steps: Floats) -> Bools:
    """Return which creases go on a little step (k,) farther at their last points, away from the start."""
    tangents = last.tangents
    ways = np.where(dot(tangents, last.places - start.places) < 0.0, -1.0, 1.0)[:, None] * tangents
    return on_creases_or_nearer(function, last.moved(last.places + steps[:, None] * ways), _REACH * steps)[1]


def _ends(
    function: ImplicitFunction, start: CreasePoints, ways: Floats, steps: Floats
) -> tuple[CreasePoints, Floats]:
    """Return the last points of creases along ways (k, 3), and how far they are, in steps (k,)."""
    low, high, last = np.zeros(len(start)), np.ones(len(start)), start
    for _ in range(_HALVINGS if len(start) else 0):
        middle = 0.5 * (low + high)
        tried = start.moved(start.places + (middle * steps)[:, None] * ways)
        found, known = on_creases_or_nearer(function, tried, _REACH * middle * steps)
        low, high = np.where(known, middle, low), np.where(known, high, middle)
        last = last.where(known, found)
    return last, low


def _thinned(curves: CreaseCurves, old: int, least: float) -> CreaseCurves:
    """Return curves without points too near to their ends, and without new ones too near to old ones.

    Plain points that are near each other sideways are on two creases: there steps become shorter.
    """
    order = np.argsort(np.where(curves.corners, 0, 1), kind="stable")
    new = order >= old
    curves = curves.taken(order)
    first, second = (
        cKDTree(curves.points.places).query_pairs(float(_CLOSE * curves.steps.max()), output_type="ndarray").T
    )
    apart, way = length_and_unit(curves.points.places[second] - curves.points.places[first])
    close = np.where(curves.corners, _CLOSE_CORNERS, _CLOSE) * curves.steps
    near = (apart < np.maximum(close[first], close[second])) & ~curves.corners[second]
    same = curves.corners[first] & curves.corners[second]
    same &= apart < _ONE * np.minimum(curves.steps[first], curves.steps[second])
    plain, alike = near & ~curves.corners[first], _alike(curves.points, first, second)
    across = np.maximum(*(np.abs(dot(way, curves.points.tangents[own])) for own in (first, second))) < 0.7
    across &= apart >= _ONE * np.minimum(curves.steps[first], curves.steps[second])
    steps = curves.steps.copy()
    for own in (first, second):
        np.minimum.at(steps, own[plain & across], np.maximum(1.3 * apart[plain & across], least))
    inwards = curves.inwards
    again = same & alike & (dot(inwards[first], inwards[second]) >= 0.0)
    drop = (plain & ~across & new[second]) | (near & ~plain & alike) | again
    dropped = np.zeros(len(curves), dtype=np.bool_)
    for one, other in sorted(zip(second[drop].tolist(), first[drop].tolist(), strict=True)):
        dropped[one] |= not dropped[other]
    places = curves.points.places.copy()
    for one, other in sorted(zip(second[same].tolist(), first[same].tolist(), strict=True)):
        places[one] = places[other]
    return replace(curves, steps=steps, points=curves.points.moved(places)).taken(~dropped)


def _alike(points: CreasePoints, first: Ints, second: Ints) -> Bools:
    """Return which pairs of points (k,), (k,) are on one crease, by the normals of its sides."""
    one, other = points.normals[first], points.normals[second]
    return np.asarray(np.maximum(dot(one, other).min(axis=1), dot(one, other[:, ::-1]).min(axis=1)) >= _ALIKE)


def _too_long(function: ImplicitFunction, curves: CreaseCurves, spacing: float) -> Bools:
    """Return which links (m,) are too long, or have a point in their ball or in the zones of their ends."""
    if not len(curves.links):
        return np.zeros(0, dtype=np.bool_)
    steps = curves.steps[curves.links].max(axis=1)
    clear = np.where(curves.corners, np.inf, _clear_steps(function, curves.points, spacing))
    # where a crease becomes too narrow to be followed it leads on, its sides as near as one likes
    linked = np.bincount(curves.vertex_of[curves.links].ravel(), minlength=len(curves.vertices))
    clear[(linked[curves.vertex_of] == 1) & curves.points.narrow] = _LEAST * spacing
    clear = clear[curves.links].min(axis=1)
    long = curves.gaps > _LONG * np.minimum(steps, clear)
    long |= curves.uneven | curves.covering | _crowded(curves)
    return np.asarray(long & ~curves.concentric[curves.vertex_of[curves.links]].any(axis=1))


def _clear_steps(function: ImplicitFunction, points: CreasePoints, spacing: float) -> Floats:
    """Return how far apart points of creases may be (n,), so that their zones do not reach the next sheet.

    It is looked for between the normals of the two sides, on the hollow side of the crease, and in the middle
    between them on the other one, where the sides themselves are not met. At corners there are more sides.
    """
    middle = length_and_unit(points.normals.sum(axis=1))[1]
    fan = length_and_unit(np.concatenate([points.normals, middle[:, None]], axis=1) + middle[:, None])[1]
    ways = np.concatenate([fan, -middle[:, None]], axis=1) * np.where(points.convex, 1.0, -1.0)[:, None, None]
    clear = clear_distances(function, points.places, ways, spacing)
    return np.asarray(np.maximum(_CLEAR * clear, _LEAST * spacing))


def _crowded(curves: CreaseCurves) -> Bools:
    """Return which links (m,) need not be edges of the Delaunay tetrahedra of points with the zones' weights.

    On a link a place has the same power to both ends, p. It is an edge where no other vertex has less there.
    """
    ends, places = curves.vertex_of[curves.links], curves.points.places[curves.vertices]
    first, second = places[ends[:, 0]], places[ends[:, 1]]
    weights = curves.zones**2
    share = 0.5 * (1.0 + (weights[ends[:, 0]] - weights[ends[:, 1]]) / np.maximum(curves.gaps, 1e-300) ** 2)
    centres = first + share[:, None] * (second - first)
    power = (share * curves.gaps) ** 2 - weights[ends[:, 0]]
    count = min(_NEAREST, len(places))
    apart, near = (np.reshape(own, (len(centres), count)) for own in curves.tree.query(centres, count))
    others = np.where((near[..., None] == ends[:, None]).any(axis=2), np.inf, apart**2 - weights[near])
    return np.asarray(others.min(axis=1) < power + _FREE * curves.gaps**2)


def _middles(function: ImplicitFunction, curves: CreaseCurves) -> tuple[CreasePoints, Bools]:
    """Return the points on creases next to the middles of links (m,), and which of them are known."""
    start = _halfway(curves.points, curves.links)
    found, known = start, np.zeros(len(start), dtype=np.bool_)
    for share in _REACHES:
        if known.all():
            break
        more, there = on_creases(function, start, share * curves.gaps)
        there &= ~known & (length(more.places - start.places) <= _SAGGING * curves.gaps)
        found, known = found.where(there, more), known | there
    return found, known


def _halfway(points: CreasePoints, links: Ints) -> CreasePoints:
    """Return about where creases are halfway along links (k, 2), with the means of the normals at their ends:
    on the cubic curves whose tangents there are theirs.
    """
    first, second = (points.taken(own) for own in links.T)
    swapped = second.normals[:, ::-1]
    crossed = dot(first.normals, second.normals - swapped).sum(axis=1) < 0.0
    normals = first.normals + np.where(crossed[:, None, None], swapped, second.normals)
    way = second.places - first.places
    leaving, coming = (
        np.copysign(length(way), dot(own.tangents, way))[:, None] * own.tangents for own in (first, second)
    )
    middles = 0.5 * (first.places + second.places) + (leaving - coming) / 8.0
    return CreasePoints(middles, length_and_unit(normals)[1], first.convex)


def _with_middles(curves: CreaseCurves, middles: CreasePoints, cut: Bools) -> CreaseCurves:
    """Return curves with points in the middles (m,) of some links (m,), and steps that are as short there."""
    links, gaps = curves.links[cut], 0.55 * curves.gaps[cut]
    steps = curves.steps.copy()
    for end in (0, 1):
        np.minimum.at(steps, links[:, end], gaps)
    return replace(curves, steps=steps).joined(CreaseCurves.of(middles.taken(cut), gaps))
