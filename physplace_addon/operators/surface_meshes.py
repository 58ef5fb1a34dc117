# SPDX-License-Identifier: GPL-3.0-or-later
"""When the meshes of formulas are looked at: after every update of the scene, and on every frame."""

from __future__ import annotations

from bpy.types import Depsgraph, Scene

from ..scene.access import persistent
from ..scene.writing.surface_meshes import refresh_changed


@persistent
def _on_update(_scene: Scene, depsgraph: Depsgraph) -> None:
    refresh_changed(depsgraph)


HANDLERS = (("depsgraph_update_post", _on_update), ("frame_change_post", _on_update))
