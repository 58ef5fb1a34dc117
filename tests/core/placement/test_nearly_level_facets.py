"""What slides on facets that are level to 1e-4 does not creep: it comes to a rest in few steps."""

from __future__ import annotations

import numpy as np
import pytest

from physplace_addon.core.bodies import polyhedron
from physplace_addon.core.placement import Placement, Settings, Status
from tests.bodies_of_the_paper import floor
from tests.core.placement.household import Mesh, block, lathe, placed, start
from tests.core.placement.test_corners_on_borders import fall

UNEVEN = 1e-4  # of the heights
MOST = 1e-3  # fall of a rest, over the size of the motion
FEW = 100  # steps, of 400 that were not enough


def uneven(mesh: Mesh, seed: int) -> Mesh:
    """A mesh with its points moved at random."""
    points, faces = mesh
    return points + UNEVEN * np.random.default_rng(seed).uniform(-1.0, 1.0, points.shape), faces


def disk(around: int, thick: float) -> Mesh:
    """A disk of two rings of facets on each side."""
    return lathe([(0.0, 0.0), (0.5, 0.0), (1.0, 0.0), (1.0, thick), (0.5, thick), (0.0, thick)], around)


@pytest.mark.parametrize(("name", "mesh"), [("plate", disk(24, 0.1)), ("box", block((0.3, 0.3, 0.3)))])
def test_what_lies_on_an_uneven_table_comes_to_rest_in_few_steps(name: str, mesh: Mesh) -> None:
    body, table = polyhedron(*uneven(mesh, 1), name), polyhedron(*uneven(disk(24, 0.3), 7), "table")
    placement = placed(body, start([3, len(name)], 1.2, tilted=False), table)
    assert placement.status is Status.BALANCED
    assert placement.steps < FEW
    assert fall(placement, 40) < MOST


def test_a_plate_with_an_uneven_bottom_stands_on_three_points() -> None:
    placement = Placement(
        polyhedron(*uneven(disk(40, 0.1), 2), "plate"), start([5], 0.6, tilted=False), [floor()], Settings()
    )
    certificate = placement.run()
    assert certificate.status is Status.BALANCED
    assert certificate.stable
    assert (certificate.contacts.force > 0.0).sum() == 3
