"""The report of a rest in words, and its figures in the scene's units."""

from __future__ import annotations

import bpy
import pytest

from physplace_addon.scene.writing.report import Report, figures_of, last_report, sentence_of
from tests.blender_data import current_scene

BALANCED: Report = {
    "status": "BALANCED",
    "steps": 3,
    "overlap": 1.62e-17,
    "gap": 2.5e-3,
    "residual_force": 3e-17,
    "required_friction": 0.25,
    "stable": True,
    "rests_on": ["Table"],
    "notes": [],
}


@pytest.mark.parametrize(
    ("changed", "sentence"),
    [
        ({}, 'At rest on "Table", stable'),
        ({"stable": False}, 'At rest on "Table", but the least push tips it: Nudge lets it fall'),
        ({"rests_on": ["Bowl; large", "Table"]}, 'At rest on "Bowl; large" and "Table", stable'),
        ({"rests_on": []}, "At rest, stable"),
        ({"rests_on": "Bowl; Table"}, 'At rest on "Bowl" and "Table", stable'),  # by an earlier version
        ({"rests_on": "", "notes": ""}, "At rest, stable"),
        ({"rests_on": 3, "notes": 0.5}, "At rest, stable"),  # by a script
        ({"status": "BALANCED_BY_FRICTION"}, 'At rest on "Table", held by friction of at least 0.25'),
        (
            {"status": "INTERFERING_START", "notes": ['it overlaps "A; b"', "its mass is of its hull"]},
            'It overlaps "A; b": Extricate frees it, or move it clear',
        ),
        ({"status": "INTERRUPTED"}, "Left on its way: it overlaps nothing, but is not at rest"),
        ({"status": "NO_SUPPORT"}, "Nothing is below it: it would fall for ever"),
    ],
)
def test_the_sentence_says_on_what_it_rests_and_whether_it_stays(changed: Report, sentence: str) -> None:
    assert sentence_of({**BALANCED, **changed}) == sentence


@pytest.mark.parametrize(
    "stored", [{}, {"status": "BALANCED"}, {**BALANCED, "status": "OF_A_LATER_VERSION"}, 3]
)
def test_a_report_that_cannot_be_read_is_none(stored: object) -> None:
    obj = bpy.data.objects.new("Thing", None)
    obj["physplace_report"] = BALANCED
    assert last_report(obj) == BALANCED
    obj["physplace_report"] = stored
    assert last_report(obj) is None


def test_lengths_are_in_the_scene_s_units_and_rounding_is_nothing() -> None:
    units = current_scene().unit_settings
    units.system, units.scale_length = "METRIC", 1.0
    rows = {row.label: row.value for row in figures_of(BALANCED, current_scene())}
    assert rows["Overlap"] == "0 m"
    assert rows["Gap"] == "0.0025 m" or rows["Gap"] == "2.5 mm"
    assert rows["Residual force"] == "0"
    units.scale_length = 1000.0
    assert {row.label: row.value for row in figures_of(BALANCED, current_scene())}["Gap"].startswith("2.5")
