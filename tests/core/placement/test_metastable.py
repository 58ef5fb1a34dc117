"""A balance that the least nudge ends is said to be one, and is left if asked."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from physplace_addon.core.arrays import Floats
from physplace_addon.core.bodies import exact, polyhedron
from physplace_addon.core.placement import Certificate, Placement, Settings, State, Status
from physplace_addon.core.rigid import Pose
from physplace_addon.core.surfaces import kinds
from tests.bodies_of_the_paper import box, floor, sphere, torus
from tests.core.meshes import CUBE_POINTS, CUBE_TRIANGLES

UPRIGHT = np.array([1.0, 0.0, 0.0, 0.0])


def ball_on_ball(
    settings: Settings, on_step: Callable[[State], bool] | None = None
) -> tuple[Placement, Certificate]:
    under = np.eye(4)
    under[2, 3] = 1.0
    placement = Placement(
        sphere(0.5, resolution=(24, 12)).body,
        Pose(UPRIGHT, np.array([0.0, 0.0, 3.0])),
        [sphere(1.0, resolution=(24, 12)).body.transformed(under), floor()],
        settings,
    )
    return placement, placement.run(on_step)


def test_a_ball_set_exactly_on_a_ball_is_reported_metastable() -> None:
    placement, certificate = ball_on_ball(Settings())
    assert certificate.status is Status.BALANCED
    assert not certificate.stable
    assert np.abs(placement.state.pose.translation - [0.0, 0.0, 2.5]).max() < 1e-9


def test_it_is_left_when_asked_and_comes_to_a_stable_rest() -> None:
    placement, certificate = ball_on_ball(Settings(leave_metastable=True, eps_max=0.2))
    assert certificate.status is Status.BALANCED
    assert certificate.stable
    assert abs(placement.state.pose.translation[2] - 0.5) < 1e-9


def test_the_nudge_is_the_seed_s() -> None:
    def nudged(seed: int) -> Floats:
        settings = Settings(leave_metastable=True, eps_max=0.2, seed=seed)
        placement = ball_on_ball(settings, lambda state: aside(state) < 1e-6)[0]
        return placement.state.pose.translation

    def aside(state: State) -> float:
        return float(np.abs(state.pose.translation[:2]).max())

    assert (nudged(1) == nudged(1)).all()
    assert np.abs(nudged(0) - nudged(1)).max() > 1e-3


def test_a_cube_on_its_edge_and_a_ring_on_its_rim_fall_over_when_asked() -> None:
    quarter = np.pi / 8.0
    cases = [
        (box((0.5, 0.5, 0.5)).body, [np.cos(quarter), np.sin(quarter), 0.0, 0.0], 0.5),
        (torus().body, [np.cos(2 * quarter), np.sin(2 * quarter), 0.0, 0.0], 0.3),
    ]
    for body, rotation, height in cases:
        pose = Pose(np.array(rotation), np.array([0.0, 0.0, 2.0]))
        assert not Placement(body, pose, [floor()]).run().stable
        placement = Placement(body, pose, [floor()], Settings(leave_metastable=True, eps_max=0.2))
        assert placement.run().stable
        assert abs(placement.state.pose.translation[2] - height) < 1e-8


@pytest.mark.parametrize("radius", [0.051, 0.06, 0.08])
def test_a_smooth_plank_across_a_log_is_never_stable(radius: float) -> None:
    """It touches along a line, and tilts as it slides: there its energy has a saddle, whatever the radius."""
    lying = Pose(UPRIGHT, np.zeros(3)).displaced(np.zeros(3), [0.5 * np.pi, 0.0, 0.0], np.zeros(3))
    log = exact(kinds.cylinder(radius, 2.0), "log").transformed(lying.matrix4)
    plank = polyhedron(CUBE_POINTS * [2.0, 0.4, 0.1], CUBE_TRIANGLES, "plank")
    placement = Placement(plank, Pose(UPRIGHT, np.array([0.0, 0.0, radius + 0.05 + 1e-9])), [log])
    certificate = placement.run()
    assert certificate.status is Status.BALANCED
    assert len(certificate.contacts) > 2  # more than a line can hold independently
    assert not certificate.stable
