# SPDX-License-Identifier: GPL-3.0-or-later
"""A blob solved frame by frame as its elements and control points are keyed, and baked into keys.

What a frame's surface has come to is written to the elements and keyed there, linear from frame to frame. The
keys that the artist has set are read first, all of them, so that baking reads nothing that it has written.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import bpy
from bpy.types import Context, Object

from ..core.implicit.keyed_sculpting import KeyedFrame, KeyedSculpting
from ..core.implicit.sculpting import SculptSettings, SculptState, SculptStatus
from .access import scene_of
from .actions import curves_of, key_at
from .blob_empties import Empties
from .blob_kinds import Seating
from .blob_models import BlobModel, read_blob
from .blob_spacing import floater_settings
from .errors import SceneError
from .keys import GENERATED

GROUP = "Blob"


@dataclass(frozen=True, eq=False)
class Baked:
    """How many frames were baked, and those in which the surface cannot pass through all control points."""

    frames: int
    amiss: tuple[int, ...]


def frames_of(context: Context, blob: Object, first: int, last: int) -> list[BlobModel]:
    """The blob as it is keyed in each frame; the scene is left in the frame it was in. Raises SceneError."""
    scene = scene_of(context)
    before = scene.frame_current
    models = []
    try:
        for frame in range(first, last + 1):
            scene.frame_set(frame)
            models.append(read_blob(bpy.data.objects[blob.name]))
            if not models[0].is_made_as(models[-1]):
                found = f"it is made in another way on frame {frame} than on frame {first}"
                raise SceneError(blob.name, found, "key places and sizes only, or bake up to that frame")
    finally:
        scene.frame_set(before)
    return models


def solved(models: Sequence[BlobModel], first: int) -> Iterator[tuple[BlobModel, SculptState]]:
    """The model of each frame with what the surface has come to, from the first frame on."""

    def keyed(frame: int) -> KeyedFrame:
        model = models[frame - first]
        places = [seat.centre.tolist() for seat in model.controls]
        return KeyedFrame(model.sculpted(), places, tuple(seat.name for seat in model.controls))

    solver = KeyedSculpting(keyed, SculptSettings(floater_settings(models[0])), first)
    for number, model in enumerate(models):
        state = solver.at(first + number)
        yield model.with_sculpted(state.function), state


def bake(context: Context, blob: Object, first: int, last: int) -> Baked:
    """Key the elements of a blob in every frame from the first to the last, as the surface follows its keyed
    control points and elements.
    """
    amiss = []
    keys: dict[int, list[Seating]] = {}
    for number, (model, state) in enumerate(solved(frames_of(context, blob, first, last), first)):
        keys[first + number] = model.seatings()
        if state.stuck.any() or state.status is SculptStatus.VANISHED:
            amiss.append(first + number)
    empties = Empties(blob)
    for frame, seatings in keys.items():
        empties.write(context, seatings)
        for seating in seatings:
            _key(bpy.data.objects[seating.name], seating, frame)
    for name in {seating.name for seatings in keys.values() for seating in seatings}:
        _make_linear(bpy.data.objects[name], keys)
    scene_of(context).frame_set(scene_of(context).frame_current)
    return Baked(len(keys), tuple(amiss))


def _key(obj: Object, seating: Seating, frame: int) -> None:
    kind: Any = GENERATED
    paths = [path for path in ("location", "scale") if getattr(seating, path) is not None]
    for path in (*paths, *(f'["{key}"]' for key in seating.properties)):
        if not obj.keyframe_insert(path, frame=frame, group=GROUP, keytype=kind):
            raise SceneError(obj.name, f"its {path} cannot be keyed", "unlock it, or check its action")


def _make_linear(obj: Object, frames: Mapping[int, object]) -> None:
    for curve in curves_of(obj):
        for frame in frames:
            point = key_at(curve, frame)
            if point is not None and point.type == GENERATED:
                point.interpolation = "LINEAR"
        curve.update()
