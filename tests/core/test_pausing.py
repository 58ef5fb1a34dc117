"""A plain function runs in slices: it pauses where it may, and never works while who drives it does."""

from __future__ import annotations

import threading
from time import perf_counter, sleep

import numpy as np
import pytest

from physplace_addon.core.jobs import Job, Progress, finished
from physplace_addon.core.pausing import SLICE, finer, in_slices, may_pause, worked_seconds


def worked(seconds: float, every: float = 0.001) -> None:
    """Work for so long, and be ready to pause now and then."""
    end = perf_counter() + seconds
    while perf_counter() < end:
        pause = perf_counter() + every
        while perf_counter() < pause:
            pass
        may_pause()


def test_a_call_gives_its_result_in_slices() -> None:
    def function() -> int:
        worked(8.0 * SLICE)
        return 7

    begin, seconds = perf_counter(), []
    for progress in in_slices(function, "Seven", 0.5):
        assert (progress.words, progress.part) == ("Seven", 0.5)
        seconds.append(perf_counter() - begin)
        begin = perf_counter()
    assert len(seconds) >= 3
    assert np.median(seconds) < 2.0 * SLICE
    assert finished(in_slices(function, "Seven")) == 7


def test_between_two_slices_nothing_is_done() -> None:
    done: list[int] = []

    def function() -> None:
        for number in range(100):
            worked(0.2 * SLICE)
            done.append(number)

    job = in_slices(function, "")
    next(job)
    before = len(done)
    sleep(5.0 * SLICE)
    assert 0 < before == len(done) < 100
    finished(job)
    assert done == list(range(100))


def test_what_a_call_raises_is_raised_where_it_is_driven() -> None:
    def function() -> None:
        worked(2.0 * SLICE)
        raise ValueError("no")

    with pytest.raises(ValueError, match="no"):
        finished(in_slices(function, ""))


def test_a_job_that_is_closed_ends_its_call_where_it_pauses() -> None:
    left: list[str] = []
    threads = threading.active_count()

    def function() -> None:
        try:
            worked(60.0)
        finally:
            left.append("left")

    job = in_slices(function, "")
    next(job)
    assert threading.active_count() == threads + 1
    job.close()
    assert left == ["left"]
    assert threading.active_count() == threads


def test_a_job_that_is_forgotten_ends_its_call() -> None:
    threads = threading.active_count()
    job = in_slices(lambda: worked(60.0), "")
    next(job)
    del job
    assert threading.active_count() == threads


def test_a_call_in_a_call_pauses_for_who_drives_the_outer_one() -> None:
    def inner() -> int:
        worked(3.0 * SLICE)
        return 3

    def function() -> int:
        return finished(in_slices(inner, "inner"))

    job = in_slices(function, "outer")
    assert next(job).words == "outer"
    assert finished(job) == 3


def test_the_work_of_a_call_counts_as_that_of_who_drives_it() -> None:
    begin = worked_seconds()
    finished(in_slices(lambda: worked(5.0 * SLICE), ""))
    assert worked_seconds() - begin > 2.0 * SLICE


def test_the_slices_of_a_job_are_cut_up() -> None:
    def job() -> Job[int]:
        yield Progress("first")
        worked(4.0 * SLICE)
        yield Progress("second")
        return 2

    words = [progress.words for progress in finer(job())]
    assert words[-1] == "second"
    assert words.count("first") > 2
    assert finished(finer(job())) == 2


def test_a_finer_job_that_is_closed_closes_the_one_that_it_cuts_up() -> None:
    left: list[str] = []

    def job() -> Job[None]:
        try:
            yield Progress("first")
            worked(60.0)
        finally:
            left.append("left")

    cut = finer(job())
    for _ in range(3):
        next(cut)
    cut.close()
    assert left == ["left"]


def test_outside_of_a_job_nothing_pauses() -> None:
    may_pause()
    worked(2.0 * SLICE)
