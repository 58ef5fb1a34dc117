"""Rigged characters posed in a large scene: how long the first grab takes, and the ticks of a drag.

Run from the project's root: python -m benchmarks.characters [--short]

An armature of 60 bones, once with a box on each bone, once with one weighted mesh of about 20,000 faces,
stands on a landscape of 100,000 triangles among ten rocks of 10,000 triangles.  Each is grabbed at a hand, at
a foot and at its pelvis, which goes down until the figure crouches.  Printed: the processor time from
pressing the mouse to the first tick done, the longest slice of it, and the ticks.

With --short the scene has a hundredth of the triangles, and there are boxes only.  Exits with 1 where the
first grab takes more than a second, or the middle tick more than a tenth of one.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Callable
from itertools import pairwise
from typing import NamedTuple, TypeVar

import bpy
import numpy as np

import physplace_addon
from benchmarks.reading import quad_mesh
from physplace_addon.core.arrays import Floats, Ints
from physplace_addon.core.jobs import Job
from physplace_addon.operators.linkages.session import LinkageSession
from physplace_addon.scene.access import present
from physplace_addon.scene.linkages.reading import reading_linkage
from tests.blender_data import current_view_layer
from tests.scene import scenes
from tests.scene.linkages import rigs

ResultT = TypeVar("ResultT")

MOST_FIRST, MOST_TICK = 1.0, 0.1  # seconds
TICKS = 30
HEIGHT = 1.75
STEP = 0.02  # of the goal in a tick, over the figure's height
FACES = 20_000
AROUND = 24  # vertices around a tube
INSET = 0.02  # of a bone, by which a tube begins after the chain's own
GRABS: tuple[tuple[str, rigs.Point], ...] = (  # bones, and where these are dragged
    ("Arm.L 3", (0.0, -0.92, 0.39)),
    ("Foot.L 0", (0.0, -0.64, 0.77)),
    ("Spine 0", (0.0, 0.2, -0.98)),
)


class Chain(NamedTuple):
    """Bones one after another: their name, their joints, the bone that they hang on, and a radius."""

    name: str
    joints: list[rigs.Point]
    parent: str
    radius: float


def chains() -> list[Chain]:
    """Return the chains of a character 1.75 high that faces -y."""
    made = [
        Chain("Spine", [(0, 0, z) for z in (0.92, 1.02, 1.11, 1.2, 1.29, 1.38, 1.47)], "", 0.13),
        Chain("Neck", [(0, 0, 1.48), (0, 0, 1.55), (0, 0, 1.76)], "Spine 5", 0.06),
        Chain("Tail", [(0, 0.15 + 0.1 * i, 0.95 - 0.01 * i) for i in range(9)], "Spine 0", 0.03),
    ]
    for side, x in (("L", 1.0), ("R", -1.0)):
        arm: list[rigs.Point] = [(y * x, 0.0, 1.43) for y in (0.14, 0.19, 0.46, 0.71, 0.79)]
        leg: list[rigs.Point] = [(0.1 * x, 0.0, z) for z in (0.9, 0.5, 0.1)]
        foot: list[rigs.Point] = [(0.1 * x, y, 0.06) for y in (0.06, -0.1, -0.18)]
        made += [
            Chain(f"Arm.{side}", arm, "Spine 5", 0.035),
            Chain(f"Leg.{side}", leg, "Spine 0", 0.06),
            Chain(f"Foot.{side}", foot, f"Leg.{side} 1", 0.045),
        ]
        for finger in range(5):
            y, joints = -0.036 + 0.018 * finger, 3 if finger == 0 else 4
            line: list[rigs.Point] = [(x * (0.8 + 0.03 * i), y, 1.43) for i in range(joints)]
            made.append(Chain(f"Finger {finger}.{side}", line, f"Arm.{side} 3", 0.007))
    return made


def bones_of(rig: bpy.types.Object) -> list[bpy.types.PoseBone]:
    """Return the bones of an armature."""
    return list(present(rig.pose).bones)


def character() -> bpy.types.Object:
    """Return the armature alone."""
    bones = []
    for chain in chains():
        for i, (head, tail) in enumerate(pairwise(chain.joints)):
            above = f"{chain.name} {i - 1}" if i else chain.parent
            bones.append(rigs.BoneSketch(f"{chain.name} {i}", head, tail, above, i > 0))
    rig = rigs.armature(bones, "Character")
    for bone in bones_of(rig):
        if bone.name.startswith("Leg") and bone.name.endswith("1"):
            bone.lock_ik_y = bone.lock_ik_z = bone.use_ik_limit_x = True
            bone.ik_min_x, bone.ik_max_x = -0.02, 2.5
        elif any(part in bone.name for part in ("Finger", "Spine", "Tail")):
            settings = {f"use_limit_{axis}": True for axis in "xyz"}
            ends = {f"min_{axis}": -0.6 for axis in "xyz"} | {f"max_{axis}": 0.6 for axis in "xyz"}
            rigs.limit(bone, "LIMIT_ROTATION", **settings, **ends)
    return rig


def with_boxes(rig: bpy.types.Object) -> None:
    """Give each bone a box."""
    for chain in chains():
        for i, (head, tail) in enumerate(pairwise(chain.joints)):
            length = float(np.linalg.norm(np.subtract(tail, head)))
            rigs.carried_box(rig, f"{chain.name} {i}", (chain.radius, 0.5 * length, chain.radius))


def tube(line: Floats, radius: float, along: int) -> tuple[Floats, Ints, Floats]:
    """Return the points, quadrilaterals, and places on the line of a closed tube around a line (n, 3)."""
    place = np.linspace(INSET, len(line) - 1.0 - INSET, along + 1)
    centre = np.stack([np.interp(place, np.arange(len(line)), line[:, k]) for k in range(3)], 1)
    direction = (line[-1] - line[0]) / np.linalg.norm(line[-1] - line[0])
    u = np.cross(direction, (0.3, 0.9, 0.2))
    u /= np.linalg.norm(u)
    angle = 2.0 * np.pi * np.arange(AROUND) / AROUND
    across = np.cos(angle)[:, None] * u + np.sin(angle)[:, None] * np.cross(direction, u)
    points = np.concatenate([(centre[:, None] + radius * across).reshape(-1, 3), centre[[0, -1]]])
    i, j = (each.ravel() for each in np.meshgrid(np.arange(along), np.arange(AROUND), indexing="ij"))
    first, second = i * AROUND + j, i * AROUND + (j + 1) % AROUND
    sides = np.stack([first, second, second + AROUND, first + AROUND], axis=1)
    ring = np.arange(0, AROUND, 2)
    fan = np.stack([ring, (ring + 1) % AROUND, (ring + 2) % AROUND], axis=1)
    pole = np.full((len(fan), 1), len(points) - 2)
    ends = [np.concatenate([pole, fan[:, ::-1]], 1), np.concatenate([pole + 1, fan + along * AROUND], 1)]
    own = np.concatenate([np.repeat(place, AROUND), place[[0, -1]]])
    return points, np.concatenate([sides, *ends]), own


def with_weighted_mesh(rig: bpy.types.Object, faces: int) -> bpy.types.Object:
    """Give the armature one weighted mesh: a closed tube around each chain, its weights blended."""
    points, quads, owners = [], [], list[tuple[str, float]]()
    along = max(faces // len(chains()) // AROUND, 4)
    for chain in chains():
        corners, sides, places = tube(np.array(chain.joints, float), chain.radius, along)
        quads.append(sides + len(owners))
        points.append(corners)
        owners += [(chain.name, place) for place in places.tolist()]
    skin = scenes.linked(
        bpy.data.objects.new("Skin", quad_mesh("Skin", np.concatenate(points), np.concatenate(quads)))
    )
    groups = {bone.name: skin.vertex_groups.new(name=bone.name) for bone in bones_of(rig)}
    for vertex, (name, place) in enumerate(owners):
        for number in (int(place) - 1, int(place), int(place) + 1):
            weight = 1.0 - abs(place - 0.5 - number)
            if weight > 0.0 and f"{name} {number}" in groups:
                groups[f"{name} {number}"].add([vertex], weight, "REPLACE")
    skin.parent = rig
    modifier = skin.modifiers.new("Armature", "ARMATURE")
    assert isinstance(modifier, bpy.types.ArmatureModifier)
    modifier.object = rig
    return skin


def grid(name: str, side: int, size: float, height: Callable[[Floats, Floats], Floats]) -> bpy.types.Object:
    """Return a landscape of side x side quadrilaterals."""
    x, y = np.meshgrid(np.linspace(-size, size, side + 1), np.linspace(-size, size, side + 1), indexing="ij")
    points = np.stack([x, y, height(x, y)], -1).reshape(-1, 3)
    i, j = np.meshgrid(np.arange(side), np.arange(side), indexing="ij")
    first = i * (side + 1) + j
    quads: Ints = np.stack([first, first + side + 1, first + side + 2, first + 1], -1).reshape(-1, 4)
    return scenes.linked(bpy.data.objects.new(name, quad_mesh(name, points, quads)))


def rock(number: int, rows: int, columns: int, place: rigs.Point) -> None:
    """Add a bumpy ball of rows x columns quadrilaterals; its poles are open."""
    theta, phi = np.linspace(0.02, np.pi - 0.02, rows + 1), 2.0 * np.pi * np.arange(columns) / columns
    t, p = np.meshgrid(theta, phi, indexing="ij")
    radius = 0.35 * (1.0 + 0.1 * np.sin(5.0 * t + number) * np.cos(4.0 * p))
    ball = radius[..., None] * np.stack([np.sin(t) * np.cos(p), np.sin(t) * np.sin(p), np.cos(t)], -1)
    i, j = (each.ravel() for each in np.meshgrid(np.arange(rows), np.arange(columns), indexing="ij"))
    first, second = i * columns + j, i * columns + (j + 1) % columns
    quads = np.stack([first, first + columns, second + columns, second], axis=1)
    name = f"Rock {number}"
    scenes.linked(bpy.data.objects.new(name, quad_mesh(name, ball.reshape(-1, 3), quads)), place)


def surroundings(share: float) -> int:
    """Make a landscape, flat in its middle, and rocks; return the number of their triangles."""
    side = int(np.sqrt(50_000 * share))

    def height(x: Floats, y: Floats) -> Floats:
        found: Floats = 0.1 * np.sin(2.0 * x) * np.cos(1.7 * y) * (1.0 - np.exp(-(x**2) - y**2))
        return found

    grid("Landscape", side, 8.0, height)
    rows, columns = int(70 * np.sqrt(share)), int(71 * np.sqrt(share))
    rng = np.random.default_rng(0)
    for number in range(10):
        angle, far = 0.2 * np.pi * number, 1.0 + 0.5 * float(rng.random())
        rock(number, rows, columns, (far * np.cos(angle), far * np.sin(angle), 0.3))
    return 2 * side**2 + 10 * 2 * rows * columns


def timed(job: Job[ResultT], slices: list[float]) -> ResultT:
    """Run a job, and note the processor time of each slice."""
    while True:
        begin = time.process_time()
        try:
            next(job)
        except StopIteration as end:
            slices.append(time.process_time() - begin)
            result: ResultT = end.value
            return result
        slices.append(time.process_time() - begin)


class Drag(NamedTuple):
    """Seconds of the first grab, of its longest slice, and of the ticks."""

    first: float
    longest: float
    ticks: list[float]


def dragged(rig: bpy.types.Object, name: str, direction: Floats) -> Drag:
    """Grab a bone and drag it."""
    slices: list[float] = []
    scenario = timed(reading_linkage(bpy.context, rig), slices)
    session = timed(LinkageSession.beginning(bpy.context, scenario), slices)
    number = [part.name for part in scenario.found.parts].index(name)
    place, ticks = session.poses[number].translation, []
    for tick in range(TICKS + 1):
        begin = time.process_time()
        if tick == 0:
            session.grab(number, place)
        session.follow(place + (tick + 1) * STEP * HEIGHT * direction)
        session.step()
        ticks.append(time.process_time() - begin)
    return Drag(sum(slices) + ticks[0], max([*slices, ticks[0]]), ticks[1:])


def report(share: float, weighted: bool, height: float) -> bool:
    """Drag one character, print its times; return whether they are what is asked."""
    bpy.ops.wm.read_homefile(use_factory_startup=True, use_empty=True)
    rig, count = character(), surroundings(share)
    if weighted:
        with_weighted_mesh(rig, FACES)
    else:
        with_boxes(rig)
    rig.location.z = height
    current_view_layer().update()
    what = "one weighted mesh" if weighted else "boxes"
    print(f"{len(bones_of(rig))} bones with {what}, {height} above {count} triangles:")
    well = True
    for name, direction in GRABS:
        drag = dragged(rig, name, np.array(direction))
        middle, mean, worst = (1e3 * float(of(drag.ticks)) for of in (np.median, np.mean, np.max))
        print(f"  {name}: first grab {drag.first:.2f} s, longest slice {drag.longest:.2f} s", end="")
        print(f", tick {middle:.0f} ms, mean {mean:.0f} ms, the longest {worst:.0f} ms", flush=True)
        well &= drag.first <= MOST_FIRST and middle <= 1e3 * MOST_TICK
    return well


def main() -> int:
    """Print all figures; return 1 if one is above its limit."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--short", action="store_true", help="small, to see that it runs")
    is_short = parser.parse_args().short
    share = 0.01 if is_short else 1.0
    physplace_addon.register()
    try:
        kinds = (False,) if is_short else (False, True)
        results = [report(share, weighted, height) for weighted in kinds for height in (1.0, 0.0)]
    finally:
        physplace_addon.unregister()
    sys.stdout.flush()
    return int(not is_short and not all(results))


if __name__ == "__main__":
    sys.exit(main())
