"""How far pieces of curved surfaces may go before a quadric that is fixed in B, and follows B's piece.

A plane across the normal parts two pieces that touch or nearly so as far as either bends: where a ring lies
in a bowl of nearly its own curvature, only pieces of a thousandth of its size.  A quadric that bends as B's
piece does parts pieces as large as their curvatures are constant.

By the height h over the plane of B's triangle (`bodies.quadratic_parts`), with normal n to A's side, let

    g(x) = n . (x - c) - h(m(x)),    g(x0 + y) = g(x0) + w . y - B(y, y) / 2,

m the barycentric coordinates of x, x0 the centre of A's triangle, w the gradient there and B the second
derivatives of h.  B's piece has g <= `height`, and g grows by at most L times a distance near it, so a piece
of A stays farther than the stop distance as long as g > L stop + height on all of it.

*A's piece* is at y = E + s x0' + z, with E = sum l_i e_i in its triangle and

    z = b + s (E' + b') + s^2 (x0'' + E'' + b'') / 2 + c,    b = 4 sum l_i l_j d_ij,

c the rest of third order in s.  Of g, all that is of second order in l and s is kept:

    q = g(x0) + w . (E + b) + s w . (x0' + E') + s^2 w . x0'' / 2 - B(E + s x0', E + s x0') / 2.

Its least value over the triangle and the step is bounded as a quadratic function in three unknowns
(`least_quadratic`).  What is left out is of third order.  The larger terms of that are bounded by their
Bernstein coefficients, where these are negative,

    - B(E, b),    - s B(E, E'),    s^2 (w . E'' / 2 - B(x0', E') - B(E, x0'') / 2),    - s^3 B(x0', x0'') / 2,

and s w . b' by its size.  With r and b now the largest sizes of E and b, b_t that of what b has in B's plane,
|B| the norm, k1 and k2 the bounds of `relative_paths`, a = s k1 and a2 = s^2 k2 / 2, the others are at most

    |B| ((r + s |x0'|) (a b + a2 (r + b)) + s |x0'| b_t + Z^2 / 2) + |w| a2 b,
    Z = b_t + a (r + b) + s^2 |x0''| / 2 + a2 (r + b).

Where g is steepest, it is |w| and |B| times how far A gets from x0: so many times c counts, and what the map
leaves out of A's piece.  All together is a polynomial in s.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, NamedTuple

import numpy as np

from ...arrays import Bools, Floats, Ints
from ...vectors import coordinate_cross, coordinate_dot, coordinate_length
from .least_quadratic import least_over_prisms
from .triangle_steps import PiecesOnPaths

_TRIALS: Final = 4  # of steps between a free one and one that is not
_LEAST_SHARE: Final = 0.02  # of the way between them that a trial is away from either
_NEARLY: Final = 0.02  # how far they are apart, over the longer one, where trials end
_FAR: Final = 32.0  # barycentric coordinates of A's piece above which rounding would count
_TERMS: Final = 5  # of polynomials in s
_UNITS: Final = np.eye(3)[:, :, None]
_FIRST, _SECOND = np.array([0, 1, 2]), np.array([1, 2, 0])  # corners of a triangle at the ends of its sides


@dataclass(frozen=True, eq=False)
class PieceModels:
    """Quadratic models of k pairs of pieces.

    sides (side 3, axis 3, k): d_01, d_12, d_20 of A's, in the axes of B at tau = 0.
    across, along (k,): what these leave out along the normal of A's triangle and in its plane, lengths.
    bulges (3, k): the coefficients of m_0 m_1, m_1 m_2 and m_2 m_0 in the heights of B's.
    height (k,): what these leave out, lengths.
    """

    sides: Floats
    across: Floats
    along: Floats
    bulges: Floats
    height: Floats


class QuadricSteps(NamedTuple):
    """How far pairs of pieces (k,) may go as quadrics fixed in B show, 0 where they show nothing, and by how
    much more the pieces may be apart at the start for what is left out there, lengths.
    """

    step: Floats
    unknown: Floats


def steps_before_quadrics(pieces: PiecesOnPaths, models: PieceModels) -> QuadricSteps:
    """Return how far pieces may go, at least.

    A step is free where q is large enough, so the longest one is searched for between 0 and the longest that
    is asked for, by the line through the values at two steps, the one free and the other one not.
    """
    quadrics = _Quadrics.of(pieces, models)
    heights = _Heights.of(pieces, models, quadrics)
    free, met = np.zeros(len(pieces.left)), pieces.left.copy()
    rows = np.flatnonzero(quadrics.near)
    above, below = np.full((2, len(free)), -1.0)  # what is left at free steps, and at the other ones
    below[rows] = heights.left_of(quadrics.needed, met, rows)
    passed = below > 0.0
    free[passed] = met[passed]
    rows = np.flatnonzero(quadrics.near & ~passed)
    above[rows] = heights.left_of(quadrics.needed, free, rows)
    rows = rows[above[rows] > 0.0]
    for _ in range(_TRIALS):
        share = np.clip(above[rows] / (above[rows] - below[rows]), _LEAST_SHARE, 1.0 - _LEAST_SHARE)
        step = free.copy()
        step[rows] += share * (met[rows] - free[rows])
        found = heights.left_of(quadrics.needed, step, rows)
        goes, stays = rows[found > 0.0], rows[found <= 0.0]
        free[goes], above[goes], below[goes] = step[goes], found[found > 0.0], 0.5 * below[goes]
        met[stays], below[stays], above[stays] = step[stays], found[found <= 0.0], 0.5 * above[stays]
        rows = rows[met[rows] - free[rows] > _NEARLY * met[rows]]
    return QuadricSteps(free, heights.left_out[0])


@dataclass(frozen=True, eq=False)
class _Quadrics:
    """g of k of B's pieces, from the centres x0 of A's triangles.

    value (k,), slope (3, k): g(x0) and w.
    normal (3, k): n, to A's side.
    bulges (3, k), over (3, 3, k): the coefficients of h, and the gradients of m_0, m_1 and m_2.
    bend (k,): |B|, by Frobenius' norm.
    needed (k,): L stop + height.
    near (k,): whether A's triangle is near enough to B's.
    """

    value: Floats
    slope: Floats
    normal: Floats
    bulges: Floats
    over: Floats
    bend: Floats
    needed: Floats
    near: Bools

    @classmethod
    def of(cls, pieces: PiecesOnPaths, models: PieceModels) -> _Quadrics:
        """Return the quadrics of B's pieces."""
        corners, centre = pieces.second.corners, pieces.places.mean(axis=0)
        apart = centre - corners.mean(axis=0)
        side = np.where(coordinate_dot(pieces.second.normal, apart) < 0.0, -1.0, 1.0)
        normal, bulges = side * pieces.second.normal, side * models.bulges
        over = _gradients(corners, normal)
        at = 1.0 / 3.0 + (over * apart).sum(axis=1)
        risen = _products(bulges, at)
        steep = [coordinate_length(_sum_along(over, _products(bulges, each))) for each in _UNITS]
        turned = _products(bulges, (over[:, None] * over).sum(axis=2))
        bend = np.sqrt(np.maximum((turned * turned.transpose(1, 0, 2)).sum(axis=(0, 1)), 0.0))
        steepest = np.max(steep, axis=0) + bend * (pieces.second.along + pieces.stop)
        far = np.abs(1.0 / 3.0 + (over[:, None] * (pieces.places - corners.mean(axis=0))).sum(axis=2))
        return cls(
            coordinate_dot(normal, centre - corners[0]) - 0.5 * (at * risen).sum(axis=0),
            normal - _sum_along(over, risen),
            normal,
            bulges,
            over,
            bend,
            np.sqrt(1.0 + steepest * steepest) * pieces.stop + models.height,
            far.max(axis=(0, 1)) < _FAR,
        )

    def coordinates(self, vectors: Floats) -> Floats:
        """Return the changes (3, ..., k) of m_0, m_1 and m_2 along vectors (3, ..., k)."""
        found: Floats = np.einsum("iak,a...k->i...k", self.over, vectors)
        return found


@dataclass(frozen=True, eq=False)
class _Heights:
    """g on k of A's pieces as they move.

    corners, sides (3, k): q at s = 0, by its Bernstein coefficients.
    rates (3, k): of the corners, with s.
    change (k,): the coefficient of s^2.
    left_out (5, k): of 1, s, ..., s^4, of what g is less than q at most.
    """

    corners: Floats
    sides: Floats
    rates: Floats
    change: Floats
    left_out: Floats

    @classmethod
    def of(cls, pieces: PiecesOnPaths, models: PieceModels, quadrics: _Quadrics) -> _Heights:
        """Return the heights of A's pieces over the quadrics of B's."""
        motion, slope = pieces.motion, quadrics.slope
        edge = (pieces.places - pieces.places.mean(axis=0)).transpose(1, 0, 2)  # E at the corners
        bulge = 2.0 * motion.arms(models.sides).transpose(1, 0, 2)  # b, by its Bernstein coefficients
        turning, bending = motion.turning(pieces.arms.mean(axis=0))
        rate, change = motion.rate + turning, motion.change + bending
        edge_rate, edge_change = motion.turning(edge)
        bulge_rate, _ = motion.turning(bulge)
        level, level_rate, level_change, rising, swing = (
            coordinate_dot(slope[:, None], each) for each in (edge, edge_rate, edge_change, bulge, bulge_rate)
        )
        on_edge, on_rate, on_edge_rate, on_change, on_bulge = (
            quadrics.coordinates(each) for each in (edge, rate, edge_rate, change, bulge)
        )
        by_edge, by_rate = (_products(quadrics.bulges, each) for each in (on_edge, on_rate))
        pairs, twists, bends = (  # B(E_i, E_j), B(E_i', E_j), B(b_ij, E_k)
            coordinate_dot(each[:, :, None], by_edge[:, None]) for each in (on_edge, on_edge_rate, on_bulge)
        )
        twists = 0.5 * (twists + twists.transpose(1, 0, 2))
        second = coordinate_dot(on_edge_rate, by_rate[:, None])
        second += 0.5 * (coordinate_dot(on_change[:, None], by_edge) - level_change)
        corners = quadrics.value + level - 0.5 * pairs[_FIRST, _FIRST]
        sides = quadrics.value + 0.5 * (level[_FIRST] + level[_SECOND] - pairs[_FIRST, _SECOND]) + rising
        larger = np.zeros((_TERMS, rate.shape[1]))
        larger[0] = _most_of_cubic(bends)
        larger[1] = np.abs(swing).max(axis=0) + np.maximum(twists.max(axis=(0, 1)), 0.0)
        larger[2] = np.maximum(second.max(axis=0), 0.0)
        larger[3] = np.maximum(0.5 * coordinate_dot(on_change, by_rate), 0.0)
        flat = bulge - coordinate_dot(quadrics.normal[:, None], bulge) * quadrics.normal[:, None]
        size, bulged, beside = (coordinate_length(each).max(axis=0) for each in (edge, bulge, flat))
        sizes = _Sizes(size, bulged, beside, coordinate_length(rate), coordinate_length(change))
        return cls(
            corners,
            sides,
            coordinate_dot(slope, rate) + level_rate - coordinate_dot(on_edge, by_rate[:, None]),
            0.5 * (coordinate_dot(slope, change) - coordinate_dot(on_rate, by_rate)),
            larger + _smaller_terms(pieces, models, quadrics, sizes),
        )

    def left_of(self, needed: Floats, step: Floats, rows: Ints) -> Floats:
        """Return by how much more than the needed ones (k,) the heights of rows (m,) are in steps (k,): at
        least, where it is positive, at most, where it is not.

        The Bernstein coefficients of q are below it, and its values at the corners are not below its least
        one; only where needed is between both it is bounded as a quadratic function.
        """
        corners, sides, rates, change, step = (
            np.take(each, rows, axis=-1) for each in (self.corners, self.sides, self.rates, self.change, step)
        )
        missed = np.polynomial.polynomial.polyval(step, self.left_out[:, rows], tensor=False)
        needed = needed[rows] + missed
        grown, moved = change * step * step, step * rates
        ends = np.concatenate([corners, corners + moved + grown])
        along = 0.5 * (moved[_FIRST] + moved[_SECOND])
        between = np.concatenate([corners + 0.5 * moved, sides, sides + 0.5 * along, sides + along + grown])
        most = ends.min(axis=0)
        least = np.minimum(most, between.min(axis=0))
        open_ = np.flatnonzero((least <= needed) & (most > needed))
        left = np.where(least > needed, least, most) - needed
        if len(open_):
            corners, sides, moved, grown = (
                np.take(each, open_, axis=-1) for each in (corners, sides, moved, grown)
            )
            left[open_] = _least(corners, sides, moved, grown) - needed[open_]
        return left


def _least(corners: Floats, sides: Floats, moved: Floats, grown: Floats) -> Floats:
    """Return lower bounds (k,) of functions over a triangle and s from 0 to 1, by their Bernstein
    coefficients at s = 0 (3, k), (3, k), the rates of their corners (3, k) and the coefficients of s^2 (k,).
    """
    hessian = np.empty((3, 3, len(grown)))
    for i, side in ((0, 0), (1, 2)):  # the sides from corner 0 to 1 and to 2
        hessian[i, i] = 2.0 * (corners[0] + corners[i + 1] - 2.0 * sides[side])
        hessian[i, 2] = hessian[2, i] = moved[i + 1] - moved[0]
    hessian[0, 1] = hessian[1, 0] = 2.0 * (corners[0] + sides[1] - sides[0] - sides[2])
    hessian[2, 2] = 2.0 * grown
    slope = np.stack([2.0 * (sides[0] - corners[0]), 2.0 * (sides[2] - corners[0]), moved[0]])
    return least_over_prisms(corners[0], slope, hessian)


class _Sizes(NamedTuple):
    """Bounds (k,) of the lengths of E, of b and of its part in B's plane, and the lengths of x0' and x0''."""

    edge: Floats
    bulge: Floats
    beside: Floats
    rate: Floats
    change: Floats


def _smaller_terms(pieces: PiecesOnPaths, models: PieceModels, quadrics: _Quadrics, sizes: _Sizes) -> Floats:
    """Return the coefficients (5, k) of the bounds of the terms that are bounded by sizes alone."""
    edge, bulge, beside, rate, change = sizes
    bend, steep, left = quadrics.bend, coordinate_length(quadrics.slope), pieces.left
    turn, turning = pieces.spin[0], 0.5 * pieces.spin[1]
    around = bulge + models.across + models.along
    speed, _, jerk = pieces.bounds.max(axis=1) + pieces.spin * around
    lean = bend * (edge + around + left * speed + left**3 * jerk / 6.0)
    level = coordinate_dot(quadrics.slope, pieces.normal)
    sine = np.sqrt(np.maximum(steep * steep - level * level, 0.0))
    size = edge + bulge
    growth, bending = turn * size, 0.5 * change + turning * size
    found = np.empty((_TERMS, len(left)))
    found[0] = 0.5 * bend * beside * beside + models.across * (steep + lean)
    found[0] += models.along * (sine + lean + steep * turn * left)
    found[1] = bend * (edge * turn * bulge + rate * beside + beside * growth)
    found[2] = bend * (edge * turning * size + rate * turn * bulge + 0.5 * growth * growth + beside * bending)
    found[2] += steep * turning * bulge
    found[3] = bend * (rate * turning * size + growth * bending) + (steep + lean) * jerk / 6.0
    found[4] = 0.5 * bend * bending * bending
    return found


def _gradients(corners: Floats, normal: Floats) -> Floats:
    """Return those (3, 3, k) of the barycentric coordinates in the planes of triangles (corner 3, axis 3, k)
    with unit normals (3, k); 0 where they have no area.
    """
    gradients = np.empty_like(corners)
    for i in range(3):
        side = corners[i - 1] - corners[i - 2]
        across = coordinate_cross(normal, side)
        height = coordinate_dot(across, corners[i] - corners[i - 2])
        gradients[i] = np.divide(across, height, out=np.zeros_like(across), where=height != 0.0)
    return gradients


def _products(bulges: Floats, coordinates: Floats) -> Floats:
    """Return what coordinates (3, ..., k) of vectors are multiplied by to get B of these with vectors v
    (3, ..., k) of coefficients of h (3, k).
    """
    first, second, third = coordinates
    along, across, back = bulges
    return np.stack(
        [along * second + back * third, along * first + across * third, across * second + back * first]
    )


def _sum_along(over: Floats, coordinates: Floats) -> Floats:
    """Return the vectors (3, k) that are sums of gradients (3, 3, k), times coordinates (3, k)."""
    found: Floats = (coordinates[:, None] * over).sum(axis=0)
    return found


def _most_of_cubic(products: Floats) -> Floats:
    """Return bounds (k,) of sum l_k (2 l_i l_j) p_ijk, by products (side ij 3, corner k 3, k): the largest of
    its Bernstein coefficients, or 0.
    """
    at_ends = [
        products[i, corner] for i, ends in enumerate(zip(_FIRST, _SECOND, strict=True)) for corner in ends
    ]
    inside = products[_FIRST, _SECOND - 2].sum(axis=0)
    most: Floats = np.maximum(np.maximum(2.0 / 3.0 * np.max(at_ends, axis=0), inside / 3.0), 0.0)
    return most
