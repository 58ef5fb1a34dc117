"""Where an object was put by hand: kept through placements, forgotten when it is moved."""

from __future__ import annotations

import bpy
import numpy as np
import pytest

from physplace_addon.core.rigid import Pose
from physplace_addon.scene.reading.scenario import read
from physplace_addon.scene.reading.subjects.subject import Subject
from physplace_addon.scene.rests.start import START, write_start
from tests.scene import scenes

ABOVE = np.array([0.0, 0.0, 5.0])


def _subject(obj: bpy.types.Object) -> Subject:
    scenes.activate(obj)
    return read(bpy.context).subject


def _rested() -> bpy.types.Object:
    cube = scenes.cube("Cube", (1.0, 2.0, 3.0))
    cube.rotation_euler = (0.3, 0.2, 0.1)
    pose = _subject(cube).pose
    write_start(cube, Pose(pose.rotation, pose.translation + ABOVE), pose)
    return cube


def test_an_object_that_was_never_placed_starts_where_it_is() -> None:
    subject = _subject(scenes.cube("Cube", (1.0, 2.0, 3.0)))
    assert not subject.is_placed
    assert subject.start is subject.pose


def test_the_start_is_kept_bit_for_bit_while_the_object_stands_at_its_rest() -> None:
    subject = _subject(_rested())
    assert subject.is_placed
    np.testing.assert_array_equal(subject.start.rotation, subject.pose.rotation)
    np.testing.assert_array_equal(subject.start.translation, subject.pose.translation + ABOVE)


@pytest.mark.parametrize(
    ("name", "value"), [("location", (1.0, 2.001, 3.0)), ("rotation_euler", (0.3, 0.2, 0.101))]
)
def test_a_move_by_hand_is_a_new_start(name: str, value: tuple[float, float, float]) -> None:
    cube = _rested()
    setattr(cube, name, value)
    assert not _subject(cube).is_placed


@pytest.mark.parametrize("value", [3, "fourteen chars", [1.0, 2.0], {"a": 1}])
def test_anything_else_under_that_name_does_not_count(value: object) -> None:
    cube = _rested()
    cube[START] = value
    assert not _subject(cube).is_placed
