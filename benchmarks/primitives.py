"""Blender's own primitives, each placed on a floor: how they end, and how deep they overlap it.

Run from the project's root, with Blender's Python module: python -m benchmarks.primitives

Prints a line each: the end, the deepest point of what Blender shows under the floor, over the size, how long
it took in seconds, and what the report says of the mesh.
"""

from __future__ import annotations

import time

import bpy
import numpy as np

import physplace_addon
from demo.operators import physplace
from tests.addon.mixed_objects import seen
from tests.addon.primitives import MAKERS, made
from tests.scene import scenes


def main() -> None:
    """Place one after another."""
    deepest = 0.0
    for name in MAKERS:
        bpy.ops.wm.read_factory_settings(use_empty=True)
        physplace_addon.register()
        scenes.floor()
        obj = made(name)
        began = time.perf_counter()
        physplace().place()
        seconds = time.perf_counter() - began
        report = obj["physplace_report"].to_dict()
        points = seen("Floor").reshape(-1, 3)
        depth = max(0.0, -points[:, 2].min()) / np.linalg.norm(np.ptp(points, axis=0))
        deepest = max(deepest, depth)
        print(
            f"{name:28s} {report['status']:18s} {depth:.1e} {seconds:6.2f} s  {report.get('notes', '')}",
            flush=True,
        )
        physplace_addon.unregister()
    print(f"deepest overlap over the size, in single precision: {deepest:.1e}")


if __name__ == "__main__":
    main()
