"""Which bodies touch at interface points: the m moving bodies are numbered first, then each fixed one."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ..arrays import Ints
from ..bodies import Body
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
    for dim, counts in _feature_counts(system.parts):
        rows = points.dim2 == dim
        parts[rows] = np.searchsorted(np.cumsum(counts), points.piece2[rows], side="right")
    return parts


def features_before(bodies: Sequence[Body], dim: Ints, number: Ints) -> Ints:
    """Return how many features (k,) of a dimension (k,) so many of the bodies (k,), the first ones, have."""
    before = np.zeros(len(number), np.intp)
    for each, counts in _feature_counts(bodies):
        rows = dim == each
        before[rows] = np.cumsum([0, *counts])[number[rows]]
    return before


def _feature_counts(bodies: Sequence[Body]) -> tuple[tuple[int, list[int]], ...]:
    """Return each dimension of features, and how many of them each body has."""
    return (
        (FACE, [body.face_count for body in bodies]),
        (EDGE, [body.edge_count for body in bodies]),
        (VERTEX, [len(body.vertices) for body in bodies]),
    )
