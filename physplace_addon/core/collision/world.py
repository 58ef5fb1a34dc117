"""The world: one tree over all bodies that stand still, and beside it one node that moves.

Paper section 3: when the active body moves, the transformation at a single node changes and the boxes
above it.  Here that is the root alone, whose two children are the tree of everything else and the
active body's own tree at its pose; both are built once.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from ..arrays import Floats, Ints
from ..bodies import Body, merge
from ..rigid import Pose
from .distance import ACCURACY, clearance, free_travel
from .forest import join
from .pairs import Motion
from .traversal import Neglect, near_pairs, swept_pairs
from .tree import BoxTree, remember, tree_of

__all__ = ["Moving", "World"]


@dataclass(frozen=True, eq=False)
class Moving:
    """The active body's tree at a pose (its frame to the world's)."""

    tree: BoxTree
    pose: Pose

    @property
    def box(self) -> tuple[Floats, Floats]:
        """Lower and upper corner (3,) in the world."""
        center, half = Motion(self.pose).boxes(self.tree.boxes[:, :1])
        return (center - half)[:, 0], (center + half)[:, 0]


@dataclass(frozen=True, eq=False)
class World:
    """Bodies that stand still, as one body and one tree, and the one that moves.

    body: all of them merged, triangles numbered body after body; part_start (m + 1,): where each one's
    triangles begin.
    """

    body: Body
    tree: BoxTree
    part_start: Ints
    moving: Moving | None = None

    @classmethod
    def of(cls, bodies: Sequence[Body], name: str = "world") -> World:
        """The world of `bodies`, each already in the world's frame.

        Raises PhysPlaceError if there are none.
        """
        body = merge(bodies, name)
        tree = join(*(tree_of(each) for each in bodies))
        remember(body, tree)
        sizes = np.array([0] + [len(each.triangles) for each in bodies], dtype=np.intp)
        return cls(body, tree, np.cumsum(sizes))

    def at(self, pose: Pose, active: Body | None = None) -> World:
        """The same world with the active body (the one before, if not given) at `pose`."""
        tree = tree_of(active) if active is not None else self._moving.tree
        return replace(self, moving=Moving(tree, pose))

    @cached_property
    def root(self) -> tuple[Floats, Floats]:
        """Lower and upper corner (3,) of the box around everything."""
        if self.moving is None:
            return self.tree.lower[0], self.tree.upper[0]
        lower, upper = self.moving.box
        return np.minimum(lower, self.tree.lower[0]), np.maximum(upper, self.tree.upper[0])

    def part_of(self, triangle: Ints) -> Ints:
        """Which of the bodies the world's triangles (k,) belong to."""
        part: Ints = np.searchsorted(self.part_start, triangle, side="right") - 1
        return part

    def near_pairs(self, reach: float, neglect: Neglect | None = None) -> Ints:
        """`traversal.near_pairs` of the active body and the world."""
        return near_pairs(self._moving.tree, self._moving.pose, self.tree, reach, neglect)

    def swept_pairs(self, pose_end: Pose, reach: float, neglect: Neglect | None = None) -> Ints:
        """`traversal.swept_pairs` from where the active body stands to `pose_end`."""
        return swept_pairs(self._moving.tree, self._moving.pose, pose_end, self.tree, reach, neglect)

    def clearance(self, accuracy: float = ACCURACY) -> float:
        """`distance.clearance` of the active body from the world."""
        return clearance(self._moving.tree, self._moving.pose, self.tree, accuracy)

    def free_travel(self, direction: Floats, reach: float = 0.0) -> float:
        """`distance.free_travel` of the active body along the unit `direction` (3,)."""
        return free_travel(self._moving.tree, self._moving.pose, self.tree, direction, reach)

    @property
    def _moving(self) -> Moving:
        if self.moving is None:
            raise ValueError("the world has no moving body yet: call at(pose, active)")
        return self.moving
