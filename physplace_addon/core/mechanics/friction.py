"""Friction of Coulomb's kind at contacts (Snyder 1995, section 5.2, there by least squares of least norm).

A contact i holds with a force F_i (3,) in the cone of its normal n_i: |F - (F . n) n| <= mu F . n.  Its map
G_i (d, 3) takes the force to the wrench it exerts: on one body G_i = (1, [r_i]x), with the arm r_i / R; on m
bodies that touch each other the wrenches are stacked, d = 6 m, and a contact between two of them pushes both.

The least coefficient.  Contacts with mu do not hold w if some motion r goes with it, w . r > 0, and moves
each contact, by s_i = G_i' r, at least as steeply apart as friction drags: s_n >= mu |s_t|.  So the least
coefficient is the largest that a motion affords,

    mu* = sup over r, w . r > 0, of min_i s_n,i / |s_t,i|,

a fractional programme.  For a trial mu and weights c_i the widest margin h, s_n - mu |s_t| >= c h with |r| =
1 and w . r >= 0, is the distance of 0 from {b w + sum G F: b >= 0, F in the cones, sum c F_n = 1}, and that
is least squares over the cones again, with the row c F_n and the target 1 more; its residual is along r.
While h > 0 the contacts do not hold w, and the ratio that r attains is a bound of mu* from below.  dh/dmu is
-sum F_n |s_t|, so Newton's step gives the next trial; c = |s_t| of the motion before makes h nearly straight
(these are Dinkelbach's weights: Crouzeix, Ferland and Schaible 1985).  Where h = 0, mu is a bound from above:
if b > 0 the contacts hold w with F / b; if b = 0 they squeeze one another by themselves.  These stick at any
larger mu, s = 0, and the search goes on among the motions that are left.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ..arrays import Bools, Floats
from ..optimization.friction_cones import FrictionCones, least_squares
from ..vectors import dot

LIMIT = 1e4  # largest coefficient that is looked for: no pair of materials has it
_ACCURACY = 1e-5  # relative error of the coefficient that is returned
_LEAST = 1e-9  # the coefficient that is returned where any friction at all holds
_NO_MARGIN = 1e-7  # margin h, over the coefficient, that counts as zero
_ROUNDING = 1e-12  # margin h that counts as zero at any coefficient
_NO_RESIDUAL = 1e-7  # of a wrench or a map of size 1 that counts as zero
_NEAR = 1e-3  # rise over the coefficient below which a trial goes past the goal, to bound it from above
_SLOWLY = 0.5  # least part of a weight that is kept from one trial to the next
_SQUEEZES = 1e-3  # force, over the largest, of a contact that takes part in squeezing
_ROUNDS = 100  # trials for each contact, as each may be left out once


def coulomb_balance(
    wrench: Floats, maps: Floats, normals: Floats, mu: float | Floats
) -> tuple[Floats, Floats]:
    """Return contact forces F (k, 3) in their Coulomb cones and the residual wrench w + sum G F (d,), the
    least that such forces can leave: zero if friction holds.

    Source: Snyder 1995, section 5.2.  The residual is unique, the forces need not be.

    Args:
        wrench: w (d,).
        maps: G (k, d, 3), of contact forces to wrenches.
        normals: n (k, 3), unit.
        mu: the coefficient of friction, one for all contacts or (k,).
    """
    return least_squares(wrench, FrictionCones(maps, normals, mu))


class Braced(NamedTuple):
    """Contact forces F (k, 3), those of limits (n,) and of brakes (b,), and the residual wrench (d,)."""

    forces: Floats
    pushing: Floats
    braking: Floats
    residual: Floats


def balance_with_brakes(
    wrench: Floats,
    maps: Floats,
    normals: Floats,
    mu: float | Floats,
    limits: Floats,
    brakes: Floats,
    greatest: Floats,
) -> Braced:
    """Return the balance of `coulomb_balance` with limits that push, l >= 0, and brakes, |t| <= greatest.

    A limit is a contact without friction, a brake two of opposite sign.  A brake that would have to hold with
    more than it can gives all that it can, as long as that helps.

    Args:
        wrench: w (d,).
        maps: G (k, d, 3).
        normals: n (k, 3), unit.
        mu: the coefficient of friction, one for all contacts or (k,).
        limits: L (n, d): their wrenches are L' l.
        brakes: S (b, d): their wrenches are S' t.
        greatest: (b,).
    """
    count, held, braking = len(limits), np.ones(len(brakes), bool), np.zeros(len(brakes))
    while True:
        given = wrench + brakes[~held].T @ braking[~held] if len(brakes) else wrench
        rows = np.concatenate([limits, brakes[held], -brakes[held]])
        if len(rows) == 0:
            forces, residual = coulomb_balance(given, maps, normals, mu)
            return Braced(forces, np.zeros(0), braking, residual)
        along = np.zeros((len(rows), len(wrench), 3))
        along[:, :, 2] = rows
        up, smooth = np.tile([0.0, 0.0, 1.0], (len(rows), 1)), np.zeros(len(rows))
        coefficients = np.concatenate([np.broadcast_to(np.asarray(mu, np.float64), (len(normals),)), smooth])
        every = np.concatenate([maps, along]), np.concatenate([normals, up])
        forces, residual = coulomb_balance(given, *every, coefficients)
        pushes = forces[len(normals) :, 2]
        both = pushes[count:].reshape(2, -1)
        braking[held] = both[0] - both[1]
        over = held & (np.abs(braking) > greatest)
        if not over.any():
            return Braced(forces[: len(normals)], pushes[:count], braking, residual)
        braking[over] = np.clip(braking, -greatest, greatest)[over]
        held &= ~over


def friction_wrench(wrench: Floats, maps: Floats, normals: Floats, mu: float | Floats) -> Floats:
    """Return the wrench (d,) of friction alone, the parts of the balancing forces across the normals: what
    alpha of it adds to the residual makes the blend (1 - alpha) F_r + alpha F_f of section 5.2.
    """
    cones = FrictionCones(maps, normals, mu)
    _, across, _ = cones.split(least_squares(wrench, cones)[0])
    return cones.residual(np.zeros_like(wrench), across)


def required_friction(wrench: Floats, maps: Floats, normals: Floats) -> float:
    """Return the least Coulomb coefficient with which contacts hold the wrench, to 1e-5 of itself; 0 if they
    do without friction, inf if they do not below 1e4.

    Args:
        wrench: w (d,).
        maps: G (k, d, 3), of contact forces to wrenches.
        normals: n (k, 3), unit.
    """
    size = float(np.sqrt(wrench @ wrench))
    _, residual = coulomb_balance(wrench, maps, normals, 0.0)
    if float(np.sqrt(residual @ residual)) <= _LEAST * size:
        return 0.0
    if len(normals) == 0:
        return float("inf")
    search = _Search(wrench / size, maps, normals)
    for _ in range(_ROUNDS * len(normals)):
        found = search.advance()
        if found is not None:
            return found
    return float("inf")


class _Search:
    """The search for the least coefficient, between a floor and a ceiling, among the motions left."""

    def __init__(self, wrench: Floats, maps: Floats, normals: Floats) -> None:
        self._wrench, self._maps, self._normals = wrench, maps, normals
        self._weights: Floats = np.ones(len(normals))
        self._floor, self._trial, self._ceiling = 0.0, 0.0, np.inf

    def advance(self) -> float | None:
        """Make a trial; return the least coefficient once it is known."""
        motion, forces, push = self._widest()
        margin = float(np.sqrt(motion @ motion))
        if margin > max(_ROUNDING, _NO_MARGIN * self._trial) and self._trial < self._ceiling:
            self._rise(motion / margin, margin, forces)
            return float("inf") if self._floor >= LIMIT else None
        self._ceiling = self._trial
        if not self._is_narrow:
            self._trial = 0.5 * (self._floor + self._ceiling)
            return None
        if max(margin, _ROUNDING) <= _NO_RESIDUAL * push:
            return self._ceiling
        return self._without(forces > _SQUEEZES * forces.max())

    @property
    def _is_narrow(self) -> bool:
        return self._ceiling - self._floor <= _ACCURACY * self._ceiling

    def _widest(self) -> tuple[Floats, Floats, float]:
        """Return the motion r (d,) of the widest margin, that long, and the forces F_n (k,) and b of it."""
        count, size = len(self._normals), len(self._wrench)
        maps = np.zeros((count + 1, size + 1, 3))
        maps[:count, :size], maps[:count, size] = self._maps, self._weights[:, None] * self._normals
        maps[count, :size, 2] = self._wrench  # one contact more: a push along w, of any size
        normals = np.concatenate([self._normals, [[0.0, 0.0, 1.0]]])
        target = np.zeros(size + 1)
        target[size] = -1.0
        forces, residual = coulomb_balance(target, maps, normals, self._trial)
        return residual[:size], dot(forces[:count], self._normals), float(forces[count, 2])

    def _rise(self, motion: Floats, margin: float, forces: Floats) -> None:
        """Raise the floor to what a motion (d,) proves, and choose the next trial."""
        cones = FrictionCones(self._maps, self._normals, self._trial)
        apart, _, speed = cones.split(cones.slip(motion))
        ratio = np.divide(apart, speed, out=np.full_like(apart, np.inf), where=speed > 0.0).min()
        self._floor = max(self._trial, float(ratio))
        rate = float(forces @ speed)
        goal = self._trial + margin / rate if rate * LIMIT > margin else LIMIT
        if goal - self._trial < _NEAR * goal:
            goal = max(goal, self._floor) * (1.0 + 0.25 * _ACCURACY)
        goal = min(max(goal, self._floor), LIMIT)
        if goal >= self._ceiling:
            goal = self._ceiling if self._is_narrow else 0.5 * (self._floor + self._ceiling)
        self._trial = goal
        self._weights = np.maximum(speed, _SLOWLY * self._weights)

    def _without(self, squeezing: Bools) -> float | None:
        """Go on among the motions in which some contacts stick; return the ceiling if none is left for w."""
        fixed = self._maps[squeezing].transpose(1, 0, 2).reshape(len(self._wrench), -1)
        vectors, values, _ = np.linalg.svd(fixed)
        free = vectors[:, int((values > _NO_RESIDUAL).sum()) :].T
        left, maps = free @ self._wrench, free @ self._maps
        size = float(np.sqrt(left @ left))
        if size < _NO_RESIDUAL:
            return max(self._ceiling, _LEAST)
        moving = ~squeezing & (np.abs(maps).max(axis=(1, 2), initial=0.0) > _NO_RESIDUAL)
        if not moving.any():
            return float("inf")
        self._wrench, self._maps, self._normals = left / size, maps[moving], self._normals[moving]
        self._weights = np.ones(len(self._normals))
        self._floor, self._ceiling = self._ceiling, np.inf
        return None
