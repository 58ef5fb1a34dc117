"""Lengths are told, and typed numbers taken, in the units of the scene."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import bpy
import pytest

from physplace_addon.scene.units import length_of, length_text
from tests.blender_data import current_scene


@pytest.fixture
def scene() -> Iterator[bpy.types.Scene]:
    units = current_scene().unit_settings
    before = units.system, units.scale_length, units.length_unit
    yield current_scene()
    units.system, units.scale_length, units.length_unit = before


@pytest.mark.parametrize(
    ("system", "scale", "unit", "expected"),
    [
        ("METRIC", 1.0, "METERS", 2.5),
        ("METRIC", 1.0, "CENTIMETERS", 0.025),
        ("METRIC", 0.001, "MILLIMETERS", 2.5),
        ("METRIC", 0.01, "ADAPTIVE", 250.0),
        ("IMPERIAL", 1.0, "INCHES", 0.0635),
        ("NONE", 0.001, None, 2.5),
    ],
)
def test_a_typed_number_counts_in_the_unit_that_the_scene_prefers(
    scene: bpy.types.Scene, system: str, scale: float, unit: str | None, expected: float
) -> None:
    units: Any = scene.unit_settings
    units.system, units.scale_length = system, scale
    if unit is not None:
        units.length_unit = unit
    assert length_of("2.5", scene) == pytest.approx(expected, rel=1e-6)
    assert length_of("-.5", scene) == pytest.approx(-expected / 5.0, rel=1e-6)
    assert length_of("05", scene) == pytest.approx(2.0 * expected, rel=1e-6)


def test_without_units_a_length_is_a_number_of_scene_units_whatever_their_scale(
    scene: bpy.types.Scene,
) -> None:
    scene.unit_settings.system, scene.unit_settings.scale_length = "NONE", 0.001
    assert length_text(2.5, scene) == "2.5"
