"""Creating interface points of curved faces: from near triangles to starts for the iteration (Snyder 1995,
4.3).

The paper starts at one point of each pair of colliding triangles.  Near triangles rather than colliding ones
are used here, and of all the samples they offer only the local minima of the *exact* gap over the mesh go
on:

1. each corner of the finer triangles of near pairs is a sample; its nearest partner triangle gives (u, v) on
   the base;
2. a few Newton rounds bring that to the foot on the true surface, and the gap is known (steps 1 and 2 of the
   paper);
3. a sample with a lower neighbour on the mesh is no start (instead of step 3, the descent to the deepest
   point).

Faces with waves that may be finer than the mesh: see `valleys`.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ...arrays import Bools, Floats, Ints
from ...vectors import dot
from ..body_pair import BodyPair, displacement_since
from ..features import FACE
from ..row_lists import RowLists, first_of_each_pair, placed
from ..sidedness import sides_of_base
from .interface_points import InterfacePoints
from .minimization import closest_points_on_faces
from .pair_roles import PairRoles, nearest_partner, uv_at

_FOOT_ROUNDS = 3
_SAME_VALLEY = 0.25  # of the parabola 1/2 K d^2 twice over, below which a sample leads to another minimum


def _nearest_of_corners(view: PairRoles, mine: Ints, other: Ints) -> tuple[Ints, Ints, Ints]:
    """For each corner of the triangles `mine` (k,) return, of each face among its partners `other`, the
    triangle whose centre is nearest: triangles (m,), corners (m,), partners (m,).
    """
    face = view.base.body.triangle_face[other]
    order = np.argsort(mine * (int(face.max()) + 1) + face, kind="stable")
    mine, other, face = mine[order], other[order], face[order]
    first = np.flatnonzero(np.r_[True, (np.diff(mine) != 0) | (np.diff(face) != 0)])
    count = np.diff(np.r_[first, len(mine)])
    at = placed(view.mover.body.triangles[mine[first]].reshape(-1, 3), view.mover_pose).reshape(-1, 3, 3)
    centre = placed(view.base.triangle_centre, view.base_pose)[other]
    nearest = np.empty((len(first), 3), np.intp)
    for corner in range(3):
        offset = np.repeat(at[:, corner], count, axis=0) - centre
        away = dot(offset, offset)
        least = np.flatnonzero(away == np.repeat(np.minimum.reduceat(away, first), count))
        nearest[:, corner] = least[np.searchsorted(least, first)]
    return np.repeat(mine[first], 3), np.tile(np.arange(3), len(first)), other[nearest].ravel()


@dataclass(frozen=True)
class FaceSeeds:
    """Points of faces over other faces, feet solved: the interface points, which have their foot inside the
    base and not at its border (k,), and which have no lower neighbour on their mesh (k,).  on_active tells
    whose mesh they are of, at (k, 3) where they are, gap (k,) how high over their feet, spacing (k,) how far
    their neighbours are.
    """

    points: InterfacePoints
    on_active: bool
    at: Floats
    gap: Floats
    spacing: Floats
    footed: Bools
    lowest: Bools


def face_seeds(
    body_pair: BodyPair,
    t1: Ints,
    t2: Ints,
    reach: float,
    tracked: InterfacePoints,
    before: BodyPair | None,
) -> list[FaceSeeds]:
    """Sample the face/face pairs of near triangles (k,) within reach, but those of two flat faces.

    On which sides of sheets they are tell `before`, a pose free of overlap, and the points tracked since.
    """
    active, world = body_pair.active, body_pair.world
    finer1 = active.triangle_size[t1] <= world.triangle_size[t2]
    finer1 = ~active.triangle_flat[t1] & (world.triangle_flat[t2] | finer1)
    both_flat = active.triangle_flat[t1] & world.triangle_flat[t2]
    views = (
        (PairRoles(body_pair, True), t1, t2, finer1),
        (PairRoles(body_pair, False), t2, t1, ~finer1 & ~both_flat),
    )
    return [
        _samples_of(view, mine[rows], other[rows], reach, tracked, before)
        for view, mine, other, rows in views
        if rows.any()
    ]


def _samples_of(
    view: PairRoles,
    mine: Ints,
    other: Ints,
    reach: float,
    tracked: InterfacePoints,
    before: BodyPair | None,
) -> FaceSeeds:
    body, base_body = view.mover.body, view.base.body
    triangle, corner, partner = _nearest_of_corners(view, mine, other)
    sample, at = body.triangle_corners[triangle, corner], body.triangles[triangle, corner]
    at = placed(at, view.mover_pose)
    corners = placed(base_body.triangles[partner], view.base_pose)
    best = nearest_partner(sample, base_body.triangle_face[partner], at, corners)
    mover = view.mover_features(
        FACE, body.triangle_face[triangle[best]], body.triangle_uv[triangle[best], corner[best]]
    )
    base = view.base_faces(
        view.base.body.triangle_face[partner[best]], uv_at(view, at[best], partner[best], corners[best])
    )
    at = at[best]
    base, foot = closest_points_on_faces(at, base, view.body_pair.radius, _FOOT_ROUNDS)
    offset = at - foot.point
    distance = dot(offset, foot.normal)
    beside = offset - distance[:, None] * foot.normal
    footed = dot(beside, beside) < (1e-3 * reach) ** 2
    near = np.nonzero(np.abs(distance) <= reach)[0]
    points = view.points(mover, base).take(near)
    at, distance = at[near], distance[near]
    height, _ = heights(view, points, at, distance, tracked, before)
    links = _neighbours(body.triangle_corners[np.unique(mine)], sample[best][near], base.index[near])
    spacing = view.mover.triangle_size[triangle[best]][near]
    lowest = _lowest_of_neighbours(links, height)
    return FaceSeeds(points, view.on_active, at, height, spacing, footed[near], lowest)


def heights(
    view: PairRoles,
    points: InterfacePoints,
    at: Floats,
    distance: Floats,
    tracked: InterfacePoints,
    before: BodyPair | None,
) -> tuple[Floats, Floats]:
    """Return the heights (k,) of unsolved points at (k, 3) over their bases, and on which sides (k,) of these
    they are, from the distances (k,) along the bases' normals; before, tracked: as in `face_samples`.
    """
    base = points.index2 if view.on_active else points.index1
    trusted = view.base.trusted[base]
    side = np.where(trusted | (distance >= 0.0), 1.0, -1.0)
    if before is not None:  # what is farther from its foot than it has moved is still on the same side
        moved = displacement_since(before, view.body_pair, at, view.on_active)
        rows = np.nonzero(~trusted & (np.abs(distance) <= moved))[0]
        side[rows] = sides_of_base(before, points.take(rows), view.on_active, tracked)
    return side * distance, side


def neglected(samples: FaceSeeds, tracked: InterfacePoints, softness: float) -> Bools:
    """Tell which samples lie in the sphere of neglect of a tracked point of the same faces (sections 3,
    4.3): the minimum they would lead to is known.  Its radius is the distance to the sample's neighbours; one
    that is lower than the point's own curvature has it is in another valley.
    Points softer than `softness` (1/length) have none: where their minimum is, is hardly known.
    """
    faces = (tracked.dim1 == FACE) & (tracked.dim2 == FACE)
    known = tracked.take(faces & (tracked.softest > softness))
    same = (samples.points.index1[:, None] == known.index1) & (samples.points.index2[:, None] == known.index2)
    offset = samples.at[:, None] - (known.point1 if samples.on_active else known.point2)
    away = dot(offset, offset)
    near = same & (away < samples.spacing[:, None] ** 2)
    near &= samples.gap[:, None] >= known.gap + _SAME_VALLEY * known.softest * away
    found: Bools = near.any(axis=1)
    return found


def _neighbours(triangles: Ints, sample: Ints, base_face: Ints) -> tuple[Ints, Ints]:
    """Return the pairs (l,), (l,) of neighbouring samples over the same base face."""
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
    """Tell which samples (k,) have no lower neighbour, ties going to the first."""
    row, met = links
    rank = np.empty(len(height), np.intp)
    rank[np.argsort(height, kind="stable")] = np.arange(len(height))
    lowest = np.ones(len(height), bool)
    lowest[row[rank[met] < rank[row]]] = False
    return lowest
