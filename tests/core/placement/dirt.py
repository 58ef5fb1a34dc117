"""Dirty meshes, placed: on a floor, and in a dirty bowl; and what oracles say of it."""

from __future__ import annotations

import time
from dataclasses import dataclass

import numpy as np

from physplace_addon.core.bodies import Body, polyhedron
from physplace_addon.core.placement import Certificate, Placement, Settings
from physplace_addon.core.rigid import Pose
from tests.core.dirty_meshes import NAMES, Dirty, dirty, dirty_bowl
from tests.core.surfaces.smooth.smooth_meshes import all_over, body_of
from tests.oracles.frames import quaternion_of, random_rotation, rotation_of
from tests.oracles.soups import Soup, deepest_crossing

OVERLAP = 1e-6  # of R: what the issue allows


@dataclass(frozen=True)
class Dropped:
    """A placement of a dirty mesh: what its report names, the deepest overlap of any state over R, and how
    long it took, in seconds.
    """

    mesh: Dirty
    certificate: Certificate
    named: frozenset[str]
    overlap: float
    seconds: float


def named_in(notes: tuple[str, ...]) -> frozenset[str]:
    """The kinds of dirt that notes name of what moves, not of the world: those begin with a body's name."""
    own = [note for note in notes if not note.startswith(("floor: ", "bowl: "))]
    return frozenset(kind for kind, words in NAMES.items() if any(words in note for note in own))


def on_the_floor(seed: int) -> Dropped:
    """Drop the mesh of a seed from a third of R over a floor, in any attitude."""
    began, mesh = time.perf_counter(), dirty(seed)
    body = polyhedron(mesh.points, mesh.triangles, "dirty")
    placement = _placed(body, mesh, square(8.0 * body.radius), 0.0, seed)
    certificate = placement.run()
    lowest = min(_seen_at(mesh, state.pose)[:, :, 2].min() for state in placement.states)
    overlap = max(0.0, -float(lowest)) / body.radius
    return Dropped(mesh, certificate, named_in(certificate.notes), overlap, time.perf_counter() - began)


def shaded_smooth(seed: int, turn: int, steps: int = Settings.step_limit) -> Dropped | None:
    """Drop the mesh of a seed, shaded smooth, from just over a floor, in the attitude of another seed, for so
    many steps at most; None if no curved faces fit it.  The overlap is that of points all over its patches.
    """
    began, mesh = time.perf_counter(), dirty(seed)
    body, _ = body_of(mesh.points, mesh.triangles.tolist())
    if body is None:
        return None
    places, attitude = all_over(body, 13), random_rotation(np.random.default_rng(turn))
    centre = attitude @ body.mass.center
    height = 1e-3 * body.radius - (places @ attitude[2]).min()
    start = Pose(quaternion_of(attitude), np.array([-centre[0], -centre[1], height]))
    placement = Placement(body, start, [square(8.0 * body.radius)], Settings(step_limit=steps))
    certificate = placement.run()
    poses = [state.pose for state in placement.states]
    lowest = min((places @ rotation_of(pose.rotation)[2] + pose.translation[2]).min() for pose in poses)
    overlap = max(0.0, -float(lowest)) / body.radius
    return Dropped(mesh, certificate, named_in(certificate.notes), overlap, time.perf_counter() - began)


def in_a_bowl(seed: int) -> Dropped:
    """Drop the mesh of a seed into a bowl that is dirty, too."""
    began, mesh = time.perf_counter(), dirty(seed)
    body = polyhedron(mesh.points, mesh.triangles, "dirty")
    bowl = dirty_bowl(seed).moved(1.5 * body.radius, np.zeros(3))
    world = polyhedron(bowl.points, bowl.triangles, "bowl")
    placement = _placed(body, mesh, world, float(bowl.seen[:, :, 2].max()), seed)
    certificate = placement.run()
    own, standing = Soup.of(mesh.seen), Soup.of(bowl.seen)
    poses = [state.pose for state in placement.states]
    cut = max(deepest_crossing(own.moved(rotation_of(p.rotation), p.translation), standing) for p in poses)
    named = named_in(certificate.notes)
    return Dropped(mesh, certificate, named, cut / body.radius, time.perf_counter() - began)


def _placed(body: Body, mesh: Dirty, world: Body, height: float, seed: int) -> Placement:
    rotation = random_rotation(np.random.default_rng(seed))
    lowest = (mesh.seen @ rotation.T)[:, :, 2].min()
    centre = rotation @ body.mass.center
    start = np.array([-centre[0], -centre[1], height + body.radius / 3.0 - lowest])
    pose = Pose(quaternion_of(rotation), start)
    return Placement(body, pose, [world], Settings())


def _seen_at(mesh: Dirty, pose: Pose) -> np.ndarray:
    result: np.ndarray = mesh.seen @ rotation_of(pose.rotation).T + pose.translation
    return result


def square(half: float) -> Body:
    """A floor: a square in z = 0."""
    points = half * np.array([[-1.0, -1.0, 0.0], [1.0, -1.0, 0.0], [1.0, 1.0, 0.0], [-1.0, 1.0, 0.0]])
    return polyhedron(points, np.array([[0, 1, 2], [0, 2, 3]]), "floor")
