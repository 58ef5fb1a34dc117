"""What the add-on adds to Blender, and that nothing of it stays behind."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any, cast

import bpy
import pytest

import physplace_addon
from physplace_addon import registration
from physplace_addon.operators.keys import keymaps
from physplace_addon.scene.reading.kept_bodies import kept
from physplace_addon.scene.reading.scenario import read
from physplace_addon.scene.reading.settings import settings_of
from tests.blender_data import current_scene, physplace, scene_settings
from tests.scene import scenes

ROOT = Path(__file__).resolve().parents[2]
REGISTERED_AND_ENDED = """
import physplace_addon
physplace_addon.register()
physplace_addon.unregister()
"""


class Broken(Exception):
    """What a part of Blender raises that does not work."""


def _present() -> bool:
    """Blender answers for operators that exist only."""
    return hasattr(bpy.types, "PHYSPLACE_OT_place")


def test_the_public_names_are_there() -> None:
    names = {"place", "check", "nudge", "push", "connect", "replicate", "extricate", "drop_selected"}
    assert names <= set(dir(physplace))
    assert scene_settings().eps_max > 0.0
    assert cast("Any", bpy.types).PHYSPLACE_PT_place.bl_category == "PhysPlace"


def test_the_last_report_stands_right_below_what_is_placed() -> None:
    panels: list[Any] = [cls for cls in registration.CLASSES if issubclass(cls, bpy.types.Panel)]
    inside = [each.bl_idname for each in panels if getattr(each, "bl_parent_id", "") == "PHYSPLACE_PT_place"]
    assert inside[0] == "PHYSPLACE_PT_report", "Blender draws panels in the order in which they are added"


def test_it_can_be_disabled_and_enabled_again() -> None:
    for _ in range(3):
        physplace_addon.unregister()
        assert not _present()
        assert not hasattr(current_scene(), "physplace")
        physplace_addon.register()
    assert _present()


def test_no_body_is_kept_once_it_is_disabled() -> None:
    scenes.activate(scenes.cube())
    read(bpy.context)
    assert len(kept) > 0
    physplace_addon.unregister()
    try:
        assert len(kept) == 0
    finally:
        physplace_addon.register()


@pytest.mark.parametrize(
    ("owner", "name", "at"),
    [
        (bpy.utils, "register_class", 1),
        (bpy.utils, "register_class", len(registration.CLASSES)),
        (bpy.props, "PointerProperty", len(registration.POINTERS)),
        (bpy.utils, "register_tool", 1),
        (keymaps, "added_keymaps", 1),
    ],
)
def test_if_a_part_cannot_be_added_nothing_is(
    monkeypatch: pytest.MonkeyPatch, owner: object, name: str, at: int
) -> None:
    physplace_addon.unregister()
    works = getattr(owner, name)
    calls: list[object] = []

    def breaks(*given: object, **named: object) -> object:
        calls.append(given)
        if len(calls) == at:
            raise Broken
        return works(*given, **named)

    with monkeypatch.context() as patched:
        patched.setattr(owner, name, breaks)
        with pytest.raises(Broken):
            physplace_addon.register()
    assert not [kind for kind in dir(bpy.types) if "physplace" in kind.lower()]
    assert not any(hasattr(kind, attribute) for kind, attribute, _ in registration.POINTERS)
    for moment, handler in registration.HANDLERS:
        assert handler not in getattr(bpy.app.handlers, moment)
    physplace_addon.register()
    assert _present()


@pytest.mark.slow
def test_python_ends_after_the_extension_was_there() -> None:
    """Whatever still holds a class then holds Blender's module, and the end of Python waits for that."""
    command = [sys.executable, "-c", REGISTERED_AND_ENDED]
    assert subprocess.run(command, cwd=ROOT, timeout=120.0, capture_output=True).returncode == 0


def test_every_operator_and_setting_says_what_it_does() -> None:
    for cls in registration.CLASSES:
        assert cls.__doc__
        if issubclass(cls, bpy.types.Operator):
            assert len(cls.bl_description) > 40
            assert not cls.bl_description.endswith(".")
    kinds = [scene_settings().bl_rna]
    kinds += [getattr(physplace, name).get_rna_type() for name in dir(physplace)]
    for kind in kinds:
        for prop in kind.properties:
            if prop.identifier not in {"rna_type", "name"}:
                assert len(prop.description) >= 10, prop.identifier


def test_settings_are_saved_with_the_scene() -> None:
    scene_settings().step_limit = 123
    copy = current_scene().copy()
    assert settings_of(copy).step_limit == 123
