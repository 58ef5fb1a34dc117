"""Whatever an artist can press or set has a name and says what it does."""

from __future__ import annotations

from tests.addon.shown_strings import described


def test_all_that_can_be_pressed_or_set_has_a_name_and_a_tooltip() -> None:
    everything = described()
    assert len(everything) > 200
    assert [each for each in everything if not each[1].strip() or len(each[2].split()) < 2] == []


def test_no_tooltip_ends_with_a_full_stop_since_blender_adds_one() -> None:
    assert [each for each in described() if each[2].endswith(".")] == []
