# SPDX-License-Identifier: GPL-3.0-or-later
"""Extricate: what overlaps is moved clear by the least motion, and then placed."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from bpy.props import BoolProperty
from bpy.types import Context

from ...core.errors import PlacementError
from ...core.jobs import Job
from ...core.placement import Settings, Status
from ...core.placement.depenetration.extrication import extricating
from ...core.rigid import Pose
from ...core.wording import in_words
from ...scene.access import scene_of
from ...scene.reading.scenario import Scenario, completed
from ...scene.reading.subjects.movers import selected_movers
from ...scene.writing.outcome import write_rests
from ..common import Conclusion, NeedsShape, conclude
from ..sliced import SlicedOperator
from .run import beginning, key_options, reading_to_move, settings_for

ROOM = 0.05  # distance over R kept between several objects: a heap that is packed tight takes many steps


class PHYSPLACE_OT_extricate(NeedsShape, SlicedOperator):
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

    def job(self, context: Context) -> Job[Conclusion]:
        """Clear the objects, then place them; where nothing is below, they stay where they are clear."""
        movers = selected_movers(context, with_active=False) if self.together else None
        scenario = yield from reading_to_move(context, movers)
        settings = settings_for(context, scenario)
        cleared = yield from cleared_of_overlaps(context, scenario, settings)
        run = yield from beginning(context, cleared, settings)
        yield from run.running(context)
        if run.solver.status is not Status.NO_SUPPORT:
            return conclude(run.write(context))
        outcomes = [replace(outcome, poses=outcome.poses[:1]) for outcome in run.outcomes()]
        write_rests(context, outcomes, key_options(scene_of(context)))
        return conclude(outcomes)


def cleared_of_overlaps(context: Context, scenario: Scenario, settings: Settings) -> Job[Scenario]:
    """Move the objects clear of all overlap, in slices; return the scenario with that as their start.

    What is not read where they get is read, and they are cleared anew. Raises PlacementError if no motion was
    found that clears it.
    """
    while True:
        poses = yield from _cleared_poses(scenario, settings)
        more = yield from completed(context, scenario, poses)
        if more is scenario:
            break
        scenario = more
    clear = tuple(
        replace(subject, pose=pose, start=pose)
        for subject, pose in zip(scenario.subjects, poses, strict=True)
    )
    return replace(scenario, subjects=clear)


def _cleared_poses(scenario: Scenario, settings: Settings) -> Job[tuple[Pose, ...]]:
    subjects = scenario.subjects
    found = yield from extricating(
        [subject.body for subject in subjects],
        [subject.pose for subject in subjects],
        scenario.world,
        settings,
        air=ROOM if len(subjects) > 1 else 0.0,
    )
    if found is None:
        names = in_words([subject.name for subject in subjects])
        raise PlacementError(f"{names}: no motion was found that clears all overlaps; move it out by hand")
    return found.poses
