# SPDX-License-Identifier: GPL-3.0-or-later
"""Custom properties of blobs that `object.physplace` switches: the own width of an element's join."""

from __future__ import annotations

from typing import Any, Final, cast

from bpy.types import Object, PropertyGroup

BLOB: Final = "blob"
ELEMENT: Final = "blob.element"
SMOOTH: Final = "blob.smooth"  # how wide the joins of a blob are
JOIN: Final = "blob.join"  # how wide the join of an element is; below 0 as the blob's


def has_own_join_width(switches: PropertyGroup) -> bool:
    """Return whether the join of an element of a blob has a width of its own, by its object's properties."""
    width = _custom(switches.id_data).get(JOIN, -1.0)
    return isinstance(width, (int, float)) and width >= 0.0


def set_own_join_width(switches: PropertyGroup, has_own: bool) -> None:
    """Give a join a width of its own, at first that of the blob's joins, or take it away.

    An object that is no element, and no blob that may be a part of another one, stays as it is.
    """
    obj = cast("Object", switches.id_data)
    is_part = ELEMENT in _custom(obj) or BLOB in _custom(obj)
    if is_part and has_own != has_own_join_width(switches):
        width = 0.0 if obj.parent is None else _custom(obj.parent).get(SMOOTH, 0.0)
        obj[JOIN] = width if has_own else -1.0
        obj.update_tag()


def _custom(obj: object) -> Any:
    """Return the custom properties of an object, which the stubs do not know."""
    return obj
