# SPDX-License-Identifier: GPL-3.0-or-later
"""Drop Selected: the selected objects come to rest one after another, the lowest first, as one step.

Each falls among those that have come to rest before it, and past those that are still to fall. All is solved
before anything is written.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TypeVar

import numpy as np
from bpy.types import Context

from ...core.arrays import Floats
from ...core.bodies import Body
from ...core.jobs import Job, Progress
from ...core.wording import counted
from ...scene.access import present, scene_of
from ...scene.reading.settings import gravity_direction
from ...scene.reading.subjects.subject import Subject
from ...scene.reading.visible import Family
from ...scene.writing.outcome import Outcome, write_reports_only, write_rests
from ..common import FREED, Conclusion, NeedsShape, conclude
from ..sliced import SlicedOperator
from .options import PlacementProperties
from .run import LEFT_IN_PLACE, beginning, key_options, reading_to_move, settings_for

ResultT = TypeVar("ResultT")


class PHYSPLACE_OT_drop_selected(NeedsShape, PlacementProperties, SlicedOperator):
    """Let the selected objects come to rest one after another, the lowest first."""

    bl_options = {"REGISTER", "UNDO", "PRESET"}
    bl_idname = "physplace.drop_selected"
    bl_label = "Drop Selected"
    bl_description = (
        "Let the selected objects fall one after another, the lowest first, each onto what is below it. Much "
        "faster than together: for objects that do not lean on each other while they fall"
    )

    def draw(self, context: Context) -> None:
        """Draw the options."""
        self.draw_options(present(self.layout))

    def job(self, context: Context) -> Job[Conclusion]:
        """Drop object after object, then write all of them."""
        outcomes = yield from self._dropping(context)
        fallen = [outcome for outcome in outcomes if outcome.certificate.status not in LEFT_IN_PLACE]
        left = [outcome for outcome in outcomes if outcome.certificate.status in LEFT_IN_PLACE]
        if fallen:
            keys = key_options(scene_of(context))
            write_rests(context, fallen, replace(keys, in_turn=True) if keys else None)
        write_reports_only(left)
        conclusion = conclude(outcomes)
        freed = sum(any(note.startswith(FREED) for note in each.certificate.notes) for each in outcomes)
        if len(outcomes) == 1 or not freed:
            return conclusion
        return replace(conclusion, text=f"{conclusion.text}; {counted(freed, 'start')} freed of an overlap")

    def _dropping(self, context: Context) -> Job[list[Outcome]]:
        movers = self.movers(context, together=True)
        scenario = yield from reading_to_move(context, movers, options=self.chosen_options(context, movers))
        down = np.array(gravity_direction(scene_of(context), scenario.options.direction))
        order = sorted(scenario.subjects, key=lambda subject: -lowest(subject, down))
        names = [Family.of(subject.object).names for subject in order]
        absent = frozenset[str]().union(*names)
        settings = settings_for(context, scenario)
        outcomes: list[Outcome] = []
        for number, subject in enumerate(order):
            alone = scenario.with_one(subject, [_standing(outcome) for outcome in outcomes], absent)
            run = yield from _numbered(beginning(context, alone, settings), number, len(order))
            yield from _numbered(run.running(context), number, len(order))
            outcomes += run.outcomes()
        return outcomes


def lowest(subject: Subject, down: Floats) -> float:
    """Return how far down, a length, the lowest point of an object is; down: a unit direction (3,)."""
    points = subject.pose.points(subject.body.triangles.reshape(-1, 3))
    return float((points @ down).max())


def _standing(outcome: Outcome) -> tuple[str, Body]:
    """Return the name of an object, and its body where it has come to rest."""
    subject = outcome.subject
    return subject.name, subject.body.transformed(outcome.poses[-1].matrix4)


def _numbered(job: Job[ResultT], number: int, count: int) -> Job[ResultT]:
    """Return a job that says which of so many objects it is about."""
    while True:
        try:
            done = next(job)
        except StopIteration as end:
            result: ResultT = end.value
            return result
        yield Progress(f"{number + 1} of {count}: {done.words}", number / count)
