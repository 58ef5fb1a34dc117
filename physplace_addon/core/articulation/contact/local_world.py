"""What is near to a figure of the world that it stands in.

A figure in a large scene meets only what is around it.  What is looked up of the world's triangles, such as
its topology, and what is joined to search all pairs in one batch, would still be made of all of them.  So the
fixed bodies of a large scene are cut down to the triangles that are within a room of the parts' boxes, a
length.  Once a part has moved so far that a tick could bring it to what was left out, they are cut anew.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from ...arrays import Bools, Floats
from ...bodies import Body
from ...bodies.mesh_body import is_of_flat_triangles, some_of
from ...contact.system import ContactSystem
from ...rigid import Pose
from .clearances import farthest_moves

_LARGE = 20_000  # triangles of a world that is cut down
_MOST = 0.7  # of a body's triangles that are near, above which all of them are taken


@dataclass(frozen=True, eq=False)
class LocalSystem(ContactSystem):
    """Moving bodies among what is near to them of the fixed ones; `parts` are these as a whole.

    around: the poses (m,) of the moving bodies about which the world was cut.
    room: the distance from there within which nothing was left out, a length.
    """

    around: tuple[Pose, ...] = ()
    room: float = np.inf

    def has_room(self, reach: float) -> bool:
        """Return whether bodies can go on by a reach, a length, without coming to what was left out."""
        return float(farthest_moves(self, self.around).max(initial=0.0)) + reach <= self.room


def near_system(
    parts: Sequence[Body],
    poses: Sequence[Pose],
    world: Sequence[Body],
    room: float,
    others: Sequence[Pose] | None = None,
) -> ContactSystem:
    """Return moving bodies at their poses among the fixed ones, or what is near of these in a large scene.

    Args:
        parts: the m moving bodies.
        poses: where they are.
        world: the fixed bodies, in the scene.
        room: a length.
        others: other poses (m) about which the world is wanted, too.
    """
    if sum(len(body.triangles) for body in world) <= _LARGE:
        return ContactSystem.of(parts, poses, world)
    alone = LocalSystem.of(parts, poses, [])
    boxes = [alone.boxes, *([] if others is None else [alone.at(others).boxes])]
    lower, upper = (np.concatenate([box[i] for box in boxes]) for i in (0, 1))
    fixed = _cut(world, lower - room, upper + room).fixed
    return replace(alone, fixed=fixed, parts=tuple(world), around=tuple(poses), room=room)


def with_room(system: ContactSystem, reach: float) -> ContactSystem:
    """Return a system whose bodies can go on by a reach, a length, among all that is near: the same one, or
    one whose world is cut anew.
    """
    if not isinstance(system, LocalSystem) or system.has_room(reach):
        return system
    room = max(system.room, 2.0 * reach)
    lower, upper = system.boxes
    fixed = _cut(system.parts, lower - room, upper + room).fixed
    return replace(system, fixed=fixed, around=system.poses, room=room)


def _cut(world: Sequence[Body], lower: Floats, upper: Floats) -> ContactSystem:
    """Return what is in boxes (m, 3) of fixed bodies, and nothing that moves."""
    found = []
    for body in world:
        kept = _in_boxes(body, lower, upper)
        share = np.count_nonzero(kept) / len(kept)
        if share > 0.0:
            whole = share > _MOST or not is_of_flat_triangles(body)
            found.append(body if whole else some_of(body, kept))
    return ContactSystem.of([], [], found)


def _in_boxes(body: Body, lower: Floats, upper: Floats) -> Bools:
    """Return which triangles (t,) of a body may be in one of some boxes (m, 3)."""
    low, high = _triangle_boxes(body)
    rows = np.arange(len(body.triangles))
    for axis, (least, most) in enumerate(zip(lower.min(axis=0), upper.max(axis=0), strict=True)):
        rows = rows[(low[axis, rows] <= most) & (high[axis, rows] >= least)]
    low, high = low[:, rows].T, high[:, rows].T
    near = np.zeros(len(rows), bool)
    met = (lower <= high.max(axis=0, initial=-np.inf)) & (upper >= low.min(axis=0, initial=np.inf))
    for least, most in zip(lower[met.all(axis=1)], upper[met.all(axis=1)], strict=True):
        left = np.flatnonzero(~near)
        near[left] = ((low[left] <= most) & (high[left] >= least)).all(axis=1)
    kept = np.zeros(len(body.triangles), bool)
    kept[rows[near]] = True
    return kept


def _triangle_boxes(body: Body) -> tuple[Floats, Floats]:
    """Return the lower and upper corners (3, t) of boxes around a body's triangles: made at the first call
    and freed together with the body.
    """
    boxes = body.derived.get(_TRIANGLE_BOXES)
    if not isinstance(boxes, tuple):
        first, second, third = np.ascontiguousarray(body.triangles.transpose(1, 2, 0))
        low = np.minimum(np.minimum(first, second), third) - body.triangle_bound
        high = np.maximum(np.maximum(first, second), third) + body.triangle_bound
        boxes = body.derived[_TRIANGLE_BOXES] = low, high
    return boxes


_TRIANGLE_BOXES = "triangle boxes"
