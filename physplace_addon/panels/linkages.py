# SPDX-License-Identifier: GPL-3.0-or-later
"""The sidebar's panel for posing jointed figures."""

from __future__ import annotations

from bpy.types import Context, Panel

from ..operators.linkages.drag import PHYSPLACE_OT_linkage_drag
from ..operators.linkages.known import PHYSPLACE_OT_linkage_mirror, PHYSPLACE_OT_linkage_rest
from ..operators.linkages.sit import PHYSPLACE_OT_linkage_sit
from ..operators.linkages.solve import PHYSPLACE_OT_linkage_pull, PHYSPLACE_OT_linkage_solve
from ..scene.access import present


class PHYSPLACE_PT_figures(Panel):
    """Posing the active object's figure."""

    bl_idname = "PHYSPLACE_PT_figures"
    bl_label = "Jointed Figures"
    bl_space_type = "VIEW_3D"
    bl_region_type = "UI"
    bl_category = "PhysPlace"
    bl_options = {"DEFAULT_CLOSED"}

    def draw(self, context: Context) -> None:
        """Draw the ways to pose."""
        layout = present(self.layout)
        column = layout.column(align=True)
        column.operator(PHYSPLACE_OT_linkage_drag.bl_idname, icon="VIEW_PAN")
        column.operator(PHYSPLACE_OT_linkage_sit.bl_idname, icon="TRIA_DOWN_BAR")
        layout.label(text="To the 3D cursor", icon="PIVOT_CURSOR")
        row = layout.row(align=True)
        row.operator(PHYSPLACE_OT_linkage_pull.bl_idname)
        row.operator(PHYSPLACE_OT_linkage_solve.bl_idname)
        column = layout.column(align=True)
        column.operator(PHYSPLACE_OT_linkage_mirror.bl_idname, icon="MOD_MIRROR")
        column.operator(PHYSPLACE_OT_linkage_rest.bl_idname, icon="LOOP_BACK")
