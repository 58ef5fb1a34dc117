"""A linkage among fixed bodies, prepared once: rigid groups, a closed start, and what may overlap."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from ..bodies import Body
from ..contact.system import FIXED, ContactSystem, Pair
from ..errors import JointError, PlacementError
from ..jobs import Job, Progress, finished
from ..rigid import Pose
from .configuration import Configuration
from .contact.exceptions import never_meeting, overlapping_parts, overlaps_world, world_bodies_at
from .contact.local_world import near_system
from .contact.start import closed_configuration, looking_up_the_world, parted
from .equations import Equations
from .groups import RigidGroups
from .linkage import Linkage
from .state import LinkageState, state_of

_OPEN = 1e-3  # gap of a joint, over the figure's size, and turn, that is no rounding
_KEPT = 5e-3  # D over the least radius
_LEAST_KEPT = 2e-6  # D over the figure's size: above the rounding of single precision
_ROOM = 0.2  # over the figure's size, about its parts, in which all of a large world counts
_WHAT_STANDS_AROUND = Progress("Preparing what stands around it")
_PARTS_THAT_OVERLAP = Progress("Looking for parts that overlap")


@dataclass(frozen=True, eq=False)
class LinkageScene:
    """A linkage among fixed bodies.

    Attributes:
        linkage: the linkage.
        groups: its rigid groups.
        equations: of its joints and constraints, without goals.
        start: the state that it starts in.
        kept: D, the gap that bodies in contact keep, a length.
        excepted: the names of pairs of parts that may go through each other, as they do so in the rest pose;
            of a part and the world, "world".
    """

    linkage: Linkage
    groups: RigidGroups
    equations: Equations
    start: LinkageState
    kept: float
    excepted: tuple[tuple[str, str], ...]

    @classmethod
    def of(
        cls,
        linkage: Linkage,
        poses: Sequence[Pose],
        world: Sequence[Body] = (),
        *,
        rest: Sequence[Pose] | None = None,
        clearances: bool = True,
    ) -> LinkageScene:
        """Return a linkage at poses among fixed bodies.

        Joints that are open by rounding are closed, and parts that touch something are parted, by the least
        motion.

        Args:
            linkage: m parts and their joints.
            poses: where the parts (m) are.
            world: the fixed bodies, in the scene.
            rest: the poses (m) in which overlaps of parts are excepted; where they are now unless given.
            clearances: whether parts may not go through each other and the world.

        Raises:
            JointError: joints do not meet, or cannot be closed.
            PlacementError: a part overlaps the world.
        """
        return finished(cls.preparing(linkage, poses, world, rest=rest, clearances=clearances))

    @classmethod
    def preparing(
        cls,
        linkage: Linkage,
        poses: Sequence[Pose],
        world: Sequence[Body] = (),
        *,
        rest: Sequence[Pose] | None = None,
        clearances: bool = True,
    ) -> Job[LinkageScene]:
        """Return what `of` does, in slices."""
        _check_poses(linkage, poses)
        groups, configuration = RigidGroups.of(linkage, poses)
        equations = Equations.of(groups, (), configuration)
        closed = closed_configuration(equations, configuration)
        if closed is None:
            raise _unclosed_error(linkage, poses)
        if not clearances:
            return cls(linkage, groups, equations, state_of(equations, closed, None, 0.0), 0.0, ())
        yield from _preparing_parts(linkage.parts)
        yield _WHAT_STANDS_AROUND
        system = near_system(linkage.parts, groups.poses(closed), world, _ROOM * groups.length, rest)
        yield _WHAT_STANDS_AROUND
        moving = tuple(np.flatnonzero(groups.part_group != FIXED).tolist())
        yield _PARTS_THAT_OVERLAP
        apart, overlapping = never_meeting(groups, system if rest is None else system.at(rest))
        system = replace(system, moving=moving, never_meeting=apart)
        yield _PARTS_THAT_OVERLAP
        overlapping |= overlapping_parts(system)
        system = replace(system, never_meeting=apart | overlapping)
        yield _PARTS_THAT_OVERLAP
        _check_world(linkage, system)
        yield Progress("Looking for what the figure touches")
        kept = max(_KEPT * system.radius, _LEAST_KEPT * groups.length)
        yield from looking_up_the_world(system, kept)
        closed, system, squeezed = _with_gaps(linkage, equations, closed, system, kept)
        excepted = _named(linkage, overlapping | squeezed)
        return cls(linkage, groups, equations, state_of(equations, closed, system, kept), kept, excepted)

    def farthest_move(self, first: LinkageState, second: LinkageState) -> float:
        """Return the farthest that a point of the linkage is moved between two states, over its size."""
        return self.groups.moved_by(first.configuration, second.configuration)


def _preparing_parts(parts: Sequence[Body]) -> Job[None]:
    """Prepare parts for contact, in slices; each is prepared once, and kept with it."""
    for number, part in enumerate(parts):
        ContactSystem.of([part], [Pose.identity()], [])
        yield Progress("Preparing the figure", (number + 1) / len(parts))


def _with_gaps(
    linkage: Linkage, equations: Equations, closed: Configuration, system: ContactSystem, kept: float
) -> tuple[Configuration, ContactSystem, frozenset[Pair]]:
    """Return a configuration with gaps between bodies, the bodies there, and pairs of parts that find no
    room.
    """
    squeezed: frozenset[Pair] = frozenset()
    found, low = parted(equations, closed, system, kept)
    if len(low):
        at_world = low.body1[low.body2 == FIXED]
        if len(at_world):
            raise _overlap_error(linkage, system, int(at_world[0]))
        squeezed = frozenset(zip(low.body1.tolist(), low.body2.tolist(), strict=True))
        system = replace(system, never_meeting=system.never_meeting | squeezed)
        found, low = parted(equations, closed, system, kept)
        if len(low):
            raise _overlap_error(linkage, system, int(low.body1[0]))
    return found, system.at(equations.groups.poses(found)), squeezed


def _check_poses(linkage: Linkage, poses: Sequence[Pose]) -> None:
    if len(poses) != len(linkage):
        found = f"it has {len(linkage)} parts and {len(poses)} poses"
        raise JointError("linkage", found, "give each part a pose")
    open_joints = linkage.joint_gaps(poses, _OPEN)
    if open_joints:
        name, gap, turn = open_joints[0]
        more = f", and {len(open_joints) - 1} more joints" if len(open_joints) > 1 else ""
        found = f"its parts do not meet: they are {gap:.3g} apart, and {turn:.3g} radians turned{more}"
        raise JointError(name, found, "move its parts together, or set the joint where they are")


def _unclosed_error(linkage: Linkage, poses: Sequence[Pose]) -> JointError:
    """Return the error that names the joint that is open most at poses (m)."""
    length = linkage.size(poses)
    name, gap, _ = max(linkage.joint_gaps(poses, 0.0), key=lambda each: each[1] / length + each[2])
    found = f"it cannot be closed together with the others, {gap:.3g} stays open"
    return JointError(name, found, "move its anchors together, or give its axes more freedom")


def _check_world(linkage: Linkage, system: ContactSystem) -> None:
    parts = overlaps_world(system)
    if parts:
        raise _overlap_error(linkage, system, parts[0])


def _overlap_error(linkage: Linkage, system: ContactSystem, part: int) -> PlacementError:
    others = world_bodies_at(system, part)
    what = f'"{others[0]}"' if others else "something"
    return PlacementError(f'"{linkage.names[part]}" overlaps {what} where it starts: move it clear first')


def _named(linkage: Linkage, pairs: frozenset[Pair]) -> tuple[tuple[str, str], ...]:
    names = linkage.names
    return tuple((names[a], "world" if b == FIXED else names[b]) for a, b in sorted(pairs))
