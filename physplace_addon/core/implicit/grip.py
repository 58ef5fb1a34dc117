"""The grip of dragged points: what keeps the surface from slipping out of the hand.

"Implicit surfaces are slippery" (Witkin and Heckbert 1994, section 5): the surface must follow a point only
across itself, F_x . p' + F_q . q' = 0, so a pull along it moves the point and leaves the surface.  A hand
that holds a piece of surface takes that piece along, and does not turn it.  So it is wished, and never at
the cost of a control point, that the normal n at a dragged point stays as it is.  For the tangents t of the
surface there,

    t . (F_xq q' + F_xx p') / |F_x| = 0.

Both second derivatives are differences of F_q and F_x at the points p + h t and p - h t.  Where the surface
is flat there is nothing to hold on to, and the wish is empty.
"""

from __future__ import annotations

import numpy as np

from ..arrays import Floats
from .function import ImplicitFunction


def grip(function: ImplicitFunction, place: Floats, way: Floats, h: float) -> tuple[Floats, Floats]:
    """Return rows (2 k, m) and what they are wished to be (2 k,), in turns of the normal, per unit of length.

    place (k, 3) are points of the surface, way (k, 3) how they move, h the distance of the differences.
    """
    _, gradient = function.gradient(place)
    slope = np.sqrt(np.einsum("ki,ki->k", gradient, gradient))
    firm = slope > 0.0
    along = _tangents(gradient[firm] / slope[firm, None])
    held, count = place[firm, None], 2 * int(firm.sum())
    ends = np.concatenate([(held + h * along).reshape(-1, 3), (held - h * along).reshape(-1, 3)])
    per = 1.0 / (2.0 * h * np.repeat(slope[firm], 2))
    _, normals = function.gradient(ends)
    turns = function.parameter_gradient(ends).toarray()
    by_way = np.einsum("ki,ki->k", normals[:count] - normals[count:], np.repeat(way[firm], 2, axis=0))
    return per[:, None] * (turns[:count] - turns[count:]), -per * by_way


def _tangents(normal: Floats) -> Floats:
    """Two directions (k, 2, 3) at right angles to unit normals (k, 3) and to each other."""
    axis = np.eye(3)[np.argmin(np.abs(normal), axis=1)]
    first = np.cross(normal, axis)
    first /= np.sqrt(np.einsum("ki,ki->k", first, first))[:, None]
    return np.stack([first, np.cross(normal, first)], axis=1)
