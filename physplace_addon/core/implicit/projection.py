"""Projection onto an implicit surface F = 0: every way in which places are brought onto it.

Newton's step along the gradient leads from x to first order to the closest point of the surface,

    x - F F_x / |F_x|^2,    at the distance |F| / |F_x|,

which is the particle/surface constraint of Witkin and Heckbert (1994, equation 5) with P = q' = 0 and a
feedback phi of one over the time step.  Far from the surface F says little about the distance, so every step
is limited to a length that the caller gives.  These variants differ in what they are used for:

- `newton_step` is one step, for the floaters of a running simulation: it costs the fewest operations, and
  tells places where F_x is zero.
- `projected` takes a fixed number of steps; `traced_step` does the same, and also returns F_x and the
  distance that was left, for who walks over the surface.
- `closest_points` starts from far away, and falls back on places that are known to be on the surface.
- `projected_along` keeps to given directions, because F_x leads away from an acute edge.
- `bracketed_heights` keeps to given lines and halves a bracket where Newton's step leaves it: it ends at a
  root on the line wherever F changes sign along it.
- `crossings` only halves, between a place inside and one outside.

All lengths are in scene units.
"""

from __future__ import annotations

import numpy as np

from ..arrays import Bools, Floats
from ..vectors import column_dot, dot, length, length_and_unit
from .functions.base import ImplicitFunction

SETTLED = 1e-8  # share of the bracket: a Newton step so short leaves an error of its square
_ROUNDS = 8  # Newton steps of `projected`: from a step's length off, the error is then that of rounding
_LONG_STRIDE = 1 / 16  # of the surface's size: longest step from far away, where F is no distance
_LONG_ROUNDS = 24  # such steps: enough to cross the surface's size one and a half times
_ARRIVED = 1e-6  # of the surface's size: a point farther off than this has not come to the surface
_BRACKETED_ROUNDS = 60  # most steps; halvings alone would need 28 to reach SETTLED
_ALONG_ROUNDS = 4  # most Newton steps along given directions
_HALVINGS = 16  # halvings of `crossings`: 1.5e-5 of the distance between the two places
_FLAT = 1e-150  # least square of |F_x| that may be divided by without leaving the range of doubles
_LEAST_SLOPE, _LEAST_TRACED_SLOPE = 1e-200, 1e-300  # least |F_x| that is divided by


def distances_to_surface(value: Floats, gradient: Floats) -> Floats:
    """Return the distances (k,) to the surface to first order, |F| / |F_x|.

    Args:
        value: F (k,).
        gradient: F_x (k, 3).
    """
    slope = np.maximum(length(gradient), np.finfo(np.float64).tiny)
    distances: Floats = np.abs(value) / slope
    return distances


def distances_within(function: ImplicitFunction, places: Floats, corners: Floats) -> Floats:
    """Return about how far places (k, 3) between corners (k, c, 3) on the surface are from it (k,).

    No place is farther than from its nearest corner: in the middle of a narrow gap F hardly rises, and its
    distance to first order says little.
    """
    nearest = length(places[:, None] - corners).min(axis=1)
    return np.asarray(np.minimum(distances_to_surface(*function.gradient(places)), nearest))


def newton_step(value: Floats, gradients: Floats, farthest: float) -> tuple[Floats, Floats]:
    """Return the steps to be taken back to reach the surface, and the distances to it, to first order.

    Args:
        value: F (k,).
        gradients: F_x (k, 3), stored by columns for speed.
        farthest: the longest step.

    Returns:
        The steps (k, 3): subtract them from the places.  They are zero where F_x is.
        The distances |F| / |F_x| (k,), not limited; infinite where F_x is zero and F is not.
    """
    square = column_dot(gradients, gradients)
    flat = None if np.minimum.reduce(square, initial=np.inf) > _FLAT else ~(square > _FLAT)
    if flat is not None:
        missing = flat & (value != 0.0)
        value, square = np.where(flat, 0.0, value), np.where(flat, 1.0, square)
    share = value / square
    off = np.abs(share) * np.sqrt(square)
    if not np.maximum.reduce(off, initial=0.0) <= farthest:
        too_far = off > farthest
        share[too_far] *= farthest / off[too_far]
    if flat is not None:
        off[missing] = np.inf
    return share[:, None] * gradients, off


def projected(function: ImplicitFunction, places: Floats, farthest: float, rounds: int = _ROUNDS) -> Floats:
    """Return the places (k, 3) after Newton steps along F_x to the surface.

    Args:
        function: F.
        places: where they start (k, 3).
        farthest: the longest step of a round.
        rounds: the number of steps.
    """
    for _ in range(rounds):
        value, gradient = function.gradient(places)
        slope = length(gradient)
        firm = np.maximum(slope, _LEAST_SLOPE)[:, None]
        distance = np.clip(value[:, None] / firm, -farthest, farthest)
        places = places - distance * (gradient / firm)
    return places


def traced_step(
    function: ImplicitFunction, places: Floats, farthest: Floats, rounds: int
) -> tuple[Floats, Floats, Floats]:
    """Return the places after Newton steps to the surface, with F_x and the distance before the last step.

    Args:
        function: F.
        places: where they start (k, 3).
        farthest: the longest step of each place (k,).
        rounds: the number of steps, 1 at least.

    Returns:
        The places (k, 3), F_x (k, 3) and the distances (k,), limited to `farthest`, of the last evaluation.
    """
    for _ in range(rounds):
        value, gradients = function.gradient(places)
        firm = np.maximum(length(gradients), _LEAST_TRACED_SLOPE)
        off = np.clip(value / firm, -farthest, farthest)
        places = places - (off / firm)[:, None] * gradients
    return places, gradients, np.abs(off)


def closest_points(function: ImplicitFunction, places: Floats, size: float, known: Floats) -> Floats:
    """Return points of the surface (k, 3) close to places (k, 3), about the closest ones.

    Args:
        function: F.
        places: where to start (k, 3), at any distance.
        size: the size of the surface, in scene units.
        known: places (r, 3) on the surface: where F_x leads nowhere, the nearest of them is taken.
    """
    found = projected(function, places, _LONG_STRIDE * size, _LONG_ROUNDS)
    found = projected(function, found, _LONG_STRIDE * size)
    value, gradient = function.gradient(found)
    near = np.abs(value) <= _ARRIVED * size * length(gradient)
    if not near.all() and len(known):
        away = places[~near, None] - known
        found[~near] = known[np.argmin(np.einsum("kri,kri->kr", away, away), axis=1)]
    return found


def projected_along(
    function: ImplicitFunction, places: Floats, directions: Floats, farthest: Floats
) -> Floats:
    """Return the places (k, 3) after Newton steps to the surface along given directions, not along F_x.

    Args:
        function: F.
        places: where they start (k, 3).
        directions: vectors (k, 3) of any length, about along F_x; nothing moves where F falls along them.
        farthest: the longest step of each place (k,).
    """
    directions, places = length_and_unit(directions)[1], places.copy()
    rows = np.arange(len(places))
    for _ in range(_ALONG_ROUNDS if len(rows) else 0):
        most = farthest[rows]
        step = newton_heights(*function.gradient(places[rows]), directions[rows])
        step = np.where(np.isfinite(step), np.clip(step, -most, most), 0.0)
        places[rows] += step[:, None] * directions[rows]
        rows = rows[np.abs(step) > SETTLED * most]
        if not len(rows):
            break
    return places


def newton_heights(value: Floats, gradient: Floats, direction: Floats) -> Floats:
    """Return Newton's steps along lines (k,), infinite where F does not rise along them, or next to nothing.

    Args:
        value: F (k,) at places of the lines.
        gradient: F_x (k, 3) there.
        direction: the unit vectors (k, 3) of the lines.
    """
    steep = dot(gradient, direction)
    rising = steep > 0.0
    with np.errstate(over="ignore"):  # so flat that the step is infinite
        return np.where(rising, -value / np.where(rising, steep, 1.0), np.inf)


def bracketed_heights(
    function: ImplicitFunction, base: Floats, direction: Floats, most: Floats, height: Floats
) -> Floats:
    """Return the heights h (k,) where F(base + h direction) = 0, by Newton's steps safeguarded by halving.

    Each line keeps a bracket with F < 0 at its lower end and F >= 0 at its upper one.  A Newton step that
    leaves the bracket is replaced by its middle.

    Args:
        function: F, which rises along the lines.
        base: the places (k, 3) from which heights are measured.
        direction: the unit vectors (k, 3) of the lines.
        most: the bracket (k,): |h| is at most this.
        height: the heights (k,) to start from.
    """
    height, low, high = height.copy(), -most, most.copy()
    rows = np.arange(len(most))
    for _ in range(_BRACKETED_ROUNDS):
        now, own = height[rows], direction[rows]
        value, gradient = function.gradient(base[rows] + now[:, None] * own)
        inside = value < 0.0
        low[rows] = np.where(inside, now, low[rows])
        high[rows] = np.where(inside, high[rows], now)
        goal = now + newton_heights(value, gradient, own)
        out = (goal < low[rows]) | (goal > high[rows])
        height[rows] = np.where(out, 0.5 * (low[rows] + high[rows]), goal)
        going = np.abs(height[rows] - now) > SETTLED * most[rows]
        if not going.any():
            break
        rows = rows[going]
    return height


def surface_crossings(function: ImplicitFunction, inner: Floats, outer: Floats) -> Floats:
    """Return places (k, 3) just inside of the surface, between places inside and outside of it, by halving.

    Args:
        function: F.
        inner: places (k, 3) where F < 0.
        outer: places (k, 3) where F >= 0.
    """
    for _ in range(_HALVINGS):
        middle = 0.5 * (inner + outer)
        inside: Bools = (function.value(middle) < 0.0)[:, None]
        inner, outer = np.where(inside, middle, inner), np.where(inside, outer, middle)
    return inner
