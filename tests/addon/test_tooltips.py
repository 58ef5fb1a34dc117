"""Whatever an artist can press or set has a name and says what it does."""

from __future__ import annotations

from typing import Any

import bpy

from physplace_addon.registration import CLASSES, POINTERS
from tests.blender_data import physplace


def described() -> list[tuple[str, str, str]]:
    """What is shown of each operator, property and entry: where it is, its name, its description."""
    found = []
    for cls in CLASSES:
        own: Any = cls
        if issubclass(cls, bpy.types.Operator):
            own = getattr(physplace, own.bl_idname.split(".")[1]).get_rna_type()
            found.append((cls.__name__, own.name, own.description))
        elif issubclass(cls, bpy.types.PropertyGroup | bpy.types.AddonPreferences):
            own = own.bl_rna
        else:
            continue
        inherited = {prop.identifier for prop in own.base.properties} if own.base else set()
        for prop in own.properties:
            if prop.identifier not in inherited | {"rna_type"}:
                found.append((f"{cls.__name__}.{prop.identifier}", prop.name, prop.description))
                for item in prop.enum_items if prop.type == "ENUM" else ():
                    place = f"{cls.__name__}.{prop.identifier} {item.identifier}"
                    found.append((place, item.name, item.description))
    return found


def test_all_that_can_be_pressed_or_set_has_a_name_and_a_tooltip() -> None:
    everything = described()
    assert len(everything) > 200
    assert len(POINTERS) == 3
    assert [each for each in everything if not each[1].strip() or len(each[2].split()) < 2] == []


def test_no_tooltip_ends_with_a_full_stop_since_blender_adds_one() -> None:
    assert [each for each in described() if each[2].endswith(".")] == []
