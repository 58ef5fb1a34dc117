"""The point of a body's boundary nearest to a given point: where a hand that reaches for it takes hold.

The nearest triangles give where to begin; on a curved face the foot of the perpendicular from p is then
found by Newton's method on |S(u) - p|^2 / 2, whose gradient in the tangent frame is -a (a = the tangential
part of p - S) and whose Hessian is `1 - h K`, h = (p - S) . n, K = n . d2S (the frame's `curvature`).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ...arrays import Floats, Ints
from ...bodies import Body
from ...collision.closest_points import closest_on_triangle
from ...vectors import dot

_CANDIDATES = 32
_ROUNDS = 20
_SOFTEST = 0.1  # least eigenvalue of a Hessian: a step is at most ten times the tangential distance
_SAME = 1e-9  # distance / R within which points are equally near: the corners of faces that meet


@dataclass(frozen=True, eq=False)
class SurfacePoint:
    """A point (3,) of a body's boundary, and the unit normal (3,) there, outward."""

    point: Floats
    normal: Floats


def nearest_point(body: Body, place: Floats) -> SurfacePoint:
    """Return the point of the body's boundary nearest to `place` (3,); all in the body's frame.

    On an edge or a corner, the normal is that of the face that looks most towards `place`.  An open sheet
    has no outside: there the normal looks towards `place`.
    """
    triangles, uv = _nearest_triangles(body, place)
    faces = body.triangle_face[triangles]
    points, normals = _feet(body, faces, uv, np.broadcast_to(place, (len(faces), 3)))
    true = body.triangle_bound[triangles] == 0.0  # the triangle is the boundary, and knows its own borders
    points[true] = _on_triangles(body.triangles[triangles[true]], place)
    return _best(body, points, normals, place)


def _nearest_triangles(body: Body, place: Floats) -> tuple[Ints, Floats]:
    """The triangles (k,) on which the nearest point may lie, and the nearest parameters (k, 2) on each."""
    count = len(body.triangles)
    on = closest_on_triangle(np.broadcast_to(place, (count, 3)), body.triangles)
    offset = (on.barycentric[:, None, :] @ body.triangles)[:, 0] - place
    distance = np.sqrt(dot(offset, offset))
    nearest = (distance + body.triangle_bound).min()
    may = np.flatnonzero(distance - body.triangle_bound <= nearest + _SAME * body.radius)
    triangles = may[np.argsort(distance[may], kind="stable")[:_CANDIDATES]]
    uv: Floats = (on.barycentric[triangles, None, :] @ body.triangle_uv[triangles])[:, 0]
    return triangles, uv


def _on_triangles(triangles: Floats, place: Floats) -> Floats:
    on = closest_on_triangle(np.broadcast_to(place, (len(triangles), 3)), triangles)
    points: Floats = (on.barycentric[:, None, :] @ triangles)[:, 0]
    return points


def _feet(body: Body, faces: Ints, uv: Floats, place: Floats) -> tuple[Floats, Floats]:
    """Points and normals (k, 3) of faces (k,) nearest to places (k, 3), from parameters (k, 2) near them."""
    here = body.face_geometry(faces, uv)
    distance = dot(place - here.point, place - here.point)
    share = np.ones(len(faces))
    for _ in range(_ROUNDS):
        offset = place - here.point
        along = (here.frame @ offset[:, :, None])[:, :, 0]
        hessian = np.eye(2) - dot(offset, here.normal)[:, None, None] * here.curvature
        values, vectors = np.linalg.eigh(hessian)
        step = vectors.swapaxes(1, 2) @ along[:, :, None] / np.maximum(np.abs(values), _SOFTEST)[:, :, None]
        move = share[:, None] * ((vectors @ step)[:, :, 0][:, None, :] @ here.frame)[:, 0]
        tried = body.face_move(faces, uv, move)
        there = body.face_geometry(faces, tried)
        beside = dot(place - there.point, place - there.point)
        nearer = beside < distance
        uv = np.where(nearer[:, None], tried, uv)
        distance = np.where(nearer, beside, distance)
        share = np.where(nearer, np.minimum(1.0, 2.0 * share), 0.25 * share)
        here = body.face_geometry(faces, uv)
    return here.point.copy(), here.normal


def _best(body: Body, points: Floats, normals: Floats, place: Floats) -> SurfacePoint:
    offset = place - points
    distance = np.sqrt(dot(offset, offset))
    facing = dot(offset, normals)
    if not body.closed:
        normals = np.where(facing[:, None] < 0.0, -normals, normals)
    near = np.flatnonzero(distance <= distance.min() + _SAME * body.radius)
    best = near[np.abs(facing[near]).argmax()]
    return SurfacePoint(points[best], normals[best])
