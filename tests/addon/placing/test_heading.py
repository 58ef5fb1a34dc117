"""What can rest as it stands is let down straight: it neither turns nor drifts."""

from __future__ import annotations

import numpy as np
import pytest

from tests.addon.placing import lathe
from tests.addon.running import place
from tests.scene import scenes

SURFACES = {  # each with what it needs, and how far its lowest point is below its origin
    "cylinder": {"radius": 0.4, "height": 0.5},
    "cone": {"radius": 0.5, "height": 0.8},
    "torus": {"major_radius": 0.7, "minor_radius": 0.2},
    "superquadric": {"size_x": 0.5, "size_y": 0.4, "size_z": 0.3, "exponent_1": 0.3, "exponent_2": 0.3},
}
SMALLEST = 0.5  # the smallest radius of a ball around any of them
MESHES = [*lathe.TURNED, *lathe.BUILT]


def test_there_are_a_plate_and_twenty_others() -> None:
    assert "plate" in MESHES
    assert len(MESHES) + len(SURFACES) >= 21


@pytest.mark.slow
@pytest.mark.parametrize("name", [*MESHES, *(f"exact {kind}" for kind in SURFACES)])
def test_what_can_rest_as_it_stands_keeps_its_heading_and_its_place(name: str) -> None:
    scenes.floor()
    where = (0.37, -0.21, 0.9)
    kind = name.removeprefix("exact ")
    is_exact = name != kind
    obj = scenes.surface(name, kind, where, **SURFACES[kind]) if is_exact else lathe.made(name, where)
    obj.rotation_euler.z = 0.7
    before = scenes.world_matrix(obj)
    report = place(obj)
    after = scenes.world_matrix(obj)
    assert report["status"] == "BALANCED"
    turned = after[:3, :3] @ before[:3, :3].T
    axis = np.array([turned[2, 1] - turned[1, 2], turned[0, 2] - turned[2, 0], turned[1, 0] - turned[0, 1]])
    assert np.linalg.norm(axis) / 2.0 <= 1e-6
    assert after[2, 3] < before[2, 3] - 0.1
    np.testing.assert_allclose(after[:2, 3], before[:2, 3], rtol=0.0, atol=1e-6 * SMALLEST)
