"""What drives floaters apart and fits their radii (Witkin and Heckbert 1994, section 4.3).

The energy of floater i due to j is E_ij = alpha exp(-|r_ij|^2 / (2 sigma_i^2)), r_ij = p_i - p_j.  With
equation 9 corrected (both terms push apart) the desired velocity is

    P_i = sum_j r_ij E_ij + (sigma_i / sigma_j)^2 r_ij E_ji = sigma_i^2 sum_j r_ij h_ij,
    h_ij = E_ij / sigma_i^2 + E_ji / sigma_j^2,

and h is symmetric: each pair is met once.  The radius grows or shrinks until D_i = sum_j E_ij is the desired
energy (equations 10, 12 and 13; the sums leave out j = i):

    sigma_i' = -rho (D_i - E_hat) / (beta + sum_j |r_ij|^2 E_ij / sigma_i^3).

Beyond 3.6 radii, of the larger, E is nothing beside alpha; there it ends.  It fades, too, where two floaters
look away from each other: those on the two faces of a thin sheet share no land.

Radii that differ make spacings that differ, for ever: a floater that has more room grows to fill it.  So once
radii are about right, the force is made with radii in the same ratio to the desired ones, all of them, and
only what is too large or too small by more than a margin still pushes harder or yields.

Where the desired radii differ, the paper's force does not rest in a spacing that follows them: the same
energies on less land are a greater pressure, which drives floaters from fine to coarse for ever.  In the
measure of the land, energies u^2 exp(-|r|^2 / (2 u^2)), u^2 the mean of both, press evenly.  So the force of
settled floaters is 2 r_ij alpha exp(-|r_ij|^2 / (2 u^2)); for equal radii it is the paper's.

Floaters live faster than the paper's, by `HASTE`: P, rho and the speed that counts as rest, gamma, are all
multiplied by it, which is a longer time step for the repulsion alone.  P of settled floaters is greater
still; Euler's step stays stable up to 2.5.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..arrays import Floats, Ints

REACH = 3.6  # radii within which a floater feels others: in an even sampling, the first two rings
HASTE = 1.5
_SETTLED = 1.2  # mean ratio of radii to the desired ones, below which all take the same
_MARGIN = 0.2
_CALM_HASTE = 2.0


@dataclass(frozen=True, eq=False)
class Pairs:
    """Neighbours: floaters first (m,) and second (m,), and how much of each other they feel (m,), 0 to 1."""

    first: Ints
    second: Ints
    weight: Floats


@dataclass(frozen=True, eq=False)
class Repulsion:
    """wish (r, 3): P, scene units per time; energy (r,): D; stiffness (r,): D_sigma, 1 / scene unit."""

    wish: Floats
    energy: Floats
    stiffness: Floats


def repulsion(
    positions: Floats, radii: Floats, force_radii: Floats, pairs: Pairs, amplitude: float
) -> Repulsion:
    """Return what floaters at positions (r, 3) feel: energies by radii (r,), forces by force_radii (r,)."""
    count = len(positions)
    near = _near(positions, -0.5 / (radii * radii), pairs, amplitude)
    i, j, square = near.first, near.second, near.square
    by_i, by_j = (
        _energies(square, near.fall_first, near.scale),
        _energies(square, near.fall_second, near.scale),
    )
    if force_radii is radii:
        h, own = -2.0 * (by_i * near.fall_first + by_j * near.fall_second), HASTE * radii * radii
    else:
        h = _energies(square, _mean_falls(force_radii, i, j), near.scale)
        own = np.full(count, 2.0 * _CALM_HASTE)
    energy = _sums(i, by_i, j, by_j, count)
    by_i *= square
    by_j *= square
    stiffness = _sums(i, by_i, j, by_j, count) / radii**3
    wish = np.empty((count, 3))
    for axis, apart in enumerate(near.apart):
        apart *= h
        np.subtract(np.bincount(i, apart, count), np.bincount(j, apart, count), out=wish[:, axis])
    wish *= own[:, None]
    return Repulsion(wish, energy, stiffness)


@dataclass(frozen=True, eq=False)
class _Near:
    """Pairs within reach: floaters first and second (m,), how far they are apart by each axis and squared,
    -1 / (2 sigma^2) of both, and alpha times what they feel of each other (m,).
    """

    first: Ints
    second: Ints
    apart: list[Floats]
    square: Floats
    fall_first: Floats
    fall_second: Floats
    scale: Floats


def _near(positions: Floats, fall: Floats, pairs: Pairs, amplitude: float) -> _Near:
    """Return the pairs that are within reach of each other; others are in the list, too."""
    i, j = pairs.first, pairs.second
    fall_i, fall_j = fall.take(i), fall.take(j)
    apart, square = [], np.zeros(len(i))
    for axis in np.ascontiguousarray(positions.T):
        way = axis.take(i)
        way -= axis.take(j)
        square += way * way
        apart.append(way)
    near = np.flatnonzero(square * np.maximum(fall_i, fall_j) > -0.5 * REACH * REACH)
    scale = pairs.weight.take(near)
    scale *= amplitude
    return _Near(
        i.take(near),
        j.take(near),
        [way.take(near) for way in apart],
        square.take(near),
        fall_i.take(near),
        fall_j.take(near),
        scale,
    )


def _mean_falls(radii: Floats, i: Ints, j: Ints) -> Floats | float:
    """Return -1 / (2 u^2) of each pair (m,), u^2 the mean of both; one for all where radii are the same."""
    square = radii * radii
    if float(np.ptp(square)) == 0.0:
        return -0.5 / float(square[0])
    sums = square.take(i)
    sums += square.take(j)
    return np.asarray(np.divide(-1.0, sums, out=sums))


def _sums(i: Ints, by_i: Floats, j: Ints, by_j: Floats, count: int) -> Floats:
    """Return what all pairs give to their first and to their second floaters (count,)."""
    sums = np.bincount(i, by_i, count)
    sums += np.bincount(j, by_j, count)
    return np.asarray(sums, dtype=np.float64)


def _energies(square: Floats, fall: Floats | float, scale: Floats) -> Floats:
    """Return E (m,) at squared distances (m,), for one side's falls (m,)."""
    energy = square * fall
    np.exp(energy, out=energy)
    energy *= scale
    return energy


def fitted(radii: Floats, felt: Repulsion, goal: float, rate: float, beta: float, greatest: Floats) -> Floats:
    """Return the radii (r,) after a time; `rate` is rho times it (equations 10 and 12).

    beta in 1 / scene unit.  A radius never falls to less than a fifth in a step, nor rises above `greatest`
    (r,).
    """
    change = -HASTE * rate * (felt.energy - goal) / (felt.stiffness + beta)
    return np.asarray(np.minimum(np.maximum(radii + change, 0.2 * radii), greatest))


def common_radii(radii: Floats, desired: Floats) -> Floats:
    """Return the radii (r,) that forces are made with: once settled, all in one ratio to the desired (r,)."""
    ratio = radii / desired
    mean = float(ratio.mean())
    if not mean < _SETTLED:
        return radii
    beyond = ratio - mean
    return np.asarray(desired * (mean + beyond - np.clip(beyond, -_MARGIN, _MARGIN)))
