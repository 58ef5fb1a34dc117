# SPDX-License-Identifier: GPL-3.0-or-later
"""Typed access to Blender's data.

Blender's type stubs call values optional that are always there, such as a context's scene, and leave out what
custom properties return. The functions here give the exact types, so that no other module needs a cast.
"""

from __future__ import annotations

from collections.abc import Callable, ItemsView, Iterator, Mapping
from typing import Any, Protocol, TypeVar, cast

import bpy
from bpy.types import (
    ID,
    Collection,
    Context,
    Depsgraph,
    Library,
    Object,
    PoseBone,
    Scene,
    ViewLayer,
    WindowManager,
    bpy_struct,
)

Present = TypeVar("Present")
Handler = TypeVar("Handler", bound=Callable[..., None])

# Decorator of a function in one of Blender's lists of handlers: it stays there when another file is loaded.
persistent = cast("Callable[[Handler], Handler]", bpy.app.handlers.persistent)


# What the names of all custom properties of PhysPlace begin with.
OWN_PREFIXES = ("surface", "physplace", "blob")


class CustomProperties(Protocol):
    """A data-block as the mapping of its custom properties."""

    def __contains__(self, key: str) -> bool: ...
    def __getitem__(self, key: str) -> Any: ...
    def get(self, key: str, default: Any = None) -> Any: ...
    def pop(self, key: str, default: Any = None) -> Any: ...
    def items(self) -> ItemsView[str, Any]: ...


class Extended(Protocol):
    """A data-block with the property group that registration adds to its type."""

    physplace: Any


def extended(block: ID) -> Extended:
    """Return a data-block, typed with the property group `physplace` that registration adds to it."""
    return cast("Extended", block)


def custom_properties(block: ID | PoseBone) -> CustomProperties:
    """Return a data-block, or a bone, as the mapping of its custom properties."""
    return cast("CustomProperties", block)


def present(value: Present | None) -> Present:
    """Return a value that is never None, although its stub says that it may be.

    Raises RuntimeError if it is None after all.
    """
    if value is None:
        raise RuntimeError("expected a value from Blender, found None")
    return value


def scene_of(context: Context) -> Scene:
    """Return the context's scene."""
    return present(context.scene)


def library_of(block: ID) -> Library | None:
    """Return the library that a data-block is linked from; None for a local one."""
    return cast("Library | None", block.library)


def takes_objects(collection: Collection) -> bool:
    """Return whether objects may be linked to a collection: not to a linked or overridden one."""
    return library_of(collection) is None and collection.override_library is None


def view_layer_of(context: Context) -> ViewLayer:
    """Return the context's view layer."""
    return present(context.view_layer)


def window_manager_of(context: Context) -> WindowManager:
    """Return the context's window manager."""
    return present(context.window_manager)


def active_object(context: Context) -> Object | None:
    """Return the view layer's active object; None if there is none."""
    active: Object | None = view_layer_of(context).objects.active
    return active


def original(evaluated: Object) -> Object:
    """Return the object of the file that an evaluated object is made from."""
    source = evaluated.original
    return source if isinstance(source, Object) else evaluated


def evaluated_scene(context: Context) -> Depsgraph:
    """Return the evaluated scene, in which every custom property of PhysPlace is as it stands now.

    Blender does not evaluate an object again when a script sets one of its custom properties, as it does when
    an artist types it in. Objects whose evaluated copy has other values are evaluated again here: what a
    script has set counts at once, and keys and drivers count as after any other change.
    """
    depsgraph = context.evaluated_depsgraph_get()
    changed = [
        source
        for evaluated in depsgraph.objects
        if _own_properties(source := original(evaluated)) != _own_properties(evaluated)
    ]
    for source in changed:
        source.update_tag()
    return context.evaluated_depsgraph_get() if changed else depsgraph


def _own_properties(obj: Object) -> dict[str, str]:
    """Return the custom properties of PhysPlace as text: a NaN, too, then equals itself."""
    return {
        key: repr(plain_value(value))
        for key, value in custom_properties(obj).items()
        if key.startswith(OWN_PREFIXES)
    }


def pointers(struct: bpy_struct, *, settable: bool = True) -> Iterator[str]:
    """Yield the names of a struct's properties that refer to something else, and may be set or may not."""
    for prop in struct.bl_rna.properties:
        if prop.type == "POINTER" and prop.is_readonly != settable:
            yield prop.identifier


def plain_value(value: Any) -> object:
    """Return a custom property's value as plain Python: arrays as lists, groups as dictionaries."""
    if isinstance(value, Mapping):
        return dict(value)
    for convert in ("to_dict", "to_list"):
        if hasattr(value, convert):
            return getattr(value, convert)()
    return value
