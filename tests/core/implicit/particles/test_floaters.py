"""Floaters and their settings."""

import numpy as np
import pytest

from physplace_addon.core.errors import SamplingError
from physplace_addon.core.implicit import FloaterSettings


def test_bounds_that_are_turned_over_are_named() -> None:
    with pytest.raises(SamplingError, match=r"(?s)bounds: .*; give the lowest and the highest corner"):
        FloaterSettings(0.1, bounds=np.array([[1.0, 1.0, 1.0], [-1.0, -1.0, -1.0]]))


@pytest.mark.parametrize("radius", [0.0, -1.0, np.nan, np.inf])
def test_a_radius_without_meaning_is_named(radius: float) -> None:
    with pytest.raises(SamplingError, match=r"floaters: radius: .*; give a length above 0"):
        FloaterSettings(radius)
