"""Pairs of bodies on curved paths: which may come near each other, and which of their triangles.

A path turns a body about its centre of mass while that flies on a parabola (`RigidPaths`).  The fixed bodies
are one more body that stands still; its reference point is where the other body's centre of mass is at the
start, so that no lever is longer than it must be.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np

from ...arrays import Floats, Ints
from ...collision import swept_pairs_of_parts
from ...collision.node_pairs import Motions, corners_of
from ...collision.rigid_paths import PrimitivePairs, RelativePaths
from ...rigid import Poses, rotation_matrix
from ...vectors import coordinate_arrays, coordinate_length, length
from ..points.interface_points import FIXED
from ..row_lists import every_pair
from .joined_bodies import JoinedBodies
from .placed_bodies import PlacedBodies


@dataclass(frozen=True, eq=False)
class RigidPaths:
    """The paths of m bodies over tau in [0, 1], from where they stand.

    The centre of mass goes by tau shift + tau (tau - 1) bend, and the body turns by exp(tau turn) about it.

    shift (m, 3): lengths.
    bend (m, 3): lengths; h^2 g / 2 for flight under gravity g during a time h.
    turn (m, 3): rotation vectors in the scene's axes, radians, shorter than pi.
    """

    shift: Floats
    bend: Floats
    turn: Floats


def moving_pairs(system: PlacedBodies, paths: RigidPaths, gap: float) -> tuple[Ints, Ints]:
    """Return the pairs of bodies (p,) whose swept boxes are nearer than the gap and not both at rest."""
    moved = (paths.shift != 0.0) | (paths.bend != 0.0) | (paths.turn != 0.0)
    moves = moved.any(axis=1)
    if not moves.any():
        return np.zeros(0, np.intp), np.zeros(0, np.intp)
    lower, upper = system.boxes
    swing = length(paths.turn) * _farthest(system)
    spare = (0.25 * np.abs(paths.bend)) + swing[:, None] + 0.5 * gap
    lower, upper = lower + np.minimum(paths.shift, 0.0) - spare, upper + np.maximum(paths.shift, 0.0) + spare
    first, second = every_pair(len(system))
    apart = np.maximum(lower[first] - upper[second], lower[second] - upper[first]).max(axis=1)
    near = (apart <= 0.0) & (moves[first] | moves[second])
    first, second = first[near], second[near]
    if system.fixed is not None:
        apart = np.maximum(lower - system.fixed.tree.upper[0], system.fixed.tree.lower[0] - upper).max(axis=1)
        beside = np.flatnonzero((apart <= 0.0) & moves)
        first = np.concatenate([beside, first])
        second = np.concatenate([np.full(beside.size, FIXED), second])
    if system.never_meeting:
        pairs = zip(first.tolist(), second.tolist(), strict=True)
        meet = np.array([pair not in system.never_meeting for pair in pairs], bool)
        first, second = first[meet], second[meet]
    return first, second


def _farthest(system: PlacedBodies) -> Floats:
    """Return bounds (m,) of the distances of the bodies' points from their centres of mass, lengths."""
    return np.array([body.farthest for body in system.bodies])


class TrianglePairs(NamedTuple):
    """Pairs of near triangles (k,): the numbers of their pairs of bodies, and their own in `joined`."""

    pair: Ints
    first: Ints
    second: Ints

    def take(self, rows: Ints | slice) -> TrianglePairs:
        """Return the pairs of rows (m,)."""
        return TrianglePairs(self.pair[rows], self.first[rows], self.second[rows])


@dataclass(frozen=True, eq=False)
class PairMotions:
    """p pairs of bodies in motion, and in rows p to 2 p - 1 the same ones the other way round.

    joined: all distinct bodies.  kinds: the numbers among these of both bodies (p,).
    relative: the poses of the first bodies in the frames of the second ones.
    paths: of the first against the second bodies, in the axes of the second ones.
    reference1, reference2 (2 p, 3): the points that have these paths, in the frames of their bodies.
    farthest (p,): of the first body's points from its own.
    """

    joined: JoinedBodies
    kinds: tuple[Ints, Ints]
    relative: Poses
    paths: RelativePaths
    reference1: Floats
    reference2: Floats
    farthest: Floats

    def __len__(self) -> int:
        return len(self.farthest)

    @classmethod
    def of(cls, system: PlacedBodies, paths: RigidPaths, first: Ints, second: Ints) -> PairMotions:
        """Return the pairs of bodies (p,) of a system; the fixed ones turn about where the others' centres
        of mass are at the start.
        """
        joined, kinds = system.all_joined
        a, b = np.concatenate([first, second]), np.concatenate([second, first])
        frames, centres = system.frames, np.concatenate([system.centres, np.zeros((1, 3))])
        own = np.array([*(body.body.mass.center for body in system.bodies), np.zeros(3)])
        shift, bend, turn = (
            np.concatenate([each, np.zeros((1, 3))]) for each in (paths.shift, paths.bend, paths.turn)
        )
        between_moving = (a != FIXED) & (b != FIXED)
        offset = np.where(between_moving[:, None], centres[a] - centres[b], 0.0)
        into = frames.take(b).inverse()
        vectors = (offset, shift[a] - shift[b], bend[a] - bend[b], turn[a], turn[b])
        return cls(
            joined,
            (kinds[first], kinds[second]),
            into.after(frames.take(a)),
            RelativePaths.of(*(coordinate_arrays(into.vectors(each)) for each in vectors)),
            np.where((a == FIXED)[:, None], centres[b], own[a]),
            np.where((b == FIXED)[:, None], centres[a], own[b]),
            _farthest(system)[first],
        )

    def sum_of(self, values: Sequence[float]) -> Floats:
        """Return the sums (p,) of values of both bodies of pairs; one for each of the distinct bodies."""
        each = np.array(values)
        total: Floats = each[self.kinds[0]] + each[self.kinds[1]]
        return total

    def own_triangles(self, pair: Ints, triangles: Ints) -> Ints:
        """Return triangles (n, 2) of both bodies of pairs (n,) as they are numbered in these bodies."""
        start = self.joined.first_triangles
        own: Ints = triangles - np.stack([start[kind[pair]] for kind in self.kinds], axis=1)
        return own

    def near_triangles(self, gap: Floats) -> TrianglePairs:
        """Return the pairs of triangles that may come nearer than gaps (p,), lengths.

        Boxes are swept on straight lines.  A path with y'' at most c leaves its chord by at most c / 8.
        """
        p = len(self)
        start = self.relative.take(slice(0, p))
        offset, shift, _, turn_a, turn_b = self.paths.vectors.reshape(5, 3, -1)[:, :, :p].transpose(0, 2, 1)
        back = rotation_matrix(-turn_b)
        turned = back @ rotation_matrix(turn_a) @ start.matrix
        there = (back @ (offset + shift)[:, :, None])[:, :, 0] + self.reference2[:p]
        arm = (turned @ self.reference1[:p, :, None])[:, :, 0]
        bent = self.paths.bounds[1, :p] + self.paths.bounds[4, :p] * self.farthest
        end, reach = Poses(turned, there - arm), gap + bent / 8.0
        roots = self.joined.roots[self.kinds[0]], self.joined.roots[self.kinds[1]]
        return TrianglePairs(*swept_pairs_of_parts(self.joined.every.tree, roots, start, end, reach).T)

    def in_order(self, near: TrianglePairs, gap: Floats) -> tuple[TrianglePairs, Floats]:
        """Return pairs of triangles (k,) by the earliest times (k,) at which they can be within gaps (p,) of
        pairs of bodies, and these times, from the boxes at the start and the speed; times up to 0 come first.
        """
        tree, number = self.joined.every.tree, near.pair
        placed = Motions.of(self.relative.take(slice(0, len(self)))).take(number)
        own, fixed = placed.corners(corners_of(tree, near.first)), corners_of(tree, near.second)
        apart = np.maximum(own.min(axis=0) - fixed.max(axis=0), fixed.min(axis=0) - own.max(axis=0))
        apart = apart.max(axis=0) - (tree.bound[near.first] + tree.bound[near.second] + gap[number])
        bounds = self.paths.bounds[:, : len(self)]
        speed = (bounds[0] + bounds[3] * self.farthest)[number]
        times = apart / np.maximum(speed, np.finfo(np.float64).tiny)
        order = np.argsort(times, kind="stable")
        return near.take(order), times[order]

    def primitive_pairs(
        self, number: Ints, first: Floats, second: Floats, group: Ints, bound: Floats, gap: float
    ) -> PrimitivePairs:
        """Return pairs of primitives, but not those whose boxes stay farther apart than a gap.

        Args:
            number (k,): rows of pairs of bodies.
            first, second: corners (k, n, 3) and (k, n', 3) of the first and of the second bodies' primitives,
                in their frames.
            group (k,), bound (k,): see `PrimitivePairs`.
            gap: a length.
        """
        arms = coordinate_arrays(first) - np.take(self.reference1.T, number, axis=1)
        arms = (self.turns(number) * arms[:, None]).sum(axis=2)
        fixed = coordinate_arrays(second) - np.take(self.reference2.T, number, axis=1)
        offset, bounds = np.take(self.paths.vectors[:3], number, axis=1), self.paths.bounds
        arm = np.max([coordinate_length(each) for each in arms], axis=0)
        reach = gap + bound + bounds[0, number] + bounds[3, number] * arm
        lower, upper = offset + arms.min(axis=0), offset + arms.max(axis=0)
        apart = np.maximum(lower - fixed.max(axis=0), fixed.min(axis=0) - upper).max(axis=0)
        near = np.flatnonzero(apart <= reach)
        return PrimitivePairs(
            self.paths.take(number[near]),
            np.take(arms, near, axis=2),
            np.take(fixed, near, axis=2),
            group[near],
            bound[near],
        )

    def turns(self, number: Ints) -> Floats:
        """Return the rotations (3, 3, k) of `relative` of rows (k,)."""
        found: Floats = np.take(self._turns, number, axis=2)
        return found

    @cached_property
    def _turns(self) -> Floats:
        """The rotations (3, 3, 2 p) of `relative`."""
        return np.ascontiguousarray(self.relative.matrix.transpose(1, 2, 0))
