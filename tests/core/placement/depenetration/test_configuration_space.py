"""Cells mark all of a surface and the inside of a solid; a shift that they call clear is clear."""

from __future__ import annotations

import numpy as np
import pytest

from physplace_addon.core.arrays import Bools, Floats
from physplace_addon.core.bodies import polyhedron
from physplace_addon.core.bodies.body import Body
from physplace_addon.core.mesh.inside import winding_number
from physplace_addon.core.placement.depenetration.configuration_space import (
    Obstacles,
    clearing_displacements,
    sure_depth,
)
from physplace_addon.core.placement.depenetration.voxel_grid import ROUGHNESS, VoxelGrid, grown
from physplace_addon.core.rigid import rotation_matrix
from tests.bodies_of_the_paper import sphere, torus
from tests.core.contact.body_pairs import body, pose
from tests.core.meshes import CUBE_POINTS, CUBE_TRIANGLES
from tests.oracles.triangles import crossings

GRID = VoxelGrid(np.array([-1.03, -1.07, -1.01]), 0.1, (21, 22, 20))
NO_WALLS = Obstacles((), None)
RING = torus(0.7, 0.25, resolution=(33, 17)).body


def places(cells: Bools) -> np.ndarray:
    """The middles (k, 3) of the marked cells."""
    return GRID.corner + GRID.side * (np.argwhere(cells) + 0.5)


def cells_of(points: Floats) -> tuple[np.ndarray, ...]:
    return tuple(np.floor((points - GRID.corner) / GRID.side).astype(int).T)


@pytest.mark.parametrize("stretch", [1.0, 30.0, 0.01])
def test_every_point_of_a_surface_is_in_or_beside_a_marked_cell(
    stretch: float, rng: np.random.Generator
) -> None:
    """Also of slivers, and of triangles much larger than the grid."""
    for _ in range(5):
        triangles = rng.normal(size=(4, 3, 3)) * [1.0, stretch, 1.0]
        marked = grown(GRID.surface(triangles), 1)
        weights = rng.dirichlet(np.ones(3), 20000)
        points = np.concatenate([weights @ triangle for triangle in triangles])
        here = ((points > GRID.corner) & (points < GRID.corner + 0.1 * np.array(GRID.shape))).all(axis=1)
        assert marked[cells_of(points[here])].all()


def test_no_marked_cell_is_far_from_the_surface(rng: np.random.Generator) -> None:
    triangles = RING.triangles
    corners = places(GRID.surface(triangles))
    to_ring = np.hypot(np.hypot(corners[:, 0], corners[:, 1]) - 0.7, corners[:, 2])
    assert np.abs(to_ring - 0.25).max() < GRID.side * (0.5 * np.sqrt(3.0) + ROUGHNESS)


def test_the_cells_inside_a_solid_are_those_it_winds_around(rng: np.random.Generator) -> None:
    for turn in rng.normal(size=(3, 3)):
        triangles = RING.triangles @ rotation_matrix(turn).T
        inside = GRID.inside(triangles)
        for place, marked in zip(places(np.ones(GRID.shape, bool))[::37], inside.ravel()[::37], strict=True):
            assert marked == (winding_number(place, triangles) > 0.5)


def test_a_solid_that_is_taller_than_the_grid_fills_it() -> None:
    triangles = (20.0 * CUBE_POINTS)[CUBE_TRIANGLES]
    assert GRID.inside(triangles).all()
    assert not GRID.surface(triangles).any()


@pytest.mark.parametrize("world", [body("cube"), body("plane"), RING], ids=["cube", "plane", "ring"])
def test_shifts_that_are_called_clear_are_clear(world: Body, rng: np.random.Generator) -> None:
    active, world = body("cube"), world
    for _ in range(3):
        start = pose(rng.normal(size=3), 0.3 * rng.normal(size=3))
        ways = clearing_displacements(active, start, [world], NO_WALLS, 4, 1.0)
        assert len(ways.shifts)
        for shift in ways.shifts:
            moved = start.points(active.triangles) + shift
            assert len(crossings(moved, world.triangles, 0.0)) == 0
            assert not world.closed or winding_number(moved.mean(axis=(0, 1)), world.triangles) < 0.5


def test_the_shortest_shift_is_longer_than_it_must_be_by_a_few_cells_only() -> None:
    ball = sphere(1.0).body
    ways = clearing_displacements(ball, pose(at=(0.3, 0.4, 0.5)), [ball], NO_WALLS, 6, 1.0)
    assert 2.0 - np.sqrt(0.5) <= ways.lengths[0] < 1.2 * (2.0 - np.sqrt(0.5))


def test_each_face_of_a_cube_is_a_way_out_of_it() -> None:
    ways = clearing_displacements(body("cube"), pose(), [body("cube")], NO_WALLS, 6, 1.0)
    assert (np.abs(ways.shifts) > 1e-9).sum(axis=1).tolist() == [1] * 6
    assert len({tuple(np.sign(shift)) for shift in ways.shifts}) == 6


def test_a_way_to_the_far_side_of_a_sheet_is_barred_if_it_leads_down() -> None:
    above, sheet = pose((0.3, 0.2, 0.1), (0.0, 0.0, 0.05)), body("plane")
    down = np.array([0.0, 0.0, -1.0])
    for walls, expected in ((Obstacles((sheet,), down), True), (Obstacles((sheet,), -down), False)):
        ways = clearing_displacements(body("cube"), above, [sheet], walls, 4, 1.0)
        assert ways.barred[ways.shifts[:, 2] < 0.0].all() == expected
        assert not ways.barred[ways.shifts[:, 2] > 0.0].any()


def test_no_way_out_of_the_solid_that_a_body_is_in_is_barred() -> None:
    ways = clearing_displacements(
        body("cube"), pose(), [body("cube")], Obstacles((body("cube"),), None), 6, 1.0
    )
    assert not ways.barred.any()


@pytest.mark.parametrize("world", ["slab", "plane"])
def test_a_depth_that_is_sure_is_not_more_than_the_true_one(world: str) -> None:
    found = [
        sure_depth(body("cube"), pose(at=(0.1, 0.2, 0.5 - depth)), [body(world)], 0.3)
        for depth in (-0.1, 0.0, 0.05, 0.1, 0.2, 0.45)
    ]
    assert (np.array(found) <= [0.0, 0.0, 0.05, 0.1, 0.2, 0.3]).all()
    assert found[4] > 0.05
    assert found[5] > 0.2


def test_solids_at_one_place_overlap_as_deep_as_is_asked_for() -> None:
    assert sure_depth(body("cube"), pose(), [body("cube")], 0.1) == 0.1
    big = polyhedron(10.0 * CUBE_POINTS, CUBE_TRIANGLES, "big")
    assert sure_depth(body("cube"), pose(), [big], 0.1) == 0.1
    assert sure_depth(big, pose(), [body("cube")], 0.1) == 0.1
