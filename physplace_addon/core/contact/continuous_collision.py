"""What a step would pass through: flat features that cross on the way, and triangles that meet at its end.

Constraints of near features do not see everything: a vertex can come round the end of an edge, a thin sheet
can lie between two states.  So the swept boxes of a step give triangle pairs, their vertices and edges are
followed on straight lines, and those that cross are handed back as interface points of the *start*, to be
obeyed in a second try.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from ..arrays import Bools, Floats, Ints
from ..collision import (
    Crossing,
    Neglect,
    edge_crossings,
    near_pairs,
    swept_pairs,
    triangles_intersect,
    vertex_crossings,
)
from ..vectors import cross, dot
from .body_pair import BodyPair
from .points.interface_points import InterfacePoints
from .regions.candidates import vertices_over
from .regions.flat_pairs import edge_edge, face_vertex, flush, vertex_face
from .row_lists import distinct_pairs, joined_by_row

_REACHES_OVER = 2.0  # bends that a triangle may reach over, one after another
_NEGLECT = 0.5  # radius / R of the sphere around an interface point in which it accounts for collisions


def swept_contacts(ways: Sequence[Motion]) -> list[InterfacePoints]:
    """Return, for each way from a start to an end, the flat feature pairs that cross on it, at the start.

    Each is seen in its own frame; what may cross is gathered from all of them and followed at once.
    """
    swept = [_Swept.of(*way) for way in ways]
    found = [
        _followed(ways, [way.vertices for way in swept], _vertices_over_faces, vertex_crossings, vertex_face),
        _followed(ways, [way.corners for way in swept], _faces_over_vertices, vertex_crossings, face_vertex),
        _followed(ways, [way.edges for way in swept], _edges, edge_crossings, edge_edge),
    ]
    return [InterfacePoints.join(list(parts)) for parts in zip(*found, strict=True)]


Motion = tuple[BodyPair, BodyPair]
FeaturePairs = tuple[Ints, Ints]  # features of the first and of the second body that may cross, (k,) each
Moving = tuple[Floats, Floats, Floats, Floats]  # where both are at the start and at the end


@dataclass(frozen=True)
class _Swept:
    """What may cross on a way: vertices and triangles, triangles and vertices, straight segments."""

    vertices: FeaturePairs
    corners: FeaturePairs
    edges: FeaturePairs

    @classmethod
    def of(cls, start: BodyPair, end: BodyPair) -> _Swept:
        """Look where the swept boxes of the two bodies' triangles meet."""
        active, world = start.active, start.world
        nothing = np.zeros(0, np.intp), np.zeros(0, np.intp)
        if not (active.has_flat_parts and world.has_flat_parts):
            return cls(nothing, nothing, nothing)
        pairs = swept_pairs(active.tree, start.pose, end.pose, world.tree, 0.0)
        if len(pairs) == 0:
            return cls(nothing, nothing, nothing)
        t1, t2 = pairs[:, 0], pairs[:, 1]
        row_s1, s1 = active.straight_segments.of_rows(t1)
        row_s2, s2 = world.straight_segments.of_rows(t2)
        vertices2, triangles1 = vertices_over(active, *world.vertices.of_rows(t2), t1)
        return cls(
            vertices_over(world, *active.vertices.of_rows(t1), t2),
            (triangles1, vertices2),
            distinct_pairs(*joined_by_row(row_s1, s1, row_s2, s2, len(t1))),
        )


def _followed(
    ways: Sequence[Motion],
    candidates: list[FeaturePairs],
    moving: Callable[[Motion, FeaturePairs], Moving],
    crossings: Callable[[Floats, Floats, Floats, Floats], Crossing],
    made: Callable[..., InterfacePoints],
) -> list[InterfacePoints]:
    """Follow the candidates of one kind of all ways; return the points of those that cross, way by way."""
    counts = [len(first) for first, _ in candidates]
    if not any(counts):
        return [InterfacePoints.none() for _ in ways]
    paths = [moving(way, pair) for way, pair in zip(ways, candidates, strict=True)]
    crossed = _passed(crossings(*(np.concatenate(part) for part in zip(*paths, strict=True))))
    found: list[InterfacePoints] = []
    for way, pair, mine in zip(ways, candidates, np.split(crossed, np.cumsum(counts)[:-1]), strict=True):
        points = InterfacePoints.none()
        if mine.any():
            points = made(way[0], pair[0][mine], pair[1][mine], clamp=False)
            points = points.take(~flush(way[0], points))
        found.append(points)
    return found


def _vertices_over_faces(way: Motion, pair: FeaturePairs) -> Moving:
    at, corners = way[0].active.body.vertices[pair[0]], way[0].world.body.triangles[pair[1]]
    return way[0].pose.points(at), way[1].pose.points(at), corners, corners


def _faces_over_vertices(way: Motion, pair: FeaturePairs) -> Moving:
    corners, at = way[0].active.body.triangles[pair[0]], way[0].world.body.vertices[pair[1]]
    return at, at, way[0].pose.points(corners), way[1].pose.points(corners)


def _edges(way: Motion, pair: FeaturePairs) -> Moving:
    ends, others = way[0].active.body.segments[pair[0]], way[0].world.body.segments[pair[1]]
    return way[0].pose.points(ends), way[1].pose.points(ends), others, others


def _passed(crossing: Crossing) -> Bools:
    """Tell what crosses, but for what starts in one plane: contacts at rest, which their own rows keep."""
    passed: Bools = crossing.crossed & (crossing.side != 0.0)
    return passed


@dataclass(frozen=True)
class TriangleOverlaps:
    """Where flat triangles meet, (m, 3); how deep they cut through each other there, a length (m,), by the
    lesser of both planes, zero where they only touch; and which (m, 2), of the first and second body.
    """

    point: Floats
    depth: Floats
    triangles: Ints


def triangle_overlaps(body_pair: BodyPair, curved: bool = False) -> TriangleOverlaps:
    """Return where flat triangles meet where the active body stands; curved: all triangles, of which no more
    is a cut than goes beyond their bounds.
    """
    active, world = body_pair.active, body_pair.world
    if not curved and not (active.triangle_flat.any() and world.triangle_flat.any()):
        return TriangleOverlaps(np.zeros((0, 3)), np.zeros(0), np.zeros((0, 2), np.intp))
    pairs = near_pairs(active.tree, body_pair.pose, world.tree, 0.0)
    if not curved:
        pairs = pairs[active.triangle_flat[pairs[:, 0]] & world.triangle_flat[pairs[:, 1]]]
    if len(pairs) == 0:
        return TriangleOverlaps(np.zeros((0, 3)), np.zeros(0), pairs)
    first = body_pair.pose.points(active.body.triangles[pairs[:, 0]])
    second = world.body.triangles[pairs[:, 1]]
    meeting = triangles_intersect(first, second)
    first, second, pairs = first[meeting.hit], second[meeting.hit], pairs[meeting.hit]
    bounds = active.body.triangle_bound[pairs[:, 0]] + world.body.triangle_bound[pairs[:, 1]]
    depth = np.minimum(_depth(first, second), _depth(second, first)) - bounds
    return TriangleOverlaps(meeting.point[meeting.hit], depth.clip(min=0.0), pairs)


def _heights(plane: Floats, other: Floats) -> Floats:
    """Heights (k, 3) of the corners of triangles (k, 3, 3) over the planes of others."""
    normal = cross(plane[:, 1] - plane[:, 0], plane[:, 2] - plane[:, 0])
    normal /= np.sqrt(dot(normal, normal))[:, None]
    heights: Floats = dot(other - plane[:, :1], normal[:, None])
    return heights


def _depth(plane: Floats, other: Floats) -> Floats:
    height = _heights(plane, other)
    depth: Floats = np.minimum(-height.min(axis=1), height.max(axis=1)).clip(min=0.0)
    return depth


def triangles_overlap(body_pair: BodyPair, tolerance: float) -> bool:
    """Tell whether flat triangles cut through each other by more than a tolerance (a length).

    Where a face that counts as flat bends, they may by as much as that hides; but no corner through a face.
    """
    cuts = triangle_overlaps(body_pair)
    rows = np.nonzero(cuts.depth > tolerance)[0]
    if len(rows) == 0:
        return False
    depth, triangles = cuts.depth[rows], cuts.triangles[rows]
    allowed = tolerance + _dips(body_pair, triangles)
    if (depth > allowed).any():
        return True
    first = body_pair.pose.points(body_pair.active.body.triangles[triangles[:, 0]])
    second = body_pair.world.body.triangles[triangles[:, 1]]
    return bool(
        (_through(first, second, tolerance, allowed) | _through(second, first, tolerance, allowed)).any()
    )


def _through(plane: Floats, other: Floats, least: float, most: Floats) -> Bools:
    """Tell which triangles (k, 3, 3) have a corner of their `other` (k, 3, 3) over them, that is through them
    by more than the least length and no more than the most (k,).
    """
    height = _heights(plane, other)
    down = -height.min(axis=1) < height.max(axis=1)
    behind = np.where(down[:, None], -height, height)
    normal = cross(plane[:, 1] - plane[:, 0], plane[:, 2] - plane[:, 0])
    sides = np.roll(plane, -1, axis=1) - plane
    inward = cross(normal[:, None], sides)
    offset = other[:, :, None] - plane[:, None]
    over = (dot(offset, inward[:, None]) > 0.0).all(axis=2)
    through = over & (behind > least) & (behind <= most[:, None])
    return np.asarray(through.any(axis=1))


def _dips(body_pair: BodyPair, triangles: Ints) -> Floats:
    """How deep triangles (k, 2) may dip into each other where their faces bend (`bends`), lengths (k,)."""
    farthest = 2.0 * body_pair.radius
    dips = np.zeros(len(triangles))
    for bent, mine, other, theirs in (
        (body_pair.active, triangles[:, 0], body_pair.world, triangles[:, 1]),
        (body_pair.world, triangles[:, 1], body_pair.active, triangles[:, 0]),
    ):
        dips += bent.dihedral_tolerance[mine] * np.minimum(other.triangle_size[theirs], farthest)
    return _REACHES_OVER * dips


def missed_collisions(body_pair: BodyPair, points: InterfacePoints) -> Floats:
    """Return where (m, 3) curved faces' triangles cut one another with no interface point near to account
    for it.

    Tessellations of surfaces that only touch may overlap, but by no more than their bounds (the paper's
    Figure 3): then a point with so small a gap is not far.  A collision without one has been missed.
    """
    active, world = body_pair.active, body_pair.world
    if active.triangle_flat.all() and world.triangle_flat.all():
        return np.zeros((0, 3))
    pairs = near_pairs(active.tree, body_pair.pose, world.tree, 0.0, _spheres_of_neglect(body_pair, points))
    t1, t2 = pairs[:, 0], pairs[:, 1]
    curved = ~(active.triangle_flat[t1] & world.triangle_flat[t2])
    t1, t2 = t1[curved], t2[curved]
    if len(t1) == 0:
        return np.zeros((0, 3))
    bound = active.body.triangle_bound[t1] + world.body.triangle_bound[t2]
    corners = body_pair.pose.points(active.body.triangles[t1])
    rows = np.nonzero(~_accounted_for(corners, bound, points, body_pair.radius))[0]
    meeting = triangles_intersect(corners[rows], world.body.triangles[t2[rows]])
    at, bound = meeting.point[meeting.hit], bound[rows[meeting.hit]]
    if len(at) == 0:
        return at
    # a large triangle's corners may be far from where it meets a small one
    return at[~_accounted_for(at[:, None], bound, points, body_pair.radius)]


def _spheres_of_neglect(body_pair: BodyPair, points: InterfacePoints) -> Neglect:
    """Spheres around the interface points whose gap any two tessellations may close (section 3, Figure 4)."""
    least = body_pair.active.body.triangle_bound.min() + body_pair.world.body.triangle_bound.min()
    known = points.point1[points.gap <= least + 1e-9 * body_pair.radius]
    return known, np.full(len(known), _NEGLECT * body_pair.radius)


def _accounted_for(corners: Floats, bound: Floats, points: InterfacePoints, radius: float) -> Bools:
    """Tell which triangles (k, 3, 3), or points (k, 1, 3), with bounds (k,) of theirs and their partners',
    reach into the sphere of an interface point whose gap is small enough for tessellations to overlap.
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
