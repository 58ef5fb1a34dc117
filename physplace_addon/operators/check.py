# SPDX-License-Identifier: GPL-3.0-or-later
"""Check: how the active object stands, without moving it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bpy.types import Context, Operator

from ..core.errors import PhysPlaceError
from ..core.placement import Certificate, check
from ..scene.access import scene_of
from ..scene.read import read
from ..scene.settings import gravity_direction, placement_settings
from ..scene.write import write_report_only
from .common import announce, why_not

if TYPE_CHECKING:
    from bpy.stub_internal.rna_enums import OperatorReturnItems


class PHYSPLACE_OT_check(Operator):
    """Find out whether the active object touches, overlaps, and stands at rest where it is."""

    bl_idname = "physplace.check"
    bl_label = "Check Rest"
    bl_description = (
        "Find what the active object touches or overlaps where it stands, and whether it is at rest there. "
        "Nothing is moved; the figures go to the report"
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
        """Read the scene, ask core, keep the report."""
        try:
            name, certificate = check_active(context)
        except PhysPlaceError as error:
            self.report({"ERROR"}, str(error))
            return {"CANCELLED"}
        announce(self, name, certificate)
        return {"FINISHED"}


def check_active(context: Context) -> tuple[str, Certificate]:
    """Check the active object; returns its name and the certificate. Raises PhysPlaceError for bad input."""
    scene = scene_of(context)
    direction = gravity_direction(scene)
    scenario = read(context)
    subject = scenario.subject
    settings = placement_settings(scene, direction, subject.rounding)
    certificate = check(subject.body, subject.pose, scenario.world, settings)
    write_report_only(subject, certificate)
    return subject.name, certificate
