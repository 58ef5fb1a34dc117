# SPDX-License-Identifier: GPL-3.0-or-later
"""Playback: keyed blobs are shown on every frame that the scene goes to, as they are solved there.

The live mesh of a blob shows its surface, and the overlay its control points. Where a blob has no live mesh
the overlay shows its surface, too, by disks. No transform is written: the elements stay as they are keyed
until the blob is baked. As soon as anything of a blob is changed, nothing is drawn of it until the next
frame. The frame after those that are solved is solved at once, while Blender changes to it. Before any other
frame is solved, Blender must go through the frames between, which a handler cannot make it do. A timer does,
and then solves them, a part in each tick, and the cursor shows how far that is. Between frames nothing is
solved or drawn, and nothing is done for renders, which have no overlay.
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
from ...scene.access import custom_properties, evaluated_scene, persistent, present, scene_of, view_layer_of
from ...scene.blobs import frames
from ...scene.blobs.frames import BlobFrames, is_animated, read_frames
from ...scene.blobs.objects import PLAY, family_of, is_whole_blob
from ..common import CursorProgress, in_a_window, wait_cursor
from ..modal import open_operators
from ..preferences import tick_seconds
from ..session import BETWEEN_TICKS
from .live import follow_soon, live
from .rays import blob_marks


class Progress(Enum):
    """How far a frame is from being shown."""

    DONE = auto()
    BEHIND = auto()  # Blender must go to other frames first
    SOLVING = auto()  # there is more to solve


class Playback:
    """The solved frames of a scene's keyed blobs, by the blobs' names, and the drawing that shows them.

    problem: what is wrong with a blob that cannot be shown; "" for nothing. is_reading: whether Blender is
    taken through frames to read them.
    """

    def __init__(self) -> None:
        self.problem = ""
        self.is_reading = False
        self._cursor_progress = CursorProgress()
        self._blobs: tuple[str, ...] | None = None
        self._frames: dict[str, BlobFrames] = {}
        self._marks: dict[str, BlobMarks] = {}
        self._drawing: Drawing | None = None

    @property
    def marks(self) -> dict[str, BlobMarks]:
        """What is drawn of each blob, by its name."""
        return self._marks

    def forget(self) -> None:
        """Show nothing, and read and solve everything anew at the next frame."""
        self._frames.clear()
        self._blobs = None
        self.show_marks({})

    def is_outdated_by(self, depsgraph: Depsgraph) -> bool:
        """Return whether an update of the scene may make the solved frames wrong; find the blobs anew."""
        self._blobs = None
        objects = bpy.data.objects
        if any(not self._is_seen(name) for name in self._marks):
            return True
        known = [objects[name] for name in self._frames if name in objects]
        own = {obj.name for blob in known for obj in family_of(blob)}
        changed = [present(update.id) for update in depsgraph.updates]
        return any(isinstance(each, Action) or each.name in own for each in changed)

    def show(self, context: Context, *, may_go: bool) -> Progress:
        """Show the scene's frame, if it is solved within the time of a tick.

        may_go: whether Blender may be taken to other frames, if they are needed first. Where a blob is wrong,
        `problem` says so, and nothing is shown.
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
        hides = bool(open_operators()) or scene_of(context).frame_subframe != 0.0
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
        self.show_marks({name: blob_marks(state, model.frame) for name, (model, state) in solved.items()})
        frames.solved.update({name: model for name, (model, _) in solved.items()})
        return Progress.DONE

    def _seen(self, context: Context) -> list[Object]:
        """Return the visible blobs of the view layer; they are found anew after something was changed."""
        objects = view_layer_of(context).objects
        if self._blobs is None or any(name not in objects for name in self._blobs):
            self._blobs = tuple(obj.name for obj in objects if is_whole_blob(obj))
        return [objects[name] for name in self._blobs if objects[name].visible_get()]

    def _is_seen(self, name: str) -> bool:
        objects = view_layer_of(bpy.context).objects
        return name in objects and objects[name].visible_get()

    def _known(self, blob: Object, scene: Scene) -> BlobFrames:
        """Return the frames of a blob, new ones if it has become another blob."""
        known = self._frames.get(blob.name)
        if known is None or known.first != scene.frame_start or not known.is_unchanged(scene.frame_current):
            known = self._frames[blob.name] = BlobFrames(blob, scene.frame_start)
        return known

    def _read(self, context: Context, frames: Sequence[BlobFrames], goes: bool) -> None:
        self.is_reading = True
        try:
            with wait_cursor(context.window if goes else None):
                evaluated_scene(context)  # so that what a script has set is no change when it is read next
                read_frames(context, frames, scene_of(context).frame_current)
        finally:
            self.is_reading = False

    def show_marks(self, marks: dict[str, BlobMarks], part: float | None = None) -> None:
        """Draw marks of blobs, and no others; part: the part of the work that is done, None for all."""
        frames.solved.clear()
        self._marks = marks
        if not marks and self._drawing is not None:
            self._drawing.close()
        if self._drawing is None or not self._drawing.is_open:
            self._drawing = Drawing() if marks else None
        if self._drawing is not None:
            layers = [each.layers(with_disks=not _has_mesh(name)) for name, each in marks.items()]
            self._drawing.show_layers([layer for own in layers for layer in own])
        self._cursor_progress.show(part)


def _has_mesh(name: str) -> bool:
    """Return whether the mesh of a blob shows its surface."""
    return name in bpy.data.objects and live.is_seen(bpy.data.objects[name])


def is_keyed(blob: Object) -> bool:
    """Return whether a blob changes from frame to frame, and is to be shown."""
    return custom_properties(blob).get(PLAY, True) not in (False, 0) and is_animated(blob)


playback = Playback()


def _go() -> None:
    """Go to the frames that were not read; Blender's timer calls it."""
    with in_a_window() as context:
        progress = playback.show(context, may_go=True)
    if progress is Progress.SOLVING:
        bpy.app.timers.register(_go_on, first_interval=BETWEEN_TICKS)
    elif progress is Progress.DONE:
        follow_soon()


def _go_on() -> float | None:
    """Solve more of what was read; Blender's timer calls it, so that the artist can work meanwhile."""
    with in_a_window() as context:
        progress = playback.show(context, may_go=False)
    if progress is Progress.DONE:
        follow_soon()  # the meshes that followed the frame are of the elements as they are keyed
    return BETWEEN_TICKS if progress is Progress.SOLVING else None


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
    changes = not (playback.is_reading or live.is_refining) and depsgraph.mode != "RENDER"
    if changes and playback.is_outdated_by(depsgraph):
        stop()


@persistent
def _on_replaced(*_: object) -> None:
    stop()


def stop() -> None:
    """Show nothing until the next frame."""
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
