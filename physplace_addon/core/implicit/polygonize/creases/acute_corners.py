"""Corners at which creases meet at acute angles, as at the tip of the face in which a thin wedge ends.

Near such a corner two creases are nearer to each other than links are long, however short these are, and
tetrahedra join the wrong points of them. So all links of the corner get the same length R, and one zone about
the corner covers them almost to their ends (the concentric shells of Ruppert 1995, and the protecting balls
of Cheng, Dey and Ramos 2010). Two creases at an angle a are 2 R sin(a / 2) apart at their ends: R makes that
a few times the least length of links, unless the creases bend or end before.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from ....arrays import Bools, Floats
from ....vectors import dot, length, length_and_unit
from ...functions.base import ImplicitFunction
from .crease_curves import CreaseCurves
from .crease_points import NO_POINTS, CreasePoints, on_creases

_APART = 3.0  # least lengths of links: creases are as far apart at the ends of a corner's links
_STEPS = 8  # in which a crease is followed from a corner
_OFF = 0.4  # of the distance of two creases from each other: how far one may be from where it is looked for
_ROOM = 0.4  # share of the way to the other end of a crease: a corner's link is no longer
_SHORTER = 0.8  # factor of the length of links in each further attempt
_ATTEMPTS = 8  # in which links are made shorter
_FREE = 0.3  # of the distance of two creases: the next point is no nearer than that to the end of the link
_SAME_CREASE = 0.7  # least cosine between the normals of one crease, side by side
_SAME = 1.01  # of the lengths that they should have: equal links that are no longer than that stay


def are_short(curves: CreaseCurves, least: float) -> Bools:
    """Return which links (m,) of acute corners are not to be halved.

    Beside shorter ones nothing is as it was but smaller, and their creases are too near to each other for the
    links that follow.

    Args:
        curves: points all along creases.
        least: the least length of links, in scene units.
    """
    share = np.where(curves.concentric, 2.0 * np.sin(0.5 * np.minimum(curves.least_angles, np.pi)), np.inf)
    share = share[curves.vertex_of[curves.links]].min(axis=1)
    return np.asarray(np.isfinite(share) & (0.5 * share * curves.gaps < _APART * least))


def with_concentric_links(
    function: ImplicitFunction, curves: CreaseCurves, least: float, longest: float, off: float
) -> CreaseCurves:
    """Return curves whose links at acute corners are as long as each other, and as long as is safe.

    Args:
        function: F.
        curves: points all along creases.
        least: the least length of links, in scene units.
        longest: the greatest one, in scene units.
        off: how far a crease may be from the middle of a link, in scene units.
    """
    angles = curves.least_angles
    drop, steps = np.zeros(len(curves), dtype=np.bool_), curves.steps.copy()
    new = CreaseCurves.of(NO_POINTS, np.zeros(0))
    for vertex in np.flatnonzero(curves.acute).tolist():
        rows = np.flatnonzero(curves.vertex_of == vertex)
        chains = [_chain(curves, row) for row in rows.tolist()]
        if any(drop[chain].any() for chain in chains):
            continue
        share = 2.0 * np.sin(0.5 * float(angles[vertex]))
        corner = curves.points.places[rows[0]]
        away = [length(curves.points.places[chain] - corner) for chain in chains]
        ends = min(
            float(far[-1]) if len(chain) > 1 and curves.corners[chain[-1]] else np.inf
            for far, chain in zip(away, chains, strict=True)
        )
        reach = min(_APART * least / share, longest, _ROOM * ends)
        farthest = max(float(far[1]) if len(far) > 1 else 0.0 for far in away)
        if curves.concentric[vertex] and farthest <= _SAME * reach:
            continue
        for _ in range(_ATTEMPTS):
            points, known = _at(function, curves.points.taken(rows), curves.inwards[rows], reach, share, off)
            if known:
                break
            reach *= _SHORTER
        if not known:
            continue
        near = length(curves.points.places - corner) < (1.0 + _FREE * share) * reach
        near &= curves.vertex_of != vertex
        own = curves.points.normals[rows]
        drop |= near & _alike(curves.points.normals, own).any(axis=1)
        after = [next((i for i in chain[1:] if not drop[i]), chain[0]) for chain in chains]
        gaps = np.maximum(length(curves.points.places[after] - points.places), reach)
        # the end of a crease claims no more room on it than there is, or these links would be dropped again
        steps[after] = np.where(curves.corners[after], gaps, np.maximum(steps[after], gaps))
        steps[rows] = reach
        new = new.joined(CreaseCurves.of(points, gaps))
    return replace(curves, steps=steps).taken(~drop).joined(new) if len(new) else curves


def _chain(curves: CreaseCurves, row: int) -> list[int]:
    """Return the numbers of the points along the crease that begins at one of a corner's points."""
    chain, before, side = [row], -1, int(curves.leads[row, 1])
    while True:
        after = int(curves.ahead[chain[-1], side])
        if after < 0 or after in chain:
            return chain
        before = chain[-1]
        chain.append(after)
        if curves.corners[after]:
            return chain
        way = curves.points.places[after] - curves.points.places[before]
        side = int(float(way @ curves.points.tangents[after]) > 0.0)


def _alike(normals: Floats, own: Floats) -> Bools:
    """Return which points (n, k) are on one crease, by their normals (n, 2, 3) and those (k, 2, 3) there."""
    straight = np.einsum("nsi,ksi->nks", normals, own).min(axis=2)
    crossed = np.einsum("nsi,ksi->nks", normals[:, ::-1], own).min(axis=2)
    return np.asarray(np.maximum(straight, crossed) >= _SAME_CREASE)


def _at(
    function: ImplicitFunction, ends: CreasePoints, ways: Floats, reach: float, share: float, off: float
) -> tuple[CreasePoints, bool]:
    """Return the points of a corner's creases (k) at a distance from it, and whether all are found and near
    enough to the straight line.

    Args:
        function: F.
        ends: the points at the corner.
        ways: the unit directions (k, 3) in which they lead away.
        reach: the distance, in scene units.
        share: how far the creases are apart, in shares of the distance from the corner.
        off: how far a crease may be from the middle of a link, in scene units.
    """
    corner, points = ends.places[0], ends
    middles = ends.places
    for step in range(1, _STEPS + 1):
        far = reach * step / _STEPS
        # the tangents lead ahead of the last points, which are brought to the distance of this step
        ahead = points.places + reach / _STEPS * ways - corner
        near = points.moved(corner + far * length_and_unit(ahead)[1])
        points, known = on_creases(function, near, np.full(len(ends), _OFF * share * far))
        if not known.all():
            return points, False
        ways = np.where(dot(points.tangents, ways) < 0.0, -1.0, 1.0)[:, None] * points.tangents
        if 2 * step == _STEPS:
            middles = points.places
    exact = points.moved(corner + reach * length_and_unit(points.places - corner)[1])
    exact, known = on_creases(function, exact, np.full(len(ends), _OFF * share * reach))
    straight: Bools = length(middles - 0.5 * (corner + exact.places)) <= off
    return exact, bool((known & straight).all())
