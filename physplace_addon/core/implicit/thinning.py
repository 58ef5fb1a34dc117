"""Clouds of points thinned out, and put into an order of no account."""

from __future__ import annotations

import numpy as np

from ..arrays import Floats
from .neighbours import near_pairs

_PLASTIC = 1.2207440846057596  # the root of x^4 = x + 1: the plastic ratio of three dimensions


def apart(points: Floats, least: Floats) -> Floats:
    """Return those of points (n, 3) that are left when none stays that has an earlier one that stays within
    the greater of their two distances `least` (n,); points that are not finite are left out.
    """
    finite = np.isfinite(points).all(axis=1)
    points, least = points[finite], least[finite]
    first, second = near_pairs(points, least)
    late, early = np.maximum(first, second), np.minimum(first, second)
    undecided, stays = np.ones(len(points), dtype=np.bool_), np.ones(len(points), dtype=np.bool_)
    while len(late):
        waits = np.zeros(len(points), dtype=np.bool_)
        waits[late] = True
        undecided &= waits
        stays[late[~undecided[early]]] = False
        open_ = undecided[early] & stays[early] & stays[late]
        late, early = late[open_], early[open_]
    return points[stays]


def scattered(count: int) -> Floats:
    """Return numbers (count, 3) from -1/2 to 1/2, evenly scattered and always the same."""
    steps = _PLASTIC ** -np.arange(1.0, 4.0)
    numbers: Floats = (np.arange(1.0, count + 1.0)[:, None] * steps) % 1.0 - 0.5
    return numbers


def shuffled(points: Floats) -> Floats:
    """Return points (n, 3) in an order that has nothing to do with where they are, always the same."""
    return points[np.argsort(scattered(len(points))[:, 0], kind="stable")]
