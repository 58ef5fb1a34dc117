# SPDX-License-Identifier: GPL-3.0-or-later
"""Live Check: contacts and overlaps of the active object are drawn while it is moved, by any tool.

Blender calls a handler after every change of the scene. A timer then checks once, before the views are drawn
again. After a check the timer waits as long as the check took, so that checks never take more than half of
the time. The live check ends with the file it was begun in.
"""

from __future__ import annotations

from time import perf_counter
from typing import TYPE_CHECKING

import bpy
from bpy.props import BoolProperty
from bpy.types import Context, Depsgraph, Object, PropertyGroup, Scene

from ...core.errors import PhysPlaceError
from ...core.placement.contact_query import QueriedContacts
from ...core.wording import counted
from ...overlay.drawing import Drawing, open_drawings
from ...overlay.marks import Marks, marks_of_found
from ...scene.access import active_object, extended, persistent, present, scene_of, window_manager_of
from ...scene.reading.settings import gravity_direction
from ...scene.reading.subjects.movers import whole_of
from ...scene.reading.watch import WatchedObject
from ...scene.units import length_text
from ..common import in_the_largest_view, no_active_object_reason
from ..handler_list import HandlerList
from ..modal import open_operators


class LiveCheck:
    """Checks the active object and draws what it finds, until it is closed; line: the figures in one line."""

    def __init__(self) -> None:
        self.line = ""
        self._drawing = Drawing()
        self._watched: WatchedObject | None = None

    @property
    def marks(self) -> Marks:
        """What is drawn."""
        return self._drawing.marks

    def forget(self) -> None:
        """Read the scene anew at the next check."""
        self._watched = None

    @property
    def is_open(self) -> bool:
        """Whether it still draws."""
        return self._drawing.is_open

    def check(self, context: Context) -> None:
        """Draw what the active object touches and overlaps now, and keep the figures."""
        marks, self.line = self._checked(context)
        self._drawing.show(marks)

    def _checked(self, context: Context) -> tuple[Marks, str]:
        reason = idle_reason(context, self._drawing)
        if reason is not None:
            return Marks.none(), reason
        try:
            active = present(active_object(context))
            found = self._found(context, whole_of(active))
            scene = scene_of(context)
            return marks_of_found(found, gravity_direction(scene)), summary(found, scene)
        except PhysPlaceError as error:
            self.forget()
            return Marks.none(), str(error)

    def _found(self, context: Context, obj: Object) -> QueriedContacts:
        found = self._watched.contacts(context, obj) if self._watched is not None else None
        if found is None:
            self._watched = WatchedObject.of(context, obj)
            found = self._watched.contacts(context, obj)
        if found is None:
            raise RuntimeError(f'"{obj.name}" changed while it was read')
        return found

    def close(self) -> None:
        """Stop drawing."""
        self._drawing.close()


def idle_reason(context: Context, own: Drawing) -> str | None:
    """Return why nothing can be checked now, or None; own: the drawing of the live check."""
    others = [drawing for drawing in open_drawings() if drawing is not own]
    if open_operators() or any(not drawing.layers for drawing in others):
        return "Another tool of PhysPlace draws the contacts"
    reason = no_active_object_reason(context)
    if reason is None:
        obj = active_object(context)
        if obj is not None and not obj.visible_get():
            return f'"{obj.name}" is hidden'
    return reason


def summary(found: QueriedContacts, scene: Scene) -> str:
    """Return the figures in one line: the deepest overlap, in a scene's units, and the contacts."""
    if found.overlap == float("inf"):
        return "Wholly inside something, or around it"
    overlap = f"Overlaps by {length_text(found.overlap, scene)}" if found.overlaps else "No overlap"
    return f"{overlap}, {counted(len(found.contacts), 'contact')}"


_running: list[LiveCheck] = []
_earliest = [0.0]


def running() -> LiveCheck | None:
    """Return the live check; None if it is off."""
    return _running[0] if _running else None


def start() -> None:
    """Switch the live check on; if it is on already, nothing happens."""
    if _running:
        return
    _running.append(LiveCheck())
    _handlers.add()
    _check_soon()


def stop() -> None:
    """Switch the live check off; if it is off already, nothing happens."""
    if not _running:
        return
    _handlers.remove()
    if bpy.app.timers.is_registered(_check):
        bpy.app.timers.unregister(_check)
    _running.pop().close()


def _get(_session: PropertyGroup) -> bool:
    return running() is not None


def _set(_session: PropertyGroup, on: bool) -> None:
    if on:
        start()
    else:
        stop()


class PhysPlaceSwitches(PropertyGroup):
    """Switches that are not saved with the file."""

    if TYPE_CHECKING:
        live_check: bool
    else:
        live_check: BoolProperty(
            name="Live Check",
            description=(
                "Show what the active object touches and overlaps while it is moved, by any tool. "
                "Ends when another file is opened"
            ),
            options={"SKIP_SAVE"},
            get=_get,
            set=_set,
        )


def switches_of(context: Context) -> PhysPlaceSwitches:
    """Return the switches, which are `window_manager.physplace`."""
    switches: PhysPlaceSwitches = extended(window_manager_of(context)).physplace
    return switches


def _check() -> None:
    """Check once; Blender's timer calls it."""
    live = running()
    if live is None:
        return
    if not live.is_open:
        stop()
        return
    began = perf_counter()
    with in_the_largest_view() as context:
        live.check(context)
    ended = perf_counter()
    _earliest[0] = ended + (ended - began)


def _check_soon() -> None:
    if not bpy.app.timers.is_registered(_check):
        bpy.app.timers.register(_check, first_interval=max(0.0, _earliest[0] - perf_counter()))


@persistent
def _on_update(_scene: Scene, depsgraph: Depsgraph) -> None:
    live = running()
    if live is None or depsgraph.mode == "RENDER":
        return
    if any(update.is_updated_geometry for update in depsgraph.updates):
        live.forget()
    _check_soon()


@persistent
def _on_replaced(*_: object) -> None:
    """Read anew after undo and redo, which replace what was read."""
    live = running()
    if live is not None:
        live.forget()
        _check_soon()


@persistent
def _on_frame(_scene: Scene, depsgraph: Depsgraph) -> None:
    if depsgraph.mode != "RENDER":
        _on_replaced()


@persistent
def _on_load(*_: object) -> None:
    stop()


_handlers = HandlerList(
    ("depsgraph_update_post", _on_update),
    ("frame_change_post", _on_frame),
    ("undo_post", _on_replaced),
    ("redo_post", _on_replaced),
    ("load_pre", _on_load),
)
