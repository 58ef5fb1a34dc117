"""Feet of fixed points on faces: the rounds of `relaxation` with a mover that stays where it is.

With offset D = P - B, outward normal N and second fundamental form h of the base in its frame E, and g = N .
D, the foot moves by A db = E.D, A = I - g h.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from ..arrays import Floats
from .features import FeatureGeometry, Features, dot
from .iteration import Progress, apply, clipped, inverse_2x2, tangential

_LONGEST = 0.3  # of R, on curved faces


def feet(point: Floats, base: Features, radius: float, rounds: int) -> tuple[Features, FeatureGeometry]:
    """Return the feet of points (k, 3) on base faces, from where these are, after so many rounds at most, and
    their geometry.  radius: the length R that tolerances and steps are relative to.
    """
    base = replace(base, param=base.param.copy())
    rows, live, progress = np.arange(len(point)), base, Progress(radius)
    for _ in range(rounds):
        at = live.geometry()
        step = _to_foot(point[rows], at, radius)
        going = progress.going(np.abs(step).max(axis=1), point[rows], at.point)
        if not going.any():
            break
        if not going.all():
            rows, live, progress = rows[going], live.take(np.nonzero(going)[0]), progress.take(going)
            at, step = at.take(going), step[going]
        live = live.moved(tangential(at, step))
        base.param[rows] = live.param
    return base, base.geometry()


def _to_foot(point: Floats, at: FeatureGeometry, radius: float) -> Floats:
    """The step (k, 2) to the foot; of a plane it is exact."""
    offset = point - at.point
    across = apply(at.tangents, offset)
    if not at.curvature.any():
        return across
    gap = dot(at.normal, offset)
    return clipped(
        apply(inverse_2x2(np.eye(2) - gap[:, None, None] * at.curvature, 0.1), across), _LONGEST * radius
    )
