"""Pairs of triangles of two bodies along a path, by a list that is kept while slack remains.

A list made with a margin over the reach holds all pairs within reach at every pose to which no point of body
1 has moved farther than that margin.  The margin is in proportion to the triangles' size, so that the list
does not grow much; where steps are too long for that, each query is a fresh search.  The distance moved is a
convex function of the place, so a corner of the box of body 1 has moved farthest.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..arrays import Floats, Ints
from ..rigid import Pose
from ..vectors import coordinate_dot
from .node_pairs import Motion, corners_of
from .traversal import TRIANGLES_AT_ONCE, PairQuery, meeting_at, meeting_pairs, near_pairs
from .tree import BoxTree
from .triangle_signs import beside

__all__ = ["KeptPairs"]

MARGIN_SHARE = 0.25
"""Largest margin over the mean half diagonal of the triangles' boxes."""

MOST_STEPS, FEWEST_STEPS = 16.0, 4.0
"""Steps for which a list lasts where that margin allows it, and for which it must last to be made."""


@dataclass(frozen=True, eq=False)
class _List:
    """All pairs of triangles within a reach, a length, at a pose.

    first, second (k,): their numbers in body 1 and body 2.
    parts: their corners, some at a time: of body 1 in its own frame (corner 3, axis 3, k), and room for both
    bodies' (corner 3, axis 5, body 2, k).
    """

    first: Ints
    second: Ints
    parts: list[tuple[Floats, Floats]]
    motion: Motion
    reach: float


class KeptPairs:
    """The pairs of triangles of two bodies, queried again and again while body 1 moves in frame 2.

    What a query returns, but for the order, does not depend on what was queried before.
    """

    def __init__(self, tree1: BoxTree, tree2: BoxTree) -> None:
        self._tree1, self._tree2 = tree1, tree2
        signs = np.array(np.meshgrid(*[[-1.0, 1.0]] * 3)).reshape(3, 8)
        self._extremes: Floats = tree1.boxes[:3, :1] + signs * tree1.boxes[3:, :1]
        self._most = MARGIN_SHARE * min(_triangle_size(tree1), _triangle_size(tree2))
        self._last: Motion | None = None
        self._list: _List | None = None

    def meeting(self, pose: Pose) -> Ints:
        """Return the triangle pairs (k, 2) that cross or touch at a pose, to rounding."""
        motion = Motion(pose)
        listed = self._listed(motion, 0.0)
        if listed is None:
            return meeting_pairs(self._tree1, pose, self._tree2)
        allowed = motion.rounding(self._tree1, self._tree2)
        kept = []
        for number, (own, both) in enumerate(listed.parts):
            moved = motion.corners(own)
            both[:, :3, 0], both[:, 3:, 0] = moved, moved[:, :2]
            kept.append(number * TRIANGLES_AT_ONCE + meeting_at(both, allowed))
        rows = np.concatenate(kept) if kept else listed.first[:0]
        return np.stack([listed.first[rows], listed.second[rows]], axis=1)

    def near(self, pose: Pose, reach: float) -> Ints:
        """Return the triangle pairs (k, 2) that may be within a reach, a length, at a pose: `near_pairs`."""
        listed = self._listed(Motion(pose), reach)
        if listed is None:
            return near_pairs(self._tree1, pose, self._tree2, reach)
        query = PairQuery(self._tree1, [Motion(pose)], self._tree2, reach, None)
        return query.not_beyond_planes(query.numbered(listed.first, listed.second))

    def _listed(self, motion: Motion, reach: float) -> _List | None:
        """Return a list that holds all pairs within reach, None where none would last."""
        step = self._moved(self._last, motion)
        self._last = motion
        known = self._list
        if known is not None and self._moved(known.motion, motion) + reach <= known.reach:
            return known
        self._list = None
        if FEWEST_STEPS * step <= self._most:
            self._list = self._made(motion, reach + min(MOST_STEPS * step, self._most))
        return self._list

    def _made(self, motion: Motion, reach: float) -> _List:
        query = PairQuery(self._tree1, [motion], self._tree2, reach, None)
        first, second, _, _ = query.triangles(*query.bottoms())
        parts = []
        for begin in range(0, first.size, TRIANGLES_AT_ONCE):
            part = slice(begin, begin + TRIANGLES_AT_ONCE)
            own = corners_of(self._tree1, first[part])
            parts.append((own, beside(own, corners_of(self._tree2, second[part]))))
        return _List(first, second, parts, motion, reach)

    def _moved(self, before: Motion | None, now: Motion) -> float:
        """Return the farthest, a length, that a point of body 1 has moved; infinite from no pose."""
        if before is None:
            return np.inf
        offset = (now.matrix - before.matrix) @ self._extremes + (now.translation - before.translation)
        return float(np.sqrt(coordinate_dot(offset, offset).max()))


def _triangle_size(tree: BoxTree) -> float:
    """Return the mean half diagonal, a length, of the boxes of a tree's triangles."""
    half = 0.5 * np.ptp(tree.triangles, axis=1).T
    return float(np.sqrt(coordinate_dot(half, half)).mean())
