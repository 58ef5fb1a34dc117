"""Dirt does not stop an artist: dirty meshes come to rest, overlap nothing, and the report names the dirt.

`python -m benchmarks.dirt` places all two hundred, on a floor and in dirty bowls, and prints figures.
"""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import ArrayLike

from physplace_addon.core.bodies import polyhedron
from physplace_addon.core.placement.diagnostics import diagnose
from tests.core.dirty_meshes import KINDS, dirty
from tests.core.meshes import CUBE_POINTS, CUBE_TRIANGLES, beside, torus
from tests.core.placement.dirt import OVERLAP, in_a_bowl, named_in, on_the_floor, shaded_smooth

SOME = (*range(2 * len(KINDS)), *range(50, 54))  # thirty of the two hundred, each kind twice


@pytest.mark.slow
def test_of_two_hundred_meshes_the_report_names_the_dirt_that_is_there_and_no_other() -> None:
    for seed in range(200):
        mesh = dirty(seed)
        points, triangles = mesh.points.copy(), mesh.triangles.copy()
        body = polyhedron(mesh.points, mesh.triangles, "dirty")
        assert named_in(diagnose(body, ())) == mesh.dirt, mesh.label
        assert np.array_equal(points, mesh.points, equal_nan=True)
        assert np.array_equal(triangles, mesh.triangles)


def test_notes_on_the_world_have_its_names_once_and_nothing_on_its_weight() -> None:
    open_box = polyhedron(CUBE_POINTS, np.vstack([CUBE_TRIANGLES[2:], CUBE_TRIANGLES[2:3]]), "box")
    moved = open_box.transformed(np.diag([2.0, 2.0, 2.0, 1.0]))
    ball = polyhedron(*torus(9, 7), "ring")
    assert diagnose(ball, (open_box, moved, ball)) == ("box: 1 doubled faces merged",)


@pytest.mark.parametrize(
    ("shift", "size", "overlaps"),
    [
        ((0.5, 0.0, 0.0), 1.0, True),
        ((0.25, 0.25, 0.0), 0.5, True),
        ((0.25, 0.0, 0.0), 0.4, False),
        ((1.0, 0.3, 0.0), 1.0, False),
        ((1.0, 1.0, 0.0), 1.0, False),
    ],
)
def test_bricks_that_are_flush_overlap_and_those_inside_or_beside_do_not(
    shift: ArrayLike, size: float, overlaps: bool
) -> None:
    second = (size * CUBE_POINTS + np.array(shift), CUBE_TRIANGLES)
    body = polyhedron(*beside((CUBE_POINTS, CUBE_TRIANGLES), second), "bricks")
    assert ("crossing" in named_in(diagnose(body, ()))) is overlaps


@pytest.mark.slow
@pytest.mark.parametrize("seed", SOME)
def test_a_dirty_mesh_comes_to_rest_on_a_floor(seed: int) -> None:
    dropped = on_the_floor(seed)
    assert dropped.certificate.status.at_rest
    assert dropped.overlap <= OVERLAP
    assert dropped.named == dropped.mesh.dirt


@pytest.mark.slow
@pytest.mark.parametrize(("seed", "turn", "steps"), [(11, 21, 4), (74, 0, 12)])
def test_a_wavy_mesh_shaded_smooth_does_not_sink_into_a_floor(seed: int, turn: int, steps: int) -> None:
    dropped = shaded_smooth(seed, turn, steps)
    assert dropped is not None
    assert dropped.overlap <= OVERLAP


@pytest.mark.slow
def test_a_step_that_rises_over_what_it_had_not_known_is_taken_again_and_ends_at_rest() -> None:
    """Two bumps, of spheres that cross, come down between the same corners of the mesh: one of them is found
    only once it is in the floor.
    """
    dropped = shaded_smooth(1001, 11)
    assert dropped is not None
    assert dropped.certificate.status.at_rest
    assert dropped.certificate.steps <= 30
    assert dropped.overlap <= OVERLAP


@pytest.mark.slow
@pytest.mark.parametrize("seed", [6, 13, 16])
def test_a_dirty_mesh_comes_to_rest_in_a_dirty_bowl(seed: int) -> None:
    dropped = in_a_bowl(seed)
    assert dropped.certificate.status.at_rest
    assert dropped.overlap < OVERLAP
    assert dropped.named == dropped.mesh.dirt
