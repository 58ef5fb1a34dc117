"""Boxes about where a sum of Gaussians can reach a bias."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ..arrays import Floats
from .fields import Field

EMPTY = np.array([[np.inf] * 3, [-np.inf] * 3])
_SHARES = np.linspace(0.0, 1.0, 21)  # of the way, that are tried at once
_SIDES, _ROUNDS = np.arange(6), 3
_ROUNDING = 1e-13


def box_of_sum(bias: float, fields: Sequence[Field]) -> Floats:
    """Return a box (2, 3) that holds all places where the fields' sum is at least the bias, or EMPTY.

    Along an axis a Gaussian is at most that of the distance by which a place lies beyond its element.
    The sum of these falls outwards: what lies beyond the place where it is the bias is free of the surface.
    """
    spans = np.concatenate([field.spans for field in fields] or [np.zeros((0, 2, 3))])
    radii = np.concatenate([field.radii for field in fields] or [np.zeros(0)])
    spans, radii = spans[radii > 0.0], radii[radii > 0.0]
    if not 0.0 < bias < len(radii):
        return EMPTY.copy()
    edges = np.concatenate((-spans[:, 0], spans[:, 1]), axis=1).T
    low, high = edges.min(axis=1), (edges + radii * np.sqrt(np.log(len(radii) / bias))).max(axis=1)
    for _ in range(_ROUNDS):
        tried = low[:, None] + (high - low)[:, None] * _SHARES
        beyond = np.maximum(tried[..., None] - edges[:, None], 0.0)
        beyond /= radii
        beyond *= -beyond
        above = np.exp(beyond).sum(axis=-1) >= bias * (1.0 - _ROUNDING)
        last = np.clip(above.sum(axis=1), 1, len(_SHARES) - 1)
        low, high = tried[_SIDES, last - 1], tried[_SIDES, last]
    box = np.stack((-high[:3], high[3:]))
    return box if (box[0] <= box[1]).all() else EMPTY.copy()
