"""The step of a placement: the paper's own update, and the forces of samples of a contact curve."""

from __future__ import annotations

import numpy as np

from physplace_addon.core.mechanics.coordinates import FREE_BODIES
from physplace_addon.core.optimization.step_qp import TrustRegion
from physplace_addon.core.placement import Placement, Settings
from physplace_addon.core.placement.stepping import forces_on_minima, residual_step, solve_step
from physplace_addon.core.rigid import Pose
from tests.bodies_of_the_paper import floor, sphere, torus

UPRIGHT = np.array([1.0, 0.0, 0.0, 0.0])


def test_the_papers_step_goes_along_the_residual_no_farther_than_trusted() -> None:
    gradients = np.array([[0.0, 0.0, 1.0, 0.0, 0.0, 0.0], [1.0, 0.0, 0.0, 0.0, 0.0, 0.0]])
    region = TrustRegion(0.05, np.zeros(6, int), lambda x: np.array([np.linalg.norm(x)]))
    step = residual_step(
        np.array([0.0, 0.6, -0.8, 0.0, 0.0, 0.0]), gradients, np.array([True, False]), region
    )
    assert np.allclose(step.x, [0.0, 0.05, 0.0, 0.0, 0.0, 0.0], atol=1e-12)
    assert np.allclose(step.forces, [0.8, 0.0], atol=1e-12)


def test_a_ball_above_a_floor_steps_down_to_it_and_no_farther() -> None:
    placement = Placement(sphere(0.5).body, Pose(UPRIGHT, np.array([0.0, 0.0, 0.51])), [floor()])
    step = solve_step(placement.problem, placement.state)
    assert abs(step.x[2] * placement.state.system.radius + 0.01) < 1e-9
    assert FREE_BODIES.length(placement.state.system, step.x) <= Settings().eps_max


def test_samples_of_a_contact_curve_give_their_forces_to_its_minimum() -> None:
    placement = Placement(torus().body, Pose(UPRIGHT, np.array([0.0, 0.0, 0.31])), [floor()])
    placement.run()
    system, points = placement.state.system, placement.state.local_points
    forces = np.where(points.on_curve, 1.0, 0.0)
    moved = forces_on_minima(system, points, forces)
    assert abs(moved.sum() - forces.sum()) < 1e-12
    assert points.on_curve.any()
    assert (moved[points.on_curve] == 0.0).all() or points.on_curve.all()
