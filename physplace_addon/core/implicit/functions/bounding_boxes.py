"""Bounding boxes of surfaces of which no more is known than proven ranges of F.

Beyond a plane across an axis lies a half of space. Where the range of F over it does not hold 0, that half
holds no surface. The farther out the plane, the smaller the half: so the nearest such plane is found by
trying several planes at once, then again between the last that failed and the first that succeeded. What was
cut off on one side need not be looked at for the others, so a second turn gives a tighter box.

The six sides are numbered -x, -y, -z, x, y, z, and the distance of a side counts outwards.
"""

from __future__ import annotations

import numpy as np

from ...arrays import Bools, Floats
from .base import ImplicitFunction

# the box of no surface: its lowest corner is above its highest one; -EMPTY is all of space
EMPTY = np.array([[np.inf] * 3, [-np.inf] * 3])

# distances tried about the origin where no size is known: 6e-8 to 5e11 scene units
_FAR = 2.0 ** np.arange(-24.0, 41.0)
# distances tried about a box that is known, in its sizes
_NEAR = np.concatenate(
    (np.linspace(0.0, 0.6, 13)[1:], 2.0 ** np.array([0.0, 1.0, 2.0, 4.0, 8.0, 16.0, 32.0]))
)
# shares of the way between the last plane that failed and the first that succeeded
_SHARES = np.linspace(0.0, 1.0, 17)
_ROUNDS = 12  # rounds of trying; each divides the uncertainty by 16
_FINE = 1e-3  # share of the box's size by which its sides may be too far out


def box_by_ranges(
    function: ImplicitFunction, hint: Floats = -EMPTY, known: Floats = -EMPTY, level: float | None = None
) -> Floats:
    """Return a box (2, 3) that holds the surface, or all places where F <= level if a level is given.

    Args:
        function: F, whose `range` is used and nothing else.
        hint: a box (2, 3) near which the surface is thought to be; infinite sides say nothing.
        known: a box (2, 3) that is known to hold it.
        level: in the units of F; None for the surface itself.

    Returns:
        The box, infinite where none could be proven, or EMPTY where ranges prove that there is no surface.
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
    """Return the distances to try (6, n), outwards from each of the six sides of a hint (2, 3)."""
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
    """Return the box (2, 3) with each side moved in as far as ranges prove that it may be."""
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
    """Return which parts (6, n) of the box beyond the distances tried (6, n) hold no surface."""
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
