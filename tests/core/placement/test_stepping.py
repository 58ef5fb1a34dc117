"""The step of a placement: the paper's own update, and the forces of samples of a contact curve."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from physplace_addon.core.mechanics.coordinates import FREE_BODIES
from physplace_addon.core.optimization.step_qp import TrustRegion
from physplace_addon.core.placement import Placement, Settings
from physplace_addon.core.placement.stepping import forces_on_minima, residual_step, solve_step
from physplace_addon.core.rigid import Pose
from tests.bodies_of_the_paper import box, floor, sphere, torus
from tests.core.mechanics.test_coordinates import Hinge

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
    assert step is not None
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


def hinged(height: float) -> tuple[Placement, Hinge]:
    """A box beside a hinge at its lower left edge, tilted up by a third, and the hinge."""
    half = np.array([0.5, 0.3, 0.2])
    turn = np.array([np.cos(0.15), 0.0, -np.sin(0.15), 0.0])
    start = Pose(turn, np.array([0.0, 0.0, 1.0]))
    corner = start.points(-half)
    pose = Pose(turn, start.translation + np.array([0.0, 0.0, height - corner[2]]))
    placement = Placement(box(half).body, pose, [floor()])
    return placement, Hinge(0, pose.points(-half), np.array([0.0, 1.0, 0.0]))


def test_a_step_in_other_coordinates_turns_a_hinged_box_down_to_the_floor() -> None:
    placement, hinge = hinged(0.0001)
    state = replace(placement.state, coordinates=hinge)
    step = solve_step(placement.problem, state)
    assert step is not None
    assert step.x.shape == (1,)
    moved = hinge.displaced(state.system, step.x)
    assert placement.problem.external.energy(moved) < state.energy
    assert hinge.length(state.system, step.x) <= state.eps * (1.0 + 1e-9)


def test_the_stiffness_by_other_coordinates_is_the_second_difference_of_the_energy() -> None:
    placement, hinge = hinged(0.5)
    system, external = placement.state.system, placement.problem.external
    small = 1e-4
    energies = [external.energy(hinge.displaced(system, np.array([x]))) for x in (-small, 0.0, small)]
    expected = (energies[0] - 2.0 * energies[1] + energies[2]) / small**2
    found = hinge.stiffness(system, external.stiffness(system), external.wrench(system))
    assert found.shape == (1, 1)
    assert abs(found[0, 0] - expected) < 1e-6
    slope = (energies[2] - energies[0]) / (2.0 * small)
    assert abs(hinge.wrench(system, external.wrench(system))[0] + slope) < 1e-6
