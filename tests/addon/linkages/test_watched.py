"""What changes while a figure is read is noticed by the operators that work on it then."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import bpy
import numpy as np
import pytest

from physplace_addon.core.jobs import finished
from physplace_addon.operators.linkages.drag import PHYSPLACE_OT_linkage_drag
from physplace_addon.operators.linkages.sit import PHYSPLACE_OT_linkage_sit
from physplace_addon.scene.changes import own_changes
from physplace_addon.scene.differences import SceneWatch
from tests.addon.linkages.test_sitting_down import arm
from tests.addon.test_input_events import event
from tests.scene import scenes


@pytest.mark.parametrize("kind", [PHYSPLACE_OT_linkage_drag, PHYSPLACE_OT_linkage_sit])
def test_a_floor_that_is_deleted_while_a_figure_is_read_differs(kind: Any) -> None:
    scenes.floor().location.z = -2.5
    arm()
    operator, watch = SimpleNamespace(stiffness=0.0, friction=0.5), SceneWatch(bpy.context)
    view = SimpleNamespace(mouse=lambda event: np.zeros(2))
    with own_changes(bpy.context):  # as a modal operator works
        beginning = kind.beginning(operator, bpy.context, view, event("D"))
        next(beginning)
    bpy.data.objects.remove(bpy.data.objects["Floor"])
    with own_changes(bpy.context):
        assert finished(beginning) is None
    assert watch.differing(bpy.context, at_once=True) == {"Floor"}
