"""What a step would pass through: flat features that cross on the way, and triangles that meet at its end.

Constraints of near features do not see everything: a vertex can come round the end of an edge, a thin sheet
can lie between two states.  So the swept boxes of a step give triangle pairs, their vertices and edges are
followed on straight lines, and those that cross are handed back as interface points of the *start*, to be
obeyed in a second try.
"""

from __future__ import annotations

import numpy as np

from ..arrays import Bools, Floats, Ints
from ..collision import edge_crossings, near_pairs, swept_pairs, triangles_intersect, vertex_crossings
from .encounter import Encounter
from .features import dot
from .points import InterfacePoints
from .polyhedral import distinct, edge_edge, face_vertex, meet, vertex_face, vertices_over

_NEGLECT = 0.5  # radius / R of the sphere around an interface point in which it accounts for collisions


def crossing_points(start: Encounter, end: Encounter) -> InterfacePoints:
    """Return, at the start, the flat feature pairs that cross between the two poses of the active body."""
    if not (start.active.has_flat_parts and start.world.has_flat_parts):
        return InterfacePoints.none()
    pairs = swept_pairs(start.active.tree, start.pose, end.pose, start.world.tree, 0.0)
    t1, t2 = pairs[:, 0], pairs[:, 1]
    active, world = start.active, start.world
    row_v1, v1 = active.vertices.of_triangles(t1)
    row_v2, v2 = world.vertices.of_triangles(t2)
    row_s1, s1 = active.straight_segments.of_triangles(t1)
    row_s2, s2 = world.straight_segments.of_triangles(t2)
    return InterfacePoints.join(
        [
            _vertices_over_faces(start, end, *vertices_over(world, row_v1, v1, t2)),
            _faces_over_vertices(start, end, *vertices_over(active, row_v2, v2, t1)[::-1]),
            _edges(start, end, *distinct(*meet(row_s1, s1, row_s2, s2, len(t1)))),
        ]
    )


def _both(start: Encounter, end: Encounter, points: Floats) -> tuple[Floats, Floats]:
    return start.pose.points(points), end.pose.points(points)


def _vertices_over_faces(
    start: Encounter, end: Encounter, vertices: Ints, triangles: Ints
) -> InterfacePoints:
    corners = start.world.body.triangles[triangles]
    crossed = vertex_crossings(
        *_both(start, end, start.active.body.vertices[vertices]), corners, corners
    ).crossed
    return vertex_face(start, vertices[crossed], triangles[crossed], clamp=False)


def _faces_over_vertices(
    start: Encounter, end: Encounter, triangles: Ints, vertices: Ints
) -> InterfacePoints:
    at = start.world.body.vertices[vertices]
    crossed = vertex_crossings(at, at, *_both(start, end, start.active.body.triangles[triangles])).crossed
    return face_vertex(start, triangles[crossed], vertices[crossed], clamp=False)


def _edges(start: Encounter, end: Encounter, segments1: Ints, segments2: Ints) -> InterfacePoints:
    ends = start.world.body.segments[segments2]
    crossed = edge_crossings(*_both(start, end, start.active.body.segments[segments1]), ends, ends).crossed
    return edge_edge(start, segments1[crossed], segments2[crossed], clamp=False)


def meeting_triangles(encounter: Encounter) -> Ints:
    """Return the pairs (m, 2) of polyhedra's triangles that touch or cross where the active body stands."""
    if not (encounter.active.triangle_solid.any() and encounter.world.triangle_solid.any()):
        return np.zeros((0, 2), np.intp)
    pairs = near_pairs(encounter.active.tree, encounter.pose, encounter.world.tree, 0.0)
    t1, t2 = pairs[:, 0], pairs[:, 1]
    solid = encounter.active.triangle_solid[t1] & encounter.world.triangle_solid[t2]
    t1, t2 = t1[solid], t2[solid]
    hit = triangles_intersect(
        encounter.pose.points(encounter.active.body.triangles[t1]), encounter.world.body.triangles[t2]
    ).hit
    return np.stack([t1[hit], t2[hit]], axis=1)


def unexplained_collisions(encounter: Encounter, points: InterfacePoints) -> Floats:
    """Return where (m, 3) curved faces' triangles cut one another with no interface point near to account
    for it.

    Tessellations of surfaces that only touch may overlap, but by no more than their bounds (the paper's
    Figure 3): then a point with so small a gap is not far.  A collision without one has been missed.
    """
    active, world = encounter.active, encounter.world
    if active.triangle_flat.all() and world.triangle_flat.all():
        return np.zeros((0, 3))
    pairs = near_pairs(active.tree, encounter.pose, world.tree, 0.0)
    t1, t2 = pairs[:, 0], pairs[:, 1]
    curved = ~(active.triangle_flat[t1] & world.triangle_flat[t2])
    t1, t2 = t1[curved], t2[curved]
    if len(t1) == 0:
        return np.zeros((0, 3))
    bound = active.body.triangle_bound[t1] + world.body.triangle_bound[t2]
    corners = encounter.pose.points(active.body.triangles[t1])
    rows = np.nonzero(~_accounted_for(corners, bound, points, encounter.radius))[0]
    meeting = triangles_intersect(corners[rows], world.body.triangles[t2[rows]])
    return meeting.point[meeting.hit]


def _accounted_for(corners: Floats, bound: Floats, points: InterfacePoints, radius: float) -> Bools:
    """Tell which triangles (k, 3, 3), with bounds (k,) of theirs and their partners', reach into the sphere
    of an interface point whose gap is small enough for tessellations to overlap.
    """
    known = points.take(points.gap <= bound.max() + 1e-9 * radius)
    accounted = np.zeros(len(corners), bool)
    for point, gap in zip(known.point1, known.gap.tolist(), strict=True):
        offset = corners - point
        inside = dot(offset, offset).min(axis=1) < (_NEGLECT * radius) ** 2
        accounted |= inside & (gap <= bound + 1e-9 * radius)
        if accounted.all():
            break
    return accounted
