"""Formulas come to rest on the borders of open sheets, and on waves finer than their triangles."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import ArrayLike

from physplace_addon.core import bodies
from physplace_addon.core.placement import Placement, Status
from physplace_addon.core.rigid import Pose
from physplace_addon.core.surfaces.formula.bodies import formula
from tests.bodies_of_the_paper import floor

FLAT, UPRIGHT = (1.0, 0.02, 0.01, 0.0), (1.0, 1.0, 0.03, 0.05)


def rest_of(body: bodies.Body, attitude: ArrayLike, height: float) -> Pose:
    """The pose at which a body comes to rest on a floor."""
    turn = np.array(attitude) / np.linalg.norm(attitude)
    placement = Placement(body, Pose(turn, np.array([0.0, 0.0, height])), [floor()])
    assert placement.run().status is Status.BALANCED
    return placement.state.pose


@pytest.mark.parametrize(("z", "attitude", "height"), [("0", FLAT, 0.0), ("0.2*u^2", UPRIGHT, 0.2)])
def test_a_sheet_lies_flat_or_stands_on_a_border(
    z: str, attitude: tuple[float, float, float, float], height: float
) -> None:
    sheet = bodies.exact(formula({"x": "u", "y": "v", "z": z, "u": "-1, 1", "v": "-0.2, 0.2"}), "sheet")
    assert rest_of(sheet, attitude, 0.4).translation[2] == pytest.approx(height, abs=1e-9)


@pytest.mark.slow
def test_waves_that_the_triangles_do_not_show_are_not_let_through_the_floor() -> None:
    radius = "(1 + 0.0005*sin(40u)*sin(40v))"
    globe = {"x": f"{radius}*sin(v)*cos(u)", "y": f"{radius}*sin(v)*sin(u)", "z": f"{radius}*cos(v)"}
    body = bodies.exact(formula({**globe, "u": "0, 2pi, periodic", "v": "0, pi"}), "globe")
    pose = rest_of(body, (0.35, 0.82, 0.33, -1.3), 1.2)
    u, v = (axis.ravel() for axis in np.meshgrid(np.linspace(0, 2 * np.pi, 801), np.linspace(0, np.pi, 401)))
    r = 1 + 0.0005 * np.sin(40 * u) * np.sin(40 * v)
    points = r[:, None] * np.column_stack([np.sin(v) * np.cos(u), np.sin(v) * np.sin(u), np.cos(v)])
    assert -1e-8 < pose.points(points)[:, 2].min() < 1e-4
