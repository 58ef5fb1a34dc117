"""Tools of the Newton iterations on many pairs at once: 2 x 2 systems, steps, and when a pair is finished."""

from __future__ import annotations

import numpy as np

from ...arrays import Bools, Floats, Ints
from ...vectors import dot
from ..features import FeatureGeometry

_CONVERGED = 1e-14  # of R: length of a correction that only rounding makes; the pair is finished
_STANDS_STILL = 1e-3  # part of a correction; a point that moves less is at the border of its domain
_CREEPS = 0.5  # part of a correction; a point that moves less is clipped, or slides along a border
_PATIENCE = 4  # rounds one after another that a pair may creep before it is given up


def inverse_2x2(a: Floats, smallest: float) -> Floats:
    """Return the inverses of symmetric matrices (k, 2, 2), eigenvalues raised to at least `smallest`."""
    values, vectors = eigen_2x2(a)
    inverse: Floats = np.einsum("kai,ki,kbi->kab", vectors, 1.0 / np.maximum(values, smallest), vectors)
    return inverse


def eigen_2x2(a: Floats) -> tuple[Floats, Floats]:
    """Return the eigenvalues (k, 2), ascending, and unit eigenvectors of symmetric matrices (k, 2, 2).

    The eigenvectors are the columns of the second result, (k, 2, 2).
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
    """Decides which pairs of an iteration go on.

    A pair is finished when its correction is no more than rounding.  It is given up when its points do not
    move although they should: they stand at the border of a domain or creep along it, and the extremal pair
    belongs to another feature.  Or it is still far from a minimum after some rounds: it slides to the end of
    its feature, or to a minimum that has nearer starts.

    radius: R, one for all or that of each pair (k,).
    patience: rounds one after another that a pair may be far from a minimum; None for any number.
    """

    def __init__(self, radius: float | Floats, patience: int | None = None) -> None:
        self._tolerance, self._patience = _CONVERGED * radius, patience
        self._last: tuple[Floats, Floats, Floats] | None = None
        self._creeping: Ints | None = None
        self._was_far: Ints | None = None

    def going(self, size: Floats, point1: Floats, point2: Floats, far: Bools | None = None) -> Bools:
        """Return which pairs (k,) go on.

        Args:
            size: (k,) the lengths of the corrections that the pairs would make next.
            point1, point2: (k, 3) the points that these corrections start from.
            far: (k,) which are far from a minimum there; None for none.
        """
        going = size > self._tolerance
        if far is not None and self._patience is not None:
            before = np.zeros(len(size), np.intp) if self._was_far is None else self._was_far
            self._was_far = np.where(far, before + 1, 0)
            going &= self._was_far < self._patience
        if self._last is not None and going.any():
            wanted, before1, before2 = self._last
            moved = np.abs(point1 - before1).max(axis=1) + np.abs(point2 - before2).max(axis=1)
            going &= moved >= _STANDS_STILL * wanted
            going &= self._crept(size, wanted, point1 - before1, point2 - before2) < _PATIENCE
        self._last = size, point1, point2
        return going

    def _crept(self, size: Floats, wanted: Floats, shift1: Floats, shift2: Floats) -> Ints:
        """Return for how many rounds (k,) both points have moved much less than their corrections."""
        moved = np.sqrt(np.maximum(dot(shift1, shift1), dot(shift2, shift2)))
        creeps = (moved < _CREEPS * wanted) & (size > _CREEPS * wanted)
        before = np.zeros(len(size), dtype=np.intp) if self._creeping is None else self._creeping
        self._creeping = np.where(creeps, before + 1, 0)
        return self._creeping

    def take(self, rows: Bools) -> Progress:
        """Return the progress of the given pairs alone."""
        taken = Progress(0.0, self._patience)
        taken._tolerance = at_rows(self._tolerance, rows)
        if self._last is not None:
            size, point1, point2 = self._last
            taken._last = size[rows], point1[rows], point2[rows]
        if self._creeping is not None:
            taken._creeping = self._creeping[rows]
        if self._was_far is not None:
            taken._was_far = self._was_far[rows]
        return taken


def apply(matrix: Floats, vector: Floats) -> Floats:
    """Return matrices (k, n, m) times vectors (k, m)."""
    product: Floats = (matrix @ vector[:, :, None])[:, :, 0]
    return product


def at_rows(lengths: float | Floats, rows: Bools) -> float | Floats:
    """Return lengths of the given rows, of lengths that are one for all or (k,)."""
    return lengths[rows] if isinstance(lengths, np.ndarray) else lengths


def clipped(step: Floats, limit: float | Floats) -> Floats:
    """Return steps (k, n), those longer than `limit`, one for all or (k,), shortened to it."""
    length = np.sqrt(dot(step, step))
    clipped: Floats = step * np.minimum(1.0, limit / np.maximum(length, 1e-300))[:, None]
    return clipped


def tangential(at: FeatureGeometry, step: Floats) -> Floats:
    """Return the displacements (k, 3) of steps (k, 2) along a feature's tangents."""
    return step[:, 0, None] * at.tangents[:, 0] + step[:, 1, None] * at.tangents[:, 1]
