"""Overlaps of two bodies at one pose: the test that a new state must pass besides its interface points.

Flat triangles that cut through each other by more than a tolerance overlap.  Curved faces overlap where their
true surfaces are proven to cross (`points.surface_crossings`), or meet although no interface point touches.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.spatial import cKDTree

from ..arrays import ArrayRecord, Bools, Floats, Ints
from ..bodies import Body
from ..collision import closest_on_triangle, near_pairs, triangles_intersect
from ..rigid import Pose
from ..vectors import cross, dot
from .body_pair import BodyPair
from .continuous_collision import meeting_at_end
from .features import FACE, FeaturePoints
from .points.closest_points import closest_points_on_faces
from .points.interface_points import InterfacePoints
from .points.surface_crossings import SurfaceCrossings, crossings_and_contacts, surface_crossings
from .row_lists import placed

_TRIANGLES_ACROSS = 2.0  # coplanar triangles that another one may reach over, each with its own angle
_NEGLECT = 0.5  # of R: radius of the sphere around an overlapping interface point that accounts for crossings
_ROUNDING = 1e-9  # of R: depth that is no overlap
_NO_DEPTH = 1e-12  # of R: depth that rounding alone causes where triangles lie on one another
_ON_FACE = 8  # rounds, at most, in which the closest point of a flat face is found
_MEETING = 1e-6  # of R: largest gap of a point that accounts for surfaces that meet, 1e-7 R apart at most


@dataclass(frozen=True, eq=False)
class TriangleOverlaps(ArrayRecord):
    """m pairs of triangles that meet.

    point (m, 3): where they meet, in the frame of the pair.
    depth (m,): a length, how deep they cut through each other, the lesser over both planes; zero where they
    only touch.
    triangles (m, 2): their numbers, in the first and in the second body.
    """

    point: Floats
    depth: Floats
    triangles: Ints

    def __len__(self) -> int:
        return len(self.depth)


def triangle_overlaps(
    body_pair: BodyPair, curved: bool = False, before: BodyPair | None = None
) -> TriangleOverlaps:
    """Return the pairs of flat triangles that meet at the pose.

    curved: all pairs of triangles, the depths reduced by their bounds to the true surfaces.
    before: the pose from which the way to this one was searched last, None if there is none.
    """
    active, world = body_pair.active, body_pair.world
    if not curved and not (active.triangle_flat.any() and world.triangle_flat.any()):
        return TriangleOverlaps(np.zeros((0, 3)), np.zeros(0), np.zeros((0, 2), np.intp))
    found = None if before is None else meeting_at_end(before, body_pair)
    pairs = near_pairs(active.tree, body_pair.pose, world.tree, 0.0) if found is None else found
    if not curved:
        pairs = pairs[active.triangle_flat[pairs[:, 0]] & world.triangle_flat[pairs[:, 1]]]
    if len(pairs) == 0:
        return TriangleOverlaps(np.zeros((0, 3)), np.zeros(0), pairs)
    first = body_pair.pose.points(active.body.triangles[pairs[:, 0]])
    second = world.body.triangles[pairs[:, 1]]
    meeting = triangles_intersect(first, second)
    first, second, pairs = first[meeting.hit], second[meeting.hit], pairs[meeting.hit]
    point = meeting.point[meeting.hit]
    depth = cut_depths(first, second)
    for body, pose, triangles in (
        (active.body, body_pair.pose, pairs[:, 0]),
        (world.body, None, pairs[:, 1]),
    ):
        some = np.flatnonzero(depth > _NO_DEPTH * body_pair.radius)
        depth[some] -= _bounds_at(body, pose, triangles[some], point[some])
    depth[depth <= _NO_DEPTH * body_pair.radius] = 0.0
    return TriangleOverlaps(point, depth, pairs)


def cut_depths(first: Floats, second: Floats) -> Floats:
    """Return how deep (k,), lengths, pairs of triangles (k, 3, 3) that meet cut through each other.

    It is the lesser of the depths over both planes.
    """
    depths: Floats = np.minimum(_depth(first, second), _depth(second, first))
    return depths


def _bounds_at(body: Body, pose: Pose | None, triangles: Ints, point: Floats) -> Floats:
    """Return how far (k,), lengths, the true surface is from triangles (k,) at points (k, 3) of them.

    A flat face with a curved border is where its triangles are, but between its border and their chords.
    """
    bound = body.triangle_bound[triangles].copy()
    rows = np.flatnonzero((bound > 0.0) & body.face_flat[body.triangle_face[triangles]])
    if len(rows):
        own, corners = triangles[rows], placed(body.triangles[triangles[rows]], pose)
        barycentric = closest_on_triangle(point[rows], corners).barycentric
        uv = (barycentric[:, None, :] @ body.triangle_uv[own])[:, 0]
        faces = FeaturePoints(body, pose, np.full(len(own), FACE), body.triangle_face[own], uv)
        offset = point[rows] - closest_points_on_faces(point[rows], faces, body.radius, _ON_FACE)[1].point
        bound[rows[dot(offset, offset) <= (_ROUNDING * body.radius) ** 2]] = 0.0
    return bound


def _heights(plane: Floats, other: Floats) -> Floats:
    """Return the heights (k, 3) of the corners of triangles (k, 3, 3) over the planes of others."""
    normal = cross(plane[:, 1] - plane[:, 0], plane[:, 2] - plane[:, 0])
    normal /= np.sqrt(dot(normal, normal))[:, None]
    heights: Floats = dot(other - plane[:, :1], normal[:, None])
    return heights


def _depth(plane: Floats, other: Floats) -> Floats:
    """Return how far (k,) the lesser part of each other triangle is through the plane; zero on one side."""
    height = _heights(plane, other)
    depth: Floats = np.minimum(-height.min(axis=1), height.max(axis=1)).clip(min=0.0)
    return depth


def triangles_overlap(body_pair: BodyPair, tolerance: float, before: BodyPair | None = None) -> bool:
    """Return whether flat triangles cut through each other by more than a tolerance (`deep_overlaps`)."""
    return len(deep_overlaps(body_pair, tolerance, before)) > 0


def deep_overlaps(body_pair: BodyPair, tolerance: float, before: BodyPair | None = None) -> TriangleOverlaps:
    """Return the pairs of flat triangles that cut through each other by more than a tolerance, a length.

    Where a face that counts as flat has an angle between its triangles, they may by as much as that angle
    hides (`contact_body.dihedral_tolerances`), but no corner may go through a face.
    before: as in `triangle_overlaps`.
    """
    overlaps = triangle_overlaps(body_pair, before=before)
    overlaps = overlaps.take(overlaps.depth > tolerance)
    if len(overlaps) == 0:
        return overlaps
    triangles = overlaps.triangles
    allowed = tolerance + _hidden_depths(body_pair, triangles)
    active, world = body_pair.active, body_pair.world
    first = body_pair.pose.points(active.body.triangles[triangles[:, 0]])
    second = world.body.triangles[triangles[:, 1]]
    outward1 = active.trusted[active.body.triangle_face[triangles[:, 0]]]
    outward2 = world.trusted[world.body.triangle_face[triangles[:, 1]]]
    deep = overlaps.depth > allowed
    deep |= _corners_through(first, outward1, second, tolerance, allowed)
    deep |= _corners_through(second, outward2, first, tolerance, allowed)
    return overlaps.take(deep)


def _corners_through(plane: Floats, outward: Bools, other: Floats, least: float, most: Floats) -> Bools:
    """Return which triangles (k, 3, 3) have a corner of their `other` over them and through them.

    outward (k,): the triangle's winding shows its outside.  Else the side with the lesser part of the other
    is the one behind it.
    least: the depth, a length, that a corner must exceed; most (k,): the depth that it must not exceed.
    """
    height = _heights(plane, other)
    down = outward | (-height.min(axis=1) < height.max(axis=1))
    behind = np.where(down[:, None], -height, height)
    normal = cross(plane[:, 1] - plane[:, 0], plane[:, 2] - plane[:, 0])
    sides = np.roll(plane, -1, axis=1) - plane
    inward = cross(normal[:, None], sides)
    offset = other[:, :, None] - plane[:, None]
    over = (dot(offset, inward[:, None]) > 0.0).all(axis=2)
    through = over & (behind > least) & (behind <= most[:, None])
    return np.asarray(through.any(axis=1))


def _hidden_depths(body_pair: BodyPair, triangles: Ints) -> Floats:
    """Return how deep (k,), lengths, pairs of triangles (k, 2) may cut where faces are not quite flat."""
    farthest = 2.0 * body_pair.radius
    hidden = np.zeros(len(triangles))
    for bent, mine, other, theirs in (
        (body_pair.active, triangles[:, 0], body_pair.world, triangles[:, 1]),
        (body_pair.world, triangles[:, 1], body_pair.active, triangles[:, 0]),
    ):
        hidden += bent.dihedral_tolerance[mine] * np.minimum(other.triangle_size[theirs], farthest)
    return _TRIANGLES_ACROSS * hidden


def missed_collisions(body_pair: BodyPair, points: InterfacePoints) -> SurfaceCrossings:
    """Return where true surfaces are proven to cross without a negative gap nearby that says so."""
    found = surface_crossings(body_pair, _ROUNDING * body_pair.radius)
    return unexplained_crossings(body_pair, found, points)


def unexplained_crossings(
    body_pair: BodyPair, found: SurfaceCrossings, points: InterfacePoints
) -> SurfaceCrossings:
    """Return those of the crossings of a pair without a negative gap nearby that says so."""
    overlapping = points.take(points.gap < -_ROUNDING * body_pair.radius)
    if len(found) == 0 or len(overlapping) == 0:
        return found
    away = cKDTree(overlapping.point1).query(found.point)[0]
    return found.take(np.asarray(away >= _NEGLECT * body_pair.radius))


def unexplained_contacts(body_pair: BodyPair, points: InterfacePoints) -> Floats:
    """Return where (m, 3) true surfaces meet although none of all the points of the pair touches.

    There they cross along lines of both tessellations, whose sides pierce nothing.
    """
    if touches_anywhere(body_pair, points):
        return np.zeros((0, 3))
    return meeting_surfaces(body_pair)[1].point


def touches_anywhere(body_pair: BodyPair, points: InterfacePoints) -> bool:
    """Return whether any of the points of a pair explains that its surfaces meet."""
    return bool((points.gap <= _MEETING * body_pair.radius).any())


def meeting_surfaces(body_pair: BodyPair) -> tuple[SurfaceCrossings, SurfaceCrossings]:
    """Return where true surfaces are proven to cross, and where they are too near to tell (as contacts)."""
    return crossings_and_contacts(body_pair, _ROUNDING * body_pair.radius)
