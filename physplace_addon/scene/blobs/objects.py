# SPDX-License-Identifier: GPL-3.0-or-later
"""Blobs as objects: a mesh, or an empty, whose children are its elements and its control points.

All is set by custom properties, so that it can be typed, keyed and driven:

- `blob` on the blob itself: how its elements combine, "sum", "union", "intersection" or "difference"; with
  `blob.bias` (of a sum), `blob.smooth` (of the others: how wide the joins are) and `blob.sigma` (how far its
  particles keep each other off; 0: by its size), the last two in the blob's own units; `blob.turn` and
  `blob.focus`: where these are smaller, by curvature and near what is dragged; `blob.play`: its surface is
  solved as the frames go by; `blob.live`: its mesh follows its surface;
  `blob.keep_normals`: its surface keeps its direction at a control point that is dragged.
- `blob.element` on an element: its kind.  `blob.subtract`: it is taken away.  `blob.frozen`: sculpting leaves
  it alone.  `blob.weight`: what it counts in a sum, below 0 against the others.  `blob.join`: how wide its
  join is, in the blob's units; below 0 as the blob's.  `blob.mirror`: it has a twin beyond the blob's plane
  x = 0.  `blob.end` on a cylinder: the object at its other end.  A quadric's coefficients are `blob.xx` to
  `blob.one`, a formula is `blob.formula` with its constants as `blob.<name>`.
- `blob.control` on a control point.

A blob may be an element of another: then it is a part of that one's surface.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager

import bpy
from bpy.types import Context, Depsgraph, Object, ViewLayer

from ... import blob_properties
from ..access import active_object, custom_properties, original
from ..errors import SceneError

BLOB, ELEMENT, CONTROL = blob_properties.BLOB, blob_properties.ELEMENT, "blob.control"
BIAS, SMOOTH, SIGMA = "blob.bias", blob_properties.SMOOTH, "blob.sigma"
TURN, FOCUS = "blob.turn", "blob.focus"
PLAY, LIVE = "blob.play", "blob.live"
KEEP_NORMALS = "blob.keep_normals"
MESH = "blob.mesh"  # on a mesh object that shows its parent's surface
SUBTRACT, FROZEN, END = "blob.subtract", "blob.frozen", "blob.end"
WEIGHT, JOIN, MIRROR = "blob.weight", blob_properties.JOIN, "blob.mirror"
FORMULA = "blob.formula"
COEFFICIENTS = {  # of a quadric, as blob.xx, in core's order, with what a new one has
    **{"xx": 1.0, "yy": 1.0, "zz": 0.5, "xy": 0.0, "yz": 0.0, "zx": 0.0},
    **{"x": 0.0, "y": 0.0, "z": 0.0, "one": -1.0},
}
SUM, UNION, INTERSECTION, DIFFERENCE = "sum", "union", "intersection", "difference"
COMBINATIONS = (SUM, UNION, INTERSECTION, DIFFERENCE)
BIAS_OF_RADII = 0.36787944117144233  # exp(-1): of it a lone sphere of a sum has its element's radius
OWN = frozenset(
    {
        BLOB,
        ELEMENT,
        CONTROL,
        BIAS,
        SMOOTH,
        SIGMA,
        TURN,
        FOCUS,
        PLAY,
        LIVE,
        KEEP_NORMALS,
        SUBTRACT,
        WEIGHT,
        JOIN,
        MIRROR,
        FROZEN,
        END,
        FORMULA,
    }
)
CYLINDER = "cylinder"  # the kind of an element that has another end
OTHER_END = "end"  # the kind of an element that is the other end of a cylinder


def is_blob(obj: Object) -> bool:
    """Return whether an object is a blob, which may be a part of another one."""
    return BLOB in custom_properties(obj)


def is_whole_blob(obj: Object) -> bool:
    """Return whether an object is a blob that has parts and is a part of no other."""
    return is_blob(obj) and blob_of(obj) == obj and bool(parts_of(obj))


def is_blob_mesh(obj: Object) -> bool:
    """Return whether an object is the mesh of its parent blob, and that blob has parts.

    A blob that is a part of another one counts, too: its surface is that one's.
    """
    owner = obj.parent if MESH in custom_properties(obj) or is_blob(obj) else None
    return owner is not None and is_blob(owner) and bool(parts_of(owner))


def surface_of(blob: Object) -> Object | None:
    """Return the mesh object that shows a whole blob's surface and follows it; None for none.

    It is the blob itself, or else a child of it, where the blob is an empty.
    """
    if blob.type == "MESH":
        return blob
    shown = (child for child in _children(blob) if MESH in custom_properties(child))
    return next((child for child in shown if custom_properties(child).get(LIVE, False)), None)


def is_element(obj: Object) -> bool:
    """Return whether an object is an element, if it is a child of a blob."""
    return ELEMENT in custom_properties(obj)


def is_control(obj: Object) -> bool:
    """Return whether an object is a control point, if it is a child of a blob."""
    return CONTROL in custom_properties(obj)


def blob_of(obj: Object | None) -> Object | None:
    """Return the outermost blob that an object is, or is a part of; None for none."""
    while obj is not None and not is_blob(obj):
        obj = obj.parent
    while obj is not None and obj.parent is not None and is_blob(obj.parent):
        obj = obj.parent
    return obj


def active_blob(context: Context) -> Object:
    """Return the blob that the active object is, or is a part of. Raises SceneError for none."""
    active = active_object(context)
    found = blob_of(active)
    if found is None:
        raise SceneError(
            "(none)" if active is None else active.name,
            "it is no blob, and no part of one",
            "add a blob (Add Blob), or click one of its elements",
        )
    return found


def parts_of(blob: Object) -> list[Object]:
    """Return the elements of a blob, and the blobs that are parts of it, by name; no deleted ones."""
    return [child for child in _children(blob) if is_element(child) or is_blob(child)]


def controls_of(blob: Object) -> list[Object]:
    """Return the control points of a blob, by name."""
    return [child for child in _children(blob) if is_control(child)]


def family_of(blob: Object) -> Iterator[Object]:
    """Yield the blob, its parts and their parts, and its control points."""
    yield blob
    for child in _children(blob):
        if is_blob(child):
            yield from family_of(child)
        elif is_element(child) or is_control(child):
            yield child


def _children(obj: Object) -> list[Object]:
    """Return an object's children, except those that are deleted but still in the file."""
    return [as_read(child) for child in original(obj).children if is_in_scene(child)]


class _Reading:
    """The evaluated scene that objects are read in; None for the file itself."""

    depsgraph: Depsgraph | None = None


@contextmanager
def read_in(depsgraph: Depsgraph) -> Iterator[None]:
    """Within the block blobs are read as an evaluated scene has them, such as that of a render.

    A render does not bring the file's objects to its frame.
    """
    before, _Reading.depsgraph = _Reading.depsgraph, depsgraph
    try:
        yield
    finally:
        _Reading.depsgraph = before


def as_read(obj: Object) -> Object:
    """Return an object of the file as it is read: itself, or its copy in the evaluated scene."""
    return obj if _Reading.depsgraph is None else obj.evaluated_get(_Reading.depsgraph)


def is_in_scene(obj: Object) -> bool:
    """Return whether an object is in the view layer, or at least in a collection."""
    layer: ViewLayer | None = bpy.context.view_layer
    seen = layer is not None and layer.objects.get(obj.name) == obj
    return seen or bool(obj.users_collection)


def number_of(obj: Object, key: str, default: float) -> float:
    """Return a number among an object's custom properties. Raises SceneError for another value."""
    value = custom_properties(obj).get(key, default)
    if isinstance(value, (int, float)) and value == value and abs(value) != float("inf"):
        return float(value)
    raise SceneError(obj.name, f'its property "{key}" is {value!r}', "set it to a number")


def is_on(obj: Object, key: str) -> bool:
    """Return whether a switch among an object's custom properties is on. Raises SceneError for others."""
    return number_of(obj, key, 0.0) != 0.0


def other_ends(blob: Object) -> list[Object]:
    """Return the objects at the other ends of a blob's cylinders, one for each cylinder that has it."""
    cylinders = [obj for obj in family_of(blob) if custom_properties(obj).get(ELEMENT) == CYLINDER]
    return [end for end in map(_other_end, cylinders) if end is not None]


def shared_ends(blob: Object) -> frozenset[str]:
    """Return the names of other ends that are not one cylinder's alone.

    Several cylinders have them, or they are elements themselves, or no children of the blob.
    """
    own = {obj.name for obj in family_of(blob) if custom_properties(obj).get(ELEMENT) == OTHER_END}
    counts = Counter(end.name for end in other_ends(blob))
    return frozenset(name for name, count in counts.items() if count > 1 or name not in own)


def other_end(obj: Object) -> Object:
    """Return the object at a cylinder's other end. Raises SceneError if there is none."""
    found = _other_end(obj)
    if found is not None:
        return found
    raise SceneError(
        obj.name,
        f'its other end is lost: "{END}" names no object',
        "undo that, or delete this end, too",
    )


def _other_end(obj: Object) -> Object | None:
    value = custom_properties(obj).get(END)
    found = bpy.data.objects.get(value) if isinstance(value, str) else value
    if not isinstance(found, Object):
        return None
    end = original(found)
    return as_read(end) if end != original(obj) and is_in_scene(end) else None


def check_depth(blob: Object) -> None:
    """Raise SceneError for an element or control point whose parent is a part of the blob, not the blob."""
    for obj in blob.children_recursive:
        is_part = is_control(obj) or custom_properties(obj).get(ELEMENT, OTHER_END) != OTHER_END
        if is_part and obj.parent is not None and not is_blob(obj.parent) and is_in_scene(obj):
            found = f'its parent "{obj.parent.name}" is no blob, so it is no part of "{blob.name}"'
            raise SceneError(obj.name, found, "make it a child of the blob itself")
