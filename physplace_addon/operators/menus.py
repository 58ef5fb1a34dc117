# SPDX-License-Identifier: GPL-3.0-or-later
"""The entries in Blender's own Object, context, Pose and Add menus."""

from __future__ import annotations

from typing import Any, cast

from bpy.types import Context, Menu

from ..scene.access import present
from .blobs.add import PHYSPLACE_OT_blob_add
from .forces.connect import PHYSPLACE_OT_connect
from .forces.push import PHYSPLACE_OT_nudge, PHYSPLACE_OT_push
from .keys.pie_key import PIE
from .linkages.drag import PHYSPLACE_OT_linkage_drag
from .linkages.known import PHYSPLACE_OT_linkage_mirror, PHYSPLACE_OT_linkage_rest
from .linkages.sit import PHYSPLACE_OT_linkage_sit
from .linkages.solve import PHYSPLACE_OT_linkage_pull, PHYSPLACE_OT_linkage_solve
from .placing.check import PHYSPLACE_OT_check
from .placing.drop import PHYSPLACE_OT_drop_selected
from .placing.extricate import PHYSPLACE_OT_extricate
from .placing.place import PHYSPLACE_OT_place
from .placing.replicate import PHYSPLACE_OT_replicate
from .regions.contact_regions import PHYSPLACE_OT_contact_regions
from .rests.keyed import PHYSPLACE_OT_keyframe_rest, PHYSPLACE_OT_rests_replace
from .simulating.simulate import PHYSPLACE_OT_simulate

OPERATORS = (
    PHYSPLACE_OT_place,
    PHYSPLACE_OT_drop_selected,
    PHYSPLACE_OT_check,
    PHYSPLACE_OT_contact_regions,
    PHYSPLACE_OT_nudge,
    PHYSPLACE_OT_push,
    PHYSPLACE_OT_connect,
    PHYSPLACE_OT_replicate,
    PHYSPLACE_OT_extricate,
    PHYSPLACE_OT_keyframe_rest,
    PHYSPLACE_OT_rests_replace,
    PHYSPLACE_OT_simulate,
    PHYSPLACE_OT_linkage_drag,
    PHYSPLACE_OT_linkage_pull,
    PHYSPLACE_OT_linkage_solve,
    PHYSPLACE_OT_linkage_sit,
    PHYSPLACE_OT_linkage_mirror,
    PHYSPLACE_OT_linkage_rest,
)
POSING = (
    PHYSPLACE_OT_linkage_drag,
    PHYSPLACE_OT_linkage_pull,
    PHYSPLACE_OT_linkage_solve,
    PHYSPLACE_OT_linkage_sit,
    PHYSPLACE_OT_linkage_mirror,
    PHYSPLACE_OT_linkage_rest,
)
# In the order of a pie: left, right, below (where things fall), above, then the corners from the upper left.
PIE_ENTRIES = (
    (PHYSPLACE_OT_drop_selected, "SORT_ASC"),
    (PHYSPLACE_OT_simulate, "PLAY"),
    (PHYSPLACE_OT_place, "IMPORT"),
    (PHYSPLACE_OT_extricate, "EXPORT"),
    (PHYSPLACE_OT_check, "VIEWZOOM"),
    (PHYSPLACE_OT_replicate, "DUPLICATE"),
    (PHYSPLACE_OT_linkage_drag, "CON_KINEMATIC"),
    (PHYSPLACE_OT_keyframe_rest, "KEY_HLT"),
)


def draw_object_menu(self: Menu, context: Context) -> None:
    """Draw a menu of all operators in the Object menu."""
    layout = present(self.layout)
    layout.separator()
    layout.menu(PHYSPLACE_MT_object.bl_idname)


def draw_context_menu(self: Menu, context: Context) -> None:
    """Draw what is done most, and the menu of all, in the menu of the right mouse button."""
    layout = present(self.layout)
    layout.separator()
    layout.operator(PHYSPLACE_OT_place.bl_idname, icon="IMPORT")
    layout.menu(PHYSPLACE_MT_object.bl_idname)


def draw_pose_menu(self: Menu, context: Context) -> None:
    """Draw the operators that pose figures in the Pose menu."""
    layout = present(self.layout)
    layout.separator()
    for operator in POSING:
        layout.operator(operator.bl_idname)


def draw_add_menu(self: Menu, context: Context) -> None:
    """Draw the kinds of a blob's elements in the Add menu."""
    layout = present(self.layout)
    layout.operator_menu_enum(PHYSPLACE_OT_blob_add.bl_idname, "kind", text="Blob", icon="META_BALL")


class PHYSPLACE_MT_object(Menu):
    """All operators on the active object."""

    bl_idname = "PHYSPLACE_MT_object"
    bl_label = "PhysPlace"

    def draw(self, context: Context) -> None:
        """Draw one entry for each operator."""
        layout = present(self.layout)
        for operator in OPERATORS:
            layout.operator(operator.bl_idname)


class PHYSPLACE_MT_pie(Menu):
    """What is done most, around the mouse."""

    bl_idname = PIE
    bl_label = "PhysPlace"

    def draw(self, context: Context) -> None:
        """Draw the entries."""
        pie = present(self.layout).menu_pie()
        for operator, icon in PIE_ENTRIES:
            pie.operator(operator.bl_idname, icon=cast("Any", icon))
