"""Where a ray meets an implicit surface first: what an artist points at.

The ray is cut into pieces, and those in whose boxes F is proven to have no zero are left out; what remains is
cut again, nearest first, until a piece is as short as the eye tells apart; there the change of sign is
bisected. A feature that the bounds see is not missed however thin it is; a ray that only grazes the surface
does not meet it.
"""

from __future__ import annotations

import numpy as np

from ..arrays import Floats
from .functions.base import ImplicitFunction

_PIECES = 64  # at first
_PARTS = 4  # of each piece, in a round
_ROUNDS = 7  # 64 * 4^7 pieces to the whole
_MOST = 512  # pieces that are followed, the nearest ones
_HALVINGS = 60


def first_hit(function: ImplicitFunction, origin: Floats, along: Floats, reach: float) -> float | None:
    """Return how far along a ray the surface is, in scene units; None if the ray misses it.

    origin (3,) is where the ray begins, along (3,) its direction, of unit length; reach is where it ends.
    """
    start, end = _within(function.box(), origin, along, reach)
    if not start < end:
        return None
    knots = np.linspace(start, end, _PIECES + 1)
    pieces = np.stack([knots[:-1], knots[1:]], axis=1)
    for _ in range(_ROUNDS):
        corners = origin + pieces[:, :, None] * along
        pieces = pieces[function.may_cross(corners.min(axis=1), corners.max(axis=1))][:_MOST]
        knots = np.linspace(pieces[:, 0], pieces[:, 1], _PARTS + 1, axis=1)
        pieces = np.stack([knots[:, :-1], knots[:, 1:]], axis=2).reshape(-1, 2)
    ends = function.value(origin + pieces.reshape(-1, 1) * along).reshape(-1, 2)
    crossing = np.flatnonzero((ends[:, 0] <= 0.0) != (ends[:, 1] <= 0.0))
    if not len(crossing):
        return None
    return _bisected(function, origin, along, pieces[crossing[0]], bool(ends[crossing[0], 0] <= 0.0))


def _within(box: Floats, origin: Floats, along: Floats, reach: float) -> tuple[float, float]:
    """From where to where the ray is within a box (2, 3)."""
    if (box[0] > box[1]).any():
        return 0.0, 0.0
    with np.errstate(divide="ignore", invalid="ignore"):
        ends = (box - origin) / along
    beside = (along == 0.0) & ((origin < box[0]) | (origin > box[1]))
    ends = np.where(along == 0.0, np.array([[-np.inf], [np.inf]]), np.sort(ends, axis=0))
    start, end = max(0.0, float(ends[0].max())), min(reach, float(ends[1].min()))
    return (start, end) if not beside.any() else (0.0, 0.0)


def _bisected(
    function: ImplicitFunction, origin: Floats, along: Floats, piece: Floats, begins_inside: bool
) -> float:
    near, far = piece.tolist()
    for _ in range(_HALVINGS):
        middle = 0.5 * (near + far)
        if (function.value((origin + middle * along)[None])[0] <= 0.0) == begins_inside:
            near = middle
        else:
            far = middle
    return float(0.5 * (near + far))
