"""What is animated, and stands beside what is simulated or is joined to it: it pushes, pulls and wakes."""

from __future__ import annotations

import numpy as np

from tests.blender_data import current_scene, physplace
from tests.scene import scenes
from tests.scene.dynamics.rigid_scenes import constraint, key, select


def test_what_sleeps_in_a_joint_wakes_when_what_it_hangs_from_moves() -> None:
    hook = scenes.cube("Hook", (0.0, 0.0, 5.0))
    for frame, x in ((1, 0.0), (30, 0.0), (40, 4.0)):
        key(hook, frame, (x, 0.0, 5.0))
    weight = scenes.cube("Weight", (0.0, 0.0, 2.0))
    constraint("FIXED", hook, weight)
    current_scene().frame_set(1)
    select(weight)
    assert physplace.simulate(frames=45) == {"FINISHED"}
    current_scene().frame_set(40)
    np.testing.assert_allclose(scenes.world_matrix(weight)[:3, 3], (4.0, 0.0, 2.0), atol=1e-3)
