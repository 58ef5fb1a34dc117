# SPDX-License-Identifier: GPL-3.0-or-later
"""A job that is driven slice by slice in the ticks of a timer, and how far it is in one line."""

from __future__ import annotations

from time import perf_counter
from typing import Final, Generic, TypeVar

from ..core.jobs import Job, Progress
from .session import Pacing, one_line

BAR: Final = 20  # signs of the bar in the header
ResultT = TypeVar("ResultT")


class DrivenJob(Generic[ResultT]):
    """A job under way; progress: how far it is. result: what it returned; None as long as it runs."""

    def __init__(self, job: Job[ResultT | None]) -> None:
        self._job: Job[ResultT | None] | None = job
        self._pacing = Pacing()
        self.progress = Progress("")
        self.result: ResultT | None = None

    @property
    def is_running(self) -> bool:
        """Whether it has slices left."""
        return self._job is not None

    def advance(self, seconds: float) -> None:
        """Work on it for so many seconds, or until it ends. Raises what the job raises."""
        end = perf_counter() + seconds
        while self._take_slice() and perf_counter() < end:
            pass

    def tick(self, seconds: float) -> None:
        """Work on it for a tick of so many seconds, on the average. Raises what the job raises."""
        self._pacing.work(self._take_slice, seconds)

    def stop(self) -> None:
        """Work on it no more."""
        job, self._job = self._job, None
        if job is not None:
            job.close()

    def _take_slice(self) -> bool:
        """Work on the job for a slice; return False if it has ended."""
        if self._job is None:
            return False
        try:
            self.progress = next(self._job)
        except StopIteration as end:
            self._job, self.result = None, end.value
        except BaseException:
            self._job = None
            raise
        return self._job is not None


def in_a_line(label: str, progress: Progress) -> str:
    """Return what a job is doing, with a bar, in one line."""
    parts = [label, progress.words]
    if progress.part is not None:
        full = round(BAR * min(max(progress.part, 0.0), 1.0))
        parts.append("\u2588" * full + "\u2591" * (BAR - full) + f" {progress.part:.0%}")
    return one_line(part for part in parts if part)
