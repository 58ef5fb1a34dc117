# SPDX-License-Identifier: GPL-3.0-or-later
"""New blobs, elements and control points: objects with the custom properties that define them.

A blob has a collection of its own, in the active one, and a mesh that follows its surface. A new object is
linked to the collections of its blob, or to the active one if those are linked.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import bpy
from bpy.types import Collection, Context, Object
from mathutils import Matrix, Vector

from ...core.arrays import Floats
from ..access import custom_properties, present, takes_objects, view_layer_of
from ..errors import SceneError
from .elements.kinds import KINDS
from .empties import numbers
from .objects import (
    BIAS,
    BIAS_OF_RADII,
    BLOB,
    CONTROL,
    ELEMENT,
    END,
    FOCUS,
    FROZEN,
    JOIN,
    KEEP_NORMALS,
    LIVE,
    MESH,
    MIRROR,
    OTHER_END,
    PLAY,
    SIGMA,
    SMOOTH,
    SUBTRACT,
    SUM,
    TURN,
    WEIGHT,
    is_element,
)

BLOB_NAME, CONTROL_NAME = "Blob", "Control"
_DESCRIBED = {
    BIAS: "How far the sum of the elements must rise for the surface: more is thinner",
    SMOOTH: "How wide the joins between elements are, in the blob's own units; 0 is sharp",
    SIGMA: "The size of the surface's particles, in the blob's own units; 0: by the blob's size",
    WEIGHT: "What the element counts in a sum; below 0 it pushes the surface away",
    JOIN: (
        "How wide the element's join with the others is, in the blob's own units: 0 is sharp. "
        "Scripts set it below 0 for a join as wide as the blob's joins"
    ),
    TURN: "By how many radians the surface may turn over a particle: smaller ones where it bends; 0: by any",
    FOCUS: "How far from a dragged control point particles are smaller, in the blob's own units; 0: nowhere",
    PLAY: "Show the surface on every frame that the scene goes to, if anything of the blob is keyed",
    KEEP_NORMALS: "Keep the surface's direction at a dragged control point, which changes it by more",
    LIVE: "Have the blob's mesh follow its surface when its elements or the frame change",
}


def add_blob(context: Context, combination: str, location: Sequence[float]) -> Object:
    """Add a blob without elements at a place (3,) of the world, and return it."""
    blob = bpy.data.objects.new(BLOB_NAME, bpy.data.meshes.new(BLOB_NAME))
    home = bpy.data.collections.new(blob.name)
    _active_collection(context).children.link(home)
    home.objects.link(blob)
    blob.location = Vector(location)
    blob[BLOB] = combination
    _set_defaults(blob)
    view_layer_of(context).update()
    return blob


def add_live_mesh(context: Context, blob: Object) -> Object:
    """Add a mesh that follows the surface of a blob that is an empty, as earlier versions made them.

    The blob also gets the settings that it lacks. Return the mesh's object, a child of the blob. Raises
    SceneError if there is no collection that may have it.
    """
    homes, name = homes_of(context, blob), f"{blob.name} Surface"
    surface = bpy.data.objects.new(name, bpy.data.meshes.new(name))
    for home in homes:
        home.objects.link(surface)
    surface.parent = blob
    surface[MESH] = surface[LIVE] = True
    _set_defaults(blob)
    view_layer_of(context).update()
    return surface


def _set_defaults(blob: Object) -> None:
    """Give a blob the settings that it lacks."""
    own = BIAS if custom_properties(blob)[BLOB] == SUM else SMOOTH
    values = {own: BIAS_OF_RADII if own == BIAS else 0.0, SIGMA: 0.0, TURN: 0.0, FOCUS: 0.0}
    for key, value in {**values, PLAY: True, LIVE: True, KEEP_NORMALS: False}.items():
        if key not in custom_properties(blob):
            blob[key] = value
            limits = {"min": 0.0, "soft_max": 1.0} if key in values else {}
            _describe(blob, key, description=_DESCRIBED[key], **limits)
            _let_be_overridden(blob, key)


def add_element(
    context: Context,
    blob: Object,
    kind: str,
    matrix: Matrix,
    subtract: bool = False,
    properties: Mapping[str, Any] | None = None,
) -> list[Object]:
    """Add an element to a blob and return its empties.

    The first one is at a matrix in the blob's own coordinates; a cylinder's other end is on its z axis.
    """
    form = KINDS[kind]
    first = _part(context, blob, form.label, form.display, matrix)
    first[ELEMENT] = kind
    first[SUBTRACT] = subtract
    first[FROZEN] = first[MIRROR] = False
    first[JOIN] = -1.0
    _describe(first, JOIN, min=0.0, soft_max=1.0, description=_DESCRIBED[JOIN])
    for key in (SUBTRACT, FROZEN, MIRROR, JOIN):
        _let_be_overridden(first, key)
    if form.is_summed:
        first[WEIGHT] = 1.0
        _describe(first, WEIGHT, soft_min=-2.0, soft_max=2.0, description=_DESCRIBED[WEIGHT])
        _let_be_overridden(first, WEIGHT)
    for key, value in {**form.properties, **(properties or {})}.items():
        first[key] = value
        _let_be_overridden(first, key)
    made = [first]
    if form.has_end:
        end = _part(context, blob, f"{first.name} End", "SPHERE", _other_end(matrix))
        end[ELEMENT] = OTHER_END
        first[END] = end
        _let_be_overridden(first, END)  # else it would be the library's when the file is read again
        made.append(end)
    view_layer_of(context).update()
    return made


def add_control(context: Context, blob: Object, place: Floats) -> Object:
    """Add a control point to a blob at a place (3,) in the blob's coordinates, and return it."""
    control = _part(context, blob, CONTROL_NAME, "PLAIN_AXES", Matrix.Translation(Vector(place.tolist())))
    control.empty_display_size = 0.1 * _size_of(blob)
    control[CONTROL] = True
    view_layer_of(context).update()
    return control


def _size_of(blob: Object) -> float:
    """Return about the size of a blob's elements, in its own coordinates."""
    sizes = [max(abs(x) for x in numbers(child.scale)) for child in blob.children if is_element(child)]
    return sum(sizes) / len(sizes) if sizes else 1.0


def _other_end(matrix: Matrix) -> Matrix:
    end = matrix.copy()
    end.translation = matrix @ Vector((0.0, 0.0, 2.0))
    return end


def _part(context: Context, blob: Object, name: str, display: Any, matrix: Matrix) -> Object:
    part = _empty(name, display, homes_of(context, blob))
    part.parent = blob
    part.matrix_basis = matrix
    part.empty_display_size = 1.0
    part.show_in_front = True  # else the surface would hide it
    return part


def _empty(name: str, display: Any, collections: Sequence[Collection]) -> Object:
    empty = bpy.data.objects.new(name, None)
    empty.empty_display_type = display
    for collection in collections:
        collection.objects.link(empty)
    return empty


def homes_of(context: Context, blob: Object) -> list[Collection]:
    """Return the collections for new objects of a blob: its own, or the active one if those are linked.

    Raises SceneError if the active one is linked, too.
    """
    own = [collection for collection in blob.users_collection if takes_objects(collection)]
    return own or [_active_collection(context)]


def _active_collection(context: Context) -> Collection:
    collection = present(context.collection)
    if not takes_objects(collection):
        raise SceneError(
            collection.name, "the active collection is linked", "choose a collection of this file"
        )
    return collection


def _describe(obj: Any, key: str, **words: Any) -> None:
    """Set the limits and the tooltip of a custom property; the stub lacks this."""
    obj.id_properties_ui(key).update(**words)


def _let_be_overridden(obj: Object, key: str) -> None:
    obj.property_overridable_library_set(f'["{key}"]', True)
