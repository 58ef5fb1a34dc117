"""The metric of the parameters' change: how far they move the surface."""

import numpy as np

from physplace_addon.core.implicit.control.parameter_metric import ParameterMetric, mobility_by_scales
from physplace_addon.core.implicit.control.state import SculptSettings
from physplace_addon.core.implicit.particles.floaters import Floaters, FloaterSettings
from tests.core.implicit.control.pulled_blobs import by_motion, in_ranks, rates_and_slope, samples
from tests.core.implicit.surfaces import fourteen_spheres


def test_the_metric_is_taken_from_floaters_that_are_on_the_surface() -> None:
    """After an element is moved they are not yet, and it is taken anew in the next step."""
    blob, settings = fourteen_spheres(1), SculptSettings(FloaterSettings(0.1))
    every, places = np.ones(len(blob.parameters), dtype=bool), samples(blob, 160)
    strayed = np.concatenate([places[:100], 1.2 * places[100:]])
    fresh, stale = (ParameterMetric(blob, Floaters.at(own, 0.1), settings) for own in (places, strayed))
    assert np.allclose(fresh.mobility(every), by_motion(blob, places), rtol=1e-9, atol=1e-12)
    assert np.allclose(stale.mobility(every), by_motion(blob, places[:100]), rtol=1e-9, atol=1e-12)
    assert [fresh.is_old(Floaters.at(places, 0.1)), stale.is_old(Floaters.at(places, 0.1))] == [False, True]


def test_pulling_at_one_end_leaves_the_rest_alone() -> None:
    """The metric of the surface's motion: by plain lengths, the bias blows up the whole blob."""
    blob = fourteen_spheres(1)
    places = samples(blob, 400)
    rates, slope = rates_and_slope(blob, places)
    rows, far = rates / slope[:, None], np.linalg.norm(places - places[0], axis=1) > 0.8
    moved = []
    for mobility in (
        by_motion(blob, places),
        mobility_by_scales(blob.scales, np.ones(len(blob.parameters), dtype=bool)),
    ):
        change = mobility @ in_ranks(rows[:1] @ mobility).answer(np.ones(1))
        assert np.isclose(rows[0] @ change, 1.0, rtol=1e-12)
        moved.append(np.sqrt(np.mean((rows[far] @ change) ** 2)))
    assert moved[0] < 0.2
    assert moved[0] < 0.4 * moved[1]
