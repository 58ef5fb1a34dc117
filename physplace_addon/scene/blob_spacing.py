# SPDX-License-Identifier: GPL-3.0-or-later
"""How far the particles of a blob keep each other off, and how far its surface is looked for."""

from __future__ import annotations

import numpy as np

from ..core.arrays import Floats
from ..core.implicit.particles.floaters import FloaterSettings
from .blob_models import BlobModel
from .blobs import SIGMA
from .errors import SceneError

FINEST = 0.003  # of the size: about 120,000 particles on a ball
SHARE = 0.04  # of the size: a ball has about 680 particles
ROOM = 4.0  # elements' sizes beyond them: how far a surface without end is followed


def floater_settings(model: BlobModel) -> FloaterSettings:
    """The settings of the particles of a blob: as the artist asks, or by its size. Raises SceneError for ones
    too small.
    """
    box = model.function.box()
    ends = bool(np.all(np.isfinite(box)))
    bounds = None if ends else _room(model, box)
    shown = box if bounds is None else bounds
    size = float(np.max(shown[1] - shown[0])) if ends or bounds is not None else 1.0
    radius = model.sigma if model.sigma > 0.0 else SHARE * size
    if radius < FINEST * size:
        found = f'its property "{SIGMA}" is {radius:g}, which would be hundreds of thousands of particles'
        raise SceneError(model.name, found, f"set it to {FINEST * size:.2g} or more, or to 0")
    return FloaterSettings(radius=radius, bounds=bounds)


def _room(model: BlobModel, box: Floats) -> Floats | None:
    """A box (2, 3) about the elements, cut by that of the surface; None for a surface that is nowhere."""
    if np.any(box[0] > box[1]):
        return None
    centres = np.array([seat.centre for slot in model.slots for seat in slot.element.seats])
    size = max(seat.radius for slot in model.slots for seat in slot.element.seats)
    room = np.stack([centres.min(axis=0) - ROOM * size, centres.max(axis=0) + ROOM * size])
    cut = np.stack([np.maximum(room[0], box[0]), np.minimum(room[1], box[1])])
    return cut if np.all(cut[0] < cut[1]) else room
