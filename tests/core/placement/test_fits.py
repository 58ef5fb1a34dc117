"""Bodies that fit exactly into a hollow: the gap is zero all over an area, and the rest is where they fit."""

from __future__ import annotations

import numpy as np
import pytest

from physplace_addon.core.arrays import Floats
from physplace_addon.core.bodies import Body, exact
from physplace_addon.core.placement import Placement, Settings, Status
from physplace_addon.core.rigid import Pose
from physplace_addon.core.surfaces import kinds
from physplace_addon.core.surfaces.formula.bodies import formula
from tests.oracles.frames import quaternion_of

LYING = np.array([[0.0, 0.0, 1.0], [0.0, 1.0, 0.0], [-1.0, 0.0, 0.0]])


def groove(arc: float) -> Body:
    """A sheet of radius 1 about the x axis, hollow above, up to an angle of `arc` on both sides."""
    return exact(
        formula({"x": "u", "y": "sin(v)", "z": "-cos(v)", "u": "-3, 3", "v": f"{-arc}, {arc}"}), "groove"
    )


def cup(arc: float) -> Body:
    """A part of a sphere of radius 1 about the origin, up to an angle of `arc` from the bottom."""
    places = {"x": "sin(v)*cos(u)", "y": "sin(v)*sin(u)", "z": "-cos(v)"}
    return exact(formula({**places, "u": "0, 2*pi, periodic", "v": f"0, {arc}"}), "cup")


def ball() -> Body:
    """A ball of radius 1 and 528 triangles, which take no part in where it rests."""
    return exact(kinds.sphere(1.0), "ball", (25, 13))


def placed(body: Body, world: Body, rotation: Floats, at: tuple[float, float, float]) -> Placement:
    placement = Placement(body, Pose(quaternion_of(rotation), np.array(at)), [world], Settings())
    placement.run()
    return placement


@pytest.mark.slow
@pytest.mark.parametrize(("arc", "tilt", "yaw"), [(1.2, 0.2, 0.0), (1.0, 0.0, 0.3)], ids=["tilted", "turned"])
def test_a_cylinder_comes_to_rest_in_a_groove_of_its_radius(arc: float, tilt: float, yaw: float) -> None:
    start = Pose.identity().displaced(np.zeros(3), [0.0, tilt, yaw], np.zeros(3)).matrix @ LYING
    cylinder = exact(kinds.cylinder(1.0, 2.0), "cylinder")
    placement = placed(cylinder, groove(arc), start, (0.1, 0.0, 1.0))
    certificate, pose = placement.certificate(), placement.state.pose
    assert placement.status is Status.BALANCED
    assert np.abs(pose.translation[1:]).max() <= 1e-9
    assert np.abs(pose.vectors(np.array([[0.0, 0.0, 1.0]]))[0, 1:]).max() <= 1e-8
    assert certificate.overlap <= 1e-11
    assert certificate.residual_force <= 1e-9
    assert len(certificate.contacts) >= 3


@pytest.mark.slow
@pytest.mark.parametrize("arc", [0.6, 1.4])
def test_a_ball_comes_to_rest_in_a_cup_of_its_radius(arc: float) -> None:
    placement = placed(ball(), cup(arc), np.eye(3), (0.1, 0.0, 1.0))
    assert placement.status is Status.BALANCED
    assert np.abs(placement.state.pose.translation).max() <= 1e-9
    assert placement.certificate().overlap <= 1e-11


@pytest.mark.slow
def test_a_ball_comes_down_to_the_rim_of_a_half_sphere_of_its_radius() -> None:
    """Its wall is steep at the rim: where the ball is a height h above its place, the gap is but h^2 / 2."""
    placement = placed(ball(), cup(0.5 * np.pi), np.eye(3), (0.0, 0.0, 0.5))
    assert placement.status is Status.BALANCED
    assert np.abs(placement.state.pose.translation).max() <= 2e-4
