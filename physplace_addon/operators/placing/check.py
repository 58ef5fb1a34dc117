# SPDX-License-Identifier: GPL-3.0-or-later
"""Check: how the active object stands, without moving it."""

from __future__ import annotations

from bpy.types import Context

from ...core.jobs import Job, Progress
from ...core.placement import check
from ...scene.reading.scenario import reading
from ...scene.writing.outcome import Outcome, write_reports_only
from ..common import Conclusion, NeedsShape, conclude
from ..sliced import SlicedOperator
from .run import settings_for


class PHYSPLACE_OT_check(NeedsShape, SlicedOperator):
    """Find out whether the active object touches, overlaps, and stands at rest where it is."""

    bl_idname = "physplace.check"
    bl_label = "Check Rest"
    bl_description = (
        "Find what the active object touches or overlaps where it stands, and whether it is at rest there. "
        "Nothing is moved; the figures go to the report"
    )

    def job(self, context: Context) -> Job[Conclusion]:
        """Ask core and keep the report."""
        scenario = yield from reading(context)
        subject = scenario.subject
        yield Progress(f'Checking "{subject.name}"')
        certificate = check(subject.body, subject.pose, scenario.world, settings_for(context, scenario))
        outcomes = [Outcome(subject, [subject.pose], certificate)]
        write_reports_only(outcomes)
        return conclude(outcomes)
