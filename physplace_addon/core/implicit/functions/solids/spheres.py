"""Spheres: f = |x - c| - r, which is the distance. At the centre its gradient is taken as 0."""

from __future__ import annotations

from typing import Self

import numpy as np
from numpy.typing import ArrayLike

from ....arrays import Floats
from ....vectors import length, length_and_unit
from ..element_rows import columns_of
from .solids import Solids, Which, least_radial_slopes

_ROUNDING = 2.0**-50  # relative rounding of a distance


class Spheres(Solids):
    """k spheres; rows (k, 4) of centre and radius in scene units. A radius below 0 counts as its opposite."""

    kind = "sphere"
    columns = ("centre x", "centre y", "centre z", "radius")
    sizes = (3,)

    @classmethod
    def of(cls, centres: ArrayLike, radii: ArrayLike) -> Self:
        """Return spheres with centres (k, 3) and radii (k,), or one for all. Raises ImplicitError."""
        rows = columns_of("sphere", (("centres", 3, centres), ("radii", 1, radii)))
        return cls(np.column_stack((rows[:, :3], np.abs(rows[:, 3]))))

    def values(self, x: Floats, which: Which) -> Floats:
        """Return the distances f (...), in scene units."""
        d = x - self.rows[which, :3]
        distance: Floats = length(d) - self.rows[which, 3]
        return distance

    def gradients(self, x: Floats, which: Which) -> tuple[Floats, Floats]:
        """Return f (...) and n = (x - c) / |x - c| (..., 3)."""
        length, n = length_and_unit(x - self.rows[which, :3])
        return length - self.rows[which, 3], n

    def hessians(self, x: Floats, which: Which) -> tuple[Floats, Floats, Floats]:
        """Return f (...), n (..., 3) and (1 - n n') / |x - c| (..., 3, 3)."""
        length, n = length_and_unit(x - self.rows[which, :3])
        across = np.eye(3) - n[..., :, None] * n[..., None, :]
        bend = (
            across * np.where(length > 0.0, 1.0 / np.where(length > 0.0, length, 1.0), 0.0)[..., None, None]
        )
        return length - self.rows[which, 3], n, bend

    def parameter_derivatives(self, x: Floats, which: Which) -> Floats:
        """Return -n by the centre and -1 by the radius (..., 4)."""
        _, n = length_and_unit(x - self.rows[which, :3])
        return np.concatenate((-n, np.full((*n.shape[:-1], 1), -1.0)), axis=-1)

    def ranges(self, lower: Floats, upper: Floats) -> tuple[Floats, Floats]:
        """Return the least and the greatest f (n, k) over boxes, widened by what is rounded."""
        below, above = lower[:, None] - self.rows[:, :3], self.rows[:, :3] - upper[:, None]
        near = np.linalg.norm(np.maximum(np.maximum(below, above), 0.0), axis=-1)
        far = np.linalg.norm(np.maximum(np.abs(below), np.abs(above)), axis=-1)
        slack = _ROUNDING * (np.abs(self.rows).sum(axis=1))
        least = near * (1.0 - _ROUNDING) - self.rows[:, 3] - slack
        return least, far * (1.0 + _ROUNDING) - self.rows[:, 3] + slack

    def least_slopes(self, lower: Floats, upper: Floats, directions: Floats) -> Floats:
        """Return lower bounds (n, k) of n . direction over boxes (n, 3)."""
        middle, half = 0.5 * (lower + upper)[:, None] - self.rows[:, :3], 0.5 * (upper - lower)
        across = np.einsum("nki,ni->nk", middle, directions)
        sway = np.einsum("ni,ni->n", np.abs(directions), half)[:, None]
        near = np.linalg.norm(np.maximum(np.abs(middle) - half[:, None], 0.0), axis=-1)
        return least_radial_slopes(
            across, sway, near, np.linalg.norm(np.abs(middle) + half[:, None], axis=-1)
        )

    def boxes(self, level: float) -> Floats:
        """Return the boxes (k, 2, 3) about the spheres, grown by the level."""
        centres, radii = self.rows[:, :3], self.rows[:, 3:] + level
        radii = np.where(radii < 0.0, -np.inf, radii)
        return np.stack((centres - radii, centres + radii), axis=1)
