# SPDX-License-Identifier: GPL-3.0-or-later
"""The entries in Blender's own Object, Pose and Add menus."""

from __future__ import annotations

from bpy.types import Context, Menu

from ..scene.access import present
from .blobs.add import PHYSPLACE_OT_blob_add
from .forces.connect import PHYSPLACE_OT_connect
from .forces.push import PHYSPLACE_OT_nudge, PHYSPLACE_OT_push
from .linkages.drag import PHYSPLACE_OT_linkage_drag
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
)
POSING = (PHYSPLACE_OT_linkage_drag, PHYSPLACE_OT_linkage_pull, PHYSPLACE_OT_linkage_solve)


def draw_object_menu(self: Menu, context: Context) -> None:
    """Draw a menu of all operators in the Object menu."""
    layout = present(self.layout)
    layout.separator()
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
