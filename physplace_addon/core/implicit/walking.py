"""Whether one can get from place to place on an implicit surface, without leaving it."""

from __future__ import annotations

import numpy as np

from ..arrays import Bools, Floats
from .floaters import Floaters
from .function import ImplicitFunction

_STRIDE = 0.7  # radii
_STRIDES = 32
_NEWTON = 3
_THERE = 0.3  # radii
_OFF = 0.5  # strides: who is farther off the surface, before Newton's last step, has lost it


def arrives(function: ImplicitFunction, points: Floaters, goals: Floats) -> Bools:
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
        at[going], gradients[going], off = _on_surface(function, place, stride[going])
        lost[going] = off > _OFF * stride[going]
        left = goals[going] - at[going]
        there[going] = np.sqrt(np.einsum("ki,ki->k", left, left)) <= _THERE * points.desired[going]
    return np.asarray(there & ~lost)


def _on_surface(
    function: ImplicitFunction, places: Floats, farthest: Floats
) -> tuple[Floats, Floats, Floats]:
    """Return places (k, 3) brought to the surface by Newton's steps of at most `farthest` (k,), F_x, and how
    far off (k,) they were before the last one.
    """
    for _ in range(_NEWTON):
        value, gradients = function.gradient(places)
        slope = np.sqrt(np.einsum("ki,ki->k", gradients, gradients))
        off = np.clip(value / np.maximum(slope, 1e-300), -farthest, farthest)
        places = places - (off / np.maximum(slope, 1e-300))[:, None] * gradients
    return places, gradients, np.abs(off)
