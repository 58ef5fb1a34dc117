"""Ellipsoids: f = (|z| - 1) h, z the place in half-axes, z_i = (R' (x - c))_i / h_i, h their geometric mean.

f is a length, and for three equal half-axes the distance to a sphere. A half-axis is kept above 0: it may
pass through 0 but not stay there.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Self

import numpy as np
from numpy.typing import ArrayLike

from ....arrays import Floats
from ....vectors import cross, length
from ..element_rows import columns_of
from .solids import Which, least_radial_slopes, products
from .turned_solids import TurnedSolids

_LEAST_AXIS = 1e-70  # scene units: shorter half-axes count as this, whose square is still a number
_ROUNDING = 2.0**-48  # relative rounding of z


@dataclass(frozen=True, eq=False)
class Ellipsoids(TurnedSolids):
    """k ellipsoids; rows (k, 9) of centre and half-axes, in scene units, and rotation vector, in radians."""

    kind = "ellipsoid"
    columns = (
        *("centre x", "centre y", "centre z", "half-axis x", "half-axis y", "half-axis z"),
        *("rotation x", "rotation y", "rotation z"),
    )
    sizes = (3, 4, 5)

    @classmethod
    def of(cls, centres: ArrayLike, half_axes: ArrayLike, rotations: ArrayLike | None = None) -> Self:
        """Return ellipsoids with centres (k, 3), half-axes (k, 3) and rotations R (k, 3, 3), each or one for
        all.

        Without rotations the half-axes lie along x, y and z.

        Raises:
            ImplicitError: for other shapes and for what is not finite.
        """
        turned = np.eye(3) if rotations is None else rotations
        parts = (("centres", 3, centres), ("half-axes", 3, half_axes), ("rotations", 9, turned))
        rows = columns_of("ellipsoid", parts)
        own = np.column_stack((rows[:, :3], np.abs(rows[:, 3:6]), np.zeros((len(rows), 3))))
        return cls(own, rows[:, 6:].reshape(-1, 3, 3))

    @property
    def _axes(self) -> Floats:
        """The half-axes (k, 3), none too short to be divided by."""
        return np.maximum(self.rows[:, 3:6], _LEAST_AXIS)

    def _placed(self, x: Floats, which: Which) -> tuple[Floats, Floats, Floats, Floats, Floats]:
        """Return x - c (..., 3), z (..., 3), |z| (...), the half-axes (..., 3) and their geometric mean
        (...).
        """
        d, axes = x - self.rows[which, :3], self._axes[which]
        z = np.einsum("...ji,...j->...i", self.rotations[which], d) / axes
        return d, z, length(z), axes, np.cbrt(axes).prod(axis=-1)

    def values(self, x: Floats, which: Which) -> Floats:
        """Return f (...), in scene units."""
        *_, size, _, mean = self._placed(x, which)
        return (size - 1.0) * mean

    def gradients(self, x: Floats, which: Which) -> tuple[Floats, Floats]:
        """Return f (...) and f_x (..., 3) = R (h z_i / (h_i |z|))."""
        _, z, size, axes, mean = self._placed(x, which)
        steep = (mean / np.where(size > 0.0, size, 1.0))[..., None] * z / axes
        return (size - 1.0) * mean, np.einsum("...ij,...j->...i", self.rotations[which], steep)

    def hessians(self, x: Floats, which: Which) -> tuple[Floats, Floats, Floats]:
        """Return f (...), f_x (..., 3), f_xx (..., 3, 3) = R h / |z| (d_ij / h_i^2 - z_i z_j / (h_i h_j
        |z|^2)) R'.
        """
        f, slope = self.gradients(x, which)
        _, z, size, axes, mean = self._placed(x, which)
        n = z / np.where(size > 0.0, size, 1.0)[..., None]
        factor = np.where(size > 0.0, mean / np.where(size > 0.0, size, 1.0), 0.0)[..., None, None]
        bend = factor * (np.eye(3) - n[..., :, None] * n[..., None, :])
        bend /= axes[..., :, None] * axes[..., None, :]
        r = self.rotations[which]
        return f, slope, r @ bend @ np.swapaxes(r, -1, -2)

    def parameter_derivatives(self, x: Floats, which: Which) -> Floats:
        """Return the derivatives (..., 9): by the centre, the half-axes and the rotation vector.

        They are -f_x; -h z_i^2 / (h_i |z|) + f / (3 h_i); and -J' ((x - c) x f_x).
        """
        f, slope = self.gradients(x, which)
        d, z, size, axes, mean = self._placed(x, which)
        steep = (mean / np.where(size > 0.0, size, 1.0))[..., None]
        of_axes = (f[..., None] / 3.0 - steep * z * z) / axes
        turn = np.einsum("...ji,...j->...i", self.jacobians[which], cross(d, slope))
        return np.concatenate((-slope, of_axes, -turn), axis=-1)

    @cached_property
    def _widths(self) -> Floats:
        """Half the extent (k, 3) along x, y and z, in scene units."""
        widths: Floats = np.sqrt(((self.rotations * self._axes[:, None]) ** 2).sum(axis=2))
        return widths

    def ranges(self, lower: Floats, upper: Floats) -> tuple[Floats, Floats]:
        """Return bounds (n, k) of f, of |z| from the ranges of the z_i, and from below also
        from the extents.
        """
        low, high = lower[:, None] - self.rows[:, :3], upper[:, None] - self.rows[:, :3]
        least2, most2 = np.zeros(low.shape[:2]), np.zeros(low.shape[:2])
        for i in range(3):
            weights = self.rotations[:, :, i] / self._axes[:, i, None]
            one, other = products(weights, low), products(weights, high)
            a, b = np.minimum(one, other).sum(axis=-1), np.maximum(one, other).sum(axis=-1)
            least2 += np.maximum(np.maximum(a, -b), 0.0) ** 2
            most2 += np.maximum(np.abs(a), np.abs(b)) ** 2
        apart = (np.maximum(np.maximum(low, -high), 0.0) / self._widths).max(axis=-1)
        size, mean = np.maximum(np.sqrt(least2), apart), np.cbrt(self._axes).prod(axis=1)
        slack = _ROUNDING * (1.0 + np.abs(self.rows[:, :3]).sum(axis=1) / self._axes.min(axis=1))
        least = (size * (1.0 - _ROUNDING) - 1.0 - slack) * mean
        return least, (np.sqrt(most2) * (1.0 + _ROUNDING) - 1.0 + slack) * mean

    def least_slopes(self, lower: Floats, upper: Floats, directions: Floats) -> Floats:
        """Return lower bounds (n, k) of f_x . direction over boxes (n, 3).

        With z = S (x - c) and a = S direction, f_x . direction is h a . z / |z|, and a . z is linear in x.
        """
        stretch = np.swapaxes(self.rotations, 1, 2) / self._axes[:, :, None]
        middle, half = 0.5 * (lower + upper)[:, None] - self.rows[:, :3], 0.5 * (upper - lower)
        z = np.einsum("kij,nkj->nki", stretch, middle)
        spread = np.einsum("kij,nj->nki", np.abs(stretch), half)
        turned = np.einsum("kij,nj->nki", stretch, directions)
        across = np.einsum("nki,nki->nk", turned, z)
        sway = np.einsum("nkj,nj->nk", np.abs(np.einsum("kij,nki->nkj", stretch, turned)), half)
        near, far = length(np.maximum(np.abs(z) - spread, 0.0)), length(np.abs(z) + spread)
        slopes: Floats = np.cbrt(self._axes).prod(axis=1) * least_radial_slopes(across, sway, near, far)
        return slopes

    def boxes(self, level: float) -> Floats:
        """Return the boxes (k, 2, 3) about where |z| <= 1 + level / h."""
        growth = 1.0 + level / np.cbrt(self._axes).prod(axis=1)
        widths = np.where(growth[:, None] < 0.0, -np.inf, self._widths * growth[:, None])
        return np.stack((self.rows[:, :3] - widths, self.rows[:, :3] + widths), axis=1)
