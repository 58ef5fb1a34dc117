"""Contacts and overlaps of a body at any pose, for a body that is moved again and again.

The bodies are prepared once.  Each query searches for interface points at one pose, and for triangles that
cut each other.  A query proves no rest: it looks for no balance and tries no motion (see `checking` for
that).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from ..arrays import Bools, Floats
from ..bodies import Body
from ..collision import BoxTree, tree_of
from ..contact.system import (
    EDGE,
    FIXED,
    BodyPair,
    ContactRegions,
    ContactSystem,
    InterfacePoints,
    Reach,
    SurfaceCrossings,
    followed,
    generate_interface_points,
    in_normal_cones,
    labelled,
    meeting_surfaces,
    regions_of_pair,
    spread_out,
    touches_anywhere,
    triangle_overlaps,
    unexplained_crossings,
)
from ..mechanics.origin import near_the_origin
from ..mechanics.point_depths import common_depth, without_overlap
from ..mechanics.start import PROBE_DEPTH, contained, flush_inside
from ..rigid import Pose
from ..vectors import dot
from .depenetration.penetration_depth import deepest_overlap, is_deeper

# Largest gap over R of a contact where the scene's rounding is finer: that of single precision.
TOUCHING = 1e-6
# Reaches over R in which interface points are searched, one after the other, until they explain all overlaps.
_REACHES = (0.02, 0.1, 0.5)
# Sine of the angle at which a body descends from a touching point, or an edge leaves it, so that it is none.
_BESIDE = 0.01
# Most places of overlap that are returned: enough to show where, few enough to draw.
_MOST = 64


@dataclass(frozen=True, eq=False)
class QueriedContacts:
    """The contacts and overlaps of a body at one pose.  All lengths are in scene units.

    Attributes:
        system: the bodies, seen from `origin`.
        points: the interface points, seen from `origin`.
        crossings: where true surfaces are proven to cross, seen from `origin`.
        origin: (3,), in the world.
        touching: the largest gap of a contact.
        collisions: places (c, 3) of overlap, in the world.
        known: the depth of the deepest overlap where it need not be measured, else None.  It is inf for a
            body wholly inside another.
        flush: a depth, at most that of the deepest overlap, where surfaces lie on each other and no triangles
            cross, as of two bodies in one place; else None.
    """

    system: ContactSystem
    points: InterfacePoints
    crossings: SurfaceCrossings
    origin: Floats
    touching: float
    collisions: Floats
    known: float | None = None
    flush: float | None = None

    @property
    def overlaps(self) -> bool:
        """Return whether the body overlaps anything."""
        return len(self.collisions) > 0

    @cached_property
    def overlap(self) -> float:
        """Return the depth of the deepest overlap; this takes longer than the query itself.

        Of surfaces that lie on each other it is that of the deepest point inside both bodies.
        """
        if self.known is not None:
            return self.known
        body_pair = self.system.body_pair((0, FIXED))
        if self.flush is not None:
            return max(self.flush, common_depth(body_pair, _around_or_inside(body_pair, self.system.parts)))
        return deepest_overlap(body_pair, self.system.parts, self.points, self.crossings)

    @property
    def contacts(self) -> InterfacePoints:
        """Return the points that touch."""
        return self.points.take(np.abs(self.points.gap) <= self.touching)

    @cached_property
    def regions(self) -> ContactRegions:
        """The contact regions, in the world, labelled from 0; body 1 is the one that is moved."""
        if self.system.fixed is None:
            return ContactRegions.none()
        body_pair = self.system.body_pair((0, FIXED))
        found = regions_of_pair(body_pair, self.contacts, self.touching)
        found = followed(body_pair, found, ContactRegions.none(), self.touching)
        seen_from = Pose(Pose.identity().rotation, self.origin)
        return found.between(0, 1).carried([Pose.identity(), seen_from]).between(0, FIXED)


@dataclass(frozen=True, eq=False)
class ContactQuery:
    """A body among others that stand still, prepared for queries at many poses.

    Attributes:
        system: the bodies, seen from `origin`.
        origin: (3,), in the world: the world's own origin where the bodies are near it.
    """

    system: ContactSystem
    origin: Floats

    @classmethod
    def of(cls, active: Body, pose: Pose, world: Sequence[Body]) -> ContactQuery:
        """Return the query of a body that stays near a pose, among the bodies of the world, in its frame."""
        origin, poses, parts = near_the_origin([active], [pose], world)
        return cls(ContactSystem.of([active], poses, parts), origin)

    def overlaps(self, pose: Pose, rounding: float) -> bool:
        """Return whether the body overlaps anything at a pose, as `at`, but sooner where it is deep.

        Args:
            pose: takes the body's frame to the world.
            rounding: how far, in scene units, single precision may have put the body off.
        """
        body = self.system.bodies[0].body
        local = Pose(pose.rotation, pose.translation - self.origin)
        touching = self._touching(rounding)
        if any(is_deeper(body, local, part, touching) for part in self.system.parts):
            return True
        return self.at(pose, rounding).overlaps

    def _touching(self, rounding: float) -> float:
        return max(rounding, TOUCHING * self.system.radius)

    def at(self, pose: Pose, rounding: float) -> QueriedContacts:
        """Return the contacts and overlaps of the body at a pose.

        Args:
            pose: takes the body's frame to the world.
            rounding: how far, in scene units, single precision may have put the body off.
        """
        radius = self.system.radius
        touching = self._touching(rounding)
        local = Pose(pose.rotation, pose.translation - self.origin)
        system = replace(self.system.at([local]), sign_tolerance=2.0 * touching / radius)
        nothing = QueriedContacts(
            system,
            InterfacePoints.none(),
            SurfaceCrossings.none(),
            self.origin,
            touching,
            np.zeros((0, 3)),
            known=0.0,
        )
        if system.fixed is None:
            return nothing
        body_pair = system.body_pair((0, FIXED))
        close = _around_or_inside(body_pair, system.parts)
        if contained(body_pair, close):
            meeting = triangle_overlaps(body_pair, True).depth
            if not (meeting > touching).any():
                inside = replace(nothing, collisions=body_pair.centre[None] + self.origin, known=float("inf"))
                return replace(inside, known=None, flush=0.0) if len(meeting) else inside
        crossings, contacts = meeting_surfaces(body_pair)
        points, missed = _points_near(body_pair, system.parts, crossings, touching)
        if not touches_anywhere(body_pair, points):
            missed = np.concatenate([missed, contacts.point])
        explained = (points, crossings, missed)
        collisions, known, flush = _collisions(body_pair, system.parts, *explained, touching), None, None
        if len(collisions) == 0:
            probe, known = max(PROBE_DEPTH * radius, 4.0 * touching), 0.0
            if flush_inside(body_pair, close, probe):
                collisions, known, flush = body_pair.centre[None], None, probe
        return replace(
            nothing,
            points=labelled(points, (0, FIXED)),
            crossings=crossings,
            collisions=collisions[spread_out(collisions, _MOST)] + self.origin,
            known=known,
            flush=flush,
        )


def _around_or_inside(body_pair: BodyPair, world: Sequence[Body]) -> list[Body]:
    """Return the bodies of the world of which a part may contain one of the active body, or lie inside it:
    those whose boxes meet its own.
    """
    mine = body_pair.pose.points(body_pair.active.body.triangles)
    lower, upper = mine.min(axis=(0, 1)), mine.max(axis=(0, 1))
    return [part for part in world if _meets_box(tree_of(part), lower, upper)]


def _meets_box(tree: BoxTree, lower: Floats, upper: Floats) -> bool:
    return bool((tree.lower[0] <= upper).all() and (tree.upper[0] >= lower).all())


def _collisions(
    body_pair: BodyPair,
    world: Sequence[Body],
    points: InterfacePoints,
    crossings: SurfaceCrossings,
    missed: Floats,
    touching: float,
) -> Floats:
    """Return the places (c, 3) of overlap: where triangles cut each other, points are deep, or were missed.

    An edge that lies on an edge or a face may cut it over a long way, yet not deep.  So where triangles alone
    show an overlap, its depth decides.
    """
    meeting = triangle_overlaps(body_pair)
    cuts, deep = meeting.point[meeting.depth > touching], points.gap < -touching
    if len(cuts) and not deep.any() and not len(missed):
        active, pose = body_pair.active.body, body_pair.pose
        proven = any(is_deeper(active, pose, body, touching) for body in world)
        if not proven and deepest_overlap(body_pair, world, points, crossings) <= touching:
            cuts = cuts[:0]
    return np.concatenate([cuts, points.point1[deep], missed])


def _points_near(
    body_pair: BodyPair, world: Sequence[Body], crossings: SurfaceCrossings, touching: float
) -> tuple[InterfacePoints, Floats]:
    """Return the interface points, and the places (m, 3) of crossings that no interface point explains.

    The search reaches farther where crossings might yet be contacts.  One that is deeper than a contact is
    an overlap whatever explains it, and to look around deep overlaps takes long.
    """
    for part in _REACHES:
        reach = part * body_pair.radius
        points = generate_interface_points(
            body_pair, Reach(reach, reach, reach), InterfacePoints.none(), None
        )
        spurious = without_overlap(body_pair, world, points, np.full(len(points), touching))
        spurious |= (np.abs(points.gap) <= touching) & _only_beside(body_pair, points)
        real = points.take(~spurious)
        missed = _missed(body_pair, crossings, points, real, touching)
        if len(missed) == 0 or (missed.depth > touching).any():
            break
    return real, missed.point


def _only_beside(body_pair: BodyPair, points: InterfacePoints) -> Bools:
    """Return which points (k,) are of features that stand beside each other, in the plane of one of them.

    A body descends from the point along the other's plane, or an edge runs through that plane.
    """
    beside = ~in_normal_cones(body_pair, points, _BESIDE)
    for dim, features in zip((points.dim1, points.dim2), body_pair.evaluate(points), strict=True):
        beside |= (dim == EDGE) & (np.abs(dot(features.tangents[:, 0], points.normal)) > _BESIDE)
    return beside


def _missed(
    body_pair: BodyPair,
    crossings: SurfaceCrossings,
    points: InterfacePoints,
    real: InterfacePoints,
    touching: float,
) -> SurfaceCrossings:
    """Return those of the crossings that no interface point with a negative gap explains.

    Those deeper than a contact are not explained by points whose overlap is no deeper.

    Args:
        points: all of them.
        real: those of them whose depth is real.
        touching: the largest depth, in scene units, of a contact.
    """
    missed = unexplained_crossings(body_pair, crossings, points)
    if len(real) == len(points):
        return missed
    deep = unexplained_crossings(body_pair, crossings, real)
    return SurfaceCrossings.join([missed, deep.take(deep.depth > touching)])
