"""A body over one planar face of the other: its lowest vertices, found by their heights alone.

The base of a body may have thousands of corners, all of them as near to the face that it stands on.  Over the
inside of a planar face, away from its border, nothing but vertices can touch, and how near they are is their
height over one plane.  So no pairs of triangles are needed, and few vertices: the lowest ones, and of those
that bear the body the extreme ones, which bound their region (Bouma and Vanecek 1991, section 5).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ...arrays import Floats, Ints
from ...bodies.topology import pieces_of
from ...collision import Part
from ...vectors import dot
from ..body_pair import BodyPair
from ..contact_body import PlanarFace
from ..features import FACE, VERTEX
from ..points.interface_points import InterfacePoints
from ..row_lists import IndexPairs
from .extreme_points import DIRECTIONS, bears, extreme

_EXACT = 1e-12  # of R: how far a face may be from its plane for heights over the plane to be gaps
_ONE_NORMAL = 1e-12  # 1 - cos of the angle between the normals of points over one plane
_LIES_FLAT = 3  # points over a face from which a body lies on it, whatever else is near
_MOST_PAIRS = 100_000  # of vertices and triangles of the face: more take longer than a search


@dataclass(frozen=True, eq=False)
class LevelSupport:
    """The vertices of the active body that are lowest over a planar face of the world.

    over: pairs of vertices and triangles of the face under them.
    face: the triangles of the face.
    """

    over: IndexPairs
    face: Part


def level_support(
    body_pair: BodyPair, reach: float, tracked: InterfacePoints, count: int
) -> LevelSupport | None:
    """Return what supports a body that is over the inside of a planar face; None if nothing does.

    Args:
        body_pair: the pair; nothing in it is curved.
        reach: the farthest, a length, that the vertices may be from the face.
        tracked: the points of the last state, solved at this pose; some of them must be over the face.
        count: how many vertices to return besides those that bear the body.
    """
    rows = _standing(tracked)
    if len(rows) < _LIES_FLAT:
        return None
    face = _face_under(body_pair, tracked, rows[0])
    if face.deviation > _EXACT * body_pair.radius or _is_near_border(body_pair, face, reach):
        return None
    side = 1.0 if float(tracked.normal[rows[0]] @ face.normal) > 0.0 else -1.0
    body, pose = body_pair.active.body, body_pair.pose
    heights = body.vertices @ (face.normal @ pose.matrix) + (face.normal @ pose.translation - face.offset)
    near = np.flatnonzero(np.abs(heights) <= reach)
    at = pose.points(body.vertices[near])
    lowest = _lowest(at, side * heights[near], face.normal, body_pair.sign_tolerance, count)
    vertices, triangles = near[lowest], _around(body_pair, face, at[lowest])
    if len(vertices) * len(triangles) > _MOST_PAIRS:
        return None
    return LevelSupport((np.repeat(vertices, len(triangles)), np.tile(triangles, len(vertices))), face.part)


def _standing(tracked: InterfacePoints) -> Ints:
    """Return which points (m,) are vertices of the active body over a face of the world, all of one normal.

    It is that of the lowest of all points; none stand if the lowest one does not.
    """
    if len(tracked) == 0:
        return np.zeros(0, np.intp)
    over = (tracked.dim1 == VERTEX) & (tracked.dim2 == FACE)
    like = dot(tracked.normal, tracked.normal[np.argmin(tracked.gap)]) > 1.0 - _ONE_NORMAL
    rows: Ints = np.flatnonzero(over & like)
    return rows


def _face_under(body_pair: BodyPair, tracked: InterfacePoints, row: int) -> PlanarFace:
    """Return the planar face of the world that one of the points is over."""
    world = body_pair.world
    return world.planar_face(int(pieces_of(world.body).planar[tracked.index2[row]]))


def _is_near_border(body_pair: BodyPair, face: PlanarFace, reach: float) -> bool:
    """Return whether the border of a face may be within reach of the ball around the active body's box."""
    lower, upper = body_pair.active.tree.lower[0], body_pair.active.tree.upper[0]
    centre = body_pair.pose.points(0.5 * (lower + upper)[None])[0]
    size = 0.5 * float(np.linalg.norm(upper - lower)) + reach
    return bool((_distances(centre, face.border) <= size).any())


def _lowest(at: Floats, heights: Floats, normal: Floats, level: float, count: int) -> Ints:
    """Return the rows of the lowest vertices (k, 3), and of the extreme ones of those that bear."""
    bear = bears(heights, level)
    lower, higher = np.flatnonzero(bear), np.flatnonzero(~bear)
    if len(lower) > DIRECTIONS:
        lower = lower[extreme(at[lower], normal, heights[lower], level)]
    if len(higher) > count:
        higher = higher[np.argpartition(heights[higher], count)[:count]]
    return np.concatenate([lower, higher])


def _around(body_pair: BodyPair, face: PlanarFace, at: Floats) -> Ints:
    """Return the triangles of a face whose boxes meet that around points (k, 3)."""
    if len(at) == 0:
        return np.zeros(0, np.intp)
    triangles = np.flatnonzero(face.part.triangles)
    corners = body_pair.world.body.triangles[triangles]
    slack = body_pair.sign_tolerance
    meets = (corners.min(axis=1) <= at.max(axis=0) + slack) & (corners.max(axis=1) >= at.min(axis=0) - slack)
    across = np.abs(face.normal) < 0.5  # along the normal the points stand off the face
    meets |= ~across
    found: Ints = triangles[meets.all(axis=1)]
    return found


def _distances(point: Floats, segments: Floats) -> Floats:
    """Return the distances (k,) of a point (3,) from segments (k, 2, 3)."""
    along = segments[:, 1] - segments[:, 0]
    t = np.clip(dot(point - segments[:, 0], along) / dot(along, along), 0.0, 1.0)
    offset = point - segments[:, 0] - t[:, None] * along
    distance: Floats = np.sqrt(dot(offset, offset))
    return distance
