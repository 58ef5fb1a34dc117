# SPDX-License-Identifier: GPL-3.0-or-later
"""An object of a user's own file, placed on everything else that is visible in it."""

from __future__ import annotations

from pathlib import Path

import bpy
from bpy.types import Object

from demo.quiet import quiet
from demo.table import place
from physplace_addon.scene.access import active_object, view_layer_of


def run(path: Path, active: str | None, out: Path) -> int:
    """Open or import a file, place one object of it, and save the result; return 0."""
    if not path.is_file():
        raise SystemExit(f"There is no file {path}")
    with quiet():
        _open(path)
    obj = _object(active)
    try:
        place(obj)
    except RuntimeError as error:
        raise SystemExit(str(error).strip()) from error
    target = out / f"{path.stem}_placed.blend"
    with quiet():
        bpy.ops.wm.save_as_mainfile(filepath=str(target))
    print(f"The scene with {obj.name} placed is in {target}.")
    return 0


def _open(path: Path) -> None:
    suffix, name = path.suffix.lower(), str(path.resolve())
    if suffix == ".blend":
        bpy.ops.wm.open_mainfile(filepath=name)
        return
    bpy.ops.wm.read_factory_settings(use_empty=True)
    if suffix == ".obj":
        bpy.ops.wm.obj_import(filepath=name)
    elif suffix in {".glb", ".gltf"}:
        bpy.ops.import_scene.gltf(filepath=name)
    else:
        raise SystemExit(f"{path}: expected a .blend, .obj or .glb file")


def _object(name: str | None) -> Object:
    objects = view_layer_of(bpy.context).objects
    shown = [obj.name for obj in objects if obj.visible_get()]
    listing = "\n  ".join(shown) or "(none)"
    if name is not None:
        found: Object | None = objects.get(name)
        if found is None:
            raise SystemExit(f'There is no object "{name}" in the view layer. Visible objects:\n  {listing}')
        return found
    active = active_object(bpy.context)
    if active is None:
        raise SystemExit(f"Say which object to place, with ACTIVE=name. Visible objects:\n  {listing}")
    return active
