"""Moving bodies at their poses among fixed ones, and the interface points of all pairs of them.

One moving body among fixed ones is the case of Snyder 1995; several that move at once push each other with
equal and opposite forces.  A pair of moving bodies is described in the frame of the second one, a pair with
the fixed bodies in that of the scene: every pair is a `BodyPair`, and each body is prepared once.

The poses of m bodies change by x (6 m,), six numbers a body: (dX / R_b, dTheta) about its own centre of mass,
R_b its own radius.  Gaps are divided by R, the least of the radii.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from ..arrays import Bools, Floats, Ints
from ..rigid import skew
from .continuous_collision import Motion, swept_contacts
from .features import FACE, FeatureGeometry, FeaturePoints
from .interpenetration import deep_overlaps, missed_collisions, triangles_overlap
from .many_pairs.curved_points import generated_points
from .many_pairs.flat_points import cutting_pairs, generate_flat_points
from .many_pairs.near_triangles import near_triangles
from .many_pairs.placed_bodies import PlacedBodies
from .pair_derivatives import gradient_by_second, hessian_by_both
from .points.creation import Reach, points_at_crossings
from .points.generation import Generation, track_interface_points
from .points.interface_points import (
    FIXED,
    InterfacePoints,
    Pair,
    between,
    carried,
    feature_keys,
    grouped,
    labelled,
    rows_with_keys,
)
from .points.linearization import gap_gradient, gap_hessian
from .points.parting_points import parting_points
from .points.surface_crossings import SurfaceCrossings
from .regions.flat_pairs import between_flat_features
from .row_lists import IndexPairs
from .sidedness import sides_are_doubtful, with_known_sides

_FEW = 2  # pairs that are searched one by one, as one search takes no less than these


@dataclass(frozen=True, eq=False)
class ContactSystem(PlacedBodies):
    """Moving bodies at their poses among fixed ones, and the interface points of all pairs of them."""

    def generate(
        self,
        reach: Reach,
        tracked: InterfacePoints,
        before: ContactSystem | None,
        unsolved: InterfacePoints | None = None,
    ) -> InterfacePoints:
        """Return the interface points of all pairs (`points.generation`); reach is relative to the spans.

        Pairs that are not searched have the tracked ones.

        unsolved: points known before between joined bodies, that are solved where they matter.
        """
        unsolved = InterfacePoints.none() if unsolved is None else unsolved
        parts = [InterfacePoints.none(), tracked.take(~self.searched(tracked))]
        joined, alone = self.joined_pairs(reach.flat, 2.0 * reach.farthest)
        if joined:
            parts.append(self._generate_together(joined, reach.flat, tracked, before, unsolved))
        if before is None and not len(tracked):
            at_once, alone = self.split_by_reach(alone, reach.flat)
            if at_once:
                parts.append(self._generate_at_once(at_once, reach.flat))
        begun: dict[Pair, Generation] = {}
        for pair, near in zip(alone, self._near_triangles(alone, reach.farthest), strict=True):
            known = tracked.take(between(tracked, pair))
            if near is not None and len(near[0]) == len(known) == 0:
                continue
            then = None if before is None else before.body_pair(pair)
            own = reach.times(self.span(pair))
            begun[pair] = Generation.begun(self.body_pair(pair), own, known, then, near)
        parts.extend(generated_points(self, list(begun), list(begun.values())))
        return InterfacePoints.join(parts)

    def _near_triangles(self, pairs: list[Pair], reach: float) -> list[IndexPairs | None]:
        """Return the triangles within reach, over the spans, of pairs that are searched in one batch; None
        for those that search by themselves.
        """
        found: list[IndexPairs | None] = [None] * len(pairs)
        small = [row for row, pair in enumerate(pairs) if self.searched_together(pair)]
        if len(small) > _FEW:
            those = [pairs[row] for row in small]
            reaches = self.reaches(those, reach)
            for row, near in zip(small, near_triangles(self, those, reaches), strict=True):
                found[row] = near
        return found

    def generate_from(
        self, reach: Reach, known: InterfacePoints, before: ContactSystem | None
    ) -> InterfacePoints:
        """Return what `generate` does, from points known before that are solved here where they matter.

        Between joined bodies, which are solids, a point known before tells only the side of edges and
        vertices that all but touch.
        """
        together = self.between_joined(known) & self.searched(known)
        return self.generate(reach, self.track(known.take(~together)), before, known.take(together))

    def _generate_together(
        self,
        pairs: list[Pair],
        reach: float,
        tracked: InterfacePoints,
        before: ContactSystem | None,
        unsolved: InterfacePoints,
    ) -> InterfacePoints:
        """Return the interface points of pairs of joined bodies; those of fixed parts come first."""
        now, then = self.body_pairs(pairs), None if before is None else before.body_pairs(pairs)
        lengths = self.reaches(pairs, reach)
        known = self.numbered_jointly(tracked.take(self.between_joined(tracked)))
        near = self.near_features(pairs, reach, before)
        points = generate_flat_points(now, lengths, then, near)
        doubtful = np.flatnonzero(sides_are_doubtful(now, points))
        if len(unsolved) and len(doubtful):
            unsolved = self.numbered_jointly(unsolved)
            same = rows_with_keys(feature_keys(points.take(doubtful)), feature_keys(unsolved))
            solved = track_interface_points(now, unsolved.take(same[same >= 0]))
            known = InterfacePoints.join([InterfacePoints.none(), known, solved])
        points = with_known_sides(now, points, known, then)
        return self.numbered_jointly(points, back=True)

    def _generate_at_once(self, pairs: list[Pair], reach: float) -> InterfacePoints:
        """Return the interface points of joined bodies with fixed ones, which may be sheets, and of which
        nothing is known: they are on the sides that their distances show.
        """
        points = generate_flat_points(self.pairs_with_fixed(pairs), self.reaches(pairs, reach), None)
        return self.numbered_jointly(points, back=True)

    def track(self, points: InterfacePoints) -> InterfacePoints:
        """Return known points solved again where the bodies stand now; those that left their features go."""
        searched = self.searched(points)
        still, points = points.take(~searched), points.take(searched)
        together = self.between_joined(points)
        joined, points = points.take(together), points.take(~together)
        parts = self._tracked_alone(points)
        if len(joined):
            pairs = self.body_pairs_of(joined)
            part = track_interface_points(pairs, self.numbered_jointly(joined))
            parts.append(self.numbered_jointly(part, back=True))
        return InterfacePoints.join([InterfacePoints.none(), still, *parts])

    def _tracked_alone(self, points: InterfacePoints) -> list[InterfacePoints]:
        """Return known points of pairs that are not joined solids, solved again."""
        groups = grouped(points)
        if len(groups) < _FEW or not self.jointly:
            return [track_interface_points(self.body_pair(pair), points.take(rows)) for pair, rows in groups]
        joined, kinds = self.all_joined
        pairs = self.all_body_pairs([pair for pair, _ in groups])
        rows = np.concatenate([np.flatnonzero(mine) for _, mine in groups])
        found = track_interface_points(pairs, joined.numbered(points.take(rows), kinds, 1))
        return [joined.numbered(found, kinds, -1)]

    def swept_contacts(self, end: ContactSystem, reach: float) -> InterfacePoints:
        """Return, as they are here, the flat feature pairs that cross on the way to `end`.

        reach: over their spans, the distance up to which pairs of bodies are looked at.
        """
        joined, alone = self.joined_pairs(reach, reach)
        joined, alone = ([pair for pair in pairs if end.moves(pair)] for pairs in (joined, alone))
        motions: list[Motion] = [(self.body_pair(pair), end.body_pair(pair)) for pair in alone]
        if joined:
            motions.append((self.body_pairs(joined), end.body_pairs(joined)))
        parts = swept_contacts(motions)
        together = [self.numbered_jointly(part, back=True) for part in parts[len(alone) :]]
        each = [labelled(found, pair) for pair, found in zip(alone, parts, strict=False)]
        return InterfacePoints.join([InterfacePoints.none(), *together, *each])

    def misses_collision(self, points: InterfacePoints, depth: float) -> bool:
        """Return whether anything overlaps that no interface point accounts for.

        depth: over R, up to which flat triangles may cut through each other.
        """
        return len(self.missed_crossings(points)) > 0 or self.triangles_overlap(depth)

    def missed_crossings(
        self, points: InterfacePoints, pairs: Sequence[Pair] | None = None
    ) -> list[tuple[Pair, SurfaceCrossings]]:
        """Return the pairs whose curved surfaces cross where no interface point says so, and the places.

        pairs: those that are looked at, None for all.
        """
        alone = self.joined_pairs(0.0, 0.0)[1]  # nothing of joined bodies is curved
        found = [
            (pair, missed_collisions(self.body_pair(pair), points.take(between(points, pair))))
            for pair in alone
            if pairs is None or pair in pairs
        ]
        return [(pair, crossings) for pair, crossings in found if len(crossings)]

    def triangles_overlap(self, depth: float, before: ContactSystem | None = None) -> bool:
        """Return whether flat triangles cut through each other by more than `depth`, over R.

        before: where the bodies came from by a way that may have been searched already; None for nowhere.
        """
        pairs = [
            (self.body_pair(pair), None if before is None else before.body_pair(pair))
            for pair in self._cutting_pairs(depth)
        ]
        return any(triangles_overlap(now, depth * now.radius, then) for now, then in pairs)

    def _cutting_pairs(self, depth: float) -> list[Pair]:
        """Return the pairs of which triangles may cut through each other by more than `depth`, over R."""
        joined, alone = self.joined_pairs(0.0, 0.0)
        return [*cutting_pairs(self.body_pairs(joined), joined, depth), *alone] if joined else alone

    def points_at_overlaps(self, depth: float, before: ContactSystem) -> InterfacePoints:
        """Return points that part the flat triangles of `triangles_overlap` as they were parted before."""
        parts = [InterfacePoints.none()]
        for pair in self._cutting_pairs(depth):
            now = self.body_pair(pair)
            overlaps = deep_overlaps(now, depth * now.radius)
            parts.append(labelled(parting_points(before.body_pair(pair), now, overlaps.triangles), pair))
        return InterfacePoints.join(parts)

    def points_at_crossings(
        self, crossings: list[tuple[Pair, SurfaceCrossings]], reach: Reach, before: ContactSystem
    ) -> InterfacePoints:
        """Return interface points that overlap where surfaces cross; `before` is free of overlap."""
        parts = [InterfacePoints.none()]
        for pair, found in crossings:
            farthest = reach.curved * self.span(pair)
            points = points_at_crossings(self.body_pair(pair), found, farthest, before.body_pair(pair))
            parts.append(labelled(points, pair))
        return InterfacePoints.join(parts)

    def between_flat_features(self, points: InterfacePoints) -> Bools:
        """Return which points' features (k,) are both flat, straight or vertices, but not two faces."""
        flat: Bools = (points.dim1 != FACE) | (points.dim2 != FACE)  # nothing of joined bodies is curved
        alone = np.flatnonzero(~self.between_joined(points))
        for pair, mine in grouped(points.take(alone)) if len(alone) else []:
            rows = alone[mine]
            flat[rows] = between_flat_features(self.body_pair(pair), points.take(rows))
        return flat

    def flat_sides(self, points: InterfacePoints) -> tuple[Bools, Bools]:
        """Return which points (k,) are on a flat face or straight edge of the first body, and which of the
        second.
        """
        out = np.zeros((2, len(points)), bool)
        for pair, rows in grouped(points):
            body_pair, part = self.body_pair(pair), points.take(rows)
            out[0, rows] = body_pair.active.flat_or_straight(part.dim1, part.index1)
            out[1, rows] = body_pair.world.flat_or_straight(part.dim2, part.index2)
        return out[0], out[1]

    def gradients(self, points: InterfacePoints) -> Floats:
        """Return J (k, 6 m): the derivatives of gap / R by x."""
        first, second, pushes, separation = self._bodies_of(points)
        gradient = gap_gradient(self.in_world(points), self.centres[first])
        out = np.zeros((len(points), len(self), 6))
        out[np.arange(len(points)), first] = gradient * self._units[first]
        by_second = gradient_by_second(gradient[pushes], separation)
        out[pushes, second] = by_second * self._units[second]
        return out.reshape(len(points), 6 * len(self)) / self.radius

    def hessians(self, points: InterfacePoints) -> Floats:
        """Return H (k, 6 m, 6 m): the second derivatives of gap / R by x."""
        out = np.zeros((len(points), len(self), 6, len(self), 6))
        blocks, bodies = self.hessian_blocks(points), (points.body1, points.body2)
        for i, j in ((0, 0), (0, 1), (1, 0), (1, 1)):
            rows = np.flatnonzero((bodies[i] != FIXED) & (bodies[j] != FIXED))
            out[rows, bodies[i][rows], :, bodies[j][rows]] = blocks[rows, i, :, j]
        return out.reshape(len(points), 6 * len(self), 6 * len(self))

    def curvature(self, points: InterfacePoints, forces: Floats) -> Floats:
        """Return sum f_i H_i (6 m, 6 m) for forces f (k,) at the points."""
        out = np.zeros((len(self), len(self), 6, 6))
        blocks, bodies = self.hessian_blocks(points), (points.body1, points.body2)
        for i, j in ((0, 0), (0, 1), (1, 0), (1, 1)):
            rows = np.flatnonzero((bodies[i] != FIXED) & (bodies[j] != FIXED))
            own = forces[rows, None, None] * blocks[rows, i, :, j]
            np.add.at(out, (bodies[i][rows], bodies[j][rows]), own)
        curvature: Floats = out.transpose(0, 2, 1, 3).reshape(6 * len(self), 6 * len(self))
        return curvature

    def hessian_blocks(self, points: InterfacePoints) -> Floats:
        """Return the second derivatives (k, 2, 6, 2, 6) of gap / R by the x of each point's own two bodies, 0
        by fixed ones.
        """
        first, second, pushes, separation = self._bodies_of(points)
        world, centres = self.in_world(points), self.centres[first]
        radii = self.radii[first]
        radii[pushes] = np.minimum(radii[pushes], self.radii[second])
        hessian = gap_hessian(world, *self.evaluate(points), centres, radii)
        gradient = gap_gradient(world, centres)[pushes]
        mixed, own = hessian_by_both(gradient, hessian[pushes], separation)
        mixed *= self._unit_products(first[pushes], second)
        out = np.zeros((len(points), 2, 6, 2, 6))
        out[:, 0, :, 0] = hessian * self._unit_products(first, first)
        out[pushes, 0, :, 1] = mixed
        out[pushes, 1, :, 0] = mixed.transpose(0, 2, 1)
        out[pushes, 1, :, 1] = own * self._unit_products(second, second)
        return out

    @cached_property
    def _units(self) -> Floats:
        """The changes of place and turn (m, 6), lengths and radians, of x = 1."""
        return np.repeat(np.stack([self.radii, np.ones(len(self))], axis=1), 3, axis=1)

    def _unit_products(self, a: Ints, b: Ints) -> Floats:
        """Return the factors (k, 6, 6) of second derivatives of gap / R by x of bodies a (k,) and b (k,)."""
        products: Floats = self._units[a][:, :, None] * self._units[b][:, None, :] / self.radius
        return products

    def _bodies_of(self, points: InterfacePoints) -> tuple[Ints, Ints, Ints, Floats]:
        """Return the first bodies of points (k,); and of the n points whose second body moves, too: these
        bodies (n,), the points' rows (n,), and the vectors (n, 3) from the second to the first centre.
        """
        pushes = np.flatnonzero(points.body2 != FIXED)
        second = points.body2[pushes]
        separation = self.centres[points.body1[pushes]] - self.centres[second]
        return points.body1, second, pushes, separation

    def in_world(self, points: InterfacePoints) -> InterfacePoints:
        """Return the same points with positions and normals in the frame of the scene."""
        return carried(points, self.frames.take(points.body2))

    def in_pair_frames(self, points: InterfacePoints) -> InterfacePoints:
        """Return points given in the frame of the scene in those of their pairs: undoes `in_world`."""
        return carried(points, self.frames.inverse().take(points.body2))

    def wrench_maps(self, points: InterfacePoints) -> Floats:
        """Return the maps G (k, 6 m, 3) of forces on the first bodies, in the scene, to wrenches.

        G n is the gradient J of the gap over R, n the normal in the scene.
        """
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

    def evaluate(self, points: InterfacePoints) -> tuple[FeatureGeometry, FeatureGeometry]:
        """Return the geometry of both features of all points, in the frame of the scene."""
        out = []
        for owner, features in self._features_of(points):
            geometry = FeatureGeometry.empty(len(points))
            for rows, part in features:
                geometry.put(rows, part.geometry())
            out.append(geometry.carried(self.frames.take(owner)))
        return out[0], out[1]

    def traced(self, points: InterfacePoints, shift1: Floats, shift2: Floats) -> InterfacePoints:
        """Return the points with the pieces and parameters of both features after geodesic tracing.

        shift1, shift2 (k, 3): displacements in the frame of the scene.  Positions, normals and gaps stay.
        """
        found = []
        for shift, (owner, features) in zip((shift1, shift2), self._features_of(points), strict=True):
            local = self.frames.take(owner).inverse().vectors(shift)
            piece, param = np.zeros(len(points), np.intp), np.zeros((len(points), 2))
            for rows, part in features:
                moved = part.moved(local[rows])
                piece[rows], param[rows] = moved.piece, moved.param
            found.append((piece, param))
        (piece1, param1), (piece2, param2) = found
        return replace(points, piece1=piece1, param1=param1, piece2=piece2, param2=param2)

    def _features_of(self, points: InterfacePoints) -> list[tuple[Ints, list[tuple[Ints, FeaturePoints]]]]:
        """Return for the first and for the second features of points (k,) the numbers (k,) of their bodies,
        and those of equal bodies together: their rows and the features, in the frame of the body.
        """
        distinct = list({id(body): body for body in (*self.bodies, self.fixed) if body}.values())
        number = {id(body): each for each, body in enumerate(distinct)}
        kinds = np.array([number.get(id(body), -1) for body in (*self.bodies, self.fixed)])
        found = []
        for owner, dim, piece, param in (
            (points.body1, points.dim1, points.piece1, points.param1),
            (points.body2, points.dim2, points.piece2, points.param2),
        ):
            kind, features = kinds[owner], []
            for each in np.unique(kind).tolist():
                rows = np.flatnonzero(kind == each)
                body = distinct[each].body
                features.append((rows, FeaturePoints(body, None, dim[rows], piece[rows], param[rows])))
            found.append((owner, features))
        return found
