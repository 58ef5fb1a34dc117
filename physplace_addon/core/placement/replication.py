"""Replication: copies of a body placed one after another from the same start pose.

Each copy that comes to rest becomes part of the world of the next (Snyder 1995, section 6: balls in a bowl,
ice in a glass).  A container may be heaped: a copy belongs to it if its centre of mass is in the container's
convex hull or no farther from it than the copy's radius.  The container is full when a copy rests elsewhere,
does not come to rest, or has no room to start; that copy is not kept.  Where a number of copies is asked for,
one that has no room to start begins at the nearest place that has, and so do those after it.

With a margin each copy begins beside the start, at the nearest place from which it falls past those before
it, so far away from them (`depenetration/footprints.py`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import Enum

import numpy as np
from scipy.spatial import ConvexHull, QhullError

from ..arrays import Floats
from ..bodies import Body
from ..errors import PlacementError
from ..jobs import Job, Progress, finished
from ..mechanics.forces import Force
from ..rigid import Pose, rotation_vector
from ..vectors import unit
from .certificate import Status
from .depenetration.extrication import extricating
from .depenetration.footprints import least_shift
from .placement import Placement
from .settings import Settings


class Turn(Enum):
    """How copies are turned by chance before they fall: not, about gravity, or in any way."""

    NONE = "NONE"
    HEADING = "HEADING"
    ANY = "ANY"


@dataclass(frozen=True)
class Turns:
    """Turns drawn by chance, evenly over those of a kind; seed: chooses them."""

    kind: Turn = Turn.NONE
    seed: int = 0

    def turned(
        self, number: int, pose: Pose, centre: Floats, gravity: tuple[float, float, float] | None
    ) -> Pose:
        """Return a pose turned about a point of the body: the same one for the same number and seed.

        Four independent normal deviates, made a unit quaternion, are even over all rotations.

        Args:
            number: of the copy.
            pose: the pose.
            centre: (3,), the point, in the body's frame.
            gravity: its direction, of any length; None for none, where a heading has no axis.
        """
        draw = np.random.default_rng([self.seed, number])
        if self.kind is Turn.ANY:
            quaternion = draw.normal(size=4)
            turn = rotation_vector(quaternion / np.sqrt(quaternion @ quaternion))
        elif self.kind is Turn.HEADING and gravity is not None:
            turn = draw.uniform(-np.pi, np.pi) * unit(np.array(gravity, dtype=np.float64))
        else:
            return pose
        return pose.displaced(np.zeros(3), turn, pose.points(centre))


@dataclass(frozen=True, eq=False)
class Spacing:
    """How far away copies keep from each other, across gravity, before they fall.

    margin: the least distance; None for copies that fall onto each other. beside: other bodies, in the
    world's frame, from which they keep away as well.
    """

    margin: float | None = None
    beside: tuple[Body, ...] = ()

    def spaced(self, body: Body, pose: Pose, placed: Sequence[Placement], settings: Settings) -> Pose:
        """Return a start pose of a body, shifted away from those that were placed before it."""
        if self.margin is None or settings.gravity is None:
            return pose
        others = [body.transformed(copy.state.pose.matrix4) for copy in placed]
        shift = least_shift(body, pose, [*self.beside, *others], self.margin, settings.gravity)
        return replace(pose, translation=pose.translation + shift)


@dataclass(frozen=True, eq=False)
class Filled:
    """The finished placements of the copies that stay, in order.

    reason: a sentence for a person that says why there is no further copy; empty if there are enough.
    """

    placed: tuple[Placement, ...]
    reason: str


def replicated(placement: Placement, start: Pose | None = None) -> Placement:
    """Return the placement of a copy in a world that the placed body has joined.

    start: the copy's start pose; that of the placed body if None.

    Raises:
        PlacementError: if the placement is not at rest, or several bodies move at once.
    """
    setup = placement.setup
    if len(setup.bodies) != 1 or not placement.status.at_rest:
        message = f"only one body that is at rest can be copied: {placement.status.message}"
        raise PlacementError(message)
    placed = setup.bodies[0].transformed(placement.state.pose.matrix4)
    poses, settings = setup.poses if start is None else (start,), setup.settings
    if settings.surface_friction is not None:  # what was placed keeps its coefficient
        surfaces = (*settings.surface_friction, settings.surface_friction[0])
        settings = replace(settings, surface_friction=surfaces)
    return Placement.from_setup(replace(setup, poses=poses, world=(*setup.world, placed), settings=settings))


def fill(
    active: Body,
    pose: Pose,
    world: Sequence[Body],
    settings: Settings | None = None,
    forces: Sequence[Force] = (),
    count: int | None = None,
    container: Body | None = None,
    turns: Turns | None = None,
    spacing: Spacing | None = None,
) -> Filled:
    """Place copy after copy; `world` holds the container, too.

    turns: how each copy is turned about its centre of mass before it falls; None for not.  spacing: how far
    away from each other they begin; None for all from the same pose.

    Copies leave metastable rests: dropped from one pose, the second would stand on the first.  Raises
    PlacementError if neither a count nor a container says when there are enough.
    """
    return finished(filling(active, pose, world, settings, forces, count, container, turns, spacing))


def filling(
    active: Body,
    pose: Pose,
    world: Sequence[Body],
    settings: Settings | None = None,
    forces: Sequence[Force] = (),
    count: int | None = None,
    container: Body | None = None,
    turns: Turns | None = None,
    spacing: Spacing | None = None,
) -> Job[Filled]:
    """Place copy after copy as `fill`, in slices: one a step."""
    if count is None and container is None:
        raise PlacementError("filling: expected a number of copies or a container, or it would never end")
    settings = replace(settings or Settings(), leave_metastable=True)
    inside = _everywhere if container is None else _Heap(container, settings, active.radius).holds
    placed: list[Placement] = []
    while count is None or len(placed) < count:
        number = f"{len(placed) + 1}" if count is None else f"{len(placed) + 1} of {count}"
        start = (turns or Turns()).turned(len(placed), pose, active.mass.center, settings.gravity)
        start = (spacing or Spacing()).spaced(active, start, placed, settings)
        following = (
            replicated(placed[-1], start) if placed else Placement(active, start, world, settings, forces)
        )
        if count is not None and following.status is Status.INTERFERING_START:
            following = yield from _with_room(following)
            moved = following.setup.poses[0].compose(start.inverse())
            pose = moved.compose(pose)  # where the next copies begin, too, before they are turned
        while following.status is Status.RUNNING:
            following.step()
            done = None if count is None else len(placed) / count
            yield Progress(f"Copy {number}: step {following.steps}", done)
        if not following.status.at_rest:
            return Filled(tuple(placed), following.certificate().message)
        if not inside(following.state.pose.points(active.mass.center)):
            return Filled(tuple(placed), "it comes to rest beside the container, or too high above it")
        placed.append(following)
    return Filled(tuple(placed), "")


def _with_room(placement: Placement) -> Job[Placement]:
    """Return, in slices, the placement from the nearest pose that overlaps nothing, or as it is if there is
    none.
    """
    setup = placement.setup
    found = yield from extricating(setup.bodies, setup.poses, setup.world, setup.settings)
    return placement if found is None else Placement.from_setup(replace(setup, poses=found.poses))


def _hull(body: Body) -> Floats:
    """Return the planes (f, 4) of a body's convex hull; raise PlacementError for a flat one."""
    try:
        equations: Floats = ConvexHull(np.unique(body.points, axis=0)).equations
    except QhullError as error:
        message = f'"{body.name}": a flat thing holds nothing; choose another container, or give a number'
        raise PlacementError(message) from error
    return equations


def _everywhere(_: Floats) -> bool:
    return True


class _Heap:
    """The convex hull of a body, swept up by a height against gravity: what may lie in it, heaped."""

    def __init__(self, body: Body, settings: Settings, height: float) -> None:
        self._equations = _hull(body)
        up = -np.array(settings.gravity or (0.0, 0.0, 0.0))
        rise = self._equations[:, :3] @ up / max(float(np.linalg.norm(up)), 1e-300)
        self._margins = height * np.maximum(rise, 0.0)

    def holds(self, point: Floats) -> bool:
        """Return whether a point (3,) is inside."""
        height = self._equations[:, :3] @ point + self._equations[:, 3]
        return bool((height <= self._margins).all())
