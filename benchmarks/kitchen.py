"""What a press of Place costs in a kitchen, from the press to the first motion.

Run from the project's root: python -m benchmarks.kitchen [--short] [--meshes FOLDER]

1. A kitchen of 28 objects and more than 45,000 faces, two of them with Subdivision Surface, is built from
   primitives; with --meshes the meshes of a folder (.glb, .gltf, .obj) stand in it, too. A mug is placed: the
   seconds from the press to the first state that moved it are printed, for the first press and the second.
2. The same with a million triangles far away: what they add, in seconds and bytes.
3. Thirteen linked monkeys with Subdivision Surface beside one: the seconds of reading each.

Exits with 1 where a figure is above its limit. With --short the million are ten thousand, and there is no
limit.
"""

from __future__ import annotations

import argparse
import sys
import time
from pathlib import Path

import bpy
import numpy as np

import physplace_addon
from benchmarks.reading import quad_mesh
from physplace_addon.core.arrays import Floats
from physplace_addon.core.jobs import finished
from physplace_addon.operators.placing.item import PlacementItem
from physplace_addon.scene.reading.kept_bodies import kept
from physplace_addon.scene.reading.scenario import read
from tests.blender_data import current_view_layer
from tests.scene import scenes

FIRST, SECOND = 0.8, 0.15  # most seconds from a press to the first motion
FAR_SECONDS, FAR_BYTES = 0.1, 50e6  # most that a million triangles far away may add
MONKEYS = 13
TOP = 0.9  # height of the counter

# (radius, height) along profiles of turned things
PLATE = ((0.0, 0.0), (0.07, 0.0), (0.13, 0.018), (0.13, 0.022), (0.07, 0.006), (0.0, 0.006))
BOWL = ((0.0, 0.0), (0.04, 0.0), (0.09, 0.05), (0.10, 0.08), (0.095, 0.08), (0.085, 0.052), (0.0, 0.008))
MUG = ((0.0, 0.0), (0.038, 0.0), (0.04, 0.09), (0.036, 0.09), (0.034, 0.006), (0.0, 0.006))
STEM = ((0.0, 0.0), (0.035, 0.0), (0.035, 0.003), (0.004, 0.01), (0.004, 0.08))
CUP = ((0.035, 0.11), (0.03, 0.17), (0.028, 0.17), (0.033, 0.11), (0.0, 0.085))
GLASS = (*STEM, *CUP)
BOTTLE = ((0.0, 0.0), (0.037, 0.0), (0.037, 0.2), (0.014, 0.25), (0.014, 0.3), (0.0, 0.3))
POT = ((0.0, 0.0), (0.11, 0.0), (0.11, 0.12), (0.105, 0.12), (0.105, 0.005), (0.0, 0.005))
LID = ((0.0, 0.0), (0.112, 0.0), (0.1, 0.015), (0.02, 0.03), (0.02, 0.05), (0.0, 0.05))
APPLE = ((0.0, 0.006), (0.02, 0.0), (0.04, 0.03), (0.035, 0.06), (0.015, 0.07), (0.0, 0.06))


def turned(name: str, profile: tuple[tuple[float, float], ...], around: int, along: int) -> bpy.types.Mesh:
    """Return the closed mesh of a profile turned about z, which begins and ends on the axis.

    along: how many rings each side of the profile gives.
    """
    corners = np.array(profile)
    places = np.linspace(0.0, len(corners) - 1.0, along * (len(corners) - 1) + 1)
    numbers = np.arange(float(len(corners)))
    radius, height = (np.interp(places, numbers, corners[:, column]) for column in (0, 1))
    angle = np.linspace(0.0, 2.0 * np.pi, around, endpoint=False)
    inner = slice(1, -1)
    rings = np.stack(
        [
            radius[inner, None] * np.cos(angle),
            radius[inner, None] * np.sin(angle),
            np.broadcast_to(height[inner, None], (len(places) - 2, around)),
        ],
        axis=2,
    )
    points = np.concatenate([rings.reshape(-1, 3), [[0.0, 0.0, height[0]], [0.0, 0.0, height[-1]]]])
    at = np.arange(len(points) - 2).reshape(-1, around)
    after = np.roll(at, -1, axis=1)
    quads = np.stack([at[:-1], after[:-1], after[1:], at[1:]], axis=2).reshape(-1, 4)
    first, last = len(points) - 2, len(points) - 1
    ends = [(first, b, a) for a, b in zip(at[0], after[0], strict=True)]
    ends += [(last, a, b) for a, b in zip(at[-1], after[-1], strict=True)]
    mesh = bpy.data.meshes.new(name)
    mesh.from_pydata(points.tolist(), [], [*map(tuple, quads.tolist()), *ends])
    return mesh


def stood(name: str, mesh: bpy.types.Mesh, x: float, y: float, z: float = TOP) -> bpy.types.Object:
    """Put a mesh somewhere, on the counter unless another height is given."""
    return scenes.linked(bpy.data.objects.new(name, mesh), (x, y, z))


def slab(name: str, size: tuple[float, float, float], at: tuple[float, float, float]) -> bpy.types.Object:
    """Put a box somewhere; at: the centre of its top."""
    mesh = bpy.data.meshes.new(name)
    half = 0.5 * np.array(size)
    corners = scenes.CUBE * half - [0.0, 0.0, half[2]]
    mesh.from_pydata(corners.tolist(), [], list(scenes.CUBE_FACES))
    return scenes.linked(bpy.data.objects.new(name, mesh), at)


def monkey(name: str, mesh: bpy.types.Mesh | None, at: tuple[float, float, float]) -> bpy.types.Object:
    """Put a monkey with Subdivision Surface somewhere; mesh: the one that it shares, None for a new one."""
    if mesh is None:
        bpy.ops.mesh.primitive_monkey_add(size=0.2)
        made = bpy.context.object
        assert made is not None
        assert isinstance(made.data, bpy.types.Mesh)
        mesh = made.data
        bpy.data.objects.remove(made)
    obj = scenes.linked(bpy.data.objects.new(name, mesh), at)
    obj.modifiers.new("Subdivision", "SUBSURF")
    return obj


def build() -> bpy.types.Object:
    """Build the kitchen in an empty scene; return the mug above the counter."""
    slab("Floor", (4.0, 4.0, 0.1), (0.0, 0.0, 0.0))
    slab("Counter", (2.4, 0.8, 0.04), (0.0, 0.0, TOP))
    slab("Wall", (2.4, 0.02, 1.2), (0.0, 0.45, TOP + 1.0))
    slab("Shelf", (1.2, 0.2, 0.02), (0.0, 0.32, TOP + 0.5))
    slab("Board", (0.3, 0.2, 0.02), (-0.2, -0.15, TOP + 0.02))
    plate, mug = turned("Plate", PLATE, 64, 6), turned("Mug", MUG, 64, 8)
    for number in range(4):
        stood(f"Plate {number}", plate, -1.0 + 0.3 * number, 0.1)
    for number in range(4):
        stood(f"Glass {number}", turned("Glass", GLASS, 64, 4), 0.3 + 0.11 * number, 0.2)
    for number in range(3):
        stood(f"Bowl {number}", turned("Bowl", BOWL, 64, 4), 0.9, -0.25 + 0.24 * number)
    for number in range(2):
        stood(f"Bottle {number}", turned("Bottle", BOTTLE, 48, 8), -1.1 + 0.1 * number, -0.25)
    for number in range(3):
        stood(f"Mug {number}", mug, -0.4 + 0.15 * number, 0.3, TOP + 0.5)
    for number in range(2):
        stood(f"Apple {number}", turned("Apple", APPLE, 48, 6), 0.3 + 0.1 * number, -0.2)
    stood("Pot", turned("Pot", POT, 64, 6), 0.55, -0.1)
    stood("Lid", turned("Lid", LID, 64, 4), 0.55, -0.1, TOP + 0.1201)
    monkey("Monkey 0", None, (-0.75, -0.2, TOP + 0.1))
    monkey("Monkey 1", None, (0.15, 0.3, TOP + 0.6))
    return stood("Mug", mug, 0.05, -0.1, TOP + 0.15)


def add_meshes(folder: Path) -> None:
    """Put the meshes of a folder on the counter, in a row."""
    files = sorted(path for path in folder.iterdir() if path.suffix in (".glb", ".gltf", ".obj"))
    for number, path in enumerate(files):
        before = set(bpy.data.objects)
        if path.suffix == ".obj":
            bpy.ops.wm.obj_import(filepath=str(path))
        else:
            bpy.ops.import_scene.gltf(filepath=str(path))
        for obj in set(bpy.data.objects) - before:
            if obj.parent is None:
                obj.location = (-1.1 + 2.2 * number / len(files), -0.3, TOP)


def add_far_away(triangles: int) -> None:
    """Put a grid of so many triangles far from the kitchen."""
    side = int(np.sqrt(triangles / 2.0))
    across = np.linspace(0.0, 10.0, side + 1)
    points = np.stack([*np.meshgrid(across, across, indexing="ij"), np.zeros((side + 1, side + 1))], axis=2)
    at = np.arange((side + 1) ** 2).reshape(side + 1, side + 1)
    quads = np.stack([at[:-1, :-1], at[1:, :-1], at[1:, 1:], at[:-1, 1:]], axis=2).reshape(-1, 4)
    mesh = quad_mesh("Terrain", points.reshape(-1, 3), quads)
    scenes.linked(bpy.data.objects.new("Terrain", mesh), (100.0, 100.0, 0.0))


def press(obj: bpy.types.Object) -> float:
    """Return the seconds from a press of Place to the first motion; the object is put back."""
    scenes.activate(obj)
    current_view_layer().update()  # what Blender has done before a button is pressed
    began = time.perf_counter()
    item = finished(PlacementItem.beginning(bpy.context, [obj]))
    start: Floats = item.poses[0].translation
    while np.array_equal(item.poses[0].translation, start) and item.steered.is_running:
        item.steered.advance(0.001)
    seconds = time.perf_counter() - began
    item.put_back(bpy.context)
    return seconds


def seconds_of_reading(obj: bpy.types.Object) -> float:
    """Return the seconds that reading a scene takes around an object."""
    current_view_layer().update()
    began = time.perf_counter()
    read(bpy.context, [obj])
    return time.perf_counter() - began


def fresh() -> None:
    """Begin with an empty scene, and nothing kept."""
    bpy.ops.wm.read_homefile(use_factory_startup=True, use_empty=True)
    kept.clear()


def measured_kitchen(triangles: int, meshes: Path | None) -> tuple[list[float], list[float], int]:
    """Return the seconds of two presses in a kitchen, of two with triangles far away, and the bytes added."""
    fresh()
    mug = build()
    if meshes is not None:
        add_meshes(meshes)
    near = [press(mug), press(mug)]
    before = kept.bytes
    add_far_away(triangles)
    kept.clear()
    far = [press(mug), press(mug)]
    return near, far, kept.bytes - before


def measured_monkeys() -> tuple[float, float]:
    """Return the seconds of reading one monkey with Subdivision Surface, and thirteen that share its mesh."""
    seconds = []
    for count in (1, MONKEYS):
        fresh()
        cube = scenes.cube("Cube", (0.0, 0.0, 5.0))
        mesh: bpy.types.Mesh | None = None
        for number in range(count):
            made = monkey(f"Monkey {number}", mesh, (0.0, 0.0, 0.3 * number))
            assert isinstance(made.data, bpy.types.Mesh)
            mesh = made.data
        seconds.append(seconds_of_reading(cube))
    return seconds[0], seconds[1]


def main() -> int:
    """Print all figures; return 1 if one is above its limit."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--short", action="store_true", help="few triangles far away, to see that it runs")
    parser.add_argument("--meshes", type=Path, help="a folder of meshes that stand in the kitchen, too")
    options = parser.parse_args()
    physplace_addon.register()
    near, far, added = measured_kitchen(10_000 if options.short else 1_000_000, options.meshes)
    one, many = measured_monkeys()
    physplace_addon.unregister()
    more = far[0] - near[0]
    print(f"press to first motion: {near[0]:.2f} s, then {near[1]:.3f} s (at most {FIRST} and {SECOND})")
    print(f"triangles far away add {more:.3f} s and {added / 1e6:.1f} MB (at most {FAR_SECONDS} and 50)")
    print(f"reading {MONKEYS} linked monkeys takes {many:.2f} s, one {one:.2f} s")
    sys.stdout.flush()
    good = near[0] <= FIRST and near[1] <= SECOND and more <= FAR_SECONDS and added <= FAR_BYTES
    return int(not options.short and (not good or many > 1.5 * one))


if __name__ == "__main__":
    sys.exit(main())
