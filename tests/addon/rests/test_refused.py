"""Rests that cannot be keyed: the object, the rest and the reason are named, and nothing is changed."""

from __future__ import annotations

import bpy
import numpy as np
import pytest

from physplace_addon.scene.access import present
from physplace_addon.scene.writing.actions import curves_of
from tests.addon import running
from tests.addon.rests import keyed_rests
from tests.blender_data import animation_of, constrain, current_scene, drive, physplace, rests_of
from tests.scene import scenes


def test_if_one_rest_fails_none_is_changed_and_the_rest_is_named() -> None:
    cube = scenes.cube()
    scenes.floor()
    keyed_rests.sequence(cube)
    keys = keyed_rests.all_keys(cube)
    scenes.cube("Block", keyed_rests.PLACES[1])
    current_scene().frame_set(30)
    running.refused(physplace.rests_replace, cube, '"Cube", "Rest 2" on frame 20.*overlaps.*Keyframe Rest')
    assert current_scene().frame_current == 30
    assert keyed_rests.all_keys(cube) == keys


def test_what_was_moved_by_hand_and_not_keyed_is_there_again_when_a_rest_fails() -> None:
    cube = scenes.cube()
    floor = scenes.floor()
    keyed_rests.sequence(cube)
    floor.location.z = 2.0
    keyed_rests.put(cube, 40, (1.0, 2.0, 9.0), (0.0, 0.0, 0.0))
    running.refused(physplace.rests_replace, cube, '"Rest 1" on frame 1')
    np.testing.assert_allclose(scenes.world_matrix(cube)[:3, 3], (1.0, 2.0, 9.0), atol=1e-6)


def test_a_rest_that_is_none_is_refused_and_not_keyed() -> None:
    cube = scenes.cube("Cube", (0.0, 0.0, 3.0))
    running.refused(physplace.keyframe_rest, cube, '"Cube".*fall for ever')
    assert len(rests_of(cube).rests) == 0
    assert cube.animation_data is None


@pytest.mark.parametrize("owner", ["constraint", "muted", "driver", "strip"])
def test_what_keys_do_not_move_is_refused_and_keeps_its_keys(owner: str) -> None:
    scenes.floor()
    cube = scenes.cube("Held", (0.0, 0.0, 3.0))
    cube.rotation_euler = (0.2, 0.1, 0.0)
    if owner == "constraint":
        target = scenes.linked(bpy.data.objects.new("Target", None), (0.0, 0.0, 4.0))
        constrain(cube, "COPY_LOCATION", target)
    else:
        cube.keyframe_insert("location", frame=1)
    if owner == "muted":
        for curve in curves_of(cube):
            curve.mute = True
    if owner == "driver":
        drive(cube, "rotation_euler", "0.3", 0)
    if owner == "strip":
        data = animation_of(cube)
        data.nla_tracks.new().strips.new("Below", 1, present(data.action).copy()).extrapolation = "HOLD"
        data.action_influence = 0.0
    keys = keyed_rests.all_keys(cube)
    running.refused(physplace.keyframe_rest, cube, '"Held".*(its constraint|driver|muted|keyed)')
    assert keyed_rests.all_keys(cube) == keys
    assert len(rests_of(cube).rests) == 0


def test_without_a_rest_the_buttons_say_why_they_are_grey() -> None:
    cube = scenes.cube()
    for name in ("rests_replace", "rest_remove", "rest_push_add", "rest_connection_add"):
        scenes.activate(cube)
        operator = getattr(physplace, name)
        assert not operator.poll()
        with pytest.raises(RuntimeError, match="no rests"):
            operator()
