"""Bilateral contacts, made by a key or by the property of scripts: they slide, and never separate."""

from __future__ import annotations

from dataclasses import dataclass
from typing import cast

import bpy
import numpy as np
import pytest

from physplace_addon.core.arrays import Floats
from physplace_addon.core.jobs import finished
from physplace_addon.operators.placing.item import PlacementItem
from physplace_addon.operators.placing.manipulation.point_handle import PointAction
from physplace_addon.operators.placing.record import PlacementRecord, read_records, write_records
from physplace_addon.operators.view import View
from physplace_addon.overlay.colours import DEFAULT
from physplace_addon.overlay.layers import layers_of
from physplace_addon.scene.reading.bilateral import bilateral_names
from tests.addon.running import refused, run
from tests.blender_data import physplace
from tests.scene import scenes

ON_FLOOR = 1e-5  # height of what touches a floor at 0


@dataclass
class FromAbove:
    """A view from above in which a pixel is a hundredth of a unit; under the mouse, `at` is seen."""

    at: Floats

    def pixel(self, point: Floats) -> Floats:
        return 100.0 * point[:2]

    def under_mouse(self, _mouse: Floats, _depth: Floats) -> Floats:
        return self.at


def at_rest(item: PlacementItem) -> PlacementItem:
    while item.steered.is_running:
        item.steered.advance(1.0)
    return item


@pytest.fixture
def item() -> PlacementItem:
    """The placement of a cube of side 2 that has come to rest on a floor."""
    scenes.floor()
    return at_rest(finished(PlacementItem.beginning(bpy.context, [scenes.cube("Cube", (0.0, 0.0, 1.5))])))


def corners(item: PlacementItem) -> Floats:
    return np.asarray(item.poses[0].points(scenes.CUBE))


def toggle(item: PlacementItem, *corner: float) -> bool:
    """Press the key with the mouse over a place of the floor."""
    view = cast("View", FromAbove(np.zeros(3)))
    return item.toggle_bilateral(view, 100.0 * np.array(corner))


def pulled_up(item: PlacementItem) -> None:
    """Pull the cube's upper side up, harder than it weighs, for some steps."""
    handle = item.handle_at(PointAction.PULL, 0, np.array([0.0, 0.0, 2.0]))
    item.pull(cast("View", FromAbove(np.array([0.0, 0.0, 9.0]))), np.zeros(2), handle)
    for _ in range(20):
        item.steered.solver.step()
    item.steered.history.show_latest()


def test_without_a_bilateral_contact_a_pull_lifts_the_cube_off_the_floor(item: PlacementItem) -> None:
    pulled_up(item)
    assert corners(item)[:, 2].min() > 0.1


@pytest.mark.slow
def test_a_bilateral_contact_stays_on_the_floor_while_the_cube_is_pulled_up(item: PlacementItem) -> None:
    assert toggle(item, 1.0, 1.0)
    pulled_up(item)
    heights = corners(item)[:, 2]
    assert abs(heights.min()) < ON_FLOOR
    assert heights.max() > 2.05, "it tips about the corner that sticks"


def test_pressed_again_the_contact_lets_go(item: PlacementItem) -> None:
    assert toggle(item, 1.0, 1.0)
    assert toggle(item, 1.0, 1.0)
    assert len(item.steered.state.bilateral) == 0
    pulled_up(item)
    assert corners(item)[:, 2].min() > 0.1


def test_where_no_contact_is_near_the_mouse_nothing_changes(item: PlacementItem) -> None:
    before = item.steered.solver
    assert not toggle(item, 0.0, 0.0)
    assert item.steered.solver is before


def test_earlier_states_keep_their_own_contacts_and_a_branch_goes_on_with_them(item: PlacementItem) -> None:
    steered = item.steered
    assert toggle(item, 1.0, 1.0)
    at_rest(item)
    assert len(steered.state.bilateral) == 1
    steered.scrub(-2)
    assert len(steered.state.bilateral) == 0
    steered.scrub(2)
    steered.toggle_energy()
    assert len(steered.state.bilateral) == 1


def test_while_it_is_paused_several_contacts_are_made_bilateral(item: PlacementItem) -> None:
    item.steered.toggle_pause()
    assert toggle(item, 1.0, 1.0)
    assert toggle(item, -1.0, 1.0)
    assert item.steered.paused
    assert len(item.steered.state.bilateral) == 2


def test_bilateral_contacts_are_drawn_apart_from_the_others(item: PlacementItem) -> None:
    assert toggle(item, 1.0, 1.0)
    marks = item.marks(0, None)
    assert marks.bilateral.sum() == 1
    points = {layer.colour: layer.vertices for layer in layers_of(marks) if layer.primitive.name == "POINTS"}
    np.testing.assert_allclose(points[DEFAULT.sticking], [[1.0, 1.0, 0.0]], atol=ON_FLOOR)
    assert DEFAULT.contact not in points  # the others are corners of an outline


def test_the_force_of_a_contact_that_pulls_is_drawn_into_what_it_sticks_to(item: PlacementItem) -> None:
    assert toggle(item, 1.0, 1.0)
    assert toggle(item, 1.0, -1.0)
    pulled_up(item)
    marks = item.marks(0, None)
    assert marks.forces[marks.bilateral].sum() < -0.1
    lines = {layer.colour: layer.vertices for layer in layers_of(marks) if layer.primitive.name == "LINES"}
    assert lines[DEFAULT.sticking][:, 2].min() < -0.1


def test_a_record_keeps_bilateral_contacts(item: PlacementItem) -> None:
    assert toggle(item, 1.0, 1.0)
    (record,) = read_records(write_records([PlacementRecord.of(item)]))
    np.testing.assert_array_equal(record.bilateral.keys, item.steered.state.bilateral.keys)
    np.testing.assert_array_equal(record.bilateral.normals, item.steered.state.bilateral.normals)


def lifted_by_connect(cube: bpy.types.Object) -> float:
    """Draw the cube's upper side upwards, harder than it weighs; returns the height of its lowest corner."""
    words = {"location": (0.0, 0.0, 6.0), "anchor": "POINT", "point": (0.9, 0.0, 2.0), "strength": 3.0}
    run(physplace.connect, cube, **words)
    matrix = scenes.world_matrix(cube)
    return float((scenes.CUBE @ matrix[:3, :3].T + matrix[:3, 3])[:, 2].min())


@pytest.mark.slow
def test_contacts_with_an_object_that_the_property_names_never_separate() -> None:
    floor, cube = scenes.floor("Ground"), scenes.cube("Cube", (0.0, 0.0, 1.0))
    assert lifted_by_connect(cube) > 1.0
    cube.location = (0.0, 0.0, 1.0)
    cube.rotation_euler = (0.0, 0.0, 0.0)
    cube["physplace_bilateral"] = "Elsewhere, Ground"
    scenes.cube("Elsewhere", (40.0, 0.0, 0.0))
    assert abs(lifted_by_connect(cube)) < ON_FLOOR
    assert floor.location.length == 0.0


def test_only_contacts_with_the_named_object_stick() -> None:
    scenes.floor("Ground")
    scenes.cube("Elsewhere", (40.0, 0.0, 0.0))
    cube = scenes.cube("Cube", (0.0, 0.0, 1.0))
    cube["physplace_bilateral"] = "Elsewhere"
    assert lifted_by_connect(cube) > 1.0


def test_names_may_have_commas_themselves() -> None:
    cube = scenes.cube("Cube")
    for name in ("Floor", "Cup, red", "Cup", "Table, left, old"):
        scenes.cube(name)
    for text, names in (
        ("Cup, red", ("Cup, red",)),
        (" Floor,Table, left, old , Cup", ("Floor", "Table, left, old", "Cup")),
        ("Cup, Floor,, Cup, red", ("Cup", "Floor", "Cup, red")),
    ):
        cube["physplace_bilateral"] = text
        assert bilateral_names(cube) == names


@pytest.mark.parametrize(
    ("value", "found"),
    [("Nowhere", "names no object: 'Nowhere'"), (3, "is 3"), ("Cube", "names 'Cube', which moves with it")],
)
def test_a_wrong_property_is_refused_and_named(value: object, found: str) -> None:
    scenes.floor("Ground")
    cube = scenes.cube("Cube", (0.0, 0.0, 1.5))
    cube["physplace_bilateral"] = value
    message = f'"Cube": its property "physplace_bilateral" {found}.*names? of another object'
    refused(physplace.place, cube, message)
