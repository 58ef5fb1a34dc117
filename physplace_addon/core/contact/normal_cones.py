"""Normal cones: in which directions a feature can press at all.

An interface point with normal n (from the world to the active body) is a local minimum of the distance only
if every direction that leaves the active feature along its body goes up, n . d >= 0, and every one that
leaves the world's goes down, n . d <= 0.  For an edge these are the conormals of its faces, for a vertex the
edges that leave it.  A pair that fails is a ghost: it would stop a body that slides over an inner edge of a
flat or hollow surface.
"""

from __future__ import annotations

import numpy as np

from ..arrays import Bools, Floats
from ..vectors import dot
from .body_pair import BodyPair
from .features import EDGE, VERTEX, FeaturePoints
from .points.interface_points import InterfacePoints


def lowest_rises(features: FeaturePoints, upward: Floats) -> tuple[Floats, Floats]:
    """Return the least u . d over the directions d that leave each feature along its body, shape (k,), for
    u = `upward` and for u = -`upward`, (k, 3), world frame.

    It is +inf for faces, and for edges and vertices that nothing bounds.
    """
    local = upward if features.pose is None else upward @ features.pose.matrix
    lowest = np.full((2, len(features.dim)), np.inf)
    edges = np.nonzero(features.dim == EDGE)[0]
    if len(edges):
        conormals = features.body.edge_conormals(features.index[edges], features.param[edges, 0])
        rise = dot(conormals, local[edges, None])
        lowest[:, edges] = np.where(np.isnan(rise), np.inf, (rise, -rise)).min(axis=2)
    vertices = np.nonzero(features.dim == VERTEX)[0]
    if len(vertices):
        lowest[:, vertices] = _lowest_of_cones(features.take(vertices), local[vertices])
    return lowest[0], lowest[1]


def _lowest_of_cones(features: FeaturePoints, upward: Floats) -> Floats:
    body = features.body
    start, stop = body.cone_start[features.index], body.cone_start[features.index + 1]
    counts = stop - start
    row = np.repeat(np.arange(len(counts)), counts)
    offset = np.arange(len(row)) - np.repeat(np.cumsum(counts) - counts, counts)
    rise = dot(body.cone_directions[np.repeat(start, counts) + offset], upward[row])
    lowest = np.full((2, len(counts)), np.inf)
    some = np.flatnonzero(counts)
    if len(some):
        begin = (np.cumsum(counts) - counts)[some]
        lowest[0, some] = np.minimum.reduceat(rise, begin)
        lowest[1, some] = -np.maximum.reduceat(rise, begin)
    return lowest


def rises_of_both(body_pair: BodyPair, points: InterfacePoints, normal: Floats) -> tuple[Floats, Floats]:
    """Return the lesser of both features' `lowest_rises` along n (active) and -n (world), shape (k,); and the
    same for the normal turned round.
    """
    up1, down1 = lowest_rises(body_pair.first(points), normal)
    up2, down2 = lowest_rises(body_pair.second(points), normal)
    return np.minimum(up1, down2), np.minimum(down1, up2)


def rise_of_both(body_pair: BodyPair, points: InterfacePoints) -> Floats:
    """Return how far both features' bodies rise from the points along their normals (`rises_of_both`)."""
    return rises_of_both(body_pair, points, points.normal)[0]


def in_normal_cones(body_pair: BodyPair, points: InterfacePoints, tolerance: float) -> Bools:
    """Tell which points' normals lie in both normal cones, (k,); `tolerance` is the sine of an angle."""
    return rise_of_both(body_pair, points) >= -tolerance
