# SPDX-License-Identifier: GPL-3.0-or-later
"""The toolbar's tool: drag an object with contact, freely or by the arrows at its centre."""

from __future__ import annotations

from typing import Any, cast

import numpy as np
from bpy.types import Context, GizmoGroup, UILayout, WorkSpaceTool
from mathutils import Matrix, Vector

from ..scene.access import active_object, present, scene_of
from ..scene.reading.settings import settings_of
from .common import no_active_object_reason
from .placing.drop import PHYSPLACE_OT_drop_selected
from .placing.manipulation.drag import PHYSPLACE_OT_drag
from .placing.place import PHYSPLACE_OT_place
from .view import View

TOOL = "physplace.drag_tool"
HEAD_ON = 0.97  # cosine between an arrow and the line of sight above which the arrow is hidden
COLOURS = ((1.0, 0.2, 0.32), (0.55, 0.86, 0.0), (0.16, 0.56, 1.0))


class PHYSPLACE_GGT_drag(GizmoGroup):
    """An arrow along each axis of the world, at the active object's origin."""

    bl_idname = "PHYSPLACE_GGT_drag"
    bl_label = "Drag with Contact"
    bl_space_type = "VIEW_3D"
    bl_region_type = "WINDOW"
    bl_options = {"3D", "SHOW_MODAL_ALL"}

    @classmethod
    def poll(cls, context: Context) -> bool:
        """Return whether the tool can drag a selected object.

        The tool is checked too: Blender keeps a tool's arrows when a file is opened that has another tool.
        """
        tool: WorkSpaceTool | None = present(context.workspace).tools.from_space_view3d_mode(context.mode)
        if tool is None or tool.idname != TOOL:
            return False
        active = active_object(context)
        return no_active_object_reason(context) is None and active is not None and active.select_get()

    def setup(self, context: Context) -> None:
        """Make three arrows that start the drag."""
        self.arrows: list[Any] = []
        for axis, colour in zip("XYZ", COLOURS, strict=True):
            arrow: Any = self.gizmos.new("GIZMO_GT_arrow_3d")
            operator: Any = arrow.target_set_operator(PHYSPLACE_OT_drag.bl_idname)
            operator.axis = axis
            arrow.color, arrow.alpha = colour, 0.6
            arrow.color_highlight, arrow.alpha_highlight = colour, 1.0
            arrow.use_draw_modal = True
            self.arrows.append(arrow)

    def draw_prepare(self, context: Context) -> None:
        """Put the arrows at the object, and hide one that points at the viewer: it would cover the object."""
        at = present(active_object(context)).matrix_world.translation
        view = View.of(context)
        for arrow, along in zip(self.arrows, np.eye(3).tolist(), strict=True):
            turn = Vector((0.0, 0.0, 1.0)).rotation_difference(Vector(along)).to_matrix().to_4x4()
            arrow.matrix_basis = Matrix.Translation(at) @ turn
            arrow.hide = view is None or abs(float(view.towards @ along)) > HEAD_ON


class PhysPlaceDragTool(WorkSpaceTool):
    """Drag an object so that it slides along what it touches."""

    bl_space_type = "VIEW_3D"
    bl_context_mode = "OBJECT"
    bl_idname = TOOL
    bl_label = "Drag with Contact"
    bl_description = "Drag an object: it slides along what it touches and passes through nothing"
    bl_icon = "ops.transform.edge_slide"
    bl_widget = PHYSPLACE_GGT_drag.bl_idname

    @staticmethod
    def draw_settings(context: Context, layout: UILayout, _tool: WorkSpaceTool) -> None:
        """Draw what lets the dragged object fall, in the view's header while the tool is active."""
        layout.prop(settings_of(scene_of(context)), "place_on_release")
        layout.operator(PHYSPLACE_OT_place.bl_idname, icon="IMPORT")
        layout.operator(PHYSPLACE_OT_drop_selected.bl_idname, icon="SORT_ASC")

    bl_keymap = cast(
        "Any", ((PHYSPLACE_OT_drag.bl_idname, {"type": "LEFTMOUSE", "value": "CLICK_DRAG"}, None),)
    )
