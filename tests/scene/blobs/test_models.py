"""Blobs are read from their empties and written back to them, wherever these stand."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, cast

import bpy
import numpy as np
import pytest
from mathutils import Matrix

from physplace_addon.scene.access import custom_properties, library_of
from physplace_addon.scene.blobs import making, objects
from physplace_addon.scene.blobs.elements.kinds import KINDS
from physplace_addon.scene.blobs.empties import Empties
from physplace_addon.scene.blobs.models import read_blob, sculpt_settings
from physplace_addon.scene.errors import SceneError
from tests.blender_data import constrain, current_scene, current_view_layer
from tests.scene import scenes


def at(x: float, y: float = 0.0, z: float = 0.0, radius: float = 1.0) -> Matrix:
    return Matrix.Translation((x, y, z)) @ Matrix.Scale(radius, 4)


@pytest.fixture
def blob() -> bpy.types.Object:
    """A ball and a cylinder that flow into each other."""
    blob = making.add_blob(bpy.context, "sum", (0.0, 0.0, 0.0))
    making.add_element(bpy.context, blob, "sphere", at(1.0, 2.0, 0.5, 0.7))
    making.add_element(bpy.context, blob, "cylinder", at(-1.0, 0.0, 0.0, 0.4))
    return blob


def parameters(blob: bpy.types.Object) -> np.ndarray:
    current_view_layer().update()
    return read_blob(blob).function.parameters


BALL = [1.0, 2.0, 0.5, 0.7]
CYLINDER = [-1.0, 0.0, 0.0, -1.0, 0.0, 0.8, 0.4]


def test_an_elements_place_and_drawn_size_are_its_centre_and_radius(blob: bpy.types.Object) -> None:
    expected = [np.exp(-1.0), *BALL, *CYLINDER]
    np.testing.assert_allclose(parameters(blob), expected, rtol=1e-7, atol=1e-12)
    bpy.data.objects["Sphere"].empty_display_size = 2.0
    assert parameters(blob)[4] == pytest.approx(1.4)


PLACES = {
    "as it is": Matrix(),
    "mirrored and turned": Matrix.Rotation(1.0, 4, (1.0, 2.0, 3.0)) @ Matrix.Diagonal((-2.0, 2.0, 2.0, 1.0)),
    "stretched": Matrix.Diagonal((1.0, 3.0, -0.5, 1.0)),
    "tiny": Matrix.Diagonal((1e-3, 1e-3, 1e-3, 1.0)),
    "far away": Matrix.Translation((1e4, -1e4, 1e4)),
}


@pytest.mark.parametrize("place", PLACES)
def test_a_blobs_surface_goes_with_its_empty(blob: bpy.types.Object, place: str) -> None:
    before = parameters(blob)
    outer = scenes.linked(bpy.data.objects.new("Outer", None))
    blob.parent = outer
    outer.matrix_world = PLACES[place]
    np.testing.assert_array_equal(parameters(blob), before)
    np.testing.assert_allclose(read_blob(blob).frame, np.array(PLACES[place]), rtol=1e-6, atol=1e-6)


def a_holder(blob: bpy.types.Object) -> bpy.types.Object:
    holder = scenes.linked(bpy.data.objects.new("Holder", None))
    holder.parent = blob
    holder.matrix_basis = cast("Any", Matrix).LocRotScale(
        (5.0, 1.0, 2.0), Matrix.Rotation(0.4, 3, "X"), (2.0, 2.0, -2.0)
    )
    return holder


def put_into_a_holder(blob: bpy.types.Object, element: bpy.types.Object) -> None:
    element.matrix_parent_inverse = Matrix.Translation((0.3, 0.2, 0.1))


def given_deltas(blob: bpy.types.Object, element: bpy.types.Object) -> None:
    element.delta_location = (0.2, 0.1, 0.0)
    element.delta_scale = (1.5, 1.5, 1.5)


def made_a_child_by_a_constraint(blob: bpy.types.Object, element: bpy.types.Object) -> None:
    constrain(element, "CHILD_OF", a_holder(blob))


@pytest.mark.parametrize("happens", [put_into_a_holder, given_deltas, made_a_child_by_a_constraint])
def test_what_is_written_is_what_is_read(
    blob: bpy.types.Object, happens: Callable[[bpy.types.Object, bpy.types.Object], None]
) -> None:
    blob.scale = (-2.0, 2.0, 2.0)
    happens(blob, bpy.data.objects["Sphere"])
    current_view_layer().update()
    model = read_blob(blob)
    wanted = model.function.parameters * (1.0 + 0.3 * np.arange(len(model.free))) + 0.1 * model.free
    wanted[0] = model.function.parameters[0]
    empties = Empties(blob)
    changed = model.with_sculpted(model.sculpted().with_parameters(wanted[model.free]))
    assert empties.write(bpy.context, changed.updates())
    assert empties.changed() == frozenset(), "what is written is no change by somebody else"
    np.testing.assert_allclose(parameters(blob), wanted, rtol=2e-6, atol=2e-6)
    empties.restore(bpy.context)
    np.testing.assert_allclose(parameters(blob), model.function.parameters, rtol=1e-6, atol=1e-6)


def test_frozen_elements_and_those_in_the_artists_hands_do_not_change(blob: bpy.types.Object) -> None:
    bpy.data.objects["Sphere"][objects.FROZEN] = True
    model = read_blob(blob)
    np.testing.assert_allclose(model.sculpted().parameters, CYLINDER, rtol=1e-7, atol=1e-12)
    assert len(model.sculpted(frozenset({"Cylinder End"})).parameters) == 0


def test_what_is_written_counts_or_is_not_written() -> None:
    """An end that two cylinders have, or that stands elsewhere, and what a constraint moves, stay."""
    blob = making.add_blob(bpy.context, "sum", (0.0, 0.0, 0.0))
    first, end = making.add_element(bpy.context, blob, "cylinder", at(0.0))
    second, spare = making.add_element(bpy.context, blob, "cylinder", at(3.0))
    second[objects.END] = end
    (ball,) = making.add_element(bpy.context, blob, "sphere", at(5.0))
    ball.constraints.new("LIMIT_LOCATION")
    ends = [True] * 3 + [False] * 3 + [True]
    free = read_blob(blob).free
    np.testing.assert_array_equal(free[1:], [False] * 4 + ends + ends)
    model = read_blob(blob)
    sculpted = model.sculpted().with_parameters(model.sculpted().parameters + 0.25)
    assert {each.name for each in model.with_sculpted(sculpted).updates()} == {first.name, second.name}
    second[objects.END] = spare
    end.parent = None
    np.testing.assert_array_equal(read_blob(blob).free[5:], ends + [True] * 7)
    empties = Empties(blob)
    end.location.x = 1.0
    assert empties.changed() == {end.name}, "it is looked at although it is no child"


def test_a_part_of_a_part_is_told_and_a_blob_that_is_carried_is_one_of_its_own(
    blob: bpy.types.Object,
) -> None:
    carried = making.add_blob(bpy.context, "sum", (0.0, 0.0, 0.0))
    carried.parent = bpy.data.objects["Sphere"]
    assert objects.blob_of(carried) == carried
    before = parameters(blob)
    bpy.data.objects["Cylinder"].parent = bpy.data.objects["Sphere"]
    with pytest.raises(
        SceneError, match='object "Cylinder": its parent "Sphere" is no blob, so it is no part'
    ):
        read_blob(blob)
    bpy.data.objects["Cylinder"].parent = blob
    np.testing.assert_array_equal(parameters(blob), before)


def test_what_is_locked_is_not_turned() -> None:
    blob = making.add_blob(bpy.context, "union", (0.0, 0.0, 0.0))
    (plane,) = making.add_element(bpy.context, blob, "plane", at(0.0))
    assert read_blob(blob).free.all()
    plane.lock_rotation[2] = True
    np.testing.assert_array_equal(read_blob(blob).free, [False, False, False, True])


def test_every_change_by_somebody_else_is_noticed(blob: bpy.types.Object) -> None:
    empties = Empties(blob)
    sphere = bpy.data.objects["Sphere"]
    changes: dict[str, Callable[[], object]] = {
        "Sphere": lambda: setattr(sphere, "location", (1.0, 0.0, 0.0)),
        "Cylinder": lambda: bpy.data.objects["Cylinder"].__setitem__(objects.FROZEN, True),
        "Blob": lambda: blob.__setitem__(objects.BIAS, 0.2),
    }
    for name, change in changes.items():
        change()
        assert empties.changed() == {name}
        empties.take_snapshots()
        assert empties.changed() == frozenset()
    bpy.data.objects.remove(sphere)
    assert empties.changed() == {"Sphere", "Blob"}


def test_rounding_to_single_precision_is_not_taken_for_a_change(blob: bpy.types.Object) -> None:
    model = read_blob(blob)
    exact = model.with_sculpted(model.sculpted().with_parameters(model.sculpted().parameters + np.pi / 30.0))
    Empties(blob).write(bpy.context, exact.updates())
    again = read_blob(blob)
    assert (again.function.parameters != exact.function.parameters).any()
    kept = again.without_rounding(exact, frozenset({"Sphere"}))
    np.testing.assert_array_equal(kept.function.parameters[5:], exact.function.parameters[5:])
    np.testing.assert_array_equal(kept.function.parameters[:5], again.function.parameters[:5])


def test_a_deleted_empty_that_something_still_refers_to_is_no_part(blob: bpy.types.Object) -> None:
    end = bpy.data.objects["Cylinder End"]
    for collection in end.users_collection:
        collection.objects.unlink(end)
    current_view_layer().update()
    assert end.name in bpy.data.objects
    with pytest.raises(SceneError, match=r'object "Cylinder": its other end is lost'):
        read_blob(blob)


@pytest.mark.parametrize(
    ("name", "key", "value", "says"),
    [
        ("Blob", "blob", "some", r'object "Blob": its property "blob" is \'some\'; set it to one of "sum"'),
        ("Blob", "blob.bias", "much", r'"blob.bias" is \'much\'; set it to a number'),
        ("Blob", "blob.bias", -1.0, r'"blob.bias" is -1; set it above 0'),
        ("Blob", "blob.sigma", -1.0, r'"blob.sigma" is -1; set it to 0 or more'),
        (
            "Sphere",
            "blob.element",
            "egg",
            r'object "Sphere": its property "blob.element" is \'egg\'; set it to',
        ),
        ("Sphere", "blob.frozen", "x", r'"blob.frozen" is \'x\''),
    ],
)
def test_what_has_no_meaning_is_named_with_a_remedy(
    blob: bpy.types.Object, name: str, key: str, value: object, says: str
) -> None:
    bpy.data.objects[name].pop(key)
    bpy.data.objects[name][key] = value
    with pytest.raises(SceneError, match=says):
        read_blob(blob)


@pytest.mark.parametrize("name", ["Blob", "Sphere", "Cylinder End"])
def test_what_is_shrunk_to_nothing_is_refused(blob: bpy.types.Object, name: str) -> None:
    bpy.data.objects[name].scale = (0.0, 0.0, 0.0)
    current_view_layer().update()
    with pytest.raises(SceneError, match=f'object "{name}": its scale is zero'):
        read_blob(blob)


def corners(half: float = 2.0) -> np.ndarray:
    """Points (k, 3) all about."""
    return np.random.default_rng(5).uniform(-half, half, (4000, 3))


def in_ball(points: np.ndarray, centre: tuple[float, ...], radius: float) -> np.ndarray:
    inside: np.ndarray = np.linalg.norm(points - np.array(centre), axis=1) < radius
    return inside


def test_combinations_are_what_they_are_called() -> None:
    blob = making.add_blob(bpy.context, "union", (0.0, 0.0, 0.0))
    making.add_element(bpy.context, blob, "sphere", at(-0.5))
    making.add_element(bpy.context, blob, "sphere", at(0.5))
    points = corners()
    left, right = in_ball(points, (-0.5, 0.0, 0.0), 1.0), in_ball(points, (0.5, 0.0, 0.0), 1.0)

    def inside() -> np.ndarray:
        return read_blob(blob).function.value(points) < 0.0

    np.testing.assert_array_equal(inside(), left | right)
    blob["blob"] = "intersection"
    np.testing.assert_array_equal(inside(), left & right)
    bpy.data.objects["Sphere.001"][objects.SUBTRACT] = True
    for combination in ("difference", "sum"):
        blob["blob"] = combination
        np.testing.assert_array_equal(inside(), left & ~right)
    within = making.add_blob(bpy.context, "union", (0.0, 0.0, 0.0))
    making.add_element(bpy.context, within, "plane", at(0.0))
    within.parent = blob
    blob["blob"] = "intersection"
    np.testing.assert_array_equal(inside(), left & ~right & (points[:, 2] < 0.0))


def test_a_cylinder_has_round_ends_and_its_empties_radius() -> None:
    blob = making.add_blob(bpy.context, "union", (0.0, 0.0, 0.0))
    making.add_element(bpy.context, blob, "cylinder", at(0.0, radius=0.5))
    points = corners()
    off = points - np.outer(np.clip(points[:, 2], 0.0, 1.0), (0.0, 0.0, 1.0))
    inside = read_blob(blob).function.value(points) < 0.0
    np.testing.assert_array_equal(inside, np.linalg.norm(off, axis=1) < 0.5)


def drawn(obj: bpy.types.Object, points: np.ndarray) -> np.ndarray:
    """Points (k, 3) of the world in an object's own coordinates."""
    inverse = np.linalg.inv(np.array(obj.matrix_world, dtype=np.float64))
    return points @ inverse[:3, :3].T + inverse[:3, 3]


SHAPES = {
    "sphere": lambda own: np.linalg.norm(own, axis=1) < 1.0,
    "plane": lambda own: own[:, 2] < 0.0,
    "quadric": lambda own: own[:, 0] ** 2 + own[:, 1] ** 2 + 0.5 * own[:, 2] ** 2 < 1.0,
    "formula": lambda own: np.hypot(np.hypot(own[:, 0], own[:, 1]) - 0.7, own[:, 2]) < 0.3,
}


@pytest.mark.parametrize("kind", SHAPES)
def test_an_element_is_where_its_empty_is_however_that_is_turned_and_scaled(kind: str) -> None:
    """What sculpting changes is written to its empty, and is then what the empty shows."""
    blob = making.add_blob(bpy.context, "union", (1.0, 0.0, 0.0))
    (element,) = making.add_element(bpy.context, blob, kind, at(0.2, 0.1, -0.3))
    blob.scale = (-2.0, 1.0, 1.5)
    element.rotation_euler, element.scale = (0.3, 0.5, -0.2), (1.0, 1.4, 0.7)
    element.delta_rotation_euler = (0.4, 0.0, 0.1)
    element.matrix_parent_inverse = Matrix.Rotation(0.7, 4, "Y") @ Matrix.Scale(-2.0, 4)
    points = corners()
    for step in range(2):
        current_view_layer().update()
        model = read_blob(blob)
        own = np.linalg.inv(model.frame)
        value = model.function.value(points @ own[:3, :3].T + own[:3, 3])
        if step == 0:
            np.testing.assert_array_equal(value < 0.0, SHAPES[kind](drawn(element, points)))
        sculpted = model.sculpted()
        changed = sculpted.with_parameters(1.1 * sculpted.parameters + 0.05)
        Empties(blob).write(bpy.context, model.with_sculpted(changed).updates())
        again = read_blob(blob)
        few = points[:50]
        exact = again.without_rounding(model.with_sculpted(changed), frozenset())
        np.testing.assert_allclose(again.function.value(few), changed.value(few), rtol=1e-4, atol=1e-5)
        np.testing.assert_allclose(exact.function.value(few), changed.value(few), rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("kind", sorted(KINDS.keys() - {"plane"}))
def test_a_new_element_has_an_end_so_that_it_can_be_meshed_and_placed(kind: str) -> None:
    blob = making.add_blob(bpy.context, "sum", (0.0, 0.0, 0.0))
    making.add_element(bpy.context, blob, kind, at(0.0))
    assert np.isfinite(read_blob(blob).function.box()).all()


def test_a_mistake_in_a_formula_is_shown_at_its_character() -> None:
    blob = making.add_blob(bpy.context, "sum", (0.0, 0.0, 0.0))
    (element,) = making.add_element(bpy.context, blob, "formula", at(0.0))
    element["blob.formula"] = "x^2 + sinn(y)"
    with pytest.raises(SceneError, match=r'(?s)object "Formula".*sinn\(y\)\n +\^'):
        read_blob(blob)


def test_a_copy_made_with_its_parts_is_a_blob_of_its_own(blob: bpy.types.Object) -> None:
    for obj in current_view_layer().objects:
        obj.select_set(True)
    bpy.ops.object.duplicate()
    copy = bpy.data.objects["Blob.001"]
    bpy.data.objects["Cylinder End.001"].location.z = 5.0
    assert parameters(copy)[10] == pytest.approx(5.0)
    np.testing.assert_allclose(parameters(blob)[5:], CYLINDER, rtol=1e-7, atol=1e-12)


def overridden(path: Path) -> bpy.types.Object:
    """All objects of the file as library overrides, in a collection that is one, too; returns the blob."""
    shared = bpy.data.collections.new("Shared")
    for obj in bpy.data.objects:
        shared.objects.link(obj)
    bpy.data.libraries.write(str(path), {shared})
    bpy.ops.wm.read_homefile(use_empty=True)
    with cast("Any", bpy.data.libraries).load(str(path), link=True) as (_, data):
        data.collections = ["Shared"]
    current_scene().collection.children.link(data.collections[0])
    current_view_layer().update()
    data.collections[0].override_hierarchy_create(
        current_scene(), current_view_layer(), do_fully_editable=True
    )
    return next(
        obj for obj in bpy.data.objects if library_of(obj) is None and "blob" in custom_properties(obj)
    )


def test_a_library_override_is_sculpted_saved_and_added_to(blob: bpy.types.Object, tmp_path: Path) -> None:
    making.add_element(bpy.context, blob, "quadric", at(3.0))
    blob = overridden(tmp_path / "library.blend")
    model = read_blob(blob)
    sculpted = model.sculpted().with_parameters(1.5 * model.sculpted().parameters)
    Empties(blob).write(bpy.context, model.with_sculpted(sculpted).updates())
    made = making.add_control(bpy.context, blob, np.zeros(3))
    assert made.users_collection == (current_scene().collection,), "what is overridden takes no objects"
    before, path = parameters(blob), str(tmp_path / "scene.blend")
    bpy.ops.wm.save_as_mainfile(filepath=path)
    bpy.ops.wm.open_mainfile(filepath=path)
    (blob,) = (
        obj for obj in bpy.data.objects if library_of(obj) is None and "blob" in custom_properties(obj)
    )
    np.testing.assert_allclose(parameters(blob), before, rtol=1e-6)
    assert len(read_blob(blob).controls) == 1


def test_normals_are_kept_where_the_blob_says_so_and_not_otherwise(blob: bpy.types.Object) -> None:
    before = read_blob(blob)
    assert not sculpt_settings(before).keep_normals
    blob["blob.keep_normals"] = True
    after = read_blob(blob)
    assert sculpt_settings(after).keep_normals
    assert after.settings != before.settings
    del blob["blob.keep_normals"]
    assert not sculpt_settings(read_blob(blob)).keep_normals
