"""Points on creases of an implicit surface, where two smooth sides of it meet at an angle.

On either side F is smooth, f_a or f_b, and the crease is where both are 0. Which formula F is made of need
not be known: a little beside the crease, on the side of a, F and F_x are f_a and its gradient. With the unit
normals n_a and n_b, that place is c + e u_a, u_a at right angles to n_a and to the crease: away from n_b at a
convex crease, towards it at a concave one. Both sides, taken as flat there, give Newton's step for c, the
shortest one with

    n_a . (c + s - x_a) + f_a / |f_a'| = 0,   and likewise for b.

What a side bends over e is the error that is left, so e is made ever smaller.

Where three sides or more meet, and at the apex of a cone, is a corner. On a small sphere about a place all of
them are seen, each by F and F_x at places x_i that are nearest to it. The corner is where their planes meet
best: the place c + s that makes

    sum (n_i . (c + s - x_i) + F(x_i) / |F_x(x_i)|)^2

least (as the vertices of `dual_contouring`), on ever smaller spheres. At a corner three of the n_i stay far
from one plane, where on smooth sides and on creases all of them tend to one.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ....arrays import Bools, Floats, Ints
from ....vectors import cross, dot, length, length_and_unit
from ...functions.base import ImplicitFunction
from .normal_jumps import jumps_between

# how far beside a crease its sides are taken, in shares of a reach, one after another
_BESIDE = (0.25, 0.06, 0.012, 2.4e-3, 3e-4, 3e-5)
_ALIKE = 0.75  # least cosine between the normals of one side at places a reach apart
_LEAST_TURN = 0.15  # radians between the normals of the two sides of a crease
# between the unit normals of both sides: creases are no narrower notches than 36 degrees, and about as narrow
# up to 40 degrees
_NARROW, _NEARLY_NARROW = 1.9, 1.88
# the same of convex creases: they are no sharper than 1.1 degrees, and about as sharp up to 3 degrees; those
# below 74 degrees are knives, of which some have no mesh below 3.5 degrees, found out after 4 to 12 s only,
# unless they are short, and ever fewer have one below 2.9 degrees
_SHARP, _NEARLY_SHARP, _KNIFE, _TOO_SHARP, _FAR_TOO_SHARP = 1.9999, 1.9993, 1.6, 1.99907, 1.99936
_FARTHEST = 1.0  # reaches that a place may be from where it was looked for
_EXACT = 1e-6  # reaches that a point may be off the surface
_ABSURD = 100.0  # reaches: what F says to be farther off is no nearer for it
_PARALLEL = 1e-12  # least square of the sine between the sides: what is flatter is no crease
_SEEN = 0.05  # share of two points' distance: reach of the crease between them
_SPHERES = (0.5, 0.15, 0.04, 0.01, 2e-3, 3e-4)  # reaches: radii about a corner, one after another
_PULL = 3e-5  # of all planes together: pulls a corner to where it was along directions that they do not tell
# least determinant of three unit normals at a corner: about sin a where a knife of the angle a ends upright,
# and less where it ends obliquely; on smooth sides and creases it is about 1e-3 at most on the last sphere
_SOLID = 0.02
# the same where a notch ends: one of less than 4.6 degrees ends in no corner, as the creases along its mouth
# would have links there that are much longer than the notch is wide
_SOLID_OF_NOTCHES = 0.08
_ONE_SIDE = 0.9  # least cosine between normals of one side on a sphere
_STILL = 0.1  # radii of the last sphere: a corner moves no farther in the last step
_MOST_SIDES = 6  # sides of a corner whose creases are followed: at the apex of a cone there are ever more
_ALONG = 0.02  # reaches: how far from a corner its creases are looked for
_AROUND = 0.3  # of that: how far off a straight line they may be there
_NEARER = 0.1  # of how far creases may be: how far they may be where that finds none
_PLACES = 64  # places on a sphere
_HEIGHTS = 1.0 - (2.0 * np.arange(_PLACES) + 1.0) / _PLACES
_TURNS = np.pi * (1.0 + np.sqrt(5.0)) * (np.arange(_PLACES) + 0.5)
_ROUND = np.column_stack(
    [np.sqrt(1.0 - _HEIGHTS**2) * np.cos(_TURNS), np.sqrt(1.0 - _HEIGHTS**2) * np.sin(_TURNS), _HEIGHTS]
)  # a spiral of even density on the unit sphere


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
        """Which (n,) are where the crease is about as narrow, or sharp, as those that count may be."""
        return np.asarray(self._turns > np.where(self.convex, _NEARLY_SHARP, _NEARLY_NARROW))

    @property
    def knives(self) -> Bools:
        """Which (n,) are where the crease is convex, and its sides are near to each other far beside it."""
        return np.asarray(self.convex & (self._turns > _KNIFE))

    @property
    def sharp(self) -> Bools:
        """Which (n,) are where the crease is convex, and sharper than notches are that count."""
        return np.asarray(self.convex & (self._turns > _NARROW))

    @property
    def too_sharp(self) -> Bools:
        """Which (n,) are on knives that have no mesh unless they are short."""
        return np.asarray(self.convex & (self._turns > _TOO_SHARP))

    @property
    def far_too_sharp(self) -> Bools:
        """Which (n,) are on knives that have no mesh unless the zones of their ends cover them."""
        return np.asarray(self.convex & (self._turns > _FAR_TOO_SHARP))

    @property
    def _turns(self) -> Floats:
        """How far the unit normals of both sides are apart (n,)."""
        return length(self.normals[:, 0] - self.normals[:, 1])

    def taken(self, rows: Ints | Bools) -> CreasePoints:
        """Return some of the points, by their numbers (k,) or marks (n,)."""
        return CreasePoints(self.places[rows], self.normals[rows], self.convex[rows])

    def moved(self, places: Floats) -> CreasePoints:
        """Return the points at other places (n, 3), about which the crease goes on."""
        return CreasePoints(places, self.normals, self.convex)

    def where(self, rows: Bools, other: CreasePoints) -> CreasePoints:
        """Return the points, in some rows (n,) those of others."""
        return CreasePoints(
            np.where(rows[:, None], other.places, self.places),
            np.where(rows[:, None, None], other.normals, self.normals),
            np.where(rows, other.convex, self.convex),
        )

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


def on_creases(
    function: ImplicitFunction, near: CreasePoints, reaches: Floats, most: float | None = None
) -> tuple[CreasePoints, Bools]:
    """Return points on the creases that pass near places, and of which (n,) they are one.

    Args:
        function: F.
        near: places near creases, with about the normals of both sides there.
        reaches: how far the creases may be (n,), in scene units.
        most: how far the unit normals of both sides are apart at most; as far as is followed unless given.
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
    turn = length(normals[:, 0] - normals[:, 1])
    limit = np.where(near.convex, _SHARP, _NARROW) if most is None else most
    known &= (turn >= _LEAST_TURN) & (turn <= limit)
    return CreasePoints(places, normals, near.convex), known


def on_creases_or_nearer(
    function: ImplicitFunction, near: CreasePoints, reaches: Floats
) -> tuple[CreasePoints, Bools]:
    """Return what `on_creases` does, and where that finds nothing, what is nearer.

    Two creases of an acute corner are near to each other, so that too far away the other one is seen.
    """
    found, known = on_creases(function, near, reaches)
    rows = np.flatnonzero(~known)
    nearer, there = on_creases(function, near.taken(rows), _NEARER * reaches[rows])
    found.places[rows[there]], found.normals[rows[there]] = nearer.places[there], nearer.normals[there]
    known[rows] = there
    return found, known


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


def corners_near(function: ImplicitFunction, places: Floats, reaches: Floats) -> tuple[Floats, Bools]:
    """Return corners (n, 3) of the surface near places, and which (n,) of them are one.

    Args:
        function: F.
        places: places (n, 3) near corners.
        reaches: how far the corners may be (n,), in scene units.
    """
    corners, known = places.copy(), np.zeros(len(places), dtype=np.bool_)
    for radii in (share * reaches for share in _SPHERES):
        around = corners[:, None] + radii[:, None, None] * _ROUND
        value, gradient = function.gradient(around.reshape(-1, 3))
        slope, unit = length_and_unit(gradient)
        normals = unit.reshape(around.shape)
        off = (value / np.maximum(slope, 1e-300)).reshape(around.shape[:2])
        off = np.clip(off, -_ABSURD * radii[:, None], _ABSURD * radii[:, None])
        off += dot(normals, corners[:, None] - around)
        matrix = np.einsum("kni,knj->kij", normals, normals) + _PULL * _PLACES * np.eye(3)
        steps = -np.linalg.solve(matrix, np.einsum("kni,kn->ki", normals, off)[..., None])[..., 0]
        size = length(steps)
        steps *= np.minimum(1.0, radii / np.maximum(size, 1e-300))[:, None]
        corners = corners + steps
        solid = _solid(normals)
        known = (size <= _STILL * radii) & (solid >= _SOLID)
        thin = np.flatnonzero(known & (solid < _SOLID_OF_NOTCHES))
        known[thin] = ~_ends_notch(normals[thin])
    return corners, known & (length(corners - places) <= reaches)


def corner_creases(
    function: ImplicitFunction, corners: Floats, reaches: Floats
) -> tuple[CreasePoints, Floats, Ints]:
    """Return the creases that end in corners.

    Args:
        function: F.
        corners: the corners (n, 3).
        reaches: lengths (n,) beside which their creases are straight, in scene units.

    Returns:
        Points at the corners, one for each crease that ends there, with the normals of its sides; the
            directions (k, 3) in which the creases lead away; and the numbers (k,) of the corners.
    """
    normals, number = [np.zeros((0, 2, 3))], [np.zeros(0, dtype=np.intp)]
    for corner, seen in enumerate(_normals_around(function, corners, _SPHERES[-1] * reaches)):
        sides = _distinct(seen)
        if len(sides) <= _MOST_SIDES:
            pairs = np.stack(np.triu_indices(len(sides), 1), axis=1)
            normals.append(sides[pairs])
            number.append(np.full(len(pairs), corner))
    both, owner = np.repeat(np.concatenate(normals), 4, axis=0), np.repeat(np.concatenate(number), 4)
    ways = length_and_unit(cross(both[:, 0], both[:, 1]))[1]
    ways[1::2] *= -1.0
    convex = np.arange(len(ways)) % 4 < 2
    steps = (_ALONG * reaches)[owner][:, None] * ways
    near = CreasePoints(corners[owner] + steps, both, convex)
    found, known = on_creases_or_nearer(function, near, _AROUND * length(steps))
    return found.moved(corners[owner]).taken(known), ways[known], owner[known]


def _normals_around(function: ImplicitFunction, places: Floats, radii: Floats) -> Floats:
    """Return the unit normals (n, k, 3) of F's levels on spheres about places (n, 3)."""
    around = places[:, None] + radii[:, None, None] * _ROUND
    return length_and_unit(function.gradient(around.reshape(-1, 3))[1])[1].reshape(around.shape)


def _distinct(normals: Floats) -> Floats:
    """Return those of unit normals (k, 3) that differ from all that are returned before (m, 3)."""
    found: list[Floats] = []
    while len(normals) and len(found) <= _MOST_SIDES:
        found.append(normals[0])
        normals = normals[length(normals - normals[0]) > _LEAST_TURN]
    return np.array(found).reshape(-1, 3)


def _solid(normals: Floats) -> Floats:
    """Return how large a determinant (n,) three of some unit normals (n, k, 3) have, about at most."""
    first = normals[:, 0]
    rows = np.arange(len(normals))
    second = normals[rows, np.argmin(np.abs(dot(normals, first[:, None])), axis=1)]
    return np.asarray(np.abs(dot(normals, cross(first, second)[:, None])).max(axis=1))


def _ends_notch(normals: Floats) -> Bools:
    """Return of which corners (n,) the two sides that face each other most nearly have a gap between them.

    On a small sphere about a corner, most places nearest to such a side are in front of it, outside of
    the body, if it is one of a knife, and behind it if it is one of a notch.

    Args:
        normals: the unit normals (n, k, 3) at the places of the sphere.
    """
    rows = np.arange(len(normals))
    cosines = np.einsum("nki,nli->nkl", normals, normals)
    pair = np.argmin(cosines.reshape(len(normals), _PLACES**2), axis=1)
    first, second = np.divmod(pair, normals.shape[1])
    on = (cosines[rows, first] > _ONE_SIDE) | (cosines[rows, second] > _ONE_SIDE)
    before = dot(normals, _ROUND)
    return np.asarray((cosines[rows, first, second] < 0.0) & (np.where(on, before, 0.0).sum(axis=1) < 0.0))
