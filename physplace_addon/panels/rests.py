# SPDX-License-Identifier: GPL-3.0-or-later
"""The list of the active object's rests in the sidebar, and the forces of the chosen one."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from bpy.types import Context, Panel, UI_UL_list, UILayout, UIList

from ..operators.rests.forces import (
    PHYSPLACE_OT_rest_connection_add,
    PHYSPLACE_OT_rest_force_remove,
    PHYSPLACE_OT_rest_push_add,
)
from ..operators.rests.keyed import (
    PHYSPLACE_OT_keyframe_rest,
    PHYSPLACE_OT_rest_remove,
    PHYSPLACE_OT_rests_replace,
)
from ..rest_properties import OBJECT, PUSH
from ..scene.access import active_object, present
from ..scene.reading.subjects.movers import active_mover
from ..scene.rests.rests import active_rest, rests_of
from ..translations.spoken import spoken
from .sidebar import PHYSPLACE_PT_place

if TYPE_CHECKING:
    from ..rest_properties import PhysPlaceRest, PhysPlaceRestForce


class PHYSPLACE_UL_rests(UIList):
    """Rests by frame."""

    bl_idname = "PHYSPLACE_UL_rests"

    def draw_item(
        self,
        context: Context,
        layout: UILayout,
        data: Any,
        item: Any,
        icon: int | None,
        active_data: Any,
        active_property: str | None,
        index: int | None = 0,
        flt_flag: int | None = 0,
    ) -> None:
        """Draw the frame and the name of a rest."""
        row = layout.row(align=True)
        frame = row.row()
        frame.ui_units_x = 3.0
        frame.prop(item, "frame", text="", emboss=False)
        row.prop(item, "name", text="", emboss=False)
        if len(item.forces):
            row.label(icon="FORCE_FORCE")

    def filter_items(self, context: Context, data: Any, property: str) -> Any:
        """Return no filter, and the order of the rests by frame."""
        frames = [(number, rest.frame) for number, rest in enumerate(getattr(data, property))]
        return [], UI_UL_list.sort_items_helper(frames, key=lambda pair: pair[1])


class PHYSPLACE_PT_rests(Panel):
    """The rests of the active object, each keyed on its frame."""

    bl_idname = "PHYSPLACE_PT_rests"
    bl_label = "Rests"
    bl_space_type = "VIEW_3D"
    bl_region_type = "UI"
    bl_category = "PhysPlace"
    bl_parent_id = PHYSPLACE_PT_place.bl_idname

    @classmethod
    def poll(cls, context: Context) -> bool:
        """Return whether an object is active."""
        return active_object(context) is not None

    def draw(self, context: Context) -> None:
        """Draw the list, its buttons, and the forces of the chosen rest."""
        layout, obj = present(self.layout), active_mover(context)
        kept = rests_of(obj)
        row = layout.row()
        row.template_list(PHYSPLACE_UL_rests.bl_idname, "", kept, "rests", kept, "active_rest", rows=3)
        buttons = row.column(align=True)
        buttons.operator(PHYSPLACE_OT_keyframe_rest.bl_idname, text="", icon="ADD")
        buttons.operator(PHYSPLACE_OT_rest_remove.bl_idname, text="", icon="REMOVE")
        column = layout.column(align=True)
        column.operator(PHYSPLACE_OT_rests_replace.bl_idname, icon="FILE_REFRESH")
        if len(context.selected_objects) > 1:
            again = column.operator(PHYSPLACE_OT_rests_replace.bl_idname, text="Of All Selected")
            again.selected = True
        rest = active_rest(obj)
        if rest is not None:
            _draw_forces(layout, rest)


def _draw_forces(layout: UILayout, rest: PhysPlaceRest) -> None:
    layout.label(text=spoken(f'Forces on the way to "{rest.name}"'), translate=False)
    for number, force in enumerate(rest.forces):
        row = layout.row(align=True)
        row.label(text=_label(force))
        row.prop(force, "strength", text="")
        row.operator(PHYSPLACE_OT_rest_force_remove.bl_idname, text="", icon="X").number = number
    row = layout.row(align=True)
    row.operator(PHYSPLACE_OT_rest_push_add.bl_idname)
    row.operator(PHYSPLACE_OT_rest_connection_add.bl_idname)


def _label(force: PhysPlaceRestForce) -> str:
    if force.kind == PUSH:
        return "Push"
    if force.kind == OBJECT:
        return f"To {force.other.name}" if force.other else "To a missing object"
    return "To a place"
