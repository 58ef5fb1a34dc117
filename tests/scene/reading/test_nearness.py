"""Only what a moving object may come near is read; what it comes near on its way is read then."""

from __future__ import annotations

import bpy
import numpy as np
import pytest

from physplace_addon.core.arrays import Floats
from physplace_addon.core.jobs import finished
from physplace_addon.core.rigid import Pose
from physplace_addon.scene.reading.nearness import Travel, boxes_of
from physplace_addon.scene.reading.scenario import completed, read, reading
from tests.blender_data import mesh_of
from tests.scene import scenes


def meets_by_steps(lower: Floats, upper: Floats, radius: float, way: Floats, farthest: float) -> bool:
    """Whether a cube of half size `radius` meets a box at one of many places on its way from the origin."""
    places = np.linspace(0.0, min(farthest, 40.0), 20001)[:, None] * way
    return bool(((places + radius >= lower) & (places - radius <= upper)).all(axis=1).any())


@pytest.mark.parametrize("farthest", [np.inf, 2.0])
def test_boxes_on_the_way_are_met_and_no_others(rng: np.random.Generator, farthest: float) -> None:
    lower = rng.uniform(-6.0, 6.0, (300, 3))
    boxes = [(corner, corner + rng.uniform(0.2, 3.0, 3)) for corner in lower]
    for way in (np.array([0.0, 0.0, -1.0]), np.array([1.0, 0.5, 0.0]), np.array([0.3, -0.7, 0.6])):
        found = boxes_of(boxes).met(np.zeros(3), 0.5, way, farthest)
        expected = [meets_by_steps(*box, 0.5, way, farthest) for box in boxes]
        assert found.tolist() == expected


def test_what_is_far_aside_is_not_read_and_what_is_far_below_is() -> None:
    cube = scenes.cube("Cube")
    scenes.cube("Aside", (8.0, 0.0, 0.0))
    scenes.cube("Below", (0.5, 0.0, -500.0))
    scenes.cube("Above", (0.0, 0.0, 9.0))
    assert read(bpy.context, [cube]).owners == ("Below",)


def test_what_is_come_near_later_is_read_then_and_comes_last() -> None:
    cube = scenes.cube("Cube")
    scenes.cube("Aside", (8.0, 0.0, 0.0))
    scenes.cube("Below", (0.5, 0.0, -5.0))
    first = read(bpy.context, [cube])
    assert finished(completed(bpy.context, first, [first.subject.pose])) is first
    there = Pose(np.array([1.0, 0.0, 0.0, 0.0]), np.array([7.0, 0.0, 4.0]))
    assert first.misses([there])
    more = finished(completed(bpy.context, first, [there]))
    assert more.owners == ("Below", "Aside")
    assert more.world[0] is first.world[0]


def test_what_lies_on_a_travel_is_missed() -> None:
    cube = scenes.cube("Cube")
    scenes.cube("Aside", (8.0, 0.0, 0.0))
    first = read(bpy.context, [cube])
    towards, back = np.array([1.0, 0.0, 0.0]), np.array([-1.0, 0.0, 0.0])
    assert first.misses([first.subject.pose], [Travel(towards, 9.0)])
    assert not first.misses([first.subject.pose], [Travel(towards, 2.0)])
    assert not first.misses([first.subject.pose], [Travel(back)])


def test_an_exact_surface_is_always_read_for_its_mesh_says_nothing() -> None:
    cube = scenes.cube("Cube")
    scenes.surface("Ball", "sphere", (50.0, 0.0, 0.0), radius=3.0)
    assert read(bpy.context, [cube]).owners == ("Ball",)


def test_words_say_what_is_read() -> None:
    cube = scenes.cube("Cube", (0.0, 0.0, 3.0))
    scenes.floor()
    scenes.cube("Block")
    words = [progress.words for progress in reading(bpy.context, [cube])]
    assert words == ['Reading "Cube"', 'Reading 1 of 2: "Floor"', 'Reading 2 of 2: "Block"']


def test_a_floor_whose_smooth_faces_turn_out_to_be_flat_is_read_as_its_mesh() -> None:
    cube, floor = scenes.cube("Cube"), scenes.floor()
    floor.location.z = -2.0
    mesh_of(floor).polygons[0].use_smooth = True
    floor["physplace_faceted"] = 0
    found = read(bpy.context, [cube])
    assert found.owners == ("Floor",)
    assert len(found.world[0].triangles) == 2
