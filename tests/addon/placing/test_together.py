"""Several objects placed at once, through the operators."""

from __future__ import annotations

import bpy
import numpy as np
import pytest

from physplace_addon.core.contact.system import BilateralContacts
from physplace_addon.operators.placing.record import PlacementRecord, write_records
from physplace_addon.scene.access import custom_properties
from tests.addon.running import place, refused, run
from tests.blender_data import action_of, constrain, current_scene, physplace, scene_settings
from tests.scene import scenes


def _select(*objects: bpy.types.Object) -> None:
    for obj in bpy.data.objects:
        obj.select_set(obj in objects)


def _two_cubes() -> tuple[bpy.types.Object, bpy.types.Object]:
    """One cube above another, both above a floor."""
    scenes.floor()
    return scenes.cube("Lower", (0.0, 0.0, 1.5)), scenes.cube("Upper", (0.3, 0.2, 4.0))


def test_selected_objects_rest_on_each_other() -> None:
    lower, upper = _two_cubes()
    _select(lower, upper)
    report = run(physplace.place, upper, together=True)
    assert report["status"] == "BALANCED"
    assert lower["physplace_report"]["status"] == "BALANCED"
    assert scenes.world_matrix(lower)[2, 3] == pytest.approx(1.0, abs=1e-5)
    assert scenes.world_matrix(upper)[2, 3] == pytest.approx(3.0, abs=1e-5)
    contacts = np.reshape(list(upper["physplace_contacts"]), (-1, 7))
    np.testing.assert_allclose(contacts[:, 2], 2.0, atol=1e-5)
    np.testing.assert_allclose(contacts[:, 3:6] @ (0.0, 0.0, 1.0), 1.0, atol=1e-6)


def test_only_the_active_object_moves_unless_told() -> None:
    lower, upper = _two_cubes()
    _select(lower, upper)
    assert place(upper)["status"] == "BALANCED"
    assert scenes.world_matrix(lower)[2, 3] == pytest.approx(1.5)
    assert scenes.world_matrix(upper)[2, 3] == pytest.approx(3.5, abs=1e-5)
    assert "physplace_report" not in custom_properties(lower)


def test_one_that_was_placed_alone_falls_with_the_others_when_that_is_switched_on_afterwards() -> None:
    lower, upper = _two_cubes()
    _select(lower, upper)
    alone = PlacementRecord(("Upper",), (), (), BilateralContacts.none(), goes_on=True)
    run(physplace.place, upper, ways=write_records([alone]))
    assert scenes.world_matrix(lower)[2, 3] == pytest.approx(1.5)
    upper.location.z = 4.0
    run(physplace.place, upper, ways=write_records([alone]), together=True)
    assert scenes.world_matrix(lower)[2, 3] == pytest.approx(1.0, abs=1e-5)
    assert scenes.world_matrix(upper)[2, 3] == pytest.approx(3.0, abs=1e-5)


def test_one_of_those_that_were_placed_together_falls_alone_when_that_is_switched_off() -> None:
    lower, upper = _two_cubes()
    _select(lower, upper)
    both = PlacementRecord(("Upper", "Lower"), (), (), BilateralContacts.none(), goes_on=True)
    run(physplace.place, upper, ways=write_records([both]))
    assert scenes.world_matrix(lower)[2, 3] == pytest.approx(1.5)
    assert scenes.world_matrix(upper)[2, 3] == pytest.approx(3.5, abs=1e-5)


def test_a_selected_child_moves_with_its_selected_parent() -> None:
    lower, upper = _two_cubes()
    part = scenes.cube("Part", (2.0, 0.0, 0.0))
    part.parent = lower
    _select(lower, upper, part)
    before = np.linalg.inv(scenes.world_matrix(lower)) @ scenes.world_matrix(part)
    run(physplace.place, lower, together=True)
    assert "physplace_report" not in custom_properties(part)
    after = np.linalg.inv(scenes.world_matrix(lower)) @ scenes.world_matrix(part)
    np.testing.assert_allclose(after, before, atol=1e-6)


def test_all_paths_are_keyed_on_the_same_frames() -> None:
    lower, upper = _two_cubes()
    _select(lower, upper)
    scene_settings().key_path = True
    run(physplace.place, lower, together=True)
    frames = [action_of(obj).frame_range.to_tuple() for obj in (lower, upper)]
    assert frames[0] == frames[1]
    current_scene().frame_set(1)
    assert scenes.world_matrix(upper)[2, 3] == pytest.approx(4.0)


def test_one_that_cannot_be_written_leaves_all_where_they_were() -> None:
    lower, upper = _two_cubes()
    target = scenes.linked(bpy.data.objects.new("Target", None), (0.3, 0.2, 4.0))
    constrain(upper, "COPY_LOCATION", target)
    _select(lower, upper)
    refused(physplace.place, lower, '"Upper".*constraint', together=True)


def test_a_lamp_among_them_is_named() -> None:
    lower, upper = _two_cubes()
    lamp = scenes.linked(bpy.data.objects.new("Lamp", bpy.data.lights.new("Lamp", "POINT")))
    _select(lower, upper, lamp)
    refused(physplace.place, lower, '"Lamp".*no faces', together=True)


def test_objects_that_overlap_each_other_are_reported_and_stay() -> None:
    lower, upper = _two_cubes()
    upper.location = (0.3, 0.2, 2.0)
    _select(lower, upper)
    assert run(physplace.place, lower, together=True)["status"] == "INTERFERING_START"
    assert upper["physplace_report"]["status"] == "INTERFERING_START"
    assert 'it overlaps "Lower"' in upper["physplace_report"]["notes"]
    assert scenes.world_matrix(upper)[2, 3] == pytest.approx(2.0)
