"""How many iterations the experiments of the paper take, that they are sound at every state, and that every
rest is one.
"""

from __future__ import annotations

import numpy as np
import pytest

from physplace_addon.core.bodies import Body, polyhedron
from physplace_addon.core.placement import Placement, Settings, Status
from physplace_addon.core.rigid import Pose
from tests.bodies_of_the_paper import GLASS, floor, straw, turned
from tests.core.placement.drops import ENDS
from tests.core.placement.experiments import (
    EXPERIMENTS,
    PAPER,
    active_of,
    careless_start,
    clearance,
    experiment,
    standing,
)
from tests.core.placement.judging import assert_is_a_rest

pytestmark = pytest.mark.slow

each_experiment = pytest.mark.parametrize("name", EXPERIMENTS)


@each_experiment
def test_every_experiment_ends_at_rest(name: str) -> None:
    for eps_max in (0.05, 0.2):
        run = experiment(name, 0, eps_max)
        assert run.certificate.status in ENDS, run.label
        assert run.certificate.stable, run.label
        assert np.all(run.certificate.contacts.force >= 0), run.label


@each_experiment
def test_no_experiment_is_through_its_support_at_any_state(name: str) -> None:
    for eps_max in (0.05, 0.2):
        run = experiment(name, 0, eps_max)
        for rotation, position in zip(run.rotations, run.positions, strict=True):
            assert clearance(name, rotation, position, below=0.0) >= -1e-9 * run.radius, run.label


@each_experiment
def test_every_rest_stands_both_tests(name: str) -> None:
    assert_is_a_rest(name, experiment(name, 0, 0.05))


@each_experiment
def test_a_larger_step_reaches_the_same_end(name: str) -> None:
    small, large = experiment(name, 0, 0.05), experiment(name, 0, 0.2)
    assert small.certificate.status is large.certificate.status, small.label
    assert abs(small.height - large.height) <= 2e-9 * small.radius, small.label


@pytest.mark.parametrize(("eps_max", "most"), [(0.05, 25), (0.2, 15)])
def test_the_median_count_is_the_papers(eps_max: float, most: int) -> None:
    counts = {name: experiment(name, 0, eps_max).certificate.steps for name in EXPERIMENTS}
    assert np.median(list(counts.values())) <= most, counts


def test_the_fifteen_together_take_fewer_iterations_than_the_papers() -> None:
    assert len(PAPER) == 15
    counts = {name: experiment(name, 0, 0.05).certificate.steps for name in EXPERIMENTS}
    assert sum(counts.values()) < sum(PAPER.values()), counts


def as_mesh(body: Body) -> Body:
    """The polyhedron of a body's tessellation."""
    return polyhedron(body.points, body.triangle_corners, body.name)


def test_the_fifteen_as_meshes_come_to_rest_in_as_few_iterations() -> None:
    counts = {}
    for name in EXPERIMENTS:
        world = [as_mesh(body) for body in standing(name)[2]]
        start = careless_start(name, 0)
        placement = Placement(as_mesh(active_of(name).body), start, world, Settings(eps_max=0.05))
        certificate = placement.run()
        assert certificate.status in ENDS, name
        assert certificate.stable, name
        assert certificate.overlap <= 1e-9 * placement.state.system.radius, name
        counts[name] = placement.steps
    assert sum(counts.values()) <= 300, counts


def test_a_straw_that_falls_between_others_sees_no_far_sides() -> None:
    """Its start is free and its fall is; a depth at the end of that is the far side of a straw beside it."""
    glass = turned("glass", GLASS).body
    standing = [floor(), glass]
    for angle in (0.0, 2.4, 7.2):
        lean = np.array([1.0, 0.12 * np.sin(angle), -0.12 * np.cos(angle), 0.0])
        start = Pose(lean, np.array([0.16 * np.cos(angle), 0.16 * np.sin(angle), 3.4]))
        placement = Placement(straw().body, start, standing, Settings(eps_max=0.2))
        assert placement.run().status is Status.BALANCED
        assert min(state.points.gap.min(initial=0.0) for state in placement.states) > -1e-9
        standing.append(straw().body.transformed(placement.state.pose.matrix4))
