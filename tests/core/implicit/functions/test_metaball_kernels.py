"""A metaball's element and its Gaussian have the same lone surface, value and slope there, there and back."""

from __future__ import annotations

import numpy as np
import pytest

from physplace_addon.core.implicit.functions.gaussians.metaball_kernels import gaussian_of, metaball_of


@pytest.mark.parametrize("stiffness", [0.7, 2.0, 8.0])
def test_both_kernels_agree_at_the_surface_of_a_lone_element(stiffness: float) -> None:
    threshold, bias, radius = 0.6, 0.37, 2.0
    sigma, weight = gaussian_of(radius, stiffness, threshold, bias)
    surface = radius * np.sqrt(1.0 - (threshold / stiffness) ** (1.0 / 3.0))

    def shares(r: float) -> tuple[float, float]:
        """The fields over their levels."""
        ball = stiffness * (1.0 - r**2 / radius**2) ** 3 / threshold
        return float(ball), float(weight * np.exp(-(r**2) / sigma**2) / bias)

    assert shares(surface) == pytest.approx((1.0, 1.0))
    slopes = (np.array(shares(surface + 1e-6)) - np.array(shares(surface - 1e-6))) / 2e-6
    assert slopes[0] == pytest.approx(slopes[1], rel=1e-6)


@pytest.mark.parametrize("stiffness", [0.2, 0.6, 0.7, 2.0, 8.0])
def test_there_and_back_is_the_same_element(stiffness: float) -> None:
    sigma, weight = gaussian_of(1.5, stiffness, 0.6, 0.37)
    assert metaball_of(sigma, weight, 0.6, 0.37) == pytest.approx((1.5, stiffness))
