"""Least squares over Coulomb's cones: min |w + sum G_i F_i|, each F_i in its cone |F_t| <= mu F_n.

F_n and F_t are a vector's parts along the contact's normal n and across it.  With the residual r at the
minimum, s_i = G_i' r is how contact i moves along r.  The forces are optimal if each is the point of its cone
nearest to F - s; which says that a contact is loose, F = 0 and s_n >= mu |s_t|; or slides, F = f e(t), e(t) =
(n + mu t) / sqrt(1 + mu^2), against its slip, t = -s_t / |s_t|, with s_n = mu |s_t|; or sticks, s = 0.  The
distance of F to that point is the error that ends the search.  Two methods take turns:

Rays.  A few rays e(t) of each cone make it a non-negative least-squares problem.  A contact for which s_n <
mu |s_t| is given two rays more: the one that opposes its slip, and that of its own force.  This always gets
nearer, but slowly: t stands halfway between its neighbours, r is in error like t, and halves it each round.

Newton on the faces that the rays have found.  The unknowns are f and the angle of t where a contact slides,
and F where it sticks; J holds the wrenches' derivatives.  As the second derivative of e(t) is along -t, and
s . t = -|s_t|, the Hessian is J'J plus f mu |s_t| / sqrt(1 + mu^2) at each angle, never negative: a step is
linear least squares with one row more for each angle, of least norm where contacts are redundant.  It brings
a residual of the wrench's size to rounding in two to four steps, a small one in up to thirty.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from scipy.linalg import lstsq

from ..arrays import Floats, Ints
from ..vectors import cross, dot
from .non_negative import non_negative_least_squares

_ROUNDS = 40  # in which rays are added: the residual halves in each
_NEAR = 0.5  # tangential force, over mu times the normal one, above which a ray along it is added
_RIGHT = 1e-14  # over the residual: how much less than mu |s_t| a loose contact may open
_STEPS = 30  # of Newton's method: small residuals take that many
_EXACT = 1e-14  # error of the forces, over the largest of them and the wrench
_SAME = 1e-13  # two residuals that differ by less are as good as one another
_SETTLED = 1e-9  # Newton's last step: what is left is its square
_STICKS = 1e-6  # slip, over the residual, of a contact taken to stick
_WORSE = 10.0  # a step over the least before it: the faces were wrong
_LARGEST_TURN = 1.0  # radians; beyond, the faces were wrong


@dataclass(frozen=True, eq=False)
class FrictionCones:
    """The cones of k contacts: maps G (k, d, 3) of forces to wrenches, unit normals n (k, 3), and mu, one for
    all or (k,).
    """

    maps: Floats
    normals: Floats
    mu: float | Floats

    @cached_property
    def coefficients(self) -> Floats:
        """The coefficient of each contact (k,)."""
        return np.broadcast_to(np.asarray(self.mu, dtype=np.float64), (len(self.normals),))

    def residual(self, wrench: Floats, forces: Floats) -> Floats:
        """Return w + sum G F (d,) with forces (k, 3)."""
        sum_: Floats = wrench + np.einsum("kdi,ki->d", self.maps, forces)
        return sum_

    def slip(self, residual: Floats) -> Floats:
        """Return how the contacts move along a residual, s = G' r (k, 3)."""
        slip: Floats = np.einsum("kdi,d->ki", self.maps, residual)
        return slip

    def split(self, vectors: Floats) -> tuple[Floats, Floats, Floats]:
        """Return the parts of vectors (k, 3) along the normals (k,) and across them (k, 3), and the length of
        these (k,).
        """
        along = dot(vectors, self.normals)
        across = vectors - along[:, None] * self.normals
        return along, across, np.sqrt(dot(across, across))

    def ray(self, rows: Ints, across: Floats) -> Floats:
        """Return the unit forces (m, 3) on the cones' boundary above unit tangents (m, 3)."""
        mu = self.coefficients[rows, None]
        edge: Floats = (self.normals[rows] + mu * across) / np.sqrt(1.0 + mu**2)
        return edge

    def nearest(self, forces: Floats) -> Floats:
        """Return the points of the cones nearest to forces (k, 3)."""
        (along, across, length), mu = self.split(forces), self.coefficients
        reach = (along + mu * length) / (1.0 + mu**2)
        across = across / np.where(length > 0.0, length, 1.0)[:, None]
        out = reach[:, None] * (self.normals + mu[:, None] * across)
        inside = length <= mu * along
        out[inside] = forces[inside]
        out[mu * length <= -along] = 0.0
        points: Floats = out
        return points


@dataclass(frozen=True, eq=False)
class _Fit:
    """Forces (k, 3) in their cones, their residual (d,), its length, and how far they are from optimal."""

    forces: Floats
    residual: Floats
    size: float
    error: float

    @classmethod
    def of(cls, wrench: Floats, cones: FrictionCones, forces: Floats) -> _Fit:
        forces = cones.nearest(forces)
        residual = cones.residual(wrench, forces)
        apart = forces - cones.nearest(forces - cones.slip(residual))
        size = float(np.sqrt(residual @ residual))
        return cls(forces, residual, size, float(np.abs(apart).max()))

    @property
    def is_exact(self) -> bool:
        return self.error <= _EXACT * max(1.0, float(np.abs(self.forces).max()))

    def or_better(self, other: _Fit | None) -> _Fit:
        """Return the one that leaves less; where rounding cannot tell, the one nearer to optimal."""
        if other is None or self.size < other.size * (1.0 - _SAME):
            return self
        return self if self.size <= other.size * (1.0 + _SAME) and self.error < other.error else other


def least_squares(wrench: Floats, cones: FrictionCones) -> tuple[Floats, Floats]:
    """Return the forces (k, 3) in the cones that leave the least residual w + sum G F (d,), and that."""
    scale = float(np.sqrt(wrench @ wrench))
    if len(cones.normals) == 0 or scale == 0.0:
        return np.zeros((len(cones.normals), 3)), wrench.copy()
    wrench, rays, before = wrench / scale, _Rays(cones), np.inf
    best = fit = _Fit.of(wrench, cones, rays.fit(wrench))
    for _ in range(_ROUNDS):
        best = fit.or_better(best)
        refined = None if best.is_exact else _newton_on_faces(wrench, cones, fit)
        best = best.or_better(refined)
        if best.is_exact or fit.size > before * (1.0 - _SAME):
            break
        rays.grow(fit, refined or fit)
        before, fit = fit.size, _Fit.of(wrench, cones, rays.fit(wrench))
    return scale * best.forces, scale * best.residual


class _Rays:
    """Rays of the cones: the contact (q,) that each belongs to, its force (q, 3), wrench (d, q) and weight
    (q,).
    """

    def __init__(self, cones: FrictionCones) -> None:
        self._cones = cones
        rows = np.arange(len(cones.normals))
        self._owners: Ints = np.zeros(0, np.intp)
        self._forces: Floats = np.zeros((0, 3))
        self._wrenches: Floats = np.zeros((cones.maps.shape[1], 0))
        self._weights: Floats = np.zeros(0)
        self._add(rows, cones.normals)
        rough = np.flatnonzero(cones.coefficients > 0.0)
        for across in tangents(cones.normals[rough]):
            self._add(rough, cones.ray(rough, across))
            self._add(rough, cones.ray(rough, -across))

    def fit(self, wrench: Floats) -> Floats:
        """Return the best forces (k, 3) that these rays can make."""
        self._weights = non_negative_least_squares(self._wrenches, -wrench, self._weights)
        forces = np.zeros_like(self._cones.normals)
        np.add.at(forces, self._owners, self._weights[:, None] * self._forces)
        return forces

    def grow(self, fit: _Fit, aim: _Fit) -> None:
        """Give the contacts that a fit leaves wrong the rays that oppose their slip, and those near which the
        forces of a better one lie.
        """
        cones = self._cones
        apart, slip, speed = cones.split(cones.slip(fit.residual))
        mu = cones.coefficients
        rows = np.nonzero((mu * speed - apart > _RIGHT * fit.size) & (speed > 0.0))[0]
        self._add(rows, cones.ray(rows, -slip[rows] / speed[rows, None]))
        press, across, length = cones.split(aim.forces)
        rows = rows[length[rows] > _NEAR * mu[rows] * press[rows]]
        self._add(rows, cones.ray(rows, across[rows] / length[rows, None]))

    def _add(self, rows: Ints, forces: Floats) -> None:
        wrenches = np.einsum("kdi,ki->dk", self._cones.maps[rows], forces)
        self._owners = np.append(self._owners, rows)
        self._forces = np.concatenate([self._forces, forces])
        self._wrenches = np.concatenate([self._wrenches, wrenches], axis=1)
        self._weights = np.append(self._weights, np.zeros(len(rows)))


def _newton_on_faces(wrench: Floats, cones: FrictionCones, fit: _Fit) -> _Fit | None:
    """Newton on the faces of a fit; None if they were wrong."""
    faces, least = _Faces(cones, fit), np.inf
    for _ in range(_STEPS):
        step, turn = faces.step(wrench)
        if step < _SETTLED:
            return _Fit.of(wrench, cones, faces.forces())
        least = min(least, step)
        if turn > _LARGEST_TURN or step > _WORSE * least:
            break
    return None


class _Faces:
    """The contacts that stick, with forces F, and those that slide, with f and t: Newton's unknowns."""

    def __init__(self, cones: FrictionCones, fit: _Fit) -> None:
        press, across, length = cones.split(fit.forces)
        slip = cones.slip(fit.residual)
        still = dot(slip, slip) <= _STICKS**2 * (fit.residual @ fit.residual)
        self._cones = cones
        self._stuck: Ints = np.nonzero((press > 0.0) & (still | (length == 0.0)))[0]
        self._sliding: Ints = np.nonzero((press > 0.0) & ~still & (length > 0.0))[0]
        self._held: Floats = fit.forces[self._stuck]
        self._size: Floats = np.sqrt(dot(fit.forces, fit.forces))[self._sliding]
        self._across: Floats = across[self._sliding] / length[self._sliding, None]

    def forces(self) -> Floats:
        """Return all forces (k, 3)."""
        out = np.zeros_like(self._cones.normals)
        out[self._stuck] = self._held
        out[self._sliding] = self._size[:, None] * self._cones.ray(self._sliding, self._across)
        return out

    def step(self, wrench: Floats) -> tuple[float, float]:
        """Take a step; return its size, over that of the forces, and its largest turn, radians."""
        cones, rows = self._cones, self._sliding
        residual = cones.residual(wrench, self.forces())
        mu = cones.coefficients[rows]
        edge = mu / np.sqrt(1.0 + mu**2) * self._size
        beside = cross(cones.normals[rows], self._across)
        stuck = cones.maps[self._stuck].transpose(1, 0, 2).reshape(len(wrench), -1)
        sliding = np.einsum("kdi,ki->dk", cones.maps[rows], cones.ray(rows, self._across))
        turning = np.einsum("kdi,ki->dk", cones.maps[rows], edge[:, None] * beside)
        opposing = -dot(cones.slip(residual)[rows], self._across)
        bend = np.diag(np.sqrt(np.maximum(0.0, edge * opposing)))
        matrix = np.zeros((len(wrench) + len(rows), stuck.shape[1] + 2 * len(rows)))
        matrix[: len(wrench)] = np.concatenate([stuck, sliding, turning], axis=1)
        matrix[len(wrench) :, stuck.shape[1] + len(rows) :] = bend
        right = np.concatenate([-residual, np.zeros(len(rows))])
        change = lstsq(matrix, right, cond=1e-12, lapack_driver="gelsy", check_finite=False)[0]
        held, size, turn = np.split(change, [stuck.shape[1], stuck.shape[1] + len(rows)])
        self._held = self._held + held.reshape(-1, 3)
        self._size = self._size + size
        self._across = np.cos(turn)[:, None] * self._across + np.sin(turn)[:, None] * beside
        largest = float(np.abs(np.append(self._held, self._size)).max(initial=1.0))
        return float(np.abs(change).max(initial=0.0)) / largest, float(np.abs(turn).max(initial=0.0))


def tangents(normals: Floats) -> tuple[Floats, Floats]:
    """Return two unit tangents (k, 3) that make a right-handed frame with each unit normal (k, 3)."""
    axis = np.eye(3)[np.argmin(np.abs(normals), axis=1)]
    u = cross(normals, axis)
    u /= np.sqrt(dot(u, u))[:, None]
    return u, cross(normals, u)
