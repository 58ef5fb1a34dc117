"""Directions along which F is proven to rise all over boxes, found by cutting planes.

About a box, F is made of pieces of which one or several matter. A function knows a proven lower bound h(v) of
the slope F_x . v for any direction v, and F rises along v where h(v) > 0. As the least of n . v over all
slopes n that are possible in the box, h is concave, and its gradient at v is the slope n that is most against
v. So (Kelley 1960) the direction looked for is one that all slopes n known so far point along, as far as can
be: the axis of the narrowest circular cone that holds them. If h is not above 0 there, its gradient is one
more slope to point along. At a corner of three sharp faces this ends with the three normals, however sharp
the knife that two of them make. Where no direction leads out of the slopes, as where sheets touch, none ever
will.

Samples of F_x in and about the box show the slopes less surely: where two faces all but face each other, or
one is hidden behind another, they miss one of them however many they are.

The narrowest cone is that about one slope, about two, halfway between them, or about three, at equal angles
to them.
"""

from __future__ import annotations

from functools import cache
from itertools import combinations

import numpy as np

from ...arrays import Bools, Floats, Ints
from ...vectors import length_and_unit
from ..functions.base import ImplicitFunction

_ROUNDS = 7  # directions that are tried for each box at most
_LEAST = 1e-6  # share of each known slope that a direction must lead along to be tried
# where h is differentiated, beside unit directions: at those themselves it may have a crease, as they are at
# equal angles to several slopes
_BESIDE = 1e-3 * np.array([1.0, 0.618, -0.382])
_STEP = 1e-6  # of the differences, for unit directions
_DIFFERENCES = _BESIDE + np.concatenate([np.zeros((1, 3)), _STEP * np.eye(3)])


def rising_directions(function: ImplicitFunction, low: Floats, sides: Floats) -> tuple[Floats, Bools]:
    """Return unit directions (k, 3) along which F may rise all over boxes, and of which (k,) it is proven.

    Args:
        function: F.
        low: the lowest corners of the boxes (k, 3).
        sides: their sides (k,), in scene units.
    """
    high = low + sides[:, None]
    direction = unit_slopes(function.gradient(0.5 * (low + high))[1])
    proven = np.zeros(len(low), dtype=np.bool_)
    rest = np.flatnonzero(np.isfinite(direction).all(axis=1) & (direction != 0.0).any(axis=1))
    slopes = direction[rest, None]
    for left in reversed(range(_ROUNDS)):
        least = function.least_slope(low[rest], high[rest], direction[rest], 0.0)
        proven[rest] = least > 0.0
        on = np.isfinite(least) & ~proven[rest]
        rest, slopes = rest[on], slopes[on]
        if not left or not len(rest):
            break
        against = _slopes_against(function, low[rest], high[rest], direction[rest])
        slopes = np.concatenate([slopes, against[:, None]], axis=1)
        found, least = _narrowest_cones(slopes)
        on = least > _LEAST
        rest, slopes = rest[on], slopes[on]
        direction[rest] = found[on]
    return direction, proven


def _slopes_against(function: ImplicitFunction, low: Floats, high: Floats, direction: Floats) -> Floats:
    """Return for boxes (k, 3) the unit slopes (k, 3) that are most against directions (k, 3).

    They are not finite, or 0, where none is known.
    """
    ways = (direction[:, None] + _DIFFERENCES).reshape(-1, 3)
    least = function.least_slope(low.repeat(4, axis=0), high.repeat(4, axis=0), ways, 0.0).reshape(-1, 4)
    with np.errstate(invalid="ignore"):
        return unit_slopes((least[:, 1:] - least[:, :1]) / _STEP)


def _narrowest_cones(slopes: Floats) -> tuple[Floats, Floats]:
    """Return the axes (k, 3) of the narrowest circular cones about unit slopes (k, m, 3).

    Returns:
        The axes, and the least cosine (k,) between each and its slopes; NaN where one is not finite.
    """
    pairs, triples = _choices(slopes.shape[1])
    first, second, third = (slopes[:, triples[:, i]] for i in range(3))
    across = np.cross(second - first, third - first)
    across *= np.where(np.einsum("kti,kti->kt", across, first) < 0.0, -1.0, 1.0)[:, :, None]
    axes = np.concatenate([slopes, slopes[:, pairs].sum(axis=2), across], axis=1)
    axes = length_and_unit(axes.reshape(-1, 3))[1].reshape(axes.shape)
    least = np.einsum("kai,kmi->kam", axes, slopes).min(axis=2)
    rows, best = np.arange(len(slopes)), least.argmax(axis=1)
    return axes[rows, best], least[rows, best]


@cache
def _choices(count: int) -> tuple[Ints, Ints]:
    """Return all pairs (p, 2) and all triples (t, 3) of so many numbers."""
    pairs, triples = (
        np.array(list(combinations(range(count), n)), dtype=np.intp).reshape(-1, n) for n in (2, 3)
    )
    return pairs, triples


def unit_slopes(slopes: Floats) -> Floats:
    """Return unit vectors (k, 3) along slopes (k, 3) so small that their squares may be 0."""
    size = np.abs(slopes).max(axis=1, keepdims=True)
    return length_and_unit(slopes / np.where(size > 0.0, size, 1.0))[1]
