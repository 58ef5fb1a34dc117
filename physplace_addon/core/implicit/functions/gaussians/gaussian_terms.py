"""Gaussians of a distance, exp(-|d|^2 / s^2): what all kinds of elements have in common.

Points are the last axis of all arrays in here, so that every operation runs along many of them.
"""

from __future__ import annotations

from abc import ABC, abstractmethod

import numpy as np

from ....arrays import Floats

REACH = 6.0  # radii
NEGLECTED = float(np.exp(-(REACH**2)))  # of a Gaussian: nothing beside 1
LEAST_RADIUS = 1e-70  # that its fourth power is still a number
WELL_CONDITIONED = 1e3  # |c|^2 / s^2 up to which products lose no more than the last three digits


class PreparedElements(ABC):
    """k elements made ready to be evaluated about an origin (..., 3)."""

    origin: Floats
    w: Floats  # 1 / s^2 (..., k)
    careful: bool  # whether products would lose too many digits

    @abstractmethod
    def values_at(self, x: Floats) -> GaussianValues:
        """Return them at points (..., 3, n) from the origin."""


class GaussianValues(ABC):
    """The Gaussians g (..., k, n) of k elements at n points, and what they change by."""

    g: Floats

    def total(self) -> Floats:
        """Return the sum (..., n)."""
        total: Floats = self.g.sum(axis=-2)
        return total

    @abstractmethod
    def gradient_and_sum(self) -> Floats:
        """Return the gradient of the sum, and the sum itself (..., 4, n)."""

    @abstractmethod
    def hessian(self) -> Floats:
        """Return the second derivatives (..., 3, 3, n) of the sum."""

    @abstractmethod
    def parameter_derivatives(self) -> Floats:
        """Return each element's derivatives (..., k, p, n) by its own parameters."""

    @abstractmethod
    def parameter_rate(self, rates: Floats) -> Floats:
        """Return the sum's rate of change (..., n) for rates (..., k, p) of the parameters."""


def monomials(x: Floats) -> Floats:
    """Return (1, |x|^2, x) (..., 5, n) of points (..., 3, n): exponents are linear in them."""
    result = np.empty((*x.shape[:-2], 5, x.shape[-1]))
    result[..., 0, :] = 1.0
    np.einsum("...in,...in->...n", x, x, out=result[..., 1, :])
    result[..., 2:, :] = x
    return result


def coefficients(c: Floats, w: Floats) -> Floats:
    """Return (-w |c|^2, -w, 2 w c, 1) (..., k, 6) of c (..., k, 3) and w (..., k).

    The first five are the coefficients of -w |x - c|^2 by the monomials; Gaussians weighed by the last five
    make the sums of which the gradient is made.
    """
    result = np.empty((*w.shape, 6))
    np.negative(w, out=result[..., 1])
    np.einsum("...i,...i->...", c, c, out=result[..., 0])
    result[..., 0] *= result[..., 1]
    np.multiply((2.0 * w)[..., None], c, out=result[..., 2:5])
    result[..., 5] = 1.0
    return result


def outer_sums(weights: Floats, d: Floats) -> Floats:
    """Return the sums (..., 3, 3, n) of weights (..., k, n) times d d', d (..., 3, k, n)."""
    sums: Floats = np.einsum("...ikn,...jkn->...ijn", weights[..., None, :, :] * d, d)
    return sums


ROUNDING = 4e-15  # that a Gaussian may be off by: its exponent's rounding, times itself, at most 1 / e
NOTHING = 100.0  # exponents from which on a Gaussian is far less than that
