"""In German, what PhysPlace says in the window is German, and fits."""

from __future__ import annotations

import importlib
import re
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, cast

import bpy

from tests.blender_data import active_object, physplace, preferences
from tests.window import extension
from tests.window.placements import begun, header
from tests.window.user import User

ENGLISH = re.compile(r"\b(the|is|it|of|to|and|with|at|by|for|that|not|step|state|contacts?|frame|paused)\b")
RUNS = (
    ("wall_and_crate", "simulate", r"Frame \d+ von"),
    ("figure_over_chair", "linkage_sit", "Schritt|Zustand"),
)
TRANSLATED = ("use_translate_interface", "use_translate_tooltips", "use_translate_reports")


@contextmanager
def german() -> Iterator[None]:
    """Blender is in German in the block, as far as it has words for it."""
    view: Any = preferences().view
    before = {name: getattr(view, name) for name in ("language", *TRANSLATED)}
    view.language = "de_DE"
    for name in TRANSLATED:
        setattr(view, name, True)
    try:
        yield
    finally:
        for name, value in before.items():
            setattr(view, name, value)


def shown() -> str:
    """What the view's header shows."""
    spoken = importlib.import_module(f"{extension.MODULE}.translations.spoken").spoken
    return cast("str", spoken(header()))


async def test_placing_is_in_german(user: User) -> None:
    with german():
        await begun(user)
        await user.open_tab()
        await user.wait(10)
        await user.screenshot("placing")
        assert shown().startswith('"Cube": in Ruhe'), shown()
        await user.press("H")
        await user.wait(5)
        await user.screenshot("keys")
        await user.press("H")
        await user.press("G")
        await user.wait(5)
        await user.screenshot("moving")
        assert "Bewegen" in shown(), shown()
        await user.press("ESC")
        await user.press("RET")
        await user.wait(10)
        await user.screenshot("placed")


async def test_simulating_and_sitting_are_in_german(user: User) -> None:
    with german():
        for example, operator, words in RUNS:
            with bpy.context.temp_override(window=user.window, area=user.area, region=user.region()):
                assert physplace.example_open("INVOKE_DEFAULT", example=example) == {"FINISHED"}
            await user.wait(5)
            await user.move_to(user.at(active_object().matrix_world.translation))
            with bpy.context.temp_override(window=user.window, area=user.area, region=user.region()):
                assert getattr(physplace, operator)("INVOKE_DEFAULT") == {"RUNNING_MODAL"}
            await user.until(lambda: re.search(words, shown()))  # noqa: B023
            await user.screenshot(operator)
            assert ENGLISH.search(re.sub(r'"[^"]*"', "", shown())) is None, shown()
            await user.press("ESC")
            await user.until(lambda: not extension.open_sessions())
