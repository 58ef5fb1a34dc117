# SPDX-License-Identifier: GPL-3.0-or-later
"""Operators that do one job: in slices in a window, with a bar, words and Esc; at once without one."""

from __future__ import annotations

from typing import TypeVar

from bpy.types import Context, Event

from ..core.jobs import Job, finished
from ..scene.access import present, view_layer_of
from ..scene.references import ObjectReference
from .common import Conclusion, CursorProgress, cursor_progress
from .modal import ModalOperator
from .view import View

ResultT = TypeVar("ResultT")


class SlicedOperator(ModalOperator):
    """An operator that does one job: in slices in a window, where Esc ends it with nothing changed.

    So does whatever else changes the scene: what the job has read would not be so any more.

    All that it changes is changed in the job's last slice.
    """

    watches_scene = True

    def job(self, context: Context) -> Job[Conclusion]:
        """Read the scene, solve, write the scene. Raises PhysPlaceError, with nothing written."""
        raise NotImplementedError

    def work(self, context: Context) -> Conclusion:
        """Do the whole job, with progress at the cursor."""
        with cursor_progress() as progress:
            return finished(shown_at_cursor(self.job(context), progress))

    def beginning(self, context: Context, view: View, event: Event) -> Job[Conclusion | None]:
        """Do the job."""
        objects = view_layer_of(context).objects
        self._named = [ObjectReference.of(obj) for obj in {*objects.selected, objects.active} if obj]
        return (yield from self.job(context))

    def end_reason(self, context: Context) -> str | None:
        """Return why it is pointless to go on; None if it is not."""
        different = present(self.watch).difference(context)
        ends = (super().end_reason(context), *map(_missing, self._named), different)
        return next((reason for reason in ends if reason is not None), None)


def _missing(reference: ObjectReference) -> str | None:
    """Return why an object is not found by its name, which jobs hold it by; None if it is."""
    obj = reference.found()
    if obj is None:
        return f'"{reference.name}" is no longer there'
    return None if obj.name == reference.name else f'"{reference.name}" is named "{obj.name}" now'


def shown_at_cursor(job: Job[ResultT], progress: CursorProgress) -> Job[ResultT]:
    """Return a job that shows at the cursor how far it is."""
    while True:
        try:
            done = next(job)
        except StopIteration as end:
            result: ResultT = end.value
            return result
        progress.show(done.part or 0.0)
        yield done
