"""Contacts made up for tests of friction: maps (k, d, 3) of their forces to wrenches, and normals (k, 3).

Arms are over R, as everywhere in placement; the weight pulls each body down by 1.
"""

from __future__ import annotations

import numpy as np
from scipy.optimize import linprog
from scipy.optimize._lsq.lsq_linear import lsq_linear

from physplace_addon.core.arrays import Floats

WEIGHT = np.array([0.0, 0.0, -1.0, 0.0, 0.0, 0.0])
UP = np.array([0.0, 0.0, 1.0])
FEET = np.array([[1.0, 1.0, -1.0], [1.0, -1.0, -1.0], [-1.0, -1.0, -1.0], [-1.0, 1.0, -1.0]])


def contact_maps(arms: Floats) -> Floats:
    """The maps (k, 6, 3) of forces on one body at arms (k, 3) to their wrenches."""
    turning = np.cross(np.asarray(arms)[:, None], np.eye(3)).transpose(0, 2, 1)
    return np.concatenate([np.broadcast_to(np.eye(3), turning.shape), turning], axis=1)


def between(
    first: int, second: int | None, bodies: int, arms_first: Floats, arms_second: Floats | None
) -> Floats:
    """The maps (k, 6 bodies, 3) of contacts at which `second`, or nothing if None, pushes `first`."""
    maps = np.zeros((len(arms_first), bodies, 6, 3))
    maps[:, first] = contact_maps(arms_first)
    if second is not None and arms_second is not None:
        maps[:, second] = -contact_maps(arms_second)
    return maps.reshape(len(maps), 6 * bodies, 3)


def unit(vectors: Floats) -> Floats:
    """Vectors (k, 3) made unit."""
    result: Floats = vectors / np.linalg.norm(vectors, axis=1)[:, None]
    return result


def in_a_bowl(count: int, rng: np.random.Generator) -> tuple[Floats, Floats]:
    """Contacts under a body, their normals more or less towards it."""
    arms = unit(rng.normal(size=(count, 3)))
    arms[:, 2] = -np.abs(arms[:, 2])
    return contact_maps(arms), unit(-arms + 0.3 * rng.normal(size=(count, 3)))


def all_around(count: int, rng: np.random.Generator) -> tuple[Floats, Floats]:
    """Contacts anywhere, with any normals."""
    return contact_maps(unit(rng.normal(size=(count, 3)))), unit(rng.normal(size=(count, 3)))


def on_a_table(count: int, rng: np.random.Generator) -> tuple[Floats, Floats]:
    """Contacts of one plane."""
    arms = rng.normal(size=(count, 3))
    arms[:, 2] = -1.0
    return contact_maps(arms), np.tile(UP, (count, 1))


def doubled(count: int, rng: np.random.Generator) -> tuple[Floats, Floats]:
    """Contacts that all come twice."""
    maps, normals = in_a_bowl(count, rng)
    return np.concatenate([maps, maps]), np.concatenate([normals, normals])


KINDS = (in_a_bowl, all_around, on_a_table, doubled)


def heap(bodies: int, count: int, rng: np.random.Generator) -> tuple[Floats, Floats, Floats]:
    """Contacts of many bodies, a quarter of them with the ground, and the weight (6 bodies,) of all."""
    maps, normals = [], unit(rng.normal(size=(count, 3)))
    normals[:, 2] = np.abs(normals[:, 2])
    for i, normal in enumerate(normals):
        first, second = rng.choice(bodies, 2, replace=False)
        arms = np.array([-normal, normal]) + 0.2 * rng.normal(size=(2, 3))
        maps.append(between(first, second if i % 4 else None, bodies, arms[:1], arms[1:]))
    return np.concatenate(maps), normals, np.tile(WEIGHT, bodies)


def rays(normals: Floats, mu: float, count: int) -> Floats:
    """Forces (count, k, 3) on the edges of the cones."""
    axis = np.eye(3)[np.argmin(np.abs(normals), axis=1)]
    first = unit(np.cross(normals, axis))
    second = np.cross(normals, first)
    angles = (2.0 * np.pi / count * np.arange(count))[:, None, None]
    result: Floats = normals + mu * (np.cos(angles) * first + np.sin(angles) * second)
    return result


def faceted(maps: Floats, normals: Floats, mu: float, count: int, outside: bool) -> Floats:
    """The wrenches (d, count k) of the cones' facets, drawn inside or outside of them."""
    edges = rays(normals, mu / np.cos(np.pi / count) if outside else mu, count)
    wrenches = np.einsum("kdi,cki->dck", maps, edges)
    result: Floats = wrenches.reshape(len(wrenches), -1)
    return result


def held_by_facets(
    wrench: Floats, maps: Floats, normals: Floats, mu: float, count: int = 64, outside: bool = False
) -> bool:
    """Whether forces in faceted cones hold a wrench, by linear programming."""
    columns = faceted(maps, normals, mu, count, outside)
    found = linprog(np.ones(columns.shape[1]), A_eq=columns, b_eq=-wrench, method="highs")
    return bool(found.status == 0)


def left_by_facets(
    wrench: Floats, maps: Floats, normals: Floats, mu: float, count: int, outside: bool
) -> float:
    """The least residual that forces in faceted cones leave."""
    columns = faceted(maps, normals, mu, count, outside)
    return float(np.sqrt(2.0 * lsq_linear(columns, -wrench, (0.0, np.inf), method="bvls", tol=1e-14).cost))
