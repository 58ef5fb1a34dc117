# SPDX-License-Identifier: GPL-3.0-or-later
"""The empties of a blob while it is worked on: how they were, how they were last seen, and what is written.

They are held by name, and all that is asked of them in a tick is a few numbers each: whether anybody else has
changed them since, by moving one, typing a property or deleting one.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import bpy
import numpy as np
from bpy.types import Context, Object

from ..core.arrays import Floats
from .access import custom_properties, view_layer_of
from .blob_kinds import Seating
from .blobs import BLOB, family_of, is_anywhere
from .transform import Channels, channels, rotation_property, set_channels

PREFIX = f"{BLOB}."


@dataclass(frozen=True)
class Look:
    """All of an empty that tells of its blob: location, rotation, scale, whose child it is, properties."""

    place: tuple[float, ...]
    turn: tuple[float, ...]
    scale: tuple[float, ...]
    size: float
    parent: str
    properties: tuple[tuple[str, Any], ...]

    @classmethod
    def of(cls, obj: Object) -> Look:
        """As the object is now."""
        turn = getattr(obj, rotation_property(obj.rotation_mode))
        return cls(
            (*numbers(obj.location), *numbers(obj.delta_location)),
            numbers(turn),
            (*numbers(obj.scale), *numbers(obj.delta_scale)),
            obj.empty_display_size,
            obj.parent.name if obj.parent else "",
            tuple(
                (key, value.name if isinstance(value, Object) else value)
                for key, value in custom_properties(obj).items()
                if key.startswith(PREFIX) or key == BLOB
            ),
        )


class Empties:
    """A blob's empties, held by name."""

    def __init__(self, blob: Object) -> None:
        self.blob = blob.name
        self.before: dict[str, tuple[Channels, tuple[float, ...], dict[str, Any]]] = {}
        self._looks: dict[str, Look] = {}
        self._count = 0
        self.look_again()

    @property
    def is_there(self) -> bool:
        """Whether the blob itself still is."""
        return _is_there(self.blob) and BLOB in custom_properties(bpy.data.objects[self.blob])

    def look_again(self) -> None:
        """List them anew, and take them all as they are now."""
        family = list(family_of(bpy.data.objects[self.blob]))
        self._looks = {obj.name: Look.of(obj) for obj in family}
        self._count = len(bpy.data.objects)
        for obj in family:
            self.before.setdefault(obj.name, (channels(obj), numbers(obj.scale), _numbers_of(obj)))

    def look_at(self, names: Iterable[str]) -> None:
        """Take some as they are now."""
        self._looks.update({name: _look(name) for name in names})

    def changed(self) -> frozenset[str]:
        """The names of those that somebody else has changed or deleted since they were last looked at.

        If objects were made or deleted meanwhile, the blob itself is among them: its parts may be others.
        """
        names = {name for name, look in self._looks.items() if not _is_there(name) or look != _look(name)}
        if len(bpy.data.objects) != self._count:
            names.add(self.blob)
        return frozenset(names)

    def write(self, context: Context, seatings: Iterable[Seating]) -> bool:
        """Put empties where they are told; tell whether that has changed any."""
        written = False
        for seating in seatings:
            if seating.name in self._looks and seating.name in bpy.data.objects:
                written |= self._put(bpy.data.objects[seating.name], seating)
        if written:
            view_layer_of(context).update()
        return written

    def _put(self, obj: Object, seating: Seating) -> bool:
        before = self._looks[obj.name]
        if seating.location is not None and not _is(obj.location, seating.location):
            obj.location = seating.location.tolist()
        if seating.scale is not None and not _is(obj.scale, seating.scale):
            obj.scale = seating.scale.tolist()
        for key, value in seating.properties.items():
            if custom_properties(obj).get(key) != value:
                obj[key] = value
        self._looks[obj.name] = Look.of(obj)
        if seating.properties:
            obj.update_tag()
        return self._looks[obj.name] != before

    def restore(self, context: Context) -> None:
        """Have those that are still there as they were when they were first looked at."""
        for name, (own, scale, properties) in self.before.items():
            if name in bpy.data.objects:
                obj = bpy.data.objects[name]
                set_channels(obj, own)
                obj.scale = scale
                for key, value in properties.items():
                    if custom_properties(obj).get(key) != value:
                        obj[key] = value
        view_layer_of(context).update()

    def forget(self, names: Sequence[str]) -> None:
        """These were not there before."""
        for name in names:
            self.before.pop(name, None)


def _numbers_of(obj: Object) -> dict[str, Any]:
    """An object's custom properties that tell of its blob in numbers."""
    items = custom_properties(obj).items()
    return {key: value for key, value in items if key.startswith(PREFIX) and isinstance(value, float)}


def numbers(vector: Any) -> tuple[float, ...]:
    """The numbers of one of Blender's vectors, which its stub does not know to be a sequence."""
    return tuple(vector)


def _is(vector: Any, values: Floats) -> bool:
    """Whether one of Blender's vectors is some values (n,), in single precision."""
    return numbers(vector) == tuple(values.astype(np.float32).tolist())


def _is_there(name: str) -> bool:
    return name in bpy.data.objects and is_anywhere(bpy.data.objects[name])


def _look(name: str) -> Look:
    return Look.of(bpy.data.objects[name])
