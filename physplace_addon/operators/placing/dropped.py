# SPDX-License-Identifier: GPL-3.0-or-later
"""What is dropped into a 3D view, such as an asset, comes to rest, where the preferences say so.

Blender tells nobody of a drop. But it lists each operator that it has run, and updates the scene after it. So
after an update it is looked whether the last operator of the list is a drop that was not there before. The
placement begins in a timer that runs once, since Blender forbids operators while it updates.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Final, cast

import bpy
from bpy.types import Depsgraph, Operator, Scene, UILayout

from ...scene.access import persistent, window_manager_of
from ..common import in_the_largest_view, largest_view
from ..handler_list import HandlerList

# Operators of Blender's that end a drop: of an object, and of a collection; of this file, and of another one.
DROPS: Final = frozenset(
    {
        *("OBJECT_OT_add_named", "OBJECT_OT_transform_to_mouse"),
        *("OBJECT_OT_collection_instance_add", "OBJECT_OT_collection_external_asset_drop"),
    }
)
WHAT: Final = "session_uid"  # a property of theirs that a drop sets, and a menu does not


class _Seen:
    """Whether drops are looked for, and the addresses of those that Blender listed the last time."""

    is_watching = False
    drops: frozenset[int] = frozenset()


_seen: Final = _Seen()


def place_dropped(on: bool) -> None:
    """Have what is dropped from now on come to rest, or no more."""
    if _seen.is_watching:
        _handlers.remove()
    if bpy.app.timers.is_registered(_place):
        bpy.app.timers.unregister(_place)
    _seen.is_watching = on
    if on:
        _seen.drops = frozenset(_listed_drops())
        _handlers.add()


@contextmanager
def drops_placed(on: bool) -> Iterator[None]:
    """Have what is dropped come to rest until the block ends, if that is on."""
    place_dropped(on)
    try:
        yield
    finally:
        place_dropped(False)


def _listed_drops() -> list[int]:
    """Return the address of each operator that Blender lists, the last one last; 0 for what is no drop."""
    operators = list(window_manager_of(bpy.context).operators)
    return [each.as_pointer() if _is_drop(each) else 0 for each in operators]


def _is_drop(operator: Operator) -> bool:
    """Return whether an operator that has run was a drop; a menu can add an instance, too."""
    properties = operator.properties
    from_menu = WHAT in properties.bl_rna.properties and not properties.is_property_set(WHAT)
    return operator.bl_idname in DROPS and not from_menu


@persistent
def _on_update(_scene: Scene, depsgraph: Depsgraph) -> None:
    drops = _listed_drops()
    before, _seen.drops = _seen.drops, frozenset(drops)
    is_new = bool(drops) and drops[-1] != 0 and drops[-1] not in before
    if is_new and depsgraph.mode != "RENDER" and not bpy.app.timers.is_registered(_place):
        bpy.app.timers.register(_place)


def _place() -> None:
    """Let the selected objects, which are those that were dropped, come to rest; Blender's timer calls it."""
    if largest_view() is None:
        return
    with in_the_largest_view():
        drop = cast("Any", bpy.ops).physplace.drop_selected  # the stubs do not know it
        if not drop.poll():
            return
        try:
            drop("INVOKE_DEFAULT", True)
        except RuntimeError as error:  # so Blender tells scripts what an operator has reported as wrong
            _tell(str(error))


def _tell(message: str) -> None:
    """Show a message at the mouse, as Blender shows an operator's errors."""

    def draw(menu: Any, _context: object) -> None:
        layout: UILayout = menu.layout
        for line in message.strip().splitlines():
            layout.label(text=line)

    window_manager_of(bpy.context).popup_menu(draw, title="Drop Selected", icon="ERROR")


_handlers = HandlerList(("depsgraph_update_post", _on_update))
