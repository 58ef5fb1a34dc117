"""Interface points between flat faces, straight edges and vertices: every pair in closed form.

Two flat faces touch at a vertex of one of them or where two of their edges cross, so the pairs are
vertex/face, edge/edge and, apart, those of lower dimension whose distance is shortest: vertex/edge and
vertex/vertex.  Each feature is owned by one triangle, so that the pairs of near triangles list every pair of
near features once.  The side is that of the distance itself, not that of a face's winding: open, inverted
and zero-thickness meshes need nothing else.  Where the gap is too small to tell, a face of a closed solid
knows its outside, and else the normal cones decide.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from ...arrays import Bools, Floats, Ints
from ...collision import closest_on_segments, closest_on_triangle
from ...vectors import cross, dot
from ..body_pair import BodyPair
from ..features import EDGE, FACE, VERTEX
from ..normal_cones import rise_of_both, rises_of_both
from ..points.interface_points import FIXED, InterfacePoints
from ..row_lists import IndexPairs
from .candidates import FlatCandidates

ON_FACE = 1e-11  # distance / R beside a face that still counts as over it, as two coplanar triangles meet
_FLUSH = 1e-6  # gap / R below which a vertex is in the plane of a face, or behind it
_BEHIND = 0.5  # sine of the angle by which its body then goes on behind it
PARALLEL = 1e-6  # sine of two edges' angle below which the distance tells their normal


def make_points(
    body_pair: BodyPair,
    dims: tuple[int, int],
    index1: Ints,
    param1: Floats,
    index2: Ints,
    param2: Floats,
    point1: Floats,
    point2: Floats,
    raw_normal: Floats,
) -> InterfacePoints:
    """Assemble points whose side is told by the distance, where that is too small by the face, if it knows
    its outside, else by the cones; raw_normal (k, 3) is unit.
    """
    k = len(index1)
    height = dot(raw_normal, point1 - point2)
    points = InterfacePoints(
        np.full(k, dims[0]),
        index1,
        param1,
        np.full(k, dims[1]),
        index2,
        param2,
        np.where(height < 0.0, -1.0, 1.0),
        np.zeros(k, bool),
        np.full(k, np.inf),
        point1,
        point2,
        raw_normal,
        height,
        np.zeros(k, np.intp),
        np.full(k, FIXED),
    )
    unsure = np.nonzero(np.abs(height) < body_pair.sign_tolerance)[0]
    if len(unsure):
        points.side[unsure] = _side_near(body_pair, points.take(unsure))
    points.normal[:] = points.side[:, None] * raw_normal
    points.gap[:] = points.side * height
    return points


def _side_near(body_pair: BodyPair, points: InterfacePoints) -> Floats:
    up, down = rises_of_both(body_pair, points, points.normal)
    return np.where((down > up) & ~body_pair.knows_outside(points), -1.0, 1.0)


def _edge_params(t: Floats) -> Floats:
    return np.stack([t, np.zeros_like(t)], axis=1)


def vertex_face(body_pair: BodyPair, vertices: Ints, triangles: Ints, clamp: bool = True) -> InterfacePoints:
    """Pairs of the active body's vertices (k,) over the world's flat triangles (k,).

    With clamp, only those whose foot lies inside the triangle.
    """
    at = body_pair.pose.points(body_pair.active.body.vertices[vertices])
    return _over_triangles(body_pair, vertices, at, triangles, active=False, clamp=clamp)


def face_vertex(body_pair: BodyPair, triangles: Ints, vertices: Ints, clamp: bool = True) -> InterfacePoints:
    """Pairs of the active body's flat triangles (k,) under the world's vertices (k,)."""
    at = body_pair.world.body.vertices[vertices]
    return _over_triangles(body_pair, vertices, at, triangles, active=True, clamp=clamp)


def _over_triangles(
    body_pair: BodyPair, vertices: Ints, at: Floats, triangles: Ints, active: bool, clamp: bool
) -> InterfacePoints:
    body = body_pair.active.body if active else body_pair.world.body
    corners = body.triangles[triangles]
    if active:
        corners = body_pair.pose.points(corners)
    normal = cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    normal /= np.sqrt(dot(normal, normal))[:, None]
    height = dot(normal, at - corners[:, 0])
    foot = at - height[:, None] * normal
    barycentric = closest_on_triangle(at, corners).barycentric
    if clamp:
        beside = (barycentric[:, None, :] @ corners)[:, 0] - foot
        rows = np.nonzero(dot(beside, beside) <= (ON_FACE * body_pair.radius) ** 2)[0]
        vertices, triangles, at, foot = vertices[rows], triangles[rows], at[rows], foot[rows]
        normal, barycentric, corners = normal[rows], barycentric[rows], corners[rows]
    face = body.triangle_face[triangles]
    uv = (barycentric[:, None, :] @ body.triangle_uv[triangles])[:, 0]
    nothing = np.zeros((len(face), 2))
    if active:
        return make_points(body_pair, (FACE, VERTEX), face, uv, vertices, nothing, foot, at, -normal)
    return make_points(body_pair, (VERTEX, FACE), vertices, nothing, face, uv, at, foot, normal)


def edge_edge(body_pair: BodyPair, segments1: Ints, segments2: Ints, clamp: bool = True) -> InterfacePoints:
    """Pairs of straight edges (k,), as segments of each body; with clamp, only crossings inside both."""
    active, world = body_pair.active.body, body_pair.world.body
    ends1, ends2 = body_pair.pose.points(active.segments[segments1]), world.segments[segments2]
    s, t, inside1, inside2 = closest_on_segments(ends1, ends2)
    if clamp:
        rows = np.nonzero(inside1 & inside2)[0]
        s, t, ends1, ends2 = s[rows], t[rows], ends1[rows], ends2[rows]
        segments1, segments2 = segments1[rows], segments2[rows]
    along1, along2 = ends1[:, 1] - ends1[:, 0], ends2[:, 1] - ends2[:, 0]
    point1, point2 = ends1[:, 0] + s[:, None] * along1, ends2[:, 0] + t[:, None] * along2
    raw = cross(along1, along2)
    length = np.sqrt(dot(raw, raw))
    scale = np.sqrt(dot(along1, along1) * dot(along2, along2))
    crossing = length > PARALLEL * scale
    if not crossing.all():
        rows = np.nonzero(crossing)[0]
        point1, point2, raw, length, s, t = (
            point1[rows],
            point2[rows],
            raw[rows],
            length[rows],
            s[rows],
            t[rows],
        )
        segments1, segments2 = segments1[rows], segments2[rows]
    t1 = segment_params(active.segment_t[segments1], s)
    t2 = segment_params(world.segment_t[segments2], t)
    return make_points(
        body_pair,
        (EDGE, EDGE),
        active.segment_edge[segments1],
        t1,
        world.segment_edge[segments2],
        t2,
        point1,
        point2,
        raw / length[:, None],
    )


def segment_params(ends: Floats, fraction: Floats) -> Floats:
    """Return edge parameters (k, 2) at a fraction (k,) between those of a segment's ends (k, 2)."""
    return _edge_params(ends[:, 0] + fraction * (ends[:, 1] - ends[:, 0]))


def vertex_edge(body_pair: BodyPair, vertices: Ints, segments: Ints) -> InterfacePoints:
    """Pairs of the active body's vertices with the world's straight edges whose foot lies inside the edge."""
    at = body_pair.pose.points(body_pair.active.body.vertices[vertices])
    body = body_pair.world.body
    rows, foot, t = _foot_on_segments(at, body.segments[segments])
    param = segment_params(body.segment_t[segments[rows]], t)
    nothing = np.zeros_like(param)
    return _by_distance(
        body_pair,
        (VERTEX, EDGE),
        vertices[rows],
        nothing,
        body.segment_edge[segments[rows]],
        param,
        at[rows],
        foot,
    )


def edge_vertex(body_pair: BodyPair, segments: Ints, vertices: Ints) -> InterfacePoints:
    """Pairs of the active body's straight edges with the world's vertices whose foot lies inside the edge."""
    body = body_pair.active.body
    at = body_pair.world.body.vertices[vertices]
    rows, foot, t = _foot_on_segments(at, body_pair.pose.points(body.segments[segments]))
    param = segment_params(body.segment_t[segments[rows]], t)
    nothing = np.zeros_like(param)
    return _by_distance(
        body_pair,
        (EDGE, VERTEX),
        body.segment_edge[segments[rows]],
        param,
        vertices[rows],
        nothing,
        foot,
        at[rows],
    )


def vertex_vertex(body_pair: BodyPair, vertices1: Ints, vertices2: Ints) -> InterfacePoints:
    """Pairs of vertices."""
    at1 = body_pair.pose.points(body_pair.active.body.vertices[vertices1])
    at2 = body_pair.world.body.vertices[vertices2]
    nothing = np.zeros((len(at1), 2))
    return _by_distance(body_pair, (VERTEX, VERTEX), vertices1, nothing, vertices2, nothing, at1, at2)


def _foot_on_segments(at: Floats, ends: Floats) -> tuple[Ints, Floats, Floats]:
    along = ends[:, 1] - ends[:, 0]
    t = dot(at - ends[:, 0], along) / dot(along, along)
    rows = np.nonzero((t > 0.0) & (t < 1.0))[0]
    return rows, (ends[:, 0] + t[:, None] * along)[rows], t[rows]


def _by_distance(
    body_pair: BodyPair,
    dims: tuple[int, int],
    index1: Ints,
    param1: Floats,
    index2: Ints,
    param2: Floats,
    point1: Floats,
    point2: Floats,
) -> InterfacePoints:
    offset = point1 - point2
    distance = np.sqrt(dot(offset, offset))
    known = np.nonzero(distance > 1e-14 * body_pair.radius)[0]
    return make_points(
        body_pair,
        dims,
        index1[known],
        param1[known],
        index2[known],
        param2[known],
        point1[known],
        point2[known],
        offset[known] / distance[known, None],
    )


def flat_pairs(
    body_pair: BodyPair,
    triangles1: Ints,
    triangles2: Ints,
    before: BodyPair | None = None,
    reach: float = np.inf,
) -> InterfacePoints:
    """Return every closest pair of flat faces, straight edges and vertices that pairs of triangles (k,) are
    of or own, without the ghosts, and those no farther apart than `reach`, a length.

    Pairs over a face need no cone, but in its very plane: a vertex that stands over a face must stay over it.
    Behind a face that knows its outside there is a wall, and what is behind that is no matter of this face.
    """
    near = FlatCandidates(body_pair, triangles1, triangles2, reach, before)
    over_face = _made(
        body_pair,
        (vertex_face, near.vertices_over_faces()),
        (face_vertex, near.faces_over_vertices()),
    )
    over_face = _come_through(body_pair, over_face, before)
    outside = (over_face.side > 0.0) | ~body_pair.knows_outside(over_face)
    over_face = over_face.take(outside & (over_face.gap <= reach))
    lower = _made(
        body_pair,
        (edge_edge, near.edges_and_edges()),
        (vertex_edge, near.vertices_and_edges()),
        (edge_vertex, near.edges_and_vertices()),
        (vertex_vertex, near.vertices_and_vertices()),
    )
    lower = lower.take(lower.gap <= reach)
    real = rise_of_both(body_pair, lower) >= -1e-6
    return InterfacePoints.join([over_face.take(~flush(body_pair, over_face)), lower.take(real)])


def _made(body_pair: BodyPair, *kinds: tuple[Callable[..., InterfacePoints], IndexPairs]) -> InterfacePoints:
    """Make the points of each kind, if there are any."""
    parts = [make(body_pair, *pairs) for make, pairs in kinds if len(pairs[0])]
    return InterfacePoints.join([InterfacePoints.none(), *parts])


def _come_through(body_pair: BodyPair, points: InterfacePoints, before: BodyPair | None) -> InterfacePoints:
    """Turn pairs to the front of a face that knows its outside, if they are behind it now but were not at the
    pose `before`: a corner that went through one triangle of a face is seen over the next one.
    """
    doubtful = np.nonzero((points.side < 0.0) & body_pair.knows_outside(points))[0]
    if before is None or len(doubtful) == 0:
        return points
    part = points.take(doubtful)
    first, second = before.evaluate(part)
    offset = first.point - second.point
    height = np.where(part.dim2 == FACE, dot(second.normal, offset), -dot(first.normal, offset))
    came = doubtful[height > -ON_FACE * body_pair.radius]
    points = points.copy()
    points.side[came] = 1.0
    points.normal[came] *= -1.0
    points.gap[came] *= -1.0
    return points


def flush(body_pair: BodyPair, points: InterfacePoints) -> Bools:
    """Tell which pairs are in one plane, or one behind the other, with a body going on behind it: the corner
    of a box on a box and the side that is in one plane with its own; what is over the far side of a plate.
    They do not touch.
    """
    out = points.gap < _FLUSH * body_pair.radius
    if out.any():
        near = points.take(out)
        out[out] = rise_of_both(body_pair, near) < -_BEHIND
    return out
