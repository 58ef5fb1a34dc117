"""What iterations on many pairs at once share: systems of two unknowns, steps, and when to end."""

from __future__ import annotations

import numpy as np

from ...arrays import Bools, Floats, Ints
from ...vectors import dot
from ..features import FeatureGeometry

_CONVERGED = 1e-14  # of R: the last correction
_CREEPING = 0.5  # of what it should: a pair that moves less stands at a border, or goes along it
_PATIENCE = 4  # rounds that it may creep, one after another


def inverse_2x2(a: Floats, smallest: float) -> Floats:
    """Invert symmetric matrices (k, 2, 2) whose eigenvalues are taken as at least `smallest`."""
    values, vectors = eigen_2x2(a)
    inverse: Floats = np.einsum("kai,ki,kbi->kab", vectors, 1.0 / np.maximum(values, smallest), vectors)
    return inverse


def eigen_2x2(a: Floats) -> tuple[Floats, Floats]:
    """Return eigenvalues (k, 2), ascending, and unit eigenvectors (k, 2, 2) in columns, of symmetric (k, 2,
    2).
    """
    half_sum = 0.5 * (a[:, 0, 0] + a[:, 1, 1])
    half_difference = 0.5 * (a[:, 0, 0] - a[:, 1, 1])
    off = a[:, 0, 1]
    root = np.hypot(half_difference, off)
    angle = 0.5 * np.arctan2(off, half_difference)  # of the larger eigenvalue's vector
    c, s = np.cos(angle), np.sin(angle)
    values = np.stack([half_sum - root, half_sum + root], axis=1)
    vectors = np.empty_like(a)
    vectors[:, 0, 0], vectors[:, 1, 0] = -s, c
    vectors[:, 0, 1], vectors[:, 1, 1] = c, s
    return values, vectors


class Progress:
    """Watches an iteration on k pairs: it ends when each has converged or does not move although it should
    (it stands at the border of its domain, or creeps along that, and another feature's pair is the true one).
    """

    def __init__(self, radius: float) -> None:
        self._tolerance = _CONVERGED * radius
        self._last: tuple[Floats, Floats, Floats] | None = None
        self._creeping: Ints | None = None

    def going(self, size: Floats, point1: Floats, point2: Floats) -> Bools:
        """Take the lengths (k,) of the next corrections and the points (k, 3) they start from; tell which go
        on.
        """
        going = size > self._tolerance
        if self._last is not None and going.any():
            asked, before1, before2 = self._last
            moved = np.abs(point1 - before1).max(axis=1) + np.abs(point2 - before2).max(axis=1)
            going &= moved >= 1e-3 * asked
            going &= self._crept(size, asked, point1 - before1, point2 - before2) < _PATIENCE
        self._last = size, point1, point2
        return going

    def _crept(self, size: Floats, asked: Floats, way1: Floats, way2: Floats) -> Ints:
        """For how many rounds (k,) both points have moved much less than they should, and still should."""
        moved = np.sqrt(np.maximum(dot(way1, way1), dot(way2, way2)))
        creeps = (moved < _CREEPING * asked) & (size > _CREEPING * asked)
        before = np.zeros(len(size), dtype=np.intp) if self._creeping is None else self._creeping
        self._creeping = np.where(creeps, before + 1, 0)
        return self._creeping

    def take(self, rows: Bools) -> Progress:
        """Watch only the given pairs from now on."""
        taken = Progress(0.0)
        taken._tolerance = self._tolerance
        if self._last is not None:
            size, point1, point2 = self._last
            taken._last = size[rows], point1[rows], point2[rows]
        if self._creeping is not None:
            taken._creeping = self._creeping[rows]
        return taken


def apply(matrix: Floats, vector: Floats) -> Floats:
    """Return matrices (k, n, m) times vectors (k, m)."""
    product: Floats = (matrix @ vector[:, :, None])[:, :, 0]
    return product


def clipped(step: Floats, limit: float) -> Floats:
    """Return steps (k, n) cut to a length."""
    length = np.sqrt(dot(step, step))
    clipped: Floats = step * np.minimum(1.0, limit / np.maximum(length, 1e-300))[:, None]
    return clipped


def tangential(at: FeatureGeometry, step: Floats) -> Floats:
    """Return the displacements (k, 3) of steps (k, 2) along a feature's tangents."""
    return step[:, 0, None] * at.tangents[:, 0] + step[:, 1, None] * at.tangents[:, 1]
