"""Scenes, and what an artist or a script may do in them while something is placed or dragged: by name, to be
drawn at random (see `sequences`).
"""

from __future__ import annotations

import contextlib
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import bpy

from tests.blender_data import current_scene, current_view_layer, operators_of, physplace
from tests.scene import scenes
from tests.window import extension
from tests.window.user import User

Event = tuple[Any, ...]


def _one() -> list[str]:
    scenes.floor()
    cube = scenes.cube("Cube", (0.0, 0.0, 3.0))
    cube.rotation_euler = (0.3, 0.2, 0.1)
    return ["Cube"]


def _two() -> list[str]:
    scenes.floor()
    scenes.cube("Cube", (0.0, 0.0, 2.0))
    scenes.cube("Other", (1.5, 0.0, 5.0))
    return ["Cube", "Other"]


def _family() -> list[str]:
    scenes.floor()
    scenes.cube("Below", (0.0, 0.0, 1.0))
    cube = scenes.cube("Cube", (0.2, 0.1, 4.0))
    cube.rotation_mode, cube.scale = "QUATERNION", (1.0, 0.5, -1.0)
    child = scenes.cube("Child", (0.0, 0.0, 1.5))
    child.parent = cube
    return ["Cube"]


def _ball() -> list[str]:
    scenes.floor()
    scenes.surface("Ball", "sphere", (0.0, 0.0, 3.0), radius=1.0)
    return ["Ball"]


def _nothing_below() -> list[str]:
    scenes.cube("Cube", (0.0, 0.0, 3.0))
    return ["Cube"]


def _overlapping() -> list[str]:
    scenes.floor()
    scenes.cube("Cube", (0.0, 0.0, 0.5))
    return ["Cube"]


SCENES: dict[str, Callable[[], list[str]]] = {
    "one": _one,
    "two": _two,
    "together": _two,
    "family": _family,
    "ball": _ball,
    "nothing below": _nothing_below,
    "overlapping": _overlapping,
}


class Performer:
    """Has the events of a sequence happen."""

    def __init__(self, user: User, scene: str) -> None:
        self.user = user
        self.together = scene == "together"
        self.is_over = self.holds = False
        self.movers = SCENES[scene]()
        for name in self.movers:
            bpy.data.objects[name].select_set(True)
        scenes.activate(bpy.data.objects[self.movers[0]])

    async def perform_all(self, events: tuple[Event, ...]) -> None:
        """Have events happen, until there is nothing left that can be placed."""
        for event in events:
            if not self.is_over:
                await self.perform(event)

    async def perform(self, event: Event) -> None:
        """Have one event happen; keys and buttons are for an operator that is under way."""
        kind, *words = event
        if kind in ("key", "click", "hold") and not extension.open_sessions():
            self._start("place")
        elif kind == "key" and not self._is_over_the_area():
            return
        elif kind == "key":
            self._key(*words)
        elif kind == "move":
            self._move(*words)
        elif kind in ("click", "hold", "release"):
            self._button(kind, *words)
        elif kind == "wait":
            await self.user.wait(*words)
        else:
            await getattr(self, f"_{words[0] if words else kind}_now")()

    def _start(self, name: str) -> None:
        operator = getattr(physplace, name)
        words = {"together": self.together} if name == "place" else {}
        with self._view():
            if not operator.poll():
                self.is_over = True
                return
            try:
                operator("INVOKE_DEFAULT", **words)
            except RuntimeError as refused:
                print(refused)
                self.is_over = True

    def _key(self, key: str, modifiers: tuple[str, ...]) -> None:
        self._button_or_key(key, modifiers, ("PRESS", "RELEASE"))

    def _button(self, kind: str, where: str, x: float, y: float, modifiers: tuple[str, ...]) -> None:
        self._move(where, x, y)
        values = {"click": ("PRESS", "RELEASE"), "hold": ("PRESS",), "release": ("RELEASE",)}[kind]
        self.holds = kind == "hold"
        self._button_or_key("LEFTMOUSE", modifiers, values)

    def _button_or_key(self, key: str, modifiers: tuple[str, ...], values: tuple[str, ...]) -> None:
        held = {name: name in modifiers for name in ("shift", "ctrl", "alt")}
        for name in modifiers:
            self.user._event(f"LEFT_{name.upper()}", "PRESS")
        for value in values:
            self.user._event(key, value, **held)
        for name in modifiers:
            self.user._event(f"LEFT_{name.upper()}", "RELEASE")

    def _move(self, where: str, x: float, y: float) -> None:
        window, region = self.user.window, self.user.region()
        place = (int(x * (window.width - 1)), int(y * (window.height - 1)))
        if where == "view":  # beside the bars that lie over it
            x, y = 0.15 + 0.7 * x, 0.05 + 0.7 * y
            place = (region.x + int(x * region.width), region.y + int(y * region.height))
        if where == "object" and self.movers[0] in bpy.data.objects:
            with contextlib.suppress(AssertionError):  # it may be out of sight
                place = self.user.at(bpy.data.objects[self.movers[0]].matrix_world.translation)
        self.user.place = place
        self.user._event("MOUSEMOVE", "NOTHING")

    def _is_over_the_area(self) -> bool:
        """Whether the mouse is where keys are the operator's, and not Blender's own."""
        area, (x, y) = self.user.area, self.user.place
        return area.x <= x < area.x + area.width and area.y <= y < area.y + area.height

    def _view(self) -> contextlib.AbstractContextManager[object]:
        return bpy.context.temp_override(
            window=self.user.window, area=self.user.area, region=self.user.region()
        )

    # what a script does

    async def _place_now(self) -> None:
        self._start("place")

    async def _drag_now(self) -> None:
        self._start("drag")

    async def _frame_now(self) -> None:
        current_scene().frame_set(current_scene().frame_current % 5 + 1)

    async def _save_now(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            bpy.ops.wm.save_as_mainfile(filepath=str(Path(folder, "meanwhile.blend")), copy=True)

    async def _no_file_now(self) -> None:
        with contextlib.suppress(RuntimeError):
            bpy.ops.wm.open_mainfile(filepath="/no such file.blend")

    async def _split_now(self) -> None:
        if len(self.user.window.screen.areas) < 3:
            with self._view():
                bpy.ops.screen.area_split(direction="VERTICAL", factor=0.5)

    async def _close_now(self) -> None:
        if len(self.user.window.screen.areas) > 1:
            with self._view():
                bpy.ops.screen.area_close()

    async def _workspace_now(self) -> None:
        before = self.user.window.workspace
        self.user.window.workspace = next(each for each in bpy.data.workspaces if each != before)
        await self.user.wait(3)
        self.user.window.workspace = before
        await self.user.until(lambda: self.user.window.workspace == before)
        await self.user.wait(2)

    async def _mode_now(self) -> None:
        with self._view():
            if not operators_of("object").mode_set.poll():
                return
            bpy.ops.object.mode_set(mode="EDIT")
        await self.user.until(lambda: not extension.open_sessions())
        with self._view():
            bpy.ops.object.mode_set(mode="OBJECT")

    async def _undo_now(self) -> None:
        with self._view():
            if operators_of("ed").undo.poll():
                bpy.ops.ed.undo()

    async def _redo_now(self) -> None:
        with self._view():
            if operators_of("ed").redo.poll():
                bpy.ops.ed.redo()

    async def _delete_mover_now(self) -> None:
        self._delete(self.movers[-1])

    async def _delete_floor_now(self) -> None:
        self._delete("Floor")

    def _delete(self, name: str) -> None:
        if name in bpy.data.objects:
            bpy.data.objects.remove(bpy.data.objects[name])

    async def _move_mover_now(self) -> None:
        for name in self.movers[:1]:
            if name in bpy.data.objects:
                bpy.data.objects[name].location.x += 0.5

    async def _hide_mover_now(self) -> None:
        for name in self.movers[:1]:
            if name in current_view_layer().objects:
                bpy.data.objects[name].hide_set(True)

    async def _deselect_now(self) -> None:
        current_view_layer().objects.active = None

    async def _load_now(self) -> None:
        bpy.ops.wm.read_homefile(use_factory_startup=True, use_empty=True)
        self.is_over = True
