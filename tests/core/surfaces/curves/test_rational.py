"""Rational curves: circles that are circles, exact derivatives, a bound on the third."""

import numpy as np
import pytest

from physplace_addon.core.surfaces.analytic import swept
from physplace_addon.core.surfaces.curves.rational import PiecewiseRational
from tests.core.surfaces.bezier import spline_bodies as splines
from tests.core.surfaces.point_distances import distances


@pytest.mark.parametrize("kind", ["revolution", "tube"])
def test_a_circle_of_rational_arcs_is_turned_and_followed_exactly(
    kind: str, rng: np.random.Generator
) -> None:
    if kind == "tube":
        circle = np.insert(splines.CIRCLE, 2, 0.0, axis=1)
        body = swept.tube(splines.pieces(circle, splines.CIRCLE_WEIGHTS, splines.ROUND), 0.25, True)
    else:
        circle = np.array([1.0, 0.0]) + 0.25 * splines.CIRCLE
        body = swept.revolution(splines.pieces(circle, splines.CIRCLE_WEIGHTS, splines.ROUND), True)
    assert body.closed
    assert body.mass.volume == pytest.approx(2.0 * np.pi**2 * 0.0625, rel=1e-12)
    u, v = body.surfaces[0].domain
    at = np.column_stack([rng.uniform(w.lower, w.upper, 300) for w in (u, v)])
    point = body.surfaces[0].geometry(np.zeros(300, dtype=int), at).point
    around = np.hypot(point[:, 0], point[:, 1])
    np.testing.assert_allclose(np.hypot(around - 1.0, point[:, 2]), 0.25, atol=2e-15)
    mesh = body.tessellate((17, 17))
    apart = distances(point[:100], mesh.points[mesh.corners])
    assert np.all((apart - mesh.bound).min(axis=1) <= 0.0)


def test_a_rational_curve_has_exact_derivatives_and_bounds_on_the_third(rng: np.random.Generator) -> None:
    control = rng.normal(size=(5, 5, 4))
    control[..., 3] = rng.uniform(0.3, 2.0, (5, 5))
    curve = PiecewiseRational(control, np.array([0.0, 1.0, 3.0, 4.0, 4.5, 6.0]))
    t = curve.knots[:-1] + 0.4 * np.diff(curve.knots)
    step = 1e-6
    slopes = (curve.jet(t + step) - curve.jet(t - step)) / (2.0 * step)
    np.testing.assert_allclose(curve.jet(t)[:, 3:], slopes[:, :9], rtol=1e-7, atol=1e-6)
    for width, most in ((0.2, 20.0), (1e-4, 1.01)):
        bounds = curve.third_bounds(t, t + width)
        inside = curve.jet((t[:, None] + width * np.linspace(0.0, 0.999, 40)).ravel())[:, 9:]
        true = np.linalg.norm(inside, axis=1).reshape(5, 40).max(axis=1)
        assert np.all((true <= bounds) & (bounds <= most * true))
