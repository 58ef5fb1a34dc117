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
is least squares over the cones again, with the row c F_n and the target 1 more; its residual is along r.  The
ratio that r attains is the next mu, and c = |s_t| then makes the sequence converge faster than linearly
(Crouzeix, Ferland and Schaible 1985).  It rises and never passes mu*.  At its end the margin is 0, and either
the contacts hold w a little above, which is tried; or contacts squeeze one another by themselves, b = 0: they
stick at any larger mu, s = 0, and the search goes on among the motions that are left.
"""

from __future__ import annotations

import numpy as np

from ..arrays import Bools, Floats
from .friction_cones import Cones, least_squares

LIMIT = 1e4  # a coefficient that no pair of materials has
_NO_RESIDUAL = 1e-9
_ACCURACY = 1e-5
_NEAR = 1e-3  # a rise of the bound, over it, after which it may be close enough
_LEAST = 1e-9  # what is reported as needed where any friction at all holds
_NO_MARGIN = 1e-10
_ROUNDS = 100
_SLOWLY = 0.5  # the least that is left of a weight from one trial to the next
_SQUEEZES = 1e-3  # of the largest force


def coulomb_balance(wrench: Floats, maps: Floats, normals: Floats, mu: float) -> tuple[Floats, Floats]:
    """Return contact forces F (k, 3) in their Coulomb cones and the residual wrench w + sum G F (d,), the
    least that such forces can leave: zero if friction holds.

    wrench w (d,); maps G (k, d, 3); normals n (k, 3), unit.  The residual is unique, the forces need not be.
    """
    return least_squares(wrench, Cones(maps, normals, mu))


def friction_wrench(wrench: Floats, maps: Floats, normals: Floats, mu: float) -> Floats:
    """Return the wrench (d,) of friction alone, the parts of the balancing forces across the normals: what
    alpha of it adds to the residual makes the blend (1 - alpha) F_r + alpha F_f of section 5.2.
    """
    cones = Cones(maps, normals, mu)
    _, across, _ = cones.split(least_squares(wrench, cones)[0])
    return cones.residual(np.zeros_like(wrench), across)


def required_friction(wrench: Floats, maps: Floats, normals: Floats) -> float:
    """Return the least Coulomb coefficient with which contacts hold the wrench, to 1e-5 of itself; 0 if they
    do without friction, inf if they do not below 1e4.

    wrench (d,); maps G (k, d, 3); normals n (k, 3), unit.
    """
    if len(normals) == 0:
        return float("inf")
    search = _Search(wrench / float(np.sqrt(wrench @ wrench)), maps, normals)
    if search.holds(0.0):
        return 0.0
    for _ in range(_ROUNDS):
        found = search.advance()
        if found is not None:
            return found
    return float("inf")


class _Search:
    """The search for the least coefficient: mu, a bound from below, and the motions and contacts left."""

    def __init__(self, wrench: Floats, maps: Floats, normals: Floats) -> None:
        self._wrench, self._maps, self._normals = wrench, maps, normals
        self._mu = 0.0
        self._weights: Floats = np.ones(len(normals))

    def holds(self, mu: float) -> bool:
        """Whether the contacts left hold what is left of the wrench."""
        _, residual = coulomb_balance(self._wrench, self._maps, self._normals, mu)
        return float(np.sqrt(residual @ residual)) < _NO_RESIDUAL

    def advance(self) -> float | None:
        """Raise the bound; return the least coefficient once it is known."""
        motion, forces = self._widest()
        margin = float(np.sqrt(motion @ motion))
        ratio, speed = self._ratio(motion / margin) if margin > 0.0 else (0.0, self._weights)
        if ratio > LIMIT:
            return float("inf")
        ended = margin < _NO_MARGIN or ratio <= self._mu
        close = ended or ratio - self._mu < _NEAR * ratio
        self._mu = max(self._mu, 0.0 if ended else ratio)
        above = (1.0 + 0.5 * _ACCURACY) * self._mu + _LEAST
        if close and self.holds(above):
            return above
        if ended:
            return self._without(forces > _SQUEEZES * forces.max(), above)
        self._weights = np.maximum(speed, _SLOWLY * self._weights)
        return None

    def _widest(self) -> tuple[Floats, Floats]:
        """Return the motion r (d,) of the widest margin, that long, and the forces F_n (k,) that bound it."""
        count, size = len(self._normals), len(self._wrench)
        maps = np.zeros((count + 1, size + 1, 3))
        maps[:count, :size], maps[:count, size] = self._maps, self._weights[:, None] * self._normals
        maps[count, :size, 2] = self._wrench  # one contact more: a push along w, of any size
        normals = np.concatenate([self._normals, [[0.0, 0.0, 1.0]]])
        target = np.zeros(size + 1)
        target[size] = -1.0
        forces, residual = coulomb_balance(target, maps, normals, self._mu)
        return residual[:size], (forces[:count] * self._normals).sum(axis=1)

    def _ratio(self, motion: Floats) -> tuple[float, Floats]:
        """Return the least s_n / |s_t| of the contacts for a motion (d,), and |s_t| (k,)."""
        cones = Cones(self._maps, self._normals, self._mu)
        apart, _, speed = cones.split(cones.slip(motion))
        steep = np.divide(apart, speed, out=np.full_like(apart, np.inf), where=speed > 0.0)
        return float(steep.min()), speed

    def _without(self, squeezing: Bools, above: float) -> float | None:
        """Go on among the motions in which some contacts stick; return `above` if none is left for w."""
        fixed = self._maps[squeezing].transpose(1, 0, 2).reshape(len(self._wrench), -1)
        vectors, values, _ = np.linalg.svd(fixed)
        free = vectors[:, int((values > _NO_RESIDUAL * values[0]).sum()) :].T
        left = free @ self._wrench
        if float(np.sqrt(left @ left)) < _NO_RESIDUAL:
            return above
        if squeezing.all():
            return float("inf")
        self._wrench, self._maps = left / float(np.sqrt(left @ left)), free @ self._maps[~squeezing]
        self._normals, self._weights = self._normals[~squeezing], np.ones(int((~squeezing).sum()))
        return None
