"""The repulsion of floaters, and how their radii adapt (Witkin and Heckbert 1994, section 4.3).

The energy of floater i due to j is E_ij = alpha exp(-|r_ij|^2 / (2 sigma_i^2)), r_ij = p_i - p_j. With
equation 9 corrected (both terms push apart) the desired velocity is

    P_i = sum_j r_ij E_ij + (sigma_i / sigma_j)^2 r_ij E_ji = sigma_i^2 sum_j r_ij h_ij,
    h_ij = E_ij / sigma_i^2 + E_ji / sigma_j^2,

and h is symmetric, so each pair is evaluated once. The radius changes until D_i = sum_j E_ij is the desired
energy E_hat (equations 10, 12 and 13; the sums leave out j = i):

    sigma_i' = -rho (D_i - E_hat) / (beta + sum_j |r_ij|^2 E_ij / sigma_i^3).

What differs from the paper:

- Beyond 3.6 radii, of the larger one, E is less than 0.2 % of alpha and is taken as 0. It also fades where
  two floaters look away from each other: those on the two faces of a thin sheet share no area. Across a
  groove r_ij is taken with its sides unfolded (`floater_pairs`).
- Radii that differ make spacings that differ, for ever: a floater that has more room grows to fill it. So
  once radii are about right, the force is computed with radii in one ratio to the desired ones; only what is
  too large or too small by more than a margin still pushes harder or yields.
- Where the desired radii differ, the paper's force does not rest in a spacing that follows them: the same
  energies on less area are a greater pressure, which drives floaters from fine to coarse for ever. Energies
  u^2 exp(-|r|^2 / (2 u^2)), u^2 the mean of both sigma^2, press evenly. So the force of settled floaters is 2
  r_ij alpha exp(-|r_ij|^2 / (2 u^2)); for equal radii that is the paper's.
- P, rho and the equilibrium speed gamma are multiplied by `SPEEDUP`, which is a longer time step for the
  repulsion alone. P of settled floaters is greater still; Euler's step stays stable up to a factor of 2.5.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from ...arrays import Floats, Ints, Scratch
from .floater_pairs import FloaterPairs, Neighbours, unfolded

REACH = 3.6  # radii within which floaters repel each other: in an even sampling, the first two rings
SPEEDUP = 1.5  # factor on P, rho and gamma, see above
SETTLED = 1.2  # mean ratio of radii to the desired ones below which the force is computed with common radii
_MARGIN = 0.2  # deviation from that mean ratio which the force ignores
_SETTLED_SPEEDUP = 2.0  # factor on P of settled floaters
_LEAST_LEFT, _MOST_GROWTH = 0.2, 4.0  # factors by which a radius shrinks or grows in a step at most


@dataclass(frozen=True, eq=False)
class Repulsion:
    """The repulsion of r floaters by their neighbours.

    Attributes:
        desired_velocity: P (r, 3) times its speed-up, scene units per time.
        energy: D (r,), without unit.
        stiffness: D_sigma (r,), 1 / scene unit (equation 13).
    """

    desired_velocity: Floats
    energy: Floats
    stiffness: Floats

    @classmethod
    def join(cls, parts: Sequence[Repulsion]) -> Repulsion:
        """Return that of several groups of floaters, one after the other."""
        velocity = np.concatenate([part.desired_velocity.T for part in parts], axis=1).T
        energy, stiffness = (
            np.concatenate(own)
            for own in zip(*((part.energy, part.stiffness) for part in parts), strict=True)
        )
        return cls(velocity, energy, stiffness)


def repulsion(
    positions: Floats,
    radii: Floats,
    force_radii: Floats,
    pairs: FloaterPairs,
    amplitude: float,
    scratch: Scratch | None = None,
    normals: Floats | None = None,
) -> Repulsion:
    """Return the desired velocities and the energies of r floaters (equations 9 and 13).

    Args:
        positions: p (r, 3), in scene units.
        radii: sigma (r,), of which energies are made, in scene units.
        force_radii: the radii (r,) of which forces are made; the same array as `radii` for the paper's force.
        pairs: all pairs within reach, others may be among them.
        amplitude: alpha, without unit.
        scratch: memory that is used again in the next step.
        normals: the unit normals (r, 3), for pairs across grooves; without them these are left out.
    """
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
        _energies(ForceFalls.of(force_radii).exponents(near.square, i, j, out=h), near.weight, h)
        own = np.array(2.0 * _SETTLED_SPEEDUP)
    energy = _sums(i, by_i, j, by_j, count)
    by_i *= near.exponents[0]
    by_j *= near.exponents[1]
    steepness = _sums(i, by_i, j, by_j, count)
    desired_velocity = np.empty((3, count))
    for axis, apart in zip(desired_velocity, near.apart, strict=True):
        apart *= h
        np.subtract(np.bincount(i, apart, count), np.bincount(j, apart, count), out=axis)
    if pairs.folded is not None and normals is not None:
        velocity, more, steeper = _across_grooves(positions, normals, radii, force_radii, pairs.folded)
        desired_velocity += velocity
        energy += more
        steepness += steeper
    desired_velocity *= amplitude * own
    return Repulsion(desired_velocity.T, amplitude * energy, (-2.0 * amplitude / radii) * steepness)


def _across_grooves(
    positions: Floats, normals: Floats, radii: Floats, force_radii: Floats, pairs: FloaterPairs
) -> tuple[Floats, Floats, Floats]:
    """Return what pairs across grooves add to the sums of `repulsion`, for alpha = 1: to the velocities by
    coordinates (3, r), to the energies (r,) and to their steepness (r,).
    """
    count = len(radii)
    velocity, energy, steepness = np.zeros((3, count)), np.zeros(count), np.zeros(count)
    for i, j in ((pairs.first, pairs.second), (pairs.second, pairs.first)):
        apart = unfolded((positions[i] - positions[j]).T, normals[i].T, normals[j].T)
        square = np.add.reduce(apart * apart, axis=0)
        by_i, by_j = (-0.5 * square / radii[k] ** 2 for k in (i, j))
        weight = np.where(np.maximum(by_i, by_j) > -0.5 * REACH * REACH, pairs.weight, 0.0)
        steepness += np.bincount(i, weight * by_i * np.exp(by_i), count)
        by_i, by_j = weight * np.exp(by_i), weight * np.exp(by_j)
        if force_radii is radii:
            h = -0.5 * (by_i / radii[i] ** 2 + by_j / radii[j] ** 2)
        else:
            h = weight * np.exp(-square / (force_radii[i] ** 2 + force_radii[j] ** 2))
        for axis, way in zip(velocity, apart, strict=True):
            axis += np.bincount(i, way * h, count)
        energy += np.bincount(i, by_i, count)
    return velocity, energy, steepness


class ForceFalls(NamedTuple):
    """How the forces of settled floaters fall with the distance: by exp(-|r_ij|^2 / (2 u^2)), u^2 the mean of
    both sigma^2.

    Attributes:
        squares: minus the squares (r,) of the radii of which forces are made.
        common: -1 / (2 u^2), where all of them are the same; None where they are not.
    """

    squares: Floats
    common: float | None

    @classmethod
    def of(cls, radii: Floats) -> ForceFalls:
        """Return those of radii (r,) of which forces are made."""
        squares = -radii * radii
        least = float(np.minimum.reduce(squares))
        return cls(squares, 0.5 / least if least == np.maximum.reduce(squares) else None)

    def exponents(self, square: Floats, i: Ints, j: Ints, out: Floats) -> Floats:
        """Write -|r_ij|^2 / (2 u^2) of pairs (m,), or of neighbours i (k, m) of floaters j (m,), and return
        it.

        Args:
            square: |r_ij|^2.
            i: the numbers of one of them; too great a number means nobody.
            j: those of the other (m,).
            out: memory of the shape of the squares, which are not in it.
        """
        if self.common is not None:
            return np.multiply(square, self.common, out=out)
        self.squares.take(i, out=out, mode="clip")
        out += self.squares.take(j)
        return np.divide(square, out, out=out)


def repulsion_by_neighbours(
    seen: Neighbours, own: Floats, falls: ForceFalls, rows: Ints, amplitude: float
) -> Repulsion:
    """Return the desired velocities and the energies of m settled floaters, each by its own neighbours.

    Args:
        seen: their neighbours, of which farther ones are left out; `apart` is overwritten.
        own: their radii sigma (m,), of which energies are made, in scene units.
        falls: how the forces of all floaters fall.
        rows: the numbers of the m floaters (m,).
        amplitude: alpha, without unit.
    """
    exponents = seen.square * (-0.5 / (own * own))
    by_own = np.exp(exponents)
    h = falls.exponents(seen.square, seen.numbers, rows, out=np.empty_like(by_own))
    np.exp(h, out=h)
    if seen.weight is not None:
        by_own *= seen.weight
        h *= seen.weight
    energy = np.add.reduce(by_own, axis=0)
    by_own *= exponents
    velocity = np.add.reduce(np.multiply(seen.apart, h, out=seen.apart), axis=1)
    velocity *= 2.0 * _SETTLED_SPEEDUP * amplitude
    energy *= amplitude
    return Repulsion(velocity.T, energy, (-2.0 * amplitude / own) * np.add.reduce(by_own, axis=0))


class _Near(NamedTuple):
    """Pairs within reach, each an array over m of them.

    Attributes:
        first: the number of one floater (m,).
        second: the number of the other (m,).
        apart: p_i - p_j by coordinates (3, m).
        square: |r_ij|^2 (m,).
        exponents: those of E_ij and E_ji (2, m).
        weight: the factor (m,) on their repulsion, from 0 to 1.
    """

    first: Ints
    second: Ints
    apart: Floats
    square: Floats
    exponents: Floats
    weight: Floats


def _near(positions: Floats, fall: Floats, pairs: FloaterPairs, scratch: Scratch) -> _Near:
    """Return the pairs that are within reach of each other; `fall` (r,) is -1 / (2 sigma^2)."""
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
    """Write E (m,) for alpha = 1 from the exponents and weights."""
    np.exp(exponents, out=out)
    out *= weight


def _sums(i: Ints, by_i: Floats, j: Ints, by_j: Floats, count: int) -> Floats:
    """Return the sums (count,) over all pairs of what they give to their first and to their
    second floaters.
    """
    sums = np.bincount(i, by_i, count)
    sums += np.bincount(j, by_j, count)
    return np.asarray(sums, dtype=np.float64)


def adapted_radii(
    radii: Floats, felt: Repulsion, goal: float, rate: float, beta: float, greatest: Floats
) -> Floats:
    """Return the radii (r,), in scene units, after a step (equations 10 and 12).

    A radius never falls to less than a fifth in a step, nor rises to more than four times itself. Without
    that bound a floater without neighbours for one step, beside a tear, would grow to the size of the surface
    and have all others as its neighbours.

    Args:
        radii: sigma (r,).
        felt: the energies D and D_sigma.
        goal: E_hat.
        rate: rho dt.
        beta: 1 / scene unit.
        greatest: sigma_max (r,).
    """
    change = -SPEEDUP * rate * (felt.energy - goal) / (felt.stiffness + beta)
    most = np.minimum(_MOST_GROWTH * radii, greatest)
    return np.asarray(np.minimum(np.maximum(radii + change, _LEAST_LEFT * radii), most))


def settled_radii(radii: Floats, desired: Floats) -> Floats:
    """Return the radii (r,) of which forces are made.

    These are the floaters' own until their mean ratio to the desired radii (r,) falls below a bound; from
    then on they are in one ratio to the desired ones, but for deviations larger than a margin.
    """
    ratio = radii / desired
    mean = float(np.add.reduce(ratio)) / len(ratio)
    if not mean < SETTLED:
        return radii
    beyond = ratio - mean
    beyond -= np.minimum(np.maximum(beyond, -_MARGIN), _MARGIN)
    return np.asarray(desired * (mean + beyond))
