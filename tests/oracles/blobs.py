"""Blobs of a few Gaussians, as an oracle of overlaps sees them.

The surface is where sum exp(-|x - c|^2 / s^2) = b.  A Gaussian changes no faster than sqrt(2 / e) / s, so

    (b - sum exp(-|x - c|^2 / s^2)) s / (k sqrt(2 / e)),   k Gaussians,

has the sign of the distance to the surface, and is nowhere more than it.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from tests.oracles.arrays import Floats
from tests.oracles.shapes import Patch

BISECTIONS, NEWTON = 6, 6  # rounds in which a ray is cut at the surface


class Gaussians:
    """Balls about centres (k, 3) blended into one, all of whose points see the origin.

    spread: s, a length.  level: b.
    """

    def __init__(self, centres: ArrayLike, spread: float, level: float) -> None:
        self.centres, self.spread, self.level = np.asarray(centres, float), float(spread), float(level)
        self.centre: Floats = self.centres.mean(axis=0)
        self.steepest = len(self.centres) * np.sqrt(2.0 / np.e) / self.spread
        self.farthest = float(np.linalg.norm(self.centres, axis=1).max()) + 3.0 * self.spread

    def sum(self, x: Floats) -> Floats:
        offset = x[:, None] - self.centres
        result: Floats = np.exp(-(offset**2).sum(axis=2) / self.spread**2).sum(axis=1)
        return result

    def support(self, d: Floats) -> Floats:
        """How far the surface reaches along directions (k, 3), at most."""
        result: Floats = (np.asarray(d) @ self.centres.T).max(axis=1) + 3.0 * self.spread
        return result

    def signed_distance(self, x: Floats) -> Floats:
        """A length with the sign of the distance, and no greater."""
        result: Floats = (self.level - self.sum(x)) / self.steepest
        return result

    def distance_and_slope(self, x: Floats) -> tuple[Floats, Floats]:
        offset = x[:, None] - self.centres
        each = np.exp(-(offset**2).sum(axis=2) / self.spread**2)
        rise = 2.0 * (each[:, :, None] * offset).sum(axis=1) / self.spread**2
        return (self.level - each.sum(axis=1)) / self.steepest, rise / self.steepest

    @property
    def concavity(self) -> tuple[float, float]:
        steepest = 4.0 * np.exp(-1.5) / self.spread**2  # second derivative of one ball's sum
        return float(len(self.centres) * steepest / self.steepest), np.inf

    def core(self) -> tuple[list[Patch], float]:
        return [Patch(self._at, (0.0, 0.0), (2.0 * np.pi, np.pi), (48, 25))], 0.0

    def _at(self, p: Floats) -> Floats:
        """The points of the surface in directions of angles about z and from z (k, 2)."""
        around, tilt = p.T
        way = np.stack([np.sin(tilt) * np.cos(around), np.sin(tilt) * np.sin(around), np.cos(tilt)], axis=1)
        low, high = np.zeros(len(p)), np.full(len(p), self.farthest)
        for _ in range(BISECTIONS):
            middle = 0.5 * (low + high)
            inside = self.sum(middle[:, None] * way) > self.level
            low, high = np.where(inside, middle, low), np.where(inside, high, middle)
        along = 0.5 * (low + high)
        for _ in range(NEWTON):
            offset = along[:, None, None] * way[:, None] - self.centres
            each = np.exp(-(offset**2).sum(axis=2) / self.spread**2)
            slope = -2.0 * (each * (offset * way[:, None]).sum(axis=2)).sum(axis=1) / self.spread**2
            along = np.clip(along - (each.sum(axis=1) - self.level) / slope, low, high)
        result: Floats = along[:, None] * way
        return result
