"""Random scenes of bodies to simulate, each drawn from its seed alone, with shapes by which an oracle judges.

Primitives are exact surfaces, blobs, or meshes, closed or open, at random sizes; the meshes of a folder come
through Blender.  They fall on a floor, down a slope, into a tray or a bowl, or fly about each other without
weight.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cache, partial
from pathlib import Path
from typing import cast

import numpy as np

from benchmarks.heaps import bin_around
from benchmarks.overlap_of_bodies import ExactShape
from physplace_addon.core.arrays import Floats
from physplace_addon.core.bodies import Body, polyhedron
from physplace_addon.core.bodies.implicit_solid import blob_body
from physplace_addon.core.dynamics.contacts import SurfaceLaws
from physplace_addon.core.dynamics.scene import Scene
from physplace_addon.core.dynamics.simulation import Simulation
from physplace_addon.core.implicit import blobby_spheres
from physplace_addon.core.rigid import Pose
from tests.bodies_of_the_paper import BOWL, Paired, cone, cuboid, cylinder, sphere, torus, turned
from tests.core import polygon_meshes
from tests.core.placement.household import triangles
from tests.oracles.blobs import Gaussians
from tests.oracles.frames import quaternion_of, random_rotation

GRAVITY = 9.81
MOST_BODIES = 12
SETTINGS = ("floor", "slope", "tray", "mesh bowl", "exact bowl", "weightless")
SHELL = [(float(np.sin(angle)), -float(np.cos(angle))) for angle in np.linspace(0.0, 0.5 * np.pi, 7)]
MESHES: dict[str, Callable[[], polygon_meshes.Mesh]] = {
    "box": polygon_meshes.cube,
    "ball": polygon_meshes.uv_sphere,
    "cylinder": polygon_meshes.cylinder,
    "cone": polygon_meshes.cone,
    "torus": polygon_meshes.torus,
    "sheet": polygon_meshes.grid,
    "disc": polygon_meshes.disc,
    "shell": partial(polygon_meshes.lathe, SHELL, 16),
}
BLOBS = {"ball": [[0.0, 0, 0]], "egg": [[-0.4, 0, 0], [0.4, 0, 0]], "peanut": [[-0.7, 0, 0], [0.7, 0, 0]]}
SPREAD, LEVEL = 0.8, 0.5  # of the Gaussians of blobs, as they are before they are scaled


@dataclass(frozen=True, eq=False)
class Thing:
    """A body, and by what an oracle judges it: an exact shape, or None for the body's triangles."""

    body: Body
    shape: ExactShape | None = None


@dataclass(frozen=True, eq=False)
class RandomScene:
    """A simulation that is about to begin, its things, and words for a person.

    things: those that move, then those that stand.
    weight: the acceleration of gravity, lengths over s^2.
    """

    name: str
    things: tuple[Thing, ...]
    simulation: Simulation
    gravity: Floats

    @property
    def moving(self) -> tuple[Thing, ...]:
        """The things that move."""
        return self.things[: len(self.simulation.scene)]


def random_scene(seed: int, number: int, models: Sequence[Body]) -> RandomScene:
    """Return a scene of 2 to 12 bodies, drawn from its seed and number.

    models: meshes that take part, beside primitives.
    """
    rng = np.random.default_rng([seed, number])
    setting = SETTINGS[int(rng.integers(len(SETTINGS)))]
    count = int(rng.integers(2, MOST_BODIES + 1))
    moving = [_random_thing(rng, models) for _ in range(count)]
    standing = _standing(setting)
    poses = _scattered(rng, setting, [thing.body for thing in moving])
    gravity = _gravity(rng, setting)
    bodies, world = [thing.body for thing in moving], [thing.body for thing in standing]
    total = count + len(world)
    laws = SurfaceLaws(np.sqrt(rng.uniform(0.0, 1.0, total)), np.sqrt(_restitutions(rng, total)))
    scene = Scene.of(bodies, poses, world, laws, gravity)
    velocity = rng.normal(size=(count, 3)) * rng.choice([0.0, 1.0, 3.0])
    if setting == "weightless":
        velocity -= 1.5 * np.array([pose.translation for pose in poses])
    spin = rng.normal(size=(count, 3)) * rng.choice([0.0, 2.0, 6.0])
    made = Simulation(scene, scene.motion(poses, velocity, spin))
    names = ", ".join(f"{thing.body.name}" for thing in moving)
    return RandomScene(f"{setting}: {names}", (*moving, *standing), made, gravity)


def read_models(folder: Path) -> list[Body]:
    """Return the meshes of a folder (.glb, .gltf), one body a file, as Blender shows them, of radius 1."""
    import bpy

    from physplace_addon.scene.reading.scenario import read

    bodies = []
    for path in sorted(path for path in folder.iterdir() if path.suffix in (".glb", ".gltf")):
        bpy.ops.wm.read_homefile(use_factory_startup=True, use_empty=True)
        bpy.ops.import_scene.gltf(filepath=str(path))
        roots = [obj for obj in bpy.data.objects if obj.parent is None]
        for subject in read(bpy.context, roots).subjects:
            body = subject.body
            bodies.append(body.transformed(np.diag([*(1.0 / np.repeat(body.radius, 3)), 1.0]), path.stem))
    return bodies


def _random_thing(rng: np.random.Generator, models: Sequence[Body]) -> Thing:
    size, mass = rng.uniform(0.2, 0.5), rng.uniform(0.3, 3.0)
    if models and rng.random() < 0.5:
        model = models[int(rng.integers(len(models)))]
        thing = Thing(model.transformed(np.diag([size, size, size, 1.0])))
    elif rng.random() < 0.5:
        thing = _blob(rng, size) if rng.random() < 0.2 else _exact(rng, size)
    else:
        kind = list(MESHES)[int(rng.integers(len(MESHES)))]
        stretch = size / np.sqrt(3.0) * rng.uniform(0.4, 1.5, 3)
        points, corners = triangles(MESHES[kind]())
        thing = Thing(polyhedron(points * stretch, corners, f"mesh {kind}"))
    return replace(thing, body=replace(thing.body, mass=thing.body.mass.weighing(mass)))


def _exact(rng: np.random.Generator, size: float) -> Thing:
    kind, share = int(rng.integers(4)), float(rng.uniform(0.25, 0.9))
    if kind == 0:
        made = sphere(size)
    elif kind == 1:
        made = cylinder(size * share, 2.0 * size * (1.0 - 0.6 * share))
    elif kind == 2:
        made = cone(size * share, 2.0 * size * (1.0 - 0.6 * share))
    else:
        made = torus(size / (1.0 + 0.5 * share), 0.5 * share * size / (1.0 + 0.5 * share))
    return Thing(replace(made.body, name=f"exact {made.name}"), cast("ExactShape", made.shape))


def _blob(rng: np.random.Generator, size: float) -> Thing:
    kind = list(BLOBS)[int(rng.integers(len(BLOBS)))]
    body = _unit_blob(kind)
    scale = size / body.radius
    shape = Gaussians(scale * np.array(BLOBS[kind]), scale * SPREAD, LEVEL)
    return Thing(body.transformed(np.diag([scale, scale, scale, 1.0])), shape)


@cache
def _unit_blob(kind: str) -> Body:
    return blob_body(blobby_spheres(LEVEL, BLOBS[kind], SPREAD), f"blob {kind}", tolerance=0.02)


@cache
def _exact_bowl() -> Paired:
    return turned("bowl", BOWL)


def _standing(setting: str) -> list[Thing]:
    if setting == "weightless":
        return []
    if setting == "tray":
        return [Thing(body) for body in bin_around(1.6, 1.0)]
    ground = Thing(polyhedron(*cuboid([0.0, 0.0, -0.5], [20.0, 20.0, 0.5]), "floor"))
    if setting == "mesh bowl":
        points, corners = triangles(polygon_meshes.bowl(1.2))
        return [ground, Thing(polyhedron(points + np.array([0.0, 0.0, 1e-3]), corners, "bowl"))]
    if setting == "exact bowl":
        bowl = _exact_bowl()
        return [ground, Thing(bowl.body, cast("ExactShape", bowl.shape))]
    return [ground]


def _gravity(rng: np.random.Generator, setting: str) -> Floats:
    if setting == "weightless":
        return np.zeros(3)
    angle = rng.uniform(0.05, 0.7) if setting == "slope" else 0.0
    return GRAVITY * np.array([np.sin(angle), 0.0, -np.cos(angle)])


def _restitutions(rng: np.random.Generator, count: int) -> Floats:
    kind = int(rng.integers(4))
    if kind == 0:
        return np.zeros(count)
    if kind == 1:
        return np.ones(count)
    return rng.uniform(0.0, 1.0, count)


def _scattered(rng: np.random.Generator, setting: str, bodies: Sequence[Body]) -> list[Pose]:
    """Return poses in random attitudes, no two bodies nearer than their enclosing balls let them."""
    half = {"floor": 1.5, "slope": 1.5, "tray": 0.9, "weightless": 1.2}.get(setting, 0.7)
    lowest = {"mesh bowl": 2.0, "exact bowl": 1.7, "tray": 1.2}.get(setting, 0.1)
    centres: list[tuple[Floats, float]] = []
    poses = []
    top = 0.0 if setting == "weightless" else lowest
    for body in bodies:
        reach = float(np.linalg.norm(body.points, axis=1).max())
        if setting != "weightless":
            top = max(lowest + reach, top)
        while True:
            low, high = (-half, half) if setting == "weightless" else (lowest + reach, top + 0.3)
            place = np.array([*rng.uniform(-half, half, 2), rng.uniform(low, high)])
            apart = [np.linalg.norm(place - other) - radius - reach for other, radius in centres]
            if all(gap > 0.01 for gap in apart):
                break
            if setting == "weightless":
                half *= 1.02
            else:
                top += 0.02
        centres.append((place, reach))
        poses.append(Pose(quaternion_of(random_rotation(rng)), place))
    return poses
