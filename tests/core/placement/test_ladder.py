"""A ladder that leans on a wall as rough as the floor stays and slides as statics says.

It stands at an angle theta; its centre of mass is kappa from the foot, measured along the floor, over the
distance from the foot to the top.  At the least mu both ends are about to slide: the floor pushes with N and
mu N, the wall with mu N and mu^2 N, of which (1 + mu^2) N carry the weight.  Torques about the foot:

    kappa (1 + mu^2) = mu sin(theta) + mu^2 cos(theta).

A uniform, thin one has kappa = cos(theta) / 2, and tan(theta) = (1 - mu^2) / (2 mu).
"""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import ArrayLike

from physplace_addon.core.bodies import exact, polyhedron
from physplace_addon.core.bodies.body import Body
from physplace_addon.core.mechanics.friction import required_friction
from physplace_addon.core.placement import Placement, Settings, Status, check
from physplace_addon.core.rigid import Pose
from physplace_addon.core.surfaces import kinds
from tests.core.mechanics.contacts import UP, WEIGHT, contact_maps
from tests.core.meshes import CUBE_POINTS, CUBE_TRIANGLES

LENGTH, WIDTH, THICKNESS = 2.0, 0.4, 0.1
FROM_THE_WALL = np.array([-1.0, 0.0, 0.0])


def least(theta: float, kappa: float) -> float:
    """The least coefficient, by the formula above."""
    sine, rest = np.sin(theta), np.cos(theta) - kappa
    return float(
        kappa / sine if rest == 0.0 else (np.sqrt(sine**2 + 4.0 * kappa * rest) - sine) / (2.0 * rest)
    )


def block(size: tuple[float, float, float], centre: ArrayLike, name: str) -> Body:
    return polyhedron(CUBE_POINTS * size + np.asarray(centre), CUBE_TRIANGLES, name)


ROOM = (
    block((8.0, 4.0, 1.0), (0.0, 0.0, -0.5), "floor"),
    block((1.0, 4.0, 6.0), (0.5, 0.0, 2.9), "wall"),
)
LADDERS = {
    "ladder": block((THICKNESS, WIDTH, LENGTH), (0.0, 0.0, 0.0), "ladder"),
    "pole": exact(kinds.cylinder(0.5 * THICKNESS, LENGTH), "pole"),
}


def leaning(theta: float, gap: float = 1e-9) -> Pose:
    """The pose in which a ladder's foot and top are a gap away from the floor and the wall."""
    pose = Pose.identity().displaced(np.zeros(3), [0.0, 0.5 * np.pi - theta, 0.0], np.zeros(3))
    corners = pose.points(
        0.5 * np.array([[-THICKNESS, 0.0, LENGTH], [THICKNESS, 0.0, LENGTH]]) * [1.0, 1.0, -1.0]
    )
    corners = np.concatenate([corners, -corners])
    shift = [-corners[:, 0].max() - gap, 0.0, -corners[:, 2].min() + gap]
    return Pose(pose.rotation, np.asarray(shift))


def of_its_thickness(theta: float) -> float:
    """The least coefficient of the ladders, which touch with the lower edges of their ends."""
    return least(theta, 0.5 * np.cos(theta) - 0.5 * THICKNESS / LENGTH * np.sin(theta))


@pytest.mark.parametrize("degrees", [1.0, 20.0, 45.0, 60.0, 75.0, 89.0, 89.99])
def test_a_thin_ladder_needs_what_statics_says(degrees: float) -> None:
    theta = np.radians(degrees)
    along = np.array([np.cos(theta), 0.0, np.sin(theta)])
    found = required_friction(WEIGHT, contact_maps(np.array([-along, along])), np.array([UP, FROM_THE_WALL]))
    assert abs(found - np.tan(0.5 * (0.5 * np.pi - theta))) < 1e-5 * found
    assert abs((1.0 - found**2) / (2.0 * found) - np.tan(theta)) < 2e-5 / found


@pytest.mark.parametrize("degrees", [30.0, 60.0, 80.0])
@pytest.mark.parametrize("share", [0.05, 0.3, 0.7, 0.95, 1.0])
def test_with_someone_on_it_the_share_of_the_way_up_counts(degrees: float, share: float) -> None:
    theta = np.radians(degrees)
    along, aside = np.array([np.cos(theta), 0.0, np.sin(theta)]), np.array([0.0, 0.2, 0.0])
    foot, top = -2.0 * share * along, 2.0 * (1.0 - share) * along
    arms = np.array([foot + aside, foot - aside, top + aside, top - aside])
    found = required_friction(WEIGHT, contact_maps(arms), np.array([UP, UP, FROM_THE_WALL, FROM_THE_WALL]))
    assert abs(found - least(theta, share * np.cos(theta))) < 1e-5 * found


@pytest.mark.parametrize("name", LADDERS)
@pytest.mark.parametrize("degrees", [50.0, 65.0, 75.0])
def test_a_check_tells_the_least_coefficient(name: str, degrees: float) -> None:
    theta = np.radians(degrees)
    found = check(LADDERS[name], leaning(theta), ROOM)
    assert found.status is Status.RUNNING
    assert abs(found.required_friction - of_its_thickness(theta)) < 1e-5


@pytest.mark.parametrize("name", LADDERS)
@pytest.mark.parametrize("degrees", [50.0, 65.0, 75.0])
def test_it_stays_for_a_little_more(name: str, degrees: float) -> None:
    theta = np.radians(degrees)
    pose, friction = leaning(theta), of_its_thickness(theta) * 1.0001
    placement = Placement(LADDERS[name], pose, ROOM, Settings(friction=friction))
    certificate = placement.run()
    assert certificate.status is Status.BALANCED_BY_FRICTION
    assert certificate.steps == 1
    assert np.abs(placement.state.pose.translation - pose.translation).max() < 1e-8
    assert certificate.required_friction < friction
    assert max(certificate.residual_force, certificate.residual_torque) < 1e-6
    checked = check(LADDERS[name], pose, ROOM, Settings(friction=friction))
    assert checked.status is Status.BALANCED_BY_FRICTION
    assert max(checked.residual_force, checked.residual_torque) < 1e-6


@pytest.mark.slow
@pytest.mark.parametrize("name", LADDERS)
@pytest.mark.parametrize("degrees", [50.0, 75.0])
@pytest.mark.parametrize("alpha", [0.0, 1.0])
def test_it_slides_for_a_little_less(name: str, degrees: float, alpha: float) -> None:
    theta = np.radians(degrees)
    friction = of_its_thickness(theta) * 0.9999
    placement = Placement(LADDERS[name], leaning(theta), ROOM, Settings(friction=friction, alpha=alpha))
    certificate = placement.run()
    assert certificate.status.at_rest
    assert certificate.steps > 1
    assert placement.state.pose.translation[2] < 0.3 * np.sin(theta)
