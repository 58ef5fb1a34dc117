"""How the quadrilaterals of a cage hang together: sides and smooth faces."""

from __future__ import annotations

import numpy as np
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components

from ...arrays import Ints
from ..bezier.joins import Joins
from .cage import Cage

SIDE = np.array([2, 1, 3, 0])  # the side of the square that each half-edge of a face runs along
RISING = np.array([True, True, False, False])  # whether it does by rising parameter


def joins_of(cage: Cage) -> Joins:
    """Return how the sides of quadrilaterals are joined; smoothly unless the edge is sharp for ever."""
    shape = (len(cage.sizes), 4)
    twin = cage.twin.reshape(shape)
    paired = twin >= 0
    patch, side = np.where(paired, twin // 4, -1), np.where(paired, SIDE[twin % 4], -1)
    backwards = paired & (RISING[twin % 4] == RISING)
    smooth = paired & ~cage.sharp.reshape(shape)
    place = np.argsort(SIDE)
    return Joins(patch[:, place], side[:, place], backwards[:, place], smooth[:, place])


def faces_of(joins: Joins) -> Ints:
    """Return for each patch its face (n,): all that joins it smoothly."""
    count = len(joins.patch)
    patch, side = np.nonzero(joins.smooth)
    links = coo_array((np.ones(len(patch)), (patch, joins.patch[patch, side])), shape=(count, count))
    return np.asarray(connected_components(links, directed=False)[1], dtype=np.intp)


def joins_within(joins: Joins, own: Ints) -> Joins:
    """Return the joins of one face's patches (m,), numbered anew, without its creases."""
    new = np.full(len(joins.patch), -1, dtype=np.intp)
    new[own] = np.arange(len(own))
    smooth = joins.smooth[own]
    patch = np.where(smooth, new[joins.patch[own]], -1)
    return Joins(patch, np.where(smooth, joins.side[own], -1), joins.backwards[own], smooth)
