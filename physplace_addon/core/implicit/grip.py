"""The grip of dragged points: what keeps the surface from slipping out of the hand.

"Implicit surfaces are slippery" (Witkin and Heckbert 1994, section 5): the surface must follow a point only
across itself, F_x . p' + F_q . q' = 0, so a pull along it moves the point and leaves the surface.  A hand
that holds a piece of surface takes that piece along, and does not turn it.  So it is wished, and never at
the cost of a control point, that the normal n at a dragged point stays as it is.  With P = 1 - n n^T,

    P (F_xq q' + F_xx p') / |F_x| = 0.

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


def grip(normal: Floats, per: Floats, gradients: Floats, rates: Floats, way: Floats) -> tuple[Floats, Floats]:
    """Return how the normals at k points turn by the parameters (3 k, m), and by the points' ways (3 k,).

    normal (k, 3) are units; per (k,) is 1 / (2 h |F_x|), or that times a lever; gradients (6 k, 3) and rates
    (6 k, m) are F_x, and F_q or what is linear in it, at `places_beside` at a distance of h; way is (k, 3).
    """
    count, unknowns = len(normal), rates.shape[1]
    across = per[:, None, None] * (_AXES[:3] - normal[:, :, None] * normal[:, None, :])
    beside, bends = rates.reshape(count, 6, unknowns), gradients.reshape(count, 6, 3) @ way[:, :, None]
    turns = across @ (beside[:, :3] - beside[:, 3:])
    return turns.reshape(3 * count, unknowns), (across @ (bends[:, :3] - bends[:, 3:])).ravel()
