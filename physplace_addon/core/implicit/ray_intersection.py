"""The first intersection of a ray with an implicit surface: what an artist points at.

The ray is cut into pieces. Those over whose boxes the proven range of F does not hold 0 are dropped, and the
nearest of the others are cut again, until pieces are shorter than a pixel. Then the first change of sign is
bisected. A part of the surface that the ranges show is not missed, however thin it is; a ray that only grazes
the surface does not meet it.
"""

from __future__ import annotations

import numpy as np

from ..arrays import Floats
from .functions.base import ImplicitFunction

_PIECES = 64  # pieces of the ray at first
_PARTS = 4  # parts into which each piece is cut in a round
_ROUNDS = 7  # rounds: the last pieces are 1 / (64 * 4^7), about 1e-6, of the ray within the box
_MOST = 512  # pieces that are followed in a round, the nearest ones
_HALVINGS = 60  # halvings of the last piece, down to rounding


def first_hit(function: ImplicitFunction, origin: Floats, along: Floats, reach: float) -> float | None:
    """Return how far along a ray it first meets the surface, in scene units; None if it does not.

    Args:
        function: F.
        origin: where the ray begins (3,).
        along: its direction (3,), of unit length.
        reach: how far it reaches, in scene units.
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
    """Return from where to where, in scene units, the ray is within a box (2, 3); 0, 0 if it is not."""
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
    """Return where F changes its sign on a piece (2,) of the ray, in scene units."""
    near, far = piece.tolist()
    for _ in range(_HALVINGS):
        middle = 0.5 * (near + far)
        if (function.value((origin + middle * along)[None])[0] <= 0.0) == begins_inside:
            near = middle
        else:
            far = middle
    return float(0.5 * (near + far))
