# SPDX-License-Identifier: GPL-3.0-or-later
"""A blob frame by frame: what is keyed in each frame, and the surface solved from it.

A frame is solved from the one before it, and all of them from the first. Each frame's elements and control
points must be read as they are keyed there, and only Blender can evaluate that, by a change of frame. The
scene's present frame is read without a change. What was read and solved is kept until something changes.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from time import perf_counter

import bpy
from bpy.types import Context, Depsgraph, Object, Scene

from ...core.implicit.control.keyed_sculpting import KeyedFrame, KeyedSculpting
from ...core.implicit.control.state import SculptState
from ..access import custom_properties, evaluated_scene, present, scene_of
from ..errors import SceneError
from ..writing.animated_values import AnimatedValues
from .models import BlobModel, read_blob, sculpt_settings
from .objects import as_read, family_of, read_in

UNBAKED = "physplace_unbaked"  # on a baked element: its values before the bake

solved: dict[str, BlobModel] = {}  # keyed blobs that playback shows now, by name, as it has solved them
_rendered: dict[str, BlobFrames] = {}  # keyed blobs as the last render has solved them, by name


class BlobFrames:
    """A blob, held by name, in the frames from the first on."""

    def __init__(self, blob: Object, first: int) -> None:
        self.name, self.first = blob.name, first
        self._is_baked = is_baked(blob)
        self._models: list[BlobModel] = []
        self._solver: KeyedSculpting | None = None

    def model(self, frame: int) -> BlobModel:
        """Return the blob as it is keyed in a frame that was read; the first one for earlier frames."""
        return self._models[max(frame - self.first, 0)]

    def is_read(self, frame: int) -> bool:
        """Return whether all frames needed to solve a frame were read."""
        return max(frame - self.first, 0) < len(self._models)

    @property
    def next(self) -> int:
        """The frame after those that were read."""
        return self.first + len(self._models)

    def is_next(self, frame: int) -> bool:
        """Return whether a frame comes right after those that were read."""
        return frame == self.next

    def is_unchanged(self, frame: int) -> bool:
        """Return whether the present blob is what was read in a frame, if it was. Raises SceneError."""
        at = frame - self.first
        if not 0 <= at < len(self._models):
            return True
        return _is_as(read_blob(as_read(bpy.data.objects[self.name])), self._models[at])

    def read_next(self) -> None:
        """Read the present blob as the next frame. Raises SceneError."""
        found = read_blob(as_read(bpy.data.objects[self.name]))
        self._check(found, self.next)
        self._models.append(found)

    def forget(self, frame: int) -> None:
        """Forget a frame and all after it, because what is keyed may have changed."""
        del self._models[max(frame - self.first, 0) :]
        if self._solver is not None:
            self._solver.forget(frame)

    def _check(self, found: BlobModel, frame: int) -> None:
        if self._models and not self._models[0].is_made_as(found):
            how = f"it is made of other parts on frame {frame} than on frame {self.first}"
            raise SceneError(self.name, how, "key places, sizes and numbers only, or end before that frame")

    def solve(self, frame: int, end: float) -> float:
        """Solve frames up to one that was read, at least one, until a time of perf_counter (seconds).

        Returns the share of the frames that is solved, 0 to 1. Raises SceneError.
        """
        solver, last = self._solving(), max(frame - self.first, 0)
        while solver.solved <= last:
            solver.at(self.first + solver.solved)
            if perf_counter() >= end:
                break
        return min(solver.solved / (last + 1.0), 1.0)

    def at(self, frame: int) -> tuple[BlobModel, SculptState]:
        """Return the solved model of a frame that was read, and the solver's state. Raises SceneError."""
        state = self._solving().at(frame)
        return self.model(frame).with_sculpted(state.function), state

    def _solving(self) -> KeyedSculpting:
        if self._solver is None:
            settings = sculpt_settings(self._models[0])
            self._solver = KeyedSculpting(self._keyed, settings, self.first)
        return self._solver

    def _keyed(self, frame: int) -> KeyedFrame:
        """Return what is keyed in a frame; without control points where the elements are baked."""
        model = self.model(frame)
        controls = () if self._is_baked else model.controls
        places = [transform.centre.tolist() for transform in controls]
        return KeyedFrame(model.sculpted(), places, tuple(transform.name for transform in controls))


def read_frames(context: Context, blobs: Sequence[BlobFrames], last: int) -> None:
    """Read blobs in all frames up to the last one; the scene returns to its frame.

    Raises SceneError.
    """
    scene, unread = scene_of(context), [each for each in blobs if not each.is_read(last)]
    if not unread:
        return
    stands = scene.frame_current == last and scene.frame_subframe == 0.0
    if stands and all(each.is_next(last) for each in unread):
        for each in unread:
            each.read_next()
        return
    with _frames_are_changed(scene):
        for frame in range(min(each.next for each in unread), max(last, unread[0].first) + 1):
            scene.frame_set(frame)
            for each in unread:
                if each.is_next(frame):
                    each.read_next()


def is_baked(blob: Object) -> bool:
    """Return whether the elements of a blob have baked keys."""
    return any(UNBAKED in custom_properties(obj) for obj in family_of(blob))


def is_animated(blob: Object) -> bool:
    """Return whether a blob or any of its parts may change from frame to frame."""
    return any(_is_animated(obj) for obj in family_of(blob))


def solved_model(context: Context, blob: Object) -> BlobModel:
    """Return the blob in the scene's frame, with its surface solved if keys move its control points.

    It is solved from the scene's first frame on, as in playback. Raises SceneError.
    """
    evaluated_scene(context)  # drivers count before the blob's own objects are read
    scene, found = scene_of(context), read_blob(blob)
    if not _follows(blob, found):
        return found
    frames = BlobFrames(blob, scene.frame_start)
    read_frames(context, [frames], scene.frame_current)
    return frames.at(scene.frame_current)[0]


def present_model(blob: Object) -> tuple[BlobModel, bool]:
    """Return the blob in the scene's frame, and whether its surface is solved.

    It is the surface that playback shows, or else that of the elements as they are keyed. The frame is not
    changed: that would undo all transforms that are not keyed. Raises SceneError.
    """
    found = read_blob(blob)
    if not _follows(blob, found):
        return found, True
    known = solved.get(blob.name)
    return (found, False) if known is None else (known, True)


def rendered_model(blob: Object, depsgraph: Depsgraph) -> BlobModel:
    """Return a blob as a render shows it, with its surface solved where its frames come one by one.

    A surface that follows keyed control points is solved from the scene's first frame on. Where a render
    begins later, or leaves frames out, it is that of the elements as they are keyed. Raises SceneError.
    """
    scene = present(depsgraph.scene)
    with read_in(depsgraph):
        found = read_blob(as_read(blob))
        if not _follows(blob, found):
            return found
        frame, known = scene.frame_current, _rendered.get(blob.name)
        if known is None or known.first != scene.frame_start or not known.is_unchanged(frame):
            known = _rendered[blob.name] = BlobFrames(blob, scene.frame_start)
        elif frame == known.first:
            known.forget(frame + 1)  # what is keyed in later frames may have changed since the last pass
        if known.is_next(frame):
            known.read_next()
        return known.at(frame)[0] if known.is_read(frame) else found


def _follows(blob: Object, found: BlobModel) -> bool:
    """Return whether a blob's surface follows keys that are not baked."""
    return bool(found.controls) and is_animated(blob) and not is_baked(blob)


def _is_animated(obj: Object) -> bool:
    data = obj.animation_data
    animated = data is not None and (data.action is not None or len(data.nla_tracks) or len(data.drivers))
    return bool(animated) or len(obj.constraints) > 0


def _is_as(found: BlobModel, known: BlobModel) -> bool:
    """Return whether two models have the same surface and the same control points."""
    places = [(transform.name, transform.centre.tobytes()) for transform in found.controls]
    return found.definition == known.definition and places == [
        (transform.name, transform.centre.tobytes()) for transform in known.controls
    ]


@contextmanager
def _frames_are_changed(scene: Scene) -> Iterator[None]:
    """Return to the scene's frame after the block, with all that was changed there without a key."""
    frame, part, values = scene.frame_current, scene.frame_subframe, AnimatedValues.of_all()
    try:
        yield
    finally:
        scene.frame_set(frame, subframe=part)
        values.put_back()
