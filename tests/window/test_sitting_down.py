"""A jointed figure sits down in the view: live, paused, put back, confirmed, undone."""

from __future__ import annotations

import bpy
import numpy as np

from physplace_addon.scene.examples.figure import SEAT
from tests.blender_data import physplace, report_of
from tests.scene.linkages import rigs
from tests.scene.linkages.standing_figure import figure_bent_over_the_seat
from tests.window import afresh, extension
from tests.window.placements import assert_nothing_is_open, header, operator
from tests.window.test_linkages import FROM_THE_RIGHT
from tests.window.user import User


def _pelvis() -> np.ndarray:
    return rigs.bone_matrix(bpy.data.objects["Figure"], "Pelvis")


async def _begin(user: User) -> None:
    with bpy.context.temp_override(window=user.window, area=user.area, region=user.region()):
        assert physplace.linkage_sit("INVOKE_DEFAULT") == {"RUNNING_MODAL"}
    assert extension.open_sessions() == ["PHYSPLACE_OT_linkage_sit"]
    await user.until(lambda: not operator().is_busy)


async def _figure(user: User) -> None:
    """A figure over a seat, seen from the right."""
    rig = figure_bent_over_the_seat()
    rig.select_set(True)
    view = user.view
    view.view_perspective, view.view_rotation = "ORTHO", FROM_THE_RIGHT
    view.view_location, view.view_distance = (0.0, 0.2, 0.7), 3.0
    await user.wait()
    await user.move_to(user.at((0.5, -0.5, 1.2)))
    user.scene_is_ready()


async def test_a_figure_sits_down_in_the_view(user: User) -> None:
    await _figure(user)
    before = _pelvis()
    await _begin(user)
    await user.until(lambda: not np.array_equal(_pelvis(), before))
    await user.press("SPACE")
    assert "paused" in header()
    await user.press("ESC")
    assert_nothing_is_open()
    np.testing.assert_array_equal(_pelvis(), before)
    await _begin(user)
    await user.until(lambda: not operator().session.is_running)
    assert "at rest" in header()
    afresh.draw(user, fully=True)
    await user.screenshot("seated")
    await user.press("RET")
    assert_nothing_is_open()
    after = _pelvis()
    assert after[2, 3] < before[2, 3] - 0.05
    assert report_of(bpy.data.objects["Figure"])["rests_on"] == ["Seat", "Floor"]
    await user.undo()
    np.testing.assert_allclose(_pelvis(), before, atol=1e-6)


async def test_it_goes_on_without_a_seat_that_is_deleted_and_ends_if_the_figure_changes(user: User) -> None:
    await _figure(user)
    before = _pelvis()
    await _begin(user)
    await user.until(lambda: not np.array_equal(_pelvis(), before))
    bpy.data.objects.remove(bpy.data.objects["Seat"])
    await user.until(lambda: not operator().session.is_running and not operator().is_busy, ticks=3000)
    await user.screenshot("without-seat")
    assert _pelvis()[2, 3] < SEAT, "it sits on the floor"
    bpy.data.objects["Figure"].scale.x = -1.0
    await user.until(lambda: not extension.open_sessions())
    bpy.data.objects["Figure"].scale.x = 1.0
    np.testing.assert_allclose(_pelvis(), before, atol=1e-6)
