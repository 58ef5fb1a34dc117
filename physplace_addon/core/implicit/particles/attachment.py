"""What keeps floaters on the surface (Witkin and Heckbert 1994, section 3.3).

Of all velocities that keep F = 0 while the parameters change at the rate q', the one nearest to the desired
velocity P is (equation 5)

    p' = P - (F_x . P + F_q . q' + phi F) / (F_x . F_x) F_x.

A step of dt leaves a floater off by the second order of its way.  Newton's step on the surface after the move
takes that back; floaters farther off than a share of their radius take more, and those that get no nearer
have lost their surface.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ...arrays import Bools, Floats
from ...vectors import column_dot, column_length
from ..functions.base import ImplicitFunction
from ..projection import newton_step

_NEAR = 0.03  # of the radius: where one Newton step leaves less than 1e-3 of the radius
_LOST = 0.1  # of the radius, after the last Newton step but one
_ROUNDS = 12
_BEND = 0.35  # of a way: who ends farther off the surface has gone beyond its bend
_LEAST, _FIRST, _PART = 0.02, 0.6, 0.3  # of what is short: left at least, looked at; of a way: looked at
_FLAT = 1e-150  # of F_x's square: less is no number to divide by


@dataclass(frozen=True, eq=False)
class Attached:
    """positions (r, 3) on the surface, F_x there (r, 3), and which floaters (r,) found no surface."""

    positions: Floats
    gradients: Floats
    lost: Bools


def constrained_velocity(wish: Floats, gradients: Floats, pull: Floats | None) -> Floats:
    """Return the velocities (r, 3) nearest to the wish (r, 3) that keep to the surface (equation 5).

    pull (r,) is F_q . q' + phi F, None if that is 0.  Where F_x is zero the surface is undefined and a
    floater does not move.
    """
    square = column_dot(gradients, gradients)
    if square.min(initial=np.inf) > _FLAT:
        share = column_dot(gradients, wish)
        if pull is not None:
            share += pull
        share /= square
        return wish - share[:, None] * gradients
    firm = square > _FLAT
    velocity = np.zeros_like(wish)
    velocity[firm] = constrained_velocity(wish[firm], gradients[firm], None if pull is None else pull[firm])
    return velocity


def limited_moves(moves: Floats, longest: Floats) -> tuple[Floats, Floats]:
    """Return moves (r, 3) no longer than `longest` (r,), and how long they were (r,)."""
    length = column_length(moves)
    if not np.count_nonzero(length > longest):
        return moves, length
    share = np.minimum(longest / np.maximum(length, 1e-300), 1.0)
    return share[:, None] * moves, length


def attached_to_surface(
    function: ImplicitFunction, positions: Floats, radii: Floats, farthest: float
) -> Attached:
    """Bring positions (r, 3) to the surface, each by `farthest` at most in a round, scene units."""
    value, gradients = function.gradient(positions)
    gradients = np.asfortranarray(gradients)
    step, off = newton_step(value, gradients, farthest)
    places = positions - step
    stray = (~(off <= _NEAR * radii)).nonzero()[0]
    lost = np.zeros(len(places), dtype=bool)
    for _ in range(_ROUNDS):
        if not len(stray):
            break
        value, slope = function.gradient(places[stray])
        step, off = newton_step(value, slope, farthest)
        places[stray] -= step
        gradients[stray] = slope
        lost[stray] = ~(off <= _LOST * radii[stray])
        stray = stray[~(off <= _NEAR * radii[stray])]
    return Attached(places, gradients, lost)


def shortened_at_bends(function: ImplicitFunction, starts: Floats, positions: Floats, short: float) -> Floats:
    """Return positions (r, 3) with those drawn back towards their starts that have left a small component.

    Where a way longer than `short`, in scene units, or its beginning, ends as far from the surface as a good
    part of it, the surface bends more than that: beyond, Newton's step may lead to another component.
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
    places = positions.copy()
    places[long] = starts[long] + share[:, None] * way[long]
    return places
