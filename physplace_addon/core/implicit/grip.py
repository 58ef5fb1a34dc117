"""The grip of dragged points: what keeps the surface from slipping out of the hand.

"Implicit surfaces are slippery" (Witkin and Heckbert 1994, section 5): the surface must follow a point only
across itself, F_x . p' + F_q . q' = 0, so a pull along it moves the point and leaves the surface.  A hand
that holds a piece of surface takes that piece along, and does not turn it.  So it is wished, and never at
the cost of a control point, that the normal at a dragged point stays as it is.  With T of two unit vectors
across it,

    T (F_xq q' + F_xx p') / |F_x| = 0.

Both second derivatives are differences of F_q and F_x at places beside the point.  Where the surface is flat
there is nothing to hold on to, and the wish is empty.
"""

from __future__ import annotations

import numpy as np

from ..arrays import Floats

_AXES = np.concatenate([np.eye(3), -np.eye(3)])


def places_beside(places: Floats, h: float) -> Floats:
    """Return the places (6 k, 3) at a distance of h along the axes from places (k, 3)."""
    return np.asarray((places[:, None] + h * _AXES).reshape(-1, 3))


def across(normals: Floats) -> Floats:
    """Return two unit vectors (k, 2, 3) at right angles to each other and to each unit vector (k, 3).

    They are what is left of the axes x and y in the mirror that makes the axis z the normal, or its opposite.
    """
    between = normals.copy()
    between[:, 2] += np.copysign(1.0, normals[:, 2])
    shares = between[:, :2] / np.abs(between[:, 2:])
    return np.asarray(_AXES[:2] - shares[:, :, None] * between[:, None])


def grip(normal: Floats, weight: Floats, gradients: Floats, rates: Floats, h: float) -> tuple[Floats, Floats]:
    """Return how the unit normal at k points turns: by the parameters (2 k, m), and by the points' own motion
    (k, 2, 3), per unit of length.

    normal (k, 3) is it, weight (k,) 1 / |F_x|; gradients (6 k, 3) and rates (6 k, m) are F_x and F_q, or what
    is linear in it, at `places_beside` the points.
    """
    count, unknowns = len(normal), rates.shape[1]
    along = (0.5 / h) * weight[:, None, None] * across(normal)
    beside = gradients.reshape(count, 6, 3)
    bends = along @ (beside[:, :3] - beside[:, 3:])
    beside = rates.reshape(count, 6, unknowns)
    turns = along @ (beside[:, :3] - beside[:, 3:])
    return turns.reshape(2 * count, unknowns), bends
