"""Penetration depth: the greatest depth at which a point of one body's surface lies inside another, solid,
body.

No shorter translation separates the two.

Triangles, by branch and bound.  Over the triangles T of the one surface, the distance to the other is a
minimum over that one's triangles t.  The distance to one t is convex, so on T it is greatest at a corner.  So

    d(T) = min over t of max over corners c of T of |c - t|

is an upper bound of the depth on T, exact where all of T is nearest to one t.  The deepest corner gives a
lower bound.  Pieces whose upper bound is not above it are dropped, the others are cut into quarters, until
none is left.  Whether triangles are inside is decided once for each connected set of them that the other
surface does not cut.  A piece that is cut has the signed depth of its middle plus its size for an upper
bound.

Exact surfaces.  The triangles give the depth up to their bounds, and an interface point there, or where the
true surfaces cross, gives it exactly.  An interface point is a pair of points with a common normal, which
need not be the shortest way out: so between solids it is as deep as the deeper one of its points is inside
the other body (`point_depths`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import numpy as np
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components

from ...arrays import Bools, Floats, Ints
from ...bodies import Body
from ...collision import closest_on_triangle, near_pairs, tree_of, triangles_intersect
from ...contact.system import (
    BodyPair,
    InterfacePoints,
    SurfaceCrossings,
    interface_points_of_triangles,
    points_at_crossings,
    spread_out,
    triangle_overlaps,
)
from ...mechanics.point_depths import between_solids, depths_in, true_depths
from ...mesh.inside import winding_number
from ...rigid import Pose
from ...vectors import dot
from .sampled_surface import SampledSurface, reach

# Points times triangles in one batch: this bounds the memory.
_AT_ONCE = 5_000
# Most pieces of a surface that are measured in one round.
_PIECES = 32
# Most rounds; each halves the size of the pieces that are left.
_ROUNDS = 64
# Relative accuracy of the depth: pieces whose bound is not above it by so much are dropped.
_ENOUGH = 1e-3
# The barycentric coordinates of the corners of a triangle's four quarters.
_QUARTERS = np.array(
    [
        [[1.0, 0.0, 0.0], [0.5, 0.5, 0.0], [0.5, 0.0, 0.5]],
        [[0.5, 0.5, 0.0], [0.0, 1.0, 0.0], [0.0, 0.5, 0.5]],
        [[0.5, 0.0, 0.5], [0.0, 0.5, 0.5], [0.0, 0.0, 1.0]],
        [[0.5, 0.5, 0.0], [0.0, 0.5, 0.5], [0.5, 0.0, 0.5]],
    ]
)


@dataclass(frozen=True, eq=False)
class PenetrationDepth:
    """Bounds of the greatest depth, in scene units; points are in the frame of the other body.

    Attributes:
        least: the lower bound, which is reached.
        most: the upper bound.
        point: the point (3,) of the first surface where `least` is reached.
        other: the point (3,) of the other surface nearest to it.
    """

    least: float
    most: float
    point: Floats = field(default_factory=lambda: np.full(3, np.nan))
    other: Floats = field(default_factory=lambda: np.full(3, np.nan))


NOWHERE = PenetrationDepth(0.0, 0.0)


def penetration_depth(body: Body, pose: Pose, other: Body, enough: float = np.inf) -> PenetrationDepth:
    """Return the greatest depth of a point of either body in the other one.

    It is that of their triangles; the exact surfaces are no farther off than the triangles' bounds.

    Args:
        body: a body in its own frame.
        pose: takes its frame to that of the other.
        other: the other body.
        enough: a depth, in scene units; the search ends with the first point that is deeper.

    Returns:
        the depth; NOWHERE if the triangles do not meet, or if neither body is a solid.
    """
    mine, theirs = pose.points(body.triangles), other.triangles
    cut1, cut2 = _meeting(body, pose, other)
    if len(cut1) == 0:
        return NOWHERE
    bounds = float(body.triangle_bound.max() + other.triangle_bound.max())
    first = _deepest(mine, cut1, SampledSurface(theirs, bounds), 0.0, enough) if other.closed else NOWHERE
    if not body.closed or first.least > enough:
        return first
    second = _deepest(theirs, cut2, SampledSurface(mine, bounds), first.least, enough)
    most = max(first.most, second.most)
    if second.least > first.least:
        return PenetrationDepth(second.least, most, second.other, second.point)
    return replace(first, most=most)


def _meeting(body: Body, pose: Pose, other: Body) -> tuple[Ints, Ints]:
    """Return the triangles of a body at a pose that meet the other's, and those of the other, each once."""
    first, second = near_pairs(tree_of(body), pose, tree_of(other), 0.0).T
    hit = triangles_intersect(pose.points(body.triangles[first]), other.triangles[second]).hit
    return np.unique(first[hit]), np.unique(second[hit])


def _deepest(
    triangles: Floats, cut: Ints, solid: SampledSurface, known: float, enough: float
) -> PenetrationDepth:
    """Return the greatest distance from a solid's surface of a point of triangles (t, 3, 3) inside it.

    The surface cuts the triangles `cut`.  Where the depth `known`, a length, is more, it is returned.  The
    first point deeper than `enough`, a length, ends the search.
    """
    is_cut = np.zeros(len(triangles), bool)
    is_cut[cut] = True
    near = ((triangles.min(axis=1) < solid.upper) & (triangles.max(axis=1) > solid.lower)).all(axis=1)
    pieces, is_cut = triangles[near], is_cut[near]
    bound = solid.depth_bounds(pieces)
    kept = is_cut | ~_outside(pieces, is_cut, solid.triangles)
    return _searched(pieces[kept], is_cut[kept], bound[kept], solid, PenetrationDepth(known, known), enough)


def _outside(triangles: Floats, is_cut: Bools, surface: Floats) -> Bools:
    """Return which triangles (t, 3, 3) belong to a connected set without a cut that is outside a solid."""
    outside = np.zeros(len(triangles), bool)
    _, number = np.unique(triangles.reshape(-1, 3), axis=0, return_inverse=True)
    number = number.reshape(-1, 3)[~is_cut]
    if len(number) == 0:
        return outside
    first, second = number[:, [0, 1]].ravel(), number[:, [1, 2]].ravel()
    graph = coo_array((np.ones(len(first), bool), (first, second)), shape=(number.max() + 1,) * 2)
    part = connected_components(graph, directed=False)[1][number[:, 0]]
    _, one_of_each, group = np.unique(part, return_index=True, return_inverse=True)
    middles = triangles[~is_cut][one_of_each].mean(axis=1)
    outside[~is_cut] = (winding_number(middles, surface) <= 0.5)[group]
    return outside


def _searched(
    pieces: Floats,
    is_cut: Bools,
    bound: Floats,
    solid: SampledSurface,
    best: PenetrationDepth,
    sufficient: float,
) -> PenetrationDepth:
    """Return the greatest depth by branch and bound over pieces (k, 3, 3).

    Args:
        pieces: triangles of the one surface (k, 3, 3).
        is_cut: whether the other surface cuts them (k,).
        bound: upper bounds (k,) of their depths, lengths.
        solid: the other surface.
        best: the greatest depth that is known.
        sufficient: the depth, a length, beyond which the search ends.
    """
    at_once = min(_PIECES, max(1, _AT_ONCE // len(solid.triangles)))
    for _ in range(_ROUNDS):
        enough = best.least * (1.0 + _ENOUGH) + solid.bounds
        hopeful = bound > enough
        pieces, is_cut, bound = pieces[hopeful], is_cut[hopeful], bound[hopeful]
        if len(pieces) == 0:
            return replace(best, most=max(best.most, enough))
        order = np.argsort(-bound, kind="stable")
        now, later = order[:at_once], order[at_once:]
        found, nearest, of_cut = _measured(pieces[now], is_cut[now], solid, best.least)
        best = found if found.least > best.least else best
        if best.least > sufficient:
            break
        quarters = (_QUARTERS @ pieces[now][:, None]).reshape(-1, 3, 3)
        of_quarters = np.repeat(np.minimum(bound[now], of_cut), 4)
        of_quarters = np.minimum(of_quarters, solid.depth_bounds(quarters))
        of_quarters = np.minimum(of_quarters, solid.bounds_by(np.repeat(nearest, 4, axis=0), quarters))
        fresh = solid.untried(nearest)
        rest = bound[later]
        if len(fresh):
            rest = np.minimum(rest, solid.bounds_by(np.tile(fresh, (len(later), 1)), pieces[later]))
        pieces = np.concatenate([pieces[later], quarters])
        is_cut = np.concatenate([is_cut[later], np.repeat(is_cut[now], 4)])
        bound = np.concatenate([rest, of_quarters])
    return replace(best, most=max(best.most, float(bound.max(initial=best.least))))


def _measured(
    pieces: Floats, is_cut: Bools, solid: SampledSurface, known: float
) -> tuple[PenetrationDepth, Ints, Floats]:
    """Return the depths of the corners and middles of pieces (k, 3, 3).

    Returns:
        the greatest depth, NOWHERE if it is not more than is known; the triangles (k, 4) nearest to the
        corners and the middle of each piece; upper bounds (k,) of the depths of pieces that are cut, inf for
        the others.
    """
    middle = pieces.mean(axis=1)
    points = np.concatenate([pieces, middle[:, None]], axis=1)
    nearest, foot, distance = solid.closest_points(points.reshape(-1, 3))
    signed = distance.reshape(-1, 4)
    unsure = is_cut[:, None] & ((signed > known) | (np.arange(4) == 3))
    inside = winding_number(points[unsure], solid.triangles) > 0.5
    signed[unsure] *= np.where(inside, 1.0, -1.0)
    depth, at = float(signed.max()), int(signed.argmax())
    found = PenetrationDepth(depth, depth, points.reshape(-1, 3)[at], foot[at]) if depth > known else NOWHERE
    return found, nearest.reshape(-1, 4), np.where(is_cut, signed[:, 3] + reach(pieces, middle), np.inf)


def is_deeper(body: Body, pose: Pose, other: Body, depth: float) -> bool:
    """Return whether triangles prove that bodies overlap by more than a depth, in scene units.

    This takes far less time than to measure a depth; false says nothing of exact surfaces or open bodies.

    Args:
        body: a body in its own frame.
        pose: takes its frame to that of the other.
        other: the other body.
        depth: not negative.
    """
    bounds = float(body.triangle_bound.max() + other.triangle_bound.max())
    enough = depth + bounds + _ROUNDING * body.radius
    return penetration_depth(body, pose, other, enough).least > enough


_SPREAD = 48  # points of either kind whose depth is measured
_NEAR = 12  # triangles of either body around the deepest point
_BOUNDS_APART = 4.0  # times the triangles' bounds: how far apart triangles are paired for their corners
_ROUNDING = 1e-9  # of R


def deepest_overlap(
    body_pair: BodyPair, world: Sequence[Body], points: InterfacePoints, crossings: SurfaceCrossings
) -> float:
    """Return the depth, a length, of the deepest overlap of the active body and the world's bodies.

    It is that of the deepest point of one surface inside the other body.  An open surface has no inside:
    there the gaps of the interface points count, and how far flat triangles cut through each other.

    Args:
        body_pair: the active body and the world as one body.
        world: the world's bodies one by one.
        points: interface points that are known.
        crossings: where true surfaces are proven to cross.
    """
    active, rounding = body_pair.active.body, _ROUNDING * body_pair.radius
    inside = points_at_crossings(body_pair, crossings, body_pair.radius, None)
    points = InterfacePoints.join([points, inside])
    depths = [penetration_depth(active, body_pair.pose, body) for body in world]
    deepest = max(depths, key=lambda depth: depth.least)
    near = (np.zeros(0, np.intp), np.zeros(0, np.intp))
    if deepest.least > 0.0:
        near = _around(body_pair, deepest.point, deepest.other)
        points = InterfacePoints.join(
            [points, interface_points_of_triangles(body_pair, *near, 1.01 * deepest.most)]
        )
    bounds = active.triangle_bound.max() + body_pair.world.body.triangle_bound.max()
    slack, depths_of_points, least = float(bounds) + rounding, -points.gap, deepest.least
    solid = (points.gap < 0.0) & between_solids(body_pair, points)
    depths_of_points[solid] = true_depths(body_pair, world, points.take(solid))
    if active.closed or all(body.closed for body in world):
        depths_of_points = depths_of_points[depths_of_points <= max(depth.most for depth in depths) + slack]
    if not (active.closed and all(body.closed for body in world)):
        least = max(least, float(_depths_of_cuts(body_pair, points, rounding, least).max(initial=0.0)))
    most = max(depth.most for depth in depths) + slack
    exactly = float(depths_of_points.max(initial=0.0))
    if bounds > 0.0:
        exactly = max(exactly, _depth_of_corners(body_pair, world, most, near, float(bounds)))
    is_exact = exactly > 0.0 and bounds > 0.0 and exactly >= least - slack
    return exactly if is_exact else max(exactly, least)


def _depths_of_cuts(body_pair: BodyPair, points: InterfacePoints, near: float, least: float) -> Floats:
    """Return how deep (k,), lengths, the flat triangles that meet cut through each other.

    It is how far the lesser part of one is through the plane of the other.  Where an edge touches an edge,
    both planes may be cut a long way by what is not deep: so it is no more than a motion along the common
    normal of an interface point on both triangles that parts them.

    near: how far, a length, a point may be from a triangle that it is on.
    least: a depth, a length, up to which cuts need not be looked at.
    """
    cuts = triangle_overlaps(body_pair)
    cuts = cuts.take(cuts.depth > least)
    first = body_pair.pose.points(body_pair.active.body.triangles[cuts.triangles[:, 0]])
    second = body_pair.world.body.triangles[cuts.triangles[:, 1]]
    depth, at_once = cuts.depth.copy(), max(1, _AT_ONCE // max(1, len(points)))
    for i in range(0, len(cuts), at_once):
        one, two = first[i : i + at_once], second[i : i + at_once]
        some, point = np.nonzero(_are_on(points.point1, one, near) & _are_on(points.point2, two, near))
        normal = points.normal[point, None]
        apart = dot(two[some], normal).max(axis=1) - dot(one[some], normal).min(axis=1)
        np.minimum.at(depth, i + some, apart.clip(min=0.0))
    return depth


def _are_on(points: Floats, triangles: Floats, near: float) -> Bools:
    """Return which points (n, 3) are on triangles (k, 3, 3), as (k, n)."""
    at = np.broadcast_to(points, (len(triangles), len(points), 3)).reshape(-1, 3)
    corners = np.repeat(triangles, len(points), axis=0)
    on = closest_on_triangle(at, corners).barycentric
    away = np.einsum("ki,kij->kj", on, corners) - at
    return (dot(away, away) <= near * near).reshape(len(triangles), len(points))


def _depth_of_corners(
    body_pair: BodyPair, world: Sequence[Body], most: float, deepest: tuple[Ints, Ints], bounds: float
) -> float:
    """Return how deep, a length, some points of near triangles are inside the other body, at the deepest.

    Corners, and the middles of flat triangles, are on the true surface, whatever the triangles' bounds.

    Args:
        body_pair: the active body and the world.
        world: the world's bodies one by one.
        most: the greatest depth.
        deepest: the triangles of the active body, and of the world, around the deepest point.
        bounds: how far, in scene units, the triangles are from the true surfaces.  Triangles that are many
            times farther apart need not be looked at beside the deepest ones: they would be most of a body.
    """
    active, other = body_pair.active.body, body_pair.world.body
    apart = min(most, _BOUNDS_APART * bounds)
    pairs = near_pairs(tree_of(active), body_pair.pose, tree_of(other), apart)
    mine = body_pair.pose.points(_points_of(active, np.union1d(pairs[:, 0], deepest[0])))
    theirs = _points_of(other, np.union1d(pairs[:, 1], deepest[1]))
    depths = [depths_in(body, mine, np.full(len(mine), most)) for body in world]
    depths.append(depths_in(active, body_pair.pose.inverse().points(theirs), np.full(len(theirs), most)))
    return max(float(depth.max(initial=0.0)) for depth in depths)


def _points_of(body: Body, triangles: Ints) -> Floats:
    """Return a few points (n, 3), spread out, of the true surface at triangles (k,)."""
    flat = triangles[body.face_flat[body.triangle_face[triangles]]]
    middles = body.triangles[flat].mean(axis=1)
    corners = np.unique(body.triangles[triangles].reshape(-1, 3), axis=0)
    return np.concatenate([points[spread_out(points, _SPREAD)] for points in (corners, middles)])


def _around(body_pair: BodyPair, point: Floats, other: Floats) -> tuple[Ints, Ints]:
    """Return all pairs of triangles of the active body and of the world near to two points (3,) of them."""
    mine = _nearest(body_pair.active.body.triangles, body_pair.pose.inverse().points(point))
    theirs = _nearest(body_pair.world.body.triangles, other)
    return np.repeat(mine, len(theirs)), np.tile(theirs, len(mine))


def _nearest(triangles: Floats, point: Floats) -> Ints:
    """Return the numbers of the few triangles of (t, 3, 3) that are nearest to a point (3,)."""
    on = closest_on_triangle(np.broadcast_to(point, (len(triangles), 3)), triangles).barycentric
    away = np.einsum("ki,kij->kj", on, triangles) - point
    nearest: Ints = np.argsort(dot(away, away), kind="stable")[:_NEAR]
    return nearest
