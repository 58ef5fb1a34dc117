# SPDX-License-Identifier: GPL-3.0-or-later
"""Lengths as texts, in the units that a scene shows."""

from __future__ import annotations

from math import isfinite
from typing import Final

import bpy
from bpy.types import Scene

_DIGITS: Final = 6  # behind the point: as fine as Blender's own fields can be


def length_text(length: float, scene: Scene, digits: int = _DIGITS) -> str:
    """Return a length, scene units, as a text in the units of the scene.

    digits: behind the point, at most; what rounds to nothing is 0.
    """
    if not isfinite(length):
        return str(length)
    units = scene.unit_settings
    return bpy.utils.units.to_string(units.system, "LENGTH", length * units.scale_length, precision=digits)
