"""How far pieces of curved surfaces may go on rigid paths and stay farther apart than a stop distance.

A piece is known by a flat triangle: it is within `across` of it along its normal n, and within `along` of it
in its plane.  So along a unit direction m it reaches farther than the triangle by at most

    across + along |m x n|.

A plane across m keeps two pieces apart as far as the corners of their triangles are, less both margins.  Four
planes are tried: across the shortest distance of the triangles, fixed in B and fixed in A, and along either
triangle, fixed in its own body.  A plane that is fixed in one body turns against the normal of the other one,
so |m x n| grows by at most k1 s in a step s.  The rest is as in `safe_steps`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from ...arrays import TINY, Floats, Ints
from ...vectors import coordinate_cross, coordinate_dot, coordinate_length, sines_of
from ..triangle_pairs import triangle_gap
from .relative_paths import RelativeMotion, RelativePaths
from .safe_steps import product_jerk, safe_steps


@dataclass(frozen=True, eq=False)
class Pieces:
    """k pieces of curved surfaces by flat triangles.

    corners (corner 3, axis 3, k): from the reference point of the body, in the axes of B at tau = 0.
    normal (3, k): unit, in the same axes; 0 where a triangle has no area.
    across, along (k,): lengths.
    beyond (k,): how far the triangles reach beyond the pieces and these bounds, lengths.
    """

    corners: Floats
    normal: Floats
    across: Floats
    along: Floats
    beyond: Floats

    def take(self, rows: Ints) -> Pieces:
        """Return the pieces of rows (m,)."""
        return Pieces(
            np.take(self.corners, rows, axis=2),
            np.take(self.normal, rows, axis=1),
            self.across[rows],
            self.along[rows],
            self.beyond[rows],
        )

    def margin(self, direction: Floats, normal: Floats) -> Floats:
        """Return how much farther than the triangles pieces reach along directions (3, k), unit or 0 where
        none is known, lengths (k,).

        normal (3, k): of the triangles where they are.
        """
        found: Floats = self.across + self.along * sines_of(coordinate_dot(direction, normal))
        return found

    def ball(self) -> tuple[Floats, Floats]:
        """Return the middles (3, k) and the radii (k,) of balls around the pieces."""
        middle = self.corners.mean(axis=0)
        radius = np.max([coordinate_length(corner - middle) for corner in self.corners], axis=0)
        return middle, radius + self.across + self.along


class PieceSteps(NamedTuple):
    """How far pairs of pieces (k,) go.

    step: of their paths, safe.
    distance: of the triangles at the start, lengths.
    clear: the distance of the pieces, at least.
    unknown1, unknown2: by how much it may be more, for what is not known of either piece, lengths.
    across (3, k): the directions from B to A, unit, of the planes fixed in B that let them go farthest.
    """

    step: Floats
    distance: Floats
    clear: Floats
    unknown1: Floats
    unknown2: Floats
    across: Floats


@dataclass(frozen=True, eq=False)
class PiecesOnPaths:
    """k pairs of pieces of A and B at the start of a step.

    motion: of A against B.
    bounds (3, 3, k): of the first three derivatives of A's corners.
    spin (3, k): the bounds k1, k2, k3 of `relative_paths`.
    first, second: the pieces of A and of B.
    arms, places (3, 3, k): of A's corners from its reference point, and in the frame of B.
    normal (3, k): of A's triangles, there.
    stop (k,): lengths.
    left (k,): the longest steps.
    """

    motion: RelativeMotion
    bounds: Floats
    spin: Floats
    first: Pieces
    second: Pieces
    arms: Floats
    places: Floats
    normal: Floats
    stop: Floats
    left: Floats

    @classmethod
    def of(
        cls,
        motion: RelativeMotion,
        paths: RelativePaths,
        first: Pieces,
        second: Pieces,
        stop: Floats,
        left: Floats,
    ) -> PiecesOnPaths:
        """Return pieces where a motion on paths takes them; the rest as above."""
        arms = motion.arms(first.corners)
        bounds = paths.derivative_bounds(np.sqrt((first.corners * first.corners).sum(axis=1)))
        places, normal = motion.offset + arms, motion.arms(first.normal)
        return cls(motion, bounds, paths.bounds[3:], first, second, arms, places, normal, stop, left)

    def take(self, rows: Ints) -> PiecesOnPaths:
        """Return the pairs of rows (m,)."""
        return PiecesOnPaths(
            self.motion.take(rows),
            np.take(self.bounds, rows, axis=2),
            np.take(self.spin, rows, axis=1),
            self.first.take(rows),
            self.second.take(rows),
            np.take(self.arms, rows, axis=2),
            np.take(self.places, rows, axis=2),
            np.take(self.normal, rows, axis=1),
            self.stop[rows],
            self.left[rows],
        )

    def steps(self) -> PieceSteps:
        """Return how far the pieces may go."""
        distance, here, there = triangle_gap(self.places, self.second.corners)
        towards = (here - there) / np.maximum(distance, TINY)
        step, across = self.step_before_plane_in_b(towards), towards.copy()
        short = np.flatnonzero(step < self.left)
        if short.size:
            step[short], across[:, short] = self.take(short)._farthest(towards[:, short], step[short])
        margin1 = self.first.margin(towards, self.normal)
        margin2 = self.second.margin(towards, self.second.normal)
        unknown1, unknown2 = margin1 + self.first.beyond, margin2 + self.second.beyond
        return PieceSteps(step, distance, distance - margin1 - margin2, unknown1, unknown2, across)

    def _farthest(self, towards: Floats, step: Floats) -> tuple[Floats, Floats]:
        """Return the farthest steps (k,) that a plane allows, and the directions (3, k) of the best ones that
        are fixed in B.

        towards (3, k): across the shortest distance, for which steps (k,) are known.
        """
        middle = self.places.mean(axis=0) - self.second.corners.mean(axis=0)
        side2, side1 = (
            each * _signs(coordinate_dot(each, middle)) for each in (self.second.normal, self.normal)
        )
        beside = self.step_before_plane_in_b(side2)
        across = np.where(beside > step, side2, towards)
        planes = [step, beside, self.step_before_plane_in_a(towards), self.step_before_plane_in_a(side1)]
        return np.max(planes, axis=0), across

    def step_before_plane_in_b(self, towards: Floats) -> Floats:
        """Return the steps (k,) until A's pieces are near planes across directions (3, k), fixed in B.

        The derivatives of m . a, a turning arm, are (m x W) . a and ((m x W) x W + m x A') . a.
        """
        behind = np.einsum("ak,cak->ck", towards, self.second.corners).max(axis=0)
        margin = self.first.margin(towards, self.normal) + self.second.margin(towards, self.second.normal)
        turning = coordinate_cross(towards, self.motion.spin)
        bending = coordinate_cross(turning, self.motion.spin)
        bending += coordinate_cross(towards, self.motion.spin_rate)
        approach = coordinate_dot(towards, self.motion.rate) - self.first.along * self.spin[0]
        value = np.einsum("ak,cak->ck", towards, self.places) - (behind + margin + self.stop)
        slope = np.einsum("ak,cak->ck", turning, self.arms) + approach
        curvature = np.einsum("ak,cak->ck", bending, self.arms)
        curvature += coordinate_dot(towards, self.motion.change)
        steps: Floats = safe_steps(value, slope, curvature, self.bounds[2], self.left).min(axis=0)
        return steps

    def step_before_plane_in_a(self, towards: Floats) -> Floats:
        """Return the steps (k,) until B's pieces are near planes across directions (3, k), fixed in A."""
        height = np.einsum("ak,cak->ck", towards, self.places)
        lowest, each = height.argmin(axis=0), np.arange(height.shape[1])
        place, arm = self.places[lowest, :, each].T, self.arms[lowest, :, each].T
        margin = self.first.margin(towards, self.normal) + self.second.margin(towards, self.second.normal)
        rate, change = self.motion.turning(arm)
        rate, change = self.motion.rate + rate, self.motion.change + change
        turning, bending = self.motion.turning(towards)
        approach = coordinate_dot(towards, rate) - self.second.along * self.spin[0]
        curved = coordinate_dot(towards, change) + 2.0 * coordinate_dot(turning, rate)
        bounds = self.bounds[:, lowest, each]
        value, slope, curvature, jerk = np.empty((4, *height.shape))
        for i, corner in enumerate(self.second.corners):
            apart = place - corner
            value[i] = coordinate_dot(towards, apart) - margin - self.stop
            slope[i] = coordinate_dot(turning, apart) + approach
            curvature[i] = coordinate_dot(bending, apart) + curved
            jerk[i] = product_jerk(bounds, self.spin, coordinate_length(apart), self.left)
        steps: Floats = safe_steps(value, slope, curvature, jerk, self.left).min(axis=0)
        return steps


def _signs(values: Floats) -> Floats:
    """Return -1 for negative values, 1 for others."""
    return np.where(values < 0.0, -1.0, 1.0)
