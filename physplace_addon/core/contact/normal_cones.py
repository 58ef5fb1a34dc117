"""Normal cones: the directions in which a feature can press.

An interface point with normal n (from the world to the active body) is a local minimum of the distance only
if every direction d that leaves the active feature along its body rises, n . d >= 0, and every one that
leaves the world's feature along its body falls, n . d <= 0.  For an edge these directions are the conormals
of its faces (unit, in the face, across the edge), for a vertex the edges that leave it.  A pair that fails
would stop a body that slides over an inner edge of a flat or hollow surface: it is no contact.
"""

from __future__ import annotations

import numpy as np

from ..arrays import Bools, Floats
from ..vectors import dot
from .body_pair import BodyPair
from .features import EDGE, VERTEX, FeaturePoints
from .points.interface_points import InterfacePoints


def least_slopes(features: FeaturePoints, upward: Floats) -> tuple[Floats, Floats]:
    """Return the least u . d over the directions d that leave each feature along its body.

    Args:
        upward: (k, 3) unit vectors, in the frame of the contact.

    Returns:
        Two sines (k,), for u = upward and for u = -upward; +inf for faces, and for edges and vertices that
        have no neighbours.
    """
    local = upward if features.pose is None else upward @ features.pose.matrix
    lowest = np.full((2, len(features.dim)), np.inf)
    edges = np.nonzero(features.dim == EDGE)[0]
    if len(edges):
        conormals = features.body.edge_conormals(features.piece[edges], features.param[edges, 0])
        rise = dot(conormals, local[edges, None])
        lowest[:, edges] = np.where(np.isnan(rise), np.inf, (rise, -rise)).min(axis=2)
    vertices = np.nonzero(features.dim == VERTEX)[0]
    if len(vertices):
        lowest[:, vertices] = _least_of_vertices(features.take(vertices), local[vertices])
    return lowest[0], lowest[1]


def _least_of_vertices(features: FeaturePoints, upward: Floats) -> Floats:
    body = features.body
    start, stop = body.cone_start[features.piece], body.cone_start[features.piece + 1]
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


def slopes_both_ways(body_pair: BodyPair, points: InterfacePoints, normal: Floats) -> tuple[Floats, Floats]:
    """Return the least slope (k,), a sine, of both bodies away from a normal (k, 3), and from its opposite.

    The slope is that of the active body along n and of the world along -n, whichever is less.
    """
    up1, down1 = least_slopes(body_pair.first(points), normal)
    up2, down2 = least_slopes(body_pair.second(points), normal)
    return np.minimum(up1, down2), np.minimum(down1, up2)


def slope_of_both(body_pair: BodyPair, points: InterfacePoints) -> Floats:
    """Return the least slope (k,), a sine, of both bodies away from the points' own normals."""
    return slopes_both_ways(body_pair, points, points.normal)[0]


def in_normal_cones(body_pair: BodyPair, points: InterfacePoints, tolerance: float) -> Bools:
    """Return which points' normals lie in both normal cones, (k,); `tolerance` is the sine of an angle."""
    return slope_of_both(body_pair, points) >= -tolerance
