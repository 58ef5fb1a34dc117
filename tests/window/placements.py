"""Placing a cube over a floor in the window, for tests that steer it."""

from __future__ import annotations

import importlib
from typing import Any

import bpy
import pytest
from mathutils import Vector

from tests.blender_data import physplace
from tests.scene import scenes
from tests.window import extension
from tests.window.user import User

START = 3.0


async def begun(user: User, *, until: float | None = 1.0) -> bpy.types.Object:
    """A cube above a floor, being placed; unless told it has come to rest, a height of 1."""
    scenes.floor()
    cube = scenes.cube("Cube", (0.0, 0.0, START))
    await placing(user, cube)
    if until is not None:
        await user.until(lambda: cube_at().z == pytest.approx(until, abs=1e-5))
    return cube


async def placing(user: User, mover: bpy.types.Object) -> None:
    """Begin to place an object, seen from the front, the mouse beside it."""
    mover.select_set(True)
    scenes.activate(mover)
    await user.look_from_the_front()
    user.scene_is_ready()
    await user.move_to(user.at((4.0, 0.0, 4.0)))
    with bpy.context.temp_override(window=user.window, area=user.area, region=user.region()):
        assert physplace.place("INVOKE_DEFAULT") == {"RUNNING_MODAL"}
    assert extension.open_sessions() == ["PHYSPLACE_OT_place"]


def cube_at(name: str = "Cube") -> Vector:
    return bpy.data.objects[name].matrix_world.translation.copy()


def operator() -> Any:
    """The operator that is running."""
    return extension.open_operators()[0]


def header() -> str:
    """What the view's header says of it."""
    text: str = operator().shown_header()
    return text


def assert_nothing_is_open() -> None:
    assert extension.open_sessions() == []
    drawing = importlib.import_module(f"{extension.MODULE}.overlay.drawing")
    assert drawing.open_drawings() == ()
