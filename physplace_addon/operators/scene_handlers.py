# SPDX-License-Identifier: GPL-3.0-or-later
"""What PhysPlace does when Blender updates a scene or saves a file, whatever operator is used.

After every update of the scene, and on every frame, what has changed is noted for what is running, and the
meshes of objects that are formulas are made anew where they have changed.

Before a file is saved, the group of PhysPlace's properties is made on what library overrides override. When
it saves, Blender 5 compares an override with that. Where the group is missing there, the whole group counts
as replaced, which cannot be read back, and rests would be lost. Reading a group makes it.
"""

from __future__ import annotations

import bpy
from bpy.types import Depsgraph, Scene

from ..scene.access import extended, persistent
from ..scene.changes import note_changes
from ..scene.writing.surface_meshes import refresh_changed


@persistent
def _on_update(_scene: Scene, depsgraph: Depsgraph) -> None:
    note_changes(depsgraph)
    refresh_changed(depsgraph)


@persistent
def _before_save(*_: object) -> None:
    for block in (*bpy.data.objects, *bpy.data.scenes):
        override = block.override_library
        if override is not None and override.reference is not None:
            _ = extended(override.reference).physplace


HANDLERS = (
    ("depsgraph_update_post", _on_update),
    ("frame_change_post", _on_update),
    ("save_pre", _before_save),
)
