# SPDX-License-Identifier: GPL-3.0-or-later
"""From Metaballs, To Metaballs: blobs and Blender's metaballs made into each other; what is lost is named."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bpy.props import BoolProperty
from bpy.types import Context

from ...scene.access import active_object, present, view_layer_of
from ...scene.blobs import whole
from ...scene.blobs.metaballs import Converted, family_of_metaballs, from_metaballs, to_metaballs
from ...scene.blobs.objects import active_blob
from ...scene.reading.subjects.movers import check_editable
from ...scene.writing.duplicate import select_only
from ..common import Conclusion, ObjectOperator, no_blob_reason, object_mode_reason


class PHYSPLACE_OT_blob_from_metaballs(ObjectOperator):
    """Make a blob of the active metaball."""

    bl_idname = "physplace.blob_from_metaballs"
    bl_label = "From Metaballs"
    bl_description = (
        "Make a blob of the active metaball and all that make one surface with it. What it cannot have of "
        "them is named, and how far the two surfaces are apart"
    )

    if TYPE_CHECKING:
        keep: bool
    else:
        keep: BoolProperty(
            name="Keep Metaballs", description="Leave the metaballs in the scene, hidden", default=True
        )

    @classmethod
    def disabled_reason(cls, context: Context) -> str | None:
        """Return why it cannot run now: it needs a metaball, in Object Mode."""
        active = active_object(context)
        none = active is None or active.type != "META"
        return object_mode_reason(context) or ("The active object is no metaball" if none else None)

    def work(self, context: Context) -> Conclusion:
        """Make the blob, and hide or delete the metaballs."""
        active = present(active_object(context))
        family = family_of_metaballs(context, active)
        for obj in family:
            check_editable(obj)
        name, converted = active.name, from_metaballs(context, active)
        select_only(context, [converted.made])
        if self.keep:
            for obj in family:
                obj.hide_set(True)
                obj.hide_render = True
        else:
            whole.remove(family)
        view_layer_of(context).update()
        return _conclusion(name, converted)


class PHYSPLACE_OT_blob_to_metaballs(ObjectOperator):
    """Make a metaball of the active blob."""

    bl_idname = "physplace.blob_to_metaballs"
    bl_label = "To Metaballs"
    bl_description = (
        "Make a metaball object of the active blob. What it cannot have of it is named, and how far the two "
        "surfaces are apart. The blob stays"
    )

    @classmethod
    def disabled_reason(cls, context: Context) -> str | None:
        """Return why it cannot run now: it needs a blob, in Object Mode."""
        return no_blob_reason(context)

    def work(self, context: Context) -> Conclusion:
        """Make the metaball, and select it."""
        blob = active_blob(context)
        converted = to_metaballs(context, blob)
        select_only(context, [converted.made])
        return _conclusion(blob.name, converted)


def _conclusion(name: str, converted: Converted) -> Conclusion:
    """Return what was made of an object, how far it is from that, and what is lost."""
    apart = "" if converted.apart != converted.apart else f"; {converted.apart:.1%} of its size apart at most"
    lost = f"; lost: {'; '.join(converted.lost)}" if converted.lost else "; nothing is lost"
    return Conclusion(not converted.lost, f'"{converted.made.name}": made of "{name}"{apart}{lost}')
