# SPDX-License-Identifier: GPL-3.0-or-later
"""A linkage that was read, as the solvers of core take it: near the origin, with its joints."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ...core.arrays import Floats
from ...core.articulation import EulerAngles, Linkage, LinkageScene, LinkageState, PointGoal
from ...core.collision import closest_on_triangle
from ...core.contact.system import FIXED
from ...core.jobs import Job
from ...core.mechanics.origin import near_the_origin
from ...core.rigid import Pose
from .linkages import FoundLinkage
from .reading import LinkageScenario

GHOST_WEIGHT = 0.1  # how reluctant a bone without a mesh is to move, beside 1 for others


@dataclass(frozen=True, eq=False)
class PreparedLinkage:
    """A linkage in the scene of core.

    Attributes:
        scenario: as it was read.
        scene: of core, around the origin.
        origin: (3,), in the world.
    """

    scenario: LinkageScenario
    scene: LinkageScene
    origin: Floats

    @classmethod
    def preparing(
        cls, scenario: LinkageScenario, poses: Sequence[Pose], rest: Sequence[Pose]
    ) -> Job[PreparedLinkage]:
        """Return, in slices, a linkage with its parts at poses in the world. Raises PhysPlaceError.

        rest: the poses in which parts that overlap may always do so.
        """
        found = scenario.found
        bodies = [part.body for part in found.parts]
        origin, near, world = near_the_origin(bodies, poses, scenario.world.bodies)
        linkage = core_linkage(found, origin)
        at_rest = [moved(pose, -origin) for pose in rest]
        scene = yield from LinkageScene.preparing(linkage, near, world, rest=at_rest)
        return cls(scenario, scene, origin)

    @property
    def notes(self) -> tuple[str, ...]:
        """What does not count, a phrase each: of the scene, and contact of parts that overlap at rest."""
        found, joined = self.scenario.found, set[frozenset[str]]()
        for read in found.joints:
            anchors = read.joint.anchors
            ends = [found.parts[number].name for number in (anchors.first, anchors.second) if number != FIXED]
            joined.add(frozenset(ends))
        others = [pair for pair in self.scene.excepted if frozenset(pair) not in joined]
        overlaps = [f'the contact of "{first}" with "{second}", which overlap' for first, second in others]
        return (*self.scenario.left_out, *overlaps)

    def poses(self, state: LinkageState) -> tuple[Pose, ...]:
        """Return the poses of the parts in the world."""
        return tuple(moved(pose, self.origin) for pose in state.poses)

    def point_goal(self, part: int, point: Floats, target: Floats) -> PointGoal:
        """Return the goal that a point (3,) of a part comes to a target (3,) in the world."""
        return PointGoal(part, point, target - self.origin)


def moved(pose: Pose, by: Floats) -> Pose:
    """Return a pose shifted by a vector (3,)."""
    return Pose(pose.rotation, pose.translation + by) if by.any() else pose


def core_linkage(found: FoundLinkage, origin: Floats) -> Linkage:
    """Return a linkage of core, seen from an origin (3,). Raises JointError."""
    joints = [read.joint.seen_from(origin) for read in found.joints]
    ranges = [
        EulerAngles.of(read.frames, read.turns.order, read.turns.lower, read.turns.upper)
        for read in found.joints
        if read.turns is not None and read.frames is not None
    ]
    return Linkage.of(
        [part.body for part in found.parts],
        joints,
        names=[part.name for part in found.parts],
        constraints=ranges,
        ghosts=[number for number, part in enumerate(found.parts) if not part.is_solid],
        weights=[1.0 if part.is_solid else GHOST_WEIGHT for part in found.parts],
        stiffness={number: read.stiffness for number, read in enumerate(found.joints) if any(read.stiffness)},
    )


def nearest_part(found: FoundLinkage, poses: Sequence[Pose], numbers: Sequence[int], place: Floats) -> int:
    """Return which of some parts, by number, has its surface nearest to a place (3,) in the world."""

    def distance(number: int) -> float:
        corners = found.parts[number].body.triangles
        local = np.broadcast_to(poses[number].inverse().points(place), (len(corners), 3))
        shares = closest_on_triangle(local, corners).barycentric
        closest = np.einsum("ij,ijk->ik", shares, corners)
        return float(np.linalg.norm(closest - local, axis=1).min())

    return numbers[0] if len(numbers) == 1 else min(numbers, key=distance)
