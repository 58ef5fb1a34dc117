# SPDX-License-Identifier: GPL-3.0-or-later
"""What is visible in a scene, and which of it moves with the active object.

The dependency graph lists every visible object and instance once, with two exceptions. Text, metaballs and
bevelled curves come as themselves and again as an instance with their mesh: only the instance is taken. What
only the eye of a collection hides is listed, too: it is left out.

A moving object carries its children, and all that it or they instance: together they are one rigid body.
All else is the world, except objects with the custom property `physplace_ignore` and the curves that define
an exact surface.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from bpy.types import Context, Depsgraph, Object, SpaceView3D

from ...core.arrays import Floats
from ..access import custom_properties, original, present, scene_of, view_layer_of
from ..blobs.objects import is_blob_mesh, is_whole_blob
from ..errors import SceneError
from .definitions import curve_names, has_definition

IGNORE = "physplace_ignore"
_BEHIND: Final = 1e-5  # how far behind a place a ray goes on, over the place's largest coordinate


@dataclass(frozen=True, eq=False)
class VisibleItem:
    """An evaluated object or instance; valid only until the next one is taken from the iterator.

    Attributes:
        evaluated: the object, or the instanced one.
        matrix: (4, 4), its world matrix.
        exact: whether it is an exact surface or a blob.
        shower: the evaluated object that shows it, itself or as an instance.
        owner: the full name of the original of that object.
        family: the number of the moving family it belongs to; None for the world.
    """

    evaluated: Object
    matrix: Floats
    exact: bool
    shower: Object
    owner: str
    family: int | None


@dataclass(frozen=True)
class Family:
    """The full names of an object and of all that moves with it."""

    names: frozenset[str]

    @classmethod
    def of(cls, active: Object) -> Family:
        """Return the family of an object: itself and all its descendants."""
        return cls(frozenset(member.name_full for member in (active, *active.children_recursive)))


def visible_items(
    depsgraph: Depsgraph, families: Sequence[Family], viewport: SpaceView3D | None = None
) -> Iterator[VisibleItem]:
    """Yield everything visible that has a shape. Each item must be used before the next is taken.

    viewport: what is outside of its local view does not count, unless it is of a moving family.
    """
    helpers, hidden = _helpers(depsgraph), _hidden(depsgraph)
    numbers = {name: number for number, family in enumerate(families) for name in family.names}
    for instance in depsgraph.object_instances:
        shown = present(instance.object)
        shower = instance.parent if instance.is_instance and instance.parent else shown
        owner = original(shower)
        if owner.name_full in hidden or (not instance.is_instance and not instance.show_self):
            continue
        if _ignored(original(shown)) or _ignored(owner) or shown.name in helpers:
            continue
        if is_blob_mesh(original(shown)):
            continue
        if not _is_in_view(shower, viewport) and owner.name_full not in numbers:
            continue
        exact = has_definition(shown) or is_whole_blob(original(shown))
        doubled = instance.is_instance and owner == original(shown)
        counts = not doubled if exact else shown.type == "MESH"
        if counts:
            matrix = np.array(instance.matrix_world, dtype=np.float64)
            yield VisibleItem(shown, matrix, exact, shower, owner.name_full, numbers.get(owner.name_full))


def _hidden(depsgraph: Depsgraph) -> frozenset[str]:
    """Return the full names of the view layer's objects that are hidden.

    The dependency graph lists those, too, that are hidden only by the eye of a collection.
    """
    objects = present(depsgraph.view_layer).objects
    return frozenset(obj.name_full for obj in objects if not obj.visible_get())


def _is_in_view(evaluated: Object, viewport: SpaceView3D | None) -> bool:
    """Return whether an object is in the local view, if there is one: only evaluated objects know."""
    return viewport is None or viewport.local_view is None or evaluated.local_view_get(viewport)


def objects_in_view(
    context: Context, viewport: SpaceView3D | None, but: frozenset[str] = frozenset()
) -> Iterator[Object]:
    """Return the view layer's objects that are visible now, but those of some types."""
    depsgraph = context.evaluated_depsgraph_get()
    seen = (obj for obj in view_layer_of(context).objects if obj.type not in but and obj.visible_get())
    if viewport is None or viewport.local_view is None:
        return seen
    return (obj for obj in seen if obj.evaluated_get(depsgraph).local_view_get(viewport))


def visible_objects(context: Context, viewport: SpaceView3D | None) -> frozenset[str]:
    """Return the full names of the view layer's objects that are visible now."""
    return frozenset(obj.name_full for obj in objects_in_view(context, viewport))


def viewport_of(context: Context) -> SpaceView3D | None:
    """Return the 3D view that an operator runs in; None for none."""
    space = context.space_data
    return space if isinstance(space, SpaceView3D) else None


def _ignored(obj: Object) -> bool:
    return bool(custom_properties(obj).get(IGNORE, False))


def _helpers(depsgraph: Depsgraph) -> frozenset[str]:
    names: set[str] = set()
    for obj in depsgraph.objects:
        names |= curve_names(obj)
    return frozenset(names)


def seen_along(
    context: Context, origin: Floats, along: Floats, viewport: SpaceView3D | None
) -> tuple[Object, Floats] | None:
    """Return the visible object of the file that a ray meets first, and the place (3,) in the world; or None.

    For an instance that is the object which shows it. Blender's own rays also meet what only the eye of
    a collection hides, and what is outside of a local view: they go on behind it.

    Args:
        context: Blender's context.
        origin: (3,), where the ray begins.
        along: (3,), its direction, of unit length.
        viewport: whose local view counts; None for none.
    """
    depsgraph, hidden = context.evaluated_depsgraph_get(), None
    scene: Any = scene_of(context)  # the stub says that it gives nothing
    while True:
        hit, at, _, _, found, matrix = scene.ray_cast(depsgraph, origin.tolist(), along.tolist())
        if not hit:
            return None
        point = np.array(at, dtype=np.float64)
        shower = _shower(depsgraph, found, np.array(matrix))
        hidden = _hidden(depsgraph) if hidden is None else hidden
        if shower.name_full not in hidden and _is_in_view(shower.evaluated_get(depsgraph), viewport):
            return shower, point
        origin = point + _BEHIND * float(np.abs([point, origin]).max()) * along


def _shower(depsgraph: Depsgraph, found: Object, matrix: Floats) -> Object:
    """Return the object of the file that shows one at a world matrix (4, 4): itself, or what instances it."""
    for instance in depsgraph.object_instances:
        shown = original(present(instance.object))
        if shown == found and np.array_equal(np.array(instance.matrix_world), matrix):
            return original(instance.parent) if instance.is_instance and instance.parent else shown
    return found


def place_of(obj: Object, depsgraph: Depsgraph) -> Floats:
    """Return the world matrix (4, 4) of an object of the view layer, which may be hidden there.

    Raises SceneError for one that is not, such as a deleted one that something still refers to, or that is
    not evaluated: Blender leaves its place as it was.
    """
    evaluated, objects = obj.evaluated_get(depsgraph), present(depsgraph.view_layer).objects
    if not evaluated.is_evaluated or obj not in map(original, objects):
        found = "it is deleted, disabled in viewports, or not in the view layer"
        raise SceneError(obj.name, found, "enable it, and hide it by H, or choose another object")
    return np.array(evaluated.matrix_world, dtype=np.float64)
