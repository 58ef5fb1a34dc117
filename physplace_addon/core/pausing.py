"""Calls that pause: a plain function becomes a job (`jobs.py`) without being written as a generator.

The function runs in a thread of its own, but never at the same time as the thread that drives the job: each
waits while the other works.  The function ends a slice where it calls `may_pause` and has worked for `SLICE`.
So a computation many calls deep can be cut up, and what it calls need not know whether it is.

A job that is closed raises an exception in the function, at the place where it pauses.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from time import perf_counter, thread_time
from typing import Final, Generic, TypeVar

from .jobs import Job, Progress

__all__ = ["finer", "in_slices", "may_pause", "worked_seconds"]

SLICE: Final = 0.01  # seconds after which a call pauses: less than a frame of 60 a second
ResultT = TypeVar("ResultT")


def may_pause() -> None:
    """Let whoever drives this call do something else now, if the call has worked for long enough."""
    call: _Call[object] | None = getattr(_thread, "call", None)
    if call is not None and perf_counter() >= call.pauses_at:
        call.pause()


def in_slices(function: Callable[[], ResultT], words: str, part: float | None = None) -> Job[ResultT]:
    """Return a job that calls a function, and pauses in it.

    Args:
        function: what is called; it must not use anything that only one thread may use.
        words: what it does, for a person.
        part: the part of the work that is done before it, from 0 to 1; None where that is not known.
    """
    if getattr(_thread, "call", None) is not None:
        return function()  # it pauses as a part of the call that runs already
    call, progress = _Call(function), Progress(words, part)
    try:
        while not call.resume():
            yield progress
    finally:
        call.end()
    return call.result()


def finer(job: Job[ResultT]) -> Job[ResultT]:
    """Return a job whose slices are those of another one, each of them cut up where it may pause."""
    progress = Progress("")
    ends: list[ResultT] = []

    def go_on() -> Progress | None:
        try:
            return next(job)
        except StopIteration as end:
            ends.append(end.value)
            return None

    while True:
        following = yield from in_slices(go_on, progress.words, progress.part)
        if following is None:
            return ends[0]
        progress = following
        yield progress


def worked_seconds() -> float:
    """Return the processor seconds of this thread and of the calls that it drives."""
    elsewhere: float = getattr(_thread, "elsewhere", 0.0)
    return thread_time() + elsewhere


class _Closed(BaseException):
    """The job was closed."""


class _Call(Generic[ResultT]):
    """A function that runs in a thread of its own, and only while `resume` waits for it.

    pauses_at: the time from which on it pauses where it may.
    """

    def __init__(self, function: Callable[[], ResultT]) -> None:
        self.pauses_at = 0.0
        self._function = function
        self._results: list[ResultT] = []
        self._error: BaseException | None = None
        self._is_closed = self._has_ended = False
        self._works, self._waits = threading.Semaphore(0), threading.Semaphore(0)
        self._began = self._worked = 0.0
        self._thread = threading.Thread(target=self._run, name="call in slices", daemon=True)
        self._thread.start()

    def resume(self) -> bool:
        """Let it work until it pauses or ends; return whether it has ended."""
        self.pauses_at = perf_counter() + SLICE
        self._works.release()
        self._waits.acquire()
        _thread.elsewhere = getattr(_thread, "elsewhere", 0.0) + self._worked
        return self._has_ended

    def pause(self) -> None:
        """Let the thread that waits work, until it resumes this one."""
        self._worked = thread_time() - self._began
        self._waits.release()
        self._begin()

    def end(self) -> None:
        """End it now, if it has not ended."""
        self._is_closed, self.pauses_at = True, 0.0
        self._works.release()
        self._thread.join()

    def result(self) -> ResultT:
        """Return what the function returned, or raise what it raised."""
        if self._error is not None:
            raise self._error
        return self._results[0]

    def _begin(self) -> None:
        self._works.acquire()
        self._began = thread_time()
        if self._is_closed:
            raise _Closed

    def _run(self) -> None:
        _thread.call = self
        try:
            self._begin()
            self._results.append(self._function())
        except BaseException as error:  # noqa: BLE001 - raised again where the job is driven
            self._error = error
        self._worked = thread_time() - self._began
        self._has_ended = True
        self._waits.release()


_thread = threading.local()
