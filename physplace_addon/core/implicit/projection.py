"""Places brought onto an implicit surface, along F_x."""

from __future__ import annotations

import numpy as np

from ..arrays import Floats
from .functions.base import ImplicitFunction

_ROUNDS = 8
_LONG_STRIDE = 1 / 16  # of the surface's size: far off, F tells the direction and not the distance
_LONG_ROUNDS = 24


def projected(function: ImplicitFunction, places: Floats, farthest: float, rounds: int = _ROUNDS) -> Floats:
    """Return places (k, 3) moved onto the surface along F_x, each by `farthest` at most in a round."""
    for _ in range(rounds):
        value, gradient = function.gradient(places)
        slope = np.sqrt(np.einsum("ki,ki->k", gradient, gradient))
        firm = np.maximum(slope, 1e-200)[:, None]
        distance = np.clip(value[:, None] / firm, -farthest, farthest)
        places = places - distance * (gradient / firm)
    return places


def closest_points(function: ImplicitFunction, places: Floats, size: float, known: Floats) -> Floats:
    """Return places of the surface (k, 3) that are near places (k, 3), and about the nearest.

    size is the surface's, known (r, 3) places of it: where F_x leads nowhere, the nearest of them is taken.
    """
    found = projected(function, places, _LONG_STRIDE * size, _LONG_ROUNDS)
    found = projected(function, found, _LONG_STRIDE * size)
    value, gradient = function.gradient(found)
    near = np.abs(value) <= 1e-6 * size * np.sqrt(np.einsum("ki,ki->k", gradient, gradient))
    if not near.all() and len(known):
        away = places[~near, None] - known
        found[~near] = known[np.argmin(np.einsum("kri,kri->kr", away, away), axis=1)]
    return found
