"""Spline surfaces of every kind, circles among them by exact weights, and an evaluation of theirs in mpmath.

A quarter of a circle is the rational quadratic with the corners (1, 0), (1, 1), (0, 1) of weights 1, 1, 2:
((1 - t^2), 2 t) / (1 + t^2).  Run through by turns forwards and backwards, four of them go round with weights
that single precision holds.
"""

from collections.abc import Sequence

import mpmath as mp
import numpy as np
from mpmath import mpf

from physplace_addon.core.arrays import Floats
from physplace_addon.core.surfaces.bernstein import raising_matrix
from physplace_addon.core.surfaces.bezier.splines import SplineSheet, piece_matrices

CIRCLE = np.array([(1, 0), (1, 1), (0, 1), (-1, 1), (-1, 0), (-1, -1), (0, -1), (1, -1), (1, 0)], float)
CIRCLE_WEIGHTS = np.array([1.0, 1.0, 2.0, 1.0, 1.0, 1.0, 2.0, 1.0, 1.0])
ROUND = np.array([0, 0, 0, 1, 1, 2, 2, 3, 3, 4, 4, 4], float)  # four quadratic pieces
MERIDIAN = np.array([(0, -1), (1, -1), (1, 0), (1, 1), (0, 1)], float)  # of a ball, from pole to pole
MERIDIAN_WEIGHTS = np.array([1.0, 1.0, 2.0, 1.0, 1.0])
HALF = np.array([0, 0, 0, 1, 1, 2, 2, 2], float)
STRAIGHT = np.array([0, 0, 1, 1], float)


def turned(profile: Floats, weights: Floats, knots: Floats) -> SplineSheet:
    """The sheet that a profile (m, 2) in (r, z) sweeps about z, its knots along v; its right is outside."""
    r, z = profile[None].T
    points = np.stack([CIRCLE[:, :1] * r.T, CIRCLE[:, 1:] * r.T, np.broadcast_to(z.T, (9, len(profile)))], 2)
    return SplineSheet(points, CIRCLE_WEIGHTS[:, None] * weights, (ROUND, knots))


def torus(major: float, minor: float) -> SplineSheet:
    """A ring about z, exactly."""
    return turned(np.array([major, 0.0]) + minor * CIRCLE, CIRCLE_WEIGHTS, ROUND)


def ball() -> SplineSheet:
    """The unit ball about the origin, exactly."""
    return turned(MERIDIAN, MERIDIAN_WEIGHTS, HALF)


def can() -> list[SplineSheet]:
    """A cylinder of radius 1 and height 2: its side, and two disks."""
    corners = np.array([(0, -1), (1, -1), (1, 1), (0, 1)], float)
    return [turned(corners[i : i + 2], np.ones(2), STRAIGHT) for i in range(3)]


def random_sheet(
    rng: np.random.Generator, orders: tuple[int, int], shape: tuple[int, int], rational: bool
) -> SplineSheet:
    """A wavy sheet over uneven knots."""
    knots = [uneven_knots(rng, order, count) for order, count in zip(orders, shape, strict=True)]
    grid = np.stack(np.meshgrid(*(np.arange(float(n)) for n in shape), [0.0], indexing="ij"), axis=-1)[
        :, :, 0
    ]
    weights = rng.uniform(0.3, 3.0, shape) if rational else np.ones(shape)
    return SplineSheet(grid + rng.uniform(-0.3, 0.3, (*shape, 3)), weights, (knots[0], knots[1]))


def uneven_knots(rng: np.random.Generator, order: int, count: int) -> Floats:
    """Knots for so many points, rising by any widths, one of them twice."""
    knots = np.cumsum(rng.uniform(0.2, 1.0, count + order))
    if count > order + 1 and order > 3:
        knots[order + 1] = knots[order]
    return knots


def spans(knots: Floats, order: int) -> Floats:
    """The ends (s, 2) of the intervals on which a spline is one polynomial."""
    inside = knots[order - 1 : len(knots) - order + 1]
    ends = np.column_stack([inside[:-1], inside[1:]])
    return ends[ends[:, 0] < ends[:, 1]]


def basis(knots: Sequence[mpf], order: int, u: mpf, slopes: int) -> list[mpf]:
    """Each B-spline's derivative of order `slopes` at u, by the recursion of Cox and de Boor, in mpmath."""

    def one(i: int, k: int, n: int) -> mpf:
        if n < 0 or not knots[i] <= u < knots[i + k]:
            return mp.mpf(0)
        if k == 1:
            return mp.mpf(n == 0)
        left, right = knots[i + k - 1] - knots[i], knots[i + k] - knots[i + 1]
        total = mp.mpf(0)
        if left:
            total += ((u - knots[i]) * one(i, k - 1, n) + n * one(i, k - 1, n - 1)) / left
        if right:
            total += ((knots[i + k] - u) * one(i + 1, k - 1, n) - n * one(i + 1, k - 1, n - 1)) / right
        return total

    return [one(i, order, slopes) for i in range(len(knots) - order)]


def partials(sheet: SplineSheet, u: mpf, v: mpf) -> dict[tuple[int, int], list[mpf]]:
    """S, S_u, S_v, S_uu, S_uv, S_vv at mpmath numbers u and v, by their orders, each a list of three."""
    knots = [[mp.mpf(x) for x in own.tolist()] for own in sheet.knots]
    orders = [degree + 1 for degree in sheet.degrees]
    rows = [
        [basis(k, order, t, n) for n in range(3)] for k, order, t in zip(knots, orders, (u, v), strict=True)
    ]
    points, weights = sheet.points.tolist(), sheet.weights.tolist()

    def summed(a: int, b: int) -> list[mpf]:
        total = [mp.mpf(0)] * 4
        for i, x in enumerate(rows[0][a]):
            for j, y in enumerate(rows[1][b]):
                if x and y:
                    w = x * y * mp.mpf(weights[i][j])
                    total = [t + w * mp.mpf(p) for t, p in zip(total, [*points[i][j], 1.0], strict=True)]
        return total

    sums = {(a, b): summed(a, b) for a in range(3) for b in range(3 - a)}
    found: dict[tuple[int, int], list[mpf]] = {}
    for a, b in sorted(sums, key=sum):
        *numerator, _ = sums[a, b]
        for i in range(a + 1):
            for j in range(b + 1):
                if (i, j) != (a, b):
                    share = mp.binomial(a, i) * mp.binomial(b, j) * sums[a - i, b - j][3]
                    numerator = [n - share * s for n, s in zip(numerator, found[i, j], strict=True)]
        found[a, b] = [n / sums[0, 0][3] for n in numerator]
    return found


def pieces(points: Floats, weights: Floats, knots: Floats) -> Floats:
    """The Bezier pieces (m, 4, d + 1) of a rational spline of degree two, raised to three, weights last."""
    control = np.concatenate([points * weights[:, None], weights[:, None]], axis=1)
    raised = raising_matrix(2, 3) @ (piece_matrices(knots, 2) @ control)
    return np.concatenate([raised[..., :-1] / raised[..., -1:], raised[..., -1:]], axis=2)
