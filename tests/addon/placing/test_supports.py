"""A report names what carries the object."""

from __future__ import annotations

from tests.addon.running import place
from tests.scene import scenes


def test_a_cube_on_two_others_rests_on_both_and_on_nothing_else() -> None:
    scenes.floor("Ground")
    scenes.cube("Far", (7.0, 0.0, 1.0))
    scenes.cube("Left", (-1.5, 0.0, 1.0))
    scenes.cube("Right", (1.5, 0.0, 1.0))
    report = place(scenes.cube("Top", (0.0, 0.0, 4.0)))
    assert set(report["rests_on"]) == {"Left", "Right"}


def test_what_carries_most_is_named_first() -> None:
    scenes.cube("Left", (-1.2, 0.0, 1.0))
    scenes.cube("Right", (1.8, 0.0, 1.0))
    report = place(scenes.cube("Top", (0.0, 0.0, 4.0)))
    assert report["rests_on"] == ["Left", "Right"]
