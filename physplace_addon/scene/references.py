# SPDX-License-Identifier: GPL-3.0-or-later
"""References to objects that stay valid across events: undo replaces objects, and artists rename them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import bpy
from bpy.types import Object

from .errors import SceneError


def by_full_name(objects: Iterable[Object] | None = None) -> dict[str, Object]:
    """Return some objects, else all of the file: a linked one may have the name of a local one, but not its
    full name.
    """
    return {obj.name_full: obj for obj in (bpy.data.objects if objects is None else objects)}


@dataclass(frozen=True)
class ObjectReference:
    """An object by the id that it keeps in a session of Blender, however it is renamed or undone.

    name: its name when the reference was made. uid: that id.
    """

    name: str
    uid: int

    @classmethod
    def of(cls, obj: Object) -> ObjectReference:
        """Return the reference to an object."""
        return cls(obj.name, obj.session_uid)

    def found(self) -> Object | None:
        """Return the object, whatever its name is now; None if it does not exist any more."""
        named: Object | None = bpy.data.objects.get(self.name)
        if named is not None and named.session_uid == self.uid:
            return named
        return next((obj for obj in bpy.data.objects if obj.session_uid == self.uid), None)

    @property
    def object(self) -> Object:
        """The object, whatever its name is now. Raises SceneError if it does not exist any more."""
        obj = self.found()
        if obj is None:
            raise SceneError(self.name, "it is not there any more", "place again")
        return obj
