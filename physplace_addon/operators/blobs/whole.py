# SPDX-License-Identifier: GPL-3.0-or-later
"""A blob as one thing: deleted, duplicated, brought up to date; an element deleted with its end."""

from __future__ import annotations

from bpy.types import Context, Object

from ...core.wording import counted
from ...scene.access import active_object, custom_properties, present, takes_objects, view_layer_of
from ...scene.blobs import whole
from ...scene.blobs.making import add_live_mesh
from ...scene.blobs.objects import (
    ELEMENT,
    OTHER_END,
    active_blob,
    blob_of,
    family_of,
    is_element,
    other_end,
    surface_of,
)
from ...scene.errors import SceneError
from ...scene.reading.subjects.movers import check_editable
from ...scene.writing.duplicate import select_only
from ..common import Conclusion, ObjectOperator, no_blob_reason


class PHYSPLACE_OT_blob_delete(ObjectOperator):
    """Delete the active blob."""

    bl_idname = "physplace.blob_delete"
    bl_label = "Delete Blob"
    bl_description = (
        "Delete the active blob with all that belongs to it: elements, control points, meshes, particles. "
        "Other children of it stay where they are"
    )

    @classmethod
    def disabled_reason(cls, context: Context) -> str | None:
        """Return why it cannot run now: it needs a blob, in Object Mode."""
        return no_blob_reason(context)

    def work(self, context: Context) -> Conclusion:
        """Delete its objects."""
        blob = active_blob(context)
        for obj in whole.objects_of(blob):
            check_editable(obj)
        name = blob.name
        count = whole.delete(context, blob)
        return Conclusion(True, f'"{name}": deleted, {counted(count, "object")}')


class PHYSPLACE_OT_blob_duplicate(ObjectOperator):
    """Duplicate the active blob."""

    bl_idname = "physplace.blob_duplicate"
    bl_label = "Duplicate Blob"
    bl_description = (
        "Make a copy of the active blob with all that belongs to it, in a collection of its own. "
        "It is at the same place: move it away"
    )

    @classmethod
    def disabled_reason(cls, context: Context) -> str | None:
        """Return why it cannot run now: it needs a blob, in Object Mode."""
        return no_blob_reason(context)

    def work(self, context: Context) -> Conclusion:
        """Copy its objects, and select the copy."""
        blob, home = active_blob(context), present(context.collection)
        if home in blob.users_collection or not takes_objects(home):
            home = present(context.scene).collection
        made = whole.duplicate(context, blob, home)
        select_only(context, [made])
        return Conclusion(True, f'"{made.name}": a copy of "{blob.name}"')


class PHYSPLACE_OT_blob_update(ObjectOperator):
    """Bring a blob of an earlier version up to date."""

    bl_idname = "physplace.blob_update"
    bl_label = "Update Old Blob"
    bl_description = (
        "Give the active blob, an empty of an earlier version, what blobs have now: a mesh that follows its "
        "surface, and all settings"
    )

    @classmethod
    def disabled_reason(cls, context: Context) -> str | None:
        """Return why it cannot run now: it needs a blob without a mesh, in Object Mode."""
        blob = blob_of(active_object(context))
        known = blob is not None and surface_of(blob) is not None
        return no_blob_reason(context) or ("The active blob has a live mesh already" if known else None)

    def work(self, context: Context) -> Conclusion:
        """Add the mesh and the settings."""
        blob = active_blob(context)
        check_editable(blob)
        surface = add_live_mesh(context, blob)
        return Conclusion(True, f'"{blob.name}": "{surface.name}" follows its surface')


class PHYSPLACE_OT_blob_element_delete(ObjectOperator):
    """Delete the active element of a blob."""

    bl_idname = "physplace.blob_element_delete"
    bl_label = "Delete Element"
    bl_description = "Delete the active element of a blob; of a cylinder both ends"

    @classmethod
    def disabled_reason(cls, context: Context) -> str | None:
        """Return why it cannot run now: it needs an element, in Object Mode."""
        active = active_object(context)
        none = active is None or not is_element(active)
        return no_blob_reason(context) or ("The active object is no element of a blob" if none else None)

    def work(self, context: Context) -> Conclusion:
        """Delete its empties, and select the blob."""
        active, blob = present(active_object(context)), active_blob(context)
        going = _with_end(blob, active)
        for obj in going:
            check_editable(obj)
        name = active.name
        whole.remove(going)
        view_layer_of(context).update()
        select_only(context, [blob])
        return Conclusion(True, f'"{blob.name}": "{name}" deleted')


def _with_end(blob: Object, element: Object) -> list[Object]:
    """Return the empties of an element of which one is given; an end that others have, too, stays."""
    family = list(family_of(blob))
    ends = {obj: end for obj in family if (end := _end_of(obj)) is not None}
    first = [obj for obj, end in ends.items() if end == element] if _is_end(element) else [element]
    shared = [end for obj, end in ends.items() if obj not in first]
    own = [ends[obj] for obj in first if obj in ends and _is_end(ends[obj]) and ends[obj] not in shared]
    return list(dict.fromkeys([element, *first, *own]))


def _is_end(obj: Object) -> bool:
    return bool(custom_properties(obj).get(ELEMENT) == OTHER_END)


def _end_of(obj: Object) -> Object | None:
    """Return the other end of a cylinder; None where there is none."""
    try:
        return other_end(obj)
    except SceneError:
        return None
