"""A bead of a millimetre far from the origin: the same steps to the same rest."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache

import numpy as np
import pytest

from physplace_addon.core.placement import Placement, Status
from physplace_addon.core.rigid import Pose
from tests.bodies_of_the_paper import Paired, box, cylinder, floor, torus
from tests.oracles.frames import rotation_of

BODIES: dict[str, Callable[[], Paired]] = {"box": box, "cylinder": cylinder, "torus": torus}
TURN = np.array([0.93, 0.3, 0.15, 0.1])
ELSEWHERE = (1e-3, (100.0, 50.0, 0.0))  # a bead, far away


@lru_cache
def rest(
    name: str, scale: float, origin: tuple[float, float, float]
) -> tuple[Status, int, np.ndarray, float]:
    """Place the named body, and return how it ended, its steps, and, whatever scale and origin, which way is
    up in the body and how high it stands.
    """
    move = np.diag([scale, scale, scale, 1.0])
    body = BODIES[name]().body.transformed(move)
    move[:3, 3] = origin
    start = Pose(TURN, scale * np.array([0.1, 0.2, 2.0]) + origin)
    placement = Placement(body, start, [floor().transformed(move)])
    certificate = placement.run()
    pose = placement.state.pose
    height = float(pose.translation[2] - origin[2]) / scale
    return certificate.status, certificate.steps, rotation_of(pose.rotation)[2], height


@pytest.mark.slow
@pytest.mark.parametrize("name", BODIES)
def test_the_rest_and_the_steps_to_it_do_not_depend_on_units_or_origin(name: str) -> None:
    status, steps, up, height = rest(name, *ELSEWHERE)
    here_status, here_steps, here_up, here_height = rest(name, 1.0, (0.0, 0.0, 0.0))
    assert status is here_status is Status.BALANCED
    assert steps == here_steps
    assert abs(height - here_height) <= 2e-9
    assert np.abs(up - here_up).max() <= 1e-6
