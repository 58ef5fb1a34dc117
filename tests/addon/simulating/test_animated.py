"""What is animated, and stands beside what is simulated or is joined to it: it pushes, pulls and wakes."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import bpy
import numpy as np
import pytest

from physplace_addon.core.jobs import finished
from physplace_addon.scene.dynamics.reading import read_dynamics
from tests.blender_data import current_scene, physplace
from tests.scene import scenes
from tests.scene.dynamics.rigid_scenes import constraint, key, select


@pytest.mark.slow
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


def test_a_linked_object_of_the_same_name_pushes_and_moves_no_other_one(tmp_path: Path) -> None:
    source = scenes.cube("Cube", (5.0, 0.0, 0.0))
    key(source, 1, (5.0, 0.0, 0.0))
    key(source, 11, (5.0, 0.0, 10.0))
    library = str(tmp_path / "library.blend")
    bpy.data.libraries.write(library, {source})
    bpy.data.objects.remove(source)
    load: Any = bpy.data.libraries.load
    with load(library, link=True) as (_, found):
        found.objects = ["Cube"]
    current_scene().collection.objects.link(found.objects[0])
    local = scenes.cube("Cube", (-5.0, 0.0, 0.0))
    mover = scenes.cube("Mover", (0.0, 0.0, 30.0))
    current_scene().frame_set(1)
    select(mover)
    scenario = finished(read_dynamics(bpy.context, 5))
    assert len(scenario.scene.tracks) == 1
    np.testing.assert_allclose(scenes.world_matrix(local)[:3, 3], (-5.0, 0.0, 0.0))
