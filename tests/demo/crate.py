"""Writes a file with a tilted crate above a floor, and says at which heights the corners of a crate are.

    python tests/demo/crate.py write my.blend        also .obj and .glb
    python tests/demo/crate.py heights my.blend      prints the heights, rounded to 1e-5

A process of its own: Blender's module hangs at exit when it has exported a .glb where PhysPlace was imported.
"""

from __future__ import annotations

import sys
from pathlib import Path

import bpy
from bpy.types import Mesh

TILT = 0.3  # radians about both horizontal axes


def write(path: Path) -> None:
    """Write a crate of side 2 above a floor at height zero."""
    bpy.ops.wm.read_factory_settings(use_empty=True)
    bpy.ops.mesh.primitive_plane_add(size=20.0)
    bpy.data.objects["Plane"].name = "Floor"
    bpy.ops.mesh.primitive_cube_add(size=2.0, location=(0.0, 0.0, 3.0), rotation=(TILT, TILT, 0.0))
    bpy.data.objects["Cube"].name = "Crate"
    if path.suffix == ".blend":
        bpy.ops.wm.save_as_mainfile(filepath=str(path))
    elif path.suffix == ".obj":
        bpy.ops.wm.obj_export(filepath=str(path))
    else:
        bpy.ops.export_scene.gltf(filepath=str(path))


def heights(path: Path) -> set[float]:
    """Return the heights of the crate's corners in a .blend file, rounded to 1e-5."""
    bpy.ops.wm.open_mainfile(filepath=str(path))
    crate = bpy.data.objects["Crate"]
    assert isinstance(crate.data, Mesh)
    return {round((crate.matrix_world @ vertex.co).z, 5) + 0.0 for vertex in crate.data.vertices}


if __name__ == "__main__":
    if sys.argv[1] == "write":
        write(Path(sys.argv[2]))
    else:
        print("heights:", *sorted(heights(Path(sys.argv[2]))))
