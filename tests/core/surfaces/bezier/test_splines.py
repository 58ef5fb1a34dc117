"""NURBS surfaces: exact points, derivatives, curvature; circles that are circles; solids of many splines."""

from dataclasses import replace

import mpmath as mp
import numpy as np
import pytest

from physplace_addon.core.bodies import exact
from physplace_addon.core.errors import SurfaceError
from physplace_addon.core.placement import Placement
from physplace_addon.core.rigid import Pose
from physplace_addon.core.surfaces import kinds
from physplace_addon.core.surfaces.bezier.splines import SplineSheet, spline_surface
from tests.bodies_of_the_paper import floor
from tests.core.surfaces.bezier import spline_bodies as splines
from tests.core.surfaces.bezier.patched_bodies import samples
from tests.core.surfaces.formula.formula_bodies import TORUS
from tests.core.surfaces.point_distances import thin_distances

ORDERS = {"point": (0, 0), "du": (1, 0), "dv": (0, 1), "duu": (2, 0), "duv": (1, 1), "dvv": (0, 2)}


@pytest.mark.parametrize(
    ("orders", "rational"), [((2, 3), True), ((4, 4), False), ((3, 5), True), ((6, 2), True), ((6, 5), False)]
)
def test_points_and_derivatives_are_those_of_cox_and_de_boor(
    orders: tuple[int, int], rational: bool, rng: np.random.Generator
) -> None:
    sheet = splines.random_sheet(rng, orders, (orders[0] + 3, orders[1] + 2), rational)
    nets = spline_surface([sheet]).nets
    along_u, along_v = (splines.spans(k, order) for k, order in zip(sheet.knots, orders, strict=True))
    patch, at = rng.integers(0, len(nets), 3), rng.uniform(0.0, 1.0, (3, 2))
    ours = nets.derivatives(patch, at)
    low = np.column_stack([along_u[patch // len(along_v)], along_v[patch % len(along_v)]])
    for row, (u0, u1, v0, v1) in enumerate(low.tolist()):
        s, t = (mp.mpf(x) for x in at[row].tolist())
        with mp.workdps(30):
            width_u, width_v = mp.mpf(u1) - mp.mpf(u0), mp.mpf(v1) - mp.mpf(v0)
            theirs = splines.partials(sheet, u0 + s * width_u, v0 + t * width_v)
        for name, (a, b) in ORDERS.items():
            expected = np.array([float(x * width_u**a * width_v**b) for x in theirs[a, b]])
            found = getattr(ours, name)[row]
            assert np.abs(found - expected).max() <= 1e-12 * max(1.0, np.abs(expected).max()), name


def test_no_point_of_a_cell_is_farther_from_its_triangles_than_the_bound(rng: np.random.Generator) -> None:
    for orders in ((3, 3), (4, 2)):
        sheet = splines.random_sheet(rng, orders, (5, 5), rational=True)
        nets = spline_surface([replace(sheet, weights=rng.uniform(0.05, 5.0, (5, 5)))]).nets
        for patch in range(0, len(nets), 2):
            bounds = nets.cell_bounds(patch, 3, 2)[0].reshape(3, 2)
            for i, j in np.ndindex(3, 2):
                share = np.concatenate([rng.uniform(0, 1, (200, 2)), [[0, 0], [1, 0], [0, 1], [1, 1]]])
                points = nets.slopes(np.full(204, patch), (share + np.array([i, j])) / [3, 2]).point
                corners = points[-4:]
                apart = [thin_distances(points, corners[list(c)]) for c in ((0, 1, 2), (3, 2, 1))]
                assert np.min(apart, axis=0).max() <= bounds[i, j] + 1e-14


def test_a_torus_of_rational_arcs_is_a_torus(rng: np.random.Generator) -> None:
    body = spline_surface([splines.torus(1.0, 0.25)])
    assert body.closed
    assert (len(body.surfaces), len(body.curves), len(body.vertices)) == (1, 0, 0)
    assert body.mass.volume == pytest.approx(2.0 * np.pi**2 * 0.0625, rel=1e-12)
    assert body.mass.inertia[2, 2] == pytest.approx(1.0 + 0.75 * 0.0625, rel=1e-12)
    found = body.surfaces[0].geometry(*samples(body.surfaces[0], 500, rng))
    around = np.hypot(found.point[:, 0], found.point[:, 1])
    np.testing.assert_allclose(np.hypot(around - 1.0, found.point[:, 2]), 0.25, atol=1e-15)
    expected = np.column_stack([np.full(500, -4.0), -(around - 1.0) / (0.25 * around)])
    np.testing.assert_allclose(np.linalg.eigvalsh(found.curvature), np.sort(expected, axis=1), atol=1e-12)


@pytest.mark.parametrize("w", [0.3, 1e-3, 1e-6, 1e-9, 0.0])
def test_a_ball_is_round_up_to_its_poles(w: float) -> None:
    body = spline_surface([splines.ball()])
    assert body.closed
    assert (len(body.surfaces), len(body.curves), len(body.vertices)) == (1, 0, 0)
    assert body.mass.volume == pytest.approx(4.0 / 3.0 * np.pi, rel=1e-12)
    sheet = body.surfaces[0]
    assert sheet.nets.polar.all()
    patch = np.repeat(np.arange(8), 3)
    at = np.column_stack([np.tile([0.0, 0.4, 1.0], 8), np.full(24, 1.0 - w)])
    found = sheet.geometry(np.zeros(24, dtype=int), sheet.layout.face_parameters(patch, at))
    np.testing.assert_allclose(np.linalg.norm(found.point, axis=1), 1.0, atol=1e-15)
    np.testing.assert_allclose(found.normal, found.point, atol=1e-14)
    np.testing.assert_allclose(found.curvature, np.tile(-np.eye(2), (24, 1, 1)), atol=1e-8)


@pytest.mark.slow
def test_a_formula_a_spline_and_a_turned_circle_rest_as_one_torus() -> None:
    parameters = {"major_radius": 1.0, "minor_radius": 0.25}
    bodies = {
        "formula": kinds.build("formula", {**TORUS, "R": 1.0, "r": 0.25}),
        "spline": spline_surface([splines.torus(1.0, 0.25)]),
        "revolution": kinds.build("torus", parameters),
    }
    tilt = np.array([np.cos(0.05), np.sin(0.05), 0.0, 0.0])
    for start in (np.array([1.0, 0.0, 0.0, 0.0]), tilt):
        for name, kind in bodies.items():
            placement = Placement(exact(kind, name), Pose(start, np.array([0.0, 0.0, 0.9])), [floor()])
            placement.run()
            pose = placement.states[-1].pose
            assert abs(pose.translation[2] - 0.25) <= 1e-9 * 1.25, name


def test_three_splines_that_meet_are_one_solid() -> None:
    body = spline_surface(splines.can())
    assert body.closed
    assert (len(body.surfaces), len(body.curves), len(body.vertices)) == (3, 2, 0)
    assert body.mass.volume == pytest.approx(2.0 * np.pi, rel=1e-12)
    assert not spline_surface(splines.can()[:2]).closed


def test_points_that_single_precision_parts_are_one(rng: np.random.Generator) -> None:
    ball = splines.ball()
    shaken = replace(ball, points=ball.points + rng.uniform(-2e-7, 2e-7, ball.points.shape))
    body = spline_surface([shaken])
    assert body.closed
    assert body.mass.volume == pytest.approx(4.0 / 3.0 * np.pi, rel=1e-6)


@pytest.mark.parametrize("order", [2, 3, 4])
def test_rows_that_coincide_leave_a_sharp_edge(order: int) -> None:
    """A roof: as often as the order says less one, its ridge is given."""
    outline = np.array([(0.0, 0.0), *[(1.0, 1.0)] * (order - 1), (2.0, 0.0)])
    points = np.stack([np.insert(outline, 1, y, axis=1) for y in (0.0, 3.0)], axis=1)
    knots = np.concatenate([np.zeros(order), [1.0], np.full(order, 2.0)])
    weights = np.where(outline[:, :1] == 1.0, 2.0, 1.0) * np.ones(2)
    body = spline_surface([SplineSheet(points, weights, (knots, splines.STRAIGHT))])
    assert (len(body.surfaces), len(body.curves), len(body.vertices)) == (2, 7, 6)
    np.testing.assert_allclose(body.mass.center, [1.0, 1.5, 0.5], atol=1e-12)
    assert [sheet.joins.smooth.any() for sheet in body.surfaces] == [False, False]


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ({"weights": 0.0}, "weights: reach from 0 to 4; make them positive, and more alike"),
        ({"weights": -2.0}, "weights: reach from -2 to 4"),
        ({"weights": 1e6}, "weights: reach from 1 to 1e\\+06"),
        ({"points": np.nan}, "points: found a number that is not finite"),
        ({"points": np.inf}, "points: found a number that is not finite"),
    ],
)
def test_what_has_no_meaning_is_refused(change: dict[str, float], says: str) -> None:
    sheet = splines.torus(1.0, 0.25)
    ((name, value),) = change.items()
    wrong = getattr(sheet, name).copy()
    wrong[2, 2] = value
    with pytest.raises(SurfaceError, match=says):
        spline_surface([replace(sheet, **{name: wrong})])


def test_no_area_and_no_tangent_plane_are_refused() -> None:
    sheet = splines.torus(1.0, 0.25)
    with pytest.raises(SurfaceError, match="enclose no area"):
        spline_surface([replace(sheet, points=np.zeros_like(sheet.points))])
    with pytest.raises(SurfaceError, match="no tangent plane"):
        spline_surface([replace(sheet, points=sheet.points * [1.0, 0.0, 0.0])])


def test_a_pole_that_is_given_twice_is_a_tip() -> None:
    drop = np.array([(0.0, -1.0), (0.0, -1.0), (1.0, 0.0), (1.0, 1.0), (0.0, 1.0)])
    body = spline_surface([splines.turned(drop, np.ones(5), splines.HALF)])
    assert body.closed
    np.testing.assert_allclose(body.vertices, [[0.0, 0.0, -1.0]], atol=1e-15)
