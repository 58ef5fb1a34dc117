"""Interface points between flat faces, straight edges and vertices: every pair in closed form.

Two flat faces touch at a vertex of one of them or where two of their edges cross, so the pairs are
vertex/face, edge/edge and, of bodies apart, those of lower dimension whose distance is shortest: vertex/edge
and vertex/vertex.  The side is that of the distance itself, not that of a face's winding: open, inverted and
zero-thickness meshes need nothing else.  Where the gap is too small to show it, a face of a closed solid
knows its outside, and else the normal cones decide.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from ...arrays import Bools, Floats, Ints
from ...bodies import Body
from ...bodies.topology import pieces_of
from ...collision import EDGE as ALONG_SIDE
from ...collision import VERTEX as AT_CORNER
from ...collision import closest_on_segments, closest_on_triangle
from ...vectors import cross, dot
from ..body_pair import CONE_TOLERANCE, AnyPairs
from ..contact_body import ContactBody
from ..features import EDGE, FACE, VERTEX, whole_features
from ..normal_cones import in_normal_cones, slope_of_both, slopes_both_ways
from ..points.interface_points import PARALLEL, InterfacePoints
from ..row_lists import IndexPairs, row_keys
from .candidates import Candidates, FlatCandidates, NearFeatures

_OVER_FACE = 1e-11  # of R: offset from a triangle that still counts as over it, where coplanar ones meet
_COPLANAR = 1e-6  # gap over R below which a vertex is in the plane of a face, or behind it
_GOES_BEHIND = 0.5  # sine of the angle by which a body must fall behind that plane so that they do not touch
_OFF_CONE = 1e-5  # sine of the angle by which a normal leaves a cone for certain
_AT_BORDER = 1e-5  # of R: distance of a foot from the border of its face that is next to it
_COINCIDENT = 1e-14  # of R: distance of two vertices, or vertex and edge, that has no direction


class _OnBody(NamedTuple):
    """One body's part of k pairs: a dimension, pieces (k,), parameters (k, 2) and points (k, 3)."""

    dim: int
    piece: Ints
    param: Floats
    point: Floats

    def take(self, rows: Ints) -> _OnBody:
        return _OnBody(self.dim, self.piece[rows], self.param[rows], self.point[rows])


def _interface_points(
    body_pair: AnyPairs, first: _OnBody, second: _OnBody, raw_normal: Floats
) -> InterfacePoints:
    """Return the points of k pairs, on the sides that their distances show; raw_normal (k, 3) is unit."""
    k = len(first.piece)
    dim1, dim2 = np.full(k, first.dim), np.full(k, second.dim)
    height = dot(raw_normal, first.point - second.point)
    points = InterfacePoints(
        dim1,
        whole_features(body_pair.active.body, dim1, first.piece),
        first.piece,
        first.param,
        dim2,
        whole_features(body_pair.world.body, dim2, second.piece),
        second.piece,
        second.param,
        np.where(height < 0.0, -1.0, 1.0),
        np.zeros(k, bool),
        np.full(k, np.inf),
        first.point,
        second.point,
        raw_normal,
        height,
        *body_pair.numbers(k),
    )
    unsure = np.nonzero(np.abs(height) < body_pair.sign_tolerance)[0]
    if len(unsure):
        points.side[unsure] = _side_by_cones(body_pair, points.take(unsure))
    points.normal[:] = points.side[:, None] * raw_normal
    points.gap[:] = points.side * height
    return points


def _side_by_cones(body_pair: AnyPairs, points: InterfacePoints) -> Floats:
    up, down = slopes_both_ways(body_pair, points, points.normal)
    return np.where((down > up) & ~body_pair.knows_outside(points), -1.0, 1.0)


def vertex_face(body_pair: AnyPairs, vertices: Ints, triangles: Ints, clamp: bool = True) -> InterfacePoints:
    """Return the pairs of the active body's vertices (k,) and the world's flat triangles (k,).

    clamp: only those whose closest point lies inside the triangle; else all, the point clamped to it.
    """
    at = body_pair.pose.points(body_pair.active.body.vertices[vertices])
    return _over_triangles(body_pair, vertices, at, triangles, active=False, clamp=clamp)


def face_vertex(body_pair: AnyPairs, triangles: Ints, vertices: Ints, clamp: bool = True) -> InterfacePoints:
    """Return the pairs of the active body's flat triangles (k,) and the world's vertices (k,)."""
    at = body_pair.world.body.vertices[vertices]
    return _over_triangles(body_pair, vertices, at, triangles, active=True, clamp=clamp)


def _over_triangles(
    body_pair: AnyPairs, vertices: Ints, at: Floats, triangles: Ints, active: bool, clamp: bool
) -> InterfacePoints:
    body = body_pair.active.body if active else body_pair.world.body
    corners = body.triangles[triangles]
    if active:
        corners = body_pair.pose.points(corners)
    normal = cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    normal /= np.sqrt(dot(normal, normal))[:, None]
    height = dot(normal, at - corners[:, 0])
    below = at - height[:, None] * normal
    closest = closest_on_triangle(at, corners)
    barycentric = closest.barycentric
    kept = np.arange(len(vertices))
    if clamp:
        beside = (barycentric[:, None, :] @ corners)[:, 0] - below
        square = dot(beside, beside)
        over = square <= (_OVER_FACE * body_pair.radius) ** 2
        kept = np.nonzero(over | (square <= body_pair.sign_tolerance**2))[0]
        vertices, triangles, at, below = vertices[kept], triangles[kept], at[kept], below[kept]
        body_pair = body_pair.take(kept)
        normal, barycentric = normal[kept], barycentric[kept]
    uv = (barycentric[:, None, :] @ body.triangle_uv[triangles])[:, 0]
    face = _OnBody(FACE, body.triangle_face[triangles], uv, below)
    vertex = _OnBody(VERTEX, vertices, np.zeros((len(vertices), 2)), at)
    if active:
        points = _interface_points(body_pair, face, vertex, -normal)
    else:
        points = _interface_points(body_pair, vertex, face, normal)
    if clamp and not over[kept].all():
        real, base = over[kept], body_pair.active if active else body_pair.world
        near = np.nonzero(~real)[0]
        region = closest.region[kept[near]]
        real[near] = _in_creases(base, triangles[near], region, points.side[near])
        points = points.take(real)
    return points


def _in_creases(base: ContactBody, triangles: Ints, region: Ints, side: Floats) -> Bools:
    """Return which points (k,) just beside triangles of the base are so across a hollow edge.

    There both faces hold a point back, although it stands over one of them alone.

    Args:
        triangles: (k,) of the base.
        region: (k,) the part of each that is nearest to the point (`closest_on_triangle`).
        side: (k,) of the triangles' planes on which the points are, +1 or -1.
    """
    corners, across = base.body.triangles[triangles], base.corners_across[triangles]
    normal = cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    away = across - corners
    rise = side[:, None] * dot(away, normal[:, None])
    size = np.sqrt(dot(away, away) * dot(normal, normal)[:, None])
    hollow = rise > CONE_TOLERANCE * size
    number = np.arange(3)
    crossed = region[:, None] == ALONG_SIDE + number
    # at a corner, the sides that end there and that start there
    crossed |= region[:, None] == AT_CORNER + number
    crossed |= region[:, None] == AT_CORNER + (number + 1) % 3
    inside: Bools = (hollow | ~crossed).all(axis=1)
    return inside


def edge_edge(body_pair: AnyPairs, segments1: Ints, segments2: Ints, clamp: bool = True) -> InterfacePoints:
    """Return the pairs of straight edges, as segments (k,) of each body, that are not parallel.

    clamp: only those whose closest points lie inside both segments; else all, the points clamped to them.
    """
    active, world = body_pair.active.body, body_pair.world.body
    ends1, ends2 = body_pair.pose.points(active.segments[segments1]), world.segments[segments2]
    s, t, inside1, inside2 = closest_on_segments(ends1, ends2)
    if clamp:
        slack, offset = body_pair.sign_tolerance, _at(ends1, s) - _at(ends2, t)
        inside1 |= _at_joints(active, segments1, s) & (_slips(ends1, offset) <= slack)
        inside2 |= _at_joints(world, segments2, t) & (_slips(ends2, offset) <= slack)
        rows = np.nonzero(inside1 & inside2)[0]
        s, t, ends1, ends2 = s[rows], t[rows], ends1[rows], ends2[rows]
        segments1, segments2, body_pair = segments1[rows], segments2[rows], body_pair.take(rows)
    along1, along2 = ends1[:, 1] - ends1[:, 0], ends2[:, 1] - ends2[:, 0]
    raw = cross(along1, along2)
    length = np.sqrt(dot(raw, raw))
    scale = np.sqrt(dot(along1, along1) * dot(along2, along2))
    first = _on_segments(body_pair.active.body, segments1, s, ends1[:, 0] + s[:, None] * along1)
    second = _on_segments(body_pair.world.body, segments2, t, ends2[:, 0] + t[:, None] * along2)
    crossing = length > PARALLEL * scale
    if not crossing.all():
        rows = np.nonzero(crossing)[0]
        first, second, raw, length = first.take(rows), second.take(rows), raw[rows], length[rows]
        body_pair = body_pair.take(rows)
    return _interface_points(body_pair, first, second, raw / length[:, None])


def _at(ends: Floats, fraction: Floats) -> Floats:
    """Return the points (k, 3) at fractions (k,) of segments (k, 2, 3)."""
    points: Floats = ends[:, 0] + fraction[:, None] * (ends[:, 1] - ends[:, 0])
    return points


def _slips(ends: Floats, offset: Floats) -> Floats:
    """Return how far (k,), lengths, vectors (k, 3) reach along segments (k, 2, 3)."""
    along = ends[:, 1] - ends[:, 0]
    slips: Floats = np.abs(dot(along, offset)) / np.sqrt(dot(along, along))
    return slips


def _at_joints(body: Body, segments: Ints, fraction: Floats) -> Bools:
    """Return which fractions (k,) are those of ends, or beyond, at which a straight edge goes on."""
    beyond = pieces_of(body).beyond[body.segment_edge[segments]] >= 0
    at_joints: Bools = ((fraction <= 0.0) & beyond[:, 0]) | ((fraction >= 1.0) & beyond[:, 1])
    return at_joints


def segment_params(ends: Floats, fraction: Floats) -> Floats:
    """Return edge parameters (k, 2) at a fraction (k,) between those of a segment's ends (k, 2)."""
    t = ends[:, 0] + fraction * (ends[:, 1] - ends[:, 0])
    return np.stack([t, np.zeros_like(t)], axis=1)


def _on_segments(body: Body, segments: Ints, fraction: Floats, point: Floats) -> _OnBody:
    param = segment_params(body.segment_t[segments], fraction)
    return _OnBody(EDGE, body.segment_edge[segments], param, point)


def vertex_edge(body_pair: AnyPairs, vertices: Ints, segments: Ints) -> InterfacePoints:
    """Return the pairs of the active body's vertices and the world's straight segments (k,).

    Only those whose closest point lies inside the segment.
    """
    at = body_pair.pose.points(body_pair.active.body.vertices[vertices])
    body = body_pair.world.body
    rows, edge = _closest_on_segments(body, segments, body.segments[segments], at, body_pair.sign_tolerance)
    return _along_distance(body_pair.take(rows), _on_vertices(vertices[rows], at[rows]), edge)


def edge_vertex(body_pair: AnyPairs, segments: Ints, vertices: Ints) -> InterfacePoints:
    """Return the pairs of the active body's straight segments and the world's vertices (k,)."""
    body = body_pair.active.body
    at = body_pair.world.body.vertices[vertices]
    ends = body_pair.pose.points(body.segments[segments])
    rows, edge = _closest_on_segments(body, segments, ends, at, body_pair.sign_tolerance)
    return _along_distance(body_pair.take(rows), edge, _on_vertices(vertices[rows], at[rows]))


def vertex_vertex(body_pair: AnyPairs, vertices1: Ints, vertices2: Ints) -> InterfacePoints:
    """Return the pairs of vertices (k,) of both bodies."""
    at1 = body_pair.pose.points(body_pair.active.body.vertices[vertices1])
    at2 = body_pair.world.body.vertices[vertices2]
    return _along_distance(body_pair, _on_vertices(vertices1, at1), _on_vertices(vertices2, at2))


def _on_vertices(vertices: Ints, at: Floats) -> _OnBody:
    return _OnBody(VERTEX, vertices, np.zeros((len(vertices), 2)), at)


def _closest_on_segments(
    body: Body, segments: Ints, ends: Floats, at: Floats, slack: float | Floats
) -> tuple[Ints, _OnBody]:
    """Return the rows of points (k, 3) whose closest point is inside its edge, and these points.

    slack: a length, one or of each row (k,), by which it may be beside its segment where the edge goes on.
    """
    along = ends[:, 1] - ends[:, 0]
    t = dot(at - ends[:, 0], along) / dot(along, along)
    beside = _slips(ends, at - _at(ends, t.clip(0.0, 1.0)))
    rows = np.nonzero(((t > 0.0) & (t < 1.0)) | (_at_joints(body, segments, t) & (beside <= slack)))[0]
    t = t.clip(0.0, 1.0)
    closest = (ends[:, 0] + t[:, None] * along)[rows]
    return rows, _on_segments(body, segments[rows], t[rows], closest)


def _along_distance(body_pair: AnyPairs, first: _OnBody, second: _OnBody) -> InterfacePoints:
    """Return the pairs whose normal is the direction of their distance; those that coincide have none."""
    offset = first.point - second.point
    distance = np.sqrt(dot(offset, offset))
    known = np.nonzero(distance > _COINCIDENT * body_pair.radius)[0]
    normal = offset[known] / distance[known, None]
    return _interface_points(body_pair.take(known), first.take(known), second.take(known), normal)


def flat_pairs(
    body_pair: AnyPairs,
    triangles1: Ints,
    triangles2: Ints,
    before: AnyPairs | None = None,
    reach: float | Floats = np.inf,
    also_over: IndexPairs | None = None,
) -> InterfacePoints:
    """Return the closest pairs of flat features that k pairs of triangles are or own.

    A pair of edges or vertices alone counts if its normal lies in both normal cones; a pair over a face
    always does, since a vertex over a face must stay over it, except where it can only touch the border
    (`only_at_border`).  What is behind a face that knows its outside belongs to another face.

    Args:
        body_pair: the pair of bodies, or that of each row.
        triangles1, triangles2: (k,) of the active body and of the world.
        before: a pose known to be free of overlap; None if there is none.
        reach: the largest gap, a length, one or that of each pair of bodies (p,).
        also_over: more pairs of vertices of the active body and triangles of the world.
    """
    near = FlatCandidates(body_pair, triangles1, triangles2, reach, before, also_over)
    return points_of(near.found(), body_pair, before, reach)


def points_of(
    near: NearFeatures, body_pair: AnyPairs, before: AnyPairs | None, reach: float | Floats
) -> InterfacePoints:
    """Return what `flat_pairs` returns, of pairs of features that may be within reach."""
    over_face = _joined(
        (vertex_face, near.vertices_over_faces),
        (face_vertex, near.faces_over_vertices),
    )
    over_face = _turned_to_front(body_pair, over_face, before)
    outside = (over_face.side > 0.0) | ~body_pair.knows_outside(over_face)
    near_enough = over_face.gap <= body_pair.of_points(over_face).each(reach)
    over_face = lowest_of_each(over_face.take(outside & near_enough))
    lower = _joined(
        (edge_edge, near.edges_and_edges),
        (vertex_edge, near.vertices_and_edges),
        (edge_vertex, near.edges_and_vertices),
        (vertex_vertex, near.vertices_and_vertices),
    )
    lower = lowest_of_each(lower.take(lower.gap <= body_pair.of_points(lower).each(reach)))
    real = in_normal_cones(body_pair, lower, body_pair.cone_tolerance)
    return InterfacePoints.join([over_face.take(~only_at_border(body_pair, over_face)), lower.take(real)])


def lowest_of_each(points: InterfacePoints) -> InterfacePoints:
    """Return the points but those of the same features as a lower one: a foot between pieces is on both."""
    bodies = points.body1, points.body2 + 1
    keys = row_keys(*bodies, points.dim1, points.index1, points.dim2, points.index2)
    order = np.lexsort((points.gap, keys))
    first = np.diff(keys[order], prepend=-1) != 0
    return points if first.all() else points.take(np.sort(order[first]))


def _joined(*kinds: tuple[Callable[..., InterfacePoints], Candidates]) -> InterfacePoints:
    """Return the points of all kinds that have candidates."""
    parts = [make(*found) for make, found in kinds if len(found[1])]
    return InterfacePoints.join([InterfacePoints.none(), *parts])


def _turned_to_front(
    body_pair: AnyPairs, points: InterfacePoints, before: AnyPairs | None
) -> InterfacePoints:
    """Return the points with those turned round that are behind a face now but were not at the pose `before`.

    A corner that went through one triangle of a face that knows its outside is seen over the next triangle.
    """
    doubtful = np.nonzero((points.side < 0.0) & body_pair.knows_outside(points))[0]
    if before is None or len(doubtful) == 0:
        return points
    part = points.take(doubtful)
    first, second = before.evaluate(part)
    offset = first.point - second.point
    height = np.where(part.dim2 == FACE, dot(second.normal, offset), -dot(first.normal, offset))
    came = doubtful[height > -_OVER_FACE * before.of_points(part).radius]
    points = points.copy()
    points.side[came] = 1.0
    points.normal[came] *= -1.0
    points.gap[came] *= -1.0
    return points


def only_at_border(body_pair: AnyPairs, points: InterfacePoints) -> Bools:
    """Return which pairs (k,) over a face can touch only at the border of that face, and so do not press.

    The body of the vertex descends from it, at a slope s below the plane of the face.  Where it stands over
    the face by g, it comes through the plane at most g / s from the foot.  The bodies do not overlap, so the
    face ends before that.  If that is next to the foot, the cone of the border, an edge or a vertex, holds:
    its own pairs press.  Two more are no contacts either: the corner of a box that stands on a box with its
    side in the plane of the other's side, and what is over the far side of a plate.
    """
    out = points.gap < _COPLANAR * body_pair.of_points(points).radius
    if out.any():
        near = points.take(out)
        slope = slope_of_both(body_pair, near)
        gap = np.abs(near.gap) / body_pair.of_points(near).radius
        ends = (slope < -_OFF_CONE) & (gap < -_AT_BORDER * slope)
        out[out] = ends | (slope < -_GOES_BEHIND)
    return out


def between_flat_features(body_pair: AnyPairs, points: InterfacePoints) -> Bools:
    """Return which points' features (k,) are both flat faces, straight edges or vertices, but not two faces.

    Those are the points that `flat_pairs` finds by itself.
    """
    straight = np.ones(len(points), bool)
    sides = ((points.dim1, points.index1, body_pair.active), (points.dim2, points.index2, body_pair.world))
    for dim, index, body in sides:
        faces, edges = dim == FACE, dim == EDGE
        straight[faces] &= body.body.face_flat[index[faces]]
        straight[edges] &= body.straight[index[edges]]
    both_faces: Bools = (points.dim1 == FACE) & (points.dim2 == FACE)
    return straight & ~both_faces
