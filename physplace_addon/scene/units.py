# SPDX-License-Identifier: GPL-3.0-or-later
"""Lengths as texts, in the units that a scene shows, and numbers that an artist types for lengths."""

from __future__ import annotations

from math import isfinite
from typing import Final

import bpy
from bpy.types import Scene

_DIGITS: Final = 6  # behind the point: as fine as Blender's own fields can be
_UNITS: Final = {  # how Blender writes the units that a scene can be told to prefer
    "KILOMETERS": "km",
    "METERS": "m",
    "CENTIMETERS": "cm",
    "MILLIMETERS": "mm",
    "MICROMETERS": "um",
    "MILES": "mi",
    "FEET": "ft",
    "INCHES": "in",
    "THOU": "thou",
}


def length_text(length: float, scene: Scene, digits: int = _DIGITS) -> str:
    """Return a length, scene units, as a text in the units of the scene.

    digits: behind the point, at most; what rounds to nothing is 0.
    """
    if not isfinite(length):
        return str(length)
    system = scene.unit_settings.system
    text = bpy.utils.units.to_string(system, "LENGTH", length * _scale(scene), precision=digits)
    return text.strip()  # without units Blender leaves the room for one


def length_of(number: str, scene: Scene) -> float:
    """Return the length, scene units, that a number means which is typed in a scene, as in Blender's Move.

    It counts in the unit that the scene prefers: in metres or feet where each length chooses its own. Blender
    is asked only for that unit: it reads texts as Python does, which refuses a number such as 05.
    """
    units = scene.unit_settings
    unit = bpy.utils.units.to_value(units.system, "LENGTH", "1", str_ref_unit=_UNITS.get(units.length_unit))
    return float(number) * unit / _scale(scene)


def _scale(scene: Scene) -> float:
    """Return how long a scene unit is, which Blender heeds only where it shows units."""
    units = scene.unit_settings
    return 1.0 if units.system == "NONE" else units.scale_length
