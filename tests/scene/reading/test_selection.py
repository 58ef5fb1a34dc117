"""The selected objects are read as bodies where they stand, and paired by their boxes."""

from __future__ import annotations

import bpy
import numpy as np
import pytest

from physplace_addon.scene.errors import SceneError
from physplace_addon.scene.reading.selection import ComparedBodies, read_selection
from tests.blender_data import of_type
from tests.scene import scenes


def selected(*objects: bpy.types.Object) -> ComparedBodies:
    """What is read while just these objects are selected."""
    for obj in bpy.data.objects:
        obj.select_set(obj in objects)
    return read_selection(bpy.context)


def names(compared: ComparedBodies) -> list[str]:
    return [body.name for body in compared.bodies]


def near(compared: ComparedBodies, distance: float = 0.0) -> set[frozenset[str]]:
    """The names of the objects that are near, pair by pair."""
    return {frozenset((one.name, other.name)) for one, other in compared.near_pairs(distance)}


def row(count: int, gap: float = 0.0) -> list[bpy.types.Object]:
    """Cubes of side 2, A and B and so on, side by side with a gap."""
    return [scenes.cube(chr(ord("A") + i), ((2.0 + gap) * i, 0.0, 0.0)) for i in range(count)]


def test_of_several_only_the_selected_ones_count() -> None:
    a, b, _ = row(3)
    compared = selected(a, b)
    assert names(compared) == ["A", "B"]
    assert near(compared) == {frozenset("AB")}
    assert compared.objects == {"A", "B"}


def test_one_alone_is_compared_with_all_that_is_visible() -> None:
    a, _, c, hidden = row(4)
    hidden.hide_set(True)
    a["physplace_ignore"] = True
    compared = selected(c)
    assert names(compared) == ["C", "B"]
    assert near(compared) == {frozenset("BC")}


def test_boxes_that_are_farther_apart_than_asked_make_no_pair() -> None:
    cubes = row(3, gap=0.1)
    compared = selected(*cubes)
    assert near(compared) == set()
    assert near(compared, 0.11) == {frozenset("AB"), frozenset("BC")}
    assert near(compared, 2.3) == {frozenset("AB"), frozenset("BC"), frozenset("AC")}


def test_a_curved_body_is_near_although_its_triangles_are_not() -> None:
    ball = scenes.surface("Ball", "sphere", (0.3, 0.2, 2.0), radius=1.0)
    ball.rotation_euler = (0.4, 0.9, 0.0)
    compared = selected(ball, scenes.cube("Cube"))
    assert compared.bodies[0].body.points[:, 2].min() > 1.0 + 1e-4
    assert near(compared) == {frozenset(("Ball", "Cube"))}


def test_a_child_goes_with_its_parent_unless_it_is_selected_itself() -> None:
    a, b, c = row(3)
    b.parent = a
    b.matrix_parent_inverse = a.matrix_world.inverted()
    compared = selected(a, c)
    assert [(body.name, body.selected) for body in compared.bodies] == [("A", 0), ("B", 0), ("C", 1)]
    assert near(compared) == {frozenset("BC")}
    assert near(selected(a, b, c)) == {frozenset("AB"), frozenset("BC")}


def test_far_from_the_origin_bodies_may_be_farther_apart_by_rounding() -> None:
    place = np.array([4.0e6, -3.0e6, 2.0e6])
    a = scenes.cube("A", place.tolist())
    b = scenes.cube("B", (place + np.array([0.0, 0.0, 2.0])).tolist())
    compared = selected(a, b)
    np.testing.assert_allclose(compared.bodies[1].lower - place, (-1.0, -1.0, 1.0), atol=1e-8)
    np.testing.assert_allclose(compared.bodies[1].upper - place, (1.0, 1.0, 3.0), atol=1e-8)
    assert 0.5 < compared.bodies[0].rounding < 8.0  # single precision has steps of 0.25 there


def test_a_mirrored_turned_and_parented_object_stands_where_it_is_seen() -> None:
    parent = scenes.linked(bpy.data.objects.new("Parent", None), (1.0, 2.0, 3.0))
    parent.rotation_euler = (0.3, -0.2, 0.5)
    a, b = row(2)
    a.scale = (-1.0, 2.0, -0.5)
    a.parent = parent
    matrix = scenes.world_matrix(a)
    compared = selected(a, b)
    expected = scenes.CUBE @ matrix[:3, :3].T + matrix[:3, 3]
    gap = np.linalg.norm(compared.bodies[0].body.points[:, None] - expected, axis=2)
    assert gap.min(axis=0).max() < 1e-5
    assert compared.bodies[0].body.closed
    assert compared.bodies[0].body.mass.mass > 0.0


def test_what_has_no_faces_is_left_out_and_named() -> None:
    a, b = row(2)
    light = scenes.linked(bpy.data.objects.new("Lamp", bpy.data.lights.new("Lamp", "POINT")))
    compared = selected(a, b, light)
    assert names(compared) == ["A", "B"]
    assert compared.left_out == ('"Lamp" is left out: it has no faces',)


def test_nothing_selected_nothing_to_compare_and_hidden_objects_are_refused() -> None:
    a, b = row(2)
    with pytest.raises(SceneError, match="no object is selected"):
        selected()
    empty = scenes.linked(bpy.data.objects.new("Empty", None))
    with pytest.raises(SceneError, match='object "Empty": it has no faces; give it'):
        selected(a, empty)
    b["physplace_ignore"] = 1
    with pytest.raises(SceneError, match='object "B": its property "physplace_ignore" leaves it out'):
        selected(a, b)


def test_a_transform_that_is_no_place_is_refused() -> None:
    a, b = row(2)
    b.location.x = float("nan")
    with pytest.raises(SceneError, match='object "B": its transform is not finite'):
        selected(a, b)


def test_texts_instances_and_exact_surfaces_count_as_what_they_show() -> None:
    curve = of_type(bpy.data.curves.new("Text", "FONT"), bpy.types.TextCurve)
    curve.body, curve.extrude = "Rest", 0.2
    text = scenes.linked(bpy.data.objects.new("Text", curve))
    inside = bpy.data.collections.new("Inside")
    inner = bpy.data.objects.new("Inner", scenes.cube("Model", (50.0, 0.0, 0.0)).data)
    inside.objects.link(inner)
    instance = scenes.linked(bpy.data.objects.new("Instance", None), (0.0, 0.0, 5.0))
    instance.instance_type, instance.instance_collection = "COLLECTION", inside
    ball = scenes.surface("Ball", "sphere", (0.0, 0.0, 8.0), radius=1.0)
    compared = selected(text, instance, ball)
    assert names(compared) == ["Ball", "Instance", "Text"]
    assert not compared.bodies[0].body.face_flat.any()
    np.testing.assert_allclose(compared.bodies[1].lower, (-1.0, -1.0, 4.0))
