"""Derivatives by both bodies follow from those by the first, beside finite differences of a model gap."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from physplace_addon.core.arrays import Floats
from physplace_addon.core.contact.pair_derivatives import (
    gradient_by_second,
    hessian_by_both,
)
from tests.core.contact.body_pairs import (
    pose,
)


def moved(x: Floats, centre: Floats) -> tuple[Floats, Floats, Floats]:
    """The map (turn, centre, shift) of a displacement x about a centre."""
    return pose(x[3:]).matrix, centre, x[:3]


def gap_of(
    normal: Floats,
    point: Floats,
    centre_a: Floats,
    centre_b: Floats,
    x_a: Floats,
    x_b: Floats,
    stiffness: Floats,
) -> float:
    """A gap that depends on the relative pose alone: a quadratic function of where a point of a is, in b."""
    turn_a, _, shift_a = moved(x_a, centre_a)
    turn_b, _, shift_b = moved(x_b, centre_b)
    at = turn_a @ (point - centre_a) + centre_a + shift_a
    in_b = turn_b.T @ (at - centre_b - shift_b) + centre_b - point
    return float(normal @ in_b + 0.5 * in_b @ stiffness @ in_b)


def differences(function: Callable[[Floats], float], step: float = 1e-3) -> tuple[Floats, Floats]:
    """Gradient (12,) and Hessian (12, 12) of a function of x = (x_a, x_b), by central differences."""
    e = step * np.eye(12)
    gradient = np.array([(function(d) - function(-d)) / (2.0 * step) for d in e])
    hessian = np.empty((12, 12))
    for i in range(12):
        for j in range(12):
            corners = (
                function(e[i] + e[j]) - function(e[i] - e[j]) - function(e[j] - e[i]) + function(-e[i] - e[j])
            )
            hessian[i, j] = corners / (4.0 * step**2)
    return gradient, hessian


def test_both_derivatives_are_those_of_finite_differences(rng: np.random.Generator) -> None:
    normal, point, centre_a, centre_b = rng.normal(size=(4, 3))
    root = rng.normal(size=(3, 3))
    stiffness = root @ root.T

    def gap(x: Floats) -> float:
        return gap_of(normal, point, centre_a, centre_b, x[:6], x[6:], stiffness)

    gradient, hessian = differences(gap)
    separation = (centre_a - centre_b)[None]
    by_second = gradient_by_second(gradient[None, :6], separation)
    mixed, own = hessian_by_both(gradient[None, :6], hessian[None, :6, :6], separation)
    np.testing.assert_allclose(by_second[0], gradient[6:], atol=1e-4)
    np.testing.assert_allclose(mixed[0], hessian[:6, 6:], atol=1e-4)
    np.testing.assert_allclose(own[0], hessian[6:, 6:], atol=1e-4)


def test_a_shift_of_both_bodies_changes_no_gap(rng: np.random.Generator) -> None:
    gradient, separation = rng.normal(size=(3, 6)), rng.normal(size=(3, 3))
    both = gradient + gradient_by_second(gradient, separation)
    np.testing.assert_allclose(both[:, :3], 0.0, atol=1e-14)
