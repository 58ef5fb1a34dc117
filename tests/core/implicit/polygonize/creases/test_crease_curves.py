"""Points along creases lie on both sides' surfaces, close to rings, and end only in corners."""

import numpy as np
import pytest
from scipy.spatial import cKDTree

from physplace_addon.core.implicit import (
    Boxes,
    Ellipsoids,
    FlatCylinders,
    HalfSpaces,
    Spheres,
    difference,
    intersection,
    union,
)
from physplace_addon.core.implicit.functions.base import ImplicitFunction
from physplace_addon.core.implicit.polygonize.creases.crease_curves import CreaseCurves, no_curves
from physplace_addon.core.implicit.polygonize.creases.crease_following import crease_curves
from physplace_addon.core.implicit.polygonize.creases.crease_points import (
    CreasePoints,
    crease_points_between,
)
from physplace_addon.core.implicit.polygonize.surface_points import neighbouring
from physplace_addon.core.implicit.polygonize.surface_sampling import surface_samples

LEFT, RIGHT = (Spheres.of([[x, 0.0, 0.0]], [1.0]) for x in (-0.5, 0.5))
SPACING = 0.2


def curves_of(function: ImplicitFunction, size: float = 1.0) -> CreaseCurves:
    """The creases of a surface of some size, followed from points all over it."""
    points = surface_samples(function, SPACING * size)
    found = crease_points_between(function, points[neighbouring(points)])
    return crease_curves(function, no_curves(), found, SPACING * size, 0.005 * size)


@pytest.mark.parametrize("function", [union([LEFT, RIGHT]), difference(LEFT, [RIGHT])])
def test_where_two_spheres_meet_there_is_one_ring(function: ImplicitFunction) -> None:
    curves = curves_of(function)
    places = curves.points.places
    assert np.allclose(places[:, 0], 0.0, rtol=0, atol=1e-12)
    assert np.allclose(np.linalg.norm(places, axis=1), np.sqrt(0.75), rtol=0, atol=1e-10)
    assert np.array_equal(np.bincount(curves.links.ravel()), np.full(len(curves), 2))
    angle = np.sort(np.arctan2(places[:, 1], places[:, 2]))
    widest = np.diff([*angle, angle[0] + 2.0 * np.pi]).max()
    assert widest == pytest.approx(np.max(curves.gaps) / np.sqrt(0.75), rel=0.01)
    assert curves.gaps.max() <= 0.7 * SPACING
    assert not curves.corners.any()


def test_where_a_crease_bends_in_vain_no_point_is_found_again_and_again() -> None:
    """The foot of a thin fin on a ball: between points at one place there is no direction to tell them by."""
    rng = np.random.default_rng(0)
    axes = [rng.uniform(0.015, 0.03), 0.45, 0.13]
    turn, way = np.linalg.qr(rng.normal(size=(3, 3)))[0], rng.normal(size=3)
    centre = way / np.linalg.norm(way) * rng.uniform(0.4, 0.66)
    fin = union([Spheres.of([0.0, 0.0, 0.0], 0.66), Ellipsoids.of([centre], [axes], [turn])])
    points = surface_samples(fin, 0.24)
    curves = crease_curves(
        fin, no_curves(), crease_points_between(fin, points[neighbouring(points)]), 0.24, 0.006
    )
    places = curves.points.places[~curves.corners]
    assert len(places)
    assert len(np.unique(places.round(9), axis=0)) == len(places)


def test_the_edges_of_a_box_end_in_its_corners() -> None:
    curves = curves_of(Boxes.of([0.0, 0.0, 0.0], [[1.0, 0.7, 0.4]]))
    on_sides = np.isclose(np.abs(curves.points.places), [1.0, 0.7, 0.4], rtol=0, atol=1e-9)
    assert (on_sides.sum(axis=1) >= 2).all()
    ends = np.unique(curves.points.places[curves.corners].round(9), axis=0)
    assert len(ends) == 8
    assert np.allclose(np.abs(ends), [1.0, 0.7, 0.4], rtol=0, atol=1e-12)
    assert_three_meet_at_each_corner(curves, 8)


def assert_three_meet_at_each_corner(curves: CreaseCurves, count: int) -> None:
    """Each of so many corners has three links, and each other vertex two."""
    met = np.bincount(curves.vertex_of[curves.links].ravel(), minlength=len(curves.vertices))
    assert np.array_equal(np.sort(met)[::-1], np.repeat([3, 2], [count, len(met) - count]))
    assert np.array_equal(np.unique(curves.vertex_of[curves.corners]), np.flatnonzero(met == 3))


def test_where_three_spheres_meet_is_a_corner() -> None:
    """No side is flat there, and the creases go on in each other but for an angle."""
    centres = [[0.5, 0.0, 0.0], [-0.3, 0.5, 0.0], [-0.3, -0.5, 0.0]]
    curves = curves_of(union([Spheres.of([centre], [0.8]) for centre in centres]))
    corners = np.unique(curves.points.places[curves.corners], axis=0)
    assert np.allclose(np.linalg.norm(corners[:, None] - centres, axis=2), 0.8, rtol=0, atol=1e-9)
    assert_three_meet_at_each_corner(curves, 2)


def test_creases_shorter_than_a_step_between_two_corners_are_followed() -> None:
    """The second box cuts a corner off the first, and leaves walls .08 thick of two of its sides."""
    first = Boxes.of([0.0, 0.0, 0.0], [[0.5, 0.5, 0.5]])
    second = Boxes.of([0.3, 0.28, 0.4], [[0.72, 0.7, 0.5]])
    curves = curves_of(difference(first, [second]))
    assert_three_meet_at_each_corner(curves, 14)


def test_a_crease_is_followed_to_where_it_becomes_a_narrow_notch() -> None:
    """There its zones are small, as the notch goes on, but only there."""
    lying = Ellipsoids.of([[0.1, 0.3, 0.72]], [[0.25, 0.9, 0.3]], np.eye(3)[None])
    curves = curves_of(union([Spheres.of([[0.0, 0.0, 0.0]], [0.5]), lying]))
    jumps = np.linalg.norm(curves.points.normals[:, 0] - curves.points.normals[:, 1], axis=1)
    assert jumps.max() <= 1.9
    ends = np.bincount(curves.vertex_of[curves.links].ravel()) == 1
    assert ends.sum() == 4
    assert jumps[curves.vertices][ends].min() > 1.88
    assert curves.zones[ends].max() < 0.05 * SPACING
    assert len(curves) < 60


def test_zones_of_creases_do_not_reach_the_other_side_of_a_wall() -> None:
    """There they would keep points out that are on no crease."""
    inside = Boxes.of([0.0, 0.0, 0.35], [[0.54, 0.54, 0.7]])
    curves = curves_of(difference(Boxes.of([0.0, 0.0, 0.0], [[0.6, 0.6, 0.4]]), [inside]))
    inner = np.isclose(np.abs(curves.points.places), [0.54, 0.54, 0.35], rtol=0, atol=1e-9)
    deep = inner[:, 0] & inner[:, 1] & (curves.points.places[:, 2] < 0.2) & ~curves.corners
    assert deep.any()
    assert curves.zones[curves.vertex_of[deep]].max() < 0.06


_AWAY = 0.4 / np.tan(np.radians(10.0))
FINNED = union(
    [
        Boxes.of([0.0, 0.0, 0.0], [[0.5, 0.5, 0.5]]),
        intersection(
            [Spheres.of([0.5, 0.03, 0.07 + z], 0.4 / np.sin(np.radians(10.0))) for z in (-_AWAY, _AWAY)]
        ),
    ]
)


def test_zones_of_creases_do_not_reach_from_one_side_of_a_fin_s_root_to_the_other() -> None:
    """The zone of one would hide points of the other."""
    curves = curves_of(FINNED, 1.2)
    root = np.isclose(curves.points.places[:, 0], 0.5, rtol=0, atol=1e-9) & ~curves.points.convex
    root &= ~curves.corners
    upper = curves.points.places[:, 2] > 0.07
    lower = cKDTree(curves.points.places[root & ~upper])
    apart = np.asarray(lower.query(curves.points.places[root & upper])[0])
    assert len(apart) > 12
    wide = apart > 1.2 * SPACING / 20.0
    assert (curves.zones[curves.vertex_of[root & upper]] < apart)[wide].all()


def test_no_vertex_of_a_crease_is_in_the_zone_of_another() -> None:
    """It might be in no tetrahedron then. The rim of the fin ends near an edge of the box. Links as short as
    they become are not halved for it.
    """
    curves = curves_of(FINNED, 1.2)
    places = curves.points.places[curves.vertices]
    wide = curves.zones > 1.2 * SPACING / 20.0
    assert wide.sum() > 60
    assert (np.asarray(cKDTree(places).query(places, 2)[0])[wide, 1] >= curves.zones[wide]).all()


def test_a_place_is_in_a_wide_zone_however_many_vertices_of_narrow_ones_are_nearer() -> None:
    across = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0]]
    sides = np.array([[[0.0, 0.0, 1.0], [0.0, 1.0, 0.0]]] + 9 * [across])
    places = np.array([[0.0, 0.0, 0.0]] + [[0.3, 0.0, 0.001 * i] for i in range(9)])
    points = CreasePoints(places, sides, np.ones(10, dtype=np.bool_))
    curves = CreaseCurves.of(points, np.array([0.45] + 9 * [0.001]))
    assert curves.zones[0] > 0.26
    assert curves.zone_at(np.array([[0.25, 0.0, 0.0]])).tolist() == [0]


@pytest.mark.parametrize("size", [1e-3, 1.0, 100.0])
def test_both_rims_of_a_cylinder_are_rings_at_every_scale(size: float) -> None:
    curves = curves_of(FlatCylinders.of([0.0, 0.0, 0.0], [[0.5 * size, 0.5 * size, 0.8 * size]]), size)
    places = curves.points.places / size
    assert np.allclose(np.abs(places[:, 2]), 0.8, rtol=0, atol=1e-9)
    assert np.allclose(np.hypot(places[:, 0], places[:, 1]), 0.5, rtol=0, atol=1e-9)
    assert np.array_equal(np.bincount(curves.links.ravel()), np.full(len(curves), 2))


def test_nothing_else_is_in_the_zones_of_creases() -> None:
    curves = curves_of(union([LEFT, RIGHT]))
    assert (curves.zone_at(curves.points.places) == np.arange(len(curves))).all()
    middles = curves.points.places[curves.links].mean(axis=1)
    assert (curves.zone_at(middles) >= 0).all()
    assert (curves.zone_at(np.array([[0.0, 0.0, 0.0], [-1.5, 0.0, 0.0]])) == -1).all()


def test_a_smooth_surface_has_no_creases() -> None:
    assert len(curves_of(union([LEFT, RIGHT], 0.2))) == 0


@pytest.mark.parametrize("degrees", [36.5, 37.0, 38.0, 39.5])
def test_a_knife_about_as_sharp_as_those_that_count_has_points_as_far_apart_as_others(degrees: float) -> None:
    tilt = np.radians(0.5 * degrees)
    sides = [[np.sin(tilt), 0.0, -np.cos(tilt)], [np.sin(tilt), 0.0, np.cos(tilt)]]
    box = Boxes.of([0.45, 0.0, 0.0], [[0.45, 0.6, 0.6]])
    knife = difference(box, [HalfSpaces.of([side], [[0.02, 0.0, 0.0]], size=1.5) for side in sides])
    places = curves_of(knife).points.places
    on_edge = np.abs(places - [0.02, 0.0, 0.0])[:, [0, 2]].max(axis=1) < 1e-4
    assert 10 < on_edge.sum() < 30
