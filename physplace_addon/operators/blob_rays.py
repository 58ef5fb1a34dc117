# SPDX-License-Identifier: GPL-3.0-or-later
"""What the mouse points at on a blob."""

from __future__ import annotations

import numpy as np

from ..core.arrays import Floats
from ..core.implicit.function import ImplicitFunction
from ..core.implicit.rays import first_hit
from .view import View

REACH = 1e4  # view distances: how far a surface without end is looked for


def transformed(affine: Floats, places: Floats) -> Floats:
    """Places (k, 3) after an affine map (4, 4)."""
    moved: Floats = places @ affine[:3, :3].T + affine[:3, 3]
    return moved


def inverse(affine: Floats) -> Floats:
    """The inverse of an affine map (4, 4)."""
    return np.asarray(np.linalg.inv(affine), dtype=np.float64)


def surface_under(function: ImplicitFunction, frame: Floats, view: View, mouse: Floats) -> Floats | None:
    """Where a surface is under the mouse (3,), in its own coordinates; None where it is not.

    frame (4, 4) brings these to the world.
    """
    origin, along = view.ray(mouse)
    ends = transformed(inverse(frame), np.stack([origin, origin + along]))
    way = ends[1] - ends[0]
    length = float(np.sqrt(way @ way))
    far = REACH * length * max(view.region_3d.view_distance, float(np.sqrt((origin**2).sum())))
    hit = first_hit(function, ends[0], way / length, far)
    return None if hit is None else ends[0] + hit * way / length
