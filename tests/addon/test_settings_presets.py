"""Names of presets of the scene's settings: each is shown as it is kept, and removed by what is shown."""

from __future__ import annotations

import re
import runpy
from math import pi
from pathlib import Path
from typing import Any, cast

import bpy
import numpy as np
import pytest
from mathutils import Euler, Vector

from physplace_addon.operators.settings_presets import (
    OF_A_SCENE,
    SHIPPED,
    SUBFOLDER,
    file_name,
    script_of,
    shown_name,
    shown_of_file,
)
from physplace_addon.scene.access import present
from physplace_addon.scene.writing.report import last_report
from tests.blender_data import animation_of, operators_of, physplace, scene_settings
from tests.scene import scenes

MANUAL = Path(__file__).resolve().parents[2] / "docs" / "manual.md"
PRESETS = {shown_of_file(path.name): path for path in SHIPPED.glob("*.py")}
NAMES = ("Weiche Möbel 2", "v1.5", "v1_5", "v1 5", "Soft!", " Soft", "50 %", "a:b", "a+b/c", "-1", "_x_")


@pytest.mark.parametrize("name", NAMES)
def test_what_is_shown_of_a_preset_is_a_name_of_its_file(name: str) -> None:
    shown = shown_name(name)
    assert shown == shown.strip() != ""
    assert file_name(shown) == file_name(name)
    assert bpy.path.display_name(f"{file_name(name)}.py", title_case=False) == shown
    assert shown_name(shown) == shown


def test_names_of_one_file_are_shown_as_one() -> None:
    assert {shown_name(name) for name in ("v1.5", "v1_5", "v1 5", " v1 5 ")} == {"v1 5"}
    assert {shown_name(name) for name in ("Soft", "Soft!", "?Soft")} == {"Soft"}


@pytest.mark.parametrize("name", ["", "   ", "???", "_", "% ."])
def test_what_has_no_letters_is_no_name(name: str) -> None:
    assert shown_name(name) == ""


@pytest.fixture(autouse=True)
def title(monkeypatch: pytest.MonkeyPatch) -> None:
    """Give the list of presets its title back: Blender names it after the one that was chosen last."""
    presets = cast("Any", bpy.types).PHYSPLACE_PT_settings_presets
    monkeypatch.setattr(presets, "bl_label", presets.bl_label)


def load(name: str) -> None:
    """Choose a preset from Blender's list."""
    found = cast("Any", bpy.utils).preset_find(name, SUBFOLDER, display_name=True)
    assert Path(found) == PRESETS[name]
    menu = "PHYSPLACE_PT_settings_presets"
    assert operators_of("script").execute_preset(filepath=found, menu_idname=menu) == {"FINISHED"}


def values() -> dict[str, object]:
    """All settings of the scene, by the names that the artist sees; those of simulations by their own."""
    settings = scene_settings()
    names = {prop.identifier: prop.name for prop in settings.bl_rna.properties}
    own = [name for name in names if name not in {"rna_type", "name", *OF_A_SCENE}]
    values = {name: getattr(settings, name) for name in own}
    return {
        name if name.startswith("body_") else names[name]: value if np.isscalar(value) else tuple(value)
        for name, value in values.items()
    }


def typed(label: str, text: str) -> object:
    """What the manual says of a setting, as its value."""
    (prop,) = [
        each
        for each in scene_settings().bl_rna.properties
        if each.name == label and not each.identifier.startswith("body_")
    ]
    if isinstance(prop, bpy.types.EnumProperty):
        return {item.name: item.identifier for item in prop.enum_items}[text]
    if isinstance(prop, bpy.types.BoolProperty):
        return {"on": True, "off": False}[text]
    return float(text)


def test_each_preset_that_is_shipped_sets_what_the_manual_says_and_all_else_to_its_default() -> None:
    default = values()
    rows = re.findall(r"^\| ([A-Z][\w ]*) \| .* \| (nothing|\*.*) \|$", MANUAL.read_text(), re.MULTILINE)
    assert {name for name, _ in rows} == PRESETS.keys()
    for name, said in rows:
        settings = scene_settings()
        settings.friction, settings.seed, settings.gravity = 0.9, 7, (1.0, 0.0, 0.0)
        settings.whole_models, settings.body_friction = False, 0.1
        load(name)
        differing = {label: value for label, value in values().items() if value != default[label]}
        expected = {label: typed(label, text) for label, text in re.findall(r"\*([^*]+)\* ([^,]+)", said)}
        assert differing == {
            label: value if isinstance(value, str | bool) else pytest.approx(value)
            for label, value in expected.items()
        }, name


def test_a_preset_that_is_shipped_is_written_as_those_of_an_artist_are() -> None:
    for name, path in PRESETS.items():
        load(name)
        written = runpy.run_path(str(path))
        assert written["settings"] == scene_settings()
        lines = [line for line in path.read_text().splitlines() if line.startswith("settings.")]
        assert lines == [
            line.replace("'", '"') for line in script_of(scene_settings()).splitlines() if "settings." in line
        ]


@pytest.mark.parametrize(("name", "slope"), [("Along the Ground", 0.1 * pi), ("Fragile and Upright", 0.0)])
def test_what_hangs_askew_stands_and_props_stand_along_the_ground(name: str, slope: float) -> None:
    scenes.floor().rotation_euler.x = slope
    box = scenes.cube("Box", (0.0, 0.0, 2.5))
    box.scale, box.rotation_euler = (0.5, 0.5, 1.5), (1.2, 0.3, 0.2)
    scenes.activate(box)
    load(name)
    physplace.place()
    up = 1.5 * np.array([0.0, -np.sin(slope), np.cos(slope)])
    np.testing.assert_allclose(scenes.world_matrix(box)[:3, 2], up, atol=1e-4)


def test_nothing_stays_on_an_edge_in_a_loose_heap_and_a_keyed_fall_has_few_keys() -> None:
    scenes.floor()
    cube = scenes.cube("Cube", (0.0, 0.0, 3.0))
    cube.rotation_euler.x = 0.25 * pi
    scenes.activate(cube)
    load("Loose Heap")
    physplace.place()
    assert cube.location.z == pytest.approx(1.0, abs=1e-4)
    cube.location.z, cube.rotation_euler = 4.0, (0.4, 0.2, 0.0)
    load("Keyed Fall")
    physplace.place()
    keys = present(animation_of(cube).action).frame_range
    assert cube.location.z == pytest.approx(1.0, abs=1e-4)
    assert keys[1] - keys[0] > 10


@pytest.mark.parametrize(("name", "steps"), [("Default", range(4, 23)), ("Exact Drop", range(23, 100))])
def test_shape_and_weight_alone_decide_where_the_presets_without_friction_lead(
    name: str, steps: range
) -> None:
    """Down a slope to a wall 0.4 away, in steps of at most 0.05 or 0.01 of the cube's radius, sqrt(3)."""
    slope = Euler((0.0, 0.35, 0.0))
    scenes.floor().rotation_euler = slope
    cube, wall = scenes.cube("Cube", (0.0, 0.0, 1.0)), scenes.cube("Wall", (2.4, 0.0, 1.0))
    for obj in (cube, wall):
        obj.location.rotate(slope)
        obj.rotation_euler = slope
    scenes.activate(cube)
    scene_settings().friction, scene_settings().eps_max = 0.9, 0.4
    load(name)
    physplace.place()
    rest = Vector((0.4, 0.0, 1.0))
    rest.rotate(slope)
    assert (cube.location - rest).length < 1e-4
    report = present(last_report(cube))
    assert report["status"] == "BALANCED"
    assert report["steps"] in steps


def test_a_small_overlap_at_the_start_is_freed_but_by_the_preset_that_keeps_it() -> None:
    scenes.floor()
    cube = scenes.cube("Cube", (0.0, 0.0, 0.995))
    scenes.activate(cube)
    load("Exact Drop")
    physplace.place()
    assert present(last_report(cube))["status"] == "INTERFERING_START"
    assert cube.location.z == pytest.approx(0.995, abs=1e-6)
    load("Default")
    physplace.place()
    assert present(last_report(cube))["status"] == "BALANCED"
    assert cube.location.z == pytest.approx(1.0, abs=1e-5)
