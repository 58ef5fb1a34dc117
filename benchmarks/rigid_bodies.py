"""The paper's experiments as meshes, beside Blender's rigid bodies: time and rests, in one run.

Run from the project's root, with bpy: python -m benchmarks.rigid_bodies [--short]

Both take the same triangles from the same careless starts.  Blender's simulation, of its default 240 steps a
second, takes the falling body's convex hull and the others' meshes, lengths such that R is one metre, and
ends once no point has moved by more than 1e-4 R in half a second, after ten seconds at the latest.  Times are
of the processor, each object's building left out.  With --short one experiment alone, to see that it runs.
"""

from __future__ import annotations

import argparse
import importlib
import time
from typing import Any, NamedTuple

import numpy as np

from physplace_addon.core.arrays import Floats
from physplace_addon.core.bodies import Body, polyhedron
from physplace_addon.core.placement import Placement, Settings
from physplace_addon.core.rigid import Pose
from tests.core.placement.experiments import EXPERIMENTS, active_of, careless_start, standing

EPS = (0.05, 0.2)
RATE, SUBSTEPS = 24, 10  # frames a second, and steps in each
FRAMES = 240
STILL_FRAMES = 12
STILL = 1e-4  # motion, over R, in those frames


class Scene(NamedTuple):
    """A body that falls from a pose on a world, all of triangles."""

    body: Body
    pose: Pose
    world: list[Body]


class Timed(NamedTuple):
    """The seconds of a way to rest, and whether it ended there."""

    seconds: float
    at_rest: bool


def as_mesh(body: Body) -> Body:
    """Return the polyhedron of a body's triangles."""
    return polyhedron(body.points, body.triangle_corners, body.name)


def scene_of(name: str) -> Scene:
    """Return an experiment with its bodies as meshes."""
    world = [as_mesh(body) for body in standing(name)[2]]
    return Scene(as_mesh(active_of(name).body), careless_start(name, 0), world)


def placed(scene: Scene, eps: float) -> Timed:
    """Place the body; return the time until its report is there."""
    placement = Placement(scene.body, scene.pose, scene.world, Settings(eps_max=eps))
    start = time.process_time()
    placement.run()
    return Timed(time.process_time() - start, placement.status.at_rest)


def simulated(scene: Scene) -> Timed:
    """Let Blender simulate the fall until the body is still; return the time that its frames took."""
    bpy = importlib.import_module("bpy")
    bpy.ops.wm.read_factory_settings(use_empty=True)
    here, scale = bpy.context.scene, 1.0 / scene.body.radius
    here.render.fps = RATE
    bpy.ops.rigidbody.world_add()
    here.rigidbody_world.substeps_per_frame = SUBSTEPS
    here.rigidbody_world.point_cache.frame_end = FRAMES
    for body in scene.world:
        _add(bpy, body, Pose.identity(), scale, "PASSIVE")
    falling = _add(bpy, scene.body, scene.pose, scale, "ACTIVE")
    corners = np.concatenate([scale * scene.body.points, np.ones((len(scene.body.points), 1))], axis=1)
    places: list[Floats] = []
    spent = 0.0
    for frame in range(1, FRAMES + 1):
        start = time.process_time()
        here.frame_set(frame)
        spent += time.process_time() - start
        pose = falling.evaluated_get(bpy.context.evaluated_depsgraph_get()).matrix_world
        places.append(corners @ np.array(pose, np.float64)[:3].T)
        if frame > STILL_FRAMES and np.abs(places[-1] - places[-1 - STILL_FRAMES]).max() < STILL:
            return Timed(spent, True)
    return Timed(spent, False)


def _add(bpy: Any, body: Body, pose: Pose, scale: float, kind: str) -> Any:
    """Add a body's triangles to the scene as a rigid body; return its object."""
    mesh = bpy.data.meshes.new(body.name)
    mesh.from_pydata((scale * body.points).tolist(), [], body.triangle_corners.tolist())
    made = bpy.data.objects.new(body.name, mesh)
    matrix = pose.matrix4.copy()
    matrix[:3, 3] *= scale
    made.matrix_world = importlib.import_module("mathutils").Matrix(matrix.tolist())
    bpy.context.scene.collection.objects.link(made)
    bpy.context.view_layer.objects.active = made
    bpy.ops.rigidbody.object_add(type=kind)
    made.rigid_body.collision_shape = "CONVEX_HULL" if kind == "ACTIVE" else "MESH"
    return made


def _ratios(seconds: Floats) -> str:
    """Return the seconds (k,) over the first ones, in words."""
    return ", ".join(f"{second / max(seconds[0], 1e-9):.3f}" for second in seconds[1:].tolist())


def main() -> None:
    """Print the times of all experiments, and of all together."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--short", action="store_true", help="one experiment alone, to see that it runs")
    names = list(EXPERIMENTS)[-1:] if parser.parse_args().short else list(EXPERIMENTS)
    ways = ("Blender", *(f"eps {eps}" for eps in EPS))
    print(f"{'experiment':28}" + "".join(f"{way + ' s':>14}{'rest':>6}" for way in ways))
    found = []
    for name in names:
        scene = scene_of(name)
        found.append([simulated(scene), *(placed(scene, eps) for eps in EPS)])
        print(
            f"{name:28}" + "".join(f"{one.seconds:14.2f}{one.at_rest!s:>6}" for one in found[-1]), flush=True
        )
    each = np.array([[one.seconds for one in row] for row in found])
    seconds = each.sum(axis=0)
    rests = np.array([[one.at_rest for one in row] for row in found]).sum(axis=0)
    print(f"{'all':28}" + "".join(f"{s:14.2f}{n:6}" for s, n in zip(seconds, rests, strict=True)))
    print("over Blender's: " + _ratios(seconds))
    if len(names) > 1:
        slowest = int(each[:, 0].argmax())
        print(f"without {names[slowest]}, its slowest: " + _ratios(seconds - each[slowest]))


if __name__ == "__main__":
    main()
