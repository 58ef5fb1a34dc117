"""What boxes prove of Euler characteristics is what known surfaces have, and what a grid counts."""

from __future__ import annotations

import numpy as np
import pytest

from physplace_addon.core.implicit import Boxes, Ellipsoids, Spheres, blobby_cylinders, difference, union
from physplace_addon.core.implicit.functions.base import ImplicitFunction
from physplace_addon.core.implicit.functions.transformed import Moved
from physplace_addon.core.implicit.surface_components.component_search import components_of
from physplace_addon.core.implicit.surface_components.subdivision import SearchLimits
from tests.core.implicit.functions.every_function import rotations
from tests.core.implicit.random_parts import random_scene
from tests.core.implicit.surfaces import blob_of_genus, torus
from tests.oracles.grid_surface import Grid

SHELL = difference(Spheres.of([0.0, 0.0, 0.0], 1.0), [Spheres.of([0.0, 0.0, 0.1], 0.6)])
DRILLED = difference(
    Boxes.of([0.0, 0.0, 0.0], [[1.0, 0.7, 0.5]]),
    [Boxes.of([x, 0.0, 0.0], [[0.2, 0.3, 1.0]]) for x in (-0.5, 0.5)],
)
KNOWN: dict[str, tuple[ImplicitFunction, list[int]]] = {
    "a ball": (Spheres.of([0.0, 0.0, 0.0], 1.0), [2]),
    "a flat ellipsoid": (Ellipsoids.of([0, 0, 0], [1.0, 0.9, 0.04]), [2]),
    "a wire": (blobby_cylinders(0.5, [[0, 0, 0]], [[1.0, 0.3, 0.2]], 0.02), [2]),
    "a ring": (torus(), [0]),
    "a hollow ball": (SHELL, [4]),
    "a ball in a hollow ball": (union([SHELL, Spheres.of([0.0, 0.1, 0.1], 0.3)]), [2, 4]),
    "a box with two holes": (DRILLED, [-2]),
    "two balls .01 apart": (Spheres.of([[0.0, 0.0, 0.0], [2.01, 0.0, 0.0]], [1.0, 1.0]), [2, 2]),
}


@pytest.mark.parametrize("name", KNOWN)
def test_those_of_known_surfaces_are_proven(name: str) -> None:
    function, expected = KNOWN[name]
    proven = components_of(function).euler_characteristics
    assert proven is not None
    assert sorted(proven.tolist()) == expected


@pytest.mark.parametrize(("name", "size"), [("a ring", 1e-3), ("a ring", 100.0), ("a wire", 1.0)])
def test_they_are_proven_of_every_size_far_away_and_turned(name: str, size: float) -> None:
    function, expected = KNOWN[name]
    affine = np.eye(4)
    affine[:3, :3], affine[:3, 3] = size * rotations(np.random.default_rng(3), 1)[0], 50.0 * size
    proven = components_of(Moved(function, affine)).euler_characteristics
    assert proven is not None
    assert proven.tolist() == expected


@pytest.mark.parametrize("genus", range(6))
def test_each_hole_takes_two(genus: int) -> None:
    proven = components_of(blob_of_genus(genus)).euler_characteristics
    assert proven is not None
    assert proven.tolist() == [2 - 2 * genus]


@pytest.mark.parametrize("seed", [4, 5, 7])
def test_those_of_random_sums_are_a_fine_grid_s(seed: int) -> None:
    function, _ = random_scene(seed)
    proven = components_of(function).euler_characteristics
    assert proven is not None
    low, high = function.box()
    assert proven.sum() == Grid(function.value, low, high, 90).surface.euler_characteristic


def test_where_the_search_ends_early_none_is_proven() -> None:
    assert components_of(blob_of_genus(3), SearchLimits(300)).euler_characteristics is None
