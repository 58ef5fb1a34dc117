"""Patches of an implicit surface F = 0: exact points, tangents and curvature over quadrilaterals.

Over the unit square a patch has a base point P(u, v) and a direction d(u, v) about along F_x, both bilinear
between its corners, which are on the surface. Its point is the one of the surface on that line,

    S(u, v) = P + h d   with   F(S) = 0.

Neighbours have the same P and d along a common side, so the patches join without a gap, and the surface is as
smooth as F. With g = F_x, D = g . d, a = P_u + h d_u and b = P_v + h d_v, the implicit function theorem gives

    h_u = -g . a / D,   S_u = a + h_u d,
    h_uv = -(S_u . F_xx S_v + g . (P_uv + h d_uv + h_u d_v + h_v d_u)) / D,

and, since F(S) stays 0, n . S_uv = -S_u . F_xx S_v / |g| for the unit normal n = g / |g|.

The root is searched within +- `heights` of the base, so no point of a patch is farther from its bilinear
base than that. Polynomials through h at 5 by 5 parameters give a surface S~ near to S. From there one Newton
step, and a second one that shares its derivatives with the result, suffice nearly everywhere; elsewhere the
root is bracketed. Geodesics are traced over S~ alone, whose tangents are good to about 1e-4.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from ..arrays import Bools, Floats, Ints
from ..implicit.functions.base import ImplicitFunction
from ..implicit.projection import SETTLED, bracketed_heights, newton_heights
from ..surfaces.bernstein import bernstein
from ..surfaces.bezier.nets import BezierNets
from ..surfaces.geometry import Derivatives
from ..surfaces.patches import Patches, Slopes
from ..vectors import dot, length


@dataclass(frozen=True, eq=False)
class SurfaceLines:
    """The lines of k patches, P and d side by side, with their derivatives.

    Attributes:
        jets: P and d (k, 2, 2, 6), by the orders of derivatives in u and in v; d is about of unit length.
    """

    jets: Floats

    @property
    def base(self) -> Floats:
        """The base points P (k, 3), in scene units."""
        return self.jets[:, 0, 0, :3]

    @property
    def direction(self) -> Floats:
        """The directions d (k, 3), about of unit length."""
        return self.jets[:, 0, 0, 3:]

    def at(self, height: Floats) -> Floats:
        """Return the points P + h d (k, 3) at heights h (k,), in units of |d|: about scene units."""
        points: Floats = self.base + height[:, None] * self.direction
        return points

    def level(self, height: Floats) -> Floats:
        """Return P + h d and its derivatives (k, 2, 2, 3), for heights (k,) that do not depend on u and v."""
        level: Floats = self.jets[..., :3] + height[:, None, None, None] * self.jets[..., 3:]
        return level


_DEGREE = 4  # degree of the polynomials in u and in v
_TICKS = np.linspace(0.0, 1.0, _DEGREE + 1)  # parameters of the samples that S~ goes through
_SAMPLES = _DEGREE + 1, _DEGREE + 1  # samples of a patch, in u and in v
BLOCK = 3_000  # patches that are worked on at once: their arrays stay in the processor's cache
_ROUNDING = 2.0**-48  # relative rounding of coordinates
_PAIRS = ((0, 0), (0, 1), (1, 1))  # the second derivatives: uu, uv, vv


@dataclass(frozen=True, eq=False)
class _Met:
    """Where k lines meet the surface.

    Attributes:
        rise: h_u and h_v (k, 2).
        tangents: S_u and S_v (k, 2, 3).
        level: P + h d and its derivatives at this h (k, 2, 2, 3).
        gradient: F_x (k, 3).
        hessian: F_xx (k, 3, 3), or (0, 3, 3) if it was not evaluated.
    """

    rise: Floats
    tangents: Floats
    level: Floats
    gradient: Floats
    hessian: Floats

    @property
    def slopes(self) -> Slopes:
        """The points and tangents."""
        along, across = self.tangents[:, 0], self.tangents[:, 1]
        return Slopes(self.level[:, 0, 0], along, across, np.ones(len(along)))


@dataclass(frozen=True, eq=False)
class ImplicitPatches(Patches):
    """n patches of one function.

    Attributes:
        function: F.
        corners: on the surface (n, 2, 2, 3), by the ends of u and of v.
        directions: the unit directions d at the corners (n, 2, 2, 3).
        heights: the most of |h| (n,), in scene units.
        guesses: h (n, 5, 5) at quarters of u and v.
        polar: which patches have a pole (n,): none.
    """

    function: ImplicitFunction
    corners: Floats
    directions: Floats
    heights: Floats
    guesses: Floats
    polar: Bools

    def __len__(self) -> int:
        return len(self.corners)

    @property
    def pole(self) -> Floats:
        """Zero (n, 3): there are no poles."""
        return np.zeros((len(self), 3))

    @property
    def has_poles(self) -> bool:
        """False."""
        return False

    @cached_property
    def reach(self) -> float:
        """The largest coordinate of the corners, in scene units."""
        return float(np.abs(self.corners).max())

    @cached_property
    def near(self) -> BezierNets:
        """S~ of all patches."""
        patch, at = _on_all(len(self))
        points = self.lines(patch, at).at(self.guesses.ravel())
        return BezierNets(_control(points.reshape(*self.guesses.shape, 3)), self.polar)

    def slopes(self, patch: Ints, at: Floats) -> Slopes:
        """Return points and tangents of patches (k,) at parameters (k, 2)."""
        return self._met(patch, at, bent=False).slopes

    def forms(self, patch: Ints, at: Floats) -> tuple[Slopes, Floats, Floats]:
        """Return points and tangents, the unit normals (k, 3), and n . d2S (k, 2, 2) in 1 / scene unit."""
        met = self._met(patch, at, bent=True)
        steep = length(met.gradient)[:, None]
        form = met.tangents @ met.hessian @ met.tangents.transpose(0, 2, 1)
        return met.slopes, met.gradient / steep, -form / steep[:, :, None]

    def derivatives(self, patch: Ints, at: Floats) -> Derivatives:
        """Return the exact partial derivatives to second order of patches (k,) at parameters (k, 2)."""
        lines = self.lines(patch, at)
        met = self._met(patch, at, bent=True)
        bent = met.tangents @ met.hessian @ met.tangents.transpose(0, 2, 1)
        turns = lines.jets[:, [1, 0], [0, 1], 3:]
        second = []
        for i, j in _PAIRS:
            twist = met.rise[:, i, None] * turns[:, j] + met.rise[:, j, None] * turns[:, i]
            if i != j:
                twist = twist + met.level[:, 1, 1]
            bend = -(bent[:, i, j] + dot(met.gradient, twist)) / dot(met.gradient, lines.direction)
            second.append(twist + bend[:, None] * lines.direction)
        slopes = met.slopes
        return Derivatives(slopes.point, slopes.along, slopes.across, *second)

    def lines(self, patch: Ints, at: Floats) -> SurfaceLines:
        """Return the lines of patches (k,) at parameters (k, 2), along which points are searched."""
        u, v = at[:, :1], at[:, 1:]
        origin, by_u, by_v, twist = np.moveaxis(self._bilinear[patch], 1, 0)
        jets = np.empty((len(at), 2, 2, 6))
        jets[:, 1, 1] = twist
        jets[:, 1, 0] = by_u + v * twist
        jets[:, 0, 1] = by_v + u * twist
        jets[:, 0, 0] = origin + u * by_u + v * jets[:, 0, 1]
        return SurfaceLines(jets)

    @cached_property
    def _bilinear(self) -> Floats:
        """P and d side by side as the coefficients (n, 4, 6) of 1, u, v and u v."""
        ends = np.concatenate([self.corners, self.directions], axis=3)
        by_u, by_v = ends[:, 1, 0] - ends[:, 0, 0], ends[:, 0, 1] - ends[:, 0, 0]
        return np.stack([ends[:, 0, 0], by_u, by_v, ends[:, 1, 1] - ends[:, 0, 1] - by_u], axis=1)

    def _met(self, patch: Ints, at: Floats, bent: bool) -> _Met:
        """Return where the lines of patches (k,) at parameters (k, 2) meet the surface; with
        F_xx if `bent`.
        """
        lines, most = self.lines(patch, at), self.heights[patch]
        evaluate = self.function.hessian if bent else self.function.gradient
        height = self._guessed(patch, at)
        height = np.clip(
            height + newton_heights(*self.function.gradient(lines.at(height)), lines.direction), -most, most
        )
        value, gradient, *hessian = evaluate(lines.at(height))
        last = newton_heights(value, gradient, lines.direction)
        lost = ~(np.abs(last) <= SETTLED * most) | (np.abs(height + last) > most)
        if lost.any():
            rows = np.flatnonzero(lost)
            height[rows] = bracketed_heights(
                self.function, lines.base[rows], lines.direction[rows], most[rows], height[rows]
            )
            _, gradient, *hessian = evaluate(lines.at(height))
            last = np.where(lost, 0.0, last)
        if bent:
            gradient = gradient + last[:, None] * (hessian[0] @ lines.direction[:, :, None])[:, :, 0]
        level = lines.level(height + last)
        across = level[:, [1, 0], [0, 1]]
        rise = -(across @ gradient[:, :, None])[:, :, 0] / dot(gradient, lines.direction)[:, None]
        tangents = across + rise[:, :, None] * lines.direction[:, None]
        return _Met(rise, tangents, level, gradient, hessian[0] if bent else np.zeros((0, 3, 3)))

    def _guessed(self, patch: Ints, at: Floats) -> Floats:
        """Return h (k,) of the polynomials through the guesses."""
        weights = bernstein(at, 0, _DEGREE)[:, :, 0]
        by_v = np.einsum("ki,kij->kj", weights[:, 0], self._controls[patch])
        guessed: Floats = np.einsum("kj,kj->k", by_v, weights[:, 1])
        return guessed

    @cached_property
    def _controls(self) -> Floats:
        """The control points (n, 5, 5) of those polynomials."""
        return _control(self.guesses)


def _on_all(count: int) -> tuple[Ints, Floats]:
    """Return the patches, and the parameters (k, 2) of the samples of S~, of `count` patches one after
    another.
    """
    square = np.stack(np.meshgrid(_TICKS, _TICKS, indexing="ij"), axis=-1).reshape(-1, 2)
    return np.repeat(np.arange(count), len(square)), np.tile(square, (count, 1))


def _control(samples: Floats) -> Floats:
    """Return the control points (n, 5, 5, ...) of the polynomials through samples (n, 5, 5, ...)."""
    through = np.linalg.inv(bernstein(_TICKS, 0, _DEGREE)[:, 0])
    control: Floats = np.einsum("ai,bj,nij...->nab...", through, through, samples, optimize=True)
    return control


def implicit_patches(
    function: ImplicitFunction, corners: Floats, directions: Floats, reach: Floats
) -> tuple[ImplicitPatches, Floats]:
    """Return the patches with given corners and directions, and points of them.

    Args:
        function: F.
        corners: on the surface (n, 2, 2, 3).
        directions: the unit directions there (n, 2, 2, 3).
        reach: how far from the base the surface is searched at the samples (n,), in scene units. Elsewhere it
            is searched as far as `most_between` gives for the heights of the samples.

    Returns:
        The patches, and their points at the samples (n, 5, 5, 3).
    """
    count = len(corners)
    no_guesses, polar = np.zeros((count, *_SAMPLES)), np.zeros(count, dtype=np.bool_)
    bare = ImplicitPatches(function, corners, directions, reach, no_guesses, polar)
    patch, at = _on_all(len(bare))
    lines = bare.lines(patch, at)
    height = bracketed_heights(function, lines.base, lines.direction, reach[patch], np.zeros(len(patch)))
    guesses = height.reshape(bare.guesses.shape)
    heights = most_between(np.abs(guesses)) + _ROUNDING * bare.reach
    return replace(bare, heights=heights, guesses=guesses), lines.at(height).reshape(*guesses.shape, 3)


def most_between(samples: Floats) -> Floats:
    """Return a bound (n,) of a smooth function from samples (n, m, m): the most of them and of their
    differences.
    """
    changes = [np.abs(np.diff(samples, axis=axis)).max(axis=(1, 2)) for axis in (1, 2)]
    most: Floats = samples.max(axis=(1, 2)) + np.maximum(*changes)
    return most
