"""A bead of a hundred millionth of what it lies on comes to rest, though the box rounds to 1e-8 of it."""

from __future__ import annotations

import numpy as np
import pytest

from physplace_addon.core.bodies import polyhedron
from physplace_addon.core.placement import Placement, Settings, Status
from physplace_addon.core.rigid import Pose
from tests.core.placement.household import BOTTLE, Mesh, block, lathe

BEAD, BOX = 1e-4, 1e4
BALL = [(np.sin(angle), -np.cos(angle)) for angle in np.pi * np.arange(1, 7) / 7.0]
SHAPES = {
    "ball": lathe([(0.0, -1.0), *BALL, (0.0, 1.0)], 12),
    "cube": block((1.0, 1.0, 1.0)),
    "bottle": lathe(BOTTLE, 12),
}


@pytest.mark.parametrize("name", SHAPES)
@pytest.mark.parametrize("turn", [0.0, 0.7])
def test_a_bead_comes_to_rest(name: str, turn: float) -> None:
    random = np.random.default_rng(len(name))
    middle = BOX * random.uniform(-0.5, 0.5, 3)
    upright = Pose(np.array([np.cos(turn), 0.0, 0.0, np.sin(turn)]), middle)
    points, faces = block((BOX, BOX, BOX))
    box = polyhedron(upright.points(points), faces, "box")
    bead: Mesh = SHAPES[name]
    attitude = random.normal(size=4)
    above = middle + np.array([0.1 * BOX, 0.2 * BOX, BOX + 3.0 * BEAD])
    start = Pose(attitude / np.linalg.norm(attitude), above)
    placement = Placement(polyhedron(BEAD * bead[0], bead[1], name), start, [box], Settings(eps_max=0.2))
    certificate = placement.run()
    assert certificate.status is Status.BALANCED
    assert certificate.stable
    assert certificate.gap < 1e-6 * BEAD
    assert certificate.overlap < 1e-6 * BEAD
