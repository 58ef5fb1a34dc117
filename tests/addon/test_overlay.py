"""What is drawn of bodies in contact, up to the graphics card, which a Blender without a window has not."""

from __future__ import annotations

from dataclasses import replace

import bpy
import numpy as np
import pytest

from physplace_addon.core import bodies
from physplace_addon.core.placement import Placement, Settings
from physplace_addon.core.placement.contact_query import ContactQuery
from physplace_addon.core.rigid import Pose
from physplace_addon.overlay.colours import DEFAULT
from physplace_addon.overlay.drawing import Drawing, close_all, open_drawings
from physplace_addon.overlay.key_list import laid_out
from physplace_addon.overlay.layers import Primitive, layers_of
from physplace_addon.overlay.marks import Marks, marks_of_found, marks_of_state
from physplace_addon.overlay.support import support_of
from tests.blender_data import mesh_of
from tests.scene import scenes

DOWN = (0.0, 0.0, -1.0)
UPRIGHT = np.array([1.0, 0.0, 0.0, 0.0])


def body(obj: bpy.types.Object) -> bodies.Body:
    """An object's mesh as a body, in its own frame."""
    mesh_of(obj).calc_loop_triangles()
    points = np.array([vertex.co for vertex in mesh_of(obj).vertices], dtype=np.float64)
    triangles = np.array([triangle.vertices for triangle in mesh_of(obj).loop_triangles])
    return bodies.polyhedron(points, triangles, obj.name)


def at(*place: float) -> Pose:
    return Pose(UPRIGHT, np.array(place))


def rested(*places: tuple[float, float, float]) -> Placement:
    """Cubes of side 2 that have come to rest on a floor from where they stood."""
    placement = Placement.of_several(
        [body(scenes.cube())] * len(places),
        [at(*place) for place in places],
        [body(scenes.floor())],
        Settings(gravity=DOWN),
    )
    placement.run()
    return placement


def test_a_cube_at_rest_is_marked_at_its_corners_by_forces_that_carry_its_weight() -> None:
    placement = rested((0.5, 0.0, 1.3))
    marks = marks_of_state(placement, placement.state)
    assert len(marks.contacts) >= 4
    np.testing.assert_allclose(marks.contacts[:, 2], 0.0, atol=1e-9)
    np.testing.assert_allclose(marks.forces @ marks.normals, (0.0, 0.0, 1.0), atol=1e-9)
    (support,) = marks.supports
    np.testing.assert_allclose(support.centre, (0.5, 0.0, 1.0), atol=1e-8)
    np.testing.assert_allclose(support.projection, (0.5, 0.0, 0.0), atol=1e-8)
    assert len(support.polygon) == 4
    assert support.carries


def test_far_from_the_origin_the_marks_are_where_the_bodies_are() -> None:
    placement = Placement(
        body(scenes.cube()), at(1e4, 0.0, 1.3), [body(scenes.floor(half=2e4))], Settings(gravity=DOWN)
    )
    placement.run()
    marks = marks_of_state(placement, placement.state)
    np.testing.assert_allclose(marks.contacts.mean(axis=0)[0], 1e4, atol=1.0)
    np.testing.assert_allclose(marks.supports[0].projection, (1e4, 0.0, 0.0), atol=1e-6)


def test_each_of_several_bodies_has_its_own_support() -> None:
    placement = rested((-3.0, 0.0, 1.2), (3.0, 0.0, 1.4))
    marks = marks_of_state(placement, placement.state)
    assert [round(float(support.centre[0])) for support in marks.supports] == [-3, 3]
    for support in marks.supports:
        np.testing.assert_allclose(support.polygon.mean(axis=0)[:2], support.centre[:2], atol=1e-8)


def test_what_falls_touches_nothing_and_has_pairs_near_by() -> None:
    placement = Placement(body(scenes.cube()), at(0.0, 0.0, 1.04), [body(scenes.floor())])
    marks = marks_of_state(placement, placement.state)
    assert len(marks.contacts) == 0
    assert len(marks.extremal) > 0
    np.testing.assert_allclose(marks.extremal[:, 0, 2] - marks.extremal[:, 1, 2], 0.04, atol=1e-9)
    assert not marks.supports[0].carries


def test_the_forces_that_are_drawn_are_those_that_are_certified() -> None:
    placement = rested((0.0, 0.0, 1.2), (0.4, 0.3, 3.4))
    marks = marks_of_state(placement, placement.state)
    certified = placement.certificate().contacts
    assert len(certified.force) > 4
    for position, force in zip(certified.position, certified.force, strict=True):
        here = np.abs(marks.contacts - position).max(axis=1) < 1e-12
        assert np.abs(marks.forces[here] - force).min() < 1e-12


def test_an_overlap_is_marked_where_the_surfaces_cut_each_other() -> None:
    standing = ContactQuery.of(body(scenes.cube()), at(0.0, 0.0, 0.8), [body(scenes.floor())])
    marks = marks_of_found(standing.at(at(0.0, 0.0, 0.8), 1e-6), DOWN)
    assert len(marks.collisions) > 0
    np.testing.assert_allclose(marks.collisions[:, 2], 0.0, atol=1e-9)
    assert (np.abs(marks.collisions[:, :2]).max(axis=1) <= 1.0 + 1e-9).all()


SQUARE = np.array([[1.0, 1.0, 0.0], [-1.0, 1.0, 0.1], [-1.0, -1.0, 0.0], [1.0, -1.0, -0.1], [0.0, 0.2, 0.0]])


@pytest.mark.parametrize(("x", "carries"), [(0.0, True), (0.99, True), (1.01, False)])
def test_a_centre_of_mass_is_carried_inside_the_hull_of_its_contacts_only(x: float, carries: bool) -> None:
    support = support_of(np.array([x, 0.0, 2.0]), SQUARE, np.array(DOWN), 1.0)
    assert support.carries is carries
    assert {tuple(corner) for corner in support.polygon} == {tuple(corner) for corner in SQUARE[:4]}
    np.testing.assert_allclose(support.projection, (x, 0.0, 0.0), atol=1e-12)


@pytest.mark.parametrize("rows", [[0], [0, 2], [0, 4, 2, 4]])
def test_a_point_and_a_line_of_contacts_carry_only_what_is_straight_above(rows: list[int]) -> None:
    contacts = np.array([[0.0, 0.0, 0.0], [9.0, 9.0, 9.0], [2.0, 2.0, 0.0], [0.0, 0.0, 0.0], [1.0, 1.0, 0.0]])
    over = support_of(np.array([0.0, 0.0, 1.0]), contacts[rows], np.array(DOWN), 1.0)
    beside = support_of(np.array([0.3, 0.0, 1.0]), contacts[rows], np.array(DOWN), 1.0)
    assert over.carries
    assert not beside.carries
    assert len(over.polygon) == min(len(rows), 2)


def test_without_gravity_nothing_supports() -> None:
    support = support_of(np.zeros(3), SQUARE, None, 1.0)
    assert len(support.polygon) == 0
    assert not support.carries


def test_an_arrow_is_as_long_as_the_radius_times_its_force_and_ends_in_its_head() -> None:
    one, up = np.array([[1.0, 2.0, 3.0]]), np.array([[0.0, 0.0, 1.0]])
    no = np.zeros(1, dtype=bool)
    marks = replace(Marks.none(), contacts=one, normals=up, forces=np.array([0.5]), bilateral=no, radius=4.0)
    line, head = layers_of(marks)
    np.testing.assert_allclose(line.vertices, [(1.0, 2.0, 3.0), (1.0, 2.0, 5.0)])
    assert (line.primitive, head.primitive) == (Primitive.LINES, Primitive.TRIANGLES)
    assert line.colour == head.colour == DEFAULT.force
    assert head.vertices[:, 2].max() == pytest.approx(5.0)
    assert 4.0 < head.vertices[:, 2].min() < 5.0
    np.testing.assert_allclose(head.vertices.reshape(-1, 3, 3)[:, 0], np.tile((1.0, 2.0, 5.0), (4, 1)))
    nothing = replace(marks, forces=np.zeros(1))
    assert layers_of(nothing) == []


def test_contacts_are_drawn_as_what_they_are() -> None:
    placement = rested((0.0, 0.0, 1.2))
    marks = marks_of_state(placement, placement.state)
    (face,) = marks.patches
    assert {tuple(np.round(corner[:2])) for corner in face} == {(x, y) for x in (-1, 1) for y in (-1, 1)}
    (sides,) = [layer for layer in layers_of(marks) if layer.colour == DEFAULT.contact]
    assert sides.primitive is Primitive.LINES
    ends = sides.vertices.reshape(-1, 2, 3)
    np.testing.assert_allclose(np.linalg.norm(ends[:, 1] - ends[:, 0], axis=1), 2.0, atol=1e-6)
    patches = (np.zeros((1, 3)), np.eye(3)[:2])
    line, point = layers_of(replace(Marks.none(), patches=patches))
    assert (line.primitive, point.primitive) == (Primitive.LINES, Primitive.POINTS)
    assert point.size < 6.0  # pixels


LACKING = {  # Machado and others 2009, in linear light: what is seen without one kind of cones
    "red": ((0.152, 1.053, -0.205), (0.115, 0.786, 0.099), (-0.004, -0.048, 1.052)),
    "green": ((0.367, 0.861, -0.228), (0.280, 0.673, 0.047), (-0.012, 0.043, 0.969)),
}
OPPOSITES = (("carries", "tips"), ("contact", "overlap"), ("contact", "sticking"), ("force", "sticking"))


@pytest.mark.parametrize("cones", LACKING)
@pytest.mark.parametrize(("one", "other"), [*OPPOSITES, ("force", "pull")])
def test_opposites_are_told_apart_without_red_and_green(cones: str, one: str, other: str) -> None:
    linear = [np.array(getattr(DEFAULT, name)[:3]) ** 2.2 for name in (one, other)]
    seen = [np.clip(np.array(LACKING[cones]) @ colour, 0.0, 1.0) ** (1.0 / 2.2) for colour in linear]
    assert np.linalg.norm(seen[0] - seen[1]) > 0.2


def test_the_support_has_a_thick_border_of_its_own_colour_where_it_does_not_carry() -> None:
    for x, colour in ((0.0, DEFAULT.carries), (3.0, DEFAULT.tips)):
        support = support_of(np.array([x, 0.0, 2.0]), SQUARE, np.array(DOWN), 1.0)
        (area,) = [
            layer
            for layer in layers_of(replace(Marks.none(), supports=(support,)))
            if layer.primitive is Primitive.TRIANGLES
        ]
        assert area.colour == colour
        assert len(area.vertices) == 12
        border = max(layer.size for layer in layers_of(replace(Marks.none(), supports=(support,))))
        assert (border > 3.0) == (colour == DEFAULT.tips)


def test_collisions_are_drawn_in_front_and_nothing_is_drawn_of_nothing() -> None:
    assert layers_of(Marks.none()) == []
    (dots,) = layers_of(replace(Marks.none(), collisions=np.zeros((2, 3))))
    assert dots.in_front
    assert dots.colour == DEFAULT.overlap
    lines, head, point = layers_of(replace(Marks.none(), pulls=np.eye(3)[None, :2]))
    assert (lines.primitive, point.primitive) == (Primitive.LINES, Primitive.POINTS)
    assert head.in_front
    assert len(point.vertices) == 1


def test_a_centre_of_mass_without_contacts_is_a_cross_alone() -> None:
    support = support_of(np.array([1.0, 0.0, 0.0]), np.zeros((0, 3)), np.array(DOWN), 1.0)
    (cross,) = layers_of(replace(Marks.none(), supports=(support,)))
    assert cross.colour == DEFAULT.centre
    np.testing.assert_allclose(cross.vertices.mean(axis=0), (1.0, 0.0, 0.0), atol=1e-12)


def test_a_drawing_is_known_until_it_is_closed_and_closing_again_does_nothing() -> None:
    drawing, other = Drawing(), Drawing()
    assert open_drawings() == (drawing, other)
    drawing.close()
    drawing.close()
    assert not drawing.is_open
    assert open_drawings() == (other,)
    close_all()
    assert open_drawings() == ()


def test_marks_are_kept_as_they_are_shown() -> None:
    drawing = Drawing()
    marks = replace(Marks.none(), collisions=np.zeros((1, 3)))
    drawing.show(marks)
    assert drawing.marks is marks
    drawing.close()


def test_an_error_while_drawing_is_told_once_and_closes_the_drawing(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(_: object) -> None:
        raise ValueError("no graphics card")

    monkeypatch.setattr("physplace_addon.overlay.drawing.strokes_of", broken)
    drawing = Drawing()
    with pytest.raises(ValueError, match="no graphics card"):
        drawing._draw()
    assert open_drawings() == ()


@pytest.mark.parametrize(("room", "columns"), [(90.0, 1), (50.0, 2), (40.0, 3), (1.0, 5)])
def test_a_list_of_keys_stands_in_as_few_columns_as_its_room_needs(room: float, columns: int) -> None:
    rows = [(f"key {number}", f"does {number}") for number in range(5)]
    placed = laid_out(rows, 10.0, room, lambda words: 6.0 * len(words))
    assert [text for text, _, _ in placed] == [text for row in rows for text in row]
    assert len({x for _, x, _ in placed}) == 2 * columns
    highest = max(y for _, _, y in placed)
    assert min(y for _, _, y in placed) >= 0.0
    assert highest == placed[0][2], "the first row is at the top"
    assert highest + 15.0 <= max(room, 15.0)


def test_a_list_of_no_keys_draws_nothing() -> None:
    assert laid_out([], 10.0, 100.0, len) == []
