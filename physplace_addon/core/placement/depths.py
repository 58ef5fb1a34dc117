"""How deep a corner of one body lies inside another, a solid: no shorter shift parts the two.

Where flat triangles cut each other, how deep they do is no more than a triangle's size: of fine meshes that
tells little.  The corners tell it all: those that are connected without a cut are all inside or all outside,
so one of each group is asked, and of those inside the one farthest from the solid's surface is looked for,
the most promising first.
"""

from __future__ import annotations

import numpy as np
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components
from scipy.spatial import cKDTree

from ..arrays import Floats, Ints
from ..bodies import Body
from ..collision import closest_on_triangle, near_pairs, tree_of, triangles_intersect
from ..contact.features import dot
from ..rigid import Pose
from .start import winding_number

_AT_ONCE = 20_000  # corners times triangles
_ROUNDS = 64
_GROUPS = 64


def depth_of_corners(body: Body, pose: Pose, other: Body) -> float:
    """Return how deep a corner of a body at a pose lies in the other, or one of the other in the body, a
    length; zero for none.  Never too much; of very many corners the deepest may be missed.
    """
    pairs = near_pairs(tree_of(body), pose, tree_of(other), 0.0)
    if len(pairs) == 0:
        return 0.0
    mine, theirs = pose.points(body.triangles), other.triangles
    meet = triangles_intersect(mine[pairs[:, 0]], theirs[pairs[:, 1]]).hit
    cut1, cut2 = np.unique(pairs[meet, 0]), np.unique(pairs[meet, 1])
    first = _deepest(mine, cut1, theirs) if other.closed else 0.0
    second = _deepest(theirs, cut2, mine) if body.closed else 0.0
    return max(0.0, first - float(other.triangle_bound.max()), second - float(body.triangle_bound.max()))


def _deepest(triangles: Floats, cut: Ints, solid: Floats) -> float:
    """Return the greatest distance of a corner inside a solid (s, 3, 3) from its surface; cut: the triangles
    of (t, 3, 3) that its surface cuts.
    """
    lower, upper = solid.min(axis=(0, 1)), solid.max(axis=(0, 1))
    whole = np.ones(len(triangles), bool)
    whole[cut] = False
    near = ((triangles.min(axis=1) < upper) & (triangles.max(axis=1) > lower)).all(axis=1)
    corners, number = np.unique(triangles[near].reshape(-1, 3), axis=0, return_inverse=True)
    if len(corners) == 0:
        return 0.0
    group = _groups(number.reshape(-1, 3)[whole[near]], len(corners))
    to_box = np.minimum(corners - lower, upper - corners).min(axis=1)
    at_most = np.minimum(to_box, cKDTree(solid.reshape(-1, 3)).query(corners)[0])
    promise = np.zeros(int(group.max()) + 1)
    np.maximum.at(promise, group, at_most)
    deepest = 0.0
    for number_of_group in np.argsort(-promise, kind="stable")[:_GROUPS].tolist():
        if promise[number_of_group] <= deepest:
            break
        rows = np.nonzero(group == number_of_group)[0]
        if winding_number(corners[rows[0]], solid) > 0.5:
            deepest = max(deepest, _farthest(corners[rows], at_most[rows], solid))
    return deepest


def _groups(triangles: Ints, count: int) -> Ints:
    """Number the groups (count,) of corners that triangles (t, 3) connect."""
    first, second = triangles[:, [0, 1]].ravel(), triangles[:, [1, 2]].ravel()
    graph = coo_array((np.ones(len(first), bool), (first, second)), shape=(count, count))
    groups: Ints = connected_components(graph, directed=False)[1].astype(np.intp)
    return groups


def _farthest(points: Floats, at_most: Floats, surface: Floats) -> float:
    """Return the greatest distance of points (k, 3), each of them at most (k,), from triangles (s, 3, 3)."""
    order = np.argsort(-at_most, kind="stable")
    chunk, farthest = max(1, _AT_ONCE // len(surface)), 0.0
    for begin in range(0, min(len(order), _ROUNDS * chunk), chunk):
        rows = order[begin : begin + chunk]
        if at_most[rows[0]] <= farthest:
            break
        at = np.repeat(points[rows], len(surface), axis=0)
        triangles = np.tile(surface, (len(rows), 1, 1))
        weights = closest_on_triangle(at, triangles).barycentric
        away = np.einsum("ki,kij->kj", weights, triangles) - at
        distance = np.sqrt(dot(away, away)).reshape(len(rows), -1).min(axis=1)
        farthest = max(farthest, float(distance.max()))
    return farthest
