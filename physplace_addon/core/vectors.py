"""Sums over small batches of 3D vectors (k, 3), written for few numpy calls: np.cross and norm cost more."""

from __future__ import annotations

import numpy as np

from .arrays import Floats


def dot(a: Floats, b: Floats) -> Floats:
    """Return the inner products (k,)."""
    product: Floats = np.einsum("ki,ki->k", a, b)
    return product


def length(vectors: Floats) -> Floats:
    """Return the lengths (k,)."""
    lengths: Floats = np.sqrt(np.einsum("ki,ki->k", vectors, vectors))
    return lengths


def unit(vectors: Floats) -> Floats:
    """Return the vectors divided by their lengths."""
    units: Floats = vectors / length(vectors)[:, None]
    return units


def cross(a: Floats, b: Floats) -> Floats:
    """Return the vector products."""
    out = np.empty_like(a)
    out[:, 0] = a[:, 1] * b[:, 2] - a[:, 2] * b[:, 1]
    out[:, 1] = a[:, 2] * b[:, 0] - a[:, 0] * b[:, 2]
    out[:, 2] = a[:, 0] * b[:, 1] - a[:, 1] * b[:, 0]
    return out


def columns(x: Floats, y: Floats, z: Floats) -> Floats:
    """Return vectors from their coordinates (k,)."""
    out = np.empty((len(x), 3))
    out[:, 0], out[:, 1], out[:, 2] = x, y, z
    return out
