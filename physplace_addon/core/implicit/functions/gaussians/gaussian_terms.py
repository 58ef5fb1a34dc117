"""Gaussians of a distance, g = exp(-|d|^2 / s^2): what all kinds of elements have in common.

The sum of Gaussians goes back to Blinn (1982); Witkin and Heckbert (1994, section 5) use it for blobby
spheres and cylinders. For a distance |x - c| and w = 1 / s^2 the exponent is -w |c|^2 - w |x|^2 + 2 w c . x:
it is linear in the monomials (1, |x|^2, x), so the exponents of k elements at n points are one product of
matrices (k, 5) and (5, n).

Points are the last axis of all arrays here, so that every operation runs along many of them. Leading axes
"..." are those of a stack of groups.
"""

from __future__ import annotations

from abc import ABC, abstractmethod

import numpy as np

from ....arrays import Floats

REACH = 6.0  # radii s beyond which a Gaussian is neglected
# value of a Gaussian at that distance, 2.3e-16: nothing beside a bias of order 1
NEGLECTED = float(np.exp(-(REACH**2)))
# scene units: smaller radii count as this, so that the fourth power of 1 / s is a number
LEAST_RADIUS = 1e-70
WELL_CONDITIONED = 1e3  # |c|^2 / s^2 up to which products of matrices lose no more than the last three digits


class PreparedElements(ABC):
    """k elements made ready to be evaluated about an origin.

    Attributes:
        origin: the place (..., 3) from which all others are measured, in scene units.
        w: 1 / s^2 (..., k).
        careful: whether products of matrices would lose too many digits, so that differences are taken.
    """

    origin: Floats
    w: Floats  # 1 / s^2 (..., k)
    careful: bool  # whether products would lose too many digits

    @abstractmethod
    def values_at(self, x: Floats) -> GaussianValues:
        """Return the Gaussians at points (..., 3, n)."""


class GaussianValues(ABC):
    """The Gaussians g (..., k, n) of k elements at n points, and their derivatives."""

    g: Floats

    def total(self) -> Floats:
        """Return the sum (..., n) over the elements."""
        total: Floats = self.g.sum(axis=-2)
        return total

    @abstractmethod
    def gradient_and_sum(self) -> Floats:
        """Return the gradient of the sum, and in the last row the sum itself (..., 4, n)."""

    @abstractmethod
    def hessian(self) -> Floats:
        """Return the second derivatives (..., 3, 3, n) of the sum."""

    @abstractmethod
    def parameter_derivatives(self, out: Floats | None = None) -> Floats:
        """Return the derivatives (..., k, p, n) of each Gaussian by its own p parameters, in `out` if it is
        given.
        """

    @abstractmethod
    def parameter_rate(self, rates: Floats) -> Floats:
        """Return the rate of change (..., n) of the sum for rates (..., k, p) of the parameters."""


def monomials(points: Floats, origin: Floats) -> Floats:
    """Return (1, |x|^2, x) (..., 5, n) of points (..., 3, n), x measured from an origin (..., 3)."""
    result = np.empty((*points.shape[:-2], 5, points.shape[-1]))
    result[..., 0, :] = 1.0
    x = np.subtract(points, origin[..., None], out=result[..., 2:, :])
    np.add.reduce(x * x, axis=-2, out=result[..., 1, :])
    return result


def coefficients(c: Floats, w: Floats) -> Floats:
    """Return (-w |c|^2, -w, 2 w c, 1) (..., k, 6) of centres c (..., k, 3) and w (..., k).

    The first five are the coefficients of -w |x - c|^2 by the monomials. Gaussians weighted by the last five
    give the sums of which the gradient is made.
    """
    result = np.empty((*w.shape, 6))
    np.negative(w, out=result[..., 1])
    np.multiply((2.0 * w)[..., None], c, out=result[..., 2:5])
    np.multiply(np.add.reduce(c * c, axis=-1), result[..., 1], out=result[..., 0])
    result[..., 5] = 1.0
    return result


def outer_sums(weights: Floats, d: Floats) -> Floats:
    """Return the sums (..., 3, 3, n) over k of weights (..., k, n) times d d', for d (..., 3, k, n)."""
    sums: Floats = np.einsum("...ikn,...jkn->...ijn", weights[..., None, :, :] * d, d)
    return sums


ROUNDING = 4e-15  # largest error of a Gaussian: its exponent's rounding times itself, which is at most 1 / e
SLOPE_ROUNDING = 1e-12  # relative rounding of a slope's terms, with a reserve
NOTHING = 100.0  # exponents from which on a Gaussian is far less than ROUNDING
