"""The least turn from one direction to another."""

from __future__ import annotations

import numpy as np
import pytest

from physplace_addon.core.rigid import rotation_matrix
from physplace_addon.scene.reading.subjects.stance import least_turn


@pytest.mark.parametrize("small", [1.0, 1e-3, 1e-7, 0.0])
@pytest.mark.parametrize("opposite", [False, True])
def test_it_turns_one_into_the_other_about_an_axis_across_both(small: float, opposite: bool) -> None:
    draw = np.random.default_rng(5)
    for _ in range(20):
        start = draw.normal(size=3)
        start /= np.linalg.norm(start)
        end = (-start if opposite else start) + small * draw.normal(size=3)
        end /= np.linalg.norm(end)
        turn = least_turn(start, end)
        np.testing.assert_allclose(rotation_matrix(turn) @ start, end, atol=1e-14)
        np.testing.assert_allclose((turn @ start, turn @ end), 0.0, atol=1e-8)
        assert np.linalg.norm(turn) <= np.pi + 1e-12
