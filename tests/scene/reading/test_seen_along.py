"""What a ray shows, and where things are that are only referred to."""

from __future__ import annotations

import bpy
import numpy as np
import pytest

from physplace_addon.scene.errors import SceneError
from physplace_addon.scene.reading.visible import place_of, seen_along
from tests.blender_data import current_scene, current_view_layer
from tests.scene import scenes

DOWN = np.array([0.0, 0.0, -1.0])


def _seen_from_above() -> str | None:
    """Return what is seen, and how high that is."""
    seen = seen_along(bpy.context, np.array([0.1, 0.2, 50.0]), DOWN, None)
    return None if seen is None else f"{seen[0].name} at {seen[1][2]:.3f}"


def _instance(name: str, height: float, of: bpy.types.Collection) -> bpy.types.Object:
    instance = scenes.linked(bpy.data.objects.new(name, None), (0.0, 0.0, height))
    instance.instance_type, instance.instance_collection = "COLLECTION", of
    return instance


def test_an_instance_is_seen_as_the_object_that_shows_it() -> None:
    cups = bpy.data.collections.new("Cups")
    current_scene().collection.children.link(cups)
    cup = scenes.cube("Cup")
    cups.objects.link(cup)
    _instance("Lower", 4.0, cups)
    upper = _instance("Upper", 8.0, cups)
    assert _seen_from_above() == "Upper at 9.000"
    upper.hide_set(True)
    assert _seen_from_above() == "Lower at 5.000"
    bpy.data.objects.remove(bpy.data.objects["Lower"])
    assert _seen_from_above() == "Cup at 1.000"


def test_what_only_the_eye_of_a_collection_hides_is_looked_through() -> None:
    scenes.cube("Below")
    lid = bpy.data.collections.new("Lid")
    current_scene().collection.children.link(lid)
    above = scenes.cube("Above", (0.0, 0.0, 5.0))
    current_scene().collection.objects.unlink(above)
    lid.objects.link(above)
    assert _seen_from_above() == "Above at 6.000"
    current_view_layer().layer_collection.children["Lid"].hide_viewport = True
    assert _seen_from_above() == "Below at 1.000"
    bpy.data.objects["Below"].hide_set(True)
    assert _seen_from_above() is None


def test_a_place_is_that_of_the_evaluated_scene_or_none() -> None:
    cube = scenes.cube("Cube", (1.0, 2.0, 3.0))
    cube.hide_set(True)
    depsgraph = bpy.context.evaluated_depsgraph_get()
    np.testing.assert_array_equal(place_of(cube, depsgraph)[:3, 3], (1.0, 2.0, 3.0))
    cube.hide_viewport = True
    with pytest.raises(SceneError, match='"Cube": it is deleted, disabled in viewports'):
        place_of(cube, bpy.context.evaluated_depsgraph_get())
