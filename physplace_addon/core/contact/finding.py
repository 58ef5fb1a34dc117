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
from .curves import SAME, Candidates, lost_samples, settled_or_lowest, spread
from .encounter import Encounter
from .features import EDGE, FACE, dot
from .linearization import SOFT
from .points import InterfacePoints, lowest_spread, without_doubles
from .polyhedral import flat_pairs, flush
from .seeds import (
    View,
    distance_starts,
    edge_starts,
    face_samples,
    neglected,
    vertex_starts,
)
from .solving import promising, side_is_certain, solve_points

_MOST = 400  # points or starts of a kind that a state goes on with
_CONE = 1e-6  # sine of the angle by which a normal may leave a cone


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
    t1, t2 = _near(encounter, reach.farthest)
    parts = [kept, _flat(encounter, t1, t2, reach, tracked, before)]
    curved = ~(encounter.active.triangle_plain[t1] & encounter.world.triangle_plain[t2])
    t1, t2 = t1[curved], t2[curved]
    if len(t1):
        new, samples = _create(encounter, t1, t2, reach, kept, before)
        parts.append(new.take(settled_or_lowest(encounter, new)))
        curves = spread(encounter, InterfacePoints.join([kept, new]), samples, reach.samples, before)
        parts.extend(_not_inside_before(before, part) for part in curves)
    found = without_doubles(InterfacePoints.join(parts), SAME * encounter.radius)
    return InterfacePoints.join([found, lost_samples(encounter, tracked, found, reach.curved)])


def _not_inside_before(before: Encounter | None, samples: InterfacePoints) -> InterfacePoints:
    """Drop samples of contact curves that overlap and did so before: they look at the far side of a wall."""
    deep = samples.gap < 0.0
    if before is None or not deep.any():
        return samples
    real = np.ones(len(samples), bool)
    real[deep] = _judged_before(before, samples.take(deep))[0]
    return samples.take(real)


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
    flat = flat_pair(encounter, solved)
    valid[flat] &= ~flush(encounter, solved.take(flat))
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
    encounter: Encounter, t1: Ints, t2: Ints, reach: Reach, tracked: InterfacePoints, before: Encounter | None
) -> InterfacePoints:
    if len(t1) == 0 or not (encounter.active.has_flat_parts and encounter.world.has_flat_parts):
        return InterfacePoints.none()
    points = flat_pairs(encounter, t1, t2, before)
    points = lowest_spread(points.take(points.gap <= reach.flat), _MOST)
    return _with_known_sides(encounter, points, tracked, before is not None)


def _with_known_sides(
    encounter: Encounter, points: InterfacePoints, tracked: InterfacePoints, apart: bool
) -> InterfacePoints:
    """Keep the sides that points of the same features had; a gap too small to tell would let a sheet slip
    through; a face that knows its outside needs no such help.  Of new points among bodies known to be apart
    even the smallest gap tells.
    """
    rows = np.nonzero((np.abs(points.gap) < encounter.sure) & ~encounter.knows_outside(points))[0]
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


def _create(
    encounter: Encounter,
    t1: Ints,
    t2: Ints,
    reach: Reach,
    kept: InterfacePoints,
    before: Encounter | None,
) -> tuple[InterfacePoints, Candidates]:
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
    along = [
        edge_starts(on_active, t1, t2, reach.curved, nearest=False),
        edge_starts(on_world, t2, t1, reach.curved, nearest=False),
    ]
    return _solve_new(encounter, starts, reach, before), Candidates(faces, along)


def _solve_new(
    encounter: Encounter, starts: InterfacePoints, reach: Reach, before: Encounter | None
) -> InterfacePoints:
    starts = _nearest(encounter, starts.take(promising(encounter, starts)))
    solved, valid = solve_points(encounter, starts, known_sides=False)
    if np.isfinite(reach.threshold):
        offset = solved.point1 - encounter.first(starts).geometry().point
        valid &= dot(offset, offset) <= reach.threshold**2
    points = _real(encounter, solved, valid, reach)
    if before is None:
        return points
    doubtful = (points.gap < 0.0) | ~side_is_certain(encounter, points)
    if not doubtful.any():
        return points
    real, side = _judged_before(before, points.take(doubtful))
    again = replace(points.take(doubtful).take(real), side=side[real])
    again = _real(encounter, *solve_points(encounter, again, known_sides=True), reach)
    return InterfacePoints.join([points.take(~doubtful), again])


def _nearest(encounter: Encounter, starts: InterfacePoints) -> InterfacePoints:
    """Return the starts whose features are nearest, no more than a fine mesh needs; their order is kept."""
    if len(starts) <= _MOST:
        return starts
    first, second = encounter.evaluate(starts)
    offset = first.point - second.point
    return starts.take(np.sort(np.argsort(dot(offset, offset), kind="stable")[:_MOST]))


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
