"""Mirrored functions and weighted sums are the functions that they say, with the parameters of one half."""

from __future__ import annotations

import numpy as np
import pytest

from physplace_addon.core.arrays import Floats
from physplace_addon.core.implicit import (
    Boxes,
    CylinderField,
    ImplicitFunction,
    SphereField,
    Spheres,
    blobby_spheres,
    union,
)
from physplace_addon.core.implicit.functions.gaussians.weighted_sum import GaussianGroup, WeightedSum
from physplace_addon.core.implicit.functions.mirrored import Mirrored

TURN = np.array([-1.0, 1.0, 1.0])
BALLS = Spheres.of([[0.4, 0.1, 0.2], [1.5, 0.3, -0.2]], [0.5, 0.3])
FIELDS = (
    SphereField.of([[0.5, 0.1, 0.2], [1.2, 0.0, 0.3]], [0.6, 0.5]),
    CylinderField.of([[0.3, -0.5, 0.1]], [[1.1, 0.7, 0.4]], 0.4),
)
MIRRORED: dict[str, ImplicitFunction] = {
    "sharp": Mirrored(BALLS),
    "smooth": Mirrored(BALLS, 0.4),
    "box": Mirrored(Boxes.of([0.3, 0.0, 0.0], [0.5, 0.4, 0.3], 0.1), 0.2),
    "sum": WeightedSum(0.4, (GaussianGroup(0.8, True, FIELDS),)),
}


def by_differences(function: ImplicitFunction, x: Floats) -> Floats:
    """F_q (k, m) by central differences."""
    q, h = function.parameters, 1e-5
    steps = h * np.eye(len(q))
    return np.stack(
        [
            (function.with_parameters(q + step).value(x) - function.with_parameters(q - step).value(x))
            / (2.0 * h)
            for step in steps
        ],
        axis=1,
    )


@pytest.mark.parametrize("name", MIRRORED)
def test_derivatives_ranges_and_symmetry(name: str, rng: np.random.Generator) -> None:
    function, x = MIRRORED[name], rng.uniform(-1.8, 1.8, (200, 3))
    value, slope, bend = function.hessian(x)
    np.testing.assert_allclose(function.value(x * TURN), value, atol=1e-12)
    h = 1e-5
    for i, step in enumerate(h * np.eye(3)):
        found = (function.value(x + step) - function.value(x - step)) / (2.0 * h)
        smooth = np.abs(found - slope[:, i]) < 1e-5
        assert smooth.mean() > (0.98 if name != "sharp" else 0.95)
        turned = (function.gradient(x + step)[1] - function.gradient(x - step)[1]) / (2.0 * h)
        assert (np.abs(turned - bend[:, :, i]).max(axis=1) < 1e-4).mean() > 0.95
    differences, exact = by_differences(function, x), function.parameter_gradient(x).toarray()
    assert (np.abs(differences - exact).max(axis=1) < 1e-5).mean() > 0.95
    rate = rng.normal(size=len(function.parameters))
    np.testing.assert_allclose(function.parameter_rate(x, rate), exact @ rate, atol=1e-10)
    lower = rng.uniform(-2.0, 1.5, (60, 3))
    upper = lower + rng.uniform(0.0, 0.6, (60, 3))
    least, most = function.range(lower, upper)
    for share in rng.random((50, 60, 3)):
        inside = function.value(lower + share * (upper - lower))
        assert (inside >= least - 1e-12).all()
        assert (inside <= most + 1e-12).all()
    places = rng.uniform(-3.0, 3.0, (20_000, 3))
    for level in (0.0, 0.2):
        box, within = function.box_inside(level), places[function.value(places) <= level]
        assert (within >= box[0]).all()
        assert (within <= box[1]).all()
    assert (function.box()[0] == function.box_inside(0.0)[0]).all()


def test_a_mirrored_function_is_the_union_with_its_image(rng: np.random.Generator) -> None:
    image = Spheres.of(BALLS.rows[:, :3] * TURN, BALLS.rows[:, 3])
    x = rng.uniform(-2.0, 2.0, (500, 3))
    np.testing.assert_allclose(Mirrored(BALLS).value(x), union([BALLS, image]).value(x), atol=1e-12)


def test_a_weighted_sum_is_that_of_its_gaussians(rng: np.random.Generator) -> None:
    centres, radii = np.array([[0.0, 0.0, 0.0], [0.8, 0.2, 0.0]]), np.array([1.0, 0.5])
    groups = tuple(
        GaussianGroup(weight, False, (SphereField.of(centres[[i]], radii[i]),))
        for i, weight in enumerate((1.5, -0.8))
    )
    x = rng.uniform(-1.5, 1.5, (300, 3))
    g = np.exp(-(np.linalg.norm(x[:, None] - centres, axis=2) ** 2) / radii**2)
    expected = 0.4 - g @ np.array([1.5, -0.8])
    np.testing.assert_allclose(WeightedSum(0.4, groups).value(x), expected, atol=1e-12)
    plain = WeightedSum(0.4, (GaussianGroup(1.0, False, (SphereField.of(centres, radii),)),))
    np.testing.assert_allclose(plain.value(x), blobby_spheres(0.4, centres, radii).value(x), atol=1e-14)


def test_a_sum_of_negative_weights_alone_has_no_surface() -> None:
    only = WeightedSum(0.4, (GaussianGroup(-1.0, False, (SphereField.of([[0.0, 0, 0]], [1.0]),)),))
    box = only.box()
    assert (box[0] > box[1]).any()
