"""Bodies in motion beside Blender's rigid bodies and Bullet, in one run: time, gaps, creep, what comes loose.

Run from the project's root, with bpy: python -m benchmarks.motion [--short]

1. A wall of 30 bricks that stands for a second: how far any brick creeps.
2. The same wall, and one of 100 bricks, struck by a cube at 6 m/s: the second after it.
3. A chain of ten rings, one linked with the next, hung up by the first one, that tumbles for four seconds.
   The linking numbers of neighbours, by Gauss's integral over their circles, say whether any came loose.
4. Twenty dominoes, the first one leaning on nothing: whether they fall, in their order, and until when.

Of each: the seconds of the processor; how deep bodies overlap at most, and their least gap, at the frames;
how far any body has moved, which is the creep of a wall that stands; and the greatest rise of the energy in a
step, over what the motion has.  Of our chain also the least gap at ten times between two steps, for every
eighth step.

Blender takes the same triangles, meshes for the rings and hulls for the bricks, 240 steps a second, and a
margin of a millimetre.  Bullet takes hulls for the bricks, sixteen capsules for a ring, and as many steps.
With --short a small wall and a chain of two rings for a few frames, to see that it runs.
"""

from __future__ import annotations

import argparse
import importlib
import time
from collections.abc import Sequence
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np

from physplace_addon.core.arrays import Floats
from physplace_addon.core.bodies import Body, polyhedron
from physplace_addon.core.contact.system import ContactSystem, InterfacePoints, Reach
from physplace_addon.core.dynamics.contacts import SurfaceLaws
from physplace_addon.core.dynamics.scene import Scene
from physplace_addon.core.dynamics.simulation import Simulation
from physplace_addon.core.rigid import Pose, quaternion_exponential, quaternion_from_matrix
from tests.core.dynamics.scenes import DOWN, UPRIGHT, block, brick_wall, floor

RATE, SUBSTEPS = 24, 10  # frames a second, and steps in each
FRICTION = 0.6
MARGIN = 1e-3  # of Blender's bodies: with its default of 0.04 bricks of 0.08 burst apart
DEPTHS = np.geomspace(1e-6, 1.0, 61)  # over the radius, to which overlaps are measured
MAJOR, MINOR = 0.5, 0.1  # radii of a ring


class Case(NamedTuple):
    """Bodies that begin at poses with velocities (m, 3), and what stands.

    rings: whether they are linked.  falls: whether one is to fall after the other.
    """

    name: str
    bodies: list[Body]
    poses: list[Pose]
    velocity: Floats
    world: list[Body]
    rings: bool
    falls: bool
    frames: int


class Outcome(NamedTuple):
    """How a case went: seconds, the poses at each frame; the rise of energy, and the least gap between steps,
    NaN where these are not known.
    """

    seconds: float
    poses: list[Sequence[Pose]]
    rise: float = float("nan")
    between: float = float("nan")


def ring(around: int = 16, across: int = 8) -> Body:
    """Return a ring about z."""
    angle = np.arange(around) * 2.0 * np.pi / around
    turn = (np.arange(across) + 0.5) * 2.0 * np.pi / across
    radius = MAJOR + MINOR * np.cos(turn)
    points = np.stack(
        [
            np.outer(np.cos(angle), radius),
            np.outer(np.sin(angle), radius),
            np.broadcast_to(MINOR * np.sin(turn), (around, across)),
        ],
        axis=2,
    ).reshape(-1, 3)
    at = np.arange(around * across).reshape(around, across)
    along, beside = np.roll(at, -1, axis=0), np.roll(at, -1, axis=1)
    quads = np.stack([at, along, np.roll(along, -1, axis=1), beside], axis=2).reshape(-1, 4)
    return polyhedron(points, np.concatenate([quads[:, [0, 1, 2]], quads[:, [0, 2, 3]]]), "ring")


def wall(rows: int, columns: int, struck: bool, frames: int) -> Case:
    """Return a wall of bricks, perhaps with a cube that flies at it."""
    size = (0.24, 0.12, 0.08)
    bodies, poses = brick_wall(rows, columns, size)
    name = f"{len(bodies)} bricks, {'struck' if struck else 'standing'}"
    velocity = np.zeros((len(bodies) + struck, 3))
    if struck:
        bodies = [*bodies, block(0.15, 0.15, 0.15)]
        poses = [*poses, Pose(UPRIGHT, np.array([0.5 * size[0] * columns, -0.2, 0.6 * size[2] * rows]))]
        velocity[-1] = [0.0, 6.0, 1.0]
    return Case(name, bodies, poses, velocity, [floor()], False, False, frames)


def chain(count: int, frames: int) -> Case:
    """Return rings, one linked with the next, that hang aslant from a first one that stands still."""
    shape, angle = ring(), 0.6
    along = np.array([np.sin(angle), 0.0, -np.cos(angle)])
    aside = np.array([0.0, 1.0, 0.0])
    poses = []
    for number in range(count):
        normal = np.cross(along, aside) if number % 2 else aside
        turn = quaternion_from_matrix(np.stack([along, np.cross(normal, along), normal], axis=1))
        poses.append(Pose(turn, number * (2.0 * (MAJOR - MINOR) - 0.02) * along))
    fixed = shape.transformed(poses[0].matrix4)
    moving = [shape] * (count - 1)
    return Case(
        f"chain of {count} rings", moving, poses[1:], np.zeros((count - 1, 3)), [fixed], True, False, frames
    )


def dominoes(count: int, frames: int) -> Case:
    """Return dominoes in a row, of which the first one leans towards the second beyond its balance."""
    thick, high, lean = 0.08, 0.6, 0.2
    stone = block(thick, 0.3, high)
    poses = [Pose(UPRIGHT, np.array([0.25 * i, 0.0, 0.5 * high])) for i in range(count)]
    turned = Pose(quaternion_exponential(np.array([0.0, lean, 0.0])), np.zeros(3))
    edge = turned.points(np.array([[0.5 * thick, 0.0, -0.5 * high]]))[0]
    poses[0] = Pose(turned.rotation, np.array([0.5 * thick, 0.0, 0.0]) - edge)
    still = np.zeros((count, 3))
    return Case(f"{count} dominoes", [stone] * count, poses, still, [floor()], False, True, frames)


def ours(case: Case) -> Outcome:
    """Simulate a case."""
    count = len(case.bodies) + len(case.world)
    laws = SurfaceLaws(np.full(count, FRICTION**0.5), np.zeros(count))
    scene = Scene.of(case.bodies, case.poses, case.world, laws, DOWN)
    start = time.process_time()
    made = Simulation(scene, scene.motion(case.poses, case.velocity, np.zeros_like(case.velocity)))
    poses: list[Sequence[Pose]] = [scene.poses(made.state.motion)]
    for frame in range(1, case.frames + 1):
        made.run(frame / RATE)
        poses.append(scene.poses(made.state.motion))
    energies = np.array([state.energy for state in made.states])
    kinetic = made.states[0].motion.kinetic_energy(scene.inertia)
    weight = float(np.linalg.norm(DOWN)) * float((scene.inertia.mass * scene.inertia.radius).sum())
    size = max(kinetic, float(np.ptp(energies)), weight)
    spent = time.process_time() - start
    between = _gap_between_steps(made) if case.rings else float("nan")
    return Outcome(spent, poses, float(np.diff(energies).max(initial=0.0)) / size, between)


def _gap_between_steps(made: Simulation) -> float:
    """Return the least gap of bodies at ten times between two states, for every eighth of these."""
    scene, least = made.scene, float("inf")
    for one, two in list(pairwise(made.states))[::8]:
        way = one.motion.twists_to(scene.inertia, two.motion)
        for share in np.linspace(0.0, 1.0, 12)[1:-1]:
            system = scene.system(one.motion.displaced(scene.inertia, share * way))
            points = system.generate(Reach(0.01, 0.01, 0.01), InterfacePoints.none(), None)
            least = min(least, float(points.gap.min(initial=np.inf)))
    return least


def blenders(case: Case) -> Outcome:
    """Let Blender simulate a case."""
    bpy = importlib.import_module("bpy")
    bpy.ops.wm.read_factory_settings(use_empty=True)
    here = bpy.context.scene
    here.render.fps = RATE
    bpy.ops.rigidbody.world_add()
    here.rigidbody_world.substeps_per_frame = SUBSTEPS
    here.rigidbody_world.point_cache.frame_end = case.frames + 2
    for body in case.world:
        _add(bpy, body, Pose(UPRIGHT, np.zeros(3)), "PASSIVE", "MESH")
    shape = "MESH" if case.rings else "CONVEX_HULL"
    made = [
        _add(bpy, body, pose, "ACTIVE", shape) for body, pose in zip(case.bodies, case.poses, strict=True)
    ]
    for obj, velocity in zip(made, case.velocity, strict=True):
        if velocity.any():
            _launch(obj, velocity)
    spent, poses = 0.0, []
    for frame in range(1, case.frames + 3):
        start = time.process_time()
        here.frame_set(frame)
        spent += time.process_time() - start
        graph = bpy.context.evaluated_depsgraph_get()
        poses.append([Pose.from_matrix(np.array(obj.evaluated_get(graph).matrix_world)) for obj in made])
    return Outcome(spent, list(poses[2:]))


def bullets(case: Case) -> Outcome:
    """Let Bullet simulate a case."""
    bullet = importlib.import_module("pybullet")
    bullet.connect(bullet.DIRECT)
    bullet.setGravity(0.0, 0.0, -float(np.linalg.norm(DOWN)))
    bullet.setPhysicsEngineParameter(fixedTimeStep=1.0 / (RATE * SUBSTEPS))
    add = _bullet_ring if case.rings else _bullet_hull
    for body in case.world:
        add(bullet, body, Pose(UPRIGHT, np.zeros(3)), 0.0)
    numbers = [
        add(bullet, body, pose, body.mass.mass) for body, pose in zip(case.bodies, case.poses, strict=True)
    ]
    for number, velocity in zip(numbers, case.velocity.tolist(), strict=True):
        bullet.resetBaseVelocity(number, velocity, [0.0, 0.0, 0.0])
    spent, poses = 0.0, list[Sequence[Pose]]([case.poses])
    for _ in range(case.frames):
        start = time.process_time()
        for _ in range(SUBSTEPS):
            bullet.stepSimulation()
        spent += time.process_time() - start
        places = [bullet.getBasePositionAndOrientation(number) for number in numbers]
        poses.append([Pose(np.roll(turn, 1), np.array(place)) for place, turn in places])
    bullet.disconnect()
    return Outcome(spent, poses)


def _bullet_hull(bullet: Any, body: Body, pose: Pose, mass: float) -> int:
    """Add the hull of a body whose centre of mass is its origin; return its number."""
    centre = np.zeros(3) if mass else body.mass.center
    shape = bullet.createCollisionShape(bullet.GEOM_MESH, vertices=(body.points - centre).tolist())
    return _bullet_body(bullet, shape, pose, centre, mass)


def _bullet_ring(bullet: Any, body: Body, pose: Pose, mass: float) -> int:
    """Add a ring of capsules: one that stands, where its points are; return its number."""
    middles = body.points.reshape(16, -1, 3).mean(axis=1)
    ahead = np.roll(middles, -1, axis=0)
    turns = [
        rotation_between(np.array([0.0, 0.0, 1.0]), two - one)
        for one, two in zip(middles, ahead, strict=True)
    ]
    shape = bullet.createCollisionShapeArray(
        shapeTypes=[bullet.GEOM_CAPSULE] * 16,
        radii=[MINOR] * 16,
        lengths=np.linalg.norm(ahead - middles, axis=1).tolist(),
        collisionFramePositions=(0.5 * (middles + ahead)).tolist(),
        collisionFrameOrientations=[np.roll(turn, -1).tolist() for turn in turns],
    )
    return _bullet_body(bullet, shape, pose, np.zeros(3), mass)


def rotation_between(one: Floats, other: Floats) -> Floats:
    """Return the unit quaternion of the least turn from one direction to another one that is not opposite."""
    one, other = one / np.linalg.norm(one), other / np.linalg.norm(other)
    turn = np.append(1.0 + one @ other, np.cross(one, other))
    return np.asarray(turn / np.linalg.norm(turn))


def _bullet_body(bullet: Any, shape: int, pose: Pose, shift: Floats, mass: float) -> int:
    number: int = bullet.createMultiBody(
        mass,
        shape,
        basePosition=pose.points(shift).tolist(),
        baseOrientation=np.roll(pose.rotation, -1).tolist(),
    )
    bullet.changeDynamics(
        number,
        -1,
        lateralFriction=FRICTION**0.5,
        restitution=0.0,
        linearDamping=0.0,
        angularDamping=0.0,
        collisionMargin=MARGIN,
    )
    return number


def _launch(obj: Any, velocity: Floats) -> None:
    """Give an object a velocity: it is animated for two frames."""
    place = np.array(obj.location)
    for frame, ago in ((1, 1.0), (2, 0.0)):
        obj.location = (place - ago * velocity / RATE).tolist()
        obj.keyframe_insert("location", frame=frame)
        obj.rigid_body.kinematic = frame < 2
        obj.rigid_body.keyframe_insert("kinematic", frame=frame)


def _add(bpy: Any, body: Body, pose: Pose, kind: str, shape: str) -> Any:
    """Add a body's triangles to the scene as a rigid body; return its object."""
    mesh = bpy.data.meshes.new(body.name)
    mesh.from_pydata(body.points.tolist(), [], body.triangle_corners.tolist())
    made = bpy.data.objects.new(body.name, mesh)
    made.matrix_world = importlib.import_module("mathutils").Matrix(pose.matrix4.tolist())
    bpy.context.scene.collection.objects.link(made)
    bpy.context.view_layer.objects.active = made
    bpy.ops.rigidbody.object_add(type=kind)
    made.rigid_body.collision_shape = shape
    made.rigid_body.use_margin, made.rigid_body.collision_margin = True, MARGIN
    made.rigid_body.friction, made.rigid_body.restitution = FRICTION**0.5, 0.0
    return made


def least_gap(case: Case, poses: list[Sequence[Pose]]) -> float:
    """Return the least gap of any two bodies at the frames, a length; infinite where none come near."""
    system = ContactSystem.of(case.bodies, case.poses, case.world)
    reach = Reach(0.1, 0.1, 0.1)
    least = float("inf")
    for at in poses:
        points = system.at(tuple(at)).generate(reach, InterfacePoints.none(), None)
        least = min(least, float(points.gap.min(initial=np.inf)))
    return least


def deepest_overlap(case: Case, poses: list[Sequence[Pose]]) -> float:
    """Return by how much triangles of two bodies cut through each other at most at the frames, a length."""
    system, deepest = ContactSystem.of(case.bodies, case.poses, case.world), 0
    for at in poses:
        there = system.at(tuple(at))
        while deepest < len(DEPTHS) and there.triangles_overlap(float(DEPTHS[deepest])):
            deepest += 1
    return float(DEPTHS[deepest - 1]) * system.radius if deepest else 0.0


def order_of_falls(poses: list[Sequence[Pose]]) -> str:
    """Return whether bodies tilt by 30 degrees one after the other, and when the last does."""
    upright = np.array([[pose.matrix[2, 2] for pose in at] for at in poses])
    fallen = upright < np.cos(np.pi / 6.0)
    if not fallen.any(axis=0).all():
        return f"{np.count_nonzero(fallen.any(axis=0))} fall"
    first = fallen.argmax(axis=0)
    words = "in order" if (np.diff(first) >= 0).all() else "not in order"
    return f"{words}, {first.max() / RATE:.1f} s"


def linking_numbers(case: Case, poses: Sequence[Pose]) -> list[int]:
    """Return the linking numbers of neighbours in a chain, by Gauss's integral over their circles."""
    angle = np.arange(48) * 2.0 * np.pi / 48
    circle = MAJOR * np.stack([np.cos(angle), np.sin(angle), np.zeros(48)], axis=1)
    first = case.world[0].points.reshape(16, -1, 3).mean(axis=1)
    curves = [first, *(pose.points(circle) for pose in poses)]
    return [linking_number(one, other) for one, other in pairwise(curves)]


def linking_number(one: Floats, other: Floats) -> int:
    """Return how often two closed polygons (n, 3), (m, 3) are linked."""
    a, b = one[:, None], np.roll(one, -1, axis=0)[:, None]
    c, d = other[None], np.roll(other, -1, axis=0)[None]
    sides = [np.cross(c - a, d - a), np.cross(d - a, d - b), np.cross(d - b, c - b), np.cross(c - b, c - a)]
    units = [side / np.maximum(np.linalg.norm(side, axis=2), 1e-300)[:, :, None] for side in sides]
    turns = sum(np.arcsin(np.clip((units[i] * units[(i + 1) % 4]).sum(axis=2), -1.0, 1.0)) for i in range(4))
    sign = np.sign((np.cross(b - a, d - c) * (a - c)).sum(axis=2))
    return round(float((turns * sign).sum()) / (4.0 * np.pi))


def main() -> None:
    """Print a line for each case and each of both."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--short", action="store_true", help="small cases, to see that it runs")
    short = parser.parse_args().short
    cases = (
        [wall(2, 2, struck=False, frames=2), chain(2, frames=2), dominoes(2, frames=2)]
        if short
        else [
            wall(5, 6, struck=False, frames=24),
            wall(5, 6, struck=True, frames=24),
            wall(10, 10, struck=True, frames=24),
            chain(10, frames=96),
            dominoes(20, frames=96),
        ]
    )
    print(
        f"{'case':24}{'by':>10}{'seconds':>9}{'overlap':>10}{'least gap':>12}{'between':>10}{'moved':>11}"
        f"{'rise':>10}  linked, or fallen"
    )
    for case in cases:
        for name, way in (("us", ours), ("Blender", blenders), ("Bullet", bullets)):
            done = way(case)
            moved = max(
                float(np.linalg.norm(end.translation - pose.translation))
                for end, pose in zip(done.poses[-1], case.poses, strict=True)
            )
            gap, overlap = least_gap(case, done.poses), deepest_overlap(case, done.poses)
            said = str(linking_numbers(case, done.poses[-1])) if case.rings else ""
            said = order_of_falls(done.poses) if case.falls else said
            print(
                f"{case.name:24}{name:>10}{done.seconds:9.1f}{overlap:10.1e}{gap:12.2e}"
                f"{done.between:10.1e}{moved:11.2e}{done.rise:10.1e}  {said}",
                flush=True,
            )


if __name__ == "__main__":
    main()
