# SPDX-License-Identifier: GPL-3.0-or-later
"""Operators that do one job: in slices in a window, with a bar, words and Esc; at once without one."""

from __future__ import annotations

from typing import TypeVar

import bpy
from bpy.types import Context, Event

from ..core.jobs import Job, finished
from ..scene.access import view_layer_of
from .common import Conclusion, CursorProgress, cursor_progress
from .modal import ModalOperator
from .view import View

ResultT = TypeVar("ResultT")


class SlicedOperator(ModalOperator):
    """An operator that does one job: in slices in a window, where Esc ends it with nothing changed.

    All that it changes is changed in the job's last slice.
    """

    def job(self, context: Context) -> Job[Conclusion]:
        """Read the scene, solve, write the scene. Raises PhysPlaceError, with nothing written."""
        raise NotImplementedError

    def work(self, context: Context) -> Conclusion:
        """Do the whole job, with progress at the cursor."""
        with cursor_progress() as progress:
            return finished(shown_at_cursor(self.job(context), progress))

    def beginning(self, context: Context, view: View, event: Event) -> Job[Conclusion | None]:
        """Do the job."""
        self._names = [obj.name for obj in view_layer_of(context).objects.selected]
        return (yield from self.job(context))

    def end_reason(self, context: Context) -> str | None:
        """Return why it is pointless to go on; None if it is not."""
        gone = [name for name in self._names if name not in bpy.data.objects]
        return super().end_reason(context) or (f'"{gone[0]}" is no longer there' if gone else None)


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
