# SPDX-License-Identifier: GPL-3.0-or-later
"""Blender's data with the types it really has.

The stubs follow Blender's documentation, which calls a context's scene optional and leaves out what custom
properties return. The lies are undone here, once, and nowhere else.
"""

from __future__ import annotations

from collections.abc import Callable, ItemsView, Mapping
from typing import Any, Protocol, TypeVar, cast

import bpy
from bpy.types import ID, Collection, Context, Depsgraph, Library, Object, Scene, ViewLayer, WindowManager

Present = TypeVar("Present")
Handler = TypeVar("Handler", bound=Callable[..., None])

# Marks a function in one of Blender's lists of handlers as staying there when another file comes.
persistent = cast("Callable[[Handler], Handler]", bpy.app.handlers.persistent)


# What the names of all custom properties of PhysPlace begin with.
OWN_PREFIXES = ("surface", "physplace", "blob")


class CustomProperties(Protocol):
    """The mapping that every data-block is for its custom properties."""

    def __contains__(self, key: str) -> bool: ...
    def __getitem__(self, key: str) -> Any: ...
    def get(self, key: str, default: Any = None) -> Any: ...
    def items(self) -> ItemsView[str, Any]: ...


class Extended(Protocol):
    """A data-block with what registration adds to its type: for each type another group of properties."""

    physplace: Any


def extended(block: ID) -> Extended:
    """A data-block with what registration adds to its type."""
    return cast("Extended", block)


def custom_properties(block: ID) -> CustomProperties:
    """A data-block as the mapping of its custom properties."""
    return cast("CustomProperties", block)


def present(value: Present | None) -> Present:
    """A value that Blender always gives, although its stub says it may be missing."""
    if value is None:
        raise RuntimeError("Blender gave nothing where it always gives something")
    return value


def scene_of(context: Context) -> Scene:
    """The context's scene."""
    return present(context.scene)


def library_of(block: ID) -> Library | None:
    """The library a data-block is linked from; None for a local one."""
    return cast("Library | None", block.library)


def takes_objects(collection: Collection) -> bool:
    """Whether objects may be put into a collection: into none that is linked, or overridden."""
    return library_of(collection) is None and collection.override_library is None


def view_layer_of(context: Context) -> ViewLayer:
    """The context's view layer."""
    return present(context.view_layer)


def window_manager_of(context: Context) -> WindowManager:
    """The context's window manager."""
    return present(context.window_manager)


def active_object(context: Context) -> Object | None:
    """The view layer's active object, if there is one."""
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
    """Return the custom properties of PhysPlace as text, so that a value that is not a number equals itself."""
    return {
        key: repr(plain_value(value))
        for key, value in custom_properties(obj).items()
        if key.startswith(OWN_PREFIXES)
    }


def plain_value(value: Any) -> object:
    """Return a custom property's value as plain Python: arrays as lists, groups as dictionaries."""
    if isinstance(value, Mapping):
        return dict(value)
    for convert in ("to_dict", "to_list"):
        if hasattr(value, convert):
            return getattr(value, convert)()
    return value
