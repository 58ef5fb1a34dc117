"""Lines P + h d along which points of an implicit surface F = 0 are looked for."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from .arrays import Floats, Ints
from .implicit.functions.base import ImplicitFunction
from .vectors import dot

SETTLED = 1e-8  # of the height: a step of Newton's so short leaves an error of its square
_ROUNDS = 60


@dataclass(frozen=True, eq=False)
class Lines:
    """P and d side by side and their derivatives (k, 2, 2, 6), by the orders in u and v."""

    jets: Floats

    @property
    def base(self) -> Floats:
        """P (k, 3)."""
        return self.jets[:, 0, 0, :3]

    @property
    def way(self) -> Floats:
        """d (k, 3)."""
        return self.jets[:, 0, 0, 3:]

    def at(self, height: Floats) -> Floats:
        """Return the points (k, 3) at heights (k,)."""
        points: Floats = self.base + height[:, None] * self.way
        return points

    def level(self, height: Floats) -> Floats:
        """Return P + h d and its derivatives (k, 2, 2, 3) for heights (k,) that stay as they are."""
        level: Floats = self.jets[..., :3] + height[:, None, None, None] * self.jets[..., 3:]
        return level

    def take(self, rows: Ints) -> Lines:
        """Return some of the lines."""
        return Lines(self.jets[rows])


def newton(value: Floats, gradient: Floats, way: Floats) -> Floats:
    """Return Newton's steps (k,) along ways, infinite where F does not rise along them."""
    steep = dot(gradient, way)
    rising = steep > 0.0
    return np.where(rising, -value / np.where(rising, steep, 1.0), np.inf)


def bracketed(function: ImplicitFunction, lines: Lines, most: Floats, height: Floats) -> Floats:
    """Return h (k,) on lines, at most `most` (k,) either way: Newton's steps from some heights (k,), and
    halvings of the bracket where those leave it.
    """
    height, low, high = height.copy(), -most, most.copy()
    rows = np.arange(len(most))
    for _ in range(_ROUNDS):
        now, own = height[rows], lines.take(rows)
        value, gradient = function.gradient(own.at(now))
        inside = value < 0.0
        low[rows] = np.where(inside, now, low[rows])
        high[rows] = np.where(inside, high[rows], now)
        goal = now + newton(value, gradient, own.way)
        out = (goal < low[rows]) | (goal > high[rows])
        height[rows] = np.where(out, 0.5 * (low[rows] + high[rows]), goal)
        going = np.abs(height[rows] - now) > SETTLED * most[rows]
        if not going.any():
            break
        rows = rows[going]
    return height
