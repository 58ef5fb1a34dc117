"""Corners that are no places where a surface touches itself, and places that are."""

import numpy as np
import pytest

from physplace_addon.core.arrays import Floats
from physplace_addon.core.implicit import Boxes, HalfSpaces, complement, difference, intersection, union
from physplace_addon.core.implicit.functions.base import ImplicitFunction
from physplace_addon.core.implicit.functions.transformed import Moved
from physplace_addon.core.implicit.polygonize.surface_sampling import surface_samples
from physplace_addon.core.implicit.polygonize.touching import touching_places
from physplace_addon.core.implicit.polygonize.triangulation import MeshStatus, triangulated
from physplace_addon.core.implicit.surface_components.subdivision import SearchLimits, subdivided
from tests.core.implicit.functions.every_function import rotations
from tests.core.implicit.surfaces import lens

from .refusals import refused_at_once

BOX = Boxes.of([0.0, 0.0, 0.0], [[0.5, 0.4, 0.45]])
TWO = union([BOX, Boxes.of([0.9, 0.0, 0.9], [[0.4, 0.3, 0.45]])])  # they share an edge
NEGATIVE = Boxes.of([0.0, 0.0, 0.0], [[1.0, 1.0, 1.0]])


def turn(seed: int) -> Floats:
    return np.asarray(rotations(np.random.default_rng(seed), 1)[0])


def moved(function: ImplicitFunction, matrix: Floats, place: tuple[float, ...] = (0, 0, 0)) -> Moved:
    affine = np.eye(4)
    affine[:3, :3], affine[:3, 3] = matrix, place
    return Moved(function, affine)


def blade(degrees: float, seed: int) -> ImplicitFunction:
    """What is between two planes that meet in a knife through the origin, turned at random."""
    tilt = np.radians(0.5 * degrees)
    ways = [turn(seed) @ [np.sin(tilt), 0.0, way * np.cos(tilt)] for way in (-1.0, 1.0)]
    return intersection([complement(HalfSpaces.of([way], [[0.0, 0.0, 0.0]], size=1.5)) for way in ways])


def places(function: ImplicitFunction, spacing: float) -> Floats:
    """Places about which the surface touches itself, for points so far apart."""
    boxes = subdivided(function, np.array(function.box()), SearchLimits(140_000))
    return touching_places(function, boxes, spacing / 500.0, spacing / 40.0)


def bodies(degrees: float, seed: int) -> dict[str, ImplicitFunction]:
    """Bodies with corners where a knife leaves faces, edges and corners of a box."""
    own = blade(degrees, seed)
    fin = intersection([moved(BOX, 0.5 * turn(seed + 1)), own])
    return {
        "cut": intersection([BOX, own]),
        "notched": difference(BOX, [own]),
        "a negative cut": difference(NEGATIVE, [intersection([BOX, own])]),
        "at an edge": intersection([moved(BOX, np.eye(3), (0.5, 0.4, 0.1)), own]),
        "at a corner": difference(moved(BOX, np.eye(3), (0.5, 0.4, 0.45)), [own]),
        "a fin": union([moved(BOX, np.eye(3), (0.5, 0.0, 0.0)), fin]),
    }


@pytest.mark.parametrize("scale", [0.01, 1.0, 100.0])
@pytest.mark.parametrize("degrees", [4.0, 12.0])
def test_no_corner_of_a_knife_touches_itself(degrees: float, scale: float) -> None:
    """A direction leads out of all faces, but samples about the corner show a blade's end in pieces."""
    for name, function in bodies(degrees, 3).items():
        assert not len(places(moved(function, scale * np.eye(3)), 0.12 * scale)), name


@pytest.mark.parametrize("scale", [0.01, 100.0])
def test_a_box_between_oblique_planes_has_a_mesh(scale: float) -> None:
    function = moved(bodies(12.0, 3)["cut"], scale * np.eye(3))
    mesh = triangulated(function, surface_samples(function, 0.12 * scale), 0.06 * scale)
    assert mesh.status is MeshStatus.CLOSED
    assert mesh.euler_characteristic == 2


def test_a_fin_too_sharp_for_a_mesh_is_refused_as_that() -> None:
    """Parts that were moved apart would be as sharp."""
    fin = union([BOX, moved(lens(3.0, 0.25), np.eye(3), (0.5, 0.0, 0.0))])
    assert refused_at_once(fin, 0.12).status is MeshStatus.TOO_SHARP


@pytest.mark.parametrize("degrees", [10.0, 45.0])
def test_boxes_that_share_an_oblique_edge_are_refused(degrees: float) -> None:
    """So many boxes lie along it that they are not small before there are as many as are examined."""
    flat = turn(1) @ np.diag([1.0, 1.0, np.tan(np.radians(degrees))]) @ turn(51)
    function = moved(TWO, flat)
    assert refused_at_once(function, 0.06).status is MeshStatus.TOUCHING
    found = places(function, 0.12) @ np.linalg.inv(flat).T
    assert len(found)
    assert np.allclose(found[:, [0, 2]], [0.5, 0.45], rtol=0, atol=5e-3)
