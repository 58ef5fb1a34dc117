# SPDX-License-Identifier: GPL-3.0-or-later
"""A blob frame by frame: what is keyed in each, and what its surface comes to.

A frame is solved from the one before it, and all of them from the first: so each frame's elements and control
points must be read as they are keyed there, which only Blender can tell, by going to that frame.  The frame
that the scene is in is read as it stands.  What is read and solved is kept until something is changed.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from time import perf_counter

import bpy
from bpy.types import Context, Object, Scene

from ...core.implicit.control.keyed_sculpting import KeyedFrame, KeyedSculpting
from ...core.implicit.control.state import SculptSettings, SculptState
from ..access import custom_properties, evaluated_scene, scene_of
from ..errors import SceneError
from .models import BlobModel, floater_settings, read_blob
from .objects import family_of

UNBAKED = "physplace_unbaked"  # on a baked element: what it was before

solved: dict[str, BlobModel] = {}  # keyed blobs that playback shows now, by name, as it has solved them


class BlobFrames:
    """A blob, held by name, in the frames from the first on."""

    def __init__(self, blob: Object, first: int) -> None:
        self.name, self.first = blob.name, first
        self._is_baked = is_baked(blob)
        self._models: list[BlobModel] = []
        self._solver: KeyedSculpting | None = None

    def model(self, frame: int) -> BlobModel:
        """The blob as it is keyed in a frame that was read; before the first frame, as in that."""
        return self._models[max(frame - self.first, 0)]

    def is_read(self, frame: int) -> bool:
        """Whether all that it takes to solve a frame was read."""
        return max(frame - self.first, 0) < len(self._models)

    @property
    def next(self) -> int:
        """The frame after those that were read."""
        return self.first + len(self._models)

    def is_next(self, frame: int) -> bool:
        """Whether a frame comes right after those that were read."""
        return frame == self.next

    def is_unchanged(self, frame: int) -> bool:
        """Whether the blob, as it stands in a frame, is what was read there, if it was. Raises SceneError."""
        at = frame - self.first
        if not 0 <= at < len(self._models):
            return True
        return _is_as(read_blob(bpy.data.objects[self.name]), self._models[at])

    def read_next(self) -> None:
        """Read the blob as it stands, as the next frame. Raises SceneError."""
        found = read_blob(bpy.data.objects[self.name])
        self._check(found, self.next)
        self._models.append(found)

    def _check(self, found: BlobModel, frame: int) -> None:
        if self._models and not self._models[0].is_made_as(found):
            how = f"it is made of other parts on frame {frame} than on frame {self.first}"
            raise SceneError(self.name, how, "key places, sizes and numbers only, or end before that frame")

    def solve(self, frame: int, end: float) -> float:
        """Solve frames up to one that was read, at least one of them, until a time (perf_counter's); how much
        of them is done. Raises SceneError.
        """
        solver, last = self._solving(), max(frame - self.first, 0)
        while solver.solved <= last:
            solver.at(self.first + solver.solved)
            if perf_counter() >= end:
                break
        return min(solver.solved / (last + 1.0), 1.0)

    def at(self, frame: int) -> tuple[BlobModel, SculptState]:
        """The model of a frame that was read, with what its surface has come to. Raises SceneError."""
        state = self._solving().at(frame)
        return self.model(frame).with_sculpted(state.function), state

    def _solving(self) -> KeyedSculpting:
        if self._solver is None:
            settings = SculptSettings(floater_settings(self._models[0]))
            self._solver = KeyedSculpting(self._keyed, settings, self.first)
        return self._solver

    def _keyed(self, frame: int) -> KeyedFrame:
        """What is keyed in a frame; where the elements are baked, nothing is left to follow."""
        model = self.model(frame)
        controls = () if self._is_baked else model.controls
        places = [transform.centre.tolist() for transform in controls]
        return KeyedFrame(model.sculpted(), places, tuple(transform.name for transform in controls))


def read_frames(context: Context, blobs: Sequence[BlobFrames], last: int) -> None:
    """Have the scene go to all frames up to the last one that a blob was not read in, and back.

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
    """Whether the elements of a blob have baked keys."""
    return any(UNBAKED in custom_properties(obj) for obj in family_of(blob))


def is_animated(blob: Object) -> bool:
    """Whether a blob or any of its parts may change from frame to frame by itself."""
    return any(_is_animated(obj) for obj in family_of(blob))


def solved_model(context: Context, blob: Object) -> BlobModel:
    """The blob in the scene's frame; if keys move its control points, as its surface has come to there.

    It is solved from the scene's first frame on, as when it is played. Raises SceneError.
    """
    evaluated_scene(context)  # drivers count before the blob's own objects are read
    scene, found = scene_of(context), read_blob(blob)
    if not _follows(blob, found):
        return found
    frames = BlobFrames(blob, scene.frame_start)
    read_frames(context, [frames], scene.frame_current)
    return frames.at(scene.frame_current)[0]


def present_model(blob: Object) -> tuple[BlobModel, bool]:
    """The blob in the scene's frame, and whether that is what its surface comes to there: as playback shows
    it, or else as its elements are keyed.

    No other frame is gone to, which would take back all that was moved and not keyed. Raises SceneError.
    """
    found = read_blob(blob)
    if not _follows(blob, found):
        return found, True
    known = solved.get(blob.name)
    return (found, False) if known is None else (known, True)


def _follows(blob: Object, found: BlobModel) -> bool:
    """Whether a blob's surface follows keys that are not baked."""
    return bool(found.controls) and is_animated(blob) and not is_baked(blob)


def _is_animated(obj: Object) -> bool:
    data = obj.animation_data
    told = data is not None and (data.action is not None or len(data.nla_tracks) or len(data.drivers))
    return bool(told) or len(obj.constraints) > 0


def _is_as(found: BlobModel, known: BlobModel) -> bool:
    """Whether a blob is as it was: all that its surface depends on, and its control points."""
    places = [(transform.name, transform.centre.tobytes()) for transform in found.controls]
    return found.definition == known.definition and places == [
        (transform.name, transform.centre.tobytes()) for transform in known.controls
    ]


@contextmanager
def _frames_are_changed(scene: Scene) -> Iterator[None]:
    """The scene is left in the frame that it was in."""
    frame, part = scene.frame_current, scene.frame_subframe
    try:
        yield
    finally:
        scene.frame_set(frame, subframe=part)
