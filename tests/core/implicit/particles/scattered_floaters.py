"""Floaters scattered in a box for the tests, and their energies by brute force."""

import numpy as np

from physplace_addon.core.arrays import Floats
from physplace_addon.core.implicit.particles.floater_pairs import FloaterPairs
from physplace_addon.core.implicit.particles.repulsion import REACH

ALPHA = 6.0


def scattered(count: int, seed: int = 0, spread: float = 1.0) -> tuple[Floats, Floats]:
    """Floaters in a box, with radii between 0.05 and 0.05 (1 + spread)."""
    draw = np.random.default_rng(seed)
    return draw.uniform(-0.5, 0.5, (count, 3)), 0.05 * (1.0 + spread * draw.random(count))


def all_pairs(count: int) -> FloaterPairs:
    first, second = np.triu_indices(count, 1)
    return FloaterPairs(first, second, np.ones(len(first)))


def energies(positions: Floats, radii: Floats) -> Floats:
    """E_ij for all i and j, by brute force."""
    square = ((positions[:, None] - positions[None]) ** 2).sum(axis=2)
    reach = REACH * np.maximum(radii[:, None], radii[None])
    each = ALPHA * np.exp(-square / (2.0 * radii[:, None] ** 2)) * (square < reach**2)
    np.fill_diagonal(each, 0.0)
    result: Floats = each
    return result
