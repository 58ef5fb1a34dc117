"""All interface points of two bodies at a pose: those tracked from the pose before, and new ones (Snyder
1995, 4.1-4.3).

A state's points are found in four moves:

1. *track*: points known before are solved again from their parameters (the conditioning phase);
2. *create*: near triangles outside the spheres of neglect give starts, which are solved and told apart from
   ghosts;
3. *spread*: where a pair is soft - a contact curve or area - samples around it join, so that what is a curve
   in the world is not held up by one point of it; they are stationary in the stiff directions only;
4. what cannot be (beyond reach, a double, the far side of a thin wall) is dropped: the vanishing transitions
   of 4.2.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from ...arrays import Bools, Floats, Ints
from ...collision import directional_pairs, near_pairs
from ...vectors import dot
from ..body_pair import BodyPair, displacement_since, farthest_displacement
from ..features import EDGE, FACE
from ..normal_cones import in_normal_cones
from ..regions.flat_pairs import flat_pairs, flush
from ..sidedness import on_their_sides, turned_against_neighbours
from .contact_curves import SAME, CurveSources, lost_samples, sample_contact_curves, settled_or_lowest
from .extremal_pairs import promising, solve_extremal_pairs
from .face_seeds import face_seeds, neglected
from .feature_seeds import distance_seeds, edge_seeds, vertex_seeds
from .interface_points import LOW, InterfacePoints, lowest_spread, without_doubles
from .linearization import SOFT
from .minimization import closest_points_on_faces
from .pair_roles import PairRoles
from .sub_cell_seeds import sub_cell_seeds

_MOST = 400  # starts that are solved
_FOOT_ROUNDS = 3
_MOST_FLAT = 128  # points of flat features that a state goes on with
_CLOSE = 1.0 / 8.0  # part of the reach within which a body that lies flat has points enough
_PAIRS_A_POINT = 1  # pairs of near triangles below which there are not enough
_BENT = 4e-7  # gap / R that a corner may seem to have to the next face of its plane, that bends by rounding
_CONE = 1e-6  # sine of the angle by which a normal may leave a cone
_NOTHING: Ints = np.zeros(0, np.intp)


@dataclass(frozen=True)
class Reach:
    """How far to look: for curved features, for flat ones (many more pairs), and for samples of curves.

    threshold: how far a new point may have walked from where the triangles met; farther is a failure (4.3).
    All are lengths.
    """

    curved: float
    flat: float
    samples: float
    threshold: float = np.inf

    @property
    def farthest(self) -> float:
        """The farthest that any pair is looked for."""
        return max(self.curved, self.flat)

    def times(self, factor: float) -> Reach:
        """Return a reach `factor` times as far."""
        return Reach(*(factor * each for each in (self.curved, self.flat, self.samples, self.threshold)))


def generate_interface_points(
    body_pair: BodyPair, reach: Reach, tracked: InterfacePoints, before: BodyPair | None
) -> InterfacePoints:
    """Return the interface points at the body_pair's pose.

    tracked: points known before, solved at this pose (`solve_tracked`); flat ones that have no solution here
    still tell sides.  before: a pose known to be free of
    overlap, from which this one was reached; a new point that was already inside there is the far side of a
    wall.  None: the first pose, where nothing is known.
    """
    kept = tracked.take(
        ~tracked.on_curve & ~between_flat_features(body_pair, tracked) & (tracked.gap <= reach.curved)
    )
    kept = kept.take(_is_bound(body_pair, kept))
    if body_pair.is_plain:
        flat, t1, t2 = _lowest_of_plain(body_pair, reach.flat, tracked, before), _NOTHING, _NOTHING
    else:
        t1, t2 = _near(body_pair, reach.farthest)
        flat = _lowest(body_pair, flat_pairs(body_pair, t1, t2, before, reach.flat))
        curved = ~(body_pair.active.triangle_plain[t1] & body_pair.world.triangle_plain[t2])
        t1, t2 = t1[curved], t2[curved]
    parts = [kept, _with_known_sides(body_pair, flat, tracked, before is not None)]
    if len(t1):
        new, samples = _create(body_pair, t1, t2, reach, kept, tracked, before)
        parts.append(new.take(settled_or_lowest(body_pair, new)))
        curves = sample_contact_curves(
            body_pair, InterfacePoints.join([kept, new]), samples, reach.samples, before
        )
        parts.extend(_not_inside_before(before, body_pair, part) for part in curves)
    found = without_doubles(InterfacePoints.join(parts), SAME * body_pair.radius)
    return InterfacePoints.join([found, lost_samples(body_pair, tracked, found, reach.curved)])


def interface_points_of_triangles(body_pair: BodyPair, t1: Ints, t2: Ints, reach: float) -> InterfacePoints:
    """Return the interface points of curved features of pairs of triangles (k,), at a pose of which nothing
    is known.
    """
    nothing = InterfacePoints.none()
    return _create(body_pair, t1, t2, Reach(reach, reach, reach), nothing, nothing, None)[0]


def _not_inside_before(
    before: BodyPair | None, body_pair: BodyPair, samples: InterfacePoints
) -> InterfacePoints:
    """Drop samples of contact curves that overlap and did so before: they look at the far side of a wall."""
    deep = samples.gap < 0.0
    if before is None or not deep.any():
        return samples
    real = np.ones(len(samples), bool)
    real[deep], _ = _judged_before(before, body_pair, samples.take(deep))
    return samples.take(real)


def _near(body_pair: BodyPair, reach: float) -> tuple[Ints, Ints]:
    pairs = near_pairs(body_pair.active.tree, body_pair.pose, body_pair.world.tree, reach)
    return pairs[:, 0], pairs[:, 1]


def _lowest_of_plain(
    body_pair: BodyPair, reach: float, tracked: InterfacePoints, before: BodyPair | None
) -> InterfacePoints:
    """Find flat features' points where nothing is curved.  What lies flat has enough of them close by: then
    none is looked for farther off, and those that are lowest are the same.
    """
    lay_flat = np.count_nonzero(tracked.gap <= body_pair.sign_tolerance) >= _MOST_FLAT
    for close in (_CLOSE**2 * reach, _CLOSE * reach) if lay_flat else (_CLOSE * reach,):
        t1, t2 = _near_plain(body_pair, close, before)
        if len(t1) >= _PAIRS_A_POINT * _MOST_FLAT:
            points = flat_pairs(body_pair, t1, t2, before, close)
            if _are_all(points.gap, close - body_pair.sign_tolerance, body_pair.sign_tolerance):
                return _lowest(body_pair, points)
    return _lowest(body_pair, flat_pairs(body_pair, *_near_plain(body_pair, reach, before), before, reach))


def _are_all(gaps: Floats, most: float, level: float) -> bool:
    """Whether no gaps (k,) but those up to a length tell which points are the lowest ones: they are enough to
    choose from, or so many bear that no others are chosen.
    """
    gaps = gaps[gaps < most]
    bearing = max(float(gaps.min(initial=np.inf)), 0.0) + level
    bear = int(np.count_nonzero(gaps <= bearing)) if bearing < most else 0
    return len(gaps) >= LOW * _MOST_FLAT or bear >= _MOST_FLAT


def _near_plain(body_pair: BodyPair, reach: float, before: BodyPair | None) -> tuple[Ints, Ints]:
    first, second = body_pair.active.normal_bounds, body_pair.world.normal_bounds
    behind = 0.0 if before is None else farthest_displacement(before, body_pair)
    pairs = directional_pairs(first, body_pair.pose, second, reach, body_pair.sign_tolerance, behind)
    return pairs[:, 0], pairs[:, 1]


def _lowest(body_pair: BodyPair, points: InterfacePoints) -> InterfacePoints:
    return lowest_spread(points, _MOST_FLAT, body_pair.sign_tolerance)


def track_interface_points(body_pair: BodyPair, points: InterfacePoints) -> InterfacePoints:
    """Solve known points again where the body stands now, sides kept; those that left their features are
    dropped.
    """
    if len(points) == 0:
        return points
    solved, valid = solve_extremal_pairs(body_pair, points, known_sides=True)
    flat = between_flat_features(body_pair, solved)
    valid[flat] &= ~flush(body_pair, solved.take(flat))
    return solved.take(valid)


def between_flat_features(body_pair: BodyPair, points: InterfacePoints) -> Bools:
    """Tell which points' features are both flat or straight, shape (k,): those that `flat_pairs` finds by
    itself.
    """
    straight = np.ones(len(points), bool)
    sides = ((points.dim1, points.index1, body_pair.active), (points.dim2, points.index2, body_pair.world))
    for dim, index, body in sides:
        faces, edges = dim == FACE, dim == EDGE
        straight[faces] &= body.body.face_flat[index[faces]]
        straight[edges] &= body.straight[index[edges]]
    both_faces: Bools = (points.dim1 == FACE) & (points.dim2 == FACE)
    return straight & ~both_faces


def _real(body_pair: BodyPair, points: InterfacePoints, valid: Bools, reach: Reach) -> InterfacePoints:
    """Keep the valid points within reach that bind the motion."""
    near = points.take(valid & (np.abs(points.gap) <= reach.curved))
    return near.take(_is_bound(body_pair, near))


def _is_bound(body_pair: BodyPair, points: InterfacePoints) -> Bools:
    """Tell which points the body must obey: those whose normals lie in both normal cones, and those that
    stand over a face, lowest or not; a depth out of the cones is the far side of a wall.
    """
    over_face: Bools = (points.dim1 == FACE) | (points.dim2 == FACE)
    return (over_face & (points.gap >= 0.0)) | in_normal_cones(body_pair, points, _CONE)


def _with_known_sides(
    body_pair: BodyPair, points: InterfacePoints, tracked: InterfacePoints, apart: bool
) -> InterfacePoints:
    """Keep the sides that points of the same features had; a gap too small to tell would let a sheet slip
    through; a face that knows its outside needs no such help.  Of new points among bodies known to be apart
    even the smallest gap tells.
    """
    flip = np.zeros(len(points), bool)
    bent = np.nonzero((np.abs(points.gap) < _BENT * body_pair.radius) & ~body_pair.knows_outside(points))[0]
    if len(bent) == 0:
        return points
    flip[bent] = turned_against_neighbours(points.take(bent), tracked, _BENT * body_pair.radius)
    rows = bent[(np.abs(points.gap[bent]) < body_pair.sign_tolerance) & ~flip[bent]]
    known = {key: i for i, key in enumerate(_feature_keys(tracked))}
    for row, key in zip(rows.tolist(), _feature_keys(points.take(rows)), strict=True):
        if key in known:
            flip[row] = dot(points.normal[row], tracked.normal[known[key]]) < 0.0
        else:
            flip[row] = apart and points.gap[row] < 0.0
    sign = np.where(flip, -1.0, 1.0)
    return replace(
        points, side=sign * points.side, normal=sign[:, None] * points.normal, gap=sign * points.gap
    )


def _feature_keys(points: InterfacePoints) -> list[tuple[int, int, int, int]]:
    columns = (points.dim1, points.index1, points.dim2, points.index2)
    return list(zip(*(column.tolist() for column in columns), strict=True))


def _create(
    body_pair: BodyPair,
    t1: Ints,
    t2: Ints,
    reach: Reach,
    kept: InterfacePoints,
    tracked: InterfacePoints,
    before: BodyPair | None,
) -> tuple[InterfacePoints, CurveSources]:
    on_active, on_world = PairRoles(body_pair, True), PairRoles(body_pair, False)
    faces = face_seeds(body_pair, t1, t2, reach.curved, tracked, before)
    edges = [
        edge_seeds(on_active, t1, t2, reach.curved),
        edge_seeds(on_world, t2, t1, reach.curved),
    ]
    starts = InterfacePoints.join(
        [InterfacePoints.none()]
        + [
            samples.points.take(samples.lowest & ~neglected(samples, kept, SOFT / body_pair.radius))
            for samples in faces
        ]
        + sub_cell_seeds(body_pair, t1, t2, reach.curved, tracked, before)
        + [nearest for nearest, _ in edges]
        + [
            vertex_seeds(on_active, t1, t2, reach.curved),
            vertex_seeds(on_world, t2, t1, reach.curved),
            distance_seeds(body_pair, t1, t2, reach.curved),
        ]
    )
    candidates = CurveSources(faces, [every for _, every in edges])
    return _solve_new(body_pair, starts, reach, tracked, before), candidates


def _solve_new(
    body_pair: BodyPair,
    starts: InterfacePoints,
    reach: Reach,
    tracked: InterfacePoints,
    before: BodyPair | None,
) -> InterfacePoints:
    told = np.zeros(len(starts), bool)
    if before is not None:
        starts = on_their_sides(before, starts, tracked)
        told = ((starts.dim1 == FACE) | (starts.dim2 == FACE)) & ~body_pair.side_is_certain(starts)
    hopeful = np.nonzero(promising(body_pair, starts, told))[0]
    hopeful = hopeful[_nearest(body_pair, starts.take(hopeful))]
    starts = starts.take(hopeful)
    solved, valid = solve_extremal_pairs(body_pair, starts, told[hopeful])
    if np.isfinite(reach.threshold):
        offset = solved.point1 - body_pair.first(starts).geometry().point
        valid &= dot(offset, offset) <= reach.threshold**2
    points = _real(body_pair, solved, valid, reach)
    if before is None:
        return points
    doubtful = (points.gap < 0.0) | ~body_pair.side_is_certain(points)
    if not doubtful.any():
        return points
    real, sided = _judged_before(before, body_pair, points.take(doubtful))
    again = _real(body_pair, *solve_extremal_pairs(body_pair, sided.take(real), known_sides=True), reach)
    return InterfacePoints.join([points.take(~doubtful), again])


def _nearest(body_pair: BodyPair, starts: InterfacePoints) -> Ints:
    """Return the rows of the starts whose features are nearest, no more than a fine mesh needs, in order."""
    if len(starts) <= _MOST:
        return np.arange(len(starts))
    first, second = body_pair.first(starts), body_pair.second(starts)
    at1, at2 = first.geometry().point, second.geometry().point
    on_world = np.nonzero(starts.dim2 == FACE)[
        0
    ]  # where a start is over a face, it need not be over its foot
    on_active = np.nonzero((starts.dim1 == FACE) & (starts.dim2 != FACE))[0]
    at2[on_world] = closest_points_on_faces(
        at1[on_world], second.take(on_world), body_pair.radius, _FOOT_ROUNDS
    )[1].point
    at1[on_active] = closest_points_on_faces(
        at2[on_active], first.take(on_active), body_pair.radius, _FOOT_ROUNDS
    )[1].point
    offset = at1 - at2
    nearest: Ints = np.sort(np.argsort(dot(offset, offset), kind="stable")[:_MOST])
    return nearest


def _judged_before(
    before: BodyPair, body_pair: BodyPair, points: InterfacePoints
) -> tuple[Bools, InterfacePoints]:
    """Tell which points were not inside already at a pose known to be free of overlap, and return them on
    the sides that are seen from there.

    They are held where they are: on a soft pair the minimum of that pose may be far away.  A pair whose foot
    was outside its base then (it has come over from the next triangle) is real; a flat base tells its side
    even so.  None has gone in deeper than it has moved since.
    """
    held = replace(points, on_curve=np.ones(len(points), bool))
    then, valid = solve_extremal_pairs(before, held, known_sides=False)
    rounding = 1e-9 * before.radius
    inside = (valid & (then.gap < -rounding)) | (points.gap < -_moved(before, body_pair, points) - rounding)
    flat = np.zeros(len(points), bool)
    for dim, index, body in (
        (points.dim1, points.index1, before.active.body),
        (points.dim2, points.index2, before.world.body),
    ):
        faces = dim == FACE
        flat[faces] |= body.face_flat[index[faces]]
    told = ~before.side_is_certain(points) & (valid | flat)
    return ~inside, replace(
        points,
        side=np.where(told, then.side, points.side),
        normal=np.where(told[:, None], then.normal, points.normal),
    )


def _moved(before: BodyPair, body_pair: BodyPair, points: InterfacePoints) -> Floats:
    """Return how far each point's mover has moved against its base between two poses (k,)."""
    of_first = displacement_since(before, body_pair, points.point1, on_active=True)
    of_second = displacement_since(before, body_pair, points.point2, on_active=False)
    moved: Floats = np.where(points.dim2 == FACE, of_first, of_second)
    return moved
