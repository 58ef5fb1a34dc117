import numpy as np
import pytest

from physplace_addon.core.implicit.control.constraint_equations import (
    DesiredStep,
    PointEvaluation,
    StepLimits,
    first_order_step,
)
from physplace_addon.core.implicit.control.control_points import ControlPoints
from physplace_addon.core.implicit.control.least_change import RankedInverse
from physplace_addon.core.implicit.control.parameter_metric import (
    ParameterMetric,
    mobility_by_motion,
    mobility_by_scales,
)
from physplace_addon.core.implicit.control.state import SculptSettings
from physplace_addon.core.implicit.particles.floaters import Floaters, FloaterSettings
from physplace_addon.core.implicit.projection import projected
from tests.core.implicit.surfaces import fourteen_spheres


def samples(blob, count, seed=0):
    """Places on a blob, not evenly."""
    draw = np.random.default_rng(seed)
    centres = blob.parameters[1:].reshape(-1, 4)[:, :3]
    radii = blob.parameters[1:].reshape(-1, 4)[:, 3]
    which = draw.integers(len(radii), size=8 * count)
    way = draw.normal(size=(8 * count, 3))
    places = centres[which] + 1.2 * radii[which, None] * way / np.linalg.norm(way, axis=1)[:, None]
    places = projected(blob, projected(blob, places, 0.1 * radii.min()), 0.1 * radii.min())
    return places[np.abs(blob.value(places)) < 1e-12][:count]


def rates_and_slope(blob, places):
    """F_q and |F_x|: their quotient is how far the surface moves across itself by each parameter."""
    return blob.parameter_gradient(places).toarray(), np.linalg.norm(blob.gradient(places)[1], axis=1)


def in_ranks(*ranks):
    """The inverse of ranks of rows."""
    return RankedInverse(np.vstack(ranks), np.repeat(np.arange(len(ranks)), [len(rows) for rows in ranks]))


def by_motion(blob, places):
    every = np.ones(len(blob.parameters), dtype=bool)
    return mobility_by_motion(*rates_and_slope(blob, places), np.ones(len(places)), blob.scales, every)


@pytest.mark.parametrize("seed", range(5))
def test_parameters_solve_the_constrained_least_change(seed) -> None:
    """Equations 7 and 8 against the stationary point of the Lagrangian, which is solved as it stands."""
    blob = fourteen_spheres(seed)
    places = samples(blob, 260, seed)
    draw = np.random.default_rng(seed)
    controls = ControlPoints.pinned(places[:10])
    for index in range(4):
        controls = controls.dragged_to(index, places[index] + draw.normal(size=3))
    mobility = by_motion(blob, places[10:])
    size, way, desired = len(blob.parameters), controls.moves(0.3, 0.1), 0.05 * draw.normal(size=57)
    limits = StepLimits(0.1, 1e-3, 3.0, 0.0, blob.positive, blob.scales, keep_normals=False)
    desired_step = DesiredStep(way, desired, return_to_surface=True)
    change = first_order_step(
        PointEvaluation.of(blob, controls, limits), controls, desired_step, mobility, limits
    ).change

    value, gradient = blob.gradient(controls.position)
    rows = blob.parameter_gradient(controls.position).toarray()
    metric = np.linalg.inv(mobility @ mobility.T)
    asked = -(np.einsum("ni,ni->n", gradient, way) + value)
    system = np.block([[metric, rows.T], [rows, np.zeros((10, 10))]])
    expected = np.linalg.solve(system, np.concatenate([metric @ desired, asked]))[:size]
    assert np.abs(change - expected).max() <= 1e-10 * np.abs(expected).max()
    assert np.abs(rows @ change - asked).max() <= 1e-10 * np.abs(asked).max()


def test_a_point_that_asks_what_others_ask_changes_nothing() -> None:
    draw = np.random.default_rng(1)
    rows, ask = draw.normal(size=(4, 12)), draw.normal(size=4)
    twice = np.vstack([rows, rows[1] + rows[2]])
    asked = np.array([*ask, ask[1] + ask[2]])
    alone = in_ranks(rows).answer(ask)
    for ranks in ([twice], [twice[:2], twice[2:]], [twice[:4], twice[4:]]):
        assert np.allclose(in_ranks(*ranks).answer(asked), alone, rtol=0, atol=1e-12)


@pytest.mark.parametrize("alike", [1.0, 0.1, 1e-2, 1e-3, 1e-4])
def test_points_that_ask_for_nearly_the_same_are_both_served(alike) -> None:
    """All at once or by singular values: the pseudo-inverse."""
    draw = np.random.default_rng(2)
    rows = draw.normal(size=(8, 40))
    rows[1] = rows[0] + alike * rows[1]
    inverse, expected = in_ranks(rows[:6], rows[6:]), np.linalg.pinv(rows)
    assert np.abs(inverse.whole - expected).max() <= 1e-11 * np.abs(expected).max()
    others = draw.normal(size=(5, 40))
    assert np.allclose(inverse.beyond(others), others - others @ expected @ rows, rtol=0, atol=1e-9)


def test_points_that_ask_the_opposite_meet_in_the_middle() -> None:
    rows = np.array([[1.0, 2.0, 0.0], [1.0, 2.0, 0.0]])
    assert np.allclose(in_ranks(rows).answer(np.array([1.0, 0.0])), [0.1, 0.2, 0.0], rtol=0, atol=1e-14)


def test_what_is_pinned_comes_before_what_is_dragged() -> None:
    rows = np.array([[1.0, 2.0, 0.0]])
    assert np.allclose(in_ranks(rows, rows).answer(np.array([0.0, 1.0])), 0.0, rtol=0, atol=1e-9)


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
