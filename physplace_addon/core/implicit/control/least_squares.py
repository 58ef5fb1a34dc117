"""Pinned points that no surface of the kind passes through all at once: the least sum of squared distances.

Where control points ask for more than the parameters can give (Witkin and Heckbert 1994, section 6:
"excellent results can be obtained using least-squares techniques"), the surface ends where the sum of the
squares of r = F / |F_x| at the pinned points is least. Levenberg's and Marquardt's steps lead there, with the
parameters in units of the metric: of all steps that do as well to first order, the one of least change.

There may be no least sum. With its bias free a blob can grow its radii for ever: its Gaussians become
polynomials, among which there is often a better one farther out. So a step is made only while it gains a
share, and the surface ends where a larger change would gain next to nothing.
"""

from __future__ import annotations

import numpy as np

from ...arrays import Floats
from ...vectors import length
from ..functions.base import ImplicitFunction

_ITERATIONS = 10  # steps of Levenberg and Marquardt in one step of the surface
_DIFFERENCE = 1e-6  # strides: the change of a parameter by which r is differentiated
_DAMPING, _LESS, _MORE = 1e-6, 0.2, 8.0  # of the greatest curvature, at first; factors after a step
LEAST_GAIN = 1e-4  # share by which the sum has to fall in a step that is made
_LEAST_SLOPE = 1e-200  # least |F_x| that is divided by


def fitted(
    function: ImplicitFunction, places: Floats, mobility: Floats, stride: float, farthest: float
) -> ImplicitFunction:
    """Return the function after a step towards the least sum of squares; the same if it is reached, or if no
    parameter may change.

    Args:
        function: F.
        places: the pinned points (n, 3).
        mobility: B (m, f).
        stride: the length, in scene units, by which differences are measured.
        farthest: how far the change may move the surface, in scene units.
    """
    if mobility.shape[1] == 0:
        return function
    start, damping = function, _DAMPING
    off = _distances(function, places)
    first = best = float(off @ off)
    for _ in range(_ITERATIONS):
        rates = _rates(function, places, mobility, off, _DIFFERENCE * stride)
        square, pull = rates.T @ rates, rates.T @ off
        if not np.isfinite(square).all():  # F is not defined near one of them
            break
        ridge = damping * float(square.diagonal().max()) * np.eye(len(square))
        change = mobility @ np.linalg.lstsq(square + ridge, -pull, rcond=None)[0]
        parameters = function.parameters + change
        moved = np.abs((parameters - start.parameters) / function.scales).max()
        allowed = np.isfinite(parameters).all() and (parameters[function.positive] > 0.0).all()
        if not (allowed and moved <= farthest):
            damping *= _MORE
            continue
        tried = function.with_parameters(parameters)
        left = _distances(tried, places)
        total = float(left @ left)
        if not total < best:
            damping *= _MORE
            continue
        function, off, best, damping = tried, left, total, _LESS * damping
    return function if best < (1.0 - LEAST_GAIN) * first else start


def sum_of_squares(function: ImplicitFunction, places: Floats) -> float:
    """Return the sum of the squared distances of places (n, 3) from the surface, to first order."""
    off = _distances(function, places)
    return float(off @ off)


def _distances(function: ImplicitFunction, places: Floats) -> Floats:
    """Return F / |F_x| (n,) at places (n, 3), in scene units."""
    value, gradient = function.gradient(places)
    return np.asarray(value / np.maximum(length(gradient), _LEAST_SLOPE))


def _rates(function: ImplicitFunction, places: Floats, mobility: Floats, off: Floats, step: float) -> Floats:
    """Return by how much each unknown moves r (n, f), by differences from r (n,)."""
    q = function.parameters
    columns = []
    for column in mobility.T:
        h = step / max(float(np.abs(column / function.scales).max()), 1e-300)
        columns.append((_distances(function.with_parameters(q + h * column), places) - off) / h)
    return np.stack(columns, axis=1)
