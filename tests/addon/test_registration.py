"""What the add-on adds to Blender, and that nothing of it stays behind."""

from __future__ import annotations

import bpy

import physplace_addon
from physplace_addon import registration


def _present() -> bool:
    """Blender answers for operators that exist only."""
    return hasattr(bpy.types, "PHYSPLACE_OT_place")


def test_the_public_names_are_there() -> None:
    names = {"place", "check", "nudge", "push", "connect", "replicate", "extricate"}
    assert names <= set(dir(bpy.ops.physplace))
    assert bpy.context.scene.physplace.eps_max > 0.0
    assert bpy.types.PHYSPLACE_PT_place.bl_category == "PhysPlace"


def test_it_can_be_disabled_and_enabled_again() -> None:
    for _ in range(3):
        physplace_addon.unregister()
        assert not _present()
        assert not hasattr(bpy.context.scene, "physplace")
        physplace_addon.register()
    assert _present()


def test_every_operator_and_setting_says_what_it_does() -> None:
    for cls in registration.CLASSES:
        assert cls.__doc__
        if issubclass(cls, bpy.types.Operator):
            assert len(cls.bl_description) > 40
            assert not cls.bl_description.endswith(".")
    kinds = [bpy.context.scene.physplace.bl_rna]
    kinds += [getattr(bpy.ops.physplace, name).get_rna_type() for name in dir(bpy.ops.physplace)]
    for kind in kinds:
        for prop in kind.properties:
            if prop.identifier not in {"rna_type", "name"}:
                assert len(prop.description) >= 10, prop.identifier


def test_settings_are_saved_with_the_scene() -> None:
    bpy.context.scene.physplace.step_limit = 123
    copy = bpy.context.scene.copy()
    assert copy.physplace.step_limit == 123
