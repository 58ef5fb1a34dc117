"""Patches of an implicit surface F = 0: exact points, tangents and curvature over a net of quadrilaterals.

Over the unit square a patch has a base point P(u, v) and a direction d(u, v) about along F_x, both bilinear
between its corners, which are on the surface.  Its point is the one of the surface on that line,

S(u, v) = P + h d   with   F(S) = 0.

Neighbours have the same P and d along a common side, so the patches join without a gap, and the surface is
as smooth as F.  With g = F_x, D = g . d and a = P_u + h d_u, b = P_v + h d_v the implicit function theorem
gives

h_u = -g . a / D,   S_u = a + h_u d,
h_uv = -(S_u . F_xx S_v + g . (P_uv + h d_uv + h_u d_v + h_v d_u)) / D,

and, since F(S) stays 0, n . S_uv = -S_u . F_xx S_v / |g| for the unit normal n = g / |g|.

The line's root is looked for within +- `height` of the base, in brackets: no point of a patch is farther
from its bilinear base, come what may.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from .arrays import Bools, Floats, Ints
from .implicit.function import ImplicitFunction
from .surfaces.base import Derivatives
from .surfaces.patches import Patches, Slopes
from .surfaces.vectors import dot, length

_ROUNDS = 60
_SETTLED = 1e-8  # of the height: a step of Newton's so short leaves an error of its square
_NODES = np.array([0.0, 0.5, 1.0])
_PAIRS = ((0, 0), (0, 1), (1, 1))


@dataclass(frozen=True, eq=False)
class Lines:
    """P, d and their derivatives by u and v at some parameters: bases (k, 3), ways (k, 3), and the slopes by
    u, by v and by both of either, each (k, 3, 3).
    """

    base: Floats
    way: Floats
    base_slopes: Floats
    way_slopes: Floats


@dataclass(frozen=True, eq=False)
class ImplicitPatches(Patches):
    """n patches of one function: corners and ways (n, 2, 2, 3) by the ends of u and of v, the ways of length
    1; heights (n,), the most of |h|; guesses (n, 3, 3) of h at halves of u and v.
    """

    function: ImplicitFunction
    corners: Floats
    ways: Floats
    heights: Floats
    guesses: Floats

    def __len__(self) -> int:
        return len(self.corners)

    @cached_property
    def polar(self) -> Bools:  # type: ignore[override]
        """No patch has a pole (n,)."""
        return np.zeros(len(self), dtype=np.bool_)

    @property
    def pole(self) -> Floats:
        """Zero (n, 3): there are none."""
        return np.zeros((len(self), 3))

    @property
    def has_poles(self) -> bool:
        """Never."""
        return False

    @cached_property
    def reach(self) -> float:
        """The largest coordinate of the corners."""
        return float(np.abs(self.corners).max())

    def taken(self, rows: Ints) -> ImplicitPatches:
        """Return some of the patches."""
        return replace(
            self,
            corners=self.corners[rows],
            ways=self.ways[rows],
            heights=self.heights[rows],
            guesses=self.guesses[rows],
        )

    def slopes(self, patch: Ints, at: Floats) -> Slopes:
        """Evaluate points and tangents of patches (k,) at parameters (k, 2)."""
        lines = self.lines(patch, at)
        height = self.solved(patch, at, lines)
        point = lines.base + height[:, None] * lines.way
        _, gradient = self.function.gradient(point)
        _, tangents = _tangents(lines, height, gradient)
        return Slopes(point, tangents[:, 0], tangents[:, 1], np.ones(len(at)))

    def forms(self, patch: Ints, at: Floats) -> tuple[Slopes, Floats, Floats]:
        """Return the slopes, the unit normals (k, 3), and n . d2S (k, 2, 2)."""
        lines = self.lines(patch, at)
        height = self.solved(patch, at, lines)
        point = lines.base + height[:, None] * lines.way
        _, gradient, hessian = self.function.hessian(point)
        _, tangents = _tangents(lines, height, gradient)
        steep = length(gradient)
        form = -(tangents @ hessian @ tangents.transpose(0, 2, 1)) / steep[:, None, None]
        slopes = Slopes(point, tangents[:, 0], tangents[:, 1], np.ones(len(at)))
        return slopes, gradient / steep[:, None], form

    def derivatives(self, patch: Ints, at: Floats) -> Derivatives:
        """Return the exact partial derivatives to second order."""
        lines = self.lines(patch, at)
        height = self.solved(patch, at, lines)
        point = lines.base + height[:, None] * lines.way
        _, gradient, hessian = self.function.hessian(point)
        rise, tangents = _tangents(lines, height, gradient)
        bent = tangents @ hessian @ tangents.transpose(0, 2, 1)
        second = []
        for i, j in _PAIRS:
            twist = rise[:, i, None] * lines.way_slopes[:, j] + rise[:, j, None] * lines.way_slopes[:, i]
            if i != j:
                twist = twist + lines.base_slopes[:, 2] + height[:, None] * lines.way_slopes[:, 2]
            bend = -(bent[:, i, j] + dot(gradient, twist)) / dot(gradient, lines.way)
            second.append(twist + bend[:, None] * lines.way)
        return Derivatives(point, tangents[:, 0], tangents[:, 1], *second)

    def lines(self, patch: Ints, at: Floats) -> Lines:
        """Return the lines that points are looked for on, of patches (k,) at parameters (k, 2)."""
        u, v = at[:, :1], at[:, 1:]
        origin, by_u, by_v, twist = (part[patch] for part in self._bilinear)
        by_v = by_v + u * twist
        value = origin + u * by_u + v * by_v
        slopes = np.stack([by_u + v * twist, by_v, twist], axis=1)
        return Lines(value[:, :3], value[:, 3:], slopes[..., :3], slopes[..., 3:])

    @cached_property
    def _bilinear(self) -> tuple[Floats, Floats, Floats, Floats]:
        """P and d side by side (n, 6) as sums of 1, u, v and u v."""
        ends = np.concatenate([self.corners, self.ways], axis=3)
        by_u, by_v = ends[:, 1, 0] - ends[:, 0, 0], ends[:, 0, 1] - ends[:, 0, 0]
        return ends[:, 0, 0], by_u, by_v, ends[:, 1, 1] - ends[:, 0, 1] - by_u

    def solved(self, patch: Ints, at: Floats, lines: Lines) -> Floats:
        """Return h (k,) on lines: Newton's steps, halvings of the bracket where those leave it."""
        most = self.heights[patch]
        height = np.clip(self._guessed(patch, at), -most, most)
        low, high = -most, most.copy()
        rows = np.arange(len(patch))
        for _ in range(_ROUNDS):
            way, now = lines.way[rows], height[rows]
            value, gradient = self.function.gradient(lines.base[rows] + now[:, None] * way)
            inside = value < 0.0
            low[rows] = np.where(inside, now, low[rows])
            high[rows] = np.where(inside, high[rows], now)
            steep = dot(gradient, way)
            step = np.where(steep > 0.0, -value / np.where(steep > 0.0, steep, 1.0), np.inf)
            goal = now + step
            out = (goal < low[rows]) | (goal > high[rows])
            height[rows] = np.where(out, 0.5 * (low[rows] + high[rows]), goal)
            going = np.abs(height[rows] - now) > _SETTLED * most[rows]
            if not going.any():
                break
            rows = rows[going]
        return height

    def _guessed(self, patch: Ints, at: Floats) -> Floats:
        """h as the quadratics through the guesses have it."""
        u, v = (_quadratics(at[:, i]) for i in (0, 1))
        guessed: Floats = np.einsum("ki,kij,kj->k", u, self.guesses[patch], v)
        return guessed


def implicit_patches(
    function: ImplicitFunction, corners: Floats, ways: Floats, heights: Floats
) -> ImplicitPatches:
    """Return patches with corners and ways (n, 2, 2, 3), and h looked for within `heights` (n,)."""
    count = len(corners)
    first = ImplicitPatches(function, corners, ways, heights, np.zeros((count, 3, 3)))
    return replace(first, guesses=sampled_heights(first, _NODES)[0])


def sampled_heights(patches: ImplicitPatches, ticks: Floats) -> tuple[Floats, Floats]:
    """Return h (n, m, m) of all patches at pairs of parameters (m,), and the points (n, m, m, 3)."""
    square = np.stack(np.meshgrid(ticks, ticks, indexing="ij"), axis=-1).reshape(-1, 2)
    patch = np.repeat(np.arange(len(patches)), len(square))
    at = np.tile(square, (len(patches), 1))
    lines = patches.lines(patch, at)
    height = patches.solved(patch, at, lines)
    points = lines.base + height[:, None] * lines.way
    shape = (len(patches), len(ticks), len(ticks))
    return height.reshape(shape), points.reshape(*shape, 3)


def _tangents(lines: Lines, height: Floats, gradient: Floats) -> tuple[Floats, Floats]:
    """h_u and h_v (k, 2), S_u and S_v (k, 2, 3)."""
    across = lines.base_slopes[:, :2] + height[:, None, None] * lines.way_slopes[:, :2]
    rise = -np.einsum("kai,ki->ka", across, gradient) / dot(gradient, lines.way)[:, None]
    return rise, across + rise[:, :, None] * lines.way[:, None]


def _quadratics(t: Floats) -> Floats:
    """The quadratics (k, 3) that are 1 at one of 0, 1/2, 1 and 0 at the others."""
    return np.stack([(2.0 * t - 1.0) * (t - 1.0), 4.0 * t * (1.0 - t), t * (2.0 * t - 1.0)], axis=1)
