"""No point of a limit surface is farther from its triangles than the bound says."""

import numpy as np
import pytest

from physplace_addon.core.arrays import Floats
from physplace_addon.core.bodies.curved_meshes import limit_complex
from physplace_addon.core.collision.closest_points import closest_on_triangle
from physplace_addon.core.surfaces.subdivision.cage import Cage
from physplace_addon.core.surfaces.subdivision.complex import CageComplex
from physplace_addon.core.surfaces.subdivision.lattice import Lattice
from physplace_addon.core.surfaces.subdivision.nets import LimitNets
from physplace_addon.core.surfaces.subdivision.tessellation import bounds_of
from tests.core.surfaces.subdivision import cages

CAGES = cages.cages()


def body_of(points: Floats, cage: Cage) -> CageComplex:
    return limit_complex(points, cage)[0]


@pytest.mark.parametrize("name", ["cube", "hard top", "soft top", "dart", "mixed", "twelve", "open fan"])
def test_no_point_is_farther_from_its_triangles_than_their_bound(name: str, rng: np.random.Generator) -> None:
    body = body_of(*CAGES[name])
    nets, cells = body.nets.take(rng.integers(0, len(body.nets), 4)), 2
    counts = np.full((len(nets), 2), cells)
    assert isinstance(nets, LimitNets)
    bounds = bounds_of(nets, counts, 1e-3)
    patch, place = Lattice(counts).all_cells()
    corners = nets.slopes(
        np.repeat(patch, 4), ((place[:, None] + [[0, 0], [1, 0], [0, 1], [1, 1]]) / cells).reshape(-1, 2)
    ).point.reshape(-1, 4, 3)
    at = (place[:, None] + rng.random((1, 20, 2)) ** 2) / cells
    points = nets.slopes(np.repeat(patch, 20), at.reshape(-1, 2)).point
    dense = [distance(points, np.repeat(corners[:, three], 20, axis=0)) for three in ([0, 1, 2], [3, 2, 1])]
    assert np.all(np.min(dense, axis=0).reshape(-1, 20).max(axis=1) <= bounds + 1e-12)


def distance(points: Floats, triangles: Floats) -> Floats:
    """Distances (k,) of points to triangles."""
    on = closest_on_triangle(points, triangles)
    result: Floats = np.linalg.norm((on.barycentric[:, None] @ triangles)[:, 0] - points, axis=1)
    return result
