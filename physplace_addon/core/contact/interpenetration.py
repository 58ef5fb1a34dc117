"""Overlaps of two bodies at one pose: the test that a new state must pass besides its interface points.

Flat triangles that cut through each other by more than a tolerance overlap.  Curved faces overlap where their
tessellations cut one another and no interface point accounts for it.  Tessellations of surfaces that only
touch may overlap by their bounds (Snyder 1995, Figure 3); an interface point nearby then has a gap as small.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..arrays import ArrayRecord, Bools, Floats, Ints
from ..collision import Neglect, near_pairs, triangles_intersect
from ..vectors import cross, dot
from .body_pair import BodyPair
from .points.interface_points import InterfacePoints

_TRIANGLES_ACROSS = 2.0  # coplanar triangles that another one may reach over, each with its own angle
_NEGLECT = 0.5  # of R: radius of the sphere around an interface point in which it accounts for collisions
_ROUNDING = 1e-9  # of R: added to bounds when gaps are compared with them


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


def triangle_overlaps(body_pair: BodyPair, curved: bool = False) -> TriangleOverlaps:
    """Return the pairs of flat triangles that meet at the pose.

    curved: all pairs of triangles, the depths reduced by their bounds to the true surfaces.
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


def triangles_overlap(body_pair: BodyPair, tolerance: float) -> bool:
    """Return whether flat triangles cut through each other by more than a tolerance, a length.

    Where a face that counts as flat has an angle between its triangles, they may by as much as that angle
    hides (`contact_body.dihedral_tolerances`), but no corner may go through a face.
    """
    overlaps = triangle_overlaps(body_pair)
    rows = np.nonzero(overlaps.depth > tolerance)[0]
    if len(rows) == 0:
        return False
    depth, triangles = overlaps.depth[rows], overlaps.triangles[rows]
    allowed = tolerance + _hidden_depths(body_pair, triangles)
    if (depth > allowed).any():
        return True
    first = body_pair.pose.points(body_pair.active.body.triangles[triangles[:, 0]])
    second = body_pair.world.body.triangles[triangles[:, 1]]
    through = _corners_through(first, second, tolerance, allowed)
    return bool((through | _corners_through(second, first, tolerance, allowed)).any())


def _corners_through(plane: Floats, other: Floats, least: float, most: Floats) -> Bools:
    """Return which triangles (k, 3, 3) have a corner of their `other` over them and through them.

    least: the depth, a length, that a corner must exceed; most (k,): the depth that it must not exceed.
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


def missed_collisions(body_pair: BodyPair, points: InterfacePoints) -> Floats:
    """Return where (m, 3) triangles of curved faces cut one another without an interface point nearby."""
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
    # the corners of a large triangle may be far from where it meets a small one
    return at[~_accounted_for(at[:, None], bound, points, body_pair.radius)]


def _spheres_of_neglect(body_pair: BodyPair, points: InterfacePoints) -> Neglect:
    """Return spheres around interface points whose gap any two tessellations may close.

    Snyder 1995, section 3 and Figure 4.
    """
    least = body_pair.active.body.triangle_bound.min() + body_pair.world.body.triangle_bound.min()
    known = points.point1[points.gap <= least + _ROUNDING * body_pair.radius]
    return known, np.full(len(known), _NEGLECT * body_pair.radius)


def _accounted_for(corners: Floats, bound: Floats, points: InterfacePoints, radius: float) -> Bools:
    """Return which triangles (k, 3, 3), or points (k, 1, 3), an interface point accounts for.

    It does if one of the corners is in its sphere, and its gap is no more than the bounds of both triangles,
    whose sum is `bound` (k,).
    """
    known = points.take(points.gap <= bound.max() + _ROUNDING * radius)
    accounted = np.zeros(len(corners), bool)
    for point, gap in zip(known.point1, known.gap.tolist(), strict=True):
        offset = corners - point
        inside = dot(offset, offset).min(axis=1) < (_NEGLECT * radius) ** 2
        accounted |= inside & (gap <= bound + _ROUNDING * radius)
        if accounted.all():
            break
    return accounted
