"""Curve objects as Bezier pieces: the very curve that Blender draws."""

from __future__ import annotations

from typing import Any, cast

import bpy
import numpy as np
import pytest
from scipy.special import comb

from physplace_addon.scene.errors import SceneError
from physplace_addon.scene.reading.curves import bezier_pieces
from physplace_addon.scene.reading.definitions import boundary_of
from tests.blender_data import active_object, current_scene, current_view_layer, curve_of
from tests.core.surfaces.bezier import spline_bodies
from tests.scene import scenes


def _curve(kind: str, points: np.ndarray, **settings: object) -> bpy.types.Object:
    data = bpy.data.curves.new("Profile", "CURVE")
    data.dimensions = "3D"
    spline = cast("Any", data.splines).new(kind)
    spline.points.add(len(points) - 1)
    spline.points.foreach_set("co", np.column_stack([points, np.ones(len(points))]).ravel())
    for name, value in settings.items():
        setattr(spline, name, value)
    spline.resolution_u = 12
    obj = bpy.data.objects.new("Profile", data)
    current_scene().collection.objects.link(obj)
    return obj


def _drawn(obj: bpy.types.Object) -> np.ndarray:
    current_view_layer().update()
    mesh = obj.evaluated_get(bpy.context.evaluated_depsgraph_get()).to_mesh()
    points = np.empty(len(mesh.vertices) * 3)
    mesh.vertices.foreach_get("co", points)
    return points.reshape(-1, 3)


def _evaluated(pieces: np.ndarray, count: int) -> np.ndarray:
    t = np.linspace(0.0, 1.0, count)[:, None]
    degree = pieces.shape[1] - 1
    bernstein = comb(degree, np.arange(degree + 1)) * t ** np.arange(degree + 1)
    bernstein = bernstein * (1 - t) ** np.arange(degree, -1, -1)
    weights = pieces[:, :, 3:] if pieces.shape[2] == 4 else np.ones((*pieces.shape[:2], 1))
    points = np.einsum("tk,nkd->ntd", bernstein, weights * pieces[:, :, :3])
    found: np.ndarray = (points / np.einsum("tk,nkd->ntd", bernstein, weights)).reshape(-1, 3)
    return found


def _assert_passes_through_what_is_drawn(obj: bpy.types.Object) -> None:
    pieces, _ = bezier_pieces(obj)
    dense = _evaluated(pieces, 4001)
    drawn = _drawn(obj)
    nearest = np.array([np.min(np.linalg.norm(dense - point, axis=1)) for point in drawn])
    assert nearest.max() < 2e-3
    ends = np.array([np.min(np.linalg.norm(drawn - piece[0, :3], axis=1)) for piece in pieces])
    assert ends.max() < 0.3  # no piece lies away from what is drawn


POINTS = np.array(
    [[0, 0, 0], [1, 0, 0.5], [1.5, 0.4, 1], [0.5, 0.8, 1.5], [0.8, 0.1, 2], [0.2, 0, 2.5], [0, 1, 3]]
)


@pytest.mark.parametrize("order", [2, 3, 4, 6])
@pytest.mark.parametrize(("cyclic", "endpoint"), [(False, False), (False, True), (True, False), (True, True)])
@pytest.mark.parametrize("rational", [False, True])
def test_a_nurbs_spline_is_cut_into_its_pieces(
    order: int, cyclic: bool, endpoint: bool, rational: bool
) -> None:
    obj = _curve("NURBS", POINTS, order_u=order, use_cyclic_u=cyclic, use_endpoint_u=endpoint)
    if rational:
        for i, point in enumerate(curve_of(obj).splines[0].points):
            point.co.w = (1.0, 0.4, 2.5, 1.5)[i % 4]
    _assert_passes_through_what_is_drawn(obj)


def test_a_nurbs_spline_of_bezier_pieces_without_endpoints_begins_and_ends_within() -> None:
    _assert_passes_through_what_is_drawn(_curve("NURBS", POINTS, order_u=3, use_bezier_u=True))
    _assert_passes_through_what_is_drawn(
        _curve("NURBS", POINTS[:6], order_u=4, use_bezier_u=True, use_cyclic_u=True)
    )


def test_a_nurbs_spline_of_bezier_pieces_is_those_pieces() -> None:
    obj = _curve("NURBS", POINTS, order_u=4, use_endpoint_u=True, use_bezier_u=True)
    pieces, _ = bezier_pieces(obj)
    np.testing.assert_allclose(pieces, [POINTS[:4], POINTS[3:]], atol=1e-6)
    _assert_passes_through_what_is_drawn(obj)


def test_a_poly_spline_is_its_straight_sides() -> None:
    pieces, closed = bezier_pieces(_curve("POLY", POINTS, use_cyclic_u=True))
    assert closed
    np.testing.assert_allclose(pieces[:, 0], POINTS, atol=1e-6)
    np.testing.assert_allclose(pieces[-1, 3], POINTS[0], atol=1e-6)
    np.testing.assert_allclose(pieces[:, 1], pieces[:, 0] + (pieces[:, 3] - pieces[:, 0]) / 3.0, atol=1e-9)


def test_a_bezier_spline_is_its_handles() -> None:
    bpy.ops.curve.primitive_bezier_circle_add(radius=2.0)
    pieces, closed = bezier_pieces(active_object())
    assert closed
    assert pieces.shape == (4, 4, 3)
    _assert_passes_through_what_is_drawn(active_object())


def test_what_is_no_curve_is_refused() -> None:
    obj = _curve("NURBS", POINTS)
    curve_of(obj).splines[0].points[2].co.w = -2.0
    with pytest.raises(SceneError, match="a weight that is not positive"):
        bezier_pieces(obj)
    with pytest.raises(SceneError, match="7 points, which make no Bezier pieces of order 4"):
        bezier_pieces(_curve("NURBS", POINTS, order_u=4, use_bezier_u=True, use_cyclic_u=True))
    with pytest.raises(SceneError, match="is a mesh object"):
        bezier_pieces(bpy.data.objects.new("Mesh", bpy.data.meshes.new("Mesh")))


def test_a_circle_of_rational_arcs_is_an_exact_profile_and_path() -> None:
    """With weights 1, 1, 2 by turns; Blender's own circle has the root of one half, in single precision."""
    circle = np.insert(spline_bodies.CIRCLE[:8], 1, 0.0, axis=1)
    for kind, points, values in (
        ("revolution", [1.0, 0.0, 0.0] + 0.25 * circle, {}),
        ("tube", circle, {"radius": 0.25}),
    ):
        obj = _curve("NURBS", points, order_u=3, use_cyclic_u=True, use_endpoint_u=True, use_bezier_u=True)
        for point, weight in zip(curve_of(obj).splines[0].points, spline_bodies.CIRCLE_WEIGHTS, strict=False):
            point.co.w = weight
        parameters: dict[str, Any] = {{"revolution": "profile", "tube": "path"}[kind]: obj.name, **values}
        body = boundary_of(scenes.surface("Ring", kind, **parameters))
        assert body.closed
        assert body.mass.volume == pytest.approx(2.0 * np.pi**2 * 0.0625, rel=1e-12)
