"""What is told of an object that does not stand where it was put: what owns its transform, or was changed."""

from __future__ import annotations

from collections.abc import Callable

import bpy
import pytest

from physplace_addon.scene.access import present
from physplace_addon.scene.errors import SceneError
from physplace_addon.scene.writing.read_back import check_world_matrix
from physplace_addon.scene.writing.transform import object_space
from tests.blender_data import current_scene, current_view_layer, drive
from tests.scene import scenes

KEPT = "keys, an NLA strip or a driver change its scale"
BY_HAND = "its scale is not what it was when it was read"


def _scale_keyed(cube: bpy.types.Object) -> None:
    for frame, scale in ((10, 2.0), (1, 1.0)):
        cube.scale = (scale, scale, scale)
        cube.keyframe_insert("scale", frame=frame)


def _scale_in_a_strip(cube: bpy.types.Object) -> None:
    _scale_keyed(cube)
    data = present(cube.animation_data)
    action = present(data.action)
    data.action = None
    data.nla_tracks.new().strips.new("Grow", 1, action)


def _delta_driven(cube: bpy.types.Object) -> None:
    drive(cube, "delta_scale", "frame", 0)


@pytest.mark.parametrize("animate", [_scale_keyed, _scale_in_a_strip, _delta_driven])
def test_a_scale_that_keys_or_a_driver_change_is_not_said_to_be_changed_by_hand(
    animate: Callable[[bpy.types.Object], None],
) -> None:
    cube = scenes.cube()
    animate(cube)
    current_scene().frame_set(1)
    assert KEPT in _told(cube, lambda: current_scene().frame_set(10))


def test_a_scale_that_is_changed_by_hand_is_named_also_where_it_is_a_half_turn() -> None:
    cube = scenes.cube()
    cube.keyframe_insert("location", frame=1)
    assert BY_HAND in _told(cube, lambda: setattr(cube, "scale", (-1.0, -1.0, 1.0)))
    assert BY_HAND in _told(cube, lambda: setattr(cube, "delta_scale", (1.0, 3.0, 1.0)))


def test_a_parent_that_is_changed_is_named_and_not_the_scale() -> None:
    rod, cube = scenes.cube("Rod", (0.0, 0.0, -5.0)), scenes.cube()
    cube.parent = rod
    found = _told(cube, lambda: setattr(rod, "scale", (2.0, 2.0, 2.0)))
    assert found.startswith('object "Cube": its parent "Rod", changed since it was read, owns its transform')


def _told(cube: bpy.types.Object, change: Callable[[], object]) -> str:
    """What is told of a cube that stands no more where it was read."""
    current_view_layer().update()
    depsgraph = bpy.context.evaluated_depsgraph_get()
    space, world = object_space(cube, cube.evaluated_get(depsgraph)), scenes.world_matrix(cube)
    check_world_matrix(bpy.context, cube, space, world)
    change()
    current_view_layer().update()
    with pytest.raises(SceneError) as found:
        check_world_matrix(bpy.context, cube, space, world)
    return str(found.value)
