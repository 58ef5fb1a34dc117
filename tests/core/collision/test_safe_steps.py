"""Safe steps end before the first root of their bound, however small the value is at the start."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

from physplace_addon.core.collision.rigid_paths.safe_steps import safe_steps


def least_value(value: float, slope: float, curvature: float, jerk: float, until: float) -> Fraction:
    """Return the least value of the bound, exactly, at many places before the end of a step."""
    v, b, c, j = (Fraction(each) for each in (value, slope, curvature, jerk))
    places = [Fraction(until) * (1 - Fraction(1, 10**12)) * i / 20 for i in range(21)]
    return min(v + b * s + c * s**2 / 2 - j * s**3 / 6 for s in places)


@pytest.mark.parametrize("value", [1.0, 1e-6, 1e-12, 1e-16, 1e-18, 1e-30])
@pytest.mark.parametrize("slope", [1.0, -1.0, 1e-3, -1e-9, 0.0])
@pytest.mark.parametrize(
    ("curvature", "jerk"), [(-10.0, 0.0), (-10.0, 3.0), (2.0, 50.0), (0.0, 0.0), (-1e-6, 1.0)]
)
def test_nothing_is_passed_before_a_step_ends(
    value: float, slope: float, curvature: float, jerk: float
) -> None:
    v, b, c, j = (np.array([each]) for each in (value, slope, curvature, jerk))
    step = float(safe_steps(v, b, c, j, np.ones(1))[0])
    assert 0.0 < step <= 1.0
    assert least_value(value, slope, curvature, jerk, step) > 0


def test_a_step_that_rises_from_almost_nothing_ends_where_it_has_come_back() -> None:
    value = np.array([1e-10, 1e-16, 1e-18, 1e-30])
    step = safe_steps(value, np.ones(4), np.full(4, -10.0), np.zeros(4), np.ones(4))
    np.testing.assert_allclose(step, 0.2, rtol=1e-8)
