"""What the mouse points at on a blob.

What is drawn of a blob.
"""

from __future__ import annotations

import numpy as np

from ...core.arrays import Floats
from ...core.implicit.control.state import SculptState
from ...core.implicit.functions.base import ImplicitFunction
from ...core.implicit.projection import projected
from ...core.implicit.ray_intersection import first_hit
from ...overlay.disks import BlobMarks, Floaters
from ..view import View

# SPDX-License-Identifier: GPL-3.0-or-later




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


def surface_near(function: ImplicitFunction, place: Floats, size: float) -> Floats | None:
    """A place of a surface near one (3,), all in its own coordinates; None if none is found.

    size: about how large the surface is.
    """
    foot = projected(function, place[None], size / 8.0, rounds=40)
    value, slope = function.gradient(foot)
    steep = float(np.sqrt(np.einsum("ki,ki->k", slope, slope))[0])
    found = bool(np.isfinite(foot).all()) and abs(float(value[0])) <= 1e-6 * size * steep
    return np.asarray(foot[0]) if found else None


def nearest_pixel(places: Floats, view: View, mouse: Floats, pixels: float) -> int | None:
    """Which of some places (k, 3) of the world is next to the mouse, so many pixels off at most."""
    seen = [view.pixel(place) for place in places]
    off = [np.inf if at is None else float(np.hypot(*(at - mouse))) for at in seen]
    nearest = int(np.argmin(off)) if off else -1
    return nearest if off and off[nearest] <= pixels else None


# SPDX-License-Identifier: GPL-3.0-or-later






def blob_marks(state: SculptState, frame: Floats) -> BlobMarks:
    """A surface and its control points in the world, where frame (4, 4) brings them."""
    floaters = Floaters(state.floaters.positions, state.floaters.normals, state.floaters.radii).moved(frame)
    ends = np.stack([state.controls.position, state.controls.target], axis=1)
    world = transformed(frame, ends.reshape(-1, 3)).reshape(-1, 2, 3)
    return BlobMarks(floaters, world[:, 0], state.stuck, world[state.controls.free])
