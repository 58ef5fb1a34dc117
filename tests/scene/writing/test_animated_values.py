"""The values of what is animated, put back where frames have been shown meanwhile."""

from __future__ import annotations

import pytest

from physplace_addon.scene.access import custom_properties
from physplace_addon.scene.writing.actions import curves_of
from physplace_addon.scene.writing.animated_values import AnimatedValues
from tests.blender_data import current_scene
from tests.scene import scenes


def test_what_was_changed_without_a_key_is_put_back() -> None:
    cube = scenes.cube()
    cube["weights"] = [1.0, 2.0]
    for path in ("location", "delta_location", '["weights"]'):
        cube.keyframe_insert(path, frame=1)
    cube.location.x, cube.delta_location.y, cube["weights"][1] = 3.0, 4.0, 5.0
    kept = AnimatedValues([cube])
    current_scene().frame_set(2)
    assert cube.location.x == 0.0
    kept.put_back()
    assert (cube.location.x, cube.delta_location.y) == (3.0, 4.0)
    assert list(custom_properties(cube)["weights"]) == [1.0, 5.0]


@pytest.mark.parametrize("now", [[1.0], [1.0, 2.0, 3.0], 4.0])
def test_a_property_that_was_made_another_meanwhile_stays(now: object) -> None:
    cube = scenes.cube()
    cube["weights"] = [1.0, 2.0]
    cube.keyframe_insert('["weights"]', frame=1)
    cube.keyframe_insert("location", frame=1)
    cube.location.x = 3.0
    kept = AnimatedValues([cube])
    cube["weights"], cube.location.x = now, 0.0
    kept.put_back()
    found = custom_properties(cube)["weights"]
    assert (found if isinstance(found, float) else list(found)) == now
    assert cube.location.x == 3.0, "the others are put back"


def test_a_curve_of_one_number_of_a_property_counts() -> None:
    cube = scenes.cube()
    cube.keyframe_insert("scale", frame=1)
    next(curves_of(cube)).data_path = "location[0]"
    cube.location.x = 3.0
    kept = AnimatedValues([cube])
    cube.location.x = 0.0
    kept.put_back()
    assert cube.location.x == 3.0
