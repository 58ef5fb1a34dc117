"""Keys as Blender inserts them: what the artist has set counts, and a way is thinned to a given error."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import nullcontext
from pathlib import Path
from typing import Any, cast

import bpy
import numpy as np
import pytest

from physplace_addon.scene import rotations
from physplace_addon.scene.access import present
from physplace_addon.scene.errors import SceneError
from physplace_addon.scene.rests.rests import frame_restored
from physplace_addon.scene.writing.actions import (
    curves_of,
    key_at,
    keys_restored_on_error,
    slot_of,
    use_slot,
)
from physplace_addon.scene.writing.key_reduction import MotionScale, needed_keys
from physplace_addon.scene.writing.keys import Key, Keying, insert_automatically, insert_keys, path_keys
from physplace_addon.scene.writing.transform import Channels
from tests.blender_data import action_of, animation_of, current_scene, current_view_layer, preferences
from tests.scene import scenes
from tests.scene.linkages import rigs


@pytest.fixture(autouse=True)
def _preferences() -> Iterator[None]:
    edit = preferences().edit
    names = (
        "keyframe_new_interpolation_type",
        "keyframe_new_handle_type",
        "use_keyframe_insert_needed",
        "use_keyframe_insert_available",
    )
    before = {name: getattr(edit, name) for name in names}
    yield
    for name, value in before.items():
        setattr(edit, name, value)


def _channels(x: float, turn: float = 0.0) -> Channels:
    return Channels(np.array([x, 0.0, 1.0]), np.array([0.0, 0.0, turn]), "XYZ")


def _insert(obj: bpy.types.Object, keys: list[Key]) -> None:
    insert_keys(obj, keys, Keying.of(bpy.context))


def _curve(obj: bpy.types.Object, path: str, index: int) -> bpy.types.FCurve:
    return next(curve for curve in curves_of(obj) if (curve.data_path, curve.array_index) == (path, index))


def test_new_keys_have_the_interpolation_handles_and_type_that_the_artist_has_set() -> None:
    cube = scenes.cube()
    edit = preferences().edit
    edit.keyframe_new_interpolation_type, edit.keyframe_new_handle_type = "CONSTANT", "VECTOR"
    current_scene().tool_settings.keyframe_type = "EXTREME"
    _insert(cube, [Key(3, _channels(0.0), on_path=True), Key(7, _channels(1.0), on_path=False)])
    for curve in curves_of(cube):
        on_path, rest = curve.keyframe_points
        assert (on_path.type, on_path.interpolation) == ("GENERATED", "LINEAR")
        assert (rest.type, rest.interpolation, rest.handle_left_type) == ("EXTREME", "CONSTANT", "VECTOR")
        assert present(curve.group).name == "Object Transforms"


def test_a_key_that_is_there_keeps_its_interpolation() -> None:
    cube = scenes.cube()
    _insert(cube, [Key(3, _channels(0.0), on_path=False)])
    present(key_at(_curve(cube, "location", 0), 3)).interpolation = "BOUNCE"
    _insert(cube, [Key(3, _channels(2.0), on_path=False)])
    key = present(key_at(_curve(cube, "location", 0), 3))
    assert (key.interpolation, key.co[1]) == ("BOUNCE", 2.0)


def test_only_needed_keys_are_inserted_and_still_every_one_holds() -> None:
    cube = scenes.cube()
    preferences().edit.use_keyframe_insert_needed = True
    rests = {1: 0.0, 20: 0.0, 40: 5.0, 60: 5.0}
    _insert(cube, [Key(frame, _channels(x), on_path=False) for frame, x in rests.items()])
    assert len(_curve(cube, "location", 2).keyframe_points) == 1
    for frame, x in rests.items():
        assert _curve(cube, "location", 0).evaluate(frame) == pytest.approx(x, abs=1e-6)


def test_keys_go_to_the_object_s_own_slot_of_an_action_that_it_shares() -> None:
    cube, other = scenes.cube(), scenes.cube("Other")
    other.keyframe_insert("location", frame=1)
    cube.animation_data_create().action = animation_of(other).action
    if hasattr(cube.animation_data, "action_slot"):
        action: Any = animation_of(cube).action
        cast("Any", animation_of(cube)).action_slot = action.slots.new(id_type="OBJECT", name="Cube")
        _insert(cube, [Key(1, _channels(4.0), on_path=False)])
        assert animation_of(cube).action == animation_of(other).action
        assert _curve(other, "location", 0).evaluate(1) == 0.0
    else:
        _insert(cube, [Key(1, _channels(4.0), on_path=False)])
    assert _curve(cube, "location", 0).evaluate(1) == 4.0


def test_automatic_keying_keys_only_if_it_is_on_and_only_what_it_may() -> None:
    cube, tools = scenes.cube("Cube", (1.0, 2.0, 3.0)), current_scene().tool_settings
    insert_automatically(bpy.context, cube, 5)
    assert cube.animation_data is None
    tools.use_keyframe_insert_auto = True
    edit = preferences().edit
    edit.use_keyframe_insert_available = True
    insert_automatically(bpy.context, cube, 5)
    assert not list(curves_of(cube))
    edit.use_keyframe_insert_available = False
    tools.auto_keying_mode = "REPLACE_KEYS"
    insert_automatically(bpy.context, cube, 5)
    assert not list(curves_of(cube))
    tools.auto_keying_mode = "ADD_REPLACE_KEYS"
    current_scene().keying_sets_all.active = current_scene().keying_sets_all["Location"]
    tools.use_keyframe_insert_keyingset = True
    insert_automatically(bpy.context, cube, 5)
    assert {curve.data_path for curve in curves_of(cube)} == {"location"}
    tools.use_keyframe_insert_keyingset = False
    insert_automatically(bpy.context, cube, 6)
    assert {curve.data_path for curve in curves_of(cube)} == {"location", "rotation_euler"}


@pytest.mark.parametrize("keyed", [False, True])
def test_after_an_error_keys_action_and_channels_are_those_of_before(keyed: bool) -> None:
    cube = scenes.cube("Cube", (1.0, 2.0, 3.0))
    if keyed:
        cube.keyframe_insert("location", frame=1)
        name = action_of(cube).name

    def fail() -> None:
        with keys_restored_on_error(cube):
            _insert(cube, [Key(1, _channels(9.0), on_path=False)])
            raise SceneError("Cube", "a fault", "none")

    with pytest.raises(SceneError):
        fail()
    assert cube.location.to_tuple() == (1.0, 2.0, 3.0)
    assert len(bpy.data.actions) == int(keyed)
    if keyed:
        assert action_of(cube).name == name
        assert [point.co.to_tuple() for point in _curve(cube, "location", 0).keyframe_points] == [(1.0, 1.0)]
    else:
        assert cube.animation_data is None


def _refused(cube: bpy.types.Object, change: Callable[[], object]) -> None:
    """Change an object, and fail."""

    def fail() -> None:
        with keys_restored_on_error(cube):
            change()
            cube.location = (7.0, 7.0, 7.0)
            raise SceneError("Cube", "a fault", "none")

    with pytest.raises(SceneError):
        fail()


def _key_on(cube: bpy.types.Object, frame: int | None) -> None:
    if frame is not None:
        _insert(cube, [Key(frame, _channels(9.0), on_path=False)])


@pytest.mark.parametrize("frame", [None, 1, 8])
def test_after_an_error_the_action_is_the_same_one_with_the_same_keys(frame: int | None) -> None:
    cube = scenes.cube("Cube", (1.0, 2.0, 3.0))
    cube.keyframe_insert("location", frame=1)
    cube.keyframe_insert("location", frame=5)
    action = action_of(cube)
    point = _curve(cube, "location", 0).keyframe_points[0]
    point.interpolation, point.handle_right_type = "BOUNCE", "FREE"
    point.handle_right = (2.0, 4.0)
    current_view_layer().update()
    cube.location.z = 5.0  # by hand, without a key
    _refused(cube, lambda: _key_on(cube, frame))
    current_view_layer().update()
    assert action_of(cube) == action
    assert cube.location.to_tuple() == (1.0, 2.0, 5.0)
    assert {curve.data_path for curve in curves_of(cube)} == {"location"}
    first, last = _curve(cube, "location", 0).keyframe_points
    assert (first.co.to_tuple(), last.co.to_tuple()) == ((1.0, 1.0), (5.0, 1.0))
    assert (first.interpolation, first.handle_right_type) == ("BOUNCE", "FREE")
    assert first.handle_right.to_tuple() == (2.0, 4.0)
    assert last.handle_left_type == "AUTO_CLAMPED"


def test_after_an_error_a_linked_action_is_still_linked(tmp_path: Path) -> None:
    cube = scenes.cube()
    cube.keyframe_insert("location", frame=1)
    file, action = str(tmp_path / "library.blend"), action_of(cube)
    bpy.data.libraries.write(file, {action})
    with cast("Any", bpy.data.libraries).load(file, link=True) as (_, wanted):
        wanted.actions = [action.name]
    linked = cast("bpy.types.Action", wanted.actions[0])
    animation_of(cube).action = linked
    _refused(cube, lambda: None)
    assert action_of(cube) == linked
    assert linked.library is not None


def test_after_an_error_an_action_without_slots_has_none() -> None:
    cube = scenes.cube("Cube", (1.0, 2.0, 3.0))
    cube.animation_data_create()
    animation_of(cube).action = action = bpy.data.actions.new("Mine")
    _refused(cube, lambda: _key_on(cube, 4))
    assert action_of(cube) == action
    assert not list(curves_of(cube))
    for name in ("slots", "layers"):
        assert not len(getattr(action, name, ()))


def test_after_an_error_a_curve_that_lost_its_last_key_is_there_again() -> None:
    cube = scenes.cube("Cube", (1.0, 2.0, 3.0))
    cube.keyframe_insert("location", frame=1, group="Mine")
    _curve(cube, "location", 2).extrapolation = "LINEAR"
    _refused(cube, lambda: cube.keyframe_delete("location", frame=1))
    curve = _curve(cube, "location", 2)
    assert [point.co.to_tuple() for point in curve.keyframe_points] == [(1.0, 3.0)]
    assert (curve.extrapolation, present(curve.group).name) == ("LINEAR", "Mine")


def _winding(states: int, mode: str) -> list[Channels]:
    """A path that turns and falls ever more slowly."""
    path, previous = [], np.zeros(4 if mode in (rotations.QUATERNION, rotations.AXIS_ANGLE) else 3)
    for share in np.linspace(0.0, 1.0, states):
        place = np.array([np.cos(3.0 * share), np.sin(3.0 * share), (1.0 - share) ** 2])
        turn = rotations.matrix_of("XYZ", (1.4 * share, 2.0 * share**2, 5.0 * share))
        previous = rotations.values_of(mode, turn, previous)
        path.append(Channels(place, previous, mode))
    return path


@pytest.mark.parametrize("mode", ["QUATERNION", "AXIS_ANGLE", "XYZ", "ZYX"])
@pytest.mark.parametrize("error", [0.02, 0.1])
def test_what_blender_shows_between_the_keys_is_no_farther_off_than_asked(mode: str, error: float) -> None:
    radius, path = 0.5, _winding(60, mode)
    cube = scenes.cube()
    cast("Any", cube).rotation_mode = mode
    cube.scale = (radius / np.sqrt(3.0),) * 3
    keys = path_keys(path, 0, 59, MotionScale(mode, 1.0 / radius, 1.0), error)
    assert keys[0].frame == 0
    assert keys[-1].frame == 59
    assert 3 < len(keys) < 50
    _insert(cube, keys)
    for frame, state in enumerate(path):
        current_scene().frame_set(frame)
        shown = scenes.world_matrix(cube)
        wanted = np.eye(4)
        wanted[:3, :3] = rotations.matrix_of(mode, state.rotation) * np.array(cube.scale)
        wanted[:3, 3] = state.location
        off = np.linalg.norm((np.column_stack([scenes.CUBE, np.ones(8)]) @ (shown - wanted).T)[:, :3], axis=1)
        assert off.max() <= error * radius + 1e-6
        if frame in {key.frame for key in keys}:
            assert off.max() < 1e-6


def test_a_larger_error_needs_fewer_keys_and_none_keeps_all() -> None:
    path = _winding(60, "XYZ")
    counts = [
        len(needed_keys(path, range(60), MotionScale("XYZ", 1.0, 1.0), error))
        for error in (0.0, 1e-2, 3e-2, 1e-1)
    ]
    assert counts[0] == 60
    assert sorted(counts, reverse=True) == counts
    assert len(set(counts)) == 4


def test_on_too_few_frames_every_key_is_still_a_state_on_a_whole_frame() -> None:
    path = _winding(60, "XYZ")
    keys = path_keys(path, 10, 14, MotionScale("XYZ", 1.0, 1.0), 0.0)
    assert [key.frame for key in keys] == [10, 11, 12, 13, 14]
    assert all(any(key.values is state for state in path) for key in keys)
    assert keys[-1].values is path[-1]
    assert [key.on_path for key in keys] == [True, True, True, True, False]


def test_after_an_error_what_shares_the_action_keeps_what_was_moved_without_a_key() -> None:
    cube, twin = scenes.cube(), scenes.cube("Twin", (5.0, 0.0, 0.0))
    for obj in (cube, twin):
        obj.keyframe_insert("location", frame=1)
    animation_of(twin).action = action_of(cube)
    use_slot(twin, slot_of(cube))
    current_view_layer().update()
    twin.location.y = 0.25  # without a key
    _refused(cube, lambda: _key_on(cube, 9))
    current_view_layer().update()
    assert twin.location.y == 0.25
    assert scenes.world_matrix(twin)[1, 3] == 0.25


def test_after_an_error_bones_and_scales_keep_what_was_changed_without_a_key() -> None:
    rig = rigs.armature(rigs.chain(1))
    bone = rigs.bone(rig, "Bone 0")
    rigs.set_rotation(bone, "XYZ", np.zeros(3))
    for path in ("rotation_euler", "scale"):
        bone.keyframe_insert(path, frame=1)
    rig.keyframe_insert("scale", frame=1)
    current_view_layer().update()
    bone.rotation_euler.x, bone.scale.y, rig.scale.z = 0.5, 2.0, 3.0
    _refused(rig, lambda: _key_on(rig, 9))
    current_view_layer().update()
    assert (bone.rotation_euler.x, bone.scale.y, rig.scale.z) == (0.5, 2.0, 3.0)


def test_after_an_error_all_that_is_animated_keeps_what_was_changed_without_a_key() -> None:
    cube, empty = scenes.cube(), bpy.data.objects.new("Empty", None)
    current_scene().collection.objects.link(empty)
    hold = cast("Any", cube.constraints.new("CHILD_OF"))
    hold.target, cube['a [very] "odd" name'], cube["vector"] = empty, 1.0, (1.0, 2.0)
    custom = bpy.utils.escape_identifier('a [very] "odd" name')
    paths = ("delta_location", f'["{custom}"]', '["vector"]', f'constraints["{hold.name}"].influence')
    for path in paths:
        cube.keyframe_insert(path, frame=1)
    current_view_layer().update()
    cube.delta_location.z, hold.influence = 0.25, 0.5
    cube['a [very] "odd" name'], cube["vector"] = 3.0, (1.0, 5.0)
    _refused(cube, lambda: _key_on(cube, 9))
    current_view_layer().update()
    assert (cube.delta_location.z, hold.influence) == (0.25, 0.5)
    assert (cube['a [very] "odd" name'], tuple(cube["vector"])) == (3.0, (1.0, 5.0))


def test_after_an_error_what_a_strip_animates_keeps_what_was_changed_without_a_key() -> None:
    cube = scenes.cube()
    cube.keyframe_insert("scale", frame=1)
    data = animation_of(cube)
    data.nla_tracks.new().strips.new("Sizes", 1, action_of(cube))
    data.action = None
    current_view_layer().update()
    cube.scale.z = 2.0
    _refused(cube, lambda: _key_on(cube, 9))
    current_view_layer().update()
    assert data.action is None
    assert cube.scale.z == 2.0


def test_after_an_error_a_curve_that_lost_its_last_key_has_its_modifiers_and_its_group_s_colours() -> None:
    cube = scenes.cube("Cube", (1.0, 2.0, 3.0))
    cube.keyframe_insert("location", frame=1, group="Mine")
    curves = [cast("Any", _curve(cube, "location", axis)) for axis in range(3)]
    cycles, noise, envelope = (
        curve.modifiers.new(kind) for curve, kind in zip(curves, ("CYCLES", "NOISE", "ENVELOPE"), strict=True)
    )
    cycles.mode_after, cycles.cycles_after, noise.strength, noise.mute = "REPEAT_OFFSET", 3, 0.125, True
    cycles.use_restricted_range, cycles.frame_start, cycles.frame_end = True, 300.0, 400.0
    point = envelope.control_points.add(4.0)
    point.min, point.max = -2.0, 5.0
    group = curves[0].group
    group.color_set, group.colors.normal, group.lock = "CUSTOM", (0.0, 0.0, 1.0), True
    curves[1].auto_smoothing = "NONE"
    _refused(cube, lambda: cube.keyframe_delete("location", frame=1))
    curves = [cast("Any", _curve(cube, "location", axis)) for axis in range(3)]
    cycles, noise, envelope = (curve.modifiers[0] for curve in curves)
    assert (cycles.mode_after, cycles.cycles_after) == ("REPEAT_OFFSET", 3)
    assert (cycles.frame_start, cycles.frame_end) == (300.0, 400.0)
    assert (noise.strength, noise.mute) == (0.125, True)
    assert [(each.frame, each.min, each.max) for each in envelope.control_points] == [(4.0, -2.0, 5.0)]
    group = curves[2].group
    assert (group.name, group.lock, tuple(group.colors.normal)) == ("Mine", True, (0.0, 0.0, 1.0))
    assert curves[1].auto_smoothing == "NONE"


@pytest.mark.parametrize("fails", [False, True])
def test_after_a_visit_to_another_frame_what_was_changed_without_a_key_is_so_again(fails: bool) -> None:
    cube, other = scenes.cube(), scenes.cube("Other", (5.0, 0.0, 0.0))
    material = bpy.data.materials.new("Paint")
    for obj in (cube, other):
        obj.keyframe_insert("location", frame=1)
        obj.keyframe_insert("scale", frame=1)
    cast("bpy.types.Mesh", other.data).materials.append(material)
    material.keyframe_insert("roughness", frame=1)
    current_view_layer().update()
    cube.location.z, cube.scale.z, other.location.y, material.roughness = 2.0, 0.5, 0.25, 0.125

    def visit() -> None:
        with frame_restored(bpy.context, [cube]):
            current_scene().frame_set(8)
            if fails:
                raise SceneError("Cube", "a fault", "none")

    with pytest.raises(SceneError) if fails else nullcontext():
        visit()
    current_view_layer().update()
    assert cube.location.z == (2.0 if fails else 0.0)  # what has gone well leaves it where its keys say
    assert (cube.scale.z, other.location.y, material.roughness) == (0.5, 0.25, 0.125)
