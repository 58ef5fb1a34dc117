"""Clearances: inequalities that keep the parts of a linkage clear of the world and of each other.

Choi and Cremer 1999, section 4.2, restore the state before an overlap, and add the inequality that would have
prevented it.  So it is here.  A tick begins with the interface points of what is near to contact: each is a
row

    g(q) = n . (p_1 - p_2) - D >= 0,

p_1 and p_2 fixed to their groups, n to the group that has the face, or to the first one for two edges.  So a
row holds anywhere in a tick, exactly for a vertex over a plane, whatever bodies turn; D is the gap that
bodies in contact keep.

A motion is taken only if nothing comes nearer than D / 2 on the path from where the tick began: each part
turns evenly, and its centre goes on a parabola (`contact.system.motion_stops`, continuous, all pairs in one
batch).  Where something does, the points of these pairs at that place become rows, too, and the tick is
solved again: they are there before the two features can meet.  With the next tick those that are far are
gone.  Looking for all that parts may come to in a tick instead would be all the fingers of a hand.

Pairs of parts and the world that are too far apart for this tick sleep: their distance was measured once,
and is measured again only when they have moved that far.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from ...arrays import ArrayRecord, Bools, Floats, Ints
from ...contact.system import (
    FACE,
    FIXED,
    ContactSystem,
    InterfacePoints,
    Pair,
    Reach,
    RigidPaths,
    motion_stops,
)
from ...optimization.complementarity import complementary
from ...rigid import Pose, Poses, displaced, skew
from ...vectors import cross, dot
from ..configuration import Configuration, twists_between
from ..groups import RigidGroups
from ..least_motion import Gaps
from .obstacles import Clearances

# distance, over a part's radius and at least over D, that rows are looked for: what is farther is rarely met
# in a tick, and costs more as rows than being met
_NEAR, _NEAR_CONTACTS = 0.05, 4.0
_LEAVING = 0.1  # sine of the angle by which a normal may leave its features' cones: they may turn in a tick
_SOON = 0.1  # part of a piece of a path after the first stop within which others are obeyed at once
_PIECE, _MOST_PIECES = 0.7, 8  # length of a piece, over the radius of a part that moves; and the most of them
_TOUCHING = 1.5  # gap over D of a contact
_OBEYS = 0.1  # gap, over D, by which the end of a motion may be less than is kept without being forbidden
_LIFT_COMPLIANCE = 0.1  # beside 2, the square of a row of two unit normals
_LEAST = 0.3  # gap over D that is kept where there was no more at the start of a tick
# distance, over the reach of a tick, that is measured at most: a sleeping pair sleeps for some ticks
_MARGIN = 4.0
_ROUGHLY = 0.2  # error of a measured distance, over it


@dataclass(frozen=True, eq=False)
class CarriedGaps(ArrayRecord):
    """k gaps between points that are fixed to groups.

    body (k, 2): the groups, FIXED for the world.  local (k, 2, 3): the points in the groups' frames.
    carrier (k,): which of both carries the normal.  normal (k, 3): in the frame of that group.
    kept (k,): D of each, a length.
    """

    body: Ints
    local: Floats
    carrier: Ints
    normal: Floats
    kept: Floats

    @classmethod
    def of(
        cls, groups: RigidGroups, configuration: Configuration, points: InterfacePoints, kept: float
    ) -> CarriedGaps:
        """Return the gaps of interface points in the scene, at the configuration of these."""
        part_group = np.append(groups.part_group, FIXED)
        body = part_group[np.stack([points.body1, points.body2], axis=1)]
        centre, matrix = configuration.frames
        places = np.stack([points.point1, points.point2], axis=1) - centre[body]
        local = (places[:, :, None] @ matrix[body])[:, :, 0]
        carrier = ((points.dim2 == FACE) & (points.dim1 != FACE)).astype(np.intp)
        normal = (points.normal[:, None] @ matrix[body[np.arange(len(body)), carrier]])[:, 0]
        least = np.minimum(kept, np.maximum(points.gap, _LEAST * kept))
        return cls(body, local, carrier, normal, least)

    def gaps(self, configuration: Configuration, length: float) -> Gaps:
        """Return the gaps at a configuration, over a length."""
        centre, matrix = configuration.frames
        each = np.arange(len(self.body))
        arm = (matrix[self.body] @ self.local[..., None])[..., 0]
        point = centre[self.body] + arm
        bearer = self.body[each, self.carrier]
        normal = (matrix[bearer] @ self.normal[:, :, None])[:, :, 0]
        apart = point[:, 0] - point[:, 1]
        direction = np.stack([normal, -normal], axis=1)
        other = 1 - self.carrier  # the bearer turns with what is now at the other point
        arm[each, self.carrier] = point[each, other] - centre[bearer]
        arm /= length
        blocks = np.concatenate([direction, cross(arm, direction)], axis=2)
        bends = direction.copy()
        bends[each, self.carrier] *= -1.0  # there the normal turns, and not the arm
        return Gaps((dot(normal, apart) - self.kept) / length, blocks, self.body, bends, arm)

    def mixed_hessians(self, configuration: Configuration, length: float) -> Floats:
        """Return what `gaps` leaves out of the second derivatives (k, 12, 12) of the gaps, over a length.

        The normal n turns by t with its bearer c while the other point moves: with d = dX_o - dX_c + T_o x r,
        T_o the turn of the other group and r its arm, that is t . (n x d), n out of the other's surface.
        """
        found = self.gaps(configuration, length)
        each, other = np.arange(len(self.body)), 1 - self.carrier
        normal, arm = found.direction[each, other], found.arm[each, other]
        turn, turned = 2 * self.carrier + 1, skew(normal)
        out = np.zeros((len(each), 4, 4, 3, 3))  # by the shift and turn of the first, and of the second
        out[each, turn, 2 * other], out[each, turn, 2 * self.carrier] = turned, -turned
        out[each, turn, 2 * other + 1] = -turned @ skew(arm)
        half = out.transpose(0, 1, 3, 2, 4).reshape(-1, 12, 12)
        whole: Floats = half + half.transpose(0, 2, 1)
        return whole


def search_lengths(system: ContactSystem, kept: float) -> Floats:
    """Return how far about each body (m,) rows are looked for, D a length."""
    return np.maximum(_NEAR_CONTACTS * kept, _NEAR * system.radii)


@dataclass
class Sleepers:
    """How far parts may move before they can come near the world: kept from tick to tick.

    free (m,): lengths that are left.  most (m,): how far they are from the world at most.
    never_meeting: pairs that do not meet however near they are.
    seen: the poses since which the lengths count; None before the first tick.
    """

    free: Floats
    most: Floats
    never_meeting: frozenset[Pair]
    seen: tuple[Pose, ...] | None = None

    @classmethod
    def of(cls, count: int, never_meeting: frozenset[Pair]) -> Sleepers:
        """Return what is known of so many parts at first: nothing."""
        return cls(np.zeros(count), np.full(count, np.inf), never_meeting)

    def without_far_pairs(self, system: ContactSystem, reach: float, moving: Bools) -> ContactSystem:
        """Return a system whose parts (m,) that do not move, or are farther than a reach, a length, from the
        world do not meet it.
        """
        asleep = np.flatnonzero(~self.awake(system, reach, moving)).tolist()
        return replace(system, never_meeting=self.never_meeting | {(part, FIXED) for part in asleep})

    def awake(self, system: ContactSystem, reach: float, moving: Bools) -> Bools:
        """Return which parts (m,) may come to the world within a reach, a length."""
        if system.fixed is None:
            return np.zeros(len(system), bool)
        if self.seen is not None:
            moves = farthest_moves(system, self.seen)
            self.free -= moves
            self.most += moves
        self.seen = system.poses
        lower, upper = system.boxes
        tree = system.fixed.tree
        apart = np.maximum(lower - tree.upper[0], tree.lower[0] - upper).max(axis=1)
        self.free = np.maximum(self.free, apart)
        unsure = np.flatnonzero((self.free <= reach) & (self.most > reach) & moving)
        pairs = [(part, FIXED) for part in unsure.tolist()]
        self.free[unsure] = system.clearances(pairs, np.full(len(unsure), _MARGIN * reach), _ROUGHLY)
        self.most[unsure] = self.free[unsure] / (1.0 - _ROUGHLY)
        awake: Bools = (self.free <= reach) & moving
        return awake


def farthest_moves(system: ContactSystem, before: tuple[Pose, ...]) -> Floats:
    """Return the farthest (m,) that a point of each part has moved from poses before."""
    now, then = Poses.of(system.poses), Poses.of(before)
    own = np.array([body.body.mass.center for body in system.bodies])
    shift = np.linalg.norm(now.points(own) - then.points(own), axis=1)
    apart = then.matrix.transpose(0, 2, 1) @ now.matrix
    # sqrt(2) sin(a / 2), at least
    sine = 0.5 * np.sqrt(np.maximum(3.0 - np.trace(apart, axis1=1, axis2=2), 0.0))
    moves: Floats = shift + 2.0 * sine * system.radii
    return moves


class ContactClearances(Clearances[ContactSystem]):
    """The clearances of one tick, from where bodies overlap nothing.

    Args:
        groups: of the linkage.
        start: where the tick begins.
        system: the bodies there.
        kept: D, a length.
        reach: how far a part may move in the tick, a length.
        sleepers: what is kept from tick to tick.
    """

    def __init__(
        self,
        groups: RigidGroups,
        start: Configuration,
        system: ContactSystem,
        kept: float,
        reach: float,
        sleepers: Sleepers,
    ) -> None:
        self.free_share, self.end_is_forbidden = 1.0, False
        self._groups, self._start, self._kept, self._reach = groups, start, kept, reach
        self._system = sleepers.without_far_pairs(system, reach + 2.0 * kept, groups.part_group != FIXED)
        self._near = search_lengths(system, kept)
        far = {(part, FIXED) for part in np.flatnonzero(sleepers.free > self._near).tolist()}
        never_meeting = self._system.never_meeting | far  # what is looked up of a world is made when needed
        searched = replace(self._system, travel=self._near, cone_tolerance=_LEAVING)
        searched = replace(searched, never_meeting=never_meeting)
        points = searched.generate(_REACH, InterfacePoints.none(), None)
        apart = points.take(points.gap > 0.0)  # others are of edges that do not face each other
        self._rows = CarriedGaps.of(groups, start, searched.in_world(apart), kept)

    def gaps(self, configuration: Configuration) -> Gaps:
        """Return the gaps of all interface points of the tick."""
        if not len(self._rows.kept):
            return Gaps.none()
        return self._rows.gaps(configuration, self._groups.length)

    def hessians(self, configuration: Configuration, numbers: Ints) -> Floats:
        """Return what is left out of the second derivatives of some gaps."""
        return self._rows.take(numbers).mixed_hessians(configuration, self._groups.length)

    def checked(self, configuration: Configuration) -> ContactSystem | None:
        """Return the bodies at a configuration if nothing is crossed on the path there."""
        before, groups = self._system, self._groups
        twists = twists_between(self._start, configuration, groups.length)
        if not twists.any():
            return before
        half_way = self._half_way(twists)
        paths = part_paths(groups, before, self._start, configuration, half_way)
        stop = first_stop(before, paths, self._kept)
        if stop.share < 1.0:
            self.free_share = stop.share
            self._obey(self._on_path(stop.share, twists, half_way), configuration, stop)
            return None
        return before.at(groups.poses(configuration))

    def _half_way(self, twists: Floats) -> Configuration:
        """Return where groups pass by half way, so that what slides on a contact stays on it.

        Groups turn evenly.  Were their centres to go straight, points that touch at both ends would go
        through arcs, about a^2 r / 8 deep for a turn a, and cut into what they slide on; and others would,
        that come from above it.  So the centres are shifted there by the least that opens all gaps.
        """
        half = self._start.moved(0.5 * twists, self._groups.length)
        lift = least_lift(self._rows.gaps(half, 1.0), len(self._groups))
        return Configuration(half.centre + lift, half.turn)

    def _on_path(self, share: float, twists: Floats, half_way: Configuration) -> Configuration:
        """Return where groups are at a share of the path by twists (m, 6) that passes by half way."""
        length = self._groups.length
        there = self._start.moved(share * twists, length)
        lift = half_way.centre - self._start.moved(0.5 * twists, length).centre
        return Configuration(there.centre + 4.0 * share * (1.0 - share) * lift, there.turn)

    def _obey(self, there: Configuration, end: Configuration, stop: Stop) -> None:
        """Add rows for what pairs come to at a place on the way to the end of a tick."""
        groups = self._groups
        alone = only_pairs(self._system.at(groups.poses(there)), stop.pairs)
        alone = replace(alone, travel=self._near, cone_tolerance=_LEAVING)
        points = alone.generate(_REACH, InterfacePoints.none(), None)
        apart = points.take(points.gap > 0.0)
        more = CarriedGaps.of(groups, there, alone.in_world(apart), self._kept)
        at_start = more.gaps(self._start, 1.0).gap + more.kept
        more.kept[:] = np.clip(at_start, _LEAST * self._kept, self._kept)
        self.end_is_forbidden = bool((more.gaps(end, 1.0).gap < -_OBEYS * self._kept).any())
        self._rows = CarriedGaps.join([self._rows, more])


def least_lift(gaps: Gaps, count: int) -> Floats:
    """Return the shifts s (m, 3) of so many groups that open gaps g by their normals N: the least ones,
    min 1/2 |s|^2 + 1/2 |v|^2 / c with N s + g + v >= 0.

    The dual is (N N' + c) z + g >= 0, z >= 0, s = N' z.  Open gaps are in it: a shift may close them.  The
    compliance c keeps |s| within |v| / (2 sqrt(c)) where what is squeezed from two sides cannot be lifted.
    """
    if (gaps.gap >= 0.0).all():
        return np.zeros((count, 3))
    size = len(gaps.gap)
    normals = gaps.dense(count).reshape(size, count, 6)[:, :, :3].reshape(size, 3 * count)
    pushes = complementary(normals @ normals.T + _LIFT_COMPLIANCE * np.eye(size), gaps.gap)
    return np.asarray(pushes @ normals).reshape(count, 3)


@dataclass(frozen=True, eq=False)
class Stop:
    """Where on their paths bodies first come too near to each other: a share of the way, 1 for nowhere.

    pairs: the bodies that do so there.
    """

    share: float
    pairs: list[Pair]


def first_stop(system: ContactSystem, paths: RigidPaths, kept: float) -> Stop:
    """Return where bodies first come too near to each other, D a length.

    A path that is long beside the bodies is searched piece by piece: boxes around all of it would hold all of
    what is near, and what is behind the first stop does not matter.
    """
    moved = np.linalg.norm(paths.shift, axis=1) + np.linalg.norm(paths.turn, axis=1) * system.radii
    pieces = int(np.clip(np.ceil((moved / (_PIECE * system.radii)).max()), 1, _MOST_PIECES))
    for piece in range(pieces):
        begin, length = piece / pieces, 1.0 / pieces
        stops = motion_stops(*_piece(system, paths, begin, length), kept)
        if stops.first < 1.0:
            soon = stops.bodies[stops.times <= stops.first + _SOON]
            return Stop(begin + stops.first * length, [(a, b) for a, b in soon.tolist()])
    return Stop(1.0, [])


def _piece(
    system: ContactSystem, paths: RigidPaths, begin: float, length: float
) -> tuple[ContactSystem, RigidPaths]:
    """Return bodies at a share of their paths, and the piece of a length of these that begins there."""
    end = begin + length
    shift = begin * paths.shift + begin * (begin - 1.0) * paths.bend
    further = end * paths.shift + end * (end - 1.0) * paths.bend - shift
    rest = RigidPaths(further, length**2 * paths.bend, length * paths.turn)
    if begin == 0.0:
        return system, rest
    return system.at(displaced(system.poses, shift, begin * paths.turn, system.centres)), rest


_REACH = Reach(1.0, 1.0, 1.0)  # over the lengths of travel


def part_paths(
    groups: RigidGroups,
    system: ContactSystem,
    start: Configuration,
    end: Configuration,
    half_way: Configuration,
) -> RigidPaths:
    """Return the paths of all parts (m) between two configurations, each about its own centre of mass.

    half_way: where the centres pass by on parabolas.
    """
    twists = np.concatenate([twists_between(start, end, groups.length), np.zeros((1, 6))])[groups.part_group]
    begin, passed, there = (groups.centres(each) for each in (start, half_way, end))
    shift = there - begin
    return RigidPaths(shift, 2.0 * shift - 4.0 * (passed - begin), twists[:, 3:])


def only_pairs(system: ContactSystem, pairs: list[Pair]) -> ContactSystem:
    """Return a system of which only some pairs are searched."""
    count = len(system)
    every = {(first, second) for first in range(count) for second in (FIXED, *range(first + 1, count))}
    ordered = {(a, b) if b == FIXED else (min(a, b), max(a, b)) for a, b in pairs}
    return replace(system, never_meeting=frozenset(every - ordered))


def without_far_world(system: ContactSystem, reach: float) -> ContactSystem:
    """Return a system whose parts that are farther from the world than `reach` times their spans do not meet
    it.

    No interface point is lost.  But the box of a scene holds all of a figure in it, and what a search looks
    up of the world's triangles is made at the first one: a figure that nothing is near to needs none of it.
    """
    near = system.pairs(reach) if system.fixed is not None else []
    pairs = [pair for pair in near if pair[1] == FIXED]
    lengths = system.reaches(pairs, reach)
    beyond = np.flatnonzero(system.clearances(pairs, 2.0 * lengths) > lengths)
    far = {pairs[row] for row in beyond.tolist()}
    return replace(system, never_meeting=system.never_meeting | far)


def touching(system: ContactSystem, kept: float) -> InterfacePoints:
    """Return the interface points, in the scene, at which bodies touch, up to the gap D, a length."""
    near = without_far_world(replace(system, travel=np.full(len(system), _TOUCHING * kept)), 1.0)
    points = near.generate(_REACH, InterfacePoints.none(), None)
    return system.in_world(points.take(points.gap < _TOUCHING * kept))
