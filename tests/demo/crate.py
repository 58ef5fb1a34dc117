"""Writes a file with a tilted crate above a floor, and says at which heights the corners of a crate are.

    python tests/demo/crate.py write my.blend        also .obj and .glb
    python tests/demo/crate.py heights my.blend      prints the heights, rounded to 1e-5

A program of its own, so that Blender's data of a test is not that of another one. The .glb is written byte by
byte: Blender 4.2's module crashes when it exports one, that of 4.5 then hangs at its exit.
"""

from __future__ import annotations

import json
import math
import struct
import sys
from pathlib import Path

import bpy
import numpy as np
from bpy.types import Mesh
from numpy.typing import NDArray

TILT = 0.3  # radians
HEIGHT = 3.0  # of the crate's centre; its side is 2

# glTF: constants of its specification, version 2.0.
GLB, JSON, BINARY = 0x46546C67, 0x4E4F534A, 0x004E4942
FLOAT, SHORT = 5126, 5123

CUBE = np.array([[x, y, z] for x in (-1.0, 1.0) for y in (-1.0, 1.0) for z in (-1.0, 1.0)], dtype=np.float32)
CUBE_FACES = ((0, 1, 3, 2), (4, 6, 7, 5), (0, 4, 5, 1), (2, 3, 7, 6), (0, 2, 6, 4), (1, 5, 7, 3))
FLOOR = np.array([[-10, 0, 10], [10, 0, 10], [10, 0, -10], [-10, 0, -10]], dtype=np.float32)  # y is up


def write(path: Path) -> None:
    """Write a crate of side 2 above a floor at height zero."""
    if path.suffix == ".glb":
        path.write_bytes(glb())
        return
    bpy.ops.wm.read_factory_settings(use_empty=True)
    bpy.ops.mesh.primitive_plane_add(size=20.0)
    bpy.data.objects["Plane"].name = "Floor"
    bpy.ops.mesh.primitive_cube_add(size=2.0, location=(0.0, 0.0, HEIGHT), rotation=(TILT, TILT, 0.0))
    bpy.data.objects["Cube"].name = "Crate"
    if path.suffix == ".blend":
        bpy.ops.wm.save_as_mainfile(filepath=str(path))
    else:
        bpy.ops.wm.obj_export(filepath=str(path))


def glb() -> bytes:
    """Return the crate above the floor as a binary glTF file."""
    crate = np.array([(a, *pair) for a, b, c, d in CUBE_FACES for pair in ((b, c), (c, d))], dtype=np.uint16)
    floor = np.array([(0, 1, 2), (0, 2, 3)], dtype=np.uint16)
    arrays: list[NDArray[np.float32] | NDArray[np.uint16]] = [CUBE, crate, FLOOR, floor]
    starts = np.cumsum([0, *(array.nbytes for array in arrays)]).tolist()
    turn = [math.sin(TILT / 2.0), 0.0, 0.0, math.cos(TILT / 2.0)]
    scene = {
        "asset": {"version": "2.0"},
        "scene": 0,
        "scenes": [{"nodes": [0, 1]}],
        "nodes": [
            {"name": "Crate", "mesh": 0, "translation": [0.0, HEIGHT, 0.0], "rotation": turn},
            {"name": "Floor", "mesh": 1},
        ],
        "meshes": [
            {"primitives": [{"attributes": {"POSITION": 2 * number}, "indices": 2 * number + 1}]}
            for number in range(2)
        ],
        "accessors": [accessor(number, array) for number, array in enumerate(arrays)],
        "bufferViews": [
            {"buffer": 0, "byteOffset": start, "byteLength": array.nbytes}
            for start, array in zip(starts[:-1], arrays, strict=True)
        ],
        "buffers": [{"byteLength": starts[-1]}],
    }
    text, data = json.dumps(scene).encode(), b"".join(array.tobytes() for array in arrays)
    chunks = chunk(JSON, text, b" ") + chunk(BINARY, data, b"\0")
    return struct.pack("<III", GLB, 2, 12 + len(chunks)) + chunks


def accessor(number: int, array: NDArray[np.float32] | NDArray[np.uint16]) -> dict[str, object]:
    """Return what glTF says of an array of points (n, 3) or of triangles (n, 3) in its buffer view."""
    found: dict[str, object] = {"bufferView": number}
    if array.dtype == np.uint16:
        return found | {"componentType": SHORT, "count": array.size, "type": "SCALAR"}
    span = {"min": array.min(axis=0).tolist(), "max": array.max(axis=0).tolist()}
    return found | {"componentType": FLOAT, "count": len(array), "type": "VEC3"} | span


def chunk(kind: int, data: bytes, filling: bytes) -> bytes:
    """Return a part of a binary glTF file, filled up to a multiple of four bytes."""
    data += -len(data) % 4 * filling
    return struct.pack("<II", len(data), kind) + data


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
