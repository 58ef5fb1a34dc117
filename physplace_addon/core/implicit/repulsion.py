"""What drives floaters apart and fits their radii (Witkin and Heckbert 1994, section 4.3).

The energy of floater i due to j is E_ij = alpha exp(-|r_ij|^2 / (2 sigma_i^2)), r_ij = p_i - p_j.  With
equation 9 corrected (both terms push apart) the desired velocity is

    P_i = sum_j r_ij E_ij + (sigma_i / sigma_j)^2 r_ij E_ji = sigma_i^2 sum_j r_ij h_ij,
    h_ij = E_ij / sigma_i^2 + E_ji / sigma_j^2,

and h is symmetric: each pair is met once.  The radius grows or shrinks until D_i = sum_j E_ij is the desired
energy (equations 10, 12 and 13; the sums leave out j = i):

    sigma_i' = -rho (D_i - E_hat) / (beta + sum_j |r_ij|^2 E_ij / sigma_i^3).

Beyond four radii E is nothing beside alpha; there it ends.  It fades, too, where two floaters look away from each
other: those on the two faces of a thin sheet share no land.

Radii that differ make spacings that differ, for ever: a floater that has more room grows to fill it.  So once
radii are about right, the force is made with radii in the same ratio to the desired ones, all of them, and only
what is too large or too small by more than a margin still pushes harder or yields.

Floaters live faster than the paper's, by `HASTE`: P, rho and the speed that counts as rest, gamma, are all
multiplied by it, which is a longer time step for the repulsion alone.  P of settled floaters is greater still;
Euler's step stays stable up to 2.5.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..arrays import Floats, Ints

REACH = 4.0  # radii within which a floater feels others: in an even sampling, the first two rings
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
    """wish (r, 3): P, scene units per unit of time; energy (r,): D; stiffness (r,): D_sigma, 1 / scene unit."""

    wish: Floats
    energy: Floats
    stiffness: Floats


def repulsion(positions: Floats, radii: Floats, force_radii: Floats, pairs: Pairs, amplitude: float) -> Repulsion:
    """Return what floaters at positions (r, 3) feel, their energies by `radii` (r,), forces by `force_radii`."""
    count, i, j = len(positions), pairs.first, pairs.second
    apart = [axis.take(i) - axis.take(j) for axis in np.ascontiguousarray(positions.T)]
    square = apart[0] * apart[0] + apart[1] * apart[1] + apart[2] * apart[2]
    scale = amplitude * pairs.weight
    by_i, by_j = (_energies(square, radii.take(end), scale) for end in (i, j))
    energy = np.bincount(i, by_i, count) + np.bincount(j, by_j, count)
    stiffness = (np.bincount(i, by_i * square, count) + np.bincount(j, by_j * square, count)) / radii**3
    u_square = force_radii * force_radii
    if force_radii is not radii:
        by_i, by_j = (_energies(square, force_radii.take(end), scale) for end in (i, j))
    h = by_i / u_square.take(i) + by_j / u_square.take(j)
    wish = np.empty((count, 3))
    for axis in range(3):
        push = h * apart[axis]
        wish[:, axis] = np.bincount(i, push, count) - np.bincount(j, push, count)
    wish *= ((HASTE if force_radii is radii else _CALM_HASTE) * u_square)[:, None]
    return Repulsion(wish, energy, stiffness)


def _energies(square: Floats, radius: Floats, scale: Floats) -> Floats:
    """Return E (m,) by squared distances (m,), for one side's radii (m,)."""
    ratio = square / (radius * radius)
    energy = np.exp(-0.5 * ratio)
    energy *= scale
    energy *= ratio < REACH * REACH
    return np.asarray(energy)


def fitted(radii: Floats, felt: Repulsion, goal: float, rate: float, beta: float, greatest: Floats) -> Floats:
    """Return the radii (r,) after a time; `rate` is rho times it (equations 10 and 12).

    beta in 1 / scene unit.  A radius never falls to less than a fifth in a step, nor rises above `greatest` (r,).
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
