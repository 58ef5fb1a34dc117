"""Whether two places belong to the same component."""

from __future__ import annotations

import numpy as np

from ...arrays import Bools, Floats
from ..functions.base import ImplicitFunction
from ..projection import traced_step
from .floaters import Floaters

_STRIDE = 0.7  # radii
_STRIDES = 32
_NEWTON = 3
_THERE = 0.3  # radii
_OFF = 0.5  # strides: who is farther off the surface, before Newton's last step, has lost it
_ALONG = np.array([0.2, 0.4, 0.6, 0.8])


def reachable_over_surface(function: ImplicitFunction, points: Floaters, goals: Floats) -> Bools:
    """Return which points (k,), walking straight on over the surface, come to their goals (k, 3)."""
    at, gradients = points.positions.copy(), points.gradients.copy()
    way = goals - at
    far = np.sqrt(np.einsum("ki,ki->k", way, way))
    stride = np.maximum(_STRIDE * points.desired, 2.0 * far / _STRIDES)
    there = far <= _THERE * points.desired
    lost = np.zeros(len(at), dtype=bool)
    for _ in range(_STRIDES):
        going = np.flatnonzero(~(there | lost))
        if not len(going):
            break
        way = goals[going] - at[going]
        normal = gradients[going]
        square = np.maximum(np.einsum("ki,ki->k", normal, normal), 1e-300)
        way -= (np.einsum("ki,ki->k", normal, way) / square)[:, None] * normal
        length = np.sqrt(np.einsum("ki,ki->k", way, way))
        place = at[going] + np.minimum(stride[going] / np.maximum(length, 1e-300), 1.0)[:, None] * way
        at[going], gradients[going], off = traced_step(function, place, stride[going], _NEWTON)
        lost[going] = off > _OFF * stride[going]
        left = goals[going] - at[going]
        there[going] = np.sqrt(np.einsum("ki,ki->k", left, left)) <= _THERE * points.desired[going]
    return np.asarray(there & ~lost)


def joined_inside(function: ImplicitFunction, starts: Floats, ends: Floats) -> Bools:
    """Return whether the straight ways between places (k, 3) are inside, as far as they are looked at."""
    places = starts[:, None] + _ALONG[:, None] * (ends - starts)[:, None]
    values = function.value(places.reshape(-1, 3)).reshape(-1, len(_ALONG))
    return np.asarray((values < 0.0).all(axis=1))
