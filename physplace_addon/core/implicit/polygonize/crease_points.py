"""Points on creases of an implicit surface, where two smooth sides of it meet at an angle.

On either side F is smooth, f_a or f_b, and the crease is where both are 0. Which formula F is made of need
not be known: a little beside the crease, on the side of a, F and F_x are f_a and its gradient. With the unit
normals n_a and n_b, that place is c + e u_a, u_a at right angles to n_a and to the crease: away from n_b at a
convex crease, towards it at a concave one. Both sides, taken as flat there, give Newton's step for c, the
shortest one with

    n_a . (c + s - x_a) + f_a / |f_a'| = 0,   and likewise for b.

What a side bends over e is the error that is left, so e is made ever smaller.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ...arrays import Bools, Floats, Ints
from ...vectors import cross, dot, length, length_and_unit
from ..functions.base import ImplicitFunction
from .creases import jumps_between

# how far beside a crease its sides are taken, in shares of a reach, one after another
_BESIDE = (0.25, 0.06, 0.012, 2.4e-3, 3e-4, 3e-5)
_ALIKE = 0.75  # least cosine between the normals of one side at places a reach apart
_LEAST_TURN = 0.15  # radians between the normals of the two sides of a crease
_NARROW = 1.9  # between the unit normals of both sides, 143 degrees: a narrow notch, or a sharp knife
_FARTHEST = 1.0  # reaches that a place may be from where it was looked for
_EXACT = 1e-6  # reaches that a point may be off the surface
_ABSURD = 100.0  # reaches: what F says to be farther off is no nearer for it
_PARALLEL = 1e-12  # least square of the sine between the sides: what is flatter is no crease
_SEEN = 0.05  # share of two points' distance: reach of the crease between them


@dataclass(frozen=True, eq=False)
class CreasePoints:
    """Points on creases.

    Attributes:
        places: where they are (n, 3).
        normals: the unit normals (n, 2, 3) of both sides.
        convex: whether the crease is a convex edge there (n,).
    """

    places: Floats
    normals: Floats
    convex: Bools

    def __len__(self) -> int:
        return len(self.places)

    @property
    def tangents(self) -> Floats:
        """The unit directions (n, 3) of the creases."""
        return length_and_unit(cross(self.normals[:, 0], self.normals[:, 1]))[1]

    @property
    def narrow(self) -> Bools:
        """Which (n,) are in narrow notches, or on sharp knives."""
        return np.asarray(length(self.normals[:, 0] - self.normals[:, 1]) > _NARROW)

    def taken(self, rows: Ints | Bools) -> CreasePoints:
        """Return some of the points, by their numbers (k,) or marks (n,)."""
        return CreasePoints(self.places[rows], self.normals[rows], self.convex[rows])

    def moved(self, places: Floats) -> CreasePoints:
        """Return the points at other places (n, 3), about which the crease goes on."""
        return CreasePoints(places, self.normals, self.convex)

    def joined(self, other: CreasePoints) -> CreasePoints:
        """Return these points and others."""
        return CreasePoints(
            np.concatenate([self.places, other.places]),
            np.concatenate([self.normals, other.normals]),
            np.concatenate([self.convex, other.convex]),
        )


NO_POINTS = CreasePoints(np.zeros((0, 3)), np.zeros((0, 2, 3)), np.zeros(0, dtype=np.bool_))


def crease_points_between(function: ImplicitFunction, ends: Floats) -> CreasePoints:
    """Return points on the creases between neighbouring points (n, 2, 3) of the surface."""
    jumps = jumps_between(function, ends, _LEAST_TURN, _LEAST_TURN)
    near = CreasePoints(jumps.places, jumps.normals, jumps.convex)
    found, known = on_creases(function, near, np.maximum(_SEEN * jumps.sizes, np.finfo(np.float64).tiny))
    return found.taken(known)


def on_creases(function: ImplicitFunction, near: CreasePoints, reaches: Floats) -> tuple[CreasePoints, Bools]:
    """Return points on the creases that pass near places, and of which (n,) they are one.

    Args:
        function: F.
        near: places near creases, with about the normals of both sides there.
        reaches: how far the creases may be (n,), in scene units.
    """
    if not len(near):
        return near, np.zeros(0, dtype=np.bool_)
    places, normals = near.places.copy(), near.normals.copy()
    known = np.ones(len(places), dtype=np.bool_)
    for share in _BESIDE:
        beside = places[:, None] + (share * reaches)[:, None, None] * _away(normals, near.convex)
        value, gradient = function.gradient(beside.reshape(-1, 3))
        slope, unit = length_and_unit(gradient)
        unit, off = unit.reshape(-1, 2, 3), (value / np.maximum(slope, 1e-300)).reshape(-1, 2)
        known &= (dot(unit, normals) >= _ALIKE).all(axis=1)
        normals = np.where(known[:, None, None], unit, normals)
        off = np.clip(off, -_ABSURD * reaches[:, None], _ABSURD * reaches[:, None])
        off += dot(normals, places[:, None] - beside)
        steps = _shortest(normals, off)
        known &= np.isfinite(steps).all(axis=1) & (length(steps) <= _FARTHEST * reaches)
        places = np.where(known[:, None], places + np.where(known[:, None], steps, 0.0), places)
    value, gradient = function.gradient(places)
    known &= np.abs(value) <= _EXACT * reaches * length(gradient)
    known &= length(places - near.places) <= _FARTHEST * reaches
    known &= length(normals[:, 0] - normals[:, 1]) >= _LEAST_TURN
    return CreasePoints(places, normals, near.convex), known


def _away(normals: Floats, convex: Bools) -> Floats:
    """Return unit directions (n, 2, 3) that lead from a crease onto its sides, along them."""
    across = dot(normals[:, 0], normals[:, 1])[:, None, None]
    towards = length_and_unit(normals[:, ::-1] - across * normals)[1]
    return np.asarray(np.where(convex[:, None, None], -towards, towards))


def _shortest(normals: Floats, off: Floats) -> Floats:
    """Return the shortest steps (n, 3) onto two planes each, that are off (n, 2) along normals (n, 2, 3)."""
    cosine = dot(normals[:, 0], normals[:, 1])
    below = np.maximum(1.0 - cosine * cosine, _PARALLEL)
    first, second = (off[:, 0] - cosine * off[:, 1]) / below, (off[:, 1] - cosine * off[:, 0]) / below
    return np.asarray(-first[:, None] * normals[:, 0] - second[:, None] * normals[:, 1])
