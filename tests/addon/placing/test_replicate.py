"""Copies that fall from the same start, through the operator."""

from __future__ import annotations

import bpy
import numpy as np
import pytest

from physplace_addon.scene.access import present
from tests.addon.running import place, refused, run
from tests.blender_data import (
    action_of,
    animation_of,
    constrain,
    current_scene,
    of_type,
    physplace,
    scene_settings,
)
from tests.scene import scenes


def _brick(location: tuple[float, float, float] = (0.0, 0.0, 5.0)) -> bpy.types.Object:
    scenes.floor()
    brick = scenes.cube("Brick", location)
    brick.scale = (1.0, 1.0, 0.25)
    return brick


def _heights() -> list[float]:
    bricks = [obj for obj in bpy.data.objects if obj.name.startswith("Brick")]
    return sorted(round(float(scenes.world_matrix(obj)[2, 3]), 4) for obj in bricks)


def test_a_copy_of_a_placed_object_falls_from_where_that_one_fell_from() -> None:
    brick = _brick()
    place(brick)
    rest = scenes.world_matrix(brick)
    assert run(physplace.replicate, brick)["status"] == "BALANCED"
    np.testing.assert_array_equal(scenes.world_matrix(brick), rest)
    assert _heights() == [0.25, 0.75]
    copy = present(bpy.context.active_object)
    assert copy.name == "Brick.001"
    assert [obj.name for obj in bpy.context.selected_objects] == ["Brick.001"]
    assert copy["physplace_report"]["status"] == "BALANCED"
    run(physplace.replicate, copy)
    assert _heights() == [0.25, 0.75, 1.25]


def test_an_object_put_somewhere_by_hand_is_placed_first_and_starts_its_copies_there() -> None:
    brick = _brick()
    place(brick)
    brick.location = (4.0, 0.0, 5.0)
    run(physplace.replicate, brick, count=2)
    assert _heights() == [0.25, 0.75, 1.25]
    for obj in bpy.data.objects:
        if obj.name.startswith("Brick"):
            assert obj.location.x == pytest.approx(4.0, abs=1e-4)


def test_a_copy_shares_its_data_and_stands_in_the_same_collections_under_the_same_parent() -> None:
    brick = _brick()
    rig = scenes.linked(bpy.data.objects.new("Rig", None), (0.0, 0.0, 1.0))
    rig.rotation_euler = (0.3, 0.0, 0.0)
    brick.parent, brick.scale = rig, (-1.0, 1.0, 0.25)
    shelf = bpy.data.collections.new("Shelf")
    current_scene().collection.children.link(shelf)
    shelf.objects.link(brick)
    current_scene().collection.objects.unlink(brick)
    place(brick)
    run(physplace.replicate, brick)
    copy = present(bpy.context.active_object)
    assert copy.data == brick.data
    assert copy.parent == rig
    assert copy.scale.to_tuple() == (-1.0, 1.0, 0.25)
    assert copy.users_collection == (shelf,)
    gap = scenes.world_matrix(copy)[2, 3] - scenes.world_matrix(brick)[2, 3]
    assert gap == pytest.approx(0.5, abs=1e-5)


def test_children_are_copied_with_what_refers_to_them() -> None:
    brick = _brick()
    knob = scenes.cube("Knob", (0.0, 0.0, 2.0))
    knob.parent, knob.scale = brick, (0.2, 0.2, 0.2)
    hidden = scenes.cube("Guide", (0.0, 0.0, 30.0))
    hidden.parent = brick
    hidden.hide_set(True)
    row = of_type(knob.modifiers.new("Row", "ARRAY"), bpy.types.ArrayModifier)
    row.use_object_offset, row.offset_object = True, hidden
    row.count = 1
    constrain(knob, "LIMIT_DISTANCE", brick)
    of_type(knob.constraints[0], bpy.types.LimitDistanceConstraint).distance = 100.0
    place(brick)
    run(physplace.replicate, brick)
    copies = {obj.name.split(".")[0]: obj for obj in bpy.data.objects if "." in obj.name}
    assert set(copies) == {"Brick", "Knob", "Guide"}
    assert copies["Knob"].parent == copies["Brick"] == copies["Guide"].parent
    assert of_type(copies["Knob"].modifiers[0], bpy.types.ArrayModifier).offset_object == copies["Guide"]
    limit = of_type(copies["Knob"].constraints[0], bpy.types.LimitDistanceConstraint)
    assert limit.target == copies["Brick"]
    assert copies["Guide"].hide_get()
    assert row.offset_object == hidden


def test_a_container_is_filled_until_it_is_full() -> None:
    brick = _brick((0.05, 0.0, 6.0))
    tray = scenes.open_box("Tray", (1.2, 1.2, 1.2))
    run(physplace.replicate, brick, until_full=True, container="Tray")
    assert tray.name in bpy.data.objects
    heap = 1.2 + np.linalg.norm((1.0, 1.0, 0.25))  # the rim, and what may stand out of it
    assert heap - 0.5 < max(_heights()) <= heap


def test_fewer_copies_than_asked_for_are_told_of(capfd: pytest.CaptureFixture[str]) -> None:
    brick = _brick((0.05, 0.0, 6.0))
    scenes.open_box("Tray", (1.2, 1.2, 1.2))
    place(brick)
    run(physplace.replicate, brick, count=9, container="Tray")
    assert len(_heights()) < 10
    assert f"copies at rest: {len(_heights()) - 1} of 9" in capfd.readouterr().out


def test_copies_that_have_no_room_at_the_start_begin_where_there_is_room() -> None:
    brick = _brick((0.0, 0.0, 1.0))
    brick.rotation_euler.x = 0.2
    place(brick)
    run(physplace.replicate, brick, count=3)
    assert len(_heights()) == 4
    for obj in [obj for obj in bpy.data.objects if obj.name.startswith("Brick.")]:
        assert obj["physplace_report"]["status"] == "BALANCED"
        assert obj["physplace_report"]["overlap"] <= 1e-9


def test_the_copies_fall_one_after_the_other_when_keyed() -> None:
    brick = _brick()
    brick.rotation_euler = (0.2, 0.0, 0.0)
    scene_settings().key_path = True
    run(physplace.replicate, brick, count=1)
    copy = bpy.data.objects["Brick.001"]
    own, other = action_of(brick), action_of(copy)
    assert own != other
    assert other.frame_range[0] == own.frame_range[1]
    current_scene().frame_set(int(own.frame_range[1]))
    assert scenes.world_matrix(copy)[2, 3] == pytest.approx(5.0)
    assert scenes.world_matrix(brick)[2, 3] == pytest.approx(0.25, abs=1e-5)


def test_a_copy_of_a_keyed_object_does_not_follow_its_keys() -> None:
    brick = _brick()
    brick.rotation_euler = (0.2, 0.0, 0.0)
    settings = scene_settings()
    settings.key_path = True
    place(brick)
    brick.keyframe_insert("scale", frame=1)
    settings.key_path = False
    run(physplace.replicate, brick)
    copy = present(bpy.context.active_object)
    rest = scenes.world_matrix(copy)
    current_scene().frame_set(1)
    np.testing.assert_allclose(scenes.world_matrix(copy), rest, atol=1e-6)
    assert animation_of(copy).action != animation_of(brick).action
    assert scenes.world_matrix(brick)[2, 3] == pytest.approx(5.0)


@pytest.mark.parametrize(
    ("properties", "message"),
    [
        ({"until_full": True}, '"Brick".*container'),
        ({"container": "Nobody"}, '"Nobody".*no such object'),
        ({"container": "Brick"}, '"Brick".*moves with'),
        ({"container": "Floor"}, '"Floor".*flat'),
        ({"container": "Lamp"}, '"Lamp".*no visible faces'),
    ],
)
def test_a_container_that_is_none_is_an_error(properties: dict[str, object], message: str) -> None:
    brick = _brick()
    scenes.linked(bpy.data.objects.new("Lamp", bpy.data.lights.new("Lamp", "POINT")))
    refused(physplace.replicate, brick, message, **properties)


def test_no_room_at_the_start_is_an_error_that_leaves_no_copies() -> None:
    brick = _brick((0.0, 0.0, 0.1))
    scenes.open_box("Tray", (1.2, 1.2, 1.2))
    refused(physplace.replicate, brick, '"Brick".*no copy', until_full=True, container="Tray")


def test_copies_that_cannot_be_written_are_taken_away_again() -> None:
    brick = _brick()
    target = scenes.linked(bpy.data.objects.new("Target", None), (0.0, 0.0, 5.0))
    constrain(brick, "COPY_LOCATION", target)
    brick.keyframe_insert("scale", frame=1)
    refused(physplace.replicate, brick, '"Brick".*constraint', count=3)
    assert len(bpy.data.actions) == 1


def test_with_a_margin_copies_lie_side_by_side() -> None:
    brick = _brick()
    place(brick)
    assert run(physplace.replicate, brick, count=3, margin=0.2)["status"] == "BALANCED"
    assert _heights() == [0.25] * 4
    bricks = [obj for obj in bpy.data.objects if obj.name.startswith("Brick")]
    places = np.array([scenes.world_matrix(obj)[:2, 3] for obj in bricks])
    gaps = np.abs(places[:, None] - places[None]).max(axis=2)[np.triu_indices(4, 1)] - 2.0
    assert gaps.min() == pytest.approx(0.2, abs=1e-5)


def test_a_metaball_whose_copies_would_melt_into_it_is_refused() -> None:
    scenes.floor()
    bpy.ops.object.metaball_add(location=(0.0, 0.0, 3.0))
    with pytest.raises(RuntimeError, match=r"melts into those of its name.*convert it to a mesh"):
        physplace.replicate()
    assert [obj.name for obj in bpy.data.objects if obj.type == "META"] == ["Mball"]
