"""Edges of Bezier patches: tangent, curvature, arc length, and the faces beside them."""

import numpy as np
import pytest

from tests.core.surfaces.bezier.patched_bodies import (
    BODIES,
)


@pytest.mark.parametrize("edge_name", ["cube", "hill", "tip", "pot", "lid"])
def test_edges_have_the_tangent_and_the_curvature_of_their_curve(edge_name: str) -> None:
    for curve in BODIES[edge_name].curves:
        inner = curve.knots[:-1, None] + np.diff(curve.knots)[:, None] * np.array([0.1, 0.4, 0.8])
        t, edge = inner.ravel(), np.zeros(inner.size, dtype=np.intp)
        h = 1e-5
        low, here, high = (curve.geometry(edge, t + shift) for shift in (-h, 0.0, h))
        first, second = (high.point - low.point) / (2 * h), (high.point - 2 * here.point + low.point) / h**2
        speed = np.linalg.norm(first, axis=1)[:, None]
        np.testing.assert_allclose(here.tangent, first / speed, atol=1e-8)
        across = second - np.sum(second * here.tangent, axis=1, keepdims=True) * here.tangent
        np.testing.assert_allclose(here.curvature, across / speed**2, atol=2e-4)


def test_edges_are_walked_by_arc_length() -> None:
    for curve in BODIES["pot"].curves:
        edge, t = np.zeros(1, dtype=np.intp), np.array([0.1])
        way = 0.0
        for _ in range(40):
            here = curve.geometry(edge, t).point
            t = curve.move(edge, t, np.array([0.01]))
            way += float(np.linalg.norm(curve.geometry(edge, t).point - here))
        assert way == pytest.approx(0.4, rel=2e-3)


def test_conormals_point_into_the_faces_of_an_edge() -> None:
    body = BODIES["cube"]
    for curve in body.curves:
        middle = curve.geometry(np.zeros(1, dtype=np.intp), np.array([0.5]))
        inward = curve.conormals(np.zeros(1, dtype=np.intp), np.array([0.5]))[0]
        np.testing.assert_allclose(inward.sum(axis=0), 2 * (0.5 - middle.point[0]), atol=1e-14)
        np.testing.assert_allclose(inward @ middle.tangent[0], 0.0, atol=1e-14)
    open_edge = BODIES["lid"].curves[0].conormals(np.zeros(1, dtype=np.intp), np.array([0.3]))[0]
    assert open_edge[0, 2] == pytest.approx(1.0)
    assert np.isnan(open_edge[1]).all()
