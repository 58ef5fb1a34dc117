"""Names of presets of the scene's settings: each is shown as it is kept, and removed by what is shown."""

from __future__ import annotations

import bpy
import pytest

from physplace_addon.operators.settings_presets import file_name, shown_name

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
