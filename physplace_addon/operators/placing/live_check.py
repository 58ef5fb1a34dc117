# SPDX-License-Identifier: GPL-3.0-or-later
"""The live check: contacts and overlaps of the active object are drawn while it is moved by whatever tool.

Blender tells of every change of the scene; a timer then looks once, before the views are drawn again. After a
look it rests as long as that took, so that it never takes more than half of the time. It ends with the file
it was begun in.
"""

from __future__ import annotations

from collections.abc import Callable
from time import perf_counter
from typing import TYPE_CHECKING, Any

import bpy
from bpy.props import BoolProperty
from bpy.types import Context, Depsgraph, Object, PropertyGroup, Scene

from ...core.errors import PhysPlaceError
from ...core.placement.contact_query import Found
from ...core.wording import counted
from ...overlay.drawing import Drawing, open_drawings
from ...overlay.marks import Marks, marks_of_found
from ...scene.access import active_object, extended, persistent, present, scene_of, window_manager_of
from ...scene.blobs.objects import blob_of
from ...scene.reading.settings import gravity_direction
from ...scene.reading.watch import Watched
from ..common import in_a_window, why_not
from ..modal import ModalOperator


class LiveCheck:
    """Looks at the active object, draws what it finds and says it in a line, until it is closed."""

    def __init__(self) -> None:
        self.line = ""
        self._drawing = Drawing()
        self._watched: Watched | None = None

    @property
    def marks(self) -> Marks:
        """What is drawn."""
        return self._drawing.marks

    def forget(self) -> None:
        """Read the scene anew at the next look."""
        self._watched = None

    @property
    def is_open(self) -> bool:
        """Whether it still draws."""
        return self._drawing.is_open

    def look(self, context: Context) -> None:
        """Draw, and say, what the active object touches and overlaps now."""
        marks, self.line = self._seen(context)
        self._drawing.show(marks)

    def _seen(self, context: Context) -> tuple[Marks, str]:
        reason = why_not_now(context, self._drawing)
        if reason is not None:
            return Marks.none(), reason
        try:
            active = present(active_object(context))
            found = self._found(context, blob_of(active) or active)
            return marks_of_found(found, gravity_direction(scene_of(context))), line_of(found)
        except PhysPlaceError as error:
            self.forget()
            return Marks.none(), str(error)

    def _found(self, context: Context, obj: Object) -> Found:
        found = self._watched.found(context, obj) if self._watched is not None else None
        if found is None:
            self._watched = Watched.of(context, obj)
            found = self._watched.found(context, obj)
        if found is None:
            raise RuntimeError(f'"{obj.name}" changed while it was read')
        return found

    def close(self) -> None:
        """Take away what is drawn."""
        self._drawing.close()


def why_not_now(context: Context, own: Drawing) -> str | None:
    """The reason why there is nothing to see now, or None."""
    others = [drawing for drawing in open_drawings() if drawing is not own]
    if ModalOperator._open or any(not drawing.layers for drawing in others):
        return "Another tool of PhysPlace draws the contacts"
    reason = why_not(context)
    if reason is None:
        obj = active_object(context)
        if obj is not None and not obj.visible_get():
            return f'"{obj.name}" is hidden'
    return reason


def line_of(found: Found) -> str:
    """The figures in a line: how deep it overlaps, in scene units, and how many contacts it has."""
    if found.overlap == float("inf"):
        return "Wholly inside something, or around it"
    overlap = f"Overlaps by {found.overlap:.3g}" if found.overlaps else "No overlap"
    return f"{overlap}, {counted(len(found.contacts), 'contact')}"


_running: list[LiveCheck] = []
_earliest = [0.0]


def running() -> LiveCheck | None:
    """The live check, if it is on."""
    return _running[0] if _running else None


def start() -> None:
    """Switch the live check on; if it is on already, nothing happens."""
    if _running:
        return
    _running.append(LiveCheck())
    for handlers, handler in _handlers():
        handlers.append(handler)
    _look_soon()


def stop() -> None:
    """Switch the live check off; if it is off already, nothing happens."""
    if not _running:
        return
    for handlers, handler in _handlers():
        handlers.remove(handler)
    if bpy.app.timers.is_registered(_look):
        bpy.app.timers.unregister(_look)
    _running.pop().close()


def _get(_session: PropertyGroup) -> bool:
    return running() is not None


def _set(_session: PropertyGroup, on: bool) -> None:
    if on:
        start()
    else:
        stop()


class PhysPlaceSession(PropertyGroup):
    """What is switched on in this session of Blender, and is not saved."""

    if TYPE_CHECKING:
        live_check: bool
    else:
        live_check: BoolProperty(
            name="Live Check",
            description=(
                "Show what the active object touches and overlaps while it is moved, by whatever tool. "
                "Ends when another file is opened"
            ),
            options={"SKIP_SAVE"},
            get=_get,
            set=_set,
        )


def session_switches(context: Context) -> PhysPlaceSession:
    """What is switched on, as `window_manager.physplace`."""
    switches: PhysPlaceSession = extended(window_manager_of(context)).physplace
    return switches


def _look() -> None:
    """Look once; called by Blender's timer."""
    live = running()
    if live is None:
        return
    if not live.is_open:
        stop()
        return
    began = perf_counter()
    with in_a_window() as context:
        live.look(context)
    ended = perf_counter()
    _earliest[0] = ended + (ended - began)


def _look_soon() -> None:
    if not bpy.app.timers.is_registered(_look):
        bpy.app.timers.register(_look, first_interval=max(0.0, _earliest[0] - perf_counter()))


@persistent
def _on_update(_scene: Scene, depsgraph: Depsgraph) -> None:
    live = running()
    if live is None or depsgraph.mode == "RENDER":
        return
    if any(update.is_updated_geometry for update in depsgraph.updates):
        live.forget()
    _look_soon()


@persistent
def _on_replaced(*_: object) -> None:
    """Undo and redo put other data in the place of what was read."""
    live = running()
    if live is not None:
        live.forget()
        _look_soon()


@persistent
def _on_frame(_scene: Scene, depsgraph: Depsgraph) -> None:
    if depsgraph.mode != "RENDER":
        _on_replaced()


@persistent
def _on_load(*_: object) -> None:
    stop()


def _handlers() -> list[tuple[list[Any], Callable[..., None]]]:
    """Blender's lists of handlers, and what is in each of them while the live check is on.

    All are persistent, so that none goes but with the others, by `stop`.
    """
    handlers = bpy.app.handlers
    return [
        (handlers.depsgraph_update_post, _on_update),
        (handlers.frame_change_post, _on_frame),
        (handlers.undo_post, _on_replaced),
        (handlers.redo_post, _on_replaced),
        (handlers.load_pre, _on_load),
    ]
