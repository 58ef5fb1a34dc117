"""Creating interface points with edges and vertices: each near one is a start for the iteration by itself, as
there is no mesh to compare it on (Snyder 1995, 4.3).  Faces alone: see `samples`.
"""

from __future__ import annotations

import numpy as np

from ...arrays import Floats, Ints
from ...collision import closest_on_segments
from ...rigid import Pose
from ...vectors import dot
from ..body_pair import BodyPair
from ..contact_body import ContactBody
from ..features import EDGE, VERTEX, FeaturePoints
from ..regions.flat_pairs import segment_params
from ..row_lists import distinct_pairs, joined_by_row, placed
from .interface_points import InterfacePoints
from .pair_roles import PairRoles, nearest_partner, uv_at


def edge_seeds(
    view: PairRoles, mine: Ints, other: Ints, reach: float
) -> tuple[InterfacePoints, InterfacePoints]:
    """Starts of the mover's edges (owned by triangles `mine` (k,)) over the base's faces (triangles `other`)
    within reach: of each segment, for each face, the nearest one; and all.

    Straight edges over flat faces are left to `polyhedral`.
    """
    body = view.mover.body
    if len(body.segments) == 0:
        return InterfacePoints.none(), InterfacePoints.none()
    row, segment = view.mover.segments.of_rows(mine)
    curved = ~(view.mover.straight[body.segment_edge[segment]] & view.base.triangle_flat[other[row]])
    row, segment = row[curved], segment[curved]
    partner = other[row]
    corners = placed(view.base.body.triangles[partner], view.base_pose)
    ends = placed(body.segments[segment], view.mover_pose)
    along = ends[:, 1] - ends[:, 0]
    fraction = np.clip(dot(corners.mean(axis=1) - ends[:, 0], along) / dot(along, along), 0.0, 1.0)
    at = ends[:, 0] + fraction[:, None] * along
    near = _near_centres(view, at, partner, corners, reach + body.segment_bound[segment])
    segment, partner, corners, fraction, at = (
        segment[near],
        partner[near],
        corners[near],
        fraction[near],
        at[near],
    )
    mover = view.mover_features(
        EDGE, body.segment_edge[segment], segment_params(body.segment_t[segment], fraction)
    )
    face = view.base.body.triangle_face[partner]
    every = view.points(mover, view.base_faces(face, uv_at(view, at, partner, corners)))
    return every.take(nearest_partner(segment, face, at, corners)), every


def _near_centres(
    view: PairRoles, at: Floats, triangles: Ints, corners: Floats, reach: Floats | float
) -> Ints:
    """Return the rows of points (k, 3) that may be within reach of the base's triangles: no part of one is
    farther from its centre than its longest side.
    """
    offset = at - corners.mean(axis=1)
    farthest = reach + view.base.triangle_size[triangles] + view.base.body.triangle_bound[triangles]
    return np.nonzero(dot(offset, offset) <= farthest**2)[0]


def vertex_seeds(view: PairRoles, mine: Ints, other: Ints, reach: float) -> InterfacePoints:
    """Starts of the mover's vertices (owned by triangles `mine` (k,)) over the base's curved faces within
    reach.
    """
    if len(view.mover.body.vertices) == 0:
        return InterfacePoints.none()
    row, vertex = view.mover.vertices.of_rows(mine)
    curved = ~view.base.triangle_flat[other[row]]
    partner, vertex = other[row[curved]], vertex[curved]
    corners = placed(view.base.body.triangles[partner], view.base_pose)
    at = placed(view.mover.body.vertices[vertex], view.mover_pose)
    near = _near_centres(view, at, partner, corners, reach)
    vertex, partner, corners, at = vertex[near], partner[near], corners[near], at[near]
    best = nearest_partner(vertex, view.base.body.triangle_face[partner], at, corners)
    mover = view.mover_features(VERTEX, vertex[best], np.zeros((len(best), 2)))
    uv = uv_at(view, at[best], partner[best], corners[best])
    return view.points(mover, view.base_faces(view.base.body.triangle_face[partner[best]], uv))


def distance_seeds(body_pair: BodyPair, t1: Ints, t2: Ints, reach: float) -> InterfacePoints:
    """Starts of the pairs without a face, owned by near triangles and within reach, of which at least one is
    a curved edge.
    """
    active, world = body_pair.active, body_pair.world
    if active.straight.all() and world.straight.all():
        return InterfacePoints.none()
    row_s1, s1 = active.segments.of_rows(t1)
    row_s2, s2 = world.segments.of_rows(t2)
    row_v1, v1 = active.vertices.of_rows(t1)
    row_v2, v2 = world.vertices.of_rows(t2)
    straight1 = active.straight[active.body.segment_edge[s1]]
    straight2 = world.straight[world.body.segment_edge[s2]]
    parts = []
    edges = distinct_pairs(*joined_by_row(row_s1, s1, row_s2, s2, len(t1)))
    bent = ~(
        active.straight[active.body.segment_edge[edges[0]]]
        & world.straight[world.body.segment_edge[edges[1]]]
    )
    parts.append(_edges(body_pair, edges[0][bent], edges[1][bent], reach))
    at, on = distinct_pairs(*joined_by_row(row_v1, v1, row_s2[~straight2], s2[~straight2], len(t1)))
    parts.append(_vertices_and_edges(PairRoles(body_pair, True), at, on, reach))
    on, at = distinct_pairs(*joined_by_row(row_s1[~straight1], s1[~straight1], row_v2, v2, len(t1)))
    parts.append(_vertices_and_edges(PairRoles(body_pair, False), at, on, reach))
    return InterfacePoints.join(parts)


def _edge_features(body: ContactBody, pose: Pose | None, segments: Ints, fraction: Floats) -> FeaturePoints:
    param = segment_params(body.body.segment_t[segments], fraction)
    return FeaturePoints(
        body.body, pose, np.full(len(segments), EDGE), body.body.segment_edge[segments], param
    )


def _edges(body_pair: BodyPair, s1: Ints, s2: Ints, reach: float) -> InterfacePoints:
    active, world = body_pair.active, body_pair.world
    ends1, ends2 = body_pair.pose.points(active.body.segments[s1]), world.body.segments[s2]
    s, t, *_ = closest_on_segments(ends1, ends2)
    offset = _between(ends1, s) - _between(ends2, t)
    near = dot(offset, offset) <= (reach + active.body.segment_bound[s1] + world.body.segment_bound[s2]) ** 2
    first = _edge_features(active, body_pair.pose, s1[near], s[near])
    return PairRoles(body_pair, True).points(first, _edge_features(world, None, s2[near], t[near]))


def _between(ends: Floats, fraction: Floats) -> Floats:
    return ends[:, 0] + fraction[:, None] * (ends[:, 1] - ends[:, 0])


def _vertices_and_edges(view: PairRoles, vertices: Ints, segments: Ints, reach: float) -> InterfacePoints:
    """The mover's vertices and the base's edges."""
    at = placed(view.mover.body.vertices[vertices], view.mover_pose)
    ends = placed(view.base.body.segments[segments], view.base_pose)
    along = ends[:, 1] - ends[:, 0]
    fraction = np.clip(dot(at - ends[:, 0], along) / dot(along, along), 0.0, 1.0)
    offset = at - _between(ends, fraction)
    near = dot(offset, offset) <= (reach + view.base.body.segment_bound[segments]) ** 2
    vertices, segments, fraction = vertices[near], segments[near], fraction[near]
    mover = view.mover_features(VERTEX, vertices, np.zeros((len(vertices), 2)))
    return view.points(mover, _edge_features(view.base, view.base_pose, segments, fraction))
