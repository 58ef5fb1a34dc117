"""Points of a body's true boundary that are closest to given places, and how deep places are inside it.

Triangles whose distance, less the bound of their approximation, is above the least of the others' plus theirs
cannot hold the closest point.  On the faces of the rest it is found by Newton's method (`closest_points`).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.spatial import cKDTree

from ...arrays import ArrayRecord, Bools, Floats, Ints
from ...bodies import Body
from ...collision import closest_on_triangle
from ...vectors import dot
from ..features import FACE, FeaturePoints
from .closest_points import closest_points_on_faces

_AT_ONCE = 2_000_000  # places times triangles in one batch: it bounds the memory
_CANDIDATES = 32  # triangles on which the closest point of a boundary is looked for, for each place
_ROUNDS = 40  # of Newton's method, at most: near a centre of curvature it converges only linearly
_SAME = 1e-9  # of R: difference of two distances that are equal: at an edge, those of the faces that meet


@dataclass(frozen=True, eq=False)
class BoundaryPoints(ArrayRecord):
    """Points (k, 3) of a body's boundary and the unit normals (k, 3) there, outward; NaN where none is."""

    point: Floats
    normal: Floats


def closest_boundary_points(body: Body, places: Floats, within: float | Floats = np.inf) -> BoundaryPoints:
    """Return the points of the body's boundary closest to `places` (k, 3); all in the body's frame.

    On an edge or a corner the normal is that of the face that looks most towards the place.  An open sheet
    has no outside, so there the normal looks towards the place.

    Args:
        within: (k,) or one for all, the farthest, a length, that the points are looked for.
    """
    found = BoundaryPoints(np.full((len(places), 3), np.nan), np.full((len(places), 3), np.nan))
    limits = np.broadcast_to(np.asarray(within, float), len(places))
    for rows in np.array_split(np.arange(len(places)), max(1, len(places) * len(body.triangles) // _AT_ONCE)):
        found.put(rows, _closest_of_batch(body, places[rows], limits[rows]))
    return found


@dataclass(frozen=True, eq=False)
class BoundaryPoint:
    """A point (3,) of a body's boundary and the unit normal (3,) there, outward."""

    point: Floats
    normal: Floats


def closest_boundary_point(body: Body, place: Floats) -> BoundaryPoint:
    """Return the point of the body's boundary closest to a place (3,), as `closest_boundary_points` does."""
    found = closest_boundary_points(body, place[None])
    return BoundaryPoint(found.point[0], found.normal[0])


def depths_inside(body: Body, places: Floats, within: Floats) -> Floats:
    """Return how deep (k,), lengths, places (k, 3) are inside a solid; negative outside of it.

    within: (k,) lengths; where the boundary is farther, the depth is NaN.
    """
    closest = closest_boundary_points(body, places, within)
    offset = places - closest.point
    distance = np.sqrt(dot(offset, offset))
    return np.where(dot(offset, closest.normal) < 0.0, distance, -distance)


def _closest_of_batch(body: Body, places: Floats, within: Floats) -> BoundaryPoints:
    row, triangle = _near_triangles(body, places, within)
    corners, bound = body.triangles[triangle], body.triangle_bound[triangle]
    barycentric = closest_on_triangle(places[row], corners).barycentric
    on = (barycentric[:, None, :] @ corners)[:, 0]
    away = np.sqrt(dot(on - places[row], on - places[row]))
    nearest = np.full(len(places), np.inf)
    np.minimum.at(nearest, row, away + bound)
    may = np.flatnonzero(away - bound <= np.minimum(nearest, within)[row] + _SAME * body.radius)
    may = may[np.lexsort((away[may], row[may]))]
    rank = np.arange(len(may)) - np.searchsorted(row[may], row[may])
    may = may[rank < _CANDIDATES]
    row, triangle, on = row[may], triangle[may], on[may]
    uv = (barycentric[may, None, :] @ body.triangle_uv[triangle])[:, 0]
    point, normal = _on_faces(body, places[row], triangle, uv)
    exact = body.triangle_bound[triangle] == 0.0  # the triangle is the boundary, and ends where that does
    point = np.where(exact[:, None], on, point)
    offset = point - places[row]
    near = dot(offset, offset) <= (within[row] + _SAME * body.radius) ** 2
    return _best(body, places, row[near], point[near], normal[near])


def _near_triangles(body: Body, places: Floats, within: Floats) -> tuple[Ints, Ints]:
    """Return the places (m,) and triangles (m,), by number, that may hold the closest points."""
    centre = body.triangles.mean(axis=1)
    offset = body.triangles - centre[:, None]
    size = np.sqrt(dot(offset, offset).max(axis=1)) + body.triangle_bound
    most = np.asarray(cKDTree(centre).query(places)[0]) + float(body.triangle_bound.max())
    away = np.sqrt(((places[:, None] - centre) ** 2).sum(axis=2))
    near = away - size <= np.minimum(most, within)[:, None] + _SAME * body.radius
    row, triangle = np.nonzero(near)
    return row, triangle


def _on_faces(body: Body, places: Floats, triangle: Ints, uv: Floats) -> tuple[Floats, Floats]:
    """Return the points (m, 3) of triangles' faces closest to places (m, 3), and the normals (m, 3) there.

    uv (m, 2): where the search starts; what it makes worse stays there.
    """
    faces = FeaturePoints(body, None, np.full(len(triangle), FACE), body.triangle_face[triangle], uv)
    start = faces.geometry()
    at = closest_points_on_faces(places, faces, body.radius, _ROUNDS)[1]
    nearer = dot(places - at.point, places - at.point) <= dot(places - start.point, places - start.point)
    points = np.where(nearer[:, None], at.point, start.point)
    return points, np.where(nearer[:, None], at.normal, start.normal)


def _best(body: Body, places: Floats, row: Ints, points: Floats, normals: Floats) -> BoundaryPoints:
    """Return for each place the closest of the points (m, 3) of its rows, of several that are equally close
    the one whose face looks most towards the place.
    """
    offset = places[row] - points
    distance, facing = np.sqrt(dot(offset, offset)), dot(offset, normals)
    if not body.closed:
        normals = np.where(facing[:, None] < 0.0, -normals, normals)
    nearest = np.full(len(places), np.inf)
    np.minimum.at(nearest, row, distance)
    beyond: Bools = distance > nearest[row] + _SAME * body.radius
    order = np.lexsort((-np.abs(facing), beyond, row))
    first = order[np.flatnonzero(np.diff(row[order], prepend=-1))]
    best = BoundaryPoints(np.full(places.shape, np.nan), np.full(places.shape, np.nan))
    best.put(row[first], BoundaryPoints(points[first], normals[first]))
    return best
