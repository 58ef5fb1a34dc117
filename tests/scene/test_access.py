"""Custom properties that a script sets count at once; those that are keyed or driven follow."""

from __future__ import annotations

from collections.abc import Callable

import bpy
import numpy as np
import pytest

from physplace_addon.core.bodies import Body
from physplace_addon.scene.access import present
from physplace_addon.scene.errors import SceneError
from physplace_addon.scene.reading.scenario import Scenario, read
from physplace_addon.scene.writing.actions import curves_of
from tests.blender_data import active_object, current_scene, current_view_layer, mesh_of
from tests.scene import scenes

Figure = Callable[[], float]


@pytest.fixture
def ball() -> bpy.types.Object:
    """A cube's mesh that stands for an exact sphere, over a floor; Blender has evaluated the scene."""
    scenes.floor()
    obj = scenes.cube("Ball", (0.0, 0.0, 3.0))
    scenes.activate(obj)
    current_view_layer().update()
    return obj


def _scenario() -> Scenario:
    return read(bpy.context)


def _body() -> Body:
    return _scenario().subject.body


def _depth(body: Body) -> float:
    """How far the body reaches below its own origin."""
    return -float(body.triangles[:, :, 2].min())


def _drive(obj: bpy.types.Object, key: str, expression: str) -> None:
    driver = present(obj.driver_add(f'["{key}"]').driver)
    driver.type = "SCRIPTED"
    driver.expression = expression


def _key(obj: bpy.types.Object, key: str, values: dict[int, float]) -> None:
    for frame, value in values.items():
        obj[key] = value
        obj.keyframe_insert(f'["{key}"]', frame=frame)
    for curve in curves_of(obj):
        for point in curve.keyframe_points:
            point.interpolation = "LINEAR"


def test_a_kind_that_a_script_sets_counts_in_the_next_line(ball: bpy.types.Object) -> None:
    assert len(_body().face_index) > 1
    ball["surface"] = "sphere"
    ball["surface.radius"] = 0.5
    assert len(_body().face_index) == 1
    assert _depth(_body()) == pytest.approx(0.5, abs=1e-2)
    ball["surface.radius"] = 0.75
    assert _depth(_body()) == pytest.approx(0.75, abs=1e-2)


def test_a_kind_that_a_script_removes_no_longer_counts(ball: bpy.types.Object) -> None:
    ball["surface"], ball["surface.radius"] = "sphere", 0.5
    _body()
    del ball["surface"]
    assert _depth(_body()) == pytest.approx(1.0)


@pytest.mark.parametrize("kind", ["spere", "", 3, [1.0, 2.0]])
def test_an_unknown_kind_is_named_with_its_object(ball: bpy.types.Object, kind: object) -> None:
    ball["surface"] = kind
    with pytest.raises(SceneError, match=r"Ball") as error:
        _scenario()
    assert "surface" in str(error.value)


def test_a_value_that_is_no_number_is_refused_each_time_and_not_for_ever_evaluated(
    ball: bpy.types.Object,
) -> None:
    ball["surface"], ball["surface.radius"] = "sphere", float("nan")
    for _ in range(2):
        with pytest.raises(SceneError, match=r"radius"):
            _scenario()


def test_a_keyed_parameter_follows_its_keys(ball: bpy.types.Object) -> None:
    ball["surface"] = "sphere"
    _key(ball, "surface.radius", {1: 0.5, 11: 1.5})
    for frame, radius in ((1, 0.5), (6, 1.0), (11, 1.5)):
        current_scene().frame_set(frame)
        assert _depth(_body()) == pytest.approx(radius, abs=2e-2)


def test_a_driven_parameter_follows_its_driver_whatever_a_script_sets(ball: bpy.types.Object) -> None:
    ball["surface"], ball["surface.radius"] = "sphere", 1.0
    _drive(ball, "surface.radius", "frame / 10")
    current_scene().frame_set(5)
    assert _depth(_body()) == pytest.approx(0.5, abs=1e-2)
    ball["surface.radius"] = 9.0
    assert _depth(_body()) == pytest.approx(0.5, abs=1e-2)


def _number_of_bodies() -> float:
    return float(len(_scenario().world))


def _mass() -> float:
    return float(_body().mass.mass)


def _faces() -> float:
    return float(len(_body().face_index))


@pytest.mark.parametrize(
    ("key", "figure", "value"),
    [("physplace_mass", _mass, 7.0), ("physplace_density", _mass, 3.0)],
    ids=["mass", "density"],
)
def test_weights_count_at_once_and_follow_keys_and_drivers(
    ball: bpy.types.Object, key: str, figure: Figure, value: float
) -> None:
    ball[key] = 1.0
    one = figure()
    ball[key] = value
    assert figure() == pytest.approx(value * one)
    _key(ball, key, {1: 1.0, 11: 3.0})
    current_scene().frame_set(6)
    assert figure() == pytest.approx(2.0 * one)
    ball.animation_data_clear()
    _drive(ball, key, "frame * 2")
    current_scene().frame_set(2)
    assert figure() == pytest.approx(4.0 * one)
    ball[key] = 1.0
    assert figure() == pytest.approx(4.0 * one)


def test_what_is_ignored_counts_at_once_and_follows_keys_and_drivers(ball: bpy.types.Object) -> None:
    other = scenes.cube("Other", (1.5, 0.0, 0.0))
    other["physplace_ignore"] = 0
    assert _number_of_bodies() == 2
    other["physplace_ignore"] = 1
    assert _number_of_bodies() == 1
    _key(other, "physplace_ignore", {1: 0, 11: 1})
    current_scene().frame_set(1)
    assert _number_of_bodies() == 2
    current_scene().frame_set(11)
    assert _number_of_bodies() == 1
    other.animation_data_clear()
    _drive(other, "physplace_ignore", "frame > 5")
    other["physplace_ignore"] = 0
    assert _number_of_bodies() == 1


def test_faceted_counts_at_once_and_follows_its_driver() -> None:
    bpy.ops.mesh.primitive_uv_sphere_add(segments=12, ring_count=6)
    ball = active_object()
    mesh_of(ball).shade_smooth()
    ball["physplace_faceted"] = True
    flat = _faces()
    ball["physplace_faceted"] = False
    assert _faces() != flat
    _drive(ball, "physplace_faceted", "frame > 5")
    current_scene().frame_set(6)
    assert _faces() == flat


def test_a_centre_of_mass_is_named_at_once(ball: bpy.types.Object) -> None:
    place = scenes.linked(bpy.data.objects.new("Centre", None), (0.5, 0.0, 3.0))
    place.parent = ball
    place.matrix_parent_inverse = ball.matrix_world.inverted()
    ball["physplace_center_of_mass"] = "Centre"
    np.testing.assert_allclose(_body().mass.center, (0.5, 0.0, 0.0), atol=1e-6)
    ball["physplace_center_of_mass"] = "Nobody"
    with pytest.raises(SceneError, match="Nobody"):
        _scenario()
