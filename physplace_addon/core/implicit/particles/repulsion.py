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
from typing import NamedTuple

import numpy as np

from ...arrays import Floats, Ints, Scratch

REACH = 3.6  # radii within which a floater feels others: in an even sampling, the first two rings
SPEEDUP = 1.5
_SETTLED = 1.2  # mean ratio of radii to the desired ones, below which all take the same
_MARGIN = 0.2
_CALM_HASTE = 2.0
_LEAST_LEFT, _MOST_GROWTH = 0.2, 4.0  # of a radius, in a step


@dataclass(frozen=True, eq=False)
class FloaterPairs:
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
    positions: Floats,
    radii: Floats,
    force_radii: Floats,
    pairs: FloaterPairs,
    amplitude: float,
    scratch: Scratch | None = None,
) -> Repulsion:
    """Return what floaters at positions (r, 3) feel: energies by radii (r,), forces by force_radii (r,)."""
    scratch = Scratch() if scratch is None else scratch
    count, fall = len(radii), -0.5 / (radii * radii)
    near = _near(positions, fall, pairs, scratch)
    i, j = near.first, near.second
    by_i, by_j, h = scratch.floats("energies", 3, len(i))
    _energies(near.exponents[0], near.weight, by_i)
    _energies(near.exponents[1], near.weight, by_j)
    if force_radii is radii:
        np.add(by_i * fall.take(i), by_j * fall.take(j), out=h)
        own = -2.0 * SPEEDUP * radii * radii
    else:
        _energies(np.multiply(near.square, _mean_falls(force_radii, i, j), out=h), near.weight, h)
        own = np.array(2.0 * _CALM_HASTE)
    energy = _sums(i, by_i, j, by_j, count)
    by_i *= near.exponents[0]
    by_j *= near.exponents[1]
    steepness = _sums(i, by_i, j, by_j, count)
    wish = np.empty((3, count))
    for axis, apart in zip(wish, near.apart, strict=True):
        apart *= h
        np.subtract(np.bincount(i, apart, count), np.bincount(j, apart, count), out=axis)
    wish *= amplitude * own
    return Repulsion(wish.T, amplitude * energy, (-2.0 * amplitude / radii) * steepness)


class _Near(NamedTuple):
    """Pairs within reach: floaters first and second (m,), how far apart by each axis (3, m) and squared (m,),
    the exponents of E_ij and E_ji (2, m), and how much they feel of each other (m,).
    """

    first: Ints
    second: Ints
    apart: Floats
    square: Floats
    exponents: Floats
    weight: Floats


def _near(positions: Floats, fall: Floats, pairs: FloaterPairs, scratch: Scratch) -> _Near:
    """Return the pairs that are within reach of each other; fall (r,) is -1 / (2 sigma^2)."""
    i, j, size = pairs.first, pairs.second, len(pairs.first)
    listed = scratch.floats("listed", 7, size)
    apart, exponents, (square, other) = listed[:3], listed[3:5], listed[5:]
    square[:] = 0.0
    for axis, way in zip(np.ascontiguousarray(positions.T), apart, strict=True):
        axis.take(i, out=way, mode="clip")
        way -= axis.take(j, out=other, mode="clip")
        square += np.multiply(way, way, out=other)
    for ends, exponent in zip((i, j), exponents, strict=True):
        fall.take(ends, out=exponent, mode="clip")
        exponent *= square
    near = (np.maximum(exponents[0], exponents[1], out=other) > -0.5 * REACH * REACH).nonzero()[0]

    ends, kept = scratch.ints("ends", 2, len(near)), scratch.floats("near", 7, len(near))
    for values, own in zip((i, j, *listed[:6], pairs.weight), (*ends, *kept), strict=True):
        values.take(near, out=own, mode="clip")
    return _Near(ends[0], ends[1], kept[:3], kept[5], kept[3:5], kept[6])


def _energies(exponents: Floats, weight: Floats, out: Floats) -> None:
    """Write E (m,) for an alpha of 1."""
    np.exp(exponents, out=out)
    out *= weight


def _sums(i: Ints, by_i: Floats, j: Ints, by_j: Floats, count: int) -> Floats:
    """Return what all pairs give to their first and to their second floaters (count,)."""
    sums = np.bincount(i, by_i, count)
    sums += np.bincount(j, by_j, count)
    return np.asarray(sums, dtype=np.float64)


def _mean_falls(radii: Floats, i: Ints, j: Ints) -> Floats | float:
    """Return -1 / (2 u^2) of each pair (m,), u^2 the mean of both; one for all where radii are the same."""
    square = radii * radii
    if square.min() == square.max():
        return -0.5 / float(square[0])
    sums = square.take(i)
    sums += square.take(j)
    return np.asarray(np.divide(-1.0, sums, out=sums))


def adapted_radii(
    radii: Floats, felt: Repulsion, goal: float, rate: float, beta: float, greatest: Floats
) -> Floats:
    """Return the radii (r,) after a time; `rate` is rho times it (equations 10 and 12).

    beta in 1 / scene unit.  A radius never falls to less than a fifth in a step, nor rises to more than four
    times itself, or above `greatest` (r,): who feels nobody for a step, beside a tear, would grow to the size
    of the surface, and have all others as its neighbours.
    """
    change = -SPEEDUP * rate * (felt.energy - goal) / (felt.stiffness + beta)
    most = np.minimum(_MOST_GROWTH * radii, greatest)
    return np.asarray(np.minimum(np.maximum(radii + change, _LEAST_LEFT * radii), most))


def settled_radii(radii: Floats, desired: Floats) -> Floats:
    """Return the radii (r,) that forces are made with: once settled, all in one ratio to the desired (r,)."""
    ratio = radii / desired
    mean = float(np.add.reduce(ratio)) / len(ratio)
    if not mean < _SETTLED:
        return radii
    beyond = ratio - mean
    beyond -= np.minimum(np.maximum(beyond, -_MARGIN), _MARGIN)
    return np.asarray(desired * (mean + beyond))
