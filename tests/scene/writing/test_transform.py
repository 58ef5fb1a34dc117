"""A rigid motion of the world, written through an object's own channels, whatever stands between them."""

from __future__ import annotations

from itertools import product
from typing import Any, cast

import bpy
import numpy as np
import pytest

from physplace_addon.core.rigid import Pose, rotation_matrix
from physplace_addon.scene import rotations
from physplace_addon.scene.errors import SceneError
from physplace_addon.scene.writing.transform import object_space, rotation_property, set_channels
from tests.blender_data import constrain, current_scene, current_view_layer, drive

MODES = ("QUATERNION", "AXIS_ANGLE", *rotations.EULER_ORDERS)
SCALES = ((1.0, 1.0, 1.0), (2.0, 0.5, 3.0), (-1.0, 2.0, 0.7), (-1.0, -2.0, -3.0))


def _object(name: str = "Thing") -> bpy.types.Object:
    obj = bpy.data.objects.new(name, bpy.data.meshes.new(name))
    current_scene().collection.objects.link(obj)
    return obj


def _randomized(obj: bpy.types.Object, rng: np.random.Generator, mode: str, scale: tuple[float, ...]) -> None:
    cast("Any", obj).rotation_mode = mode
    obj.location = rng.normal(size=3).tolist()
    width = len(getattr(obj, rotation_property(mode)))
    setattr(obj, rotation_property(mode), rng.normal(size=width).tolist())
    obj.scale = scale


def _evaluated(obj: bpy.types.Object) -> bpy.types.Object:
    current_view_layer().update()
    return obj.evaluated_get(bpy.context.evaluated_depsgraph_get())


def _world(obj: bpy.types.Object) -> np.ndarray:
    return np.array(_evaluated(obj).matrix_world, dtype=np.float64)


def _assert_moves_rigidly(obj: bpy.types.Object, rng: np.random.Generator) -> None:
    motion = np.eye(4)
    motion[:3, :3] = rotation_matrix(rng.normal(size=3))
    motion[:3, 3] = rng.normal(size=3)
    before, scale = _world(obj), np.array(obj.scale)
    space = object_space(obj, _evaluated(obj))
    set_channels(obj, space.channels_for(motion @ before, space.channels))
    np.testing.assert_allclose(_world(obj), motion @ before, atol=4e-6)
    np.testing.assert_array_equal(np.array(obj.scale), scale)


@pytest.mark.parametrize(("mode", "scale"), list(product(MODES, SCALES)))
def test_a_motion_is_written_in_every_rotation_mode_at_any_scale(mode: str, scale: tuple[float, ...]) -> None:
    rng = np.random.default_rng(7)
    obj = _object()
    _randomized(obj, rng, mode, scale)
    _assert_moves_rigidly(obj, rng)


@pytest.mark.parametrize("name", ["rotation_quaternion", "delta_rotation_quaternion", "rotation_axis_angle"])
def test_a_rotation_of_zeros_is_the_one_that_blender_takes_it_for(name: str) -> None:
    obj = _object()
    obj.rotation_mode = "AXIS_ANGLE" if name == "rotation_axis_angle" else "QUATERNION"
    setattr(obj, name, (0.0, 0.0, 0.0, 0.0))
    _assert_moves_rigidly(obj, np.random.default_rng(6))


@pytest.mark.parametrize("parent_scale", [(1.0, 1.0, 1.0), (2.0, 2.0, 2.0), (-1.5, 1.5, 1.5)])
def test_a_parent_and_its_inverse_are_respected(parent_scale: tuple[float, ...]) -> None:
    rng = np.random.default_rng(8)
    parent, obj = _object("Parent"), _object()
    _randomized(parent, rng, "XYZ", parent_scale)
    _randomized(obj, rng, "ZYX", (1.0, 2.0, -3.0))
    obj.parent = parent
    obj.matrix_parent_inverse = parent.matrix_world.inverted()
    obj.matrix_parent_inverse.translation.x += 2.0
    _assert_moves_rigidly(obj, rng)


@pytest.mark.parametrize("mode", ["QUATERNION", "AXIS_ANGLE", "XYZ"])
def test_delta_transforms_are_respected(mode: str) -> None:
    rng = np.random.default_rng(9)
    obj = _object()
    _randomized(obj, rng, mode, (1.0, 2.0, 3.0))
    obj.delta_location = (1.0, -2.0, 0.5)
    obj.delta_scale = (1.0, 0.5, -1.0)
    obj.delta_rotation_euler = (0.3, 0.4, 0.5)
    obj.delta_rotation_quaternion = (0.8, 0.1, 0.5, 0.2)
    _assert_moves_rigidly(obj, rng)


def test_a_child_of_constraint_is_respected() -> None:
    rng = np.random.default_rng(10)
    target, obj = _object("Target"), _object()
    _randomized(target, rng, "XYZ", (2.0, 2.0, 2.0))
    _randomized(obj, rng, "XYZ", (1.0, 1.0, 1.0))
    constrain(obj, "CHILD_OF", target)
    _assert_moves_rigidly(obj, rng)


@pytest.mark.parametrize("mode", MODES)
def test_a_path_of_small_steps_never_flips(mode: str) -> None:
    rng = np.random.default_rng(11)
    obj = _object()
    _randomized(obj, rng, mode, (1.0, 1.0, 1.0))
    pose = Pose.from_matrix(_world(obj))
    worlds = []
    for _ in range(200):
        pose = pose.displaced(np.zeros(3), 0.05 * rng.normal(size=3), np.zeros(3))
        worlds.append(pose.matrix4)
    path = object_space(obj, _evaluated(obj)).path(worlds)
    for values, world in zip(path, worlds, strict=True):
        np.testing.assert_allclose(rotations.matrix_of(mode, values.rotation), world[:3, :3], atol=1e-9)
    if mode == "QUATERNION":
        numbers = np.array([values.rotation for values in path])
        assert np.all(np.sum(numbers[1:] * numbers[:-1], axis=1) > 0.9)


def test_angles_stay_on_their_side_at_gimbal_lock() -> None:
    for order in rotations.EULER_ORDERS:
        angles = np.array([0.4, -0.3, 7.0])
        angles["XYZ".index(order[1])] = 0.5 * np.pi
        rotation = rotations.matrix_of(order, angles)
        found = rotations.values_of(order, rotation, angles)
        np.testing.assert_allclose(found, angles, atol=1e-7)


def test_a_parent_that_shears_is_refused_by_name() -> None:
    rng = np.random.default_rng(12)
    parent, obj = _object("Stretched"), _object("Child")
    _randomized(parent, rng, "XYZ", (1.0, 2.0, 1.0))
    obj.parent = parent
    with pytest.raises(SceneError, match=r'"Child".*"Stretched".*Apply > Scale'):
        object_space(obj, _evaluated(obj))


def test_a_zero_scale_is_refused() -> None:
    obj = _object("Flat")
    obj.scale = (1.0, 1.0, 0.0)
    with pytest.raises(SceneError, match=r'"Flat".*scale is zero'):
        object_space(obj, _evaluated(obj))


def test_a_driven_location_is_refused() -> None:
    obj = _object("Driven")
    drive(obj, "location", "1", 2)
    with pytest.raises(SceneError, match=r'"Driven".*driver owns its location'):
        object_space(obj, _evaluated(obj))
