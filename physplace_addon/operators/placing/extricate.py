# SPDX-License-Identifier: GPL-3.0-or-later
"""Extricate: what overlaps is moved clear by the least motion, and then placed."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from bpy.props import BoolProperty
from bpy.types import Context

from ...core.errors import PlacementError
from ...core.placement import Settings, Status
from ...core.placement.depenetration.extrication import extricate_several
from ...core.wording import in_words
from ...scene.access import scene_of
from ...scene.reading.scenario import Scenario
from ...scene.writing.outcome import write_rests
from ..common import Conclusion, ObjectOperator, conclude
from .run import keys_of, scenario_of, session_of, settings_for

ROOM = 0.05  # over R, around several objects that are cleared: packed tight, a heap comes to rest slowly


class PHYSPLACE_OT_extricate(ObjectOperator):
    """Move what overlaps clear by the least motion, and let it come to rest."""

    bl_idname = "physplace.extricate"
    bl_label = "Extricate"
    bl_description = (
        "Move the selected objects by the least that clears them of what they overlap, each other included, "
        "and let them come to rest from there"
    )

    if TYPE_CHECKING:
        together: bool
    else:
        together: BoolProperty(
            name="Selected Together",
            description="Free all selected objects and place them at once; else only the active one moves",
            default=True,
        )

    def work(self, context: Context) -> Conclusion:
        """Clear, then place; where nothing is below, the objects stay where they are clear."""
        scenario = scenario_of(context, together=self.together)
        settings = settings_for(context, scenario)
        cleared = cleared_of_overlaps(scenario, settings)
        session = session_of(cleared, settings)
        session.run(context)
        if session.solver.status is not Status.NO_SUPPORT:
            return conclude(session.write(context))
        outcomes = [replace(outcome, poses=outcome.poses[:1]) for outcome in session.outcomes()]
        write_rests(context, outcomes, keys_of(scene_of(context)))
        return conclude(outcomes)


def cleared_of_overlaps(scenario: Scenario, settings: Settings) -> Scenario:
    """The scenario with what moves where it is free of overlap, which is then its start.

    Raises PlacementError if no motion was found that clears it.
    """
    subjects = scenario.subjects
    found = extricate_several(
        [subject.body for subject in subjects],
        [subject.pose for subject in subjects],
        scenario.world,
        settings,
        air=ROOM if len(subjects) > 1 else 0.0,
    )
    if found is None:
        names = in_words([subject.name for subject in subjects])
        raise PlacementError(f"{names}: no motion was found that clears all overlaps; move it out by hand")
    clear = tuple(
        replace(subject, pose=pose, start=pose) for subject, pose in zip(subjects, found.poses, strict=True)
    )
    return replace(scenario, subjects=clear)
