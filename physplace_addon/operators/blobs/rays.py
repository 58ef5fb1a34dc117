# SPDX-License-Identifier: GPL-3.0-or-later
"""What the mouse points at on a blob's surface, and the marks that are drawn of a blob.

The surface is computed in the blob's own coordinates; an affine map (4, 4) brings these to the world.
"""

from __future__ import annotations

from typing import Final

import numpy as np

from ...core.arrays import Floats
from ...core.implicit.control.state import SculptState
from ...core.implicit.functions.base import ImplicitFunction
from ...core.implicit.projection import projected
from ...core.implicit.ray_intersection import first_hit
from ...overlay.disks import BlobMarks, FloaterDisks
from ..view import View

REACH: Final = 1e4  # length of a ray over the distance of the view: how far an endless surface is looked for


def transformed(affine: Floats, places: Floats) -> Floats:
    """Return places (k, 3) after an affine map (4, 4)."""
    moved: Floats = places @ affine[:3, :3].T + affine[:3, 3]
    return moved


def inverse(affine: Floats) -> Floats:
    """Return the inverse of an affine map (4, 4)."""
    return np.asarray(np.linalg.inv(affine), dtype=np.float64)


def surface_under(function: ImplicitFunction, frame: Floats, view: View, mouse: Floats) -> Floats | None:
    """Return where a surface is under the mouse; None where it is not.

    Args:
        function: the surface, in its own coordinates.
        frame: the affine map (4, 4) from these to the world.
        view: the 3D view.
        mouse: the pixel (2,) of the view's region.

    Returns:
        The place (3,), in the surface's own coordinates.
    """
    origin, ray = view.ray(mouse)
    ends = transformed(inverse(frame), np.stack([origin, origin + ray]))
    along = ends[1] - ends[0]
    length = float(np.sqrt(along @ along))
    far = REACH * length * max(view.region_3d.view_distance, float(np.sqrt((origin**2).sum())))
    hit = first_hit(function, ends[0], along / length, far)
    return None if hit is None else ends[0] + hit * along / length


def surface_near(function: ImplicitFunction, place: Floats, size: float) -> Floats | None:
    """Return a place (3,) of a surface near a given one (3,), in its own coordinates; None if none is found.

    size: about how large the surface is.
    """
    near = projected(function, place[None], size / 8.0, rounds=40)
    value, gradient = function.gradient(near)
    slope = float(np.sqrt(np.einsum("ki,ki->k", gradient, gradient))[0])
    found = bool(np.isfinite(near).all()) and abs(float(value[0])) <= 1e-6 * size * slope
    return np.asarray(near[0]) if found else None


def blob_marks(state: SculptState, frame: Floats) -> BlobMarks:
    """Return the marks of a surface and its control points, in the world; frame (4, 4) brings them there."""
    found = state.floaters
    floaters = FloaterDisks(found.positions, found.normals, found.radii).moved(frame)
    ends = np.stack([state.controls.position, state.controls.target], axis=1)
    world = transformed(frame, ends.reshape(-1, 3)).reshape(-1, 2, 3)
    return BlobMarks(floaters, world[:, 0], state.stuck, world[state.controls.free])
