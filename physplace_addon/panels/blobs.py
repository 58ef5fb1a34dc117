# SPDX-License-Identifier: GPL-3.0-or-later
"""Blobs in the sidebar: adding, sculpting, and the properties of the active blob and element."""

from __future__ import annotations

from bpy.types import Context, Object, Panel, UILayout

from ..operators.blobs import live
from ..operators.blobs.add import PHYSPLACE_OT_blob_add
from ..operators.blobs.bake import PHYSPLACE_OT_blob_bake, PHYSPLACE_OT_blob_free_bake
from ..operators.blobs.control_add import PHYSPLACE_OT_blob_control_add
from ..operators.blobs.mesh import PHYSPLACE_OT_blob_mesh, PHYSPLACE_OT_blob_particles
from ..operators.blobs.metaballs import (
    PHYSPLACE_OT_blob_from_metaballs,
    PHYSPLACE_OT_blob_to_metaballs,
)
from ..operators.blobs.playback import playback
from ..operators.blobs.sculpt import PHYSPLACE_OT_blob_sculpt
from ..operators.blobs.whole import (
    PHYSPLACE_OT_blob_delete,
    PHYSPLACE_OT_blob_duplicate,
    PHYSPLACE_OT_blob_element_delete,
    PHYSPLACE_OT_blob_update,
)
from ..scene.access import active_object, custom_properties, extended, present
from ..scene.blobs.elements.solids import ROUNDING, TUBE
from ..scene.blobs.objects import (
    BIAS,
    FOCUS,
    FROZEN,
    JOIN,
    KEEP_NORMALS,
    LIVE,
    MIRROR,
    PLAY,
    SIGMA,
    SMOOTH,
    SUBTRACT,
    TURN,
    WEIGHT,
    blob_of,
    is_element,
)
from ..translations.spoken import spoken
from .sidebar import Icon

OF_BLOBS = {
    SIGMA: "Particle Size",
    TURN: "Finer at Bends",
    FOCUS: "Finer at Drags",
    BIAS: "Thinness",
    SMOOTH: "Smooth Joins",
    KEEP_NORMALS: "Keep Normals",
    LIVE: "Live Mesh",
    PLAY: "Show on Playback",
}
OF_ELEMENTS = {
    ROUNDING: "Rounding",
    TUBE: "Tube",
    WEIGHT: "Weight",
    MIRROR: "Mirror",
    SUBTRACT: "Subtract",
    FROZEN: "Frozen",
}
OF_OWN_JOINS = {JOIN: "Join Width"}


class PHYSPLACE_PT_blobs(Panel):
    """Making and sculpting blobs."""

    bl_idname = "PHYSPLACE_PT_blobs"
    bl_label = "Blobs"
    bl_space_type = "VIEW_3D"
    bl_region_type = "UI"
    bl_category = "PhysPlace"

    def draw(self, context: Context) -> None:
        """Draw the operators of blobs, and the properties of the active one."""
        layout = present(self.layout)
        active = active_object(context)
        blob = blob_of(active)
        column = layout.column(align=True)
        column.operator_menu_enum(
            PHYSPLACE_OT_blob_add.bl_idname,
            "kind",
            text="Add Blob" if blob is None else "Add Element",
            icon="ADD",
        )
        column.operator(PHYSPLACE_OT_blob_control_add.bl_idname, icon="PINNED")
        column = layout.column(align=True)
        column.operator(PHYSPLACE_OT_blob_sculpt.bl_idname, icon="SCULPTMODE_HLT")
        column.operator(PHYSPLACE_OT_blob_mesh.bl_idname, icon="MESH_ICOSPHERE")
        column.operator(PHYSPLACE_OT_blob_particles.bl_idname, icon="STICKY_UVS_DISABLE")
        row = column.row(align=True)
        row.operator(PHYSPLACE_OT_blob_from_metaballs.bl_idname, icon="META_DATA")
        row.operator(PHYSPLACE_OT_blob_to_metaballs.bl_idname, icon="META_BALL")
        row = column.row(align=True)
        row.operator(PHYSPLACE_OT_blob_bake.bl_idname, icon="KEYFRAME")
        row.operator(PHYSPLACE_OT_blob_free_bake.bl_idname, icon="KEYFRAME_HLT")
        if blob is None:
            return
        row = layout.row(align=True)
        row.label(text=blob.name, icon="META_BALL")
        row.operator(PHYSPLACE_OT_blob_duplicate.bl_idname, text="", icon="DUPLICATE")
        row.operator(PHYSPLACE_OT_blob_delete.bl_idname, text="", icon="TRASH")
        settings = layout.column(align=True)
        settings.use_property_split = True
        settings.use_property_decorate = False
        _properties(settings, blob, OF_BLOBS)
        _live_mesh(layout, blob)
        if playback.problem:
            layout.label(text=spoken(playback.problem), icon="ERROR", translate=False)
        if active is not None and is_element(active):
            _element(layout, active)


def _element(layout: UILayout, element: Object) -> None:
    """Draw an element's properties."""
    row = layout.row(align=True)
    row.label(text=element.name, icon="EMPTY_DATA")
    row.operator(PHYSPLACE_OT_blob_element_delete.bl_idname, text="", icon="X")
    column = layout.column(align=True)
    _properties(column, element, OF_ELEMENTS)
    if JOIN not in custom_properties(element):
        return
    switches = extended(element).physplace
    column.prop(switches, "own_join_width")
    if switches.own_join_width:
        _properties(column, element, OF_OWN_JOINS)


def _properties(layout: UILayout, obj: Object, names: dict[str, str]) -> None:
    """Draw those custom properties that an object has, each with its label."""
    for key, text in names.items():
        if key in custom_properties(obj):
            layout.prop(obj, f'["{key}"]', text=text)


def _live_mesh(layout: UILayout, blob: Object) -> None:
    """Draw how the blob's live mesh is."""
    status = live.live.status(blob)
    if status is live.LiveStatus.PROBLEM:
        layout.label(text=spoken(live.live.problem(blob)), icon="ERROR", translate=False)
    else:
        icon: Icon = "CHECKMARK" if status.is_well else "INFO"
        layout.label(text=spoken(status.message), icon=icon, translate=False)
    if status is live.LiveStatus.NONE:
        layout.operator(PHYSPLACE_OT_blob_update.bl_idname, icon="FILE_REFRESH")
