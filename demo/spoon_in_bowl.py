# SPDX-License-Identifier: GPL-3.0-or-later
"""The paper's Figure 1: a bowl is placed on a floor, and a spoon in the bowl, both from careless poses."""

from __future__ import annotations

from pathlib import Path

import bpy
from bpy.types import Object

from demo import markers, studio
from demo.quiet import quiet
from demo.studio import Quality
from demo.table import place
from physplace_addon.scene.access import extended, present, scene_of, view_layer_of
from physplace_addon.scene.examples import tableware

MARKER = 0.025  # radius of a contact's ball
AT_REST = {"BALANCED", "BALANCED_BY_FRICTION", "AT_ENERGY_MINIMUM"}
TARGET, DISTANCE = (0.0, 0.0, 0.60), 5.4  # of the camera
PICTURES = ("before.png", "after.png", "contacts.png")
SCENE = "spoon_in_bowl.blend"


def run(out: Path, quality: Quality) -> int:
    """Build, place, save and render into a folder; return 0 if both came to rest."""
    before, after, contacts = (out / name for name in PICTURES)
    bpy.ops.wm.read_factory_settings(use_empty=True)
    bowl, spoon = build()
    studio.light_and_camera(TARGET, DISTANCE)
    studio.render(before, quality)
    scene = scene_of(bpy.context)
    extended(scene).physplace.key_path = True
    scene.frame_set(1)
    ends = [place(bowl), place(spoon)]
    scene.frame_end = scene.frame_current + 24
    studio.render(after, quality)
    count = markers.mark(bowl, MARKER) + markers.mark(spoon, MARKER)
    _save_with_contacts_hidden(out / SCENE)
    _see_through(spoon, 0.6)
    _see_through(bowl, 0.2)
    studio.render(contacts, quality)
    first, second, third = PICTURES
    print(
        f"\nThe pictures {first}, {second} and {third}, and the scene {SCENE} with its {count} contacts, "
        f"are in {out}."
    )
    return 0 if AT_REST.issuperset(ends) else 1


def build() -> tuple[Object, Object]:
    """Add the floor, the bowl and the spoon; return the bowl and the spoon, not yet placed."""
    floor, bowl, spoon = tableware.floor(), tableware.bowl(), tableware.spoon()
    bowl.location, bowl.rotation_euler = (0.0, 0.0, 0.55), (0.30, -0.22, 0.0)
    spoon.location, spoon.rotation_euler = (-0.35, -0.10, 1.20), (0.25, -0.20, 0.6)
    studio.paint(floor, studio.material("Table", (0.40, 0.32, 0.25), Roughness=0.6))
    studio.paint(bowl, studio.material("Glaze", (0.09, 0.28, 0.42), Roughness=0.22, Coat_Weight=0.6))
    studio.paint(spoon, studio.material("Steel", (0.80, 0.78, 0.74), Metallic=1.0, Roughness=0.22))
    return bowl, spoon


def _see_through(obj: Object, alpha: float) -> None:
    coat = present(studio.mesh_of(obj).materials[0])
    studio.adjust(coat, Alpha=alpha, Roughness=0.5, Coat_Weight=0.0)  # no glints in front


def _save_with_contacts_hidden(path: Path) -> None:
    layer = view_layer_of(bpy.context).layer_collection.children[markers.COLLECTION]
    layer.hide_viewport = True
    with quiet():
        bpy.ops.wm.save_as_mainfile(filepath=str(path))
    layer.hide_viewport = False
