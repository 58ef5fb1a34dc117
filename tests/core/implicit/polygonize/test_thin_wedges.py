"""Meshes of thin wedges and other bodies with knives, and which of them are refused."""

import numpy as np
import pytest

from physplace_addon.core.implicit import (
    Boxes,
    HalfSpaces,
    Spheres,
    complement,
    difference,
    intersection,
    union,
)
from physplace_addon.core.implicit.functions.base import ImplicitFunction
from physplace_addon.core.implicit.functions.transformed import Moved
from physplace_addon.core.implicit.polygonize.mesh_topology import MeshTopology
from physplace_addon.core.implicit.polygonize.surface_sampling import surface_samples
from physplace_addon.core.implicit.polygonize.triangulation import MeshStatus, triangulated
from physplace_addon.core.implicit.projection import distances_to_surface
from tests.core.implicit.functions.every_function import rotations
from tests.core.implicit.surfaces import lens, wedge
from tests.oracles.triangles import crossings

from .refusals import refused_at_once


def knife_in_ball(degrees: float) -> ImplicitFunction:
    """A ball between two planes that meet in a knife, which ends in corners on the ball."""
    tilt = np.radians(0.5 * degrees)
    ways = [[np.sin(tilt), 0.0, way * np.cos(tilt)] for way in (-1.0, 1.0)]
    sides = [HalfSpaces.of([way], [[0.0, 0.0, 0.0]], size=3.0) for way in ways]
    return difference(Spheres.of([[0.45, 0.0, 0.0]], [0.6]), sides)


def turned(function: ImplicitFunction, seed: int, scale: float = 1.0) -> ImplicitFunction:
    """A function turned at random, and scaled."""
    affine = np.eye(4)
    affine[:3, :3] = scale * rotations(np.random.default_rng(seed), 1)[0]
    return Moved(function, affine)


def between_planes(degrees: float, seed: int, place: tuple[float, ...] = (0.0, 0.0, 0.0)) -> ImplicitFunction:
    """A box about a place, cut by two planes that meet in a knife through the origin, turned at random."""
    tilt, turn = np.radians(0.5 * degrees), rotations(np.random.default_rng(seed), 1)[0]
    ways = [turn @ [np.sin(tilt), 0.0, way * np.cos(tilt)] for way in (-1.0, 1.0)]
    sides = [complement(HalfSpaces.of([way], [[0.0, 0.0, 0.0]], size=1.5)) for way in ways]
    return intersection([Boxes.of(place, [[0.5, 0.4, 0.45]]), *sides])


def finned(part: ImplicitFunction, degrees: float, radius: float) -> ImplicitFunction:
    """A body with a lens that stands out of it half a unit from its middle."""
    affine = np.eye(4)
    affine[0, 3] = 0.5
    return union([part, Moved(lens(degrees, radius), affine)])


BALL, BOX = Spheres.of([0.0, 0.0, 0.0], 0.5), Boxes.of([0.0, 0.0, 0.0], [[0.5, 0.4, 0.45]])


def check_mesh(function: ImplicitFunction, sigma: float) -> None:
    """Mesh what is like a ball: closed, near to the surface, and without triangles that cross."""
    mesh = triangulated(function, surface_samples(function, 2.0 * sigma), sigma)
    assert mesh.status is MeshStatus.CLOSED
    assert not MeshTopology.of(mesh.triangles, len(mesh.points)).non_manifold.any()
    assert mesh.euler_characteristic == 2
    corners = mesh.points[mesh.triangles] / sigma
    assert not len(crossings(corners, corners, 1e-9))
    weights = np.random.default_rng(0).dirichlet([1.0, 1.0, 1.0], size=16)
    places = np.einsum("sc,tci->tsi", weights, mesh.points[mesh.triangles]).reshape(-1, 3)
    assert distances_to_surface(*function.gradient(places)).max() <= 0.05 * sigma


@pytest.mark.parametrize(
    ("function", "sigma"),
    [
        (turned(wedge(8.0), 1), 0.12),
        (turned(wedge(8.0), 2, 100.0), 12.0),
        (turned(wedge(15.0), 2), 0.12),
        (turned(wedge(20.0), 1), 0.12),
        (turned(wedge(20.0), 1, 0.01), 0.0015),
        (knife_in_ball(10.0), 0.12),
        (knife_in_ball(20.0), 0.15),
        (wedge(10.0, 0.2), 0.12),
        (union([Spheres.of([[0.9, 0.0, 0.0]], [0.35]), wedge(8.0, 0.4)]), 0.09),
    ],
    ids=["8", "8 large", "15", "20", "20 small", "ball 10", "ball 20", "short", "joined"],
)
def test_thin_wedges_have_meshes_however_they_are_turned(function: ImplicitFunction, sigma: float) -> None:
    """The edges of the face that ends a wedge are nearer to each other at its tip than points are apart."""
    check_mesh(function, sigma)


@pytest.mark.parametrize(
    ("function", "scale"),
    [
        (between_planes(8.0, 5), 1.0),
        (between_planes(10.0, 3), 0.01),
        (between_planes(8.0, 3), 1.0),
        (between_planes(6.0, 5), 1.0),
        (between_planes(6.0, 3, (0.5, 0.4, 0.1)), 100.0),
        (knife_in_ball(5.0), 1.0),
        (lens(5.0, 0.3), 1.0),
        (finned(BOX, 6.0, 0.25), 1.0),
        (finned(BALL, 5.0, 0.3), 1.0),
    ],
    ids=["8", "10 small", "8 too", "6", "at an edge", "ball 5", "lens 5", "on a box", "on a ball"],
)
def test_oblique_knives_have_meshes_without_holes_through_what_is_thin(
    function: ImplicitFunction, scale: float
) -> None:
    """At their tips zones are narrow, and beside these the body is much thinner than points are apart."""
    check_mesh(turned(function, 1, scale), 0.12 * scale)


@pytest.mark.parametrize(
    "function",
    [wedge(3.0), lens(3.0, 0.8), lens(2.0, 0.4), wedge(2.5, 0.2), knife_in_ball(3.0)],
    ids=["wedge", "3", "2", "short", "ball"],
)
def test_long_knives_too_sharp_for_a_mesh_are_refused_before_the_first_round(
    function: ImplicitFunction,
) -> None:
    """Neither smaller particles nor more points help."""
    mesh = refused_at_once(function, 0.12)
    assert mesh.status is MeshStatus.TOO_SHARP
    assert "blunter" in mesh.message


def test_short_knives_too_sharp_for_a_mesh_are_tried() -> None:
    """Some have a mesh, as a lens of 7 degrees that stands out of a ball; of others it is said why not."""
    blade = finned(BALL, 7.0, 0.15)
    assert triangulated(blade, surface_samples(blade, 0.24), 0.12).status is MeshStatus.CLOSED
    narrow = wedge(6.0, 0.1)
    assert triangulated(narrow, surface_samples(narrow, 0.24), 0.12).status is MeshStatus.CLOSED
    sharper = finned(BALL, 6.0, 0.15)
    assert triangulated(sharper, surface_samples(sharper, 0.24), 0.12).status is MeshStatus.TOO_SHARP


def test_a_refused_knife_that_is_made_blunter_has_a_mesh() -> None:
    """To blend it helps seldom: over little it is still too thin, and over more most of it is gone."""
    assert refused_at_once(wedge(3.0), 0.12).status is MeshStatus.TOO_SHARP
    check_mesh(wedge(5.0), 0.12)
