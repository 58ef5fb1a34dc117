"""Seeded variations of a laid table by the batch command: all at rest, none overlaps, the same bytes again.

Run from the project's root, with bpy: python -m benchmarks.laid_tables [--variations 1000] [--again 1000]

The scene is the example *Table to Lay* without its orange: a plate, a mug, a salt shaker, a fork and a knife
over a table. The batch runs in a process of its own, is killed without warning when half of the variations
are there, and started again: what was done before is not touched, and all numbers are there. The first ones
are then made again, in another folder, and compared byte by byte. Whether any two meshes cut one another is
judged by the tests' oracle from the meshes and the matrices in the JSON files alone.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import time
from itertools import combinations
from pathlib import Path
from typing import Any, cast

import bpy
import numpy as np

import physplace_addon
from physplace_addon.core.arrays import Floats
from tests.oracles.triangles import crossings

BOXES = {  # between which corners the origins are put: apart, so that few are scattered anew
    "Plate": ([-0.05, -0.08, 0.05], [0.05, 0.08, 0.09]),
    "Mug": ([0.24, 0.10, 0.09], [0.30, 0.20, 0.13]),
    "Salt": ([-0.30, 0.16, 0.08], [-0.22, 0.22, 0.12]),
    "Fork": ([-0.28, -0.10, 0.04], [-0.24, 0.02, 0.08]),
    "Knife": ([0.26, -0.15, 0.04], [0.30, -0.05, 0.08]),
}
STANDING = "Table"
TOLERANCE = 1e-7  # depth, in metres, to which meshes may cut: single precision at a metre
BATCH = "from physplace_addon.operators.batch import command; import sys, os, physplace_addon;\
 physplace_addon.register(); code = command.run(sys.argv[1:]); sys.stdout.flush(); os._exit(code)"


def prepare(folder: Path, variations: int) -> dict[str, Floats]:
    """Save the scene and the job in a folder; returns each object's triangles (t, 3, 3) in its own space."""
    bpy.ops.wm.read_homefile(use_factory_startup=True, use_empty=True)
    physplace_addon.register()
    cast("Any", bpy.ops).physplace.example_open(example="table_to_lay")
    bpy.data.objects.remove(bpy.data.objects["Orange"])
    scene = next(each for each in bpy.data.scenes if "Table to Lay" in each.name)
    for other in [each for each in bpy.data.scenes if each is not scene]:
        bpy.data.scenes.remove(other)
    bpy.ops.wm.save_as_mainfile(filepath=str(folder / "table.blend"))
    write_job(folder / "job.json", "variations", variations)
    found = {name: _triangles(name) for name in BOXES}
    found[STANDING] = _triangles(STANDING) + np.array(bpy.data.objects[STANDING].location)
    physplace_addon.unregister()
    return found


def write_job(path: Path, output: str, variations: int) -> None:
    """Write the job's file."""
    objects = [{"name": name, "box": box, "turn": "heading"} for name, box in BOXES.items()]
    job = {"scene": "table.blend", "output": output, "variations": variations, "seed": 18, "objects": objects}
    path.write_text(json.dumps(job))


def batch(job: Path) -> subprocess.Popen[str]:
    """Start the batch command in a process of its own."""
    return subprocess.Popen(
        [sys.executable, "-c", BATCH, str(job)], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    )


def interrupted(job: Path, output: Path, after: int) -> dict[str, int]:
    """Kill a batch without warning when so many variations are there; returns when each file was written."""
    process = batch(job)
    while len(list(output.glob("*.json"))) < after:
        if process.poll() is not None:
            raise RuntimeError(f"the batch ended by itself: {process.communicate()[0]}")
        time.sleep(0.01)
    process.kill()
    process.communicate()
    return {path.name: path.stat().st_mtime_ns for path in output.glob("*.json")}


def done(job: Path) -> tuple[int, list[int]]:
    """Run a batch to its end; returns the exit code and the numbers that it says it has made."""
    process = batch(job)
    text = process.communicate()[0]
    words = [line.split() for line in text.splitlines() if line.startswith("variation ")]
    return process.returncode, [int(each[1].rstrip(":")) for each in words]


def overlapping(result: dict[str, Any], meshes: dict[str, Floats]) -> list[tuple[str, str]]:
    """Return the pairs of objects whose meshes cut one another in a variation."""
    placed = {STANDING: meshes[STANDING]}
    for name, each in result["objects"].items():
        matrix = np.array(each["matrix_world"])
        placed[name] = meshes[name] @ matrix[:3, :3].T + matrix[:3, 3]
    pairs = combinations(sorted(placed), 2)
    return [pair for pair in pairs if len(crossings(placed[pair[0]], placed[pair[1]], TOLERANCE))]


def _triangles(name: str) -> Floats:
    mesh = cast("bpy.types.Mesh", bpy.data.objects[name].data)
    mesh.calc_loop_triangles()
    corners = np.array([triangle.vertices[:] for triangle in mesh.loop_triangles])
    found: Floats = np.array([vertex.co[:] for vertex in mesh.vertices], np.float64)[corners]
    return found


def judged(folder: Path, variations: int, again: int) -> dict[str, object]:
    """Return what came of a batch of so many variations, the first `again` of them made twice."""
    meshes = prepare(folder, variations)
    output = folder / "variations"
    before = interrupted(folder / "job.json", output, variations // 2)
    code, made = done(folder / "job.json")
    files = sorted(output.glob("*.json"))
    results = [json.loads(path.read_text()) for path in files]
    write_job(folder / "again.json", "again", again)
    done(folder / "again.json")
    repeated = sorted((folder / "again").glob("*.json"))
    return {
        "exit code": code,
        "variations": len(results),
        "lost": variations - len({result["variation"] for result in results}),
        "done before it was killed": len(before),
        "done twice": len(before) + len(made) - variations,
        "touched": sum((output / name).stat().st_mtime_ns != written for name, written in before.items()),
        "not at rest": sum(not result["at_rest"] for result in results),
        "with overlaps": sum(bool(overlapping(result, meshes)) for result in results),
        "scattered anew": sum(result["tries"] > 1 for result in results),
        "made again": len(repeated),
        "not equal": sum(path.read_bytes() != (output / path.name).read_bytes() for path in repeated),
    }


def main() -> None:
    """Run it in the folder that is named, and print what came of it."""
    parser = argparse.ArgumentParser(description="Makes variations of a laid table.")
    parser.add_argument("--variations", type=int, default=1000)
    parser.add_argument("--again", type=int, default=1000)
    parser.add_argument("--out", type=Path, default=Path("out") / "laid_tables")
    chosen = parser.parse_args()
    chosen.out.mkdir(parents=True)
    for name, value in judged(chosen.out.resolve(), chosen.variations, chosen.again).items():
        print(f"{name:<26} {value}")


if __name__ == "__main__":
    main()
