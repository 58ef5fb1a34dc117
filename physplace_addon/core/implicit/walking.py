"""Whether one can get from place to place on an implicit surface, without leaving it."""

from __future__ import annotations

import numpy as np

from ..arrays import Bools, Floats
from .floaters import Floaters
from .function import ImplicitFunction

_CLOSE = 0.75  # radii between which nothing is looked for
_BULGE = 0.1  # of a way: how far the surface may be on either side of it
_PLACES = np.array([0.25, 0.5, 0.75])
_STRIDE = 0.7  # radii
_STRIDES = 32
_NEWTON = 3
_THERE = 0.3  # radii


def clear_between(function: ImplicitFunction, points: Floaters, goals: Floats) -> Bools:
    """Return whether the straight ways from points to goals (k, 3) cross no gap and no wall (k,).

    From a component to another that looks the same way, the way leaves the inside and enters it again, or the
    other way round; between places of one sheet it stays on one side, or close to it.
    """
    way = goals - points.positions
    length = np.sqrt(np.einsum("ki,ki->k", way, way))
    clear = np.ones(len(points), dtype=bool)
    far = np.flatnonzero(length > _CLOSE * points.desired)
    if not len(far):
        return clear
    places = points.positions[far, None] + _PLACES[:, None] * way[far, None]
    slope = np.sqrt(np.einsum("ki,ki->k", points.gradients[far], points.gradients[far]))
    value = function.value(places.reshape(-1, 3)).reshape(len(far), -1)
    bulge = _BULGE * (slope * length[far])[:, None]
    clear[far] = ~((value > bulge).any(axis=1) & (value < -bulge).any(axis=1))
    return clear


def arrives(function: ImplicitFunction, points: Floaters, goals: Floats) -> Bools:
    """Return which points (k,), walking straight on over the surface, come to their goals (k, 3)."""
    at, gradients = points.positions.copy(), points.gradients.copy()
    way = goals - at
    far = np.sqrt(np.einsum("ki,ki->k", way, way))
    stride = np.maximum(_STRIDE * points.desired, 2.0 * far / _STRIDES)
    there = far <= _THERE * points.desired
    for _ in range(_STRIDES):
        going = np.flatnonzero(~there)
        if not len(going):
            break
        way = goals[going] - at[going]
        normal = gradients[going]
        square = np.maximum(np.einsum("ki,ki->k", normal, normal), 1e-300)
        way -= (np.einsum("ki,ki->k", normal, way) / square)[:, None] * normal
        length = np.sqrt(np.einsum("ki,ki->k", way, way))
        place = at[going] + np.minimum(stride[going] / np.maximum(length, 1e-300), 1.0)[:, None] * way
        at[going], gradients[going] = _on_surface(function, place, stride[going])
        left = goals[going] - at[going]
        there[going] = np.sqrt(np.einsum("ki,ki->k", left, left)) <= _THERE * points.desired[going]
    return there


def _on_surface(function: ImplicitFunction, places: Floats, farthest: Floats) -> tuple[Floats, Floats]:
    """Return places (k, 3) brought to the surface by Newton's steps no longer than `farthest` (k,), and F_x."""
    for _ in range(_NEWTON):
        value, gradients = function.gradient(places)
        slope = np.sqrt(np.einsum("ki,ki->k", gradients, gradients))
        off = np.clip(value / np.maximum(slope, 1e-300), -farthest, farthest)
        places = places - (off / np.maximum(slope, 1e-300))[:, None] * gradients
    return places, gradients
