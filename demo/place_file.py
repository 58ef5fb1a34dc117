# SPDX-License-Identifier: GPL-3.0-or-later
"""An object of a user's own file, placed on everything else that is visible in it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import bpy
from bpy.types import Object

from demo.quiet import quiet
from demo.table import place
from physplace_addon.core.placement import Status
from physplace_addon.scene.access import active_object, view_layer_of


def run(path: Path, active: str | None, out: Path) -> int:
    """Open or import a file, place one object of it, and save the result; return 1 if it is not at rest."""
    if not path.is_file():
        raise SystemExit(f"There is no file {path}")
    with _failures_in_words(f"{path} cannot be read"), quiet():
        _open(path)
    obj = _object(path, active)
    with _failures_in_words(f'"{obj.name}" of {path} has not been placed'):
        end = place(obj)
    target = out / f"{path.stem}_placed.blend"
    with _failures_in_words(f"{target} cannot be written"), quiet():
        bpy.ops.wm.save_as_mainfile(filepath=str(target))
    print(f"The scene with {obj.name} placed is in {target}.")
    return 0 if Status[end].at_rest else 1


@contextmanager
def _failures_in_words(what: str) -> Iterator[None]:
    """End the demo where an operator fails in the block, and say what has failed and Blender's reason."""
    try:
        yield
    except RuntimeError as error:
        raise SystemExit(f"{what}: {str(error).strip().removeprefix('Error: ')}") from error


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


def _object(path: Path, name: str | None) -> Object:
    objects = view_layer_of(bpy.context).objects
    shown = [obj.name for obj in objects if obj.visible_get()]
    if not shown:
        raise SystemExit(f"{path} has no visible objects")
    listing = "\n  ".join(shown)
    if name is not None:
        found: Object | None = objects.get(name)
        if found is None:
            raise SystemExit(f'There is no object "{name}" in the view layer. Visible objects:\n  {listing}')
        return found
    active = active_object(bpy.context)
    if active is None:
        raise SystemExit(f"Say which object to place, with ACTIVE=name. Visible objects:\n  {listing}")
    return active
