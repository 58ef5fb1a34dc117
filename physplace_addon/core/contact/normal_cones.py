"""Normal cones: the directions in which a feature can press.

An interface point with normal n (from the world to the active body) is a local minimum of the distance only
if every direction d that leaves the active feature along its body rises, n . d >= 0, and every one that
leaves the world's feature along its body falls, n . d <= 0.  For an edge these directions are the conormals
of its faces (unit, in the face, across the edge), for a vertex the edges that leave it.  A pair that fails
would stop a body that slides over an inner edge of a flat or hollow surface: it is no contact.

A vertex over the inside of a planar face, or two edges that cross inside both and whose normal is inside both
cones, hold whatever small motion follows.  Only at borders of features can another pair take over.
"""

from __future__ import annotations

import numpy as np

from ..arrays import Bools, Floats, Ints
from ..bodies.topology import pieces_of
from ..vectors import dot
from .body_pair import AnyPairs, BodyPair
from .contact_body import ContactBody
from .features import EDGE, FACE, VERTEX, FeaturePoints
from .points.interface_points import InterfacePoints


def least_slopes(features: FeaturePoints, upward: Floats) -> tuple[Floats, Floats]:
    """Return the least u . d over the directions d that leave each feature along its body.

    Args:
        upward: (k, 3) unit vectors, in the frame of the contact.

    Returns:
        Two sines (k,), for u = upward and for u = -upward; +inf for faces, and for edges and vertices that
        have no neighbours.
    """
    local = features.in_own_frame(upward)
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


def slopes_both_ways(body_pair: AnyPairs, points: InterfacePoints, normal: Floats) -> tuple[Floats, Floats]:
    """Return the least slope (k,), a sine, of both bodies away from a normal (k, 3), and from its opposite.

    The slope is that of the active body along n and of the world along -n, whichever is less.
    """
    up1, down1 = least_slopes(body_pair.first(points), normal)
    up2, down2 = least_slopes(body_pair.second(points), normal)
    return np.minimum(up1, down2), np.minimum(down1, up2)


def slope_of_both(body_pair: AnyPairs, points: InterfacePoints) -> Floats:
    """Return the least slope (k,), a sine, of both bodies away from the points' own normals."""
    return slopes_both_ways(body_pair, points, points.normal)[0]


def in_normal_cones(body_pair: AnyPairs, points: InterfacePoints, tolerance: float) -> Bools:
    """Return which points' normals lie in both normal cones, (k,); `tolerance` is the sine of an angle."""
    return slope_of_both(body_pair, points) >= -tolerance


def surely_hold(body_pair: BodyPair, points: InterfacePoints, distance: float, tolerance: float) -> Bools:
    """Return which points (k,) hold whatever motion follows that is shorter than a distance.

    Args:
        distance: a length, from the borders of the features.
        tolerance: sine of the angle by which the normal of two edges is inside the cones.
    """
    first = _insides(body_pair.active, points.dim1, points.piece1, points.param1, body_pair.first(points))
    second = _insides(body_pair.world, points.dim2, points.piece2, points.param2, body_pair.second(points))
    over_face = ((points.dim1 == VERTEX) & (points.dim2 == FACE)) | (
        (points.dim1 == FACE) & (points.dim2 == VERTEX)
    )
    edges = (points.dim1 == EDGE) & (points.dim2 == EDGE)
    edges[edges] = slope_of_both(body_pair, points.take(edges)) > tolerance
    held: Bools = (over_face | edges) & (np.minimum(first, second) > distance)
    return held


def _insides(base: ContactBody, dim: Ints, piece: Ints, param: Floats, at: FeaturePoints) -> Floats:
    """Return how far (k,), lengths, points are from the borders of the planar faces or straight segments that
    they are on: inf for vertices, 0 for other features.
    """
    pieces = pieces_of(base.body)
    inside = np.where(dim == VERTEX, np.inf, 0.0)
    edges = np.flatnonzero(dim == EDGE)
    edges = edges[pieces.segment[piece[edges]]]
    t = param[edges, 0]
    inside[edges] = np.minimum(t, 1.0 - t) * pieces.lengths[piece[edges]]
    faces = np.flatnonzero(dim == FACE)
    planar = np.where(pieces.triangle[piece[faces]], pieces.planar[piece[faces]], -1)
    place = at.take(faces).geometry().point
    place = place if at.pose is None else at.pose.inverse().points(place)
    for number in np.unique(planar[planar >= 0]).tolist():
        mine = planar == number
        inside[faces[mine]] = _to_segments(place[mine], base.planar_face(number).border)
    return inside


def _to_segments(points: Floats, segments: Floats) -> Floats:
    """Return the distance (k,) of points (k, 3) to the nearest of segments (e, 2, 3)."""
    start, along = segments[:, 0], segments[:, 1] - segments[:, 0]
    offset = points[:, None] - start
    fraction = (dot(offset, along[None]) / dot(along, along)).clip(0.0, 1.0)
    away = offset - fraction[..., None] * along
    distance: Floats = np.sqrt(dot(away, away).min(axis=1, initial=np.inf))
    return distance
