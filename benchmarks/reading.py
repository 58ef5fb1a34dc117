"""Reading a large mesh beside what only fetching it takes, and the memory that its placement takes.

Run from the project's root: python -m benchmarks.reading [--short]

1. A ring of 199,808 triangles with a modifier is read into a body. In the same run its coordinates and its
   triangles are fetched and its unique edges found. The ratio of their times is printed.
2. The same ring is placed on a floor in a process of its own, whose largest memory is printed.

With --short the mesh has a hundredth of the triangles. Exits with 1 where the ratio is above 8, or the memory
above 1.5 gigabytes.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import time

import bpy
import numpy as np

from physplace_addon.core.arrays import Floats, Ints
from physplace_addon.scene.reading.scenario import read
from tests.core.meshes import torus
from tests.scene import scenes

LARGE = (446, 224)  # quadrilaterals around the ring, and across it
SMALL = (44, 22)
REPEATS = 9
MOST_RATIO = 8.0  # time of reading over that of fetching
MOST_MEMORY = 1.5e9  # bytes


def quad_mesh(name: str, points: Floats, quads: Ints) -> bpy.types.Mesh:
    """Return a new mesh of points (n, 3) and quadrilaterals (k, 4)."""
    mesh = bpy.data.meshes.new(name)
    mesh.vertices.add(len(points))
    mesh.vertices.foreach_set("co", points.ravel().astype(np.float32))
    mesh.loops.add(quads.size)
    mesh.loops.foreach_set("vertex_index", quads.ravel().astype(np.int32))
    mesh.polygons.add(len(quads))
    mesh.polygons.foreach_set("loop_start", np.arange(0, quads.size, 4, dtype=np.int32))
    mesh.update(calc_edges=True)
    return mesh


def ring_of(around: int, across: int) -> bpy.types.Object:
    """Add a ring of around x across quadrilaterals, with a modifier, to the scene."""
    points, _ = torus(around, across)
    i, j = (part.ravel() for part in np.meshgrid(np.arange(around), np.arange(across), indexing="ij"))
    after = (i + 1) % around
    quads = np.stack([i * across + j, after * across + j], axis=1)
    quads = np.concatenate(
        [quads, np.roll(quads.reshape(around, across, 2), -1, axis=1).reshape(-1, 2)[:, ::-1]], 1
    )
    ring = scenes.linked(bpy.data.objects.new("Ring", quad_mesh("Ring", points, quads)), (0.0, 0.0, 3.0))
    modifier = ring.modifiers.new("Displace", "DISPLACE")
    assert isinstance(modifier, bpy.types.DisplaceModifier)
    modifier.strength = 0.1
    return ring


def fetched(obj: bpy.types.Object) -> float:
    """Return the seconds of fetching coordinates and triangles and finding the unique edges.

    An edge is one number here, made of its two vertices: numpy.unique over pairs takes ten times as long.
    """
    mesh = obj.evaluated_get(bpy.context.evaluated_depsgraph_get()).to_mesh()
    began = time.process_time()
    points = np.empty(3 * len(mesh.vertices), dtype=np.float32)
    mesh.vertices.foreach_get("co", points)
    triangles = np.empty(3 * len(mesh.loop_triangles), dtype=np.int32)
    mesh.loop_triangles.foreach_get("vertices", triangles)
    start = triangles.astype(np.int64)
    end = np.roll(start.reshape(-1, 3), -1, axis=1).ravel()
    np.unique(np.minimum(start, end) * len(points) + np.maximum(start, end))
    return time.process_time() - began


def ratio_of_reading(size: tuple[int, int]) -> float:
    """Return the least time of reading a ring over the least time of fetching it."""
    bpy.ops.wm.read_homefile(use_factory_startup=True, use_empty=True)
    ring = ring_of(*size)
    scenes.activate(ring)
    least, reading = [], []
    for _ in range(REPEATS):
        least.append(fetched(ring))
        began = time.process_time()
        read(bpy.context)
        reading.append(time.process_time() - began)
    return min(reading) / min(least)  # a slower run is slower by what else the machine does


PLACE = """
import resource, sys, bpy, physplace_addon
from benchmarks.reading import ring_of
from tests.scene import scenes
bpy.ops.wm.read_homefile(use_factory_startup=True, use_empty=True)
physplace_addon.register()
scenes.floor()
ring = ring_of(int(sys.argv[1]), int(sys.argv[2]))
ring.rotation_euler = (0.3, 0.2, 0.0)
scenes.activate(ring)
bpy.ops.physplace.place()
status = ring["physplace_report"].to_dict()["status"]
print("ENDED", status, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss, flush=True)
physplace_addon.unregister()
"""


def memory_of_placing(size: tuple[int, int]) -> tuple[str, float]:
    """Return how the placement of a ring on a floor ended, and the largest memory of its process, bytes."""
    command = [sys.executable, "-c", PLACE, *map(str, size)]
    answer = subprocess.run(command, capture_output=True, text=True, timeout=600, check=True)
    ended = next(line.split() for line in answer.stdout.splitlines() if line.startswith("ENDED"))
    return ended[1], float(ended[2]) * (1 if sys.platform == "darwin" else 1024)


def main() -> int:
    """Print both figures; return 1 if one is above its limit."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--short", action="store_true", help="a small mesh, to see that it runs")
    size = SMALL if parser.parse_args().short else LARGE
    triangles = 2 * size[0] * size[1]
    ratio = ratio_of_reading(size)
    print(f"{triangles} triangles are read in {ratio:.1f} times what fetching takes (at most {MOST_RATIO})")
    status, memory = memory_of_placing(size)
    print(f"placed: {status}, in {memory / 1e9:.2f} GB (at most {MOST_MEMORY / 1e9})")
    sys.stdout.flush()
    return int(size == LARGE and (ratio > MOST_RATIO or memory > MOST_MEMORY))


if __name__ == "__main__":
    sys.exit(main())
