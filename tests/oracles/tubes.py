"""Tubes: curves thickened by a ball, as exact shapes in the sense of `shapes`."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

import numpy as np
from numpy.typing import ArrayLike
from scipy.spatial import cKDTree

from tests.oracles.arrays import Floats
from tests.oracles.shapes import STEP, Branches, Patch

Curve = tuple[Callable[[np.ndarray], np.ndarray], float, float, bool]
"""point(t (k,)) that accepts complex t, the ends of t, and whether the curve is closed."""


class Tube:
    """Curves thickened by a ball: a closed or round-ended tube, or several (a jack).

    `curves` is a list of (point(t) that accepts complex t, lower, upper, closed); t may be straight pieces
    too.
    `second` derivatives come from central differences of the complex-step derivative.
    """

    def __init__(
        self,
        curves: Sequence[Curve],
        radius: float,
        centre: ArrayLike = (0, 0, 0),
        samples: int = 4001,
    ) -> None:
        self.radius, self.centre = float(radius), np.asarray(centre, float)
        self.curves = list(curves)
        self.tables: list[tuple[Floats, Floats]] = []
        for point, lower, upper, closed in self.curves:
            t = np.linspace(lower, upper, samples, endpoint=not closed)
            self.tables.append((t, point(t)))
        self.tree = cKDTree(np.concatenate([x for _, x in self.tables]))

    def support(self, d: Floats) -> Floats:
        values = []
        for (point, lower, upper, closed), (t, x) in zip(self.curves, self.tables, strict=True):
            best = np.argmax(np.asarray(d) @ x.T, axis=1)
            start = np.sum(x[best] * d, axis=1)
            s = _refine(
                point, t[best], lambda c, c1, c2: (np.sum(c1 * d, 1), np.sum(c2 * d, 1)), lower, upper, closed
            )
            values.append(np.maximum(start, np.sum(point(s) * d, axis=1)))
        result: Floats = np.max(values, axis=0) + self.radius - np.asarray(d) @ self.centre
        return result

    def branches(self, d: Floats) -> Branches:
        values, points, derivatives = [], [], []
        for (point, lower, upper, closed), (t, x) in zip(self.curves, self.tables, strict=True):
            height = x @ d
            before, after = np.roll(height, 1), np.roll(height, -1)
            if not closed:
                before[0] = after[-1] = -np.inf
            peak = np.nonzero((height >= before) & (height > after))[0]
            tiled = np.tile(d, (len(peak), 1))
            s = _refine(
                point,
                t[peak],
                partial(_rise, tiled),
                lower,
                upper,
                closed,
            )
            first, second = _curve_derivatives(point, s)
            bend = second @ d
            inner = (bend < -1e-9) if closed else (bend < -1e-9) & (s > lower) & (s < upper)
            slide = np.where(inner, 1 / np.where(inner, bend, 1.0), 0.0)
            points.append(point(s) + self.radius * d - self.centre)
            values.append(points[-1] @ d)
            derivatives.append(
                self.radius * np.eye(3) - slide[:, None, None] * first[:, :, None] * first[:, None]
            )
        return Branches(np.concatenate(values), np.concatenate(points), np.concatenate(derivatives))

    def signed_distance(self, x: Floats) -> Floats:
        index = np.asarray(self.tree.query(x)[1])
        counts = np.cumsum([0, *(len(t) for t, _ in self.tables)])
        curve_of = np.searchsorted(counts, index, side="right") - 1
        result = np.empty(len(x))
        for number, (point, lower, upper, closed) in enumerate(self.curves):
            row = np.nonzero(curve_of == number)[0]
            q, t = x[row], self.tables[number][0][index[row] - counts[number]]
            s = _refine(
                point,
                t,
                partial(_approach, q),
                lower,
                upper,
                closed,
            )
            result[row] = np.linalg.norm(point(s) - q, axis=1) - self.radius
        return result

    def core(self) -> tuple[list[Patch], float]:
        return [
            Patch(partial(_along, point), (lower, 0), (upper, 0), (1200, 1))
            for point, lower, upper, _ in self.curves
        ], self.radius


def _along(point: Callable[[np.ndarray], np.ndarray], p: Floats) -> Floats:
    return point(p[:, 0])


def _rise(n: Floats, c: Floats, c1: Floats, c2: Floats) -> tuple[Floats, Floats]:
    """Derivatives of the height along directions n."""
    return np.sum(c1 * n, 1), np.sum(c2 * n, 1)


def _approach(q: Floats, c: Floats, c1: Floats, c2: Floats) -> tuple[Floats, Floats]:
    """Derivatives of minus half the squared distance to points q."""
    return -np.sum((c - q) * c1, 1), -np.sum(c1 * c1, 1) - np.sum((c - q) * c2, 1)


def _curve_derivatives(point: Callable[[np.ndarray], np.ndarray], t: Floats) -> tuple[Floats, Floats]:
    step = 1e-5
    first = point(t + 1j * STEP).imag / STEP
    second = (point(t + step + 1j * STEP).imag - point(t - step + 1j * STEP).imag) / (2 * step * STEP)
    return first, second


def _refine(
    point: Callable[[np.ndarray], np.ndarray],
    t: Floats,
    slopes: Callable[[Floats, Floats, Floats], tuple[Floats, Floats]],
    lower: float,
    upper: float,
    closed: bool,
) -> Floats:
    """Clamped Newton for a maximum: `slopes(c, c', c'')` gives its first and second derivative in t."""
    for _ in range(8):
        first, second = _curve_derivatives(point, t)
        slope, bend = slopes(point(t), first, second)
        step = np.where(bend < -1e-9, -slope / np.where(bend < -1e-9, bend, -1.0), np.sign(slope) * 1e-3)
        t = t + np.clip(step, -(upper - lower) / 500, (upper - lower) / 500)
        t = t if closed else np.clip(t, lower, upper)
    return t
