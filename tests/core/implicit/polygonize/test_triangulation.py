"""Meshes straight from points on an implicit surface: closed, with all of its holes, and near it."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest

from physplace_addon.core.arrays import Floats, Ints
from physplace_addon.core.errors import PhysPlaceError
from physplace_addon.core.implicit import (
    Boxes,
    Ellipsoids,
    HalfSpaces,
    Spheres,
    blobby_spheres,
    difference,
    intersection,
    union,
)
from physplace_addon.core.implicit.functions.base import ImplicitFunction
from physplace_addon.core.implicit.functions.gaussians.blob import Blob
from physplace_addon.core.implicit.functions.transformed import Moved
from physplace_addon.core.implicit.polygonize import triangulation
from physplace_addon.core.implicit.polygonize.confirmation import gauss_bonnet_holds, is_confirmed
from physplace_addon.core.implicit.polygonize.mesh_topology import MeshTopology, area_vectors
from physplace_addon.core.implicit.polygonize.surface_sampling import surface_samples
from physplace_addon.core.implicit.polygonize.touching import touching_places
from physplace_addon.core.implicit.polygonize.triangulation import (
    MeshStatus,
    Triangulation,
    triangulated,
)
from physplace_addon.core.implicit.projection import projected
from physplace_addon.core.implicit.surface_components.component_search import components_of
from physplace_addon.core.implicit.surface_components.subdivision import BoxClass, SearchLimits, subdivided
from tests.core.implicit.functions.every_function import rotations
from tests.core.implicit.surfaces import blob_of_genus, blobby_cylinder, lens, wedge
from tests.oracles.grid_surface import Grid
from tests.oracles.triangles import crossings

from .refusals import refused_at_once

SIGMA = 0.15
BIAS = 0.5
RADIUS = np.log(1 / BIAS) ** 0.5  # of the surface of a blobby sphere of radius 1


def meshed(function: ImplicitFunction, sigma: float = SIGMA) -> Triangulation:
    return triangulated(function, surface_samples(function, 2 * sigma), sigma)


def check_closed_and_oriented(mesh: Triangulation) -> None:
    """Every side of a triangle is once a side of another, the other way round; every corner is one fan."""
    sides = mesh.triangles[:, [0, 1, 1, 2, 2, 0]].reshape(-1, 2)
    ways = {tuple(side) for side in sides.tolist()}
    assert len(ways) == len(sides)
    assert ways == {(b, a) for a, b in ways}
    assert not MeshTopology.of(mesh.triangles, len(mesh.points)).non_manifold.any()
    vectors = area_vectors(mesh.points, mesh.triangles)
    assert np.einsum("ti,ti->", mesh.points[mesh.triangles].mean(axis=1), vectors) > 0


def farthest(function: ImplicitFunction, mesh: Triangulation) -> float:
    """How far the triangles are from the surface at most, by sixteen places on each."""
    weights = np.random.default_rng(0).dirichlet([1, 1, 1], size=16)
    places = np.einsum("sc,tci->tsi", weights, mesh.points[mesh.triangles]).reshape(-1, 3)
    return float(np.linalg.norm(places - projected(function, places, 0.1), axis=1).max())


def grid_of(function: Blob, step: float) -> tuple[int, float, float]:
    """Euler characteristic, area and volume by a grid, the last two as finer ones would have them."""
    low, high = function.box()
    cells = np.max(high - low) / step
    coarse, fine = (Grid(function.value, low, high, n).surface for n in (cells / 2, cells))
    area, volume = ((4 * getattr(fine, what) - getattr(coarse, what)) / 3 for what in ("area", "volume"))
    return fine.euler_characteristic, area, volume


@pytest.mark.parametrize(("genus", "step"), [(0, 0.06), (1, 0.05), (2, 0.07)])
def test_a_mesh_of_a_blob_is_closed_and_has_its_holes_area_and_volume(genus: int, step: float) -> None:
    function = blob_of_genus(genus, seed=3)
    mesh = meshed(function)
    characteristic, area, volume = grid_of(function, step)
    assert mesh.status is MeshStatus.CLOSED
    check_closed_and_oriented(mesh)
    assert mesh.euler_characteristic == characteristic == 2 - 2 * genus
    assert farthest(function, mesh) <= 0.05 * SIGMA
    assert mesh.area == pytest.approx(area, rel=0.01)
    assert mesh.volume == pytest.approx(volume, rel=0.01)


@pytest.mark.parametrize(("scale", "away"), [(1e-3, 0.0), (1.0, 1e4), (1e3, 0.0)])
def test_a_sphere_is_measured_alike_at_any_scale_and_place(scale: float, away: float) -> None:
    mesh = meshed(blobby_spheres(BIAS, [[away, -away, away]], [scale]), 0.1 * scale)
    radius = scale * RADIUS
    assert mesh.status is MeshStatus.CLOSED
    assert mesh.area == pytest.approx(4 * np.pi * radius**2, rel=1e-4)
    assert mesh.volume == pytest.approx(4 / 3 * np.pi * radius**3, rel=1e-4)
    centre = np.array([away, -away, away])
    assert np.linalg.norm(mesh.points - centre, axis=1) == pytest.approx(radius, rel=1e-11)


def test_parts_and_cavities_are_surfaces_of_their_own() -> None:
    ball, other, hollow = (
        blobby_spheres(BIAS, [[x, 0, 0]], [size]) for x, size in ((0, 1.0), (3, 1.0), (0, 0.6))
    )
    mesh = meshed(union([difference(ball, [hollow]), other]))
    assert mesh.status is MeshStatus.CLOSED
    assert mesh.euler_characteristic == 6
    assert mesh.volume == pytest.approx(4 / 3 * np.pi * RADIUS**3 * (2 - 0.6**3), rel=1e-3)


def lobes(half: float) -> Blob:
    """Two blobby spheres of radius 1 whose surfaces meet at half their distance = 1.1774."""
    return blobby_spheres(BIAS, [[-half, 0, 0], [half, 0, 0]], [1.0, 1.0])


def test_a_thin_bridge_that_no_point_is_on_is_found() -> None:
    function = lobes(1.1765)
    points = surface_samples(function, 0.5)
    mesh = triangulated(function, points[np.abs(points[:, 0]) > 0.4], 0.25)
    assert mesh.status is MeshStatus.CLOSED
    assert mesh.euler_characteristic == 2


def test_a_mesh_without_a_bridge_that_the_surface_has_does_not_have_the_surface_s_curvature() -> None:
    apart, bridged = lobes(1.185), lobes(1.17)
    mesh = meshed(apart, 0.2)
    assert mesh.euler_characteristic == 4
    assert gauss_bonnet_holds(apart, mesh.points, mesh.triangles, False)
    on_bridged = projected(bridged, mesh.points, 0.1)
    assert not gauss_bonnet_holds(bridged, on_bridged, mesh.triangles, False)
    assert is_confirmed(apart, components_of(apart), mesh.points, mesh.triangles)
    assert not is_confirmed(bridged, components_of(bridged), on_bridged, mesh.triangles)


def test_a_mesh_is_confirmed_where_a_blend_is_much_narrower_than_its_points_are_apart() -> None:
    """The curvature at its points does not tell what is between them."""
    parts = [Spheres.of([0.0, 0.0, 0.0], 0.4), Ellipsoids.of([0.0, 0.42, 0.0], [0.8, 0.05, 0.06])]
    function = union(parts, 0.004)
    mesh = triangulated(function, surface_samples(function, 0.24), 0.12, within=0.02)
    assert mesh.status is MeshStatus.CLOSED
    assert mesh.euler_characteristic == 2
    assert not gauss_bonnet_holds(function, mesh.points, mesh.triangles, False)


def test_creases_are_followed_as_closely_as_all_else() -> None:
    function = difference(blobby_cylinder(), [blobby_spheres(BIAS, [[0, 0, 0.5]], [0.5])])
    mesh = meshed(function, 0.25)
    assert mesh.status is MeshStatus.CLOSED
    check_closed_and_oriented(mesh)
    assert farthest(function, mesh) <= 0.05 * 0.25


def test_a_lens_is_confirmed_by_what_its_rim_turns() -> None:
    """Half of its curvature is in the rim, whose points are corners of the mesh: no edge crosses it."""
    lens = intersection([Spheres.of([0.0, 0.0, z], 1.0) for z in (-0.5, 0.5)])
    mesh = meshed(lens)
    assert mesh.status is MeshStatus.CLOSED
    assert (np.abs(mesh.points[:, 2]) < 1e-9).sum() > 20
    assert gauss_bonnet_holds(lens, mesh.points, mesh.triangles, True)
    assert not gauss_bonnet_holds(lens, mesh.points, mesh.triangles, False)


def test_many_points_on_one_sphere_take_no_longer_than_on_any_other_surface() -> None:
    """Qhull is quadratic in the points of a sphere: these took minutes."""
    directions = np.random.default_rng(5).normal(size=(6000, 3))
    points = RADIUS * directions / np.linalg.norm(directions, axis=1)[:, None]
    mesh = triangulated(blobby_spheres(BIAS, np.zeros((1, 3)), [1.0]), points, 0.02)
    assert mesh.status is MeshStatus.CLOSED


def test_points_twice_over_and_points_that_are_no_numbers_do_no_harm() -> None:
    function = blobby_spheres(BIAS, np.zeros((1, 3)), [1.0])
    points = surface_samples(function, 0.3)
    mesh = triangulated(function, np.concatenate([points, points, np.full((1, 3), np.nan)]), 0.15)
    assert mesh.status is MeshStatus.CLOSED


def test_points_from_which_the_slope_leads_nowhere_do_no_harm() -> None:
    """Far from a Gaussian its slope is next to nothing, and Newton's steps end anywhere."""
    function = blobby_spheres(BIAS, np.zeros((1, 3)), [1.0])
    points = surface_samples(function, 0.3)
    mesh = triangulated(function, np.concatenate([points, [[30.0, 0.0, 0.0], [0.0, 26.0, 0.0]]]), 0.15)
    assert mesh.status is MeshStatus.CLOSED
    assert np.linalg.norm(mesh.points, axis=1) == pytest.approx(RADIUS, rel=1e-9)


SLAB = Boxes.of([0.0, 0.0, 0.0], [[0.6, 0.45, 0.3]])
TOUCHING = {
    "a ball on a box": union([SLAB, Spheres.of([0.0, 0.0, 0.7], 0.4)]),
    "two balls": Spheres.of([[0.0, 0.0, 0.0], [1.0, 0.0, 0.0]], [0.5, 0.5]),
    "a bite up to the other side": difference(
        Spheres.of([0.0, 0.0, 0.0], 0.6), [Spheres.of([0.2, 0, 0], 0.4)]
    ),
    "boxes that share an edge": union([SLAB, Boxes.of([1.0, 0.0, 0.6], [[0.4, 0.3, 0.3]])]),
    "boxes .0001 apart, side by side": union([SLAB, Boxes.of([0.0, 0.0, 0.6001], [[0.3, 0.3, 0.3]])]),
    "boxes .01 apart, side by side": union([SLAB, Boxes.of([0.0, 0.0, 0.61], [[0.3, 0.3, 0.3]])]),
    "boxes that share a side": union([SLAB, Boxes.of([0.0, 0.0, 0.6], [[0.3, 0.3, 0.3]])]),
}


@pytest.mark.parametrize(
    ("name", "scale", "away"),
    [
        *((name, scale, 0.0) for name in TOUCHING for scale in (0.01, 1.0, 100.0)),
        ("a ball on a box", 1e-3, 1.0),
        ("two balls", 100.0, 1e4),
    ],
)
def test_what_touches_itself_is_refused_before_the_first_round(name: str, scale: float, away: float) -> None:
    affine = np.diag([scale, scale, scale, 1.0])
    affine[:3, 3] = away
    mesh = refused_at_once(Moved(TOUCHING[name], affine), 0.12 * scale)
    assert mesh.status is MeshStatus.TOUCHING
    assert "move them apart" in mesh.message


def box(low: Sequence[float], high: Sequence[float]) -> Boxes:
    return Boxes.of(0.5 * np.add(low, high), [0.5 * np.subtract(high, low)])


CORNERS_IN = union([box([-0.1, -0.2, -0.2], [0.5, 0.4, 0.2]), box([-0.9, -0.8, -0.8], [0.3, 0.2, 0.4])])
FLUSH = union([box([-0.1, -0.5, -0.8], [0.5, -0.1, 0.4]), box([0.1, -0.2, -0.7], [0.5, 0.4, 0.1])])


@pytest.mark.parametrize("function", [CORNERS_IN, FLUSH], ids=["corners in", "flush"])
def test_boxes_that_overlap_do_not_touch_themselves(function: ImplicitFunction) -> None:
    """Edges stand out and go in at one place, and a direction leads out of all its faces."""
    spacing = 0.16
    boxes = subdivided(function, np.array(function.box()), SearchLimits(120_000))
    assert not boxes.which(BoxClass.UNDECIDED).any()
    assert not len(touching_places(function, boxes, spacing / 500.0, spacing / 40.0))


@pytest.mark.parametrize("degrees", [6.0, 10.0])
def test_a_thin_knife_does_not_touch_itself(degrees: float) -> None:
    """What is thin falls to pieces on samples about its ends, but a direction leads out of its faces."""
    function, spacing = wedge(degrees, 0.15), 0.24
    boxes = subdivided(function, np.array(function.box()), SearchLimits(120_000))
    assert not boxes.which(BoxClass.UNDECIDED).any()
    assert not len(touching_places(function, boxes, spacing / 500.0, spacing / 40.0))


@pytest.mark.parametrize("seed", range(3))
def test_a_box_needs_no_more_points_for_being_turned(seed: int) -> None:
    """Then samples come to lie on its edges, where the other side of them is as near as one likes."""
    turn = rotations(np.random.default_rng(seed), 1)
    mesh = meshed(Boxes.of([0.0, 0.0, 0.0], [[0.7, 0.5, 0.3]], 0.0, turn))
    assert mesh.status is MeshStatus.CLOSED
    assert len(mesh.points) < 400
    assert mesh.volume == pytest.approx(8 * 0.7 * 0.5 * 0.3, rel=1e-4)


def test_corners_of_curved_sides_are_points_of_the_mesh() -> None:
    """Their edges go on in each other but for an angle, and were joined past the corner."""
    centres = np.array([[0.3, 0.0, 0.0], [-0.2, 0.3, 0.0], [-0.2, -0.3, 0.1]])
    mesh = meshed(intersection([Spheres.of([centre], [0.8]) for centre in centres]), 0.12)
    assert mesh.status is MeshStatus.CLOSED
    away = np.linalg.norm(mesh.points[:, None] - centres, axis=2)
    assert np.isclose(away, 0.8, rtol=0, atol=1e-9).all(axis=1).sum() == 2


def test_boxes_with_corners_in_each_other_have_a_mesh() -> None:
    mesh = meshed(CORNERS_IN, 0.08)
    assert mesh.status.closed
    assert mesh.status is not MeshStatus.COARSE
    check_closed_and_oriented(mesh)
    assert mesh.euler_characteristic == 2
    assert mesh.volume == pytest.approx(0.6 * 0.6 * 0.4 + 1.2 * 1.0 * 1.2 - 0.4 * 0.4 * 0.4, rel=1e-4)


@pytest.mark.parametrize(("places", "sigma"), [([0.0], 500.0), ([0.0, 1000.0], 20.0)])
def test_balls_much_smaller_than_their_points_are_apart_are_balls_still(
    places: Sequence[float], sigma: float
) -> None:
    balls = blobby_spheres(BIAS, [[x, 0, 0] for x in places], 1.0)
    mesh = triangulated(balls, surface_samples(balls, 2.0 * sigma), sigma)
    assert mesh.status.closed
    assert mesh.euler_characteristic == 2 * len(places)


def test_a_part_that_no_point_is_on_is_meshed_all_the_same() -> None:
    two = blobby_spheres(BIAS, [[0.0, 0.0, 0.0], [4.0, 0.0, 0.0], [2.0, 0.1, 0.0]], [1.0, 1.0, 0.05])
    points = surface_samples(two, 0.3)
    mesh = triangulated(two, points[points[:, 0] < 1.0], 0.15)
    assert mesh.status is MeshStatus.CLOSED
    check_closed_and_oriented(mesh)
    assert mesh.euler_characteristic == 6
    assert mesh.volume == pytest.approx(4 / 3 * np.pi * RADIUS**3 * (2 + 0.05**3), rel=1e-3)


@pytest.mark.parametrize("gap", [0.1, 0.01])
def test_balls_that_nearly_touch_are_two_meshes(gap: float) -> None:
    two = Spheres.of([[0.0, 0.0, 0.0], [1.0 + gap, 0.0, 0.0]], [0.5, 0.5])
    mesh = meshed(two, 0.1)
    assert mesh.status is MeshStatus.CLOSED
    check_closed_and_oriented(mesh)
    assert mesh.euler_characteristic == 4
    assert np.unique(MeshTopology.of(mesh.triangles, len(mesh.points)).component_labels).tolist() == [0, 1]


APART = [Spheres.of([x, 0.0, 0.0], 1.0) for x in (0.0, 2.001)]
NOTHING = {
    "a ball less a greater one": difference(APART[0], [Spheres.of([0.1, 0.0, 0.0], 1.2)]),
    "what balls .001 apart have in common": intersection(APART),
}


@pytest.mark.parametrize("name", NOTHING)
def test_that_there_is_no_surface_is_said_where_there_is_none(name: str) -> None:
    function = NOTHING[name]
    assert triangulated(function, np.zeros((0, 3)), 0.12).status is MeshStatus.EMPTY


@pytest.mark.parametrize("points", [np.zeros((0, 3)), np.eye(3)], ids=["none", "three"])
def test_a_surface_with_too_few_points_gets_others(points: Floats) -> None:
    mesh = triangulated(Spheres.of([0.0, 0.0, 0.0], 1.0), points, 0.12)
    assert mesh.status is MeshStatus.CLOSED
    assert mesh.volume == pytest.approx(4.0 / 3.0 * np.pi, rel=1e-4)


@pytest.mark.parametrize(("degrees", "scale"), [(30.0, 1.0), (12.0, 1.0), (20.0, 1e-3), (20.0, 1e3)])
def test_what_is_much_smaller_than_its_parts_has_a_mesh(degrees: float, scale: float) -> None:
    """What two balls of radius 1 have in common: at 12 degrees it is .01 thick, and one point was on it."""
    half = np.radians(0.5 * degrees)
    mesh = meshed(lens(degrees, scale * np.sin(half)), 0.12 * scale)
    assert mesh.status is MeshStatus.CLOSED
    check_closed_and_oriented(mesh)
    assert mesh.euler_characteristic == 2
    height = 1.0 - np.cos(half)
    assert mesh.volume == pytest.approx(2.0 / 3.0 * np.pi * height**2 * (3.0 - height) * scale**3, rel=1e-3)


def shell(wall: float) -> ImplicitFunction:
    """A ball less a smaller one, cut open."""
    rest = [Spheres.of([0.0, 0.0, 0.0], 1.0 - wall), Boxes.of([0.0, 0.0, 1.3], [[1.0, 1.0, 1.0]])]
    return difference(Spheres.of([0.0, 0.0, 0.0], 1.0), rest)


@pytest.mark.parametrize("wall", [0.02, 0.01, 0.005])
def test_walls_that_need_too_many_points_are_refused_at_once(wall: float) -> None:
    """Components are not looked for first, which took four times as long in what is thin."""
    mesh = refused_at_once(shell(wall), 0.12)
    assert mesh.status is MeshStatus.TOO_THIN
    assert "make them thicker" in mesh.message


def test_a_refused_wall_that_is_made_thicker_has_a_mesh() -> None:
    """With smaller particles it has none."""
    assert refused_at_once(shell(0.02), 0.12).status is MeshStatus.TOO_THIN
    assert refused_at_once(shell(0.02), 0.06).status is MeshStatus.TOO_THIN
    mesh = meshed(shell(0.08), 0.12)
    assert mesh.status is MeshStatus.CLOSED
    check_closed_and_oriented(mesh)
    assert mesh.euler_characteristic == 2


@pytest.mark.slow
def test_a_wall_of_a_fortieth_of_its_shell_has_a_proven_mesh() -> None:
    """Its boxes are just more than 120,000."""
    function = shell(0.05)
    mesh = meshed(function, 0.12)
    assert mesh.status is MeshStatus.CLOSED
    assert mesh.euler_characteristic == 2


@pytest.mark.slow
def test_a_wall_all_around_a_cavity_has_a_proven_mesh() -> None:
    """It takes 209,000 boxes to tell its two sides apart everywhere."""
    function = difference(Spheres.of([0.0, 0.0, 0.0], 1.0), [Spheres.of([0.0, 0.0, 0.0], 0.95)])
    mesh = meshed(function, 0.12)
    assert mesh.status is MeshStatus.CLOSED
    check_closed_and_oriented(mesh)
    assert mesh.euler_characteristic == 4
    assert mesh.volume == pytest.approx(4.0 / 3.0 * np.pi * (1.0 - 0.95**3), rel=1e-3)


def test_what_cannot_be_meshed_is_said() -> None:
    plane = HalfSpaces.of([[0, 0, 1]], [[0, 0, 0]])
    assert (
        triangulated(plane, np.random.default_rng(0).normal(size=(50, 3)), 0.1).status is MeshStatus.INFINITE
    )
    nothing = blobby_spheres(BIAS, np.zeros((0, 3)), [])
    assert triangulated(nothing, surface_samples(nothing, 0.1), 0.1).status is MeshStatus.EMPTY
    with pytest.raises(PhysPlaceError, match="infinite"):
        surface_samples(plane, 0.1)


@pytest.mark.parametrize(("tilt", "height"), [(0.0, 0.65), (0.2, 0.65), (0.3, 0.64)])
def test_sheets_of_a_low_fin_do_not_cross(tilt: float, height: float) -> None:
    """A fin of 0.02 by 0.45 on a ball that it hardly leaves, much thinner than its points are apart."""
    cosine, sine = np.cos(tilt), np.sin(tilt)
    turn = np.array([[1.0, 0.0, 0.0], [0.0, cosine, sine], [0.0, -sine, cosine]])
    fin = Ellipsoids.of([[0.0, 0.0, height - 0.12]], [[0.02, 0.45, 0.13]], [turn])
    mesh = meshed(union([Spheres.of([0.0, 0.0, 0.0], 0.66), fin]), 0.12)
    assert mesh.status in (MeshStatus.CLOSED, MeshStatus.COARSE)
    check_closed_and_oriented(mesh)
    corners = mesh.points[mesh.triangles]
    assert len(crossings(corners, corners, 1e-9)) == 0


def test_a_mesh_that_crosses_itself_is_broken(monkeypatch: pytest.MonkeyPatch) -> None:
    """However it came about: here, one of its points is pulled through it."""

    def pulled(
        function: ImplicitFunction, points: Floats, triangles: Ints, within: float, beside: float
    ) -> tuple[Floats, Ints]:
        points = points.copy()
        points[triangles[0, 0]] *= -1.5
        return points, triangles

    ball = Spheres.of([0.0, 0.0, 0.0], 1.0)
    assert meshed(ball).status is MeshStatus.CLOSED
    monkeypatch.setattr(triangulation, "with_larger_angles", pulled)
    mesh = meshed(ball)
    assert mesh.status is MeshStatus.BROKEN
    assert len(mesh.triangles) == 0
