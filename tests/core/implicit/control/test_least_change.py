"""The least change of parameters by which points are met, and what happens where they cannot be."""

import numpy as np
import pytest

from physplace_addon.core.arrays import Floats
from physplace_addon.core.implicit.control.constraint_equations import (
    DesiredStep,
    PointEvaluation,
    StepLimits,
    first_order_step,
)
from physplace_addon.core.implicit.control.control_points import ControlPoints
from physplace_addon.core.implicit.control.least_squares import fitted, rates
from tests.core.implicit.control.least_norm import random_drags
from tests.core.implicit.control.pulled_blobs import by_motion, in_ranks, samples
from tests.core.implicit.surfaces import fourteen_spheres


@pytest.mark.parametrize("seed", range(5))
def test_parameters_solve_the_constrained_least_change(seed: int) -> None:
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


def test_a_drag_costs_no_more_than_an_independent_least_norm_solution() -> None:
    for drag in random_drags(0, 5):
        assert abs(drag.made / drag.least - 1.0) <= 1e-8
        assert drag.missed <= 1e-10


def test_a_point_that_asks_what_others_ask_changes_nothing() -> None:
    draw = np.random.default_rng(1)
    rows, ask = draw.normal(size=(4, 12)), draw.normal(size=4)
    twice = np.vstack([rows, rows[1] + rows[2]])
    asked = np.array([*ask, ask[1] + ask[2]])
    alone = in_ranks(rows).answer(ask)
    for ranks in ([twice], [twice[:2], twice[2:]], [twice[:4], twice[4:]]):
        assert np.allclose(in_ranks(*ranks).answer(asked), alone, rtol=0, atol=1e-12)


@pytest.mark.parametrize("alike", [1.0, 0.1, 1e-2, 1e-3, 1e-4])
def test_points_that_ask_for_nearly_the_same_are_both_served(alike: float) -> None:
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


def test_rates_of_distances_are_their_derivatives_by_the_parameters() -> None:
    blob, h = fourteen_spheres(0), 1e-6
    places = samples(blob, 5, 0) + 0.1

    def distances(parameters: Floats) -> Floats:
        value, gradient = blob.with_parameters(parameters).gradient(places)
        return np.asarray(value / np.linalg.norm(gradient, axis=1))

    moved = h * np.eye(len(blob.parameters))
    expected = [
        (distances(blob.parameters + one) - distances(blob.parameters - one)) / (2.0 * h) for one in moved
    ]
    assert np.allclose(rates(blob, places, 1e-4), np.transpose(expected), rtol=0, atol=1e-7)


def test_pins_where_slopes_are_next_to_nothing_leave_parameters_finite() -> None:
    """The nearer they are to where F_x is zero, the greater F / |F_x| and its derivatives, without bound."""
    blob = fourteen_spheres(0)
    limits = StepLimits(0.1, 1e-4, 2.0, 0.06, blob.positive, blob.scales)
    by_scales = np.diag(blob.scales)
    for far in np.linspace(5.0, 25.0, 60):
        places = np.array([[far, 0.0, 0.0], samples(blob, 1, 0)[0] + 0.1])
        parameters = fitted(blob, places, lambda _: by_scales, limits, 0.4).parameters
        assert np.isfinite(parameters).all()


def test_pins_out_of_reach_leave_a_surface_of_which_nothing_may_change_as_it_is() -> None:
    """All parameters are frozen while an artist moves the elements of a blob."""
    blob = fourteen_spheres(0)
    places = samples(blob, 5, 0) + 1.0
    none_free = np.zeros((len(blob.parameters), 0))
    limits = StepLimits(0.1, 1e-4, 2.0, 0.06, blob.positive, blob.scales)
    assert fitted(blob, places, lambda _: none_free, limits, 0.3) is blob
