"""Creation of interface points of curved features (Snyder 1995, section 4.3).

Near triangles give *seeds*: points of faces over faces (`face_seeds`), edges and vertices (`feature_seeds`).
Where surfaces are proven to cross although no point says so, as in a wave finer than the mesh, the parts that
cross give further ones (`points_at_crossings`).  Seeds in the sphere of neglect of a tracked point are left
out.  The others are put on their sides, solved, and kept if they bind the motion and were not inside
already at the pose before.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from ...arrays import ArrayRecord, Bools, Ints
from ...vectors import dot
from ..body_pair import CONE_TOLERANCE, AnyPairs, BodyPair
from ..features import FACE
from ..normal_cones import in_normal_cones
from ..sidedness import on_their_sides, outside_before
from .closest_points import closest_points_across_seams, closest_points_on_faces
from .contact_curves import CurveSources
from .extremal_pairs import may_be_minima, solve_extremal_pairs
from .face_seeds import FaceSeeds, face_seeds, heights_and_sides, nearest_of_long, neglected
from .feature_seeds import distance_seeds, edge_seeds, vertex_seeds
from .interface_points import SOFT, InterfacePoints, spread_out
from .pair_roles import PairRoles
from .surface_crossings import SurfaceCrossings

_MOST = 400  # starts that are solved, the nearest: on a fine mesh more lead to the same points again
_PATIENCE = 5  # rounds that a start may be far from a minimum: one that is farther has nearer starts
_ROUNDS = 3  # of Newton's method for the distance by which starts are ordered
_MOST_CROSSINGS = 200  # crossings, the deepest, whose corners are looked at
_MOST_SAMPLES = 24  # corners inside the other body, spread out, that are kept
_HIDDEN = 1e-6  # of R: depth of an overlap that may not be provable (`surface_crossings`)
_CLOSEST_ROUNDS = 8  # of Newton's method for the closest points of corners inside the other body
_BESIDE = 1e-7  # of R: tangential offset up to which a closest point is one, and not a border's


@dataclass(frozen=True)
class Reach:
    """How far interface points are searched; all are lengths.

    curved, flat: the largest gap of points of curved and of flat features (of these there are many more).
    samples: the largest gap of samples of contact curves.
    threshold: how far a new point may lie from where its triangles met; farther is the paper's failure
    (section 4.3).
    """

    curved: float
    flat: float
    samples: float
    threshold: float = np.inf

    @property
    def farthest(self) -> float:
        """The farthest that any pair is searched, a length."""
        return max(self.curved, self.flat)

    def times(self, factor: float) -> Reach:
        """Return a reach `factor` times as far."""
        return Reach(*(factor * each for each in (self.curved, self.flat, self.samples, self.threshold)))


@dataclass(frozen=True, eq=False)
class Starts(ArrayRecord):
    """k starts of new interface points, of one pair of bodies or of many.

    points: unsolved, on the sides that the pose before shows.
    known_sides (k,): which sides are to be kept.
    """

    points: InterfacePoints
    known_sides: Bools

    def __len__(self) -> int:
        return len(self.known_sides)

    @classmethod
    def none(cls) -> Starts:
        """Return no starts."""
        return cls(InterfacePoints.none(), np.zeros(0, bool))

    def hopeful(self, body_pair: AnyPairs) -> Bools:
        """Return which of them (k,) may lead to minima."""
        return may_be_minima(body_pair, self.points, self.known_sides)

    def nearest(self, body_pair: BodyPair) -> Starts:
        """Return the _MOST nearest of the starts of one pair."""
        return self.take(_nearest(body_pair, self.points)) if len(self) > _MOST else self

    def solved(self, body_pair: AnyPairs) -> tuple[InterfacePoints, Bools]:
        """Return their solutions, and which of them (k,) are valid."""
        return solve_extremal_pairs(body_pair, self.points, self.known_sides, _PATIENCE)


def starts_from(
    body_pair: BodyPair,
    t1: Ints,
    t2: Ints,
    reach: float,
    kept: InterfacePoints,
    tracked: InterfacePoints,
    before: BodyPair | None,
) -> tuple[Starts, CurveSources]:
    """Return the starts of pairs of near triangles, and the seeds that contact curves start from.

    Args:
        t1, t2: (k,) triangles of the active body and of the world, not both plain.
        reach: how far to look, a length.
        kept: the tracked points that persist; seeds in their spheres of neglect are left out.
        tracked: all points known before, which show the sides of sheets.
        before: a pose free of overlap, for the same; None at the first pose.
    """
    faces, edges, others = _seeds(body_pair, t1, t2, reach, tracked, before)
    softness = SOFT / body_pair.radius
    of_faces = [seeds.points.take(seeds.lowest & ~neglected(seeds, kept, softness)) for seeds in faces]
    of_long = nearest_of_long(body_pair, t1, t2, reach, kept, faces)
    points = InterfacePoints.join([InterfacePoints.none(), *of_faces, of_long, *others])
    return Starts(*_with_sides(body_pair, points, tracked, before)), CurveSources(faces, edges)


def created_points(
    body_pair: BodyPair,
    starts: Starts,
    solved: InterfacePoints,
    valid: Bools,
    reach: Reach,
    before: BodyPair | None,
) -> InterfacePoints:
    """Return the new interface points among the solutions of starts (k,), of which some are valid (k,)."""
    if np.isfinite(reach.threshold):
        offset = solved.point1 - body_pair.first(starts.points).geometry().point
        valid = valid & (dot(offset, offset) <= reach.threshold**2)
    new = binding(body_pair, solved.take(valid), reach.curved)
    return _outside(body_pair, new, reach.curved, before)


def interface_points_of_triangles(body_pair: BodyPair, t1: Ints, t2: Ints, reach: float) -> InterfacePoints:
    """Return the interface points of curved features that pairs of triangles (k,) are or own.

    Nothing is known of any other pose; reach is a length.
    """
    nothing = InterfacePoints.none()
    every, _ = starts_from(body_pair, t1, t2, reach, nothing, nothing, None)
    starts = every.take(every.hopeful(body_pair)).nearest(body_pair)
    return created_points(body_pair, starts, *starts.solved(body_pair), Reach(reach, reach, reach), None)


def points_at_crossings(
    body_pair: BodyPair, crossings: SurfaceCrossings, reach: float, before: BodyPair | None
) -> InterfacePoints:
    """Return interface points with negative gaps where surfaces are proven to cross.

    Corners of the parts that cross are starts.  One whose solution is no minimum inside its features, as
    where the gap is least at a border, stays where it is: it is inside the other body, and must come out.

    Args:
        reach: the largest depth, a length.
        before: a pose free of overlap, which shows the sides of sheets; None if none is known.
    """
    deepest = crossings.take(np.argsort(-crossings.depth, kind="stable")[:_MOST_CROSSINGS])
    here = InterfacePoints.join(
        [_inside_base(PairRoles(body_pair, side), deepest, before) for side in (True, False)]
    )
    here = here.take(here.gap >= -reach)
    if len(here) == 0:
        return here
    here = here.take(spread_out(here.point1, _MOST_SAMPLES))
    free = replace(here, on_curve=np.zeros(len(here), bool))
    solved, valid = solve_extremal_pairs(body_pair, free, known_sides=True)
    moved = solved.point1 - here.point1
    valid &= (solved.gap <= here.gap) & (dot(moved, moved) <= reach**2)
    found = InterfacePoints.join([solved.take(valid), here.take(~valid)])
    if before is None:
        return found
    return found.take(outside_before(before, body_pair, found, _HIDDEN * body_pair.radius)[0])


def _inside_base(roles: PairRoles, crossings: SurfaceCrossings, before: BodyPair | None) -> InterfacePoints:
    """Return the corners of the mover's parts of crossings that are inside the base, as samples.

    Each is over the closest point of the face that it crosses, or of the one beyond a seam, and its normal is
    that of this face.
    """
    mine, other, mover_uv, base_uv = (
        crossings.triangles[:, 0],
        crossings.triangles[:, 1],
        crossings.uv1,
        crossings.uv2,
    )
    if not roles.on_active:
        mine, other, mover_uv, base_uv = other, mine, base_uv, mover_uv
    face, base_face = roles.mover.body.triangle_face[mine], roles.base.body.triangle_face[other]
    mover = roles.mover_features(FACE, np.repeat(face, 3), mover_uv.reshape(-1, 2))
    at = mover.geometry()
    radius = roles.body_pair.radius
    base = roles.base_faces(np.repeat(base_face, 3), np.repeat(base_uv.mean(axis=1), 3, axis=0))
    seams = roles.base.seams
    base, closest = closest_points_across_seams(at.point, base, seams, radius, _CLOSEST_ROUNDS)
    offset = at.point - closest.point
    distance = dot(offset, closest.normal)
    points = roles.points(mover, base)
    nothing = InterfacePoints.none()
    _, side = heights_and_sides(roles, points, at.point, distance, nothing, before)
    looks = ~roles.base.trusted[base.piece] & roles.mover.trusted[mover.piece]
    side = np.where(looks, np.where(dot(at.normal, closest.normal) > 0.0, -1.0, 1.0), side)
    beside = offset - distance[:, None] * closest.normal
    inside = (side * distance < 0.0) & (dot(beside, beside) <= (_BESIDE * radius) ** 2)
    normal = side[:, None] * closest.normal * (1.0 if roles.on_active else -1.0)
    first, second = (at, closest) if roles.on_active else (closest, at)
    samples = replace(
        points,
        side=np.where(dot(normal, second.normal) < 0.0, -1.0, 1.0),
        on_curve=np.ones(len(points), bool),
        softest=np.zeros(len(points)),
        point1=first.point,
        point2=second.point,
        normal=normal,
        gap=side * distance,
    )
    return samples.take(inside)


def _seeds(
    body_pair: BodyPair, t1: Ints, t2: Ints, reach: float, tracked: InterfacePoints, before: BodyPair | None
) -> tuple[list[FaceSeeds], list[InterfacePoints], list[InterfacePoints]]:
    """Return the seeds of faces, all seeds of edges over faces, and the starts but those of faces."""
    on_active, on_world = PairRoles(body_pair, True), PairRoles(body_pair, False)
    faces = face_seeds(body_pair, t1, t2, reach, tracked, before)
    edges = [edge_seeds(on_active, t1, t2, reach), edge_seeds(on_world, t2, t1, reach)]
    starts = [
        *(nearest for nearest, _ in edges),
        vertex_seeds(on_active, t1, t2, reach),
        vertex_seeds(on_world, t2, t1, reach),
        distance_seeds(body_pair, t1, t2, reach),
    ]
    return faces, [every for _, every in edges], starts


def _with_sides(
    body_pair: BodyPair, starts: InterfacePoints, tracked: InterfacePoints, before: BodyPair | None
) -> tuple[InterfacePoints, Bools]:
    """Return the starts on the sides that the pose before shows, and for which (k,) these are to be kept."""
    if before is None:
        return starts, np.zeros(len(starts), bool)
    starts = on_their_sides(before, starts, tracked)
    over_face: Bools = (starts.dim1 == FACE) | (starts.dim2 == FACE)
    return starts, over_face & ~body_pair.side_is_certain(starts)


def _nearest(body_pair: BodyPair, starts: InterfacePoints) -> Ints:
    """Return the rows of the _MOST starts whose features are nearest, ascending.

    A start over a face need not be over its closest point, so a few rounds find that first.
    """
    first, second = body_pair.first(starts), body_pair.second(starts)
    at1, at2, radius = first.geometry().point, second.geometry().point, body_pair.radius
    on_world = np.nonzero(starts.dim2 == FACE)[0]
    on_active = np.nonzero((starts.dim1 == FACE) & (starts.dim2 != FACE))[0]
    at2[on_world] = closest_points_on_faces(at1[on_world], second.take(on_world), radius, _ROUNDS)[1].point
    at1[on_active] = closest_points_on_faces(at2[on_active], first.take(on_active), radius, _ROUNDS)[1].point
    offset = at1 - at2
    nearest: Ints = np.sort(np.argsort(dot(offset, offset), kind="stable")[:_MOST])
    return nearest


def _outside(
    body_pair: BodyPair, points: InterfacePoints, reach: float, before: BodyPair | None
) -> InterfacePoints:
    """Return the new points without those that were inside before: they look at the far side of a wall.

    Those that overlap, or whose side is not certain, are looked at, and solved again on their sides.
    """
    if before is None:
        return points
    doubtful = (points.gap < 0.0) | ~body_pair.side_is_certain(points)
    if not doubtful.any():
        return points
    real, sided = outside_before(before, body_pair, points.take(doubtful))
    again, valid = solve_extremal_pairs(body_pair, sided.take(real), known_sides=True)
    return InterfacePoints.join([points.take(~doubtful), binding(body_pair, again.take(valid), reach)])


def binding(body_pair: BodyPair, points: InterfacePoints, reach: float) -> InterfacePoints:
    """Return the points with |gap| within reach, a length, that the motion must obey.

    Those are the points whose normals lie in both normal cones, and those that stand over a face, whether
    lowest or not.  An overlap outside the cones is the far side of a wall.
    """
    near = points.take(np.abs(points.gap) <= reach)
    if len(near) == 0:
        return near
    over_face: Bools = (near.dim1 == FACE) | (near.dim2 == FACE)
    binds = (over_face & (near.gap >= 0.0)) | in_normal_cones(body_pair, near, CONE_TOLERANCE)
    return near.take(binds)
