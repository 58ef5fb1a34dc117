"""How well floaters cover a surface, by a grid that the surface crosses: it shares nothing with them."""

import numpy as np
from scipy.spatial import cKDTree

from physplace_addon.core.arrays import Floats
from physplace_addon.core.implicit.functions.base import ImplicitFunction
from physplace_addon.core.implicit.particles.floaters import Floaters

_HALVINGS = 12


def crossings(function: ImplicitFunction, cell: float) -> tuple[Floats, float]:
    """Points (k, 3) where the edges of a grid cross the surface, and its area.

    A piece dA with normal n is crossed by (|n_x| + |n_y| + |n_z|) dA / cell^2 edges.
    """
    low, high = function.box()
    counts = np.ceil((high - low) / cell).astype(int) + 3
    axes = [low[i] + cell * (np.arange(counts[i]) - 1.0) for i in range(3)]
    places = np.stack(np.meshgrid(*axes, indexing="ij"), axis=-1)
    inside = (function.value(places.reshape(-1, 3)) < 0.0).reshape(counts)
    starts, ends = [], []
    for axis in range(3):
        crossed = np.argwhere(np.diff(inside, axis=axis))
        starts.append(places[tuple(crossed.T)])
        ends.append(starts[-1] + cell * np.eye(3)[axis])
    a, b = np.concatenate(starts), np.concatenate(ends)
    inner = function.value(a) < 0.0
    for _ in range(_HALVINGS):
        middle = 0.5 * (a + b)
        same = (function.value(middle) < 0.0) == inner
        a, b = np.where(same[:, None], middle, a), np.where(same[:, None], b, middle)
    normal = function.gradient(a)[1]
    share = np.linalg.norm(normal, axis=1) / np.abs(normal).sum(axis=1)
    return a, float(share.sum() * cell**2)


def density(floaters: Floaters, area: float, radius: float) -> float:
    """The paper's measure n sigma^2 / area."""
    return len(floaters) * radius**2 / area


def variation(floaters: Floaters) -> float:
    """How much the distance to the nearest neighbour varies: its standard deviation over its mean."""
    nearest = np.asarray(cKDTree(floaters.positions).query(floaters.positions, 2)[0])[:, 1]
    return float(nearest.std() / nearest.mean())


def uncovered(floaters: Floaters, points: Floats, area: float) -> float:
    """The largest circle without a floater, over that of a hexagonal packing of as many."""
    spacing = np.sqrt(2.0 * area / (np.sqrt(3.0) * len(floaters)))
    return float(np.max(cKDTree(floaters.positions).query(points)[0]) / (spacing / np.sqrt(3.0)))


def off(function: ImplicitFunction, floaters: Floaters) -> float:
    """The greatest distance to the surface, to first order, over the floater's radius."""
    value, gradient = function.gradient(floaters.positions)
    return float((np.abs(value) / np.linalg.norm(gradient, axis=1) / floaters.radii).max())
