"""How deep the overlaps are that interface points with a negative gap show.

Such a point is a pair of points with a common normal, and its gap is how far one of the two is behind the
face of the other.  This need not be the way out.  A point of the rim of one cylinder, in the plane in which
another stands on it, is behind the side of that other one, but not inside it: of the two faces that meet at
the foot, the other one says that they only touch.  Pairs at one place are alternatives, and the least depth
counts.  So a pair is as deep as the deeper one of its points is inside the other body.

An open sheet has no inside.  There a negative gap counts unless it is a far side, seen through a wall.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ..arrays import Bools, Floats
from ..bodies import Body
from ..contact.system import BodyPair, InterfacePoints, depths_inside
from ..mesh.inside import winding_number

# Distance over R of two test points on either side of a point; it counts as inside only if both are.
_ASIDE = 1e-6
# Points of a grid along each axis of a box, and their places (125, 3) in a box of unit sides.
_ALONG_GRID = 5
_GRID = (np.stack(np.meshgrid(*[np.arange(_ALONG_GRID)] * 3), axis=-1).reshape(-1, 3) + 0.5) / _ALONG_GRID
# The directions (27, 3) in which a better point is looked for, and none.
_AROUND = np.stack(np.meshgrid(*[np.arange(-1.0, 2.0)] * 3), axis=-1).reshape(-1, 3)
# Step at which that search ends, over R and over the depth found.
_FINE = 1e-6
_SHARE = 1e-3


def without_overlap(
    body_pair: BodyPair, bodies: Sequence[Body], points: InterfacePoints, tolerance: Floats
) -> Bools:
    """Return which points (k,) have a gap below minus their tolerance although nothing is so deep there.

    Args:
        body_pair: the active body and the world.
        bodies: the bodies of the world one by one, in the pair's frame.
        points: the interface points (k), in the pair's frame.
        tolerance: the depths (k,), in scene units, that are no overlap.
    """
    deep, solid = points.gap < -tolerance, between_solids(body_pair, points)
    rows = np.flatnonzero(deep & solid)
    shallow = np.zeros(len(points), bool)
    shallow[rows] = true_depths(body_pair, bodies, points.take(rows)) <= tolerance[rows]
    return shallow | (deep & ~solid & _behind_walls(body_pair, bodies, points))


def between_solids(body_pair: BodyPair, points: InterfacePoints) -> Bools:
    """Return which points (k,) are of features of two solids."""
    solid: Bools = body_pair.active.of_solid(points.dim1, points.index1)
    return solid & body_pair.world.of_solid(points.dim2, points.index2)


def true_depths(body_pair: BodyPair, bodies: Sequence[Body], points: InterfacePoints) -> Floats:
    """Return how deep (k,), lengths, the deeper point of each pair of solids is inside the other body.

    It is at most the size of the gap; what is outside both has a negative depth.
    """
    gap, to_active = np.abs(points.gap), body_pair.pose.inverse().points(points.point2)
    depths = [depths_in(body_pair.active.body, to_active, gap)]
    depths += [depths_in(body, points.point1, gap) for body in bodies]
    deepest: Floats = np.minimum(np.max(depths, axis=0), gap)
    return deepest


def depths_in(body: Body, places: Floats, most: Floats) -> Floats:
    """Return how deep (k,), lengths, places (k, 3) are inside a body, as far as that is at most `most` (k,).

    What is deeper inside has that depth, what is farther outside, or at an open body, that below zero.
    """
    depth = -most.copy()
    near = np.flatnonzero(_boxed(body, places, most)) if body.closed else np.zeros(0, np.intp)
    if len(near):
        found = depths_inside(body, places[near], 1.001 * most[near])
        away = np.isnan(found)
        found[away] = np.where(inside_solid(body, places[near[away]]), 1.0, -1.0) * most[near[away]]
        depth[near] = found
    return depth


def common_depth(body_pair: BodyPair, bodies: Sequence[Body]) -> float:
    """Return how deep, a length, the deepest point is inside both the active body and one of the others.

    Of bodies that are flush on all sides no point of a surface is inside the other.  A grid over what their
    boxes have in common is searched, and then around its best point, in steps that are halved.  A depth
    changes by no more than one moves, so the last step is how far the depth may be off.
    """
    active, radius = body_pair.active.body, body_pair.radius
    mine = body_pair.pose.points(active.triangles.reshape(-1, 3))
    deepest = 0.0
    for body in bodies:
        lower = np.maximum(mine.min(axis=0), body.triangles.min(axis=(0, 1)))
        upper = np.minimum(mine.max(axis=0), body.triangles.max(axis=(0, 1)))
        places = lower + _GRID * (upper - lower)
        step = float((upper - lower).max()) / _ALONG_GRID
        while step > max(_FINE * radius, _SHARE * deepest) and (upper > lower).all():
            most = np.full(len(places), 2.0 * radius)
            to_active = body_pair.pose.inverse().points(places)
            depths = np.minimum(depths_in(active, to_active, most), depths_in(body, places, most))
            best = int(depths.argmax())
            step = step if depths[best] > deepest else 0.5 * step
            deepest = max(deepest, float(depths[best]))
            places = places[best] + step * _AROUND
    return deepest


def _boxed(body: Body, places: Floats, margin: Floats) -> Bools:
    """Return which places (k, 3) are in the box around a body, or no farther than margins (k,) from it."""
    lower, upper = body.triangles.min(axis=(0, 1)), body.triangles.max(axis=(0, 1))
    more = (margin + body.triangle_bound.max())[:, None]
    boxed: Bools = ((places > lower - more) & (places < upper + more)).all(axis=1)
    return boxed


def inside_solid(body: Body, points: Floats) -> Bools:
    """Return which points (k, 3) the triangles of a body enclose; none if it is open."""
    if not body.closed:
        return np.zeros(len(points), bool)
    boxed = np.flatnonzero(_boxed(body, points, np.zeros(len(points))))
    inside = np.zeros(len(points), bool)
    inside[boxed] = winding_number(points[boxed], body.triangles) > 0.5
    return inside


def _behind_walls(body_pair: BodyPair, bodies: Sequence[Body], points: InterfacePoints) -> Bools:
    """Return which points (k,) have neither point inside the other body.

    Only those deeper than the bounds of the tessellations are tested.
    """
    bounds = body_pair.active.body.triangle_bound.max() + body_pair.world.body.triangle_bound.max()
    doubtful = np.flatnonzero(points.gap < -float(bounds))
    behind = np.zeros(len(points), bool)
    if len(doubtful):
        deep = points.take(doubtful)
        aside = np.minimum(_ASIDE * body_pair.radius, -0.25 * deep.gap)[:, None] * deep.normal
        within = np.ones(len(doubtful), bool)
        for shift in (aside, -aside):  # on the very surface, as where it stands, a point is not inside
            in_active = inside_solid(
                body_pair.active.body, body_pair.pose.inverse().points(deep.point2 + shift)
            )
            in_world = np.any([inside_solid(body, deep.point1 + shift) for body in bodies], axis=0)
            within &= in_active | in_world
        behind[doubtful] = ~within
    return behind
