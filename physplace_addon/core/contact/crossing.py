"""What a step would pass through: flat features that cross on the way, and triangles that meet at its end.

Constraints of near features do not see everything: a vertex can come round the end of an edge, a thin sheet
can lie between two states.  So the swept boxes of a step give triangle pairs, their vertices and edges are
followed on straight lines, and those that cross are handed back as interface points of the *start*, to be
obeyed in a second try.
"""

from __future__ import annotations

import numpy as np

from ..arrays import Bools, Floats, Ints
from ..collision import (
    Crossing,
    edge_crossings,
    near_pairs,
    swept_pairs,
    triangles_intersect,
    vertex_crossings,
)
from .encounter import Encounter
from .features import cross, dot
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
    crossed = _passed(
        vertex_crossings(*_both(start, end, start.active.body.vertices[vertices]), corners, corners)
    )
    return vertex_face(start, vertices[crossed], triangles[crossed], clamp=False)


def _faces_over_vertices(
    start: Encounter, end: Encounter, triangles: Ints, vertices: Ints
) -> InterfacePoints:
    at = start.world.body.vertices[vertices]
    crossed = _passed(vertex_crossings(at, at, *_both(start, end, start.active.body.triangles[triangles])))
    return face_vertex(start, triangles[crossed], vertices[crossed], clamp=False)


def _edges(start: Encounter, end: Encounter, segments1: Ints, segments2: Ints) -> InterfacePoints:
    ends = start.world.body.segments[segments2]
    crossed = _passed(edge_crossings(*_both(start, end, start.active.body.segments[segments1]), ends, ends))
    return edge_edge(start, segments1[crossed], segments2[crossed], clamp=False)


def _passed(crossing: Crossing) -> Bools:
    """Tell what crosses, but for what starts in one plane: contacts at rest, which their own rows keep."""
    passed: Bools = crossing.crossed & (crossing.side != 0.0)
    return passed


def depths_of_triangles(encounter: Encounter) -> Floats:
    """Return how deep flat triangles cut through each other where the active body stands, a length for each
    pair that meets (m,): by the lesser of both planes.  It is zero where they only touch.
    """
    active, world = encounter.active, encounter.world
    if not (active.triangle_flat.any() and world.triangle_flat.any()):
        return np.zeros(0)
    pairs = near_pairs(active.tree, encounter.pose, world.tree, 0.0)
    flat = active.triangle_flat[pairs[:, 0]] & world.triangle_flat[pairs[:, 1]]
    first = encounter.pose.points(active.body.triangles[pairs[flat, 0]])
    second = world.body.triangles[pairs[flat, 1]]
    hit = triangles_intersect(first, second).hit
    first, second = first[hit], second[hit]
    return np.minimum(_depth(first, second), _depth(second, first))


def _depth(plane: Floats, other: Floats) -> Floats:
    normal = cross(plane[:, 1] - plane[:, 0], plane[:, 2] - plane[:, 0])
    normal /= np.sqrt(dot(normal, normal))[:, None]
    height = dot(other - plane[:, :1], normal[:, None])
    depth: Floats = np.minimum(-height.min(axis=1), height.max(axis=1)).clip(min=0.0)
    return depth


def triangles_cross(encounter: Encounter, tolerance: float) -> bool:
    """Tell whether flat triangles cut through each other by more than a tolerance (a length)."""
    return bool((depths_of_triangles(encounter) > tolerance).any())


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
