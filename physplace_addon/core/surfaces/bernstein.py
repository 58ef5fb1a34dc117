"""Bernstein polynomials of any degree d, and tables that change control points along one axis.

B_i(t) = C(d, i) t^i (1 - t)^(d - i).  Derivatives and parts of sum_i B_i P_i have control points that are
sums of the P_i: the tables of such weights are made once for each degree.  The *blossom* f(t_1, ..., t_d) is
de Casteljau's algorithm with another parameter at each level; it gives the control points over [a, b] as f(a,
..., a, b, ..., b).
"""

from __future__ import annotations

from functools import lru_cache
from math import comb

import numpy as np

from ..arrays import Floats

CUBIC = 3  # the degree of most patches and curves


def bernstein(t: Floats, order: int, degree: int = CUBIC) -> Floats:
    """Return the polynomials and their derivatives, (..., order + 1, degree + 1); exact at 0 and 1.

    Args:
        t: parameters (...).
        order: highest derivative, 0 to 2.
        degree: d.
    """
    powers = np.empty((*t.shape, degree + 1))
    powers[..., 0] = 1.0
    for power in range(1, degree + 1):
        np.multiply(powers[..., power - 1], t, out=powers[..., power])
    table = _by_powers(degree)[:, : (degree + 1) * (order + 1)]
    return (powers @ table).reshape(*t.shape, order + 1, degree + 1)


@lru_cache
def _by_powers(degree: int) -> Floats:
    """Return the coefficients (d + 1, 3 (d + 1)) by powers of t of the polynomials, of their first and of
    their second derivatives.
    """
    value = np.zeros((degree + 1, degree + 1))
    for i in range(degree + 1):
        for power in range(i, degree + 1):
            value[power, i] = comb(degree, i) * comb(degree - i, power - i) * (-1) ** (power - i)
    first, second = np.zeros_like(value), np.zeros_like(value)
    rate = np.arange(1.0, degree + 1)[:, None]
    first[:-1] = rate * value[1:]
    second[:-1] = rate * first[1:]
    return np.concatenate([value, first, second], axis=1)


@lru_cache
def derivative_matrix(degree: int) -> Floats:
    """Return the matrix (d + 1, d + 1) from control points to those of the derivative, of degree d again."""
    matrix: Floats = raising_matrix(degree - 1, degree) @ (degree * np.diff(np.eye(degree + 1), axis=0))
    return matrix


@lru_cache
def raising_matrix(degree: int, wanted: int) -> Floats:
    """Return the matrix (wanted + 1, degree + 1) to the control points of the same polynomial in a higher
    degree.
    """
    matrix = np.eye(degree + 1)
    for d in range(degree, wanted):
        share = (np.arange(1, d + 1) / (d + 1.0))[:, None]
        inner = share * matrix[:-1] + (1.0 - share) * matrix[1:]
        matrix = np.concatenate([matrix[:1], inner, matrix[-1:]])
    return matrix


@lru_cache
def sub_matrices(cells: int, degree: int = CUBIC) -> Floats:
    """Return the matrices (cells, d + 1, d + 1) that take control points to those of equal parts."""
    low, high = np.arange(cells) / cells, np.arange(1, cells + 1) / cells
    return part_matrices(low, high, degree)


def part_matrices(low: Floats, high: Floats, degree: int) -> Floats:
    """Return the matrices (k, d + 1, d + 1) that take control points to those over [low, high], each (k,)."""
    whole = np.broadcast_to(np.eye(degree + 1), (len(low), degree + 1, degree + 1))
    corners = []
    for i in range(degree + 1):
        level: Floats = whole
        for t in [low] * (degree - i) + [high] * i:
            level = level[:, :-1] + t[:, None, None] * (level[:, 1:] - level[:, :-1])
        corners.append(level[:, 0])
    return np.stack(corners, axis=1)
