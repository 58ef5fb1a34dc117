# SPDX-License-Identifier: GPL-3.0-or-later
"""What a moving object may come near: only that is read into bodies.

Every visible thing has a box in the world, which Blender keeps with its evaluated mesh. A body that moves
stays in a ball about its centre of mass, however it turns. What the ball, grown by what steps can reach, may
meet here or anywhere on its way down is near. Something is always near if its box says nothing of its
surface: an exact surface or a blob, whose mesh is only a picture of it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

import numpy as np
from bpy.types import Context, Depsgraph, SpaceView3D, SubsurfModifier

from ...core.arrays import Bools, Floats
from ...core.bodies import Body, make_whole
from ...core.errors import MeshError
from ...core.jobs import Job, Progress
from ...core.rigid import Pose
from ..access import evaluated_scene, original, present
from ..affine import without_noise
from .kept_bodies import kept
from .shapes import BodyReader, FetchedBody
from .smooth import is_faceted
from .visible import Family, VisibleItem, viewport_of, visible_items, visible_objects

SURE = 4.0  # distance over eps R from the ball at which things must have been read: a step and its search
ROOM = 0.5  # distance over R beyond that at which they are read, so that few steps have to wait for reading
_BULGE = 0.25  # part of a box's diagonal by which a curved surface may stand out of its mesh's box


@dataclass(frozen=True, eq=False)
class Boxes:
    """Boxes in the world: lower and upper corners (n, 3)."""

    lower: Floats
    upper: Floats

    def met(self, centre: Floats, radius: float, way: Floats, farthest: float) -> Bools:
        """Return which boxes (n,) a ball meets on its way from a centre (3,) to centre + farthest * way."""
        lower, upper = self.lower - centre - radius, self.upper - centre + radius
        with np.errstate(divide="ignore", invalid="ignore"):
            times = np.sort(np.stack([lower / way, upper / way]), axis=0)
        stands = np.broadcast_to(way == 0.0, lower.shape)
        inside = (lower <= 0.0) & (upper >= 0.0)
        enters = np.where(stands, np.where(inside, -np.inf, np.inf), times[0]).max(axis=1)
        leaves = np.where(stands, np.where(inside, np.inf, -np.inf), times[1]).min(axis=1)
        return np.asarray((leaves >= 0.0) & (enters <= np.minimum(leaves, farthest)))

    def take(self, rows: Bools) -> Boxes:
        """Return some of the boxes."""
        return Boxes(self.lower[rows], self.upper[rows])

    def __len__(self) -> int:
        return len(self.lower)


def boxes_of(corners: Sequence[tuple[Floats, Floats]]) -> Boxes:
    """Return boxes given by their lower and upper corners (3,)."""
    found = np.array(corners, dtype=np.float64).reshape(-1, 2, 3)
    return Boxes(found[:, 0], found[:, 1])


def box_of(item: VisibleItem, depsgraph: Depsgraph) -> tuple[Floats, Floats]:
    """Return the lower and upper corner (3,) of an item's box in the world; infinite if unknown."""
    corners = np.array(item.evaluated.bound_box, dtype=np.float64)
    with np.errstate(invalid="ignore"):
        placed = corners @ item.matrix[:3, :3].T + item.matrix[:3, 3]
    if item.exact or not np.isfinite(placed).all():
        return np.full(3, -np.inf), np.full(3, np.inf)
    lower, upper = placed.min(axis=0), placed.max(axis=0)
    if _may_bulge(item, depsgraph):
        room = _BULGE * float(np.linalg.norm(upper - lower))
        return lower - room, upper + room
    return lower, upper


def _may_bulge(item: VisibleItem, depsgraph: Depsgraph) -> bool:
    """Return whether an item's surface may stand out of its displayed mesh."""
    source = original(item.evaluated)
    return (
        source.type != "MESH"
        or any(isinstance(modifier, SubsurfModifier) for modifier in source.modifiers)
        or not is_faceted(source, present(depsgraph.scene))
    )


@dataclass(frozen=True, eq=False)
class Travel:
    """A travel in one direction: as far as `farthest` times `way` (3,)."""

    way: Floats
    farthest: float = np.inf


@dataclass(frozen=True, eq=False)
class MovingBall:
    """A ball that holds a body however it turns.

    centre (3,): its centre of mass in its own frame. radius: of that ball. unit: R, for steps.
    """

    centre: Floats
    radius: float
    unit: float

    @classmethod
    def of(cls, body: Body) -> MovingBall:
        """Return the ball of a body."""
        offset = body.triangles.reshape(-1, 3) - body.mass.center
        farthest = float(np.sqrt(np.einsum("ij,ij->i", offset, offset).max()))
        return cls(body.mass.center, farthest + float(body.triangle_bound.max()), body.radius)

    def meets(self, boxes: Boxes, pose: Pose, travel: Travel, room: float) -> Bools:
        """Return which boxes (n,) it may meet on a travel from a pose.

        room: how far, over R, it may get aside.
        """
        radius = self.radius + room * self.unit
        return boxes.met(pose.points(self.centre), radius, travel.way, travel.farthest)


@dataclass(frozen=True, eq=False)
class Surroundings:
    """What bodies that move may come near.

    balls: of the bodies. fall: their way down. step: eps, the length over R of the longest step.
    """

    balls: tuple[MovingBall, ...]
    fall: Travel
    step: float

    def reach(
        self, boxes: Boxes, poses: Sequence[Pose], travels: Sequence[Travel], room: float = 0.0
    ) -> Bools:
        """Return which boxes (n,) the bodies may meet from poses on, falling or on one of some travels.

        room: over R, beyond what a step can reach.
        """
        met = np.zeros(len(boxes), dtype=bool)
        for ball, pose in zip(self.balls, poses, strict=True):
            for travel in (self.fall, *travels):
                met |= ball.meets(boxes, pose, travel, SURE * self.step + room)
        return met


@dataclass(frozen=True, eq=False)
class World:
    """The bodies that stand still.

    Attributes:
        bodies: in world coordinates.
        owners: for each of them, the full name of the object that shows it.
        unread: the boxes of what is too far away to be read.
        visible: the full names of the objects that were visible.
        left_out: what has faces that bound nothing, by name, with the reason.
    """

    bodies: tuple[Body, ...] = ()
    owners: tuple[str, ...] = ()
    unread: Boxes = field(default_factory=lambda: boxes_of([]))
    visible: frozenset[str] = frozenset()
    left_out: dict[str, MeshError] = field(default_factory=dict)


def reading_world(
    context: Context,
    families: Sequence[Family],
    around: Surroundings,
    poses: Sequence[Pose],
    travels: Sequence[Travel] = (),
    *,
    always: frozenset[str] = frozenset(),
    absent: frozenset[str] = frozenset(),
    ground: frozenset[str] | None = None,
    whole: bool = True,
) -> Job[World]:
    """Read, in slices, what families of objects that move may come near from poses on.

    Args:
        context: Blender's context.
        families: the objects that move.
        around: how far they may get.
        poses: where the balls of `around` are.
        travels: where they may go from there besides falling.
        always: full names of objects that are read wherever they are.
        absent: full names of objects that are not read.
        ground: full names of the only objects that are read; None for all.
        whole: whether all of each body is made here, and not what is needed of it later.
    """
    is_complete = False
    while not is_complete:
        depsgraph, viewport = evaluated_scene(context), viewport_of(context)
        reader = BodyReader(depsgraph)
        items = _Items(depsgraph, families, viewport, absent, ground)
        seen = [(item.owner, box_of(item, depsgraph)) for item in items]
        boxes = boxes_of([box for _, box in seen])
        is_near = around.reach(boxes, poses, travels, ROOM)
        is_near |= np.array([owner in always for owner, _ in seen], dtype=bool)
        fetched = _fetched(items, is_near, reader)
        found = yield from _making(fetched, reader.left_out, whole)
        # where no surface could be made of one, once more: with its mesh, then
        is_complete = not any(own.shape.lacks_mesh for _, own in fetched)
    kept.trim()
    owners, bodies = tuple(owner for owner, _ in found), tuple(body for _, body in found)
    return World(bodies, owners, boxes.take(~is_near), visible_objects(context, viewport), reader.left_out)


@dataclass(frozen=True, eq=False)
class _Items:
    """The visible items that count and are of no family, found anew in each walk: Blender keeps none."""

    depsgraph: Depsgraph
    families: Sequence[Family]
    viewport: SpaceView3D | None
    absent: frozenset[str]
    ground: frozenset[str] | None

    def __iter__(self) -> Iterator[VisibleItem]:
        for item in visible_items(self.depsgraph, self.families, self.viewport):
            counts = item.owner not in self.absent and (self.ground is None or item.owner in self.ground)
            if item.family is None and counts:
                yield item


def _fetched(
    items: Iterable[VisibleItem], is_near: Bools, reader: BodyReader
) -> list[tuple[str, FetchedBody]]:
    """Return what bodies of the near items are made of, with the full names of their owners."""
    found = []
    for item, near in zip(items, is_near, strict=True):
        own = reader.fetched(item, without_noise(item.matrix)) if near else None
        found += [] if own is None else [(item.owner, own)]
    return found


def _making(
    fetched: Sequence[tuple[str, FetchedBody]], left_out: dict[str, MeshError], whole: bool
) -> Job[list[tuple[str, Body]]]:
    """Make, in slices, the bodies of what was fetched, with their owners; what has none is left out."""
    found = []
    for number, (owner, own) in enumerate(fetched):
        yield Progress(f'Reading {number + 1} of {len(fetched)}: "{own.name}"', number / len(fetched))
        body = yield from own.making(left_out)
        if whole and body is not None:
            make_whole(body)
        found += [] if body is None else [(owner, body)]
    return found
