"""Flat things of a household as triangle meshes, as they come out of a scene: rounded to single precision."""

from __future__ import annotations

import numpy as np

from physplace_addon.core.bodies import Body, polyhedron
from physplace_addon.core.placement import Placement, Settings
from physplace_addon.core.rigid import Pose
from tests.bodies_of_the_paper import floor
from tests.core import polygon_meshes
from tests.oracles.frames import random_rotation, rotation_of

Mesh = tuple[np.ndarray, np.ndarray]

PAN = [(0.0, 0.0), (0.9, 0.0), (1.0, 0.35), (0.95, 0.35), (0.86, 0.05), (0.0, 0.05)]
BOTTLE = [(0.0, 0.0), (0.3, 0.0), (0.32, 0.04), (0.32, 0.7), (0.12, 0.95), (0.12, 1.15), (0.0, 1.15)]


def triangles(mesh: polygon_meshes.Mesh) -> Mesh:
    """The points of a polygon mesh, and its faces cut into fans of triangles."""
    points, faces = mesh
    cut = [[face[0], face[i], face[i + 1]] for face in faces for i in range(1, len(face) - 1)]
    return points, np.array(cut)


def lathe(profile: list[tuple[float, float]], around: int) -> Mesh:
    """A turned profile."""
    return triangles(polygon_meshes.lathe(profile, around))


def block(half: tuple[float, float, float]) -> Mesh:
    """A box about the origin with its half widths."""
    points, faces = triangles(polygon_meshes.cube())
    return points * half, faces


def single(mesh: Mesh, name: str, seed: int | None = None) -> Body:
    """A body of single-precision coordinates; with a seed, of those of the mesh in a random attitude, so that
    none of its faces is flat to more than their rounding.
    """
    turn = np.eye(3) if seed is None else random_rotation(np.random.default_rng(seed))
    points = np.float32(mesh[0] @ turn.T).astype(np.float64) @ turn
    return polyhedron(points, mesh[1], name)


def start(seed: list[int], height: float, tilted: bool = True) -> Pose:
    """A random place up to 0.2 aside of the axis, in a random attitude or all but level."""
    random = np.random.default_rng(seed)
    turn = random.normal(size=4) if tilted else np.array([1.0, *(0.1 * random.normal(size=3))])
    return Pose(turn / np.linalg.norm(turn), np.array([*random.uniform(-0.2, 0.2, 2), height]))


def placed(body: Body, pose: Pose, under: Body, settings: Settings | None = None) -> Placement:
    """A placement on a body that stands on a floor, run to its end."""
    placement = Placement(body, pose, [under, floor()], settings or Settings(eps_max=0.1))
    placement.run()
    return placement


def ends_of(placement: Placement) -> np.ndarray:
    """The triangles (t, 3, 3) of the moved body at its last state."""
    pose = placement.state.pose
    turn: np.ndarray = rotation_of(pose.rotation)
    result: np.ndarray = placement.setup.bodies[0].triangles @ turn.T + pose.translation
    return result
