"""Long work in slices: a generator that says between two slices how far it is, and returns its result.

A slice is as short as the work allows.  Whoever drives a job decides when it goes on; a job that is closed
leaves nothing behind.  Nothing here knows of time or of windows.
"""

from __future__ import annotations

from collections.abc import Generator
from dataclasses import dataclass
from typing import TypeVar

__all__ = ["Job", "Progress", "Slices", "finished"]

ResultT = TypeVar("ResultT")


@dataclass(frozen=True)
class Progress:
    """How far a job is.

    words: what it is doing, for a person.
    part: the part of the work that is done, from 0 to 1; None where that is not known.
    """

    words: str
    part: float | None = None


Job = Generator[Progress, None, ResultT]

Slices = Generator[None, None, ResultT]
"""Work in slices that has nothing to say between them."""


def finished(job: Job[ResultT] | Slices[ResultT]) -> ResultT:
    """Run a job to its end and return its result."""
    while True:
        try:
            next(job)
        except StopIteration as end:
            result: ResultT = end.value
            return result
