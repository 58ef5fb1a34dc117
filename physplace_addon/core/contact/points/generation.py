"""Contact generation: all interface points of two bodies at a pose (Snyder 1995, sections 4.1 to 4.3).

The points of a state come from four stages:

1. *Tracking* (4.1).  Points known before were solved again from their parameters: `track_interface_points`.
   Those beyond reach, or that no longer bind, vanish (4.2).
2. *Flat features* have closed forms, which need no tracking: `regions`.
3. *Creation* (4.3).  Near triangles outside the spheres of neglect of tracked points give seeds, which are
   solved: `creation`.  Those whose boxes alone are within reach are left out first (`near_if_curved`).
4. *Contact curves*.  Where a pair is soft, samples around it join, since one point does not hold up what is
   a curve in the world: `contact_curves`.

Points that have become one vanish at the end (4.2).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ...arrays import Bools, Floats, Ints, portions
from ...collision import near_pairs
from ...collision.triangle_pairs import rows_within
from ...rigid import Pose, Poses
from ...vectors import coordinate_arrays
from ..body_pair import AnyPairs, BodyPair
from ..contact_body import ContactBody
from ..regions.flat_contacts import lowest, lowest_of_plain
from ..regions.flat_pairs import between_flat_features, flat_pairs, only_at_border
from ..row_lists import IndexPairs, placed
from ..sidedness import with_known_sides, without_far_sides
from .contact_curves import (
    SAME,
    CurveSources,
    lost_samples,
    lowest_released,
    sample_contact_curves,
    settled_or_lowest,
)
from .creation import Reach, Starts, binding, created_points, starts_from
from .extremal_pairs import solve_extremal_pairs
from .interface_points import InterfacePoints, without_duplicates

_NO_TRIANGLES: Ints = np.zeros(0, np.intp)


def track_interface_points(body_pair: AnyPairs, points: InterfacePoints) -> InterfacePoints:
    """Return known points solved again at the body pair's pose, on the sides they had (Snyder 1995, 4.1).

    They are of one pair, or of many.  Points that have left their features are dropped.
    """
    if len(points) == 0:
        return points
    solved, valid = solve_extremal_pairs(body_pair, points, known_sides=True)
    flat = between_flat_features(body_pair, solved)
    valid[flat] &= ~only_at_border(body_pair, solved.take(flat))
    return solved.take(valid)


def generate_interface_points(
    body_pair: BodyPair,
    reach: Reach,
    tracked: InterfacePoints,
    before: BodyPair | None,
    near: IndexPairs | None = None,
) -> InterfacePoints:
    """Return all interface points at the body pair's pose.

    Args:
        reach: how far to look.
        tracked: points known before, solved at this pose (`track_interface_points`); flat ones that have no
            solution here still show the sides of sheets.
        before: a pose known to be free of overlap, from which this one was reached; a new point that was
            inside there is the far side of a wall.  None at the first pose, where nothing is known.
        near: the triangles within reach of each other; None where they are not known.
    """
    begun = Generation.begun(body_pair, reach, tracked, before, near)
    return begun.ended(*begun.solved())


@dataclass(frozen=True, eq=False)
class Generation:
    """The generation of one pair's interface points, before its starts are solved.

    body_pair, reach, tracked, before: as in `generate_interface_points`.
    kept: the tracked points that persist.  flat: the points of flat features.
    starts: of new points.
    sources: what contact curves are sampled from; None where no curved triangles are near.
    """

    body_pair: BodyPair
    reach: Reach
    tracked: InterfacePoints
    before: BodyPair | None
    kept: InterfacePoints
    flat: InterfacePoints
    starts: Starts
    sources: CurveSources | None

    @classmethod
    def begun(
        cls,
        body_pair: BodyPair,
        reach: Reach,
        tracked: InterfacePoints,
        before: BodyPair | None,
        near: IndexPairs | None,
    ) -> Generation:
        """Return the generation up to its starts; the arguments are those of `generate_interface_points`."""
        kept = _persisting(body_pair, reach, tracked)
        flat, t1, t2 = _flat_points(body_pair, reach, tracked, before, near)
        flat = with_known_sides(body_pair, flat, tracked, before)
        starts, sources = Starts.none(), None
        if len(t1):
            starts, sources = starts_from(body_pair, t1, t2, reach.curved, kept, tracked, before)
        return cls(body_pair, reach, tracked, before, kept, flat, starts, sources)

    def solved(self) -> tuple[Starts, InterfacePoints, Bools]:
        """Return the starts (k) that may lead to minima, their solutions, and which are valid (k,)."""
        starts = self.starts.take(self.starts.hopeful(self.body_pair)).nearest(self.body_pair)
        return starts, *starts.solved(self.body_pair)

    def ended(self, starts: Starts, solved: InterfacePoints, valid: Bools) -> InterfacePoints:
        """Return all interface points, with those that starts (k,) have led to.

        solved: the solutions of the starts.  valid (k,): which of them are.
        """
        body_pair, reach, before = self.body_pair, self.reach, self.before
        parts = [self.kept, self.flat]
        if self.sources is not None:
            created = created_points(body_pair, starts, solved, valid, reach, before)
            released = lowest_released(body_pair, self.tracked, reach.curved)
            new = InterfacePoints.join([created, binding(body_pair, released, reach.curved)])
            curved = InterfacePoints.join([self.kept, new])
            samples = sample_contact_curves(body_pair, curved, self.sources, reach.samples, before)
            parts.append(new.take(settled_or_lowest(body_pair, new)))
            parts.extend(without_far_sides(before, body_pair, part) for part in samples)
        found = without_duplicates(InterfacePoints.join(parts), SAME * body_pair.radius)
        return InterfacePoints.join([found, lost_samples(body_pair, self.tracked, found, reach.curved)])


def near_if_curved(
    active: ContactBody, world: ContactBody, t1: Ints, t2: Ints, pose: Pose | Poses, reach: float | Floats
) -> Ints:
    """Return the pairs of triangles (m,), ascending, that are flat, or of which the true surfaces, and the
    edges and vertices that they own, may be within reach.

    Args:
        active, world: the bodies, or many that are joined.
        t1, t2: their triangles (k,) whose boxes may be within reach.
        pose: of the active body in the frame of the world, one for all or k poses.
        reach: a length, likewise.
    """
    near = active.triangle_plain[t1] & world.triangle_plain[t2]
    rows = np.flatnonzero(~near)
    farthest = active.tree.bound[t1] + world.tree.bound[t2] + reach
    for some in portions(len(rows)):
        mine = rows[some]
        at = pose.take(mine) if isinstance(pose, Poses) else pose
        first = coordinate_arrays(placed(active.body.triangles[t1[mine]], at))
        second = coordinate_arrays(world.body.triangles[t2[mine]])
        near[mine[rows_within(first, second, farthest[mine])]] = True
    return np.flatnonzero(near)


def _persisting(body_pair: BodyPair, reach: Reach, tracked: InterfacePoints) -> InterfacePoints:
    """Return the tracked points of curved features that persist; the others vanish (Snyder 1995, 4.2)."""
    kept = tracked.take(~tracked.on_curve & ~between_flat_features(body_pair, tracked))
    return binding(body_pair, kept.take(kept.gap <= reach.curved), np.inf)


def _flat_points(
    body_pair: BodyPair,
    reach: Reach,
    tracked: InterfacePoints,
    before: BodyPair | None,
    near: IndexPairs | None,
) -> tuple[InterfacePoints, Ints, Ints]:
    """Return the lowest points of flat features, and the near triangles (k,), (k,) of curved ones."""
    if body_pair.is_plain:
        return lowest_of_plain(body_pair, reach.flat, tracked, before), _NO_TRIANGLES, _NO_TRIANGLES
    if near is None:
        found = near_pairs(body_pair.active.tree, body_pair.pose, body_pair.world.tree, reach.farthest)
        t1, t2, pose = found[:, 0], found[:, 1], body_pair.pose
        kept = near_if_curved(body_pair.active, body_pair.world, t1, t2, pose, reach.farthest)
        near = t1[kept], t2[kept]
    t1, t2 = near
    flat = InterfacePoints.none()
    if body_pair.active.has_flat_parts and body_pair.world.has_flat_parts:
        flat = lowest(flat_pairs(body_pair, t1, t2, before, reach.flat), body_pair.sign_tolerance)
    curved = ~(body_pair.active.triangle_plain[t1] & body_pair.world.triangle_plain[t2])
    return flat, t1[curved], t2[curved]
