# SPDX-License-Identifier: GPL-3.0-or-later
"""The sidebar's panel for simulating the selected objects."""

from __future__ import annotations

from bpy.types import Context, Panel

from ..operators.simulating.simulate import PHYSPLACE_OT_simulate
from ..scene.access import present, scene_of
from ..scene.reading.settings import settings_of


class PHYSPLACE_PT_simulate(Panel):
    """Simulating the selected objects, and its settings."""

    bl_idname = "PHYSPLACE_PT_simulate"
    bl_label = "Simulate"
    bl_space_type = "VIEW_3D"
    bl_region_type = "UI"
    bl_category = "PhysPlace"
    bl_options = {"DEFAULT_CLOSED"}

    def draw(self, context: Context) -> None:
        """Draw the operator, the steps, the surfaces and the keys."""
        chosen = settings_of(scene_of(context))
        layout = present(self.layout)
        layout.operator(PHYSPLACE_OT_simulate.bl_idname, icon="PHYSICS")
        layout.use_property_split = True
        layout.use_property_decorate = False
        layout.prop(chosen, "steps_per_second")
        surfaces = layout.column(align=True)
        surfaces.prop(chosen, "body_friction")
        surfaces.prop(chosen, "body_restitution")
        layout.prop(chosen, "end_at_proven_rest")
        layout.prop(chosen, "key_error")
