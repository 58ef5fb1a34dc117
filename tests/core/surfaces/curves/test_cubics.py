"""Piecewise cubics: exact jets, parts that run through the same points, bounds that hold."""

import numpy as np

from physplace_addon.core.arrays import Floats
from physplace_addon.core.surfaces.curves.cubics import PiecewiseCubic, bezier_of_hermite, chord_knots
from physplace_addon.core.surfaces.curves.piecewise import distance_to_segment

KNOTS = np.array([0.0, 1.5, 2.0, 4.0])


def curve(rng: np.random.Generator) -> tuple[PiecewiseCubic, Floats, Floats]:
    points, slopes = rng.normal(size=(4, 3)), rng.normal(size=(4, 3))
    return PiecewiseCubic.from_control(bezier_of_hermite(points, slopes, KNOTS), KNOTS), points, slopes


def test_a_curve_of_points_and_slopes_has_them_at_its_knots(rng: np.random.Generator) -> None:
    own, points, slopes = curve(rng)
    jet = own.jet(KNOTS)
    np.testing.assert_allclose(jet[:, :3], points, atol=1e-14)
    np.testing.assert_allclose(jet[:, 3:6], slopes, atol=1e-13)


def test_derivatives_agree_with_differences(rng: np.random.Generator) -> None:
    own, h = curve(rng)[0], 1e-5
    t = np.array([0.3, 1.1, 1.7, 2.4, 3.5])
    jet, low, high = (own.jet(t + shift) for shift in (0.0, -h, h))
    np.testing.assert_allclose(jet[:, 3:], ((high - low) / (2 * h))[:, :9], atol=1e-6)


def test_a_part_has_control_points_of_its_own(rng: np.random.Generator) -> None:
    own = curve(rng)[0]
    lower, upper = np.array([0.2, 2.5]), np.array([1.3, 3.9])
    control = own.sub_control(lower, upper)
    for part, low, high in zip(control, lower, upper, strict=True):
        alone = PiecewiseCubic.from_control(part[None], np.array([low, high]))
        t = np.linspace(low, high, 9)
        np.testing.assert_allclose(alone.jet(t)[:, :6], own.jet(t)[:, :6], atol=1e-12)


def test_no_point_is_farther_from_the_chord_than_the_bound(rng: np.random.Generator) -> None:
    own = curve(rng)[0]
    for low, high in ((0.1, 1.4), (1.6, 1.9), (2.0, 4.0)):
        points = own.jet(np.linspace(low, high, 200))[:, :3]
        away = distance_to_segment(points, *(np.broadcast_to(p, points.shape) for p in points[[0, -1]]))
        bound = own.chord_bounds(np.array([low]), np.array([high]))[0]
        assert away.max() <= bound + 1e-14


def test_the_third_derivative_is_bounded_over_several_pieces(rng: np.random.Generator) -> None:
    own = curve(rng)[0]
    third = np.linalg.norm(own.jet(np.array([0.5, 1.7, 3.0]))[:, 9:], axis=1)
    bounds = own.third_bounds(np.array([0.2, 0.2, 1.6]), np.array([0.9, 1.8, 3.0]))
    np.testing.assert_allclose(bounds, [third[0], third[:2].max(), third[1:].max()], rtol=1e-12)


def test_chord_knots_are_lengths_along_the_polygon() -> None:
    assert chord_knots(np.array([[0.0, 0.0], [3.0, 4.0], [3.0, 5.0]])).tolist() == [0.0, 5.0, 6.0]
