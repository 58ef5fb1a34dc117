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

from ..arrays import Bools, Floats, Ints
from ..collision import near_pairs
from .cones import pressing
from .encounter import Encounter
from .features import EDGE, FACE, FeatureGeometry, dot
from .linearization import SOFT
from .points import InterfacePoints, spread_out, without_doubles
from .polyhedral import flat_pairs
from .seeds import (
    Samples,
    View,
    distance_starts,
    edge_starts,
    face_samples,
    neglected,
    vertex_starts,
)
from .solving import base_is_trusted, promising, side_is_certain, solve_points

_CONE = 1e-6  # sine of the angle by which a normal may leave a cone
_SAMPLES = 24  # points that a contact curve is given
_SAME = 1e-6  # distance / R within which two points of the same features are one


@dataclass(frozen=True)
class Reach:
    """How far to look, in lengths: for curved features, for flat ones (many more pairs), and for samples of
    curves.
    """

    curved: float
    flat: float
    samples: float


def find_points(
    encounter: Encounter, reach: Reach, tracked: InterfacePoints, before: Encounter | None
) -> InterfacePoints:
    """Return the interface points at the encounter's pose.

    tracked: points known before, solved at this pose (`solve_tracked`).  before: a pose known to be free of
    overlap, from which this one was reached; a new point that was already inside there is the far side of a
    wall.  None: the first pose, where nothing is known.
    """
    kept = tracked.take(~tracked.held & ~flat_pair(encounter, tracked) & (tracked.gap <= reach.curved))
    kept = kept.take(_is_bound(encounter, kept))
    t1, t2 = _near(encounter, max(reach.curved, reach.flat))
    parts = [kept, _flat(encounter, t1, t2, reach, tracked, before is not None)]
    curved = ~(encounter.active.triangle_plain[t1] & encounter.world.triangle_plain[t2])
    t1, t2 = t1[curved], t2[curved]
    if len(t1):
        new, samples = _create(encounter, t1, t2, reach, kept, before)
        parts.append(new.take(_settled_or_lowest(encounter, new)))
        parts.extend(_spread(encounter, InterfacePoints.join([kept, new]), samples, reach))
    found = without_doubles(InterfacePoints.join(parts), _SAME * encounter.radius)
    return InterfacePoints.join([found, _lost(encounter, tracked, found, reach)])


def _lost(
    encounter: Encounter, tracked: InterfacePoints, found: InterfacePoints, reach: Reach
) -> InterfacePoints:
    """Return the tracked samples of contact curves of which nothing was found again: better an old sample
    than none.
    """
    samples = tracked.take(tracked.held & (tracked.gap <= reach.curved) & _is_bound(encounter, tracked))
    known = set(sampled_feature(encounter, found))
    rows = [row for row, key in enumerate(sampled_feature(encounter, samples)) if key not in known]
    return samples.take(np.array(rows, dtype=np.intp))


def _near(encounter: Encounter, reach: float) -> tuple[Ints, Ints]:
    pairs = near_pairs(encounter.active.tree, encounter.pose, encounter.world.tree, reach)
    return pairs[:, 0], pairs[:, 1]


def solve_tracked(encounter: Encounter, points: InterfacePoints) -> InterfacePoints:
    """Solve known points again where the body stands now, sides kept; those that left their features are
    dropped.
    """
    if len(points) == 0:
        return points
    solved, valid = solve_points(encounter, points, known_sides=True)
    return solved.take(valid)


def flat_pair(encounter: Encounter, points: InterfacePoints) -> Bools:
    """Tell which points' features are both flat or straight, shape (k,): those that `flat_pairs` finds by
    itself.
    """
    straight = np.ones(len(points), bool)
    sides = ((points.dim1, points.index1, encounter.active), (points.dim2, points.index2, encounter.world))
    for dim, index, body in sides:
        faces, edges = dim == FACE, dim == EDGE
        straight[faces] &= body.body.face_flat[index[faces]]
        straight[edges] &= body.straight[index[edges]]
    both_faces: Bools = (points.dim1 == FACE) & (points.dim2 == FACE)
    return straight & ~both_faces


def _real(encounter: Encounter, points: InterfacePoints, valid: Bools, reach: Reach) -> InterfacePoints:
    """Keep the valid points within reach that bind the motion."""
    near = points.take(valid & (np.abs(points.gap) <= reach.curved))
    return near.take(_is_bound(encounter, near))


def _is_bound(encounter: Encounter, points: InterfacePoints) -> Bools:
    """Tell which points the body must obey: those whose normals lie in both normal cones, and those that
    stand over a face, lowest or not; a depth out of the cones is the far side of a wall.
    """
    over_face: Bools = (points.dim1 == FACE) | (points.dim2 == FACE)
    return (over_face & (points.gap >= 0.0)) | pressing(encounter, points, _CONE)


def _flat(
    encounter: Encounter, t1: Ints, t2: Ints, reach: Reach, tracked: InterfacePoints, apart: bool
) -> InterfacePoints:
    if len(t1) == 0 or not (encounter.active.has_flat_parts and encounter.world.has_flat_parts):
        return InterfacePoints.none()
    points = flat_pairs(encounter, t1, t2)
    points = points.take(points.gap <= reach.flat)
    return _with_known_sides(points, tracked, apart, encounter.sure)


def _with_known_sides(
    points: InterfacePoints, tracked: InterfacePoints, apart: bool, sure: float
) -> InterfacePoints:
    """Keep the sides that points of the same features had; a gap too small to tell would let a sheet slip
    through.  Of new points among bodies known to be apart even the smallest gap tells.
    """
    rows = np.nonzero(np.abs(points.gap) < sure)[0]
    if len(rows) == 0:
        return points
    known = {key: i for i, key in enumerate(_feature_keys(tracked))}
    flip = np.zeros(len(points), bool)
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


@dataclass(frozen=True)
class _Candidates:
    """What contact curves are sampled from: faces' samples and edges' starts."""

    faces: list[Samples]
    edges: list[InterfacePoints]


def _create(
    encounter: Encounter,
    t1: Ints,
    t2: Ints,
    reach: Reach,
    kept: InterfacePoints,
    before: Encounter | None,
) -> tuple[InterfacePoints, _Candidates]:
    on_active, on_world = View(encounter, True), View(encounter, False)
    faces = face_samples(encounter, t1, t2, reach.curved)
    edges = [edge_starts(on_active, t1, t2, reach.curved), edge_starts(on_world, t2, t1, reach.curved)]
    starts = InterfacePoints.join(
        [InterfacePoints.none()]
        + [
            samples.points.take(samples.lowest & ~neglected(samples, kept, SOFT / encounter.radius))
            for samples in faces
        ]
        + edges
        + [
            vertex_starts(on_active, t1, t2, reach.curved),
            vertex_starts(on_world, t2, t1, reach.curved),
            distance_starts(encounter, t1, t2, reach.curved),
        ]
    )
    return _solve_new(encounter, starts, reach, before), _Candidates(faces, edges)


def _solve_new(
    encounter: Encounter, starts: InterfacePoints, reach: Reach, before: Encounter | None
) -> InterfacePoints:
    starts = starts.take(promising(encounter, starts))
    points = _real(encounter, *solve_points(encounter, starts, known_sides=False), reach)
    if before is None:
        return points
    doubtful = (points.gap < 0.0) | ~side_is_certain(encounter, points)
    if not doubtful.any():
        return points
    real, side = _judged_before(before, points.take(doubtful))
    again = replace(points.take(doubtful).take(real), side=side[real])
    again = _real(encounter, *solve_points(encounter, again, known_sides=True), reach)
    return InterfacePoints.join([points.take(~doubtful), again])


def _judged_before(before: Encounter, points: InterfacePoints) -> tuple[Bools, Floats]:
    """Tell which points were not inside already at a pose known to be free of overlap, and their sides as
    seen from there.

    They are held where they are: on a soft pair the minimum of that pose may be far away.  A pair whose foot
    was outside its base then (it has come over from the next triangle) is real; a flat base tells its side
    even so.
    """
    held = replace(points, held=np.ones(len(points), bool))
    then, valid = solve_points(before, held, known_sides=False)
    inside = valid & (then.gap < -1e-9 * before.radius)
    flat = np.zeros(len(points), bool)
    for dim, index, body in (
        (points.dim1, points.index1, before.active.body),
        (points.dim2, points.index2, before.world.body),
    ):
        faces = dim == FACE
        flat[faces] |= body.face_flat[index[faces]]
    told = ~side_is_certain(before, points) & (valid | flat)
    return ~inside, np.where(told, then.side, points.side)


def _spread(
    encounter: Encounter, points: InterfacePoints, candidates: _Candidates, reach: Reach
) -> list[InterfacePoints]:
    """Sample the soft pairs."""
    soft = (points.softest < SOFT / encounter.radius) & (points.gap < reach.samples)
    if not soft.any():
        return []
    features = sampled_feature(encounter, points.take(soft))
    normals = dict(zip(features, points.normal[soft], strict=True))
    out = []
    for source in [samples.points.take(samples.footed) for samples in candidates.faces] + candidates.edges:
        keys = sampled_feature(encounter, source)
        rows = [row for row, key in enumerate(keys) if key in normals]
        if rows:
            towards = np.array([normals[keys[row]] for row in rows])
            out.append(_samples_near(encounter, source.take(np.array(rows)), towards, reach))
    return out


def _settled_or_lowest(encounter: Encounter, points: InterfacePoints) -> Ints:
    """Return the rows of the settled points and, of those still under way along a soft direction, of the
    lowest of each feature: the samples stand for the rest.
    """
    rows = np.nonzero(~points.held)[0].tolist()
    lowest: dict[tuple[bool, int, int], int] = {}
    for row in np.nonzero(points.held)[0][np.argsort(points.gap[points.held])].tolist():
        lowest.setdefault(sampled_feature(encounter, points.take(slice(row, row + 1)))[0], row)
    return np.array(rows + list(lowest.values()), dtype=np.intp)


def sampled_feature(encounter: Encounter, points: InterfacePoints) -> list[tuple[bool, int, int]]:
    """Name the feature along which each point's contact curve runs, as (is the active body's, dimension,
    index): the edge if there is one, else the face that is not flat.  Its partner may change on the way, as
    triangles of a floor do.
    """
    flat1 = np.zeros(len(points), bool)
    faces = points.dim1 == FACE
    flat1[faces] = encounter.active.body.face_flat[points.index1[faces]]
    on_active = (points.dim1 == EDGE) | ((points.dim2 == FACE) & ~flat1)
    dim, index = (
        np.where(on_active, points.dim1, points.dim2),
        np.where(on_active, points.index1, points.index2),
    )
    return list(zip(on_active.tolist(), dim.tolist(), index.tolist(), strict=True))


def _samples_near(
    encounter: Encounter, source: InterfacePoints, towards: Floats, reach: Reach
) -> InterfacePoints:
    """Hold samples where they are, outside their bases; where these do not know their outside, on the side
    whose normal is most like that of the soft pair, `towards` (k, 3).

    They need no normal cone: no point of the body may pass a face, lowest or not.
    """
    first, second = encounter.evaluate(source)
    on_world = source.dim2 == FACE
    outward = np.where(on_world[:, None], second.normal, -first.normal)
    trusted = base_is_trusted(encounter, source)
    side = np.where(~trusted & (dot(outward, towards) < 0.0), -1.0, 1.0)
    held = replace(source, held=np.ones(len(source), bool), side=side)
    rows = np.nonzero(_over_flat_base(encounter, first, second, on_world))[0]
    held = held.take(rows[spread_out(first.point[rows], 2 * _SAMPLES)])
    solved, valid = solve_points(encounter, held, known_sides=True)
    near = solved.take(valid & (solved.gap < reach.samples))
    return near.take(spread_out(near.point1, _SAMPLES))


def _over_flat_base(
    encounter: Encounter, first: FeatureGeometry, second: FeatureGeometry, on_world: Bools
) -> Bools:
    """Tell which unsolved points stand over their base, where that is flat and so may be one of many small
    faces.
    """
    base_normal = np.where(on_world[:, None], second.normal, first.normal)
    offset = first.point - second.point
    beside = offset - dot(offset, base_normal)[:, None] * base_normal
    curved = np.where(on_world[:, None, None], second.curvature, first.curvature).any(axis=(1, 2))
    return curved | (dot(beside, beside) < (_SAME * encounter.radius) ** 2)
