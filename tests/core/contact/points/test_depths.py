"""A gap that is negative is found as deep as it is, however deep, where nothing is known of another pose."""

from __future__ import annotations

import numpy as np
import pytest

from physplace_addon.core.bodies import exact
from physplace_addon.core.contact.body_pair import BodyPair
from physplace_addon.core.contact.points.surface_crossings import surface_crossings
from physplace_addon.core.surfaces.analytic import swept
from tests.core.contact.body_pairs import everything_within, meet

DEPTHS = (1e-6, 1e-4, 1e-2)


def on_another(height: float) -> BodyPair:
    """A cylinder that leans across the rim of another one, so that their rims cross."""
    return meet("cylinder", "cylinder", (0.5, 0.2, 0.3), (0.45, 0.3, height))


def test_rims_that_cross_are_as_deep_as_the_body_was_lowered() -> None:
    low, high = 0.5, 4.0
    for _ in range(30):
        middle = 0.5 * (low + high)
        low, high = (middle, high) if len(surface_crossings(on_another(middle), 0.0)) else (low, middle)
    before = everything_within(on_another(high + 1e-6), 0.05)
    first = before.take(np.array([before.gap.argmin()]))
    assert first.kinds() == ["edge/edge"]
    for depth in DEPTHS:
        found = everything_within(on_another(high - depth), 0.05)
        assert found.gap.min() == pytest.approx(-depth * first.normal[0, 2], rel=0.02, abs=2e-7)


@pytest.mark.parametrize("turn", [(0.7, 0.6, 0.0), (0.25 * np.pi, 0.0, 0.0), (0.4, -1.0, 0.8)])
def test_a_corner_or_an_edge_through_an_open_sheet_is_on_the_side_of_its_solid(
    turn: tuple[float, float, float],
) -> None:
    angle = np.linspace(0.0, 1.2, 9)
    dome = exact(swept.revolution(2.0 * np.stack([np.sin(angle), np.cos(angle)], axis=1)), "dome")
    cube = meet("cube", dome, turn)
    lowest = cube.pose.points(cube.active.body.vertices)
    start = lowest[lowest[:, 2].argmin()]
    over, up = np.array([0.1, 0.0, np.sqrt(4.0 - 0.01)]) - start, np.array([0.0, 0.0, 1.0])
    higher = everything_within(meet("cube", dome, turn, over + 2e-5 * up), 0.05).gap.min()
    for depth in DEPTHS:
        found = everything_within(meet("cube", dome, turn, over - depth * up), 0.05)
        assert found.gap.min() == pytest.approx(higher - 2e-5 - depth, abs=0.01 * (2e-5 + depth))
