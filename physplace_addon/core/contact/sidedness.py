"""Sidedness: on which side of an open sheet something is.

The face of a closed solid knows its outside.  A sheet has two sides, and at a trial pose, where something may
have run into it, the distance shows the wrong one.  A pose known to be free of overlap, from which the trial
pose was reached, shows the right one.  So do points tracked since then, where the gap is too small to tell.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from ..arrays import Bools, Floats, Ints
from ..vectors import dot
from .body_pair import AnyPairs, BodyPair, BodyPairs, displacement_since
from .features import FACE
from .points.closest_points import closest_points_on_faces
from .points.extremal_pairs import solve_extremal_pairs
from .points.interface_points import InterfacePoints, feature_keys, rows_with_keys

_ROUNDS = 8  # of Newton's method for the closest point, which may be far from a seed's at another pose
_BENT = 4e-7  # of R: gap of a corner to a coplanar neighbour face that rounding of single precision can cause
_ROUNDING = 1e-9  # of R: depth that is no overlap


def on_their_sides(before: BodyPair, points: InterfacePoints, known: InterfacePoints) -> InterfacePoints:
    """Return unsolved points over faces with their sides as the pose `before` shows them.

    A base that knows its outside has the points outside.  What all but touches another base at that pose is
    on the side whose normal is most like that of the nearest of the `known` points of its feature.
    """
    side = np.ones(len(points))
    doubtful = ~before.knows_outside(points)
    for on_world in (True, False):
        over = points.dim2 == FACE if on_world else (points.dim1 == FACE) & (points.dim2 != FACE)
        rows = np.nonzero(doubtful & over)[0]
        if len(rows):
            side[rows] = sides_of_base(before, points.take(rows), on_world, known)
    return replace(points, side=side)


def sides_of_base(
    before: BodyPair, points: InterfacePoints, on_world: bool, known: InterfacePoints
) -> Floats:
    """Return the sides (k,), +1 or -1, of base faces on which unsolved points stand at the pose `before`.

    on_world: the bases are the world's, else the active body's; known: as in `on_their_sides`.
    """
    first, second = before.first(points), before.second(points)
    mover, base = (first, second) if on_world else (second, first)
    at_mover = mover.geometry().point
    _, closest = closest_points_on_faces(at_mover, base, before.radius, _ROUNDS)
    height = dot(at_mover - closest.point, closest.normal)
    near = np.nonzero(np.abs(height) <= before.sign_tolerance)[0]
    if len(near) and len(known):
        outward = closest.normal[near] if on_world else -closest.normal[near]
        offset = (at_mover if on_world else closest.point)[near][:, None] - known.point1
        distance = dot(offset, offset)
        features = before.curve_feature(points.take(near))
        distance[features[:, None] != before.curve_feature(known)] = np.inf
        nearest = np.argmin(distance, axis=1)
        has_known = np.isfinite(distance[np.arange(len(near)), nearest])
        height[near[has_known]] = dot(outward, known.normal[nearest])[has_known]
    return np.where(height < 0.0, -1.0, 1.0)


def with_known_sides(
    body_pair: AnyPairs, points: InterfacePoints, tracked: InterfacePoints, before: AnyPairs | None
) -> InterfacePoints:
    """Return flat points on the sides that tracked points of the same features, or next to them, had.

    A gap too small to show the side would let a sheet slip through.  So would a corner that slid off its face
    and ended behind the next one.  A face that knows its outside needs no such help.

    Args:
        before: the pair at a pose known to be free of overlap, so that even the smallest gap of a new point
            is outside; None if there is none.
    """
    doubtful = np.nonzero(~body_pair.knows_outside(points))[0]
    if len(doubtful) == 0:
        return points
    part = points.take(doubtful)
    keys = _feature_keys if isinstance(body_pair, BodyPair) else feature_keys  # those of one have no labels
    known = rows_with_keys(keys(part), keys(tracked))
    is_known = known >= 0
    flip = (part.gap < 0.0) & (before is not None)
    flip[is_known] = dot(part.normal[is_known], tracked.normal[known[is_known]]) < 0.0
    flip &= np.abs(part.gap) < body_pair.of_points(part).sign_tolerance
    if isinstance(body_pair, BodyPair) and not isinstance(before, BodyPairs):  # many are of solids
        keeps = np.zeros(len(part), bool)
        keeps[is_known] = part.side[is_known] == tracked.side[known[is_known]]
        flip |= _against_neighbours(body_pair, part, tracked, before) & ~keeps
    sign = np.ones(len(points))
    sign[doubtful[flip]] = -1.0
    return replace(
        points, side=sign * points.side, normal=sign[:, None] * points.normal, gap=sign * points.gap
    )


def sides_are_doubtful(pairs: BodyPairs, points: InterfacePoints) -> Bools:
    """Return which points (k,) of many pairs of solids may be on another side than their distance shows."""
    found: Bools = np.abs(points.gap) < pairs.of_points(points).sign_tolerance
    return found & ~pairs.knows_outside(points)


def _feature_keys(points: InterfacePoints) -> Ints:
    """Return the dimensions and numbers (k, 4) of the points' features."""
    return feature_keys(points)[:, 2:]


def _against_neighbours(
    body_pair: BodyPair, points: InterfacePoints, known: InterfacePoints, before: BodyPair | None
) -> Bools:
    """Return which points (k,) of a vertex over a face are on the other side than a known one nearby.

    The known one is of the same vertex over the same face, or over one that borders on it, whose sides go on
    there.  Both gaps are less than the vertex has moved.  On the hollow side of the border the vertex must be
    on the known side of both faces, and was so before.  On the other, where the sheet is folded back as at
    the rim of a plate, what is over the one face may be behind the other: the vertex comes to the known side
    of the second face as it slides off the first one.  What stood over a face already was on that side then.
    """
    over = (points.dim1 == FACE) != (points.dim2 == FACE)
    if not over.any() or len(known) == 0:
        return np.zeros(len(points), bool)
    on_world = points.dim2 == FACE
    mine = np.where(on_world, points.index1, points.index2)
    theirs = np.where(on_world[:, None], known.index1, known.index2)
    same = (points.dim1[:, None] == known.dim1) & (points.dim2[:, None] == known.dim2)
    same &= (mine[:, None] == theirs) & over[:, None] & (points.side[:, None] != known.side)
    near = np.full(len(points), _BENT * body_pair.radius)
    if before is not None:
        near += _displacements(before, body_pair, points)
    gaps = np.maximum(np.abs(points.gap)[:, None], np.abs(known.gap))
    rows, others = np.nonzero(same & (gaps < near[:, None]))
    found, other = points.take(rows), known.take(others)
    upward = np.where(on_world[rows], 1.0, -1.0)[:, None] * other.normal
    foot = np.where(on_world[rows, None], found.point2 - other.point2, found.point1 - other.point1)
    level = _BENT * body_pair.radius
    hollow = dot(upward, foot) > -level
    goes_on = rows_with_keys(_feature_keys(other), _feature_keys(points)) < 0
    if before is not None:
        height, over = _heights_before(before, found)
        goes_on = (hollow | goes_on) & ((other.side * height >= -level) | ~(hollow | over))
    else:
        goes_on |= hollow
    against = np.zeros(len(points), bool)
    against[rows[goes_on & _border(body_pair, found, other)]] = True
    return against


def _heights_before(before: BodyPair, points: InterfacePoints) -> tuple[Floats, Bools]:
    """Return how high (k,), lengths, vertices were over their faces, as these look, at the pose before, and
    which (k,) stood over them.
    """
    height, over = np.zeros(len(points)), np.zeros(len(points), bool)
    first, second = before.first(points), before.second(points)
    for rows, mover, base in ((points.dim2 == FACE, first, second), (points.dim1 == FACE, second, first)):
        at = mover.take(rows).geometry().point
        _, closest = closest_points_on_faces(at, base.take(rows), before.radius, _ROUNDS)
        offset = at - closest.point
        height[rows] = dot(offset, closest.normal)
        beside = offset - height[rows, None] * closest.normal
        over[rows] = dot(beside, beside) <= before.sign_tolerance**2
    return height, over


def _border(body_pair: BodyPair, points: InterfacePoints, others: InterfacePoints) -> Bools:
    """Return which faces (k,) that points stand over are the others' faces or border on them."""
    out = np.zeros(len(points), bool)
    on_world = points.dim2 == FACE
    for rows, base, index, other in (
        (on_world, body_pair.world, points.index2, others.index2),
        (~on_world, body_pair.active, points.index1, others.index1),
    ):
        if rows.any():
            out[rows] = base.in_one_fan(index[rows], other[rows])
    return out


def outside_before(
    before: BodyPair, body_pair: BodyPair, points: InterfacePoints, hidden: float = 0.0
) -> tuple[Bools, InterfacePoints]:
    """Return which points (k,) were not inside at a pose free of overlap, and all on their sides there.

    hidden: a length, the depth up to which an overlap at that pose may have gone unseen.

    The points keep their place along soft directions, where the minimum of that pose may be far away.  A pair
    whose closest point was outside its base then, having come over from the next triangle, counts as outside;
    a flat base shows its side even so.  No point can be deeper than it has moved since.
    """
    fixed = replace(points, on_curve=np.ones(len(points), bool))
    then, valid = solve_extremal_pairs(before, fixed, known_sides=False)
    rounding = _ROUNDING * before.radius + hidden
    too_deep = points.gap < -_displacements(before, body_pair, points) - rounding
    inside = (valid & (then.gap < -rounding)) | too_deep
    flat = before.active.flat_face(points.dim1, points.index1)
    flat |= before.world.flat_face(points.dim2, points.index2)
    shown = ~before.side_is_certain(points) & (valid | flat)
    return ~inside, replace(
        points,
        side=np.where(shown, then.side, points.side),
        normal=np.where(shown[:, None], then.normal, points.normal),
    )


def without_far_sides(
    before: BodyPair | None, body_pair: BodyPair, samples: InterfacePoints
) -> InterfacePoints:
    """Drop samples of contact curves that overlap and did so before: they look at the far side of a wall."""
    deep = samples.gap < 0.0
    if before is None or not deep.any():
        return samples
    real = np.ones(len(samples), bool)
    real[deep], _ = outside_before(before, body_pair, samples.take(deep))
    return samples.take(real)


def _displacements(before: BodyPair, body_pair: BodyPair, points: InterfacePoints) -> Floats:
    """Return how far (k,) each point's mover has moved against its base between two poses."""
    of_first = displacement_since(before, body_pair, points.point1, on_active=True)
    of_second = displacement_since(before, body_pair, points.point2, on_active=False)
    moved: Floats = np.where(points.dim2 == FACE, of_first, of_second)
    return moved
