# SPDX-License-Identifier: GPL-3.0-or-later
"""What is drawn of a blob."""

from __future__ import annotations

import numpy as np

from ..core.arrays import Floats
from ..core.implicit.control.sculpting import SculptState
from ..overlay.disks import BlobMarks, Floaters
from .blob_rays import transformed


def marks_of(state: SculptState, frame: Floats) -> BlobMarks:
    """A surface and its control points in the world, where frame (4, 4) brings them."""
    floaters = Floaters(state.floaters.positions, state.floaters.normals, state.floaters.radii).moved(frame)
    ends = np.stack([state.controls.position, state.controls.target], axis=1)
    world = transformed(frame, ends.reshape(-1, 3)).reshape(-1, 2, 3)
    return BlobMarks(floaters, world[:, 0], state.stuck, world[state.controls.free])
