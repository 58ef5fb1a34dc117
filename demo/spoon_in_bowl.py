# SPDX-License-Identifier: GPL-3.0-or-later
"""The paper's Figure 1: a bowl is placed on a floor, and a spoon in the bowl, both from careless poses."""

from __future__ import annotations

from pathlib import Path

import bpy
from bpy.types import Material, Object

from . import markers, shapes, studio
from .table import place

MARKER = 0.02  # radius of a contact's ball
AT_REST = {"BALANCED", "BALANCED_BY_FRICTION", "AT_ENERGY_MINIMUM"}


def run(out: Path) -> int:
    """Build, place, save and render into a folder; 0 if both came to rest."""
    bpy.ops.wm.read_factory_settings(use_empty=True)
    bowl, spoon = _build()
    studio.light_and_camera((0.0, 0.0, 0.60), 5.4)
    studio.render(out / "before.png")
    scene = bpy.context.scene
    scene.physplace.key_path = True
    scene.frame_set(1)
    ends = [place(bowl), place(spoon)]
    scene.frame_end = scene.frame_current + 24
    studio.render(out / "after.png")
    count = markers.mark(bowl, MARKER) + markers.mark(spoon, MARKER)
    _save_with_contacts_hidden(out / "spoon_in_bowl.blend")
    _see_through(spoon, 0.4)
    _see_through(bowl, 0.25)
    studio.render(out / "contacts.png")
    print(
        f"\n{count} contacts shown in {out / 'contacts.png'}; open {out / 'spoon_in_bowl.blend'} in Blender"
    )
    return 0 if AT_REST.issuperset(ends) else 1


def _build() -> tuple[Object, Object]:
    floor, bowl, spoon = shapes.floor(), shapes.bowl(), shapes.spoon()
    bowl.location, bowl.rotation_euler = (0.0, 0.0, 0.55), (0.30, -0.22, 0.0)
    spoon.location, spoon.rotation_euler = (-0.35, -0.10, 1.20), (0.25, -0.20, 0.6)
    studio.paint(floor, studio.material("Table", (0.40, 0.32, 0.25), Roughness=0.6))
    studio.paint(bowl, studio.material("Glaze", (0.09, 0.28, 0.42), Roughness=0.22, Coat_Weight=0.6))
    studio.paint(spoon, studio.material("Steel", (0.80, 0.78, 0.74), Metallic=1.0, Roughness=0.22))
    return bowl, spoon


def _see_through(obj: Object, alpha: float) -> None:
    coat: Material = obj.data.materials[0]
    inputs = coat.node_tree.nodes["Principled BSDF"].inputs
    for name, value in (("Alpha", alpha), ("Roughness", 0.5), ("Coat Weight", 0.0)):  # no glints in front
        inputs[name].default_value = value


def _save_with_contacts_hidden(path: Path) -> None:
    bpy.context.view_layer.layer_collection.children[markers.COLLECTION].hide_viewport = True
    bpy.ops.wm.save_as_mainfile(filepath=str(path))
    bpy.context.view_layer.layer_collection.children[markers.COLLECTION].hide_viewport = False
