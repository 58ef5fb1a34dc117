"""What keeps floaters on the surface (Witkin and Heckbert 1994, section 3.3).

Of all velocities that keep F = 0 while the parameters change at the rate q', the one nearest to the desired
velocity P is (equation 5)

    p' = P - (F_x . P + F_q . q' + phi F) / (F_x . F_x) F_x.

Euler's step of dt leaves a floater off the surface by the second order of its move. A Newton step after the
move takes that back; floaters farther off than a share of their radius take more, and those that come no
nearer have lost their surface.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from ...arrays import Bools, Floats, portions
from ...vectors import column_dot, column_length, column_rows
from ..functions.base import ImplicitFunction
from ..projection import newton_step

_NEAR = 0.03  # share of the radius: from so far off, one Newton step leaves less than 1e-3 of the radius
_LOST = 0.1  # share of the radius: a floater farther off before its last Newton step has lost the surface
_ROUNDS = 12  # most Newton steps after the first
_BEND = 0.35  # share of a move: who ends farther off the surface than this has gone beyond a bend of it
# shares of a short move that is left at least, and evaluated; share of the whole move that is evaluated
_LEAST, _FIRST, _PART = 0.02, 0.6, 0.3
_FLAT = 1e-150  # least square of |F_x| that may be divided by


@dataclass(frozen=True, eq=False)
class Attached:
    """Floaters brought to the surface.

    Attributes:
        positions: where they are (r, 3), in scene units.
        gradients: F_x (r, 3), of the last evaluation.
        lost: which found no surface (r,).
    """

    positions: Floats
    gradients: Floats
    lost: Bools


def constrained_velocity(desired: Floats, gradients: Floats, pull: Floats | None) -> Floats:
    """Return the velocities p' (r, 3) nearest to the desired ones that keep to the surface (equation 5).

    Args:
        desired: P (r, 3), scene units per time.
        gradients: F_x (r, 3).
        pull: F_q . q' + phi F (r,), or None if that is 0.

    Returns:
        p' (r, 3); zero where F_x is zero, as the paper's section 5 recommends.
    """
    square = column_dot(gradients, gradients)
    if np.minimum.reduce(square, initial=np.inf) > _FLAT:
        share = column_dot(gradients, desired)
        if pull is not None:
            share += pull
        share /= square
        return desired - share[:, None] * gradients
    firm = square > _FLAT
    velocity = np.zeros_like(desired)
    velocity[firm] = constrained_velocity(
        desired[firm], gradients[firm], None if pull is None else pull[firm]
    )
    return velocity


def limited_moves(moves: Floats, longest: Floats) -> tuple[Floats, Floats]:
    """Return moves (r, 3) no longer than `longest` (r,), and how long they were (r,)."""
    length = column_length(moves)
    if not np.count_nonzero(length > longest):
        return moves, length
    share = np.minimum(longest / np.maximum(length, 1e-300), 1.0)
    return share[:, None] * moves, length


def attached_to_surface(
    function: ImplicitFunction,
    positions: Floats,
    radii: Floats,
    farthest: float,
    short: float = np.inf,
    predicted: Callable[[Floats], Floats] | None = None,
) -> Attached:
    """Bring floaters to the surface by Newton's steps along F_x.

    Args:
        function: F.
        positions: where they are (r, 3).
        radii: their radii (r,).
        farthest: the longest step of a round, in scene units.
        short: the length in scene units from which on the first step is not trusted, because the nearest
            surface may be another one, where `predicted` is given.
        predicted: returns the places (k, 3) near the surface where such floaters at some positions (k, 3)
            start instead, of those farther off than a share of their radius; those that are far off the
            surface there start where they are.
    """
    value, gradients = function.gradient(positions)
    gradients = np.asfortranarray(gradients)
    places, first = np.empty_like(gradients), np.empty_like(value)  # by columns, for speed
    for rows in portions(len(positions)):
        step, first[rows] = newton_step(value[rows], gradients[rows], farthest)
        np.subtract(positions[rows], step, out=places[rows])
    stray = (~(first <= _NEAR * radii)).nonzero()[0]
    lost = np.zeros(len(places), dtype=np.bool_)
    far = stray[:0] if predicted is None else stray[first.take(stray) > short]
    if predicted is not None and len(far):
        starts = positions[far]
        places[far] = predicted(starts)
    for number in range(_ROUNDS):
        if not len(stray):
            break
        own, near = column_rows(places, stray), radii.take(stray)
        value, slope = function.gradient(own)
        step, off = newton_step(value, slope, farthest)
        if number == 0 and len(far):
            among = np.searchsorted(stray, far)
            bad = off.take(among) > _BEND * column_length(places[far] - starts)
            own[among[bad]], step[among[bad]], off[among[bad]] = starts[bad], 0.0, np.inf
        own -= step
        for kept, new in zip((*places.T, *gradients.T), (*own.T, *slope.T), strict=True):
            kept[stray] = new
        lost[stray] = ~(off <= _LOST * near)
        stray = stray[~(off <= _NEAR * near)]
    return Attached(places, gradients, lost)


def following(function: ImplicitFunction, rate: Floats, time_step: float) -> Callable[[Floats], Floats]:
    """Return a function that gives the places (k, 3) to which a surface takes floaters at (k, 3) in a step.

    That is equation 5 with P = 0 and all of F taken back.

    Args:
        function: F before the step.
        rate: q' (m,).
        time_step: dt.
    """

    def places(positions: Floats) -> Floats:
        value, gradients, along = function.gradient_and_rate(positions, rate)
        return positions - newton_step(value + time_step * along, gradients, np.inf)[0]

    return places


def shortened_moves(function: ImplicitFunction, starts: Floats, positions: Floats, short: float) -> Floats:
    """Return positions (r, 3), those drawn back towards their starts that have left a small component.

    A move longer than `short` is evaluated after a first part of it, and at its end. Where it is off the
    surface by as much as a good part of the move, the surface bends more strongly than that: beyond, Newton's
    step may lead to another component.

    Args:
        function: F.
        starts: where the moves began (r, 3), on the surface F = 0; of a surface that moves, the places to
            which it has taken them.
        positions: where they end (r, 3).
        short: the length in scene units up to which moves are safe.
    """
    way = positions - starts
    length = column_length(way)
    long = (length > short).nonzero()[0]
    if not len(long):
        return positions
    bit = short / length[long]
    shares = np.stack([_LEAST * bit, _FIRST * bit, np.full(len(long), _PART), np.ones(len(long))])
    trials = starts[long] + shares[1:, :, None] * way[long]
    value, gradients = function.gradient(trials.reshape(-1, 3))
    off = newton_step(value, gradients, np.inf)[1].reshape(len(trials), -1)
    within = np.logical_and.accumulate(off <= _BEND * shares[1:] * length[long], axis=0).sum(axis=0)
    share = np.take_along_axis(shares, within[None], axis=0)[0]
    places = positions.copy(order="K")
    places[long] = starts[long] + share[:, None] * way[long]
    return places
