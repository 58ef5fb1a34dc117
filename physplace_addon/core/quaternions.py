"""Products and matrices of many unit quaternions, in two operations of numpy each.

They are what `rigid` gives, and bilinear: a constant matrix makes them of the sixteen products p_i q_j.  For
the few bodies of a step of joints that takes a fifth of the time.
"""

from __future__ import annotations

import numpy as np

from .arrays import Floats
from .rigid import quaternion_conjugate, quaternion_product

_UNITS = np.eye(4)


def product_table(conjugate: bool = False) -> Floats:
    """Return the matrix (16, 4) that makes p q, or p* q, of the sixteen products p_i q_j."""
    first = quaternion_conjugate(_UNITS) if conjugate else _UNITS
    table: Floats = quaternion_product(np.repeat(first, 4, axis=0), np.tile(_UNITS, (4, 1)))
    return table


def _matrix_table() -> Floats:
    """Return the matrix (16, 9) that makes a rotation matrix of the sixteen products q_i q_j.

    The columns of the rotation are the vector parts of q e_k q*.
    """
    table = np.zeros((16, 3, 3))
    for k in range(3):
        turned = quaternion_product(_UNITS, _UNITS[1 + k])
        both = quaternion_product(np.repeat(turned, 4, axis=0), np.tile(quaternion_conjugate(_UNITS), (4, 1)))
        table[:, :, k] = both[:, 1:]
    return table.reshape(16, 9)


_PRODUCT, _RELATIVE, _MATRIX = product_table(), product_table(conjugate=True), _matrix_table()


def products(p: Floats, q: Floats) -> Floats:
    """Return the products p q (k, 4) of quaternions (k, 4)."""
    return _of_pairs(p, q, _PRODUCT)


def relative_turns(p: Floats, q: Floats) -> Floats:
    """Return p* q (k, 4), the rotations q as seen from p, of unit quaternions (k, 4)."""
    return _of_pairs(p, q, _RELATIVE)


def matrices(q: Floats) -> Floats:
    """Return the rotation matrices (k, 3, 3) of unit quaternions (k, 4)."""
    return _of_pairs(q, q, _MATRIX).reshape(-1, 3, 3)


def _of_pairs(p: Floats, q: Floats, table: Floats) -> Floats:
    pairs: Floats = (p[:, :, None] * q[:, None]).reshape(-1, 16)
    return pairs @ table
