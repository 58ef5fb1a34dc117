"""How far bodies may go on curved paths, beside dense sampling of the paths."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest
from numpy.typing import ArrayLike
from scipy.spatial import ConvexHull

from physplace_addon.core.arrays import Floats
from physplace_addon.core.bodies import Body, polyhedron
from physplace_addon.core.collision import closest_on_segments, closest_on_triangle
from physplace_addon.core.contact.many_pairs.motion_stops import MotionStops, motion_stops
from physplace_addon.core.contact.many_pairs.path_pairs import RigidPaths
from physplace_addon.core.contact.points.interface_points import FIXED
from physplace_addon.core.contact.system import ContactSystem
from physplace_addon.core.rigid import Pose, rotation_matrix
from tests.core.meshes import CUBE_POINTS, CUBE_TRIANGLES

GAP = 1e-5
SIDES = np.array([[0, 1], [1, 2], [2, 0]])


def block(*sizes: float) -> Body:
    """A block with its centre at the origin."""
    return polyhedron(CUBE_POINTS * sizes, CUBE_TRIANGLES, "block")


def hull(rng: np.random.Generator, count: int) -> Body:
    """A random convex polyhedron."""
    points = rng.normal(size=(count, 3))
    points /= np.linalg.norm(points, axis=1)[:, None]
    return polyhedron(points, ConvexHull(points).simplices, "hull")


def dented(rng: np.random.Generator) -> Body:
    """A cube with a dent in every side."""
    middle = CUBE_POINTS[CUBE_TRIANGLES].mean(axis=1)
    points = np.concatenate([CUBE_POINTS, middle * rng.uniform(0.2, 0.9, len(middle))[:, None]])
    a, b, c = CUBE_TRIANGLES.T
    top = 8 + np.arange(len(CUBE_TRIANGLES))
    fans = [np.stack([a, b, top], axis=1), np.stack([b, c, top], axis=1), np.stack([c, a, top], axis=1)]
    return polyhedron(points, np.concatenate(fans), "dented")


def at(place: ArrayLike, turn: ArrayLike = (0.0, 0.0, 0.0)) -> Pose:
    return Pose.identity().displaced(place, turn, np.zeros(3))


def paths(shift: ArrayLike, turn: ArrayLike | None = None, bend: ArrayLike | None = None) -> RigidPaths:
    still = np.zeros_like(np.asarray(shift, float))
    parts = [still if each is None else np.asarray(each, float) for each in (shift, bend, turn)]
    return RigidPaths(*parts)


def triangles_at(system: ContactSystem, moves: RigidPaths, body: int, tau: Floats) -> Floats:
    """All triangles (n, t, 3, 3) of a body in the scene, at times (n,)."""
    if body == FIXED:
        assert system.fixed is not None
        return np.broadcast_to(system.fixed.body.triangles, (tau.size, *system.fixed.body.triangles.shape))
    pose, centre = system.poses[body], system.centres[body]
    arms = pose.points(system.bodies[body].body.triangles) - centre
    turn = rotation_matrix(tau[:, None] * moves.turn[body])
    place = centre + tau[:, None] * moves.shift[body] + (tau * (tau - 1.0))[:, None] * moves.bend[body]
    turned: Floats = np.einsum("nij,tcj->ntci", turn, arms) + place[:, None, None]
    return turned


def distances(system: ContactSystem, moves: RigidPaths, pair: tuple[int, int], tau: Floats) -> Floats:
    """The distances (n,) of two bodies at times (n,), over all of their triangles."""
    one, other = (triangles_at(system, moves, body, tau) for body in pair)
    found = []
    for a, b in zip(one, other, strict=True):
        i, j = (each.ravel() for each in np.indices((len(a), len(b))))
        least = []
        for p, q, m, n in ((a, b, i, j), (b, a, j, i)):
            for corner in range(3):
                points, over = p[m, corner], q[n]
                weights = closest_on_triangle(points, over).barycentric
                least.append(np.linalg.norm(points - np.einsum("kc,kci->ki", weights, over), axis=1).min())
        first, second = a[i][:, SIDES].reshape(-1, 2, 3), b[j][:, SIDES].reshape(-1, 2, 3)
        first, second = (
            a[i][:, np.repeat(SIDES, 3, axis=0)].reshape(-1, 2, 3),
            b[j][:, np.tile(SIDES, (3, 1))].reshape(-1, 2, 3),
        )
        near = closest_on_segments(first, second)
        here = first[:, 0] + near.s[:, None] * (first[:, 1] - first[:, 0])
        there = second[:, 0] + near.t[:, None] * (second[:, 1] - second[:, 0])
        least.append(np.linalg.norm(here - there, axis=1).min())
        found.append(min(least))
    return np.array(found)


def time_of(stops: MotionStops, pair: tuple[int, int]) -> float:
    rows = np.flatnonzero((stops.bodies == pair).all(axis=1))
    return float(stops.times[rows[0]]) if rows.size else 1.0


def assert_stops(
    system: ContactSystem, moves: RigidPaths, gap: float, pairs: Sequence[tuple[int, int]], samples: int = 200
) -> list[float]:
    """Assert that pairs stop where sampling says, and return their times."""
    stops = motion_stops(system, moves, gap)
    assert not len(stops.undecided)
    assert {tuple(pair) for pair in stops.bodies.tolist()} <= set(pairs)
    times = []
    for pair in pairs:
        time = time_of(stops, pair)
        start, here = distances(system, moves, pair, np.array([0.0, time]))
        stop = 0.4 * start if start < gap else 0.5 * gap
        before = distances(system, moves, pair, np.linspace(0.0, time, samples))
        rounding = 1e-12 * max(1.0, float(np.abs(system.centres).max()))
        assert (before > stop - rounding).all()
        if time < 1.0:
            later = distances(system, moves, pair, time + np.linspace(0.0, 1e-3, 9))
            assert later.min() < stop + rounding or here < stop + rounding
        times.append(time)
    return times


def random_pair(rng: np.random.Generator, size: float) -> tuple[ContactSystem, RigidPaths]:
    """Two bodies apart, turned at random, on random paths that mostly meet."""
    bodies = [dented(rng) if rng.integers(2) else hull(rng, 8) for _ in range(2)]
    apart = rng.normal(size=3)
    apart *= 2.4 / np.linalg.norm(apart)
    poses = [at(rng.normal(size=3), rng.normal(size=3))]
    poses.append(at(poses[0].translation + apart, rng.normal(size=3)))
    shift = size * rng.normal(size=(2, 3))
    shift[1] -= size * 2.4 * apart
    turn = rng.normal(size=(2, 3))
    turn *= rng.uniform(0.0, 1.0, (2, 1)) / np.linalg.norm(turn, axis=1)[:, None]
    return ContactSystem.of(bodies, poses, []), paths(shift, turn, 0.3 * rng.normal(size=(2, 3)))


@pytest.mark.parametrize("seed", range(12))
def test_bodies_stop_where_dense_sampling_says(seed: int) -> None:
    system, moves = random_pair(np.random.default_rng(seed), 0.5)
    assert_stops(system, moves, GAP, [(0, 1)])
