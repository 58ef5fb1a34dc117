"""In which directions an edge or a vertex can be met: bounds of their normal cones (`cones`).

A direction n in which a feature can be met has n . d <= 0 for every direction d that leaves it along its
body, so, for any such directions d_j and weights w_j >= 0, and an axis e,

    n . e  =  n . (e - sum w_j d_j) + sum w_j n . d_j  <=  |e - sum w_j d_j|:

the distance of e from the cone of the d_j bounds the component of n along e.  Here the nearest d_j is taken,
or the flat cone of two of them: on a smooth mesh that is near the whole truth.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ..arrays import Floats, Ints
from ..collision import Directions
from .features import dot

if TYPE_CHECKING:
    from .body_pair import ContactBody

_LEAVES = 1e-6  # sine of the angle by which a direction may leave a cone, see polyhedral
_NOWHERE = 1e150  # a length that is beyond everything
_MOST = 4.0  # the largest weight of a combination: by so much n . d counts


def directions_of(body: ContactBody) -> Directions:
    """Bounds for every triangle of a body: of its normal, and of the straight edges and vertices it owns."""
    count = len(body.body.triangles)
    spread = np.where(body.triangle_flat[:, None], np.abs(body.tree.planes[:, :3]), 0.0)
    edges = body.straight_segments
    for owned, bounds in (
        (edges, body.edge_spreads),
        (body.vertices, body.vertex_spreads),
    ):
        owner = np.repeat(np.arange(count), np.diff(owned.start))
        np.maximum.at(spread, owner, bounds[owned.items])
    owns = body.vertices.owns | edges.owns
    return Directions(body.tree, np.ascontiguousarray(spread.T), owns, _boxes_of_vertices(body))


def _boxes_of_vertices(body: ContactBody) -> Floats:
    """Boxes (t, 2, 3) around the vertices that each triangle owns, turned inside out where there are none."""
    boxes = np.empty((len(body.body.triangles), 2, 3))
    boxes[:, 0], boxes[:, 1] = _NOWHERE, -_NOWHERE
    owner = np.repeat(np.arange(len(boxes)), np.diff(body.vertices.start))
    at = body.body.vertices[body.vertices.items]
    np.minimum.at(boxes[:, 0], owner, at)
    np.maximum.at(boxes[:, 1], owner, at)
    return boxes


def edge_spreads(body: ContactBody) -> Floats:
    """Of each segment (e, 3); those of bent edges tell nothing: 1."""
    shape = body.body
    spread = np.ones((len(shape.segments), 3))
    rows = np.nonzero(body.straight[shape.segment_edge])[0]
    along = shape.segments[rows, 1] - shape.segments[rows, 0]
    along /= np.sqrt(dot(along, along))[:, None]
    conormals = np.nan_to_num(shape.edge_conormals(shape.segment_edge[rows], shape.segment_t[rows, 0]))
    upward = np.maximum(conormals, 0.0).max(axis=1)
    downward = np.maximum(-conormals, 0.0).max(axis=1)
    # an axis is as far from the half plane of a face as it is from the plane, if it leans to that side
    least = np.minimum(upward, downward)
    spread[rows] = np.sqrt(np.maximum(1.0 - along**2 - least**2, 0.0)) + 2.0 * _LEAVES
    return spread


def vertex_spreads(body: ContactBody) -> Floats:
    """Of each vertex (v, 3)."""
    start, directions = body.body.cone_start, body.body.cone_directions
    count = np.diff(start)
    spread = np.ones((len(body.body.vertices), 3))
    some = np.flatnonzero(count > 0)
    if len(some) == 0:
        return spread
    begin, row = start[:-1][some], np.repeat(np.arange(len(some)), count[some])
    for axis in range(3):
        either = [_from_cone(directions, begin, row, sign * np.eye(3)[axis]) for sign in (1.0, -1.0)]
        spread[some, axis] = np.maximum(*either)
    return spread


def _from_cone(directions: Floats, begin: Ints, row: Ints, axis: Floats) -> Floats:
    """How far an axis (3,), at most, is from cones of directions (m, 3), which begin at rows `begin` (v,)."""
    cosine = directions @ axis
    nearest = _highest(cosine, begin, row)
    first, along = directions[nearest], np.maximum(cosine[nearest], 0.0)
    rest = axis - along[:, None] * first
    second = directions[_highest(dot(directions, rest[row]), begin, row)]
    # the flat cone of both: weights of the foot, if none is negative
    both, a, b = dot(first, second), cosine[nearest], second @ axis
    square = 1.0 - both**2
    weight1, weight2 = (a - both * b) / np.maximum(square, 1e-12), (b - both * a) / np.maximum(square, 1e-12)
    flat = (np.minimum(weight1, weight2) >= 0.0) & (np.maximum(weight1, weight2) <= _MOST)
    on_flat = axis - weight1[:, None] * first - weight2[:, None] * second
    away = np.where(flat, dot(on_flat, on_flat), dot(rest, rest))
    distance: Floats = np.sqrt(away) + 2.0 * _MOST * _LEAVES
    return distance


def _highest(values: Floats, begin: Ints, row: Ints) -> Ints:
    """Where the highest of the values (m,) of each row is, the first if there are several (v,)."""
    top = np.flatnonzero(values == np.maximum.reduceat(values, begin)[row])
    first: Ints = top[np.searchsorted(row[top], np.arange(len(begin)))]
    return first
