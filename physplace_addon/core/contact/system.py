"""Bodies that move, each at its pose, among those that stand still: who meets whom, and all interface points.

One moving body among fixed ones is the paper's case; several that move at once push each other with equal and
opposite forces.  A pair of moving bodies meets in the second one's frame, where that one stands still: so
every pair is an `Encounter`, and each body is prepared once.  The poses of m bodies change by x (6 m,), six
numbers a body: (dX / R_b, dTheta) about its own centre of mass, R_b its own radius.  Gaps are divided by R,
the least of the radii.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from ..arrays import Bools, Floats, Ints
from ..bodies import Body
from ..rigid import Pose, skew
from .bilateral import BilateralContacts
from .body_pair import SIGN_TOLERANCE, BodyPair
from .contact_body import ContactBody
from .continuous_collision import (
    TriangleOverlaps,
    missed_collisions,
    swept_contacts,
    triangle_overlaps,
    triangles_overlap,
)
from .features import EDGE, FACE, VERTEX, FeatureGeometry
from .points.generation import (
    Reach,
    between_flat_features,
    generate_interface_points,
    interface_points_of_triangles,
    track_interface_points,
)
from .points.interface_points import FIXED, InterfacePoints, spread_out
from .points.linearization import gap_gradient, gap_hessian, gradient_by_second, hessian_by_both
from .points.minimization import edge_normal
from .points.nearest import SurfacePoint, nearest_point

__all__ = [
    "EDGE",
    "FACE",
    "FIXED",
    "VERTEX",
    "BilateralContacts",
    "BodyPair",
    "ContactSystem",
    "FeatureGeometry",
    "InterfacePoints",
    "Pair",
    "Reach",
    "SurfacePoint",
    "TriangleOverlaps",
    "between",
    "edge_normal",
    "generate_interface_points",
    "grouped",
    "interface_points_of_triangles",
    "labelled",
    "missed_collisions",
    "nearest_point",
    "spread_out",
    "triangle_overlaps",
]

Pair = tuple[int, int]


@dataclass(frozen=True, eq=False)
class ContactSystem:
    """m moving bodies at poses (m), among fixed ones, which stand in the world's frame.

    parts: the fixed bodies one by one.  sign_tolerance: the gap over R above which the distance of two features tells
    on which side they are.  moving: the numbers of the bodies that may move, None for all: pairs of others are not
    looked for.
    """

    bodies: tuple[ContactBody, ...]
    poses: tuple[Pose, ...]
    fixed: ContactBody | None
    parts: tuple[Body, ...]
    sign_tolerance: float = SIGN_TOLERANCE
    moving: tuple[int, ...] | None = None

    @classmethod
    def of(cls, active: Sequence[Body], poses: Sequence[Pose], world: Sequence[Body]) -> ContactSystem:
        """Prepare bodies that move and the world (maybe empty); a body that occurs again is prepared once."""
        prepared = {id(body): ContactBody.of([body]) for body in active}
        fixed = ContactBody.of(world) if world else None
        return cls(tuple(prepared[id(body)] for body in active), tuple(poses), fixed, tuple(world))

    def __len__(self) -> int:
        return len(self.bodies)

    @cached_property
    def radii(self) -> Floats:
        """R_b of each body (m,)."""
        return np.array([body.body.radius for body in self.bodies])

    @cached_property
    def radius(self) -> float:
        """R, that gaps are divided by: the least of the radii."""
        return float(self.radii.min())

    @cached_property
    def centres(self) -> Floats:
        """The centres of mass (m, 3) in the world."""
        return np.array(
            [pose.points(body.body.mass.center) for body, pose in zip(self.bodies, self.poses, strict=True)]
        )

    def displaced(self, x: Floats) -> ContactSystem:
        """Move all bodies by x (6 m,)."""
        poses = [
            pose.displaced(radius * move[:3], move[3:], centre)
            for pose, radius, move, centre in zip(
                self.poses, self.radii.tolist(), x.reshape(-1, 6), self.centres, strict=True
            )
        ]
        return replace(self, poses=tuple(poses))

    def at(self, poses: Sequence[Pose]) -> ContactSystem:
        """The same bodies elsewhere."""
        return replace(self, poses=tuple(poses))

    def span(self, pair: Pair) -> float:
        """The length that a pair's reach is relative to: the radii of those that move."""
        first, second = pair
        return float(self.radii[first] + (self.radii[second] if second != FIXED else 0.0))

    def body_pair(self, pair: Pair) -> BodyPair:
        """How a pair meets: in the frame of the second, or of the world."""
        first, second = pair
        body, pose = self.bodies[first], self.poses[first]
        if second == FIXED:
            assert self.fixed is not None
            radius = float(self.radii[first])
            return BodyPair(body, self.fixed, pose, radius, self.sign_tolerance * radius)
        radius = float(self.radii[[first, second]].min())
        relative = self.poses[second].inverse().compose(pose)
        return BodyPair(body, self.bodies[second], relative, radius, self.sign_tolerance * radius)

    def solids(self, pair: Pair) -> tuple[Body, ...]:
        """The bodies that the first of a pair meets, one by one, in the body_pair's frame."""
        return self.parts if pair[1] == FIXED else (self.bodies[pair[1]].body,)

    @cached_property
    def _boxes(self) -> tuple[Floats, Floats]:
        """Lower and upper corners (m, 3) of boxes around the bodies, in the world."""
        boxes = [_box(body, pose) for body, pose in zip(self.bodies, self.poses, strict=True)]
        return np.array([lower for lower, _ in boxes]), np.array([upper for _, upper in boxes])

    def pairs(self, reach: float) -> list[Pair]:
        """Return the pairs with a body that may move and that may be nearer than `reach` times their span."""
        if self.moving is None:
            return self._near_pairs(reach)
        return [pair for pair in self._near_pairs(reach) if not set(self.moving).isdisjoint(pair)]

    def _near_pairs(self, reach: float) -> list[Pair]:
        """Every pair that may be nearer than `reach` times its span; one body always meets the fixed ones."""
        if len(self) == 1:
            return [(0, FIXED)] if self.fixed is not None else []
        lower, upper = self._boxes
        found: list[Pair] = []
        if self.fixed is not None:
            apart = np.maximum(lower - self.fixed.tree.upper[0], self.fixed.tree.lower[0] - upper)
            near = np.nonzero(apart.max(axis=1) <= reach * self.radii)[0]
            found += [(body, FIXED) for body in near.tolist()]
        first, second = np.triu_indices(len(self), 1)
        apart = np.maximum(lower[first] - upper[second], lower[second] - upper[first])
        near = apart.max(axis=1) <= reach * (self.radii[first] + self.radii[second])
        return found + list(zip(first[near].tolist(), second[near].tolist(), strict=True))

    def generate(
        self, reach: Reach, tracked: InterfacePoints, before: ContactSystem | None
    ) -> InterfacePoints:
        """Find the interface points of all pairs (`find_points`); reach is relative to the spans."""
        parts = [InterfacePoints.none()]
        for pair in self.pairs(2.0 * reach.farthest):
            known = tracked.take(between(tracked, pair))
            then = None if before is None else before.body_pair(pair)
            points = generate_interface_points(
                self.body_pair(pair), reach.times(self.span(pair)), known, then
            )
            parts.append(labelled(points, pair))
        return InterfacePoints.join(parts)

    def track(self, points: InterfacePoints) -> InterfacePoints:
        """Solve known points again where the bodies stand now (`solve_tracked`)."""
        parts = [
            track_interface_points(self.body_pair(pair), points.take(rows)) for pair, rows in grouped(points)
        ]
        return InterfacePoints.join([InterfacePoints.none(), *parts])

    def swept_contacts(self, end: ContactSystem, reach: float) -> InterfacePoints:
        """Return, here, the flat feature pairs that cross on the way to `end`."""
        pairs = self.pairs(reach)
        ways = [(self.body_pair(pair), end.body_pair(pair)) for pair in pairs]
        parts = [labelled(found, pair) for pair, found in zip(pairs, swept_contacts(ways), strict=True)]
        return InterfacePoints.join([InterfacePoints.none(), *parts])

    def misses_collision(self, points: InterfacePoints, depth: float) -> bool:
        """Whether anything overlaps that no interface point accounts for: curved faces, or flat triangles by
        more than `depth` over R.
        """
        for pair in self.pairs(0.0):
            body_pair = self.body_pair(pair)
            if len(missed_collisions(body_pair, points.take(between(points, pair)))):
                return True
            if triangles_overlap(body_pair, depth * body_pair.radius):
                return True
        return False

    def between_flat_features(self, points: InterfacePoints) -> Bools:
        """Tell which points' features are both flat or straight (`flat_pair`), shape (k,)."""
        out = np.zeros(len(points), bool)
        for pair, rows in grouped(points):
            out[rows] = between_flat_features(self.body_pair(pair), points.take(rows))
        return out

    def gradients(self, points: InterfacePoints) -> Floats:
        """Return d(gap / R) / dx, shape (k, 6 m)."""
        out = np.zeros((len(points), len(self), 6))
        for pair, rows in grouped(points):
            first, second = pair
            part = self.in_world(points.take(rows))
            scale = self._scale(pair)
            gradient = gap_gradient(part, self.centres[first], scale.radius)
            out[rows, first] = gradient * scale.first
            if second != FIXED:
                out[rows, second] = gradient_by_second(gradient, scale.separation) * scale.second
        return out.reshape(len(points), 6 * len(self))

    def hessians(self, points: InterfacePoints) -> Floats:
        """Return the second derivatives of gap / R by x, shape (k, 6 m, 6 m)."""
        m = len(self)
        out = np.zeros((len(points), m, 6, m, 6))
        for pair, rows in grouped(points):
            first, second = pair
            part = points.take(rows)
            scale = self._scale(pair)
            geometry = self._geometry(pair, part)
            part = self.in_world(part)
            hessian = gap_hessian(part, *geometry, self.centres[first], scale.radius)
            out[rows, first, :, first] = hessian * scale.first[:, None] * scale.unscaled_first
            if second != FIXED:
                gradient = gap_gradient(part, self.centres[first], scale.radius)
                mixed, own = hessian_by_both(gradient, hessian, scale.separation)
                mixed = mixed * scale.first[:, None] * scale.unscaled_second
                out[rows, first, :, second] = mixed
                out[rows, second, :, first] = mixed.transpose(0, 2, 1)
                out[rows, second, :, second] = own * scale.second[:, None] * scale.unscaled_second
        return out.reshape(len(points), 6 * m, 6 * m)

    def _scale(self, pair: Pair) -> _Scale:
        first, second = pair
        radius = self.radii[first] if second == FIXED else self.radii[[first, second]].min()
        separation = np.zeros(3) if second == FIXED else self.centres[first] - self.centres[second]
        others = radius if second == FIXED else self.radii[second]
        return _Scale(
            float(radius),
            separation / radius,
            float(radius) / self.radius,
            _by_length(self.radii[first] / radius),
            _by_length(others / radius),
        )

    def in_world(self, points: InterfacePoints) -> InterfacePoints:
        """The same points with positions and normals in the world's frame."""
        return _carried(points, self.poses)

    def in_pair_frames(self, points: InterfacePoints) -> InterfacePoints:
        """The same points, given in the world's frame, as their pairs see them (undoes `in_world`)."""
        return _carried(points, [pose.inverse() for pose in self.poses])

    def wrench_maps(self, points: InterfacePoints) -> Floats:
        """Return G (k, 6 m, 3), the maps of contact forces on the first body to wrenches: J = G n."""
        world = self.in_world(points)
        out = np.zeros((len(points), len(self), 6, 3))
        every = np.arange(len(points))
        for bodies, at, sign in ((world.body1, world.point1, 1.0), (world.body2, world.point2, -1.0)):
            rows = every[bodies != FIXED]
            body = bodies[rows]
            scale = (self.radii[body] / self.radius)[:, None, None]
            out[rows, body, :3] = sign * scale * np.eye(3)
            out[rows, body, 3:] = sign * skew((at[rows] - self.centres[body]) / self.radius)
        return out.reshape(len(points), 6 * len(self), 3)

    def _geometry(self, pair: Pair, part: InterfacePoints) -> tuple[FeatureGeometry, FeatureGeometry]:
        first, second = self.body_pair(pair).evaluate(part)
        if pair[1] == FIXED:
            return first, second
        pose = self.poses[pair[1]]
        return first.seen_from(pose), second.seen_from(pose)

    def evaluate(self, points: InterfacePoints) -> tuple[FeatureGeometry, FeatureGeometry]:
        """Evaluate both features of all points, in the world's frame."""
        first, second = FeatureGeometry.empty(len(points)), FeatureGeometry.empty(len(points))
        for pair, rows in grouped(points):
            for whole, part in zip((first, second), self._geometry(pair, points.take(rows)), strict=True):
                whole.put(rows, part)
        return first, second

    def traced(self, points: InterfacePoints, walk1: Floats, walk2: Floats) -> InterfacePoints:
        """Walk on both features of the points by world displacements (k, 3), in their domains; only their
        parameters change.
        """
        param1, param2 = points.param1.copy(), points.param2.copy()
        for pair, rows in grouped(points):
            part, body_pair = points.take(rows), self.body_pair(pair)
            step1, step2 = walk1[rows], walk2[rows]
            if pair[1] != FIXED:
                turn = self.poses[pair[1]].matrix
                step1, step2 = step1 @ turn, step2 @ turn
            param1[rows] = body_pair.first(part).moved(step1).param
            param2[rows] = body_pair.second(part).moved(step2).param
        return replace(points, param1=param1, param2=param2)

    def flat_sides(self, points: InterfacePoints) -> tuple[Bools, Bools]:
        """Tell which points are on a flat face or a straight edge of the first body, and of the second."""
        out = np.zeros((2, len(points)), bool)
        for pair, rows in grouped(points):
            body_pair, part = self.body_pair(pair), points.take(rows)
            out[0, rows] = _flat_or_straight(body_pair.active, part.dim1, part.index1)
            out[1, rows] = _flat_or_straight(body_pair.world, part.dim2, part.index2)
        return out[0], out[1]


@dataclass(frozen=True, eq=False)
class _Scale:
    """How a pair's own units (its radius, for all lengths) become the system's, that it stands `separation`
    (3,) apart in: a row's factor, and each body's columns' (6,).
    """

    radius: float
    separation: Floats
    row: float
    unscaled_first: Floats
    unscaled_second: Floats

    @property
    def first(self) -> Floats:
        """The factors (6,) of a gradient by the first body."""
        return self.row * self.unscaled_first

    @property
    def second(self) -> Floats:
        """The factors (6,) of a gradient by the second body."""
        return self.row * self.unscaled_second


def _box(body: ContactBody, pose: Pose) -> tuple[Floats, Floats]:
    """Lower and upper corner (3,), in the world, of the body's own box at a pose."""
    lower, upper = body.tree.lower[0], body.tree.upper[0]
    centre, half = pose.points(0.5 * (lower + upper)), np.abs(pose.matrix) @ (0.5 * (upper - lower))
    return centre - half, centre + half


def _by_length(factor: float) -> Floats:
    return np.array([factor, factor, factor, 1.0, 1.0, 1.0])


def _carried(points: InterfacePoints, poses: Sequence[Pose]) -> InterfacePoints:
    """The same points, those on a second body that moves carried along by its pose of m."""
    out = points
    for (_, second), rows in grouped(points):
        if second != FIXED:
            out = points.copy() if out is points else out
            pose = poses[second]
            out.point1[rows], out.point2[rows] = pose.points(out.point1[rows]), pose.points(out.point2[rows])
            out.normal[rows] = pose.vectors(out.normal[rows])
    return out


def _flat_or_straight(body: ContactBody, dim: Ints, index: Ints) -> Bools:
    out: Bools = (dim == FACE) | (dim == EDGE)
    faces, edges = dim == FACE, dim == EDGE
    out[faces] = body.body.face_flat[index[faces]]
    out[edges] = body.straight[index[edges]]
    return out


def between(points: InterfacePoints, pair: Pair) -> Bools:
    """Tell which points are between the two bodies of a pair, shape (k,)."""
    found: Bools = (points.body1 == pair[0]) & (points.body2 == pair[1])
    return found


def grouped(points: InterfacePoints) -> list[tuple[Pair, Bools]]:
    """Return the pairs that have points, with the rows (k,) of each."""
    if len(points) and (points.body1 == points.body1[0]).all() and (points.body2 == points.body2[0]).all():
        return [((int(points.body1[0]), int(points.body2[0])), np.ones(len(points), bool))]
    pairs = sorted(set(zip(points.body1.tolist(), points.body2.tolist(), strict=True)))
    return [(pair, between(points, pair)) for pair in pairs]


def labelled(points: InterfacePoints, pair: Pair) -> InterfacePoints:
    """Say between which two bodies points are."""
    k = len(points)
    return replace(points, body1=np.full(k, pair[0]), body2=np.full(k, pair[1]))
