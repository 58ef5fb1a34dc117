"""Long work in slices says how far it is, and gives its result at the end."""

from __future__ import annotations

import pytest

from physplace_addon.core.jobs import Job, Progress, finished


def counting(count: int, left: list[str]) -> Job[int]:
    """Count in slices; `left` is filled when the job ends in whatever way."""
    try:
        for number in range(count):
            yield Progress(f"{number} of {count}", number / count)
        return count
    finally:
        left.append("left")


def outer(left: list[str]) -> Job[int]:
    """Two jobs, one after the other."""
    first = yield from counting(2, left)
    return first + (yield from counting(3, left))


def test_a_job_of_jobs_runs_to_its_end_and_returns_its_result() -> None:
    left: list[str] = []
    assert finished(outer(left)) == 5
    assert [progress.words for progress in outer([])] == ["0 of 2", "1 of 2", "0 of 3", "1 of 3", "2 of 3"]
    assert left == ["left", "left"]


def test_a_job_that_is_closed_leaves_what_it_does() -> None:
    left: list[str] = []
    job = outer(left)
    next(job)
    job.close()
    assert left == ["left"]
    with pytest.raises(StopIteration):
        next(job)
