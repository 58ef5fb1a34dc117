"""Connectivity: whether two places belong to the same component of an implicit surface.

There are two tests, and both may miss a connection but never claim a false one, as far as F is evaluated
along the way. Over the surface: a point walks straight on towards a goal, in steps along the tangent plane
that are each followed by Newton's steps; if it arrives, both are on one component. Through the inside: if F <
0 along the straight line between two places, both are inside of one component.
"""

from __future__ import annotations

import numpy as np

from ...arrays import Bools, Floats
from ...vectors import dot, length
from ..functions.base import ImplicitFunction
from ..projection import traced_step
from .floaters import Floaters

_STRIDE = 0.7  # desired radii: the step of a walk
_STRIDES = 32  # most steps of a walk; where these do not suffice, the step is longer
_NEWTON = 3  # Newton steps after each step
_THERE = 0.3  # desired radii: so near to its goal a walk has arrived
_OFF = 0.5  # steps: a walk that is farther off the surface before its last Newton step has lost it
_ALONG = np.array([0.2, 0.4, 0.6, 0.8])  # shares of a straight line at which F is evaluated


def reachable_over_surface(function: ImplicitFunction, points: Floaters, goals: Floats) -> Bools:
    """Return which points (k,) reach their goals (k, 3), walking straight on over the surface.

    Args:
        function: F.
        points: where the walks begin; their F_x and desired radii are used.
        goals: places on the surface (k, 3).
    """
    at, gradients = points.positions.copy(), points.gradients.copy()
    way = goals - at
    far = length(way)
    stride = np.maximum(_STRIDE * points.desired, 2.0 * far / _STRIDES)
    there = far <= _THERE * points.desired
    lost = np.zeros(len(at), dtype=bool)
    for _ in range(_STRIDES):
        going = np.flatnonzero(~(there | lost))
        if not len(going):
            break
        way = goals[going] - at[going]
        normal = gradients[going]
        square = np.maximum(dot(normal, normal), 1e-300)
        way -= (dot(normal, way) / square)[:, None] * normal
        reach = length(way)
        place = at[going] + np.minimum(stride[going] / np.maximum(reach, 1e-300), 1.0)[:, None] * way
        at[going], gradients[going], off = traced_step(function, place, stride[going], _NEWTON)
        lost[going] = off > _OFF * stride[going]
        left = goals[going] - at[going]
        there[going] = length(left) <= _THERE * points.desired[going]
    return np.asarray(there & ~lost)


def joined_inside(function: ImplicitFunction, starts: Floats, ends: Floats) -> Bools:
    """Return whether the straight lines between places (k, 3), (k, 3) are inside, where they are evaluated
    (k,).
    """
    places = starts[:, None] + _ALONG[:, None] * (ends - starts)[:, None]
    values = function.value(places.reshape(-1, 3)).reshape(-1, len(_ALONG))
    return np.asarray((values < 0.0).all(axis=1))
