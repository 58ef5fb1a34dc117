"""Bounds of the normal cones of edges and vertices, one for each axis.

A direction n in which a feature can be met (`normal_cones`) has n . d <= 0 for every direction d that leaves
the feature along its body.  So for any such directions d_j, any weights w_j >= 0 and an axis e,

    n . e  =  n . (e - sum w_j d_j) + sum w_j n . d_j  <=  |e - sum w_j d_j|.

The distance of e from the cone of the d_j therefore bounds the component of n along e.  Here the cone is
replaced by its nearest ray, or by the flat cone of two rays, whichever is nearer: on a smooth mesh that is
almost the exact bound.  `collision.directional` uses the bounds to search the neighbourhood of a triangle
only where its features can be met.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ..arrays import Bools, Floats, Ints
from ..bodies import Body
from ..collision import BoxTree, TriangleDirections
from ..vectors import dot
from .row_lists import RowLists

_OUTSIDE_CONE = 1e-6  # sine of the angle by which a normal may leave its cone, as in regions.flat_pairs
_BEYOND_EVERYTHING = 1e150  # scene units: makes an empty box that no box meets, and its square is finite
_LARGEST_WEIGHT = 4.0  # of a ray: a normal out of its cone exceeds the bound by so many times its sine


def triangle_normal_bounds(
    body: Body, tree: BoxTree, flat: Bools, vertices: RowLists, owned: Sequence[tuple[RowLists, Floats]]
) -> TriangleDirections:
    """Return for every triangle the bounds of the directions in which it, or what it owns, can be met.

    Args:
        flat: (t,) which triangles are of flat faces; these are met along their normal alone.
        vertices: the vertices that each triangle owns.
        owned: kinds of owned features, each with the bounds (n, 3) of its n members.
    """
    count = len(body.triangles)
    bounds = np.where(flat[:, None], np.abs(tree.planes[:, :3]), 0.0)
    owns = np.zeros(count, bool)
    for lists, of_items in owned:
        owner = np.repeat(np.arange(count), np.diff(lists.start))
        np.maximum.at(bounds, owner, of_items[lists.items])
        owns |= lists.has_items
    return TriangleDirections(tree, np.ascontiguousarray(bounds.T), owns, _vertex_boxes(body, vertices))


def _vertex_boxes(body: Body, vertices: RowLists) -> Floats:
    """Return boxes (t, 2, 3) around the vertices of each triangle, lower above upper where it owns none."""
    boxes = np.empty((len(body.triangles), 2, 3))
    boxes[:, 0], boxes[:, 1] = _BEYOND_EVERYTHING, -_BEYOND_EVERYTHING
    owner = np.repeat(np.arange(len(boxes)), np.diff(vertices.start))
    at = body.vertices[vertices.items]
    np.minimum.at(boxes[:, 0], owner, at)
    np.maximum.at(boxes[:, 1], owner, at)
    return boxes


def edge_normal_bounds(body: Body, straight: Bools) -> Floats:
    """Return for each segment (e, 3) the largest |n . axis| of the normals n in its cone; 1 on bent edges.

    straight (ne,): which edges are straight.  The normals of an edge are perpendicular to it, and an axis is
    as far from the half plane of an adjacent face as from its plane, if it leans to that face's side.
    """
    bounds = np.ones((len(body.segments), 3))
    rows = np.nonzero(straight[body.segment_edge])[0]
    along = body.segments[rows, 1] - body.segments[rows, 0]
    along /= np.sqrt(dot(along, along))[:, None]
    conormals = np.nan_to_num(body.edge_conormals(body.segment_edge[rows], body.segment_t[rows, 0]))
    upward = np.maximum(conormals, 0.0).max(axis=1)
    downward = np.maximum(-conormals, 0.0).max(axis=1)
    least = np.minimum(upward, downward)
    bounds[rows] = np.sqrt(np.maximum(1.0 - along**2 - least**2, 0.0)) + 2.0 * _OUTSIDE_CONE
    return bounds


def vertex_normal_bounds(body: Body) -> Floats:
    """Return for each vertex (v, 3) a bound of |n . axis| over the normals n in its cone; 1 without one."""
    start, directions = body.cone_start, body.cone_directions
    count = np.diff(start)
    bounds = np.ones((len(body.vertices), 3))
    some = np.flatnonzero(count > 0)
    if len(some) == 0:
        return bounds
    begin, row = start[:-1][some], np.repeat(np.arange(len(some)), count[some])
    for axis in range(3):
        either = [_distance_to_cones(directions, begin, row, sign * np.eye(3)[axis]) for sign in (1.0, -1.0)]
        bounds[some, axis] = np.maximum(*either)
    return bounds


def _distance_to_cones(directions: Floats, begin: Ints, row: Ints, axis: Floats) -> Floats:
    """Return a bound (v,) of the distance from an axis (3,) to cones of rays `directions` (m, 3).

    begin (v,): the first ray of each cone; row (m,): the cone of each ray.
    """
    cosine = directions @ axis
    nearest = _largest_in_rows(cosine, begin, row)
    first, along = directions[nearest], np.maximum(cosine[nearest], 0.0)
    rest = axis - along[:, None] * first
    second = directions[_largest_in_rows(dot(directions, rest[row]), begin, row)]
    # the axis projected on the plane of both rays: it lies in their flat cone if no weight is negative
    both, a, b = dot(first, second), cosine[nearest], second @ axis
    square = 1.0 - both**2
    weight1, weight2 = (a - both * b) / np.maximum(square, 1e-12), (b - both * a) / np.maximum(square, 1e-12)
    flat = (np.minimum(weight1, weight2) >= 0.0) & (np.maximum(weight1, weight2) <= _LARGEST_WEIGHT)
    on_flat = axis - weight1[:, None] * first - weight2[:, None] * second
    away = np.where(flat, dot(on_flat, on_flat), dot(rest, rest))
    distance: Floats = np.sqrt(away) + 2.0 * _LARGEST_WEIGHT * _OUTSIDE_CONE
    return distance


def _largest_in_rows(values: Floats, begin: Ints, row: Ints) -> Ints:
    """Return where (v,) the largest of the values (m,) of each row stands, the first of equal ones."""
    top = np.flatnonzero(values == np.maximum.reduceat(values, begin)[row])
    first: Ints = top[np.searchsorted(row[top], np.arange(len(begin)))]
    return first
