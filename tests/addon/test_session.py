"""The pacing and the history of interactive sessions."""

from __future__ import annotations

import time

from physplace_addon.operators.session import REST, History, Pacing

TICK = 0.01  # seconds


class Steps:
    """Steps that take so many seconds of work each; `most` of them, then there is none to take."""

    def __init__(self, seconds: float, most: int = 1000) -> None:
        self.seconds, self.left = seconds, most

    def __call__(self) -> bool:
        if self.left == 0:
            return False
        self.left -= 1
        end = time.thread_time() + self.seconds
        while time.thread_time() < end:
            pass
        return True


def test_steps_are_taken_until_the_time_of_a_tick_is_used() -> None:
    steps = Pacing().work(Steps(0.2 * TICK), TICK)
    assert steps is not None
    assert 1 <= steps <= 5


def test_where_there_is_no_step_none_is_taken() -> None:
    assert Pacing().work(Steps(0.0, most=0), TICK) == 0
    assert Pacing().work(Steps(0.0, most=3), TICK) == 3


def test_a_step_longer_than_half_a_tick_is_the_only_one_of_a_tick_that_may_not_overrun() -> None:
    pacing = Pacing()
    assert pacing.work(Steps(0.6 * TICK), TICK, overruns=False) == 1
    assert pacing.step_seconds >= 0.6 * TICK


def test_after_steps_of_three_ticks_ticks_are_left_to_the_view_until_it_had_its_time() -> None:
    pacing, step = Pacing(), Steps(3.0 * TICK)
    assert pacing.work(step, TICK) == 1
    ended = time.perf_counter()
    while pacing.work(step, TICK) is None:
        time.sleep(0.1 * TICK)
    assert time.perf_counter() - ended - 3.0 * TICK >= 2.0 * REST * TICK


def test_work_within_the_budget_leaves_no_tick_out() -> None:
    pacing, step = Pacing(), Steps(0.5 * TICK)
    for _ in range(8):
        assert pacing.work(step, TICK, overruns=False) is not None
        time.sleep(TICK)


def test_a_step_of_a_tick_without_a_budget_leaves_no_tick_of_a_longer_one_out() -> None:
    pacing, step = Pacing(), Steps(TICK)
    assert pacing.work(step, 1e-9) == 1
    assert pacing.work(step, 2.0 * TICK) is not None


def test_a_history_shows_the_state_that_it_is_scrubbed_to_and_no_other_than_there_are() -> None:
    states = ["first", "second", "third"]
    history = History(states)
    assert (history.state, history.is_latest, history.began) == ("third", True, 2)
    history.scrub(-1)
    assert (history.state, history.is_latest) == ("second", False)
    history.scrub(-10)
    assert history.state == "first"
    history.scrub(10)
    assert history.state == "third"


def test_a_new_state_is_not_shown_before_the_history_shows_the_latest() -> None:
    states = ["first"]
    history = History(states)
    states.append("second")
    assert history.state == "first"
    history.show_latest()
    assert (history.state, history.began) == ("second", 0)
    history.show_latest(begins=True)
    assert history.began == 1
