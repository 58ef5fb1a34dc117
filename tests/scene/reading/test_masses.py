"""What objects weigh: by volume, or as their custom properties say."""

from __future__ import annotations

import bpy
import numpy as np
import pytest

from physplace_addon.core.bodies import Body
from physplace_addon.scene.errors import SceneError
from physplace_addon.scene.reading.scenario import read
from tests.blender_data import current_scene
from tests.scene import scenes


def _body(active: bpy.types.Object) -> Body:
    scenes.activate(active)
    return read(bpy.context).subject.body


def _pair() -> tuple[bpy.types.Object, bpy.types.Object]:
    parent, child = scenes.cube("Parent"), scenes.cube("Child", (4.0, 0.0, 0.0))
    child.parent = parent
    return parent, child


def _empty(name: str, place: tuple[float, float, float], parent: bpy.types.Object) -> bpy.types.Object:
    empty = scenes.linked(bpy.data.objects.new(name, None), place)
    empty.parent = parent
    return empty


def test_densities_weigh_the_parts_of_a_compound() -> None:
    parent, child = _pair()
    child["physplace_density"] = 3
    body = _body(parent)
    np.testing.assert_allclose(body.mass.center, (3.0, 0.0, 0.0), atol=1e-6)
    assert body.mass.mass == pytest.approx(8.0 + 24.0)


def test_a_mass_is_that_of_the_object_as_it_stands_scaled_and_of_no_other() -> None:
    parent, child = _pair()
    parent.scale = (2.0, 1.0, 1.0)
    parent["physplace_mass"], child["physplace_mass"] = 3.0, 1.0
    body = _body(parent)
    np.testing.assert_allclose(body.mass.center, (2.0, 0.0, 0.0), atol=1e-6)
    assert body.mass.mass == pytest.approx(4.0)


def test_given_masses_weigh_a_solid_and_a_sheet_together() -> None:
    parent = scenes.cube("Solid")
    sheet = scenes.floor("Sheet", half=1.0)
    sheet.parent, sheet.location = parent, (4.0, 0.0, 0.0)
    parent["physplace_mass"], sheet["physplace_mass"] = 1.0, 3.0
    np.testing.assert_allclose(_body(parent).mass.center, (3.0, 0.0, 0.0), atol=1e-6)
    del sheet["physplace_mass"]
    assert _body(parent).mass.mass == pytest.approx(1.0 + 4.0)


def test_an_instanced_collection_weighs_what_its_empty_or_its_objects_say() -> None:
    collection = bpy.data.collections.new("Set")
    light, heavy = scenes.cube("Light"), scenes.cube("Heavy", (4.0, 0.0, 0.0))
    for part in (light, heavy):
        current_scene().collection.objects.unlink(part)
        collection.objects.link(part)
    holder = scenes.linked(bpy.data.objects.new("Holder", None))
    holder.instance_type, holder.instance_collection = "COLLECTION", collection
    heavy["physplace_density"], holder["physplace_density"] = 6.0, 2.0
    body = _body(holder)
    np.testing.assert_allclose(body.mass.center, (3.0, 0.0, 0.0), atol=1e-6)
    assert body.mass.mass == pytest.approx(64.0)
    holder["physplace_mass"] = 5.0
    assert _body(holder).mass.mass == pytest.approx(5.0)
    np.testing.assert_allclose(_body(holder).mass.center, (3.0, 0.0, 0.0), atol=1e-6)


def test_a_centre_of_mass_is_where_the_empty_stands_however_the_object_is_turned_and_scaled() -> None:
    parent, child = _pair()
    parent.location, parent.rotation_euler, parent.scale = (1.0, 2.0, 3.0), (0.4, 0.5, 0.6), (2.0, 2.0, 2.0)
    empty = _empty("Centre", (0.0, 0.0, -0.5), child)
    parent["physplace_center_of_mass"] = "Centre"
    scenes.activate(parent)
    subject = read(bpy.context).subject
    place = scenes.world_matrix(empty)[:3, 3]
    np.testing.assert_allclose(subject.pose.points(subject.body.mass.center), place, atol=1e-5)


def test_a_child_may_have_a_centre_of_its_own() -> None:
    parent, child = _pair()
    _empty("Centre", (2.0, 0.0, 0.0), child)
    child["physplace_center_of_mass"] = "Centre"
    np.testing.assert_allclose(_body(parent).mass.center, (3.0, 0.0, 0.0), atol=1e-6)


@pytest.mark.parametrize("key", ["physplace_density", "physplace_mass"])
@pytest.mark.parametrize("value", [0.0, -1.0, float("nan"), float("inf"), "heavy"])
def test_a_weight_that_is_none_is_said_with_its_object_and_property(key: str, value: object) -> None:
    parent, child = _pair()
    child[key] = value
    with pytest.raises(SceneError, match=f'"Child".*"{key}".*above 0'):
        _body(parent)


def test_a_weight_on_what_has_no_faces_is_said() -> None:
    group = scenes.linked(bpy.data.objects.new("Group", None))
    scenes.cube("Part").parent = group
    group["physplace_mass"] = 2.0
    with pytest.raises(SceneError, match=r'"Group".*"physplace_mass" has nothing to weigh'):
        _body(group)


def test_a_centre_that_is_not_there_or_does_not_move_along_is_said() -> None:
    cube = scenes.cube("Die")
    cube["physplace_center_of_mass"] = "Nothing"
    with pytest.raises(SceneError, match=r'"Die".*"physplace_center_of_mass" names no object'):
        _body(cube)
    empty = scenes.linked(bpy.data.objects.new("Nothing", None))
    with pytest.raises(SceneError, match=r'"Die".*does not move with it; make that a child'):
        _body(cube)
    empty.parent, empty.hide_viewport = cube, True
    with pytest.raises(SceneError, match=r'"Die".*"physplace_center_of_mass" names "Nothing".*is disabled'):
        _body(cube)
    empty.hide_viewport, empty.location.x = False, float("nan")
    with pytest.raises(SceneError, match=r'"Die".*"Nothing".*location is not finite'):
        _body(cube)


def test_a_centre_may_be_hidden_and_named_by_the_object_itself() -> None:
    cube = scenes.cube("Die")
    cube["physplace_center_of_mass"] = empty = _empty("Centre", (0.5, 0.0, 0.0), cube)
    empty.hide_set(True)
    cube.location.x = 7.0
    np.testing.assert_allclose(_body(cube).mass.center, (0.5, 0.0, 0.0), atol=1e-6)
