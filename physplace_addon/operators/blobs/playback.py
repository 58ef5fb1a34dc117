# SPDX-License-Identifier: GPL-3.0-or-later
"""Keyed blobs are shown on every frame that the scene goes to, as their surfaces come to be there.

Nothing is written: the elements stay as they are keyed until the blob is baked.  What is shown is drawn by
the overlay, and is gone as soon as anything of the blob is changed, until the next frame.  A frame that comes
after those that are solved is solved at once, while Blender changes to it.  Before any other, Blender must go
through the frames between, which a handler cannot have it do: a timer does, and then solves them, a part in
each tick, while the cursor tells how far it is.
Between frames nothing is solved, and nothing shown.
Rendering has no overlay, and nothing is done for it.
"""

from __future__ import annotations

from collections.abc import Sequence
from enum import Enum, auto
from time import perf_counter

import bpy
from bpy.types import Action, Context, Depsgraph, Object, Scene

from ...core.errors import PhysPlaceError
from ...overlay.disks import BlobMarks
from ...overlay.drawing import Drawing
from ...scene.access import (
    custom_properties,
    persistent,
    present,
    scene_of,
    view_layer_of,
    window_manager_of,
)
from ...scene.blobs import frames
from ...scene.blobs.frames import BlobFrames, is_animated, read_frames
from ...scene.blobs.objects import PLAY, family_of, is_whole_blob
from ..common import in_a_window, waiting
from ..modal import BETWEEN_TICKS, ModalOperator
from ..preferences import tick_seconds
from .rays import marks_of


class Progress(Enum):
    """How far what shall be shown is."""

    DONE = auto()
    BEHIND = auto()  # other frames must be gone to first
    SOLVING = auto()  # more is to be solved


class Playback:
    """What is known of the keyed blobs of a scene, by name, and the drawing of what is shown of them."""

    def __init__(self) -> None:
        self.problem = ""
        self.is_reading = False
        self._tells = False
        self._blobs: tuple[str, ...] | None = None
        self._frames: dict[str, BlobFrames] = {}
        self._marks: dict[str, BlobMarks] = {}
        self._drawing: Drawing | None = None

    @property
    def marks(self) -> dict[str, BlobMarks]:
        """What is shown of each blob."""
        return self._marks

    def forget(self) -> None:
        """Show nothing, and read and solve all anew."""
        self._frames.clear()
        self._blobs = None
        self.show_marks({})

    def heed(self, depsgraph: Depsgraph) -> bool:
        """Look for blobs anew after something was changed; tell whether what is known may be wrong now."""
        self._blobs = None
        objects = bpy.data.objects
        if any(not self._is_seen(name) for name in self._marks):
            return True
        known = [objects[name] for name in self._frames if name in objects]
        own = {obj.name for blob in known for obj in family_of(blob)}
        changed = [present(update.id) for update in depsgraph.updates]
        return any(isinstance(each, Action) or each.name in own for each in changed)

    def show(self, context: Context, *, may_go: bool) -> Progress:
        """Show the frame that the scene is in, if that is done within a tick, and other frames need not be
        gone to, or may be. What is wrong with a blob is said by `problem`, and nothing is shown.
        """
        self.problem = ""
        try:
            return self._show(context, may_go)
        except PhysPlaceError as error:
            self.forget()
            self.problem = str(error)
            return Progress.DONE

    def _show(self, context: Context, may_go: bool) -> Progress:
        frame = scene_of(context).frame_current
        hides = bool(ModalOperator._open) or scene_of(context).frame_subframe != 0.0
        blobs = [] if hides else [each for each in self._seen(context) if is_keyed(each)]
        keyed = [self._known(blob, scene_of(context)) for blob in blobs]
        goes = not all(each.is_read(frame) or each.is_next(frame) for each in keyed)
        if goes and not may_go:
            self.show_marks({})
            return Progress.BEHIND
        self._read(context, keyed, goes)
        end = perf_counter() + tick_seconds(context)
        part = min((each.solve(frame, end) for each in keyed), default=1.0)
        if part < 1.0:
            self.show_marks({}, part)
            return Progress.SOLVING
        solved = {each.name: each.at(frame) for each in keyed}
        self.show_marks({name: marks_of(state, model.frame) for name, (model, state) in solved.items()})
        frames.solved.update({name: model for name, (model, _) in solved.items()})
        return Progress.DONE

    def _seen(self, context: Context) -> list[Object]:
        """The blobs of the view layer that are seen; they are looked for when something was changed."""
        objects = view_layer_of(context).objects
        if self._blobs is None or any(name not in objects for name in self._blobs):
            self._blobs = tuple(obj.name for obj in objects if is_whole_blob(obj))
        return [objects[name] for name in self._blobs if objects[name].visible_get()]

    def _is_seen(self, name: str) -> bool:
        objects = view_layer_of(bpy.context).objects
        return name in objects and objects[name].visible_get()

    def _known(self, blob: Object, scene: Scene) -> BlobFrames:
        """What is known of a blob, unless it has become another one."""
        known = self._frames.get(blob.name)
        if known is None or known.first != scene.frame_start or not known.holds(scene.frame_current):
            known = self._frames[blob.name] = BlobFrames(blob, scene.frame_start)
        return known

    def _read(self, context: Context, frames: Sequence[BlobFrames], goes: bool) -> None:
        self.is_reading = True
        try:
            with waiting(context.window if goes else None):
                read_frames(context, frames, scene_of(context).frame_current)
        finally:
            self.is_reading = False

    def show_marks(self, marks: dict[str, BlobMarks], part: float | None = None) -> None:
        """Draw the blobs so, and no others; the cursor tells how much is done, if not all."""
        frames.solved.clear()
        self._marks = marks
        if not marks and self._drawing is not None:
            self._drawing.close()
        if self._drawing is None or not self._drawing.is_open:
            self._drawing = Drawing() if marks else None
        if self._drawing is not None:
            self._drawing.show_layers([layer for each in marks.values() for layer in each.layers()])
        self._tell(part)

    def _tell(self, part: float | None) -> None:
        manager = window_manager_of(bpy.context)
        if part is not None and not self._tells:
            manager.progress_begin(0.0, 1.0)
        elif part is None and self._tells:
            manager.progress_end()
        self._tells = part is not None
        if part is not None:
            manager.progress_update(part)


def is_keyed(blob: Object) -> bool:
    """Whether a blob changes from frame to frame, and shall be shown."""
    return custom_properties(blob).get(PLAY, True) not in (False, 0) and is_animated(blob)


playback = Playback()


def _go() -> None:
    """Go to the frames that were not read; called by Blender's timer."""
    with in_a_window() as context:
        if playback.show(context, may_go=True) is Progress.SOLVING:
            bpy.app.timers.register(_go_on, first_interval=BETWEEN_TICKS)


def _go_on() -> float | None:
    """Solve more of what was read, in each tick of Blender's timer: the artist may be at work meanwhile."""
    with in_a_window() as context:
        return BETWEEN_TICKS if playback.show(context, may_go=False) is Progress.SOLVING else None


@persistent
def _on_frame(scene: Scene, depsgraph: Depsgraph) -> None:
    if bpy.app.background or playback.is_reading or depsgraph.mode == "RENDER":
        return
    with in_a_window() as context:
        progress = playback.show(context, may_go=False) if context.scene == scene else Progress.DONE
    function = {Progress.BEHIND: _go, Progress.SOLVING: _go_on}.get(progress)
    if function is not None and not bpy.app.timers.is_registered(function):
        bpy.app.timers.register(function)


@persistent
def _on_update(_scene: Scene, depsgraph: Depsgraph) -> None:
    changes = not playback.is_reading and depsgraph.mode != "RENDER"
    if changes and playback.heed(depsgraph):
        stop()


@persistent
def _on_replaced(*_: object) -> None:
    stop()


def stop() -> None:
    """Show nothing any more, until another frame."""
    for function in (_go, _go_on):
        if bpy.app.timers.is_registered(function):
            bpy.app.timers.unregister(function)
    playback.forget()


HANDLERS = (
    ("frame_change_post", _on_frame),
    ("depsgraph_update_post", _on_update),
    ("undo_post", _on_replaced),
    ("redo_post", _on_replaced),
    ("load_pre", _on_replaced),
)
