"""What a body touches and overlaps, asked again and again as it is moved by hand.

The bodies are prepared once; each question is one search for interface points where the body stands, and one
for triangles that cut each other.  It is `check` without what makes that a certificate: no rest is looked
for, nothing is tried.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from ..arrays import Floats
from ..bodies import Body
from ..collision import BoxTree, tree_of
from ..contact.body_pair import Encounter
from ..contact.continuous_collision import cuts_of_triangles, unexplained_collisions
from ..contact.points.generation import Reach, find_points
from ..contact.points.interface_points import FIXED, InterfacePoints, spread_out
from ..contact.system import Assembly, labelled
from ..rigid import Pose
from .depenetration.penetration_depth import deepest_overlap
from .start import PROBE_DEPTH, behind_walls, contained, flush_inside, near_the_origin

TOUCHING = 1e-6  # gap / R of a contact, if the scene's rounding is finer
_REACHES = (0.02, 0.1, 0.5)  # of R
_MOST = 64  # places of overlap that are told


@dataclass(frozen=True, eq=False)
class Found:
    """points: the interface points, seen from `origin` as the assembly is.  touching: the gap of a contact.
    collisions (c, 3): where it overlaps, in the world.  known: the deepest overlap, where that need not be
    measured: inf for a body wholly inside another; of flat faces that go on inside a body although nothing
    crosses, no more than how deep was probed.  Lengths in scene units.
    """

    assembly: Assembly
    points: InterfacePoints
    origin: Floats
    touching: float
    collisions: Floats
    known: float | None

    @property
    def overlaps(self) -> bool:
        """Whether the body overlaps anything."""
        return len(self.collisions) > 0

    @cached_property
    def overlap(self) -> float:
        """The deepest overlap (`overlaps`), a length; it takes longer than all else."""
        if self.known is not None:
            return self.known
        return deepest_overlap(self.assembly.encounter((0, FIXED)), self.assembly.parts, self.points)

    @property
    def contacts(self) -> InterfacePoints:
        """The points that touch."""
        return self.points.take(np.abs(self.points.gap) <= self.touching)


@dataclass(frozen=True, eq=False)
class Standing:
    """A body among others that stand still, prepared for `at`."""

    assembly: Assembly
    origin: Floats

    @classmethod
    def of(cls, active: Body, pose: Pose, world: Sequence[Body]) -> Standing:
        """Prepare a body, near a pose, and the world, in the world's frame."""
        origin, poses, parts = near_the_origin([active], [pose], world)
        return cls(Assembly.of([active], poses, parts), origin)

    def at(self, pose: Pose, rounding: float) -> Found:
        """What the body touches and overlaps at a pose that is known up to `rounding`, a length."""
        radius = self.assembly.radius
        touching = max(rounding, TOUCHING * radius)
        local = Pose(pose.rotation, pose.translation - self.origin)
        assembly = replace(self.assembly.at([local]), sure=2.0 * touching / radius)
        nothing = Found(assembly, InterfacePoints.none(), self.origin, touching, np.zeros((0, 3)), 0.0)
        if assembly.fixed is None:
            return nothing
        encounter = assembly.encounter((0, FIXED))
        close = _around_or_inside(encounter, assembly.parts)
        if contained(encounter, close) and not (cuts_of_triangles(encounter, True).depth > touching).any():
            return replace(nothing, collisions=encounter.centre[None] + self.origin, known=float("inf"))
        points, missed = _points_near(encounter, assembly.parts, touching)
        meeting = cuts_of_triangles(encounter)
        cuts, deep = meeting.point[meeting.depth > touching], points.gap < -touching
        collisions, known = np.concatenate([cuts, points.point1[deep], missed]), None
        if len(collisions) == 0:
            probe, known = max(PROBE_DEPTH * radius, 4.0 * touching), 0.0
            if flush_inside(encounter, close, probe):
                collisions, known = encounter.centre[None], probe
        return replace(
            nothing,
            points=labelled(points, (0, FIXED)),
            collisions=collisions[spread_out(collisions, _MOST)] + self.origin,
            known=known,
        )


def _around_or_inside(encounter: Encounter, world: Sequence[Body]) -> list[Body]:
    """Those of the world's bodies that the active one may lie wholly inside of, or they in it: a point of the
    one must lie in the box around the other.
    """
    active = encounter.active
    mine = encounter.pose.points(active.body.triangles[0, 0])
    back = encounter.pose.inverse()
    return [
        part
        for part in world
        if _in_box(mine, tree_of(part)) or _in_box(back.points(part.triangles[0, 0]), active.tree)
    ]


def _in_box(point: Floats, tree: BoxTree) -> bool:
    return bool((point >= tree.lower[0]).all() and (point <= tree.upper[0]).all())


def _points_near(
    encounter: Encounter, world: Sequence[Body], touching: float
) -> tuple[InterfacePoints, Floats]:
    """The interface points, looked for the farther the deeper curved bodies overlap; where (m, 3) an overlap
    is that none of them tells of.
    """
    for part in _REACHES:
        reach = part * encounter.radius
        points = find_points(encounter, Reach(reach, reach, reach), InterfacePoints.none(), None)
        points = points.take(~behind_walls(encounter, world, points, touching))
        missed = unexplained_collisions(encounter, points)
        if len(missed) == 0:
            break
    return points, missed
