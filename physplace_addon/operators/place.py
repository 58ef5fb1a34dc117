# SPDX-License-Identifier: GPL-3.0-or-later
"""Place: the active object comes to rest on everything else that is visible."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from bpy.types import Context, Operator, Scene, WindowManager

from ..core.errors import PhysPlaceError
from ..core.placement import Certificate, Placement, State
from ..scene.access import scene_of, window_manager_of
from ..scene.read import read
from ..scene.settings import gravity_direction, placement_settings, settings_of
from ..scene.write import KeyOptions, write_report_only, write_rest
from .common import LEFT_IN_PLACE, announce, progress, why_not

if TYPE_CHECKING:
    from bpy.stub_internal.rna_enums import OperatorReturnItems


class PHYSPLACE_OT_place(Operator):
    """Let the active object, with its children, fall until it rests on what else is visible.

    Exact surfaces touch exactly, nothing passes through anything.
    """

    bl_idname = "physplace.place"
    bl_label = "Place at Rest"
    bl_description = (
        "Let the active object, with its children, fall until it rests on whatever else is visible. "
        "It passes through nothing, and the rest is a true balance"
    )
    bl_options = {"REGISTER", "UNDO"}

    @classmethod
    def poll(cls, context: Context) -> bool:
        """Needs an active object in Object Mode."""
        reason = why_not(context)
        if reason is not None:
            cls.poll_message_set(reason)
        return reason is None

    def execute(self, context: Context) -> set[OperatorReturnItems]:
        """Read the scene, run the solver to its end, write the scene."""
        try:
            name, certificate = place_active(context)
        except PhysPlaceError as error:
            self.report({"ERROR"}, str(error))
            return {"CANCELLED"}
        announce(self, name, certificate)
        return {"FINISHED"}


def place_active(context: Context) -> tuple[str, Certificate]:
    """Place the active object; returns its name and the certificate. Raises PhysPlaceError for bad input."""
    scene = scene_of(context)
    direction = gravity_direction(scene)
    scenario = read(context)
    subject = scenario.subject
    settings = placement_settings(scene, direction, subject.rounding)
    solver = Placement(subject.body, subject.pose, scenario.world, settings)
    with progress(window_manager_of(context), settings.step_limit) as shown:
        certificate = solver.run(on_step=partial(_show, shown, solver))
    if certificate.status in LEFT_IN_PLACE:
        write_report_only(subject, certificate)
    else:
        poses = [state.pose for state in solver.states]
        write_rest(context, subject, poses, certificate, _keys(scene))
    return subject.name, certificate


def _show(shown: WindowManager, solver: Placement, _: State) -> bool:
    shown.progress_update(solver.steps)
    return True


def _keys(scene: Scene) -> KeyOptions | None:
    chosen = settings_of(scene)
    return KeyOptions(scene.frame_current, chosen.frame_step) if chosen.key_path else None
