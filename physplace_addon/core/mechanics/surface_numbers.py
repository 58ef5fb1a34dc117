"""Which bodies touch at interface points: the m moving bodies are numbered first, then each fixed one."""

from __future__ import annotations

import numpy as np

from ..arrays import Ints
from ..contact.system import EDGE, FACE, FIXED, VERTEX, ContactSystem, InterfacePoints


def surface_numbers(system: ContactSystem, points: InterfacePoints) -> tuple[Ints, Ints]:
    """Return the numbers (k,), (k,) of the two bodies at each of the points: moving ones are 0 to m - 1, the
    fixed ones m and above, in the order of `system.parts`.
    """
    second = points.body2.copy()
    fixed = np.flatnonzero(second == FIXED)
    if len(fixed):
        second[fixed] = len(system) + _parts_of(system, points.take(fixed))
    return points.body1, second


def _parts_of(system: ContactSystem, points: InterfacePoints) -> Ints:
    """Return which of the fixed bodies (k,) points are on: their features are numbered body after body."""
    parts = np.zeros(len(points), np.intp)
    for dim, counts in (
        (FACE, [part.face_count for part in system.parts]),
        (EDGE, [part.edge_count for part in system.parts]),
        (VERTEX, [len(part.vertices) for part in system.parts]),
    ):
        rows = points.dim2 == dim
        parts[rows] = np.searchsorted(np.cumsum(counts), points.piece2[rows], side="right")
    return parts
