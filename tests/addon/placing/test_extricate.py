"""What overlaps is moved clear and placed, through the operator."""

from __future__ import annotations

import bpy
import numpy as np
import pytest

from tests.addon.running import place, refused, run
from tests.blender_data import of_type, physplace
from tests.scene import scenes


def _apart(first: bpy.types.Object, second: bpy.types.Object) -> bool:
    """Whether two cubes of side 2 share no point of their insides: separated along one of fifteen axes."""
    one, other = scenes.world_matrix(first), scenes.world_matrix(second)
    axes = [*one[:3, :3].T, *other[:3, :3].T]
    axes += [np.cross(a, b) for a in one[:3, :3].T for b in other[:3, :3].T]
    for axis in axes:
        spans = [(scenes.CUBE @ matrix[:3, :3].T + matrix[:3, 3]) @ axis for matrix in (one, other)]
        if max(spans[0].min() - spans[1].max(), spans[1].min() - spans[0].max()) > -1e-5 * np.abs(axis).max():
            return True
    return False


def test_a_cube_sunk_into_the_floor_is_lifted_and_rests_on_it() -> None:
    scenes.cube("Ground", (0.0, 0.0, -1.0)).scale = (5.0, 5.0, 1.0)
    cube = scenes.cube("Cube", (0.3, 0.2, 0.8))
    cube.rotation_euler = (0.2, 0.1, 0.0)
    assert run(physplace.extricate, cube)["status"] == "BALANCED"
    assert scenes.world_matrix(cube)[2, 3] == pytest.approx(1.0, abs=1e-5)


@pytest.mark.slow
def test_selected_objects_dumped_at_one_point_end_apart_and_at_rest() -> None:
    scenes.floor()
    cubes = [scenes.cube(f"Cube {i}", (0.2 * i, 0.1 * i, 3.0)) for i in range(3)]
    for i, cube in enumerate(cubes):
        cube.rotation_euler = (0.3 * i, 0.2, 0.1 * i)
        cube.select_set(True)
    assert run(physplace.extricate, cubes[0])["status"] == "BALANCED"
    assert {cube["physplace_report"]["status"] for cube in cubes} == {"BALANCED"}
    for i, cube in enumerate(cubes):
        assert all(_apart(cube, other) for other in cubes[:i])


def test_only_the_active_object_moves_when_not_together() -> None:
    scenes.floor()
    lower, upper = scenes.cube("Lower", (0.0, 0.0, 1.0)), scenes.cube("Upper", (0.3, 0.1, 2.7))
    lower.select_set(True)
    assert run(physplace.extricate, upper, together=False)["status"] == "BALANCED"
    np.testing.assert_array_equal(scenes.world_matrix(lower)[:3, 3], (0.0, 0.0, 1.0))
    assert scenes.world_matrix(upper)[2, 3] == pytest.approx(3.0, abs=1e-5)


def test_where_nothing_is_below_it_stays_where_it_is_clear() -> None:
    rock = scenes.cube("Rock")
    cube = scenes.cube("Cube", (1.9, 0.1, 0.2))
    assert run(physplace.extricate, cube)["status"] == "NO_SUPPORT"
    np.testing.assert_allclose(scenes.world_matrix(cube)[:3, 3], (2.0, 0.1, 0.2), atol=1e-4)
    np.testing.assert_array_equal(scenes.world_matrix(rock), np.eye(4))


def test_copies_start_where_the_object_was_cleared() -> None:
    scenes.cube("Ground", (0.0, 0.0, -1.0)).scale = (5.0, 5.0, 1.0)
    cube = scenes.cube("Cube", (0.0, 0.0, 0.9))
    run(physplace.extricate, cube)
    start = list(cube["physplace_start"])
    assert start[2] >= 1.0


def test_a_mirrored_child_of_a_turned_parent_is_freed_too() -> None:
    scenes.cube("Ground", (0.0, 0.0, -1.0)).scale = (5.0, 5.0, 1.0)
    rig = scenes.linked(bpy.data.objects.new("Rig", None), (0.0, 0.0, 1.0))
    rig.rotation_euler, rig.scale = (0.4, 0.1, 0.0), (2.0, 2.0, 2.0)
    cube = scenes.cube("Cube", (0.0, 0.0, -0.1))
    cube.parent, cube.scale = rig, (-0.5, 0.5, 0.5)
    assert run(physplace.extricate, cube)["status"] == "BALANCED"
    assert scenes.world_matrix(cube)[2, 3] == pytest.approx(1.0, abs=1e-5)
    assert cube.scale.to_tuple() == (-0.5, 0.5, 0.5)


def test_what_cannot_be_written_is_an_error_and_nothing_moves() -> None:
    scenes.floor()
    cube = scenes.cube("Cube", (0.0, 0.0, 0.9))
    limit = of_type(cube.constraints.new("LIMIT_LOCATION"), bpy.types.LimitLocationConstraint)
    limit.use_max_z = True
    limit.max_z = 0.9
    refused(physplace.extricate, cube, '"Cube".*constraint')


def test_what_is_clear_already_is_only_placed() -> None:
    scenes.floor()
    cube = scenes.cube("Cube", (0.0, 0.0, 3.0))
    twin = scenes.cube("Twin", (5.0, 0.0, 3.0))
    assert run(physplace.extricate, cube)["status"] == "BALANCED"
    assert place(twin)["status"] == "BALANCED"
    np.testing.assert_allclose(scenes.world_matrix(cube)[:, :3], scenes.world_matrix(twin)[:, :3], atol=1e-9)
    np.testing.assert_allclose(scenes.world_matrix(cube)[:3, 3], (0.0, 0.0, 1.0), atol=1e-6)
