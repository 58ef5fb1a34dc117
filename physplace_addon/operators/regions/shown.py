# SPDX-License-Identifier: GPL-3.0-or-later
"""The contact regions that are drawn, until they no longer are those of the scene.

They are drawn from when they are found until an object that they belong to is moved, changed, hidden, taken
out of the scene, renamed or deleted, until undo or redo, until another file is opened, or until they are
cleared.
"""

from __future__ import annotations

from collections.abc import Sequence

import bpy
from bpy.types import Collection, Depsgraph, Object, Scene

from ...overlay.drawing import Drawing
from ...overlay.regions import RegionMarks, region_layers
from ...scene.access import original, persistent, present
from ..handler_list import HandlerList


class ShownRegions:
    """Draws regions until it is closed; chosen: the number of the one that is picked out, None for none."""

    def __init__(self, pairs: Sequence[RegionMarks], objects: frozenset[str]) -> None:
        """Draw what was found between bodies; objects: the full names of those that they are read from."""
        self.chosen: int | None = None
        self._pairs = tuple(pairs)
        self._objects = objects.intersection(_names())
        depsgraph = bpy.context.evaluated_depsgraph_get()
        self._visible, self._view = objects.intersection(_visible_names(depsgraph)), _view_of(depsgraph)
        self._drawing = Drawing()
        self._draw()

    @property
    def is_seen(self) -> bool:
        """Whether it still draws, in the scene that is shown."""
        return self._drawing.is_open and self._drawing.is_in_scene

    def choose(self, number: int) -> None:
        """Pick a region out; the one that is picked out already no more."""
        self.chosen = None if self.chosen == number else number
        self._draw()

    def is_outdated(self, depsgraph: Depsgraph) -> bool:
        """Return whether an update of the scene concerns an object that the regions belong to."""
        if not self._objects.issubset(_names()):
            return True
        may_hide = any(isinstance(update.id, (Scene, Collection)) for update in depsgraph.updates)
        if may_hide and _view_of(depsgraph) == self._view:
            hidden = not self._visible.issubset(_visible_names(depsgraph))
        else:
            hidden = False
        return hidden or any(
            update.is_updated_transform or update.is_updated_geometry
            for update in depsgraph.updates
            if isinstance(update.id, Object) and original(update.id).name_full in self._objects
        )

    def close(self) -> None:
        """Stop drawing."""
        self._drawing.close()

    def _draw(self) -> None:
        self._drawing.show_layers(region_layers(self._pairs, self.chosen))


def _names() -> frozenset[str]:
    """Return the full names of all objects of the file."""
    return frozenset(obj.name_full for obj in bpy.data.objects)


def _view_of(depsgraph: Depsgraph) -> tuple[str, str]:
    """Return the full name of a depsgraph's scene and the name of its view layer."""
    return present(depsgraph.scene).name_full, present(depsgraph.view_layer).name


def _visible_names(depsgraph: Depsgraph) -> frozenset[str]:
    """Return the full names of all objects that are visible, themselves or as instances, and of the owners of
    instances.
    """
    names = set()
    for instance in depsgraph.object_instances:
        names.add(original(present(instance.object)).name_full)
        if instance.is_instance and instance.parent is not None:
            names.add(original(instance.parent).name_full)
    return frozenset(names)


_shown: list[ShownRegions] = []


def shown() -> ShownRegions | None:
    """Return the regions that are drawn in the scene that is shown; None if there are none."""
    return _shown[0] if _shown and _shown[0].is_seen else None


def show(pairs: Sequence[RegionMarks], objects: frozenset[str]) -> None:
    """Draw regions, in place of those that are drawn."""
    clear()
    _shown.append(ShownRegions(pairs, objects))
    _handlers.add()


def clear() -> None:
    """Draw no regions; if there are none, nothing happens."""
    if not _shown:
        return
    _handlers.remove()
    _shown.pop().close()


@persistent
def _on_update(_scene: Scene, depsgraph: Depsgraph) -> None:
    if _shown and depsgraph.mode != "RENDER" and _shown[0].is_outdated(depsgraph):
        clear()


@persistent
def _on_replaced(*_: object) -> None:
    clear()


_handlers = HandlerList(
    ("depsgraph_update_post", _on_update),
    ("frame_change_post", _on_update),
    ("undo_post", _on_replaced),
    ("redo_post", _on_replaced),
    ("load_pre", _on_replaced),
)
