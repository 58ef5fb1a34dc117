"""Boxes about surfaces of which no more is known than proven ranges.

Beyond a plane across an axis lies half of space: where the range of F over it does not hold 0, there is no
surface.  The farther out, the smaller the half, so the nearest such plane is found by trying some in turn,
then again between the last that failed and the first that did not.  What has been cut off on one side need
not be looked at for the others: a second turn is tighter.
"""

from __future__ import annotations

import numpy as np

from ...arrays import Bools, Floats
from .base import ImplicitFunction

EMPTY = np.array([[np.inf] * 3, [-np.inf] * 3])

_FAR = 2.0 ** np.arange(-24.0, 41.0)
_NEAR = np.concatenate(
    (np.linspace(0.0, 0.6, 13)[1:], 2.0 ** np.array([0.0, 1.0, 2.0, 4.0, 8.0, 16.0, 32.0]))
)
_SHARES = np.linspace(0.0, 1.0, 17)
_ROUNDS = 12
_FINE = 1e-3  # of the box's size, that its sides may be too far out


def box_by_ranges(
    function: ImplicitFunction, hint: Floats = -EMPTY, known: Floats = -EMPTY, level: float | None = None
) -> Floats:
    """Return a box (2, 3) that holds the surface, or if a level is given where F <= level.

    It is infinite where none could be proven, and EMPTY for no surface.

    hint is a box (2, 3) near which it is thought to be; its infinite sides say nothing. known is one that is
    known to hold it.
    """
    box = known
    for guess in (hint, None):
        if (box[0] > box[1]).any():
            return EMPTY.copy()
        box = _narrowed(function, box, _ladders(box if guess is None else guess), level)
        if np.isfinite(hint).all():
            break
    return EMPTY.copy() if (box[0] > box[1]).any() else box


def _ladders(hint: Floats) -> Floats:
    """Places to try (6, n), outwards from each of the six sides -x, -y, -z, x, y, z."""
    finite = np.isfinite(hint).all(axis=0)
    ends = np.where(finite, hint, 0.0)
    size = float((ends[1] - ends[0]).max())
    steps = (_NEAR if finite.all() and size > 0.0 else _FAR) * (size if size > 0.0 else 1.0)
    middle = 0.5 * (ends[0] + ends[1])
    ladders: Floats = np.concatenate((-middle, middle))[:, None] + np.concatenate(
        (-steps[::-1], [0.0], steps)
    )
    return ladders


def _narrowed(function: ImplicitFunction, box: Floats, tried: Floats, level: float | None) -> Floats:
    """The box with each side moved in as far as could be proven that it may."""
    sides, high = np.arange(6), np.concatenate((-box[0], box[1]))
    for _ in range(_ROUNDS):
        free = _free(function, box, tried, level)
        first = free.argmax(axis=1)
        found = free.any(axis=1)
        high = np.where(found, np.minimum(high, tried[sides, first]), high)
        finite = np.isfinite(high)
        top = np.where(finite, high, 0.0)
        width = np.where(found & finite, top - tried[sides, np.maximum(first - 1, 0)], 0.0)
        extent = np.abs(top[:3] + top[3:])[finite[:3] & finite[3:]].max(initial=0.0)
        width[width <= _FINE * extent] = 0.0
        if not width.any():
            break
        tried = (top - width)[:, None] + width[:, None] * _SHARES
    return np.stack((-high[:3], high[3:]))


def _free(function: ImplicitFunction, box: Floats, tried: Floats, level: float | None) -> Bools:
    """Which parts (6, n) of the box beyond the places tried hold no surface."""
    lower = np.broadcast_to(box[0], (*tried.shape, 3)).copy()
    upper = np.broadcast_to(box[1], (*tried.shape, 3)).copy()
    for axis in range(3):
        upper[axis, :, axis] = np.minimum(-tried[axis], upper[axis, :, axis])
        lower[3 + axis, :, axis] = np.maximum(tried[3 + axis], lower[3 + axis, :, axis])
    outside = (lower > upper).any(axis=-1)
    least, most = function.range(np.minimum(lower, upper).reshape(-1, 3), upper.reshape(-1, 3))
    free: Bools = (least > 0.0) | (most < 0.0) if level is None else least > level
    free = free.reshape(tried.shape) | outside
    return free
