"""Moving bodies at their poses among fixed ones, and which pairs of them are near each other.

The poses of m bodies change by x (6 m,), six numbers a body: (dX / R_b, dTheta) about its own centre of mass,
R_b its own radius.  A pair of moving bodies is described in the frame of the second one, a pair with the
fixed bodies in that of the scene.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Self

import numpy as np

from ...arrays import Bools, Floats, Ints
from ...bodies import Body
from ...collision.distance import ACCURACY, clearance, clearances
from ...rigid import Pose, Poses
from ..body_pair import CONE_TOLERANCE, SIGN_TOLERANCE, BodyPair, BodyPairs, PairTable
from ..contact_body import ContactBody
from ..features import EDGE
from ..points.interface_points import FIXED, InterfacePoints, Pair
from ..regions.candidates import NearFeatures
from ..regions.flat_contacts import NARROW
from ..row_lists import every_pair
from .joined_bodies import JoinedBodies, is_small, may_be_joined
from .kept_features import FARTHER, SPARE, KeptFeatures

_EVERY = "joined with all others"


@dataclass(frozen=True, eq=False)
class PlacedBodies:
    """m moving bodies at their poses among fixed ones, which stand in the frame of the scene.

    bodies, poses: one for each moving body.
    fixed: all fixed bodies prepared as one; None if there are none.
    parts: the fixed bodies one by one.
    sign_tolerance: a gap over R of smaller size does not show by its sign on which side of each other two
    features are.
    cone_tolerance: sine of the angle by which the normal of two edges or vertices may leave their cones.
    moving: the numbers of the bodies that may move now, or that have moved, None for all: pairs of others are
    not searched, and keep their points.
    never_meeting: pairs, the lesser number first and FIXED last, that are not searched: what joints connect
    may go through each other, and so may what is moved by tracks and what stands.
    jointly: whether the points of all pairs, known or new, are solved in one call.  All bodies are joined for
        that, which pays where they are also joined for the search of paths.
    travel: lengths (m,) that the reach of a search is relative to, such as how far each body may move; None
    for the radii.
    """

    bodies: tuple[ContactBody, ...]
    poses: tuple[Pose, ...]
    fixed: ContactBody | None
    parts: tuple[Body, ...]
    sign_tolerance: float = SIGN_TOLERANCE
    cone_tolerance: float = CONE_TOLERANCE
    moving: tuple[int, ...] | None = None
    never_meeting: frozenset[Pair] = frozenset()
    travel: Floats | None = None
    jointly: bool = False

    @classmethod
    def of(cls, active: Sequence[Body], poses: Sequence[Pose], world: Sequence[Body]) -> Self:
        """Prepare moving bodies and fixed ones (maybe none); a body that occurs again is prepared once."""
        prepared = {id(body): ContactBody.of([body]) for body in active}
        fixed = ContactBody.of(world) if world else None
        return cls(tuple(prepared[id(body)] for body in active), tuple(poses), fixed, tuple(world))

    def __len__(self) -> int:
        return len(self.bodies)

    @cached_property
    def radii(self) -> Floats:
        """R_b of each moving body (m,), lengths."""
        return np.array([body.body.radius for body in self.bodies])

    @cached_property
    def radius(self) -> float:
        """R, by which gaps are divided: the least of the radii."""
        return float(self.radii.min())

    @cached_property
    def centres(self) -> Floats:
        """The centres of mass (m, 3) in the frame of the scene."""
        return np.array(
            [pose.points(body.body.mass.center) for body, pose in zip(self.bodies, self.poses, strict=True)]
        )

    def displaced(self, x: Floats) -> Self:
        """Return the system after all bodies have moved by x (6 m,), (dX / R_b, dTheta) of each body."""
        poses = [
            pose.displaced(radius * move[:3], move[3:], centre) if move.any() else pose
            for pose, radius, move, centre in zip(
                self.poses, self.radii.tolist(), x.reshape(-1, 6), self.centres, strict=True
            )
        ]
        return replace(self, poses=tuple(poses))

    def at(self, poses: Sequence[Pose]) -> Self:
        """Return the same bodies at other poses."""
        return replace(self, poses=tuple(poses))

    def span(self, pair: Pair) -> float:
        """Return the length that a pair's reach is relative to: the sum of those of the bodies that move."""
        first, second = pair
        return float(self._spans[first] + (self._spans[second] if second != FIXED else 0.0))

    @property
    def _spans(self) -> Floats:
        """The lengths (m,) that the reach of a search is relative to."""
        return self.radii if self.travel is None else self.travel

    def body_pair(self, pair: Pair) -> BodyPair:
        """Return a pair in the frame of its second body; R is the lesser radius of those that move."""
        if pair not in self._body_pairs:
            self._body_pairs[pair] = self._made_pair(*pair)
        return self._body_pairs[pair]

    @cached_property
    def _body_pairs(self) -> dict[Pair, BodyPair]:
        return {}

    def _made_pair(self, first: int, second: int) -> BodyPair:
        body, pose = self.bodies[first], self.poses[first]
        if second == FIXED:
            assert self.fixed is not None
            radius = float(self.radii[first])
            return BodyPair(body, self.fixed, pose, radius, self.sign_tolerance * radius, self.cone_tolerance)
        radius = float(self.radii[[first, second]].min())
        relative = self.poses[second].inverse().compose(pose)
        tolerance = self.sign_tolerance * radius
        return BodyPair(body, self.bodies[second], relative, radius, tolerance, self.cone_tolerance)

    def solids(self, pair: Pair) -> tuple[Body, ...]:
        """Return the bodies that the first of a pair meets, one by one, in the frame of the pair."""
        return self.parts if pair[1] == FIXED else (self.bodies[pair[1]].body,)

    @cached_property
    def boxes(self) -> tuple[Floats, Floats]:
        """Lower and upper corners (m, 3) of boxes around the moving bodies, in the frame of the scene."""
        lower = np.array([body.tree.lower[0] for body in self.bodies]).reshape(-1, 3)
        upper = np.array([body.tree.upper[0] for body in self.bodies]).reshape(-1, 3)
        at = self.frames.take(slice(len(self)))
        centre = at.points(0.5 * (lower + upper))
        half = (np.abs(at.matrix) @ (0.5 * (upper - lower))[:, :, None])[:, :, 0]
        return centre - half, centre + half

    def pairs(self, reach: float) -> list[Pair]:
        """Return every pair that may be nearer than `reach` times its span and of which a body may move."""
        near, never_meeting = self._near_pairs(reach), self.never_meeting
        if self.moving is not None:
            near = [pair for pair in near if self.moves(pair)]
        return [pair for pair in near if pair not in never_meeting]

    def moves(self, pair: Pair) -> bool:
        """Return whether a body of a pair may move, or has moved."""
        return self.moving is None or not set(self.moving).isdisjoint(pair)

    def searched(self, points: InterfacePoints) -> Bools:
        """Return which points (k,) are of pairs of which a body may move, or has moved."""
        if self.moving is None:
            return np.ones(len(points), bool)
        mine: Bools = np.isin(points.body1, self.moving) | np.isin(points.body2, self.moving)
        return mine

    def _near_pairs(self, reach: float) -> list[Pair]:
        """Return every pair that may be nearer than `reach` times its span.

        A single moving body always makes a pair with the fixed ones.
        """
        if len(self) == 1:
            return [(0, FIXED)] if self.fixed is not None else []
        lower, upper = self.boxes
        found: list[Pair] = []
        if self.fixed is not None:
            apart = np.maximum(lower - self.fixed.tree.upper[0], self.fixed.tree.lower[0] - upper)
            near = np.nonzero(apart.max(axis=1) <= reach * self._spans)[0]
            found += [(body, FIXED) for body in near.tolist()]
        first, second = every_pair(len(self))
        apart = np.maximum(lower[first] - upper[second], lower[second] - upper[first])
        near = apart.max(axis=1) <= reach * (self._spans[first] + self._spans[second])
        return found + list(zip(first[near].tolist(), second[near].tolist(), strict=True))

    @cached_property
    def frames(self) -> Poses:
        """The poses of all moving bodies, and last, for FIXED, the identity."""
        return Poses.of([*self.poses, Pose.identity()])

    @cached_property
    def _joined(self) -> tuple[JoinedBodies | None, Ints]:
        """The bodies that are joined, None of a single one or none, and the number among them (m + 1,) of
        each moving body, and last of the fixed ones; -1 where it is not joined.
        """
        parts = [body for body in self._distinct if may_be_joined(body)] if len(self) > 1 else []
        return JoinedBodies.of(parts) if parts else None, self._numbers_among(parts)

    @cached_property
    def all_joined(self) -> tuple[JoinedBodies, Ints]:
        """All distinct bodies joined, and the numbers (m + 1,) of all, the fixed ones last, among them."""
        return JoinedBodies.of(self._distinct, _EVERY), self._numbers_among(self._distinct)

    @cached_property
    def _distinct(self) -> list[ContactBody]:
        """The bodies, moving and fixed, each once."""
        return list({id(body): body for body in (*self.bodies, self.fixed) if body}.values())

    def _numbers_among(self, parts: Sequence[ContactBody]) -> Ints:
        """Return the number (m + 1,) among some bodies of each moving one, and last of the fixed ones; -1
        where it is none of them.
        """
        number = {id(body): each for each, body in enumerate(parts)}
        return np.array([number.get(id(body), -1) for body in (*self.bodies, self.fixed)])

    def joined_pairs(self, near: float, far: float) -> tuple[list[Pair], list[Pair]]:
        """Return the pairs of joined bodies that may be nearer than `near` times their spans, and all other
        pairs that may be nearer than `far` times theirs.
        """
        _, kinds = self._joined
        if (kinds < 0).all():
            return [], self.pairs(far)
        joined = (kinds >= 0).tolist()
        if all(joined):
            return self.pairs(near), []
        together = [pair for pair in self.pairs(near) if joined[pair[0]] and joined[pair[1]]]
        return together, [pair for pair in self.pairs(far) if not (joined[pair[0]] and joined[pair[1]])]

    def split_by_reach(self, pairs: Sequence[Pair], reach: float) -> tuple[list[Pair], list[Pair]]:
        """Return the pairs of joined bodies with plain fixed ones that a reach, over their spans, is narrow
        for, so that all of it is searched at once; and the others.
        """
        if self.fixed is None or not self.fixed.is_plain:
            return [], list(pairs)
        _, kinds = self._joined
        is_narrow = (kinds[:-1] >= 0) & (reach * self._spans <= NARROW * self.radii)
        narrow = [pair for pair in pairs if pair[1] == FIXED and is_narrow[pair[0]]]
        return narrow, [pair for pair in pairs if pair[1] != FIXED or not is_narrow[pair[0]]]

    def clearances(self, pairs: Sequence[Pair], most: Floats, accuracy: float = ACCURACY) -> Floats:
        """Return lower bounds of the distances of pairs (p,), lengths; 0 if they may touch.

        Those of joined bodies, and of these with the fixed ones, are searched in one batch each.
        most, accuracy: as in `collision.distance`.
        """
        first, second = np.array(pairs, np.intp).reshape(-1, 2).T
        joined, among = self._joined[1] >= 0, most.copy()
        with_joined = joined[first] & joined[second]
        with_fixed = joined[first] & ~joined[second] & (second == FIXED)
        for mine, rows_of in ((with_joined, self.body_pairs), (with_fixed, self.pairs_with_fixed)):
            rows = np.flatnonzero(mine)
            if len(rows):
                some = rows_of([pairs[row] for row in rows.tolist()])
                trees, table = (some.active.tree, some.world.tree), some.table
                among[rows] = clearances(*trees, table.roots, table.poses, most[rows], accuracy)
        for row in np.flatnonzero(~(with_joined | with_fixed)).tolist():
            pair = self.body_pair(pairs[row])
            trees = pair.active.tree, pair.world.tree
            among[row] = clearance(trees[0], pair.pose, trees[1], accuracy, float(most[row]))
        return among

    def searched_together(self, pair: Pair) -> bool:
        """Return whether near triangles of a pair are found with those of others: unless it is plain and
        large, and so searched farther and farther (`regions.flat_contacts`).
        """
        first, second = self.bodies[pair[0]], self.fixed if pair[1] == FIXED else self.bodies[pair[1]]
        assert second is not None
        return not (first.is_plain and second.is_plain) or (is_small(first) and is_small(second))

    def between_joined(self, points: InterfacePoints) -> Bools:
        """Return which points (k,) are between joined bodies."""
        _, kinds = self._joined
        both: Bools = (kinds[points.body1] >= 0) & (kinds[points.body2] >= 0)
        return both

    def body_pairs(self, pairs: Sequence[Pair]) -> BodyPairs:
        """Return pairs of joined bodies, one row each."""
        joined, kinds = self._joined
        assert joined is not None
        return self._pairs_among(joined, kinds, pairs)

    def all_body_pairs(self, pairs: Sequence[Pair]) -> BodyPairs:
        """Return pairs of any bodies, numbered as in all of them joined, one row each."""
        return self._pairs_among(*self.all_joined, pairs)

    def pairs_with_fixed(self, pairs: Sequence[Pair]) -> BodyPairs:
        """Return pairs of joined bodies with the fixed ones, which need not be joined, one row each."""
        joined, kinds = self._joined
        assert joined is not None
        assert self.fixed is not None
        return self._pairs_among(joined, kinds, pairs, self.fixed)

    def _pairs_among(
        self, joined: JoinedBodies, kinds: Ints, pairs: Sequence[Pair], world: ContactBody | None = None
    ) -> BodyPairs:
        """Return pairs of bodies as rows.

        kinds (m + 1,): the number of each body among the joined ones.
        world: the second body of all pairs, numbered as it is; None if it is among the joined ones, too.
        """
        first, second = np.array(pairs, dtype=np.intp).T
        radius = self._pair_radii(first, second)
        relative = self.frames.take(second).inverse().after(self.frames.take(first))
        other = joined.roots[kinds[second]] if world is None else np.zeros(len(second), np.intp)
        table = PairTable(
            first,
            second,
            relative,
            (joined.roots[kinds[first]], other),
            radius,
            self.sign_tolerance * radius,
            self.cone_tolerance,
        )
        return BodyPairs(joined.every, world or joined.every, table, np.arange(len(first)))

    def near_features(
        self, pairs: Sequence[Pair], reach: float, before: PlacedBodies | None
    ) -> NearFeatures | None:
        """Return the near features of pairs of joined bodies, from those kept before where they still hold;
        None where nothing is kept, as bodies that are placed move too far for that.

        Args:
            pairs: all that may be nearer than the reach.
            reach: over their spans.
            before: where a motion free of overlap led here from, with the same bodies; None for nowhere.
        """
        if before is None or self.travel is None:
            return None
        now, then = self.body_pairs(pairs), before.body_pairs(pairs)
        lengths = self.reaches(pairs, reach)
        for kept in before._kept:
            near = kept.near(now, lengths, then)
            if near is not None:
                self._kept[:] = [kept]
                return near
        wide, _ = self.joined_pairs((FARTHER + SPARE) * reach, 0.0)
        now_wide, then_wide = self.body_pairs(wide), before.body_pairs(wide)
        self._kept[:] = [KeptFeatures.of(now_wide, self.reaches(wide, reach), then_wide)]
        return self._kept[0].near(now, lengths, then)

    @cached_property
    def _kept(self) -> list[KeptFeatures]:
        """The near features that were last searched, one or none."""
        return []

    def reaches(self, pairs: Sequence[Pair], reach: float) -> Floats:
        """Return a reach over spans of pairs (p,), lengths."""
        return reach * np.array([self.span(pair) for pair in pairs])

    def body_pairs_of(self, points: InterfacePoints) -> BodyPairs:
        """Return the pairs of joined bodies that points (k,) are between."""
        pairs = np.unique(np.stack([points.body1, points.body2], axis=1), axis=0)
        return self.body_pairs([(first, second) for first, second in pairs.tolist()])

    def tangents_of_edges(self, points: InterfacePoints) -> tuple[Floats, Floats]:
        """Return both tangents (k, 3) of points, in the frames of their bodies; 0 for what are no edges."""
        jointly, body = self.numbered_among_all(points)
        first, second = np.zeros_like(points.normal), np.zeros_like(points.normal)
        for dim, piece, param, tangent in (
            (points.dim1, jointly.piece1, jointly.param1, first),
            (points.dim2, jointly.piece2, jointly.param2, second),
        ):
            rows = np.flatnonzero(dim == EDGE)
            tangent[rows] = body.edge_geometry(piece[rows], param[rows, 0]).tangent
        return first, second

    def ends_of_edges(self, points: InterfacePoints) -> tuple[Floats, Floats]:
        """Return the vectors (k, 2, 3) from points between two straight edges to the ends of both, in the
        frames of their bodies.
        """
        jointly, body = self.numbered_among_all(points)

        def ends(edge: Ints, param: Floats) -> Floats:
            here, first, last = (
                body.edge_geometry(edge, t).point
                for t in (param[:, 0], np.zeros(len(edge)), np.ones(len(edge)))
            )
            return np.stack([first - here, last - here], axis=1)

        return ends(jointly.piece1, jointly.param1), ends(jointly.piece2, jointly.param2)

    def numbered_among_all(self, points: InterfacePoints) -> tuple[InterfacePoints, Body]:
        """Return points with their features numbered as in all bodies joined, and these as one."""
        joined, kinds = self.all_joined
        return joined.numbered(points, kinds, 1), joined.every.body

    def _pair_radii(self, first: Ints, second: Ints) -> Floats:
        """Return R (p,), lengths, of pairs of bodies: the lesser radius of those that move."""
        radius, moves = self.radii[first], second != FIXED
        radius[moves] = np.minimum(radius[moves], self.radii[second[moves]])
        return radius

    def numbered_jointly(self, points: InterfacePoints, back: bool = False) -> InterfacePoints:
        """Return points between joined bodies with their features numbered as in all of these; or back."""
        joined, kinds = self._joined
        assert joined is not None
        return joined.numbered(points, kinds, -1 if back else 1)
