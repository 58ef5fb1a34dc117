"""Face seeds: starts of interface points between two faces, from near triangles (Snyder 1995, section 4.3).

The paper starts at one point of each pair of colliding triangles.  Here near triangles are used instead, and
only the local minima of the *exact* gap over the mesh become starts:

1. each corner of the finer triangles of near pairs is a seed; the nearest partner triangle gives (u, v) on
   the base;
2. a few Newton rounds bring that to the closest point of the true surface, and the gap is known (steps 1 and
   2 of the paper);
3. a seed with a lower neighbour on the mesh is no start (instead of step 3, the descent to the deepest
   point).

Corners of long triangles, as those of rods that cross, may all be out of reach.  So the nearest points of
these are starts, too: one for each pair of faces (`nearest_of_long`).

A wave finer than the mesh may be missed.  Where it crosses the other surface, `creation.points_at_crossings`
finds it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ...arrays import Bools, Floats, Ints
from ...bodies.topology import pieces_of
from ...collision.triangle_pairs import triangle_gap
from ...vectors import coordinate_arrays, dot
from ..body_pair import BodyPair, displacement_since
from ..contact_body import ContactBody
from ..features import FACE
from ..row_lists import RowLists, first_of_each_pair, placed
from ..sidedness import sides_of_base
from .closest_points import closest_points_on_faces
from .interface_points import InterfacePoints
from .pair_roles import PairRoles, closest_parameters, nearest_partner

_ROUNDS = 2  # of Newton's method for the closest point: from the tessellation gaps are then right to 1e-8 R
_BESIDE = 1e-3  # of the reach: tangential offset from its closest point of a seed that stands over the base
_LONG = 0.5  # of the reach: longest side of a triangle of which a corner is near whatever is near it
_FEW_LONG = 2048  # pairs of long triangles that are all looked at: it bounds the time
_SAME_MINIMUM = 0.25  # of K d^2: half the height of the parabola K d^2 / 2 over the known minimum


@dataclass(frozen=True)
class FaceSeeds:
    """k points of faces over other faces, with their closest points solved.

    points: the interface points, unsolved but for their parameters.
    on_active: whose mesh the seeds are of.
    at (k, 3): where they are; gap (k,): how high over their base, a length.
    spacing (k,): the longest side of one of their triangles, a length: about as far as their neighbours are.
    over_base (k,): the closest point is inside the base, not at its border.
    lowest (k,): no neighbour on the mesh is lower.
    """

    points: InterfacePoints
    on_active: bool
    at: Floats
    gap: Floats
    spacing: Floats
    over_base: Bools
    lowest: Bools


def face_seeds(
    body_pair: BodyPair,
    t1: Ints,
    t2: Ints,
    reach: float,
    tracked: InterfacePoints,
    before: BodyPair | None,
) -> list[FaceSeeds]:
    """Return the seeds of face/face pairs, but for those of two flat faces, one value a role.

    Args:
        t1, t2: (k,) near triangles of the active body and of the world.
        reach: the largest |gap|, a length.
        tracked: points known before; they show on which side of sheets the seeds are.
        before: a pose free of overlap, for the same; None at the first pose.
    """
    active, world = body_pair.active, body_pair.world
    finer1 = active.triangle_size[t1] <= world.triangle_size[t2]
    finer1 = ~active.triangle_flat[t1] & (world.triangle_flat[t2] | finer1)
    both_flat = active.triangle_flat[t1] & world.triangle_flat[t2]
    both_roles = (
        (PairRoles(body_pair, True), t1, t2, finer1),
        (PairRoles(body_pair, False), t2, t1, ~finer1 & ~both_flat),
    )
    return [
        _seeds_of(roles, mine[rows], other[rows], reach, tracked, before)
        for roles, mine, other, rows in both_roles
        if rows.any()
    ]


def _seeds_of(
    roles: PairRoles,
    mine: Ints,
    other: Ints,
    reach: float,
    tracked: InterfacePoints,
    before: BodyPair | None,
) -> FaceSeeds:
    body, base_body = roles.mover.body, roles.base.body
    triangle, corner, partner = _nearest_of_corners(roles, mine, other)
    sample, at = body.triangle_corners[triangle, corner], body.triangles[triangle, corner]
    at = placed(at, roles.mover_pose)
    corners = placed(base_body.triangles[partner], roles.base_pose)
    best = nearest_partner(sample, base_body.triangle_face[partner], at, corners)
    mover = roles.mover_features(
        FACE, body.triangle_face[triangle[best]], body.triangle_uv[triangle[best], corner[best]]
    )
    base = roles.base_faces(
        base_body.triangle_face[partner[best]],
        closest_parameters(roles, at[best], partner[best], corners[best]),
    )
    at = at[best]
    base, closest = closest_points_on_faces(at, base, roles.body_pair.radius, _ROUNDS)
    offset = at - closest.point
    distance = dot(offset, closest.normal)
    beside = offset - distance[:, None] * closest.normal
    over_base = dot(beside, beside) < (_BESIDE * reach) ** 2
    near = np.nonzero(np.abs(distance) <= reach)[0]
    points = roles.points(mover, base).take(near)
    at, distance = at[near], distance[near]
    height, _ = heights_and_sides(roles, points, at, distance, tracked, before)
    links = _neighbours(body.triangle_corners[np.unique(mine)], sample[best][near], base.index[near])
    spacing = roles.mover.triangle_size[triangle[best]][near]
    lowest = _lowest_of_neighbours(links, height)
    return FaceSeeds(points, roles.on_active, at, height, spacing, over_base[near], lowest)


def _nearest_of_corners(roles: PairRoles, mine: Ints, other: Ints) -> tuple[Ints, Ints, Ints]:
    """Return the nearest partner of each corner of the mover's triangles, for each face of the base.

    mine, other (k,): pairs of triangles of mover and base.  Returns triangles, corners (0 to 2) and partner
    triangles, (m,) each; a partner's centre is the nearest of those of its face.
    """
    face = roles.base.body.triangle_face[other]
    order = np.argsort(mine * (int(face.max()) + 1) + face, kind="stable")
    mine, other, face = mine[order], other[order], face[order]
    first = np.flatnonzero(np.r_[True, (np.diff(mine) != 0) | (np.diff(face) != 0)])
    count = np.diff(np.r_[first, len(mine)])
    at = placed(roles.mover.body.triangles[mine[first]].reshape(-1, 3), roles.mover_pose).reshape(-1, 3, 3)
    centre = placed(roles.base.triangle_centre, roles.base_pose)[other]
    nearest = np.empty((len(first), 3), np.intp)
    for corner in range(3):
        offset = np.repeat(at[:, corner], count, axis=0) - centre
        away = dot(offset, offset)
        least = np.flatnonzero(away == np.repeat(np.minimum.reduceat(away, first), count))
        nearest[:, corner] = least[np.searchsorted(least, first)]
    return np.repeat(mine[first], 3), np.tile(np.arange(3), len(first)), other[nearest].ravel()


def nearest_of_long(
    body_pair: BodyPair, t1: Ints, t2: Ints, reach: float, tracked: InterfacePoints, seeds: list[FaceSeeds]
) -> InterfacePoints:
    """Return a start for each pair of faces, not both flat, between triangles that are long: where these are
    nearest to each other.

    Args:
        t1, t2: (k,) near triangles of the active body and of the world.
        reach: the largest |gap|, a length.
        tracked: points known before; pairs of faces that have one need no start.
        seeds: of the corners; where many triangles are long, they are fine enough for these.
    """
    active, world, roles = body_pair.active, body_pair.world, PairRoles(body_pair, True)
    long = np.minimum(active.triangle_size[t1], world.triangle_size[t2]) > _LONG * reach
    rows = np.flatnonzero(long & ~(active.triangle_flat[t1] & world.triangle_flat[t2]))
    face1, face2 = active.body.triangle_face[t1[rows]], world.body.triangle_face[t2[rows]]
    known = [tracked]
    if len(rows) > _FEW_LONG:
        known += [each.points.take(each.over_base) for each in seeds]
    whole = [pieces_of(each.body).face[face] for each, face in ((active, face1), (world, face2))]
    left = np.flatnonzero(~_are_known(whole[0] * world.body.face_count + whole[1], known, world))
    t1, t2, face1, face2 = t1[rows[left]], t2[rows[left]], face1[left], face2[left]
    first, second = placed(active.body.triangles[t1], body_pair.pose), world.body.triangles[t2]
    away, at1, at2 = triangle_gap(coordinate_arrays(first), coordinate_arrays(second))
    order = np.argsort(away, kind="stable")
    best = order[first_of_each_pair(face1[order], face2[order])]
    uv1 = closest_parameters(PairRoles(body_pair, False), at1.T[best], t1[best], first[best])
    uv2 = closest_parameters(roles, at2.T[best], t2[best], second[best])
    return roles.points(roles.mover_features(FACE, face1[best], uv1), roles.base_faces(face2[best], uv2))


def _are_known(keys: Ints, known: Sequence[InterfacePoints], world: ContactBody) -> Bools:
    """Return which pairs of faces (k,), one number each, have any of the known points."""
    found = [np.zeros(0, np.intp)]
    for points in known:
        faces = (points.dim1 == FACE) & (points.dim2 == FACE)
        found.append(points.index1[faces] * world.body.face_count + points.index2[faces])
    known_keys: Bools = np.isin(keys, np.unique(np.concatenate(found)))
    return known_keys


def heights_and_sides(
    roles: PairRoles,
    points: InterfacePoints,
    at: Floats,
    distance: Floats,
    tracked: InterfacePoints,
    before: BodyPair | None,
) -> tuple[Floats, Floats]:
    """Return how high (k,) unsolved points are over their bases, and on which sides (k,) of these.

    Args:
        at: (k, 3) where the mover's points are.
        distance: (k,) along the bases' normals.
        tracked, before: as in `face_seeds`.
    """
    base = points.index2 if roles.on_active else points.index1
    trusted = roles.base.trusted[base]
    side = np.where(trusted | (distance >= 0.0), 1.0, -1.0)
    if before is not None:  # what is farther from its base than it has moved is still on the same side
        moved = displacement_since(before, roles.body_pair, at, roles.on_active)
        rows = np.nonzero(~trusted & (np.abs(distance) <= moved))[0]
        side[rows] = sides_of_base(before, points.take(rows), roles.on_active, tracked)
    return side * distance, side


def neglected(seeds: FaceSeeds, tracked: InterfacePoints, softness: float) -> Bools:
    """Return which seeds (k,) lie in the sphere of neglect of a tracked point of the same faces.

    The minimum that such a seed would lead to is known (Snyder 1995, sections 3 and 4.3).  The radius of the
    sphere is the distance from the seed to its neighbours.  A seed lower than the tracked point's curvature
    allows leads to another minimum.  Points softer than `softness`, 1/length, have no sphere, because where
    their minimum is, is hardly known.
    """
    faces = (tracked.dim1 == FACE) & (tracked.dim2 == FACE)
    known = tracked.take(faces & (tracked.softest > softness))
    same = (seeds.points.index1[:, None] == known.index1) & (seeds.points.index2[:, None] == known.index2)
    offset = seeds.at[:, None] - (known.point1 if seeds.on_active else known.point2)
    away = dot(offset, offset)
    near = same & (away < seeds.spacing[:, None] ** 2)
    near &= seeds.gap[:, None] >= known.gap + _SAME_MINIMUM * known.softest * away
    found: Bools = near.any(axis=1)
    return found


def _neighbours(triangles: Ints, sample: Ints, base_face: Ints) -> tuple[Ints, Ints]:
    """Return the pairs (l,), (l,) of seeds that are neighbours on the mesh, over the same face of the base.

    triangles (t, 3): the corners of the mesh; sample (k,): the corner that each seed is; base_face (k,).
    """
    numbers, local = np.unique(sample, return_inverse=True)
    links = np.concatenate([triangles[:, [0, 1]], triangles[:, [1, 2]], triangles[:, [2, 0]]])
    links = np.concatenate([links, links[:, ::-1]])
    place = np.minimum(np.searchsorted(numbers, links), max(len(numbers) - 1, 0))
    links = place[(numbers[place] == links).all(axis=1)] if len(numbers) else place[:0]
    links = links[first_of_each_pair(links[:, 0], links[:, 1])]
    neighbours = RowLists.of(links[:, 1], links[:, 0], len(numbers))
    row, neighbour = neighbours.of_rows(local)
    span = int(base_face.max(initial=0)) + 1
    keys = local * span + base_face
    order = np.argsort(keys)
    wanted = neighbour * span + base_face[row]
    met = order[np.minimum(np.searchsorted(keys[order], wanted), max(len(order) - 1, 0))] if len(row) else row
    same = keys[met] == wanted
    return row[same], met[same]


def _lowest_of_neighbours(links: tuple[Ints, Ints], height: Floats) -> Bools:
    """Return which seeds (k,) have no lower neighbour; of equal ones the first is the lower."""
    row, met = links
    rank = np.empty(len(height), np.intp)
    rank[np.argsort(height, kind="stable")] = np.arange(len(height))
    lowest = np.ones(len(height), bool)
    lowest[row[rank[met] < rank[row]]] = False
    return lowest
