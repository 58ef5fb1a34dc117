"""Triangle soups to search, and brute-force twins that share no code with the collision package."""

from collections.abc import Callable

import numpy as np

from physplace_addon.core.arrays import Floats, Ints
from physplace_addon.core.collision.triangle_pairs import triangle_gap
from physplace_addon.core.rigid import Pose
from physplace_addon.core.vectors import coordinate_arrays


def shifted(triangles: Floats, *by: float) -> Floats:
    result: Floats = triangles + np.array(by)
    return result


def random_pose(rng: np.random.Generator, spread: float = 1.0) -> Pose:
    return Pose(rng.normal(size=4), spread * rng.normal(size=3))


def random_soup(rng: np.random.Generator, count: int, spread: float = 1.0, size: float = 0.3) -> Floats:
    """Small triangles (count, 3, 3) scattered about the origin."""
    return spread * rng.normal(size=(count, 1, 3)) + size * rng.normal(size=(count, 3, 3))


def hostile_soup(rng: np.random.Generator, count: int) -> Floats:
    """Needles, points, slivers, doubles and a few large ones among ordinary triangles."""
    soup = random_soup(rng, count)
    soup[::7, 2] = soup[::7, 1]
    soup[1::7] = soup[1::7, :1]
    soup[2::7, 2] = 0.5 * (soup[2::7, 0] + soup[2::7, 1])
    soup[3::7, 2] = soup[3::7, 0] + 1e-9 * rng.normal(size=soup[3::7, 0].shape)
    soup[5::7] = soup[4::7][: len(soup[5::7])]
    soup[6::28] *= 8.0
    soup[8::9, :, 2] = 0.0
    return soup


def torus(around: int = 24, across: int = 12, major: float = 1.0, minor: float = 0.4) -> Floats:
    return grid(
        lambda u, v: (
            (major + minor * np.cos(v)) * np.cos(u),
            (major + minor * np.cos(v)) * np.sin(u),
            minor * np.sin(v),
        ),
        np.linspace(0.0, 2.0 * np.pi, around + 1),
        np.linspace(0.0, 2.0 * np.pi, across + 1),
    )


def sphere(around: int = 24, across: int = 12, radius: float = 1.0) -> Floats:
    return grid(
        lambda u, v: (
            radius * np.sin(v) * np.cos(u),
            radius * np.sin(v) * np.sin(u),
            radius * np.cos(v),
        ),
        np.linspace(0.0, 2.0 * np.pi, around + 1),
        np.linspace(0.0, np.pi, across + 1),
    )


def grid(surface: Callable[[Floats, Floats], tuple[Floats, Floats, Floats]], u: Floats, v: Floats) -> Floats:
    """Two triangles a cell of a grid over a surface."""
    points = np.stack(np.broadcast_arrays(*surface(u[:, None], v[None, :])), axis=-1)
    a, b, c, d = points[:-1, :-1], points[1:, :-1], points[1:, 1:], points[:-1, 1:]
    halves = [np.stack(corners, axis=-2).reshape(-1, 3, 3) for corners in ((a, b, c), (a, c, d))]
    return np.concatenate(halves)


def sampled_distance(first: Floats, second: Floats, steps: int = 20) -> Floats:
    """Least distance (k,) of points sampled on triangles (k, 3, 3): never below the true distance."""
    weights = weights_over_a_triangle(steps)
    result = np.empty(len(first))
    for k in range(len(first)):
        between = (weights @ first[k])[:, None] - (weights @ second[k])[None]
        result[k] = np.sqrt((between**2).sum(axis=2).min())
    return result


def sampled_distance_of_points(points: Floats, triangles: Floats, steps: int = 30) -> Floats:
    samples = np.einsum("wi,kij->kwj", weights_over_a_triangle(steps), triangles)
    result: Floats = np.linalg.norm(samples - points[:, None], axis=2).min(axis=1)
    return result


def weights_over_a_triangle(steps: int) -> Floats:
    i, j = np.meshgrid(np.arange(steps + 1), np.arange(steps + 1), indexing="ij")
    inside = i + j <= steps
    return np.stack([i[inside], j[inside], steps - i[inside] - j[inside]], axis=1) / steps


def all_pairs(count1: int, count2: int) -> tuple[Ints, Ints]:
    first, second = np.divmod(np.arange(count1 * count2), count2)
    return first, second


def closest_on_triangles(first: Floats, second: Floats) -> tuple[Floats, Floats, Floats]:
    """The distance (k,) and closest points (k, 3) that the package finds for triangles (k, 3, 3): no twin."""
    distance, point1, point2 = triangle_gap(coordinate_arrays(first), coordinate_arrays(second))
    return distance, point1.T, point2.T
