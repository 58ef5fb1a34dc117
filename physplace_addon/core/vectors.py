"""Inner products, vector products and lengths of many 3D vectors, for each order in which core stores them.

numpy.cross and numpy.linalg.norm take several times as long on the small batches of a solver's step.  There
are three orders in memory; a function says by its name which one it expects:

`dot`, `cross`, `length`, `unit`
    vectors along the last axis, (..., 3): what public functions take and return.
`coordinate_dot`, `coordinate_cross`, `coordinate_length`
    coordinate arrays, (3, ...): all x, then all y, then all z.  A sum or a maximum over the coordinates runs
    along contiguous rows, which is five to twenty times faster for some thousand vectors.
`column_dot`, `column_length`, `column_rows`
    vectors (k, 3) whose columns are contiguous (Fortran's order), as the floaters of a blob are stored.

`dot` and `length` round as numpy.einsum does, whose order of summation depends on the order in memory.  The
coordinate and column functions add x, y and z in this order, as numpy.linalg.norm does along an axis, so that
the same vectors give the same bits in both.
"""

from __future__ import annotations

import numpy as np

from .arrays import Floats, Ints

_NEXT = np.array([1, 2, 0])
_AFTER_NEXT = np.array([2, 0, 1])
_ONES = np.ones(3)


def dot(a: Floats, b: Floats) -> Floats:
    """Return the inner products (...) of vectors (..., 3); the shapes broadcast."""
    product: Floats = np.einsum("...i,...i->...", a, b)
    return product


def cross(a: Floats, b: Floats) -> Floats:
    """Return the vector products a x b (..., 3) of vectors (..., 3); the shapes broadcast.

    They are stored in the order of a where both shapes are the same.
    """
    out = np.empty_like(a) if a.shape == b.shape else np.empty(np.broadcast_shapes(a.shape, b.shape))
    out[..., 0] = a[..., 1] * b[..., 2] - a[..., 2] * b[..., 1]
    out[..., 1] = a[..., 2] * b[..., 0] - a[..., 0] * b[..., 2]
    out[..., 2] = a[..., 0] * b[..., 1] - a[..., 1] * b[..., 0]
    return out


def length(vectors: Floats) -> Floats:
    """Return the lengths (...) of vectors (..., 3)."""
    lengths: Floats = np.sqrt(np.einsum("...i,...i->...", vectors, vectors))
    return lengths


def unit(vectors: Floats) -> Floats:
    """Return the unit vectors (..., 3) of vectors (..., 3); NaN, with numpy's warning, where one is zero."""
    units: Floats = vectors / length(vectors)[..., None]
    return units


def length_and_unit(vectors: Floats) -> tuple[Floats, Floats]:
    """Return the lengths (...) and the unit vectors (..., 3) of vectors (..., 3); zero vectors stay zero."""
    lengths = length(vectors)
    return lengths, vectors / np.where(lengths > 0.0, lengths, 1.0)[..., None]


def directions_across(normals: Floats) -> Floats:
    """Return two unit vectors (k, 2, 3) at right angles to each other and to each unit vector (k, 3).

    They are the images of the axes x and y in the mirror that makes the axis z the normal, or its opposite.
    """
    between = normals.copy()
    between[:, 2] += np.copysign(1.0, normals[:, 2])
    shares = between[:, :2] / np.abs(between[:, 2:])
    return np.asarray(np.eye(3)[:2] - shares[:, :, None] * between[:, None])


def sines_of(cosines: Floats) -> Floats:
    """Return the sines (...), from 0 to 1, of angles with cosines (...); 0 where rounding leads beyond 1."""
    sines: Floats = np.sqrt(np.maximum(1.0 - cosines * cosines, 0.0))
    return sines


def from_coordinates(x: Floats, y: Floats, z: Floats) -> Floats:
    """Return the vectors (k, 3) that have these coordinates (k,)."""
    out = np.empty((len(x), 3))
    out[:, 0], out[:, 1], out[:, 2] = x, y, z
    return out


def coordinate_arrays(vectors: Floats) -> Floats:
    """Return vectors (k, 3) as contiguous coordinate arrays (3, k); (k, m, 3) become (m, 3, k)."""
    axes = (*range(1, vectors.ndim), 0)
    return np.ascontiguousarray(np.asarray(vectors, dtype=np.float64).transpose(axes))


def coordinate_dot(a: Floats, b: Floats) -> Floats:
    """Return the inner products (...) of coordinate arrays (3, ...)."""
    products = a * b
    product: Floats = products[0] + products[1] + products[2]  # a third of the time of a sum of three
    return product


def coordinate_cross(a: Floats, b: Floats) -> Floats:
    """Return the vector products a x b (3, ...) of coordinate arrays (3, ...)."""
    product: Floats = a.take(_NEXT, axis=0) * b.take(_AFTER_NEXT, axis=0)
    product -= a.take(_AFTER_NEXT, axis=0) * b.take(_NEXT, axis=0)
    return product


def coordinate_length(a: Floats) -> Floats:
    """Return the lengths (...) of coordinate arrays (3, ...)."""
    lengths: Floats = np.sqrt(coordinate_dot(a, a))
    return lengths


def column_dot(a: Floats, b: Floats) -> Floats:
    """Return the inner products (k,) of vectors (k, 3); a matrix product is faster than a sum."""
    return np.asarray((a * b) @ _ONES)


def column_length(vectors: Floats) -> Floats:
    """Return the lengths (k,) of vectors (k, 3)."""
    return np.asarray(np.sqrt(np.square(vectors) @ _ONES))


def column_rows(vectors: Floats, rows: Ints) -> Floats:
    """Return the given rows (m,) of vectors (k, 3) as vectors (m, 3) with contiguous columns again."""
    return vectors.T.take(rows, axis=1).T
