"""What owns bones besides their own channels: these are left out and named; Blender itself is the judge."""

from __future__ import annotations

from itertools import pairwise

import bpy
import numpy as np
import pytest

from physplace_addon.core.jobs import finished
from physplace_addon.scene.linkages.reading import reading_parts
from tests.blender_data import current_view_layer
from tests.scene import scenes
from tests.scene.linkages import rigs

COUNT = 5


def _rig() -> bpy.types.Object:
    rig = rigs.armature(rigs.chain(COUNT))
    rigs.carried_boxes(rig)
    return rig


def _parts(rig: bpy.types.Object) -> list[str]:
    return [part.name for part in finished(reading_parts(bpy.context, rig)).parts]


def _turns(rig: bpy.types.Object) -> list[np.ndarray]:
    """How each bone stands to its parent."""
    matrices = [np.eye(4), *(rigs.bone_matrix(rig, f"Bone {i}") for i in range(COUNT))]
    return [np.linalg.solve(above, own) for above, own in pairwise(matrices)]


def _moved_by(rig: bpy.types.Object, constraint: bpy.types.Constraint) -> int:
    """The number of the first bone that a constraint moves."""
    with_it = _turns(rig)
    constraint.mute = True
    without = _turns(rig)
    constraint.mute = False
    current_view_layer().update()
    moved = [np.abs(one - two).max() > 1e-4 for one, two in zip(with_it, without, strict=True)]
    return moved.index(True)


@pytest.mark.parametrize("count", [0, 1, 2])
@pytest.mark.parametrize("use_tail", [True, False])
def test_inverse_kinematics_own_the_bones_that_blender_moves(count: int, use_tail: bool) -> None:
    rig = _rig()
    target = scenes.cube("Target", (4.0, 0.5, 2.0))
    last = rigs.bone(rig, f"Bone {COUNT - 1}")
    made = rigs.limit(last, "IK", target=target, chain_count=count, use_tail=use_tail)
    first = _moved_by(rig, made)
    if first > 0:
        assert _parts(rig) == [f"Bone {i}" for i in range(first)]
    else:
        with pytest.raises(Exception, match='its constraint "IK" owns its pose'):
            _parts(rig)


@pytest.mark.parametrize("count", [1, 3])
def test_spline_inverse_kinematics_own_the_bones_that_blender_moves(count: int) -> None:
    rig = _rig()
    curve = bpy.data.curves.new("Spine", "CURVE")
    curve.dimensions = "3D"
    spline = curve.splines.new("POLY")
    spline.points.add(1)
    spline.points[0].co, spline.points[1].co = (0.0, 0.0, 2.0, 1.0), (3.0, 0.5, 4.0, 1.0)
    target = scenes.linked(bpy.data.objects.new("Spine", curve))
    last = rigs.bone(rig, f"Bone {COUNT - 1}")
    made = rigs.limit(last, "SPLINE_IK", target=target, chain_count=count, use_chain_offset=True)
    assert _parts(rig) == [f"Bone {i}" for i in range(_moved_by(rig, made))]


def test_a_driver_that_is_muted_owns_nothing_and_any_name_of_a_bone_is_found() -> None:
    rig = _rig()
    rigs.bone(rig, "Bone 3").name = 'Bone "3"'
    driver = rigs.bone(rig, 'Bone "3"').driver_add("rotation_quaternion", 1)
    assert isinstance(driver, bpy.types.FCurve)
    assert _parts(rig) == ["Bone 0", "Bone 1", "Bone 2"]
    driver.mute = True
    assert _parts(rig) == ["Bone 0", "Bone 1", "Bone 2", 'Bone "3"', "Bone 4"]


def test_a_child_of_a_thing_outside_with_a_parent_hangs_on_both_and_is_left_out() -> None:
    rig, holder = _rig(), scenes.cube("Holder", (5.0, 0.0, 0.0))
    made = rigs.limit(rigs.bone(rig, "Bone 3"), "CHILD_OF", target=holder)
    made.owner_space = "WORLD"
    assert isinstance(made, bpy.types.ChildOfConstraint)
    current_view_layer().update()
    made.inverse_matrix = holder.matrix_world.inverted()
    holder.rotation_euler = (0.0, 0.3, 0.2)
    found = finished(reading_parts(bpy.context, rig))
    assert [part.name for part in found.parts] == ["Bone 0", "Bone 1", "Bone 2"]
    assert f'its constraint "{made.name}" owns its pose' in found.left_out[0]
