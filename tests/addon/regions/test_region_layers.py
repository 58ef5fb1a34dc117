"""What is drawn of contact regions, up to the graphics card, which a Blender without a window has not."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest

from physplace_addon.core import bodies
from physplace_addon.core.placement.contact_query import ContactQuery
from physplace_addon.core.rigid import Pose
from physplace_addon.overlay.colours import DEFAULT, Colour
from physplace_addon.overlay.layers import Layer, Primitive
from physplace_addon.overlay.regions import CHOSEN, COLOURS, RegionMarks, region_layers
from tests.core.meshes import CUBE_POINTS, CUBE_TRIANGLES


def box(size: tuple[float, float, float], middle: tuple[float, float, float]) -> bodies.Body:
    """A box of some size about its middle."""
    return bodies.polyhedron(CUBE_POINTS * size + np.array(middle), CUBE_TRIANGLES, "box")


def touching(place: tuple[float, float, float]) -> RegionMarks:
    """A unit box about a place, and a box of 4 x 4 x 1 under the plane z = 0."""
    query = ContactQuery.of(
        box((1.0, 1.0, 1.0), place), Pose.identity(), [box((4.0, 4.0, 1.0), (0.0, 0.0, -0.5))]
    )
    found = query.at(Pose.identity(), 0.0)
    return RegionMarks(found.regions, found.collisions, 1.0)


def of(layers: list[Layer], primitive: Primitive, colour: Colour) -> list[Layer]:
    return [layer for layer in layers if layer.primitive is primitive and layer.colour[:3] == colour[:3]]


def total(layers: list[Layer], primitive: Primitive, colour: Colour) -> int:
    """How many vertices layers of a primitive and a colour have."""
    return sum(len(layer.vertices) for layer in of(layers, primitive, colour))


def test_each_dimension_has_a_form_and_a_colour_of_its_own() -> None:
    face, line, point = touching((0.0, 0.0, 0.5)), touching((2.5, 0.0, 0.5)), touching((2.5, 2.5, 0.5))
    layers = region_layers([face])
    assert total(layers, Primitive.TRIANGLES, COLOURS[2]) == 3 * 4
    assert total(layers, Primitive.POINTS, COLOURS[2]) == 4
    layers = region_layers([line])
    assert {layer.colour for layer in layers} == {COLOURS[1]}
    assert total(layers, Primitive.POINTS, COLOURS[1]) == 2
    layers = region_layers([point])
    assert {layer.colour for layer in layers} == {COLOURS[0]}
    assert total(layers, Primitive.POINTS, COLOURS[0]) == 1
    together = region_layers([face, line, point])
    assert {layer.colour[:3] for layer in together} == {colour[:3] for colour in COLOURS}


def test_what_is_drawn_lies_where_the_bodies_touch() -> None:
    (filling,) = of(region_layers([touching((0.0, 0.0, 0.5))]), Primitive.TRIANGLES, COLOURS[2])
    a, b, c = np.moveaxis(filling.vertices.reshape(-1, 3, 3), 1, 0)
    area = 0.5 * np.linalg.norm(np.cross(b - a, c - a), axis=1).sum()
    assert area == pytest.approx(1.0, abs=1e-9)
    np.testing.assert_allclose(filling.vertices[:, 2], 0.0, atol=1e-9)


def test_an_overlap_is_a_cross_in_front_of_everything() -> None:
    layers = region_layers([touching((0.0, 0.0, 0.4))])
    crosses = of(layers, Primitive.LINES, DEFAULT.overlap)
    assert [layer.in_front for layer in crosses] == [True]
    assert len(crosses[0].vertices) % 6 == 0


def test_the_region_that_is_chosen_is_white_and_in_front() -> None:
    pairs = [touching((0.0, 0.0, 0.5)), touching((2.5, 0.0, 0.5))]
    white = of(region_layers(pairs, chosen=1), Primitive.POINTS, CHOSEN)
    assert [len(layer.vertices) for layer in white] == [2]
    assert all(layer.in_front for layer in white)
    assert not of(region_layers(pairs), Primitive.POINTS, CHOSEN)
    assert len(region_layers(pairs, chosen=7)) == len(region_layers(pairs))


def luminance(colour: Colour) -> float:
    """The relative luminance of a colour, by WCAG 2."""
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in colour[:3]]
    return float(np.dot(linear, (0.2126, 0.7152, 0.0722)))


def test_the_colours_of_the_dimensions_differ_in_lightness_too() -> None:
    for one, other in combinations([luminance(colour) for colour in COLOURS], 2):
        assert (max(one, other) + 0.05) / (min(one, other) + 0.05) > 1.4


def test_nothing_is_drawn_of_bodies_that_do_not_touch() -> None:
    assert region_layers([touching((0.0, 0.0, 3.0))]) == []
    assert region_layers([]) == []
