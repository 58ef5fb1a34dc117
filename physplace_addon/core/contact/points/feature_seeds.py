"""Feature seeds: starts of interface points with curved edges, and with vertices (Snyder 1995, section 4.3).

There is no mesh on which they could be compared, so each near one is a start by itself.  Seeds of faces over
faces stand in `face_seeds`; pairs of flat faces, straight edges and vertices have closed forms (`regions`).
"""

from __future__ import annotations

import numpy as np

from ...arrays import Floats, Ints
from ...collision import closest_on_segments
from ...collision.triangle_pairs import triangle_gap
from ...rigid import Pose
from ...vectors import coordinate_arrays, cross, dot, length_and_unit
from ..body_pair import BodyPair
from ..contact_body import ContactBody
from ..features import EDGE, VERTEX, FeaturePoints
from ..regions.flat_pairs import segment_params
from ..row_lists import distinct_pairs, first_of_each_pair, joined_by_row, placed
from .closest_points import closest_points_on_faces
from .interface_points import InterfacePoints
from .pair_roles import PairRoles, closest_parameters, nearest_partner

_SAMPLES = 16.0  # of a segment, over the length of a triangle's longest side
_ROUNDS = 3  # of Newton's method for the closest point of a sample: it converges quadratically


def edge_seeds(
    roles: PairRoles, mine: Ints, other: Ints, reach: float
) -> tuple[InterfacePoints, InterfacePoints]:
    """Return the seeds of the mover's edges over the base's faces, without straight edges over flat faces.

    Args:
        mine, other: (k,) near triangles of mover and base; the edges are those that `mine` own.
        reach: the largest distance, a length.

    Returns:
        The starts: the nearest seed of each segment over each face, and of segments longer than the base's
        triangles all that no neighbour is nearer than (`_lowest_along`).  And all seeds, from which contact
        curves are sampled.
    """
    body = roles.mover.body
    if len(body.segments) == 0:
        return InterfacePoints.none(), InterfacePoints.none()
    row, segment = roles.mover.segments.of_rows(mine)
    curved = ~(roles.mover.straight[body.segment_edge[segment]] & roles.base.triangle_flat[other[row]])
    row, segment = row[curved], segment[curved]
    if len(row) == 0:
        return InterfacePoints.none(), InterfacePoints.none()
    partner = other[row]
    corners = placed(roles.base.body.triangles[partner], roles.base_pose)
    ends = placed(body.segments[segment], roles.mover_pose)
    along = ends[:, 1] - ends[:, 0]
    fraction = np.clip(dot(corners.mean(axis=1) - ends[:, 0], along) / dot(along, along), 0.0, 1.0)
    at = ends[:, 0] + fraction[:, None] * along
    within = reach + body.segment_bound[segment]
    near = _near_triangles(roles, at, partner, corners, within)
    near = near[_near_segments(roles, ends[near], partner[near], corners[near], within[near])]
    segment, partner, corners = segment[near], partner[near], corners[near]
    fraction, at = fraction[near], at[near]
    mover = _edge_features(roles.mover, roles.mover_pose, segment, fraction)
    face = roles.base.body.triangle_face[partner]
    every = roles.points(mover, roles.base_faces(face, closest_parameters(roles, at, partner, corners)))
    size = roles.base.triangle_size[partner]
    long = dot(along[near], along[near]) > size**2
    nearest = _nearest_of_short(roles, segment[~long], partner[~long], ends[near][~long], corners[~long])
    hills = _lowest_along(roles, segment[long], partner[long], ends[near][long], corners[long], reach)
    return InterfacePoints.join([nearest, hills]), every


def _nearest_of_short(
    roles: PairRoles, segment: Ints, partner: Ints, ends: Floats, corners: Floats
) -> InterfacePoints:
    """Return the seed of each segment over each face: where it is nearest to the face's triangles.

    Args:
        segment, partner: (k,) segments and triangles near them.
        ends: (k, 2, 3) of the segments; corners: (k, 3, 3) of the triangles.
    """
    if len(segment) == 0:
        return InterfacePoints.none()
    away, at, _ = triangle_gap(coordinate_arrays(ends[:, [0, 1, 1]]), coordinate_arrays(corners))
    face, order = roles.base.body.triangle_face[partner], np.argsort(away, kind="stable")
    best = order[first_of_each_pair(segment[order], face[order])]
    place, start, along = at.T[best], ends[best, 0], ends[best, 1] - ends[best, 0]
    fraction = np.clip(dot(place - start, along) / dot(along, along), 0.0, 1.0)
    mover = _edge_features(roles.mover, roles.mover_pose, segment[best], fraction)
    uv = closest_parameters(roles, place, partner[best], corners[best])
    return roles.points(mover, roles.base_faces(face[best], uv))


def _lowest_along(
    roles: PairRoles, segment: Ints, partner: Ints, ends: Floats, corners: Floats, reach: float
) -> InterfacePoints:
    """Return the seeds of long segments over the hills of faces.

    A face may have several hills under one edge, each no wider than a triangle and as a rule where patches
    meet, along sides of triangles.  So the segment is sampled where it is nearest to these, the closest
    points of the true face are found, and every sample that no neighbour is nearer than is a seed.

    Args:
        segment, partner: (k,) segments and triangles near them.
        ends: (k, 2, 3) of the segments; corners: (k, 3, 3) of the triangles.
        reach: the largest distance, a length.
    """
    if len(segment) == 0:
        return InterfacePoints.none()
    sides = np.stack([corners, np.roll(corners, -1, axis=1)], axis=2).reshape(-1, 2, 3)
    segment, partner, ends = np.repeat(segment, 3), np.repeat(partner, 3), np.repeat(ends, 3, axis=0)
    fraction, share, *_ = closest_on_segments(ends, sides)
    offset = _between(ends, fraction) - _between(sides, share)
    face = roles.base.body.triangle_face[partner]
    along = ends[:, 1] - ends[:, 0]
    count = np.ceil(_SAMPLES * np.sqrt(dot(along, along)) / roles.base.triangle_size[partner])
    away = dot(offset, offset)
    order = np.argsort(away, kind="stable")
    keys = np.stack([segment, face, np.rint(fraction * count).astype(np.intp)])[:, order]
    best = order[np.unique(keys, axis=1, return_index=True)[1]]
    segment, partner, fraction, face = segment[best], partner[best], fraction[best], face[best]
    at = _between(ends[best], fraction)
    mover = _edge_features(roles.mover, roles.mover_pose, segment, fraction)
    corners = placed(roles.base.body.triangles[partner], roles.base_pose)
    base = roles.base_faces(face, closest_parameters(roles, at, partner, corners))
    base, closest = closest_points_on_faces(at, base, roles.body_pair.radius, _ROUNDS)
    offset = at - closest.point
    away = dot(offset, offset)
    order = np.lexsort((fraction, face, segment))
    apart = (np.diff(segment[order]) != 0) | (np.diff(face[order]) != 0)
    before, after = np.r_[np.inf, away[order][:-1]], np.r_[away[order][1:], np.inf]
    lowest = (np.r_[True, apart] | (away[order] <= before)) & (np.r_[apart, True] | (away[order] <= after))
    lowest &= away[order] <= reach**2
    return roles.points(mover, base).take(order[lowest])


def _near_triangles(
    roles: PairRoles, at: Floats, triangles: Ints, corners: Floats, reach: Floats | float
) -> Ints:
    """Return the rows of points (k, 3) that may be within reach of the base's triangles (k,).

    No part of a triangle is farther from its centre than its longest side.
    """
    offset = at - corners.mean(axis=1)
    farthest = reach + roles.base.triangle_size[triangles] + roles.base.body.triangle_bound[triangles]
    return np.nonzero(dot(offset, offset) <= farthest**2)[0]


def _near_segments(roles: PairRoles, ends: Floats, triangles: Ints, corners: Floats, reach: Floats) -> Ints:
    """Return the rows of segments with ends (k, 2, 3) that may be within reach (k,) of the base's triangles.

    The others are beyond it on one side of the triangle's plane, or outside one of its sides.
    """
    within = reach + roles.base.body.triangle_bound[triangles]
    sides = np.roll(corners, -1, axis=1) - corners
    normal = cross(sides[:, 0], sides[:, 1])
    outward = cross(sides, np.broadcast_to(normal[:, None], sides.shape))
    height = dot(ends - corners[:, :1], length_and_unit(normal)[1][:, None])
    outside = dot(ends[:, :, None] - corners[:, None], length_and_unit(outward)[1][:, None]).min(axis=1)
    above = np.maximum(height.min(axis=1), -height.max(axis=1))
    return np.nonzero(np.maximum(above, outside.max(axis=1)) <= within)[0]


def vertex_seeds(roles: PairRoles, mine: Ints, other: Ints, reach: float) -> InterfacePoints:
    """Return the seeds of the mover's vertices over the base's curved faces, one for each such pair.

    mine, other (k,): near triangles of mover and base; reach: the largest distance, a length.
    """
    if len(roles.mover.body.vertices) == 0:
        return InterfacePoints.none()
    row, vertex = roles.mover.vertices.of_rows(mine)
    curved = ~roles.base.triangle_flat[other[row]]
    partner, vertex = other[row[curved]], vertex[curved]
    if len(vertex) == 0:
        return InterfacePoints.none()
    corners = placed(roles.base.body.triangles[partner], roles.base_pose)
    at = placed(roles.mover.body.vertices[vertex], roles.mover_pose)
    near = _near_triangles(roles, at, partner, corners, reach)
    vertex, partner, corners, at = vertex[near], partner[near], corners[near], at[near]
    best = nearest_partner(vertex, roles.base.body.triangle_face[partner], at, corners)
    mover = roles.mover_features(VERTEX, vertex[best], np.zeros((len(best), 2)))
    uv = closest_parameters(roles, at[best], partner[best], corners[best])
    return roles.points(mover, roles.base_faces(roles.base.body.triangle_face[partner[best]], uv))


def distance_seeds(body_pair: BodyPair, t1: Ints, t2: Ints, reach: float) -> InterfacePoints:
    """Return the seeds of pairs without a face of which at least one is a curved edge.

    t1, t2 (k,): near triangles of both bodies, which own the edges and vertices; reach: the largest distance,
    a length.
    """
    active, world = body_pair.active, body_pair.world
    if active.straight.all() and world.straight.all():
        return InterfacePoints.none()
    row_s1, s1 = active.segments.of_rows(t1)
    row_s2, s2 = world.segments.of_rows(t2)
    straight1 = active.straight[active.body.segment_edge[s1]]
    straight2 = world.straight[world.body.segment_edge[s2]]
    if straight1.all() and straight2.all():
        return InterfacePoints.none()
    row_v1, v1 = active.vertices.of_rows(t1)
    row_v2, v2 = world.vertices.of_rows(t2)
    edges1, edges2 = distinct_pairs(*joined_by_row(row_s1, s1, row_s2, s2, len(t1)))
    both_straight = active.straight[active.body.segment_edge[edges1]]
    both_straight = both_straight & world.straight[world.body.segment_edge[edges2]]
    parts = [_edges(body_pair, edges1[~both_straight], edges2[~both_straight], reach)]
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
    return InterfacePoints.unsolved(first, _edge_features(world, None, s2[near], t[near]))


def _between(ends: Floats, fraction: Floats) -> Floats:
    """Return the points (k, 3) at a fraction (k,) between two ends (k, 2, 3)."""
    return ends[:, 0] + fraction[:, None] * (ends[:, 1] - ends[:, 0])


def _vertices_and_edges(roles: PairRoles, vertices: Ints, segments: Ints, reach: float) -> InterfacePoints:
    """Return the near ones of pairs of the mover's vertices and the base's segments (k,)."""
    at = placed(roles.mover.body.vertices[vertices], roles.mover_pose)
    ends = placed(roles.base.body.segments[segments], roles.base_pose)
    along = ends[:, 1] - ends[:, 0]
    fraction = np.clip(dot(at - ends[:, 0], along) / dot(along, along), 0.0, 1.0)
    offset = at - _between(ends, fraction)
    near = dot(offset, offset) <= (reach + roles.base.body.segment_bound[segments]) ** 2
    vertices, segments, fraction = vertices[near], segments[near], fraction[near]
    mover = roles.mover_features(VERTEX, vertices, np.zeros((len(vertices), 2)))
    return roles.points(mover, _edge_features(roles.base, roles.base_pose, segments, fraction))
