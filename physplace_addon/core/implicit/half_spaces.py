"""Half-spaces: f = n.(x - o) - d, n of unit length; several are a convex polyhedron, their intersection.

Normals are measured about a place o of the object's size, so that turning one moves what the artist sees.
The length of n means nothing: F does not change along n, and n is made a unit again whenever it is set.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Self

import numpy as np
from numpy.typing import ArrayLike

from ..arrays import Floats
from ..errors import ImplicitError
from .columns import columns_of
from .extents import EMPTY
from .polyhedron_boxes import box_of_half_spaces, middle_of_half_spaces
from .solids import Solids, Which, normalized, products

_ROUNDING = 2.0**-49


@dataclass(frozen=True, eq=False)
class HalfSpaces(Solids):
    """k half-spaces; rows (k, 4) of outward normal and distance from `origin` (3,); `size` is how far from
    there they matter.
    """

    origin: Floats
    size: float
    kind = "plane"
    columns = ("normal x", "normal y", "normal z", "distance")
    sign = -1.0

    @classmethod
    def of(
        cls, normals: ArrayLike, points: ArrayLike, origin: ArrayLike = (0.0, 0.0, 0.0), size: float = 1.0
    ) -> Self:
        """Return the half-spaces with outward normals (k, 3) whose planes run through points (k, 3).

        Raises ImplicitError for a normal without length.
        """
        rows = columns_of("plane", (("normals", 3, normals), ("points", 3, points)))
        length, n = normalized(rows[:, :3])
        if not (length > 0.0).all():
            raise ImplicitError("plane", "normals", "a normal of length 0", "give it a direction")
        middle = np.asarray(origin, dtype=np.float64)
        distance = np.einsum("ki,ki->k", n, rows[:, 3:] - middle)
        return cls(np.column_stack((n, distance)), middle, float(size))

    def _valid(self, rows: Floats) -> Floats:
        length, n = normalized(rows[:, :3])
        rows[:, :3] = np.where(length[:, None] > 0.0, n, self.rows[:, :3])
        return rows

    @property
    def scales(self) -> Floats:
        """For a normal 1 / size, for a distance 1."""
        return np.tile([1.0 / self.size] * 3 + [1.0], len(self.rows))

    def values(self, x: Floats, which: Which) -> Floats:
        """Return the distances f (...)."""
        rows = self.rows[which]
        value: Floats = np.einsum("...i,...i->...", x - self.origin, rows[..., :3]) - rows[..., 3]
        return value

    def firsts(self, x: Floats, which: Which) -> tuple[Floats, Floats]:
        """Return f (...) and n (..., 3)."""
        return self.values(x, which), np.broadcast_to(self.rows[which, :3], x.shape).copy()

    def seconds(self, x: Floats, which: Which) -> tuple[Floats, Floats, Floats]:
        """Return f (...), n (..., 3) and 0 (..., 3, 3)."""
        return *self.firsts(x, which), np.zeros((*x.shape, 3))

    def shares(self, x: Floats, which: Which) -> Floats:
        """Return x - o across n by the normal, -1 by the distance (..., 4)."""
        away, n = x - self.origin, self.rows[which, :3]
        across = away - np.einsum("...i,...i->...", away, n)[..., None] * n
        return np.concatenate((across, np.full((*across.shape[:-1], 1), -1.0)), axis=-1)

    def ranges(self, lower: Floats, upper: Floats) -> tuple[Floats, Floats]:
        """Return the least and the greatest distance (n, k), at two corners."""
        n, d = self.rows[:, :3], self.rows[:, 3]
        one, other = (products(n, (end - self.origin)[:, None]) for end in (lower, upper))
        least, most = np.minimum(one, other).sum(axis=-1), np.maximum(one, other).sum(axis=-1)
        ends = np.maximum(np.abs(lower), np.abs(upper)).sum(axis=1)[:, None]
        slack = np.where(np.isfinite(ends), _ROUNDING * (ends + np.abs(d) + np.abs(self.origin).sum()), 0.0)
        return least - d - slack, most - d + slack

    def middles(self) -> Floats:
        """Return a place (1, 3) inside the polyhedron; none (0, 3) if there is nothing, or no end to it."""
        own = middle_of_half_spaces(self.rows[:, :3], self.rows[:, 3] / self.size)
        return self.origin + self.size * own

    def inside(self, level: float) -> Floats:
        """Return the box (2, 3) about the polyhedron, all its planes shifted outwards by the level."""
        own = box_of_half_spaces(self.rows[:, :3], (self.rows[:, 3] + level) / self.size)
        box: Floats = self.origin + self.size * own
        return box

    def boxes(self, level: float) -> Floats:
        """Return infinite boxes (k, 2, 3): only together do half-spaces bound anything."""
        return np.tile(-EMPTY, (len(self.rows), 1, 1))
