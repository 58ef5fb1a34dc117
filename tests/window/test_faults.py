"""Whatever goes wrong in Blender, the test has failed and says why; the next test has a sound Blender."""

from __future__ import annotations

from tests.window.blender import Blender

SECONDS = 120.0

CASES: list[tuple[str, dict[str, object], list[str] | None]] = [
    ("an_assertion_fails", {}, ["it floats", "assert 3.5 == 1.0"]),
    ("an_operator_raises_when_its_key_is_pressed", {}, ["mistake in an operator"]),
    ("a_panel_is_drawn", {"raises": True}, ["mistake in a panel"]),
    ("a_panel_is_drawn", {"raises": False}, ["no_such_property", "no_such_operator"]),
    ("a_draw_handler_raises", {}, ["mistake in a draw handler"]),
    ("it_waits_for_what_never_comes", {}, ["still waiting after 10 ticks"]),
    ("all_is_well", {}, None),
]


def fault(blender: Blender, name: str, arguments: dict[str, object], seconds: float = SECONDS) -> str | None:
    return blender.run("tests.window.faults", name, arguments, seconds)


def test_a_fault_fails_the_test_and_is_told_and_the_next_test_knows_nothing_of_it(blender: Blender) -> None:
    assert fault(blender, "all_is_well", {}) is None
    for name, arguments, expected in CASES:
        problem = blender.judged("tests.window.faults", name, arguments, SECONDS)
        assert (problem is None) == (expected is None), name
        for words in expected or ():
            assert words in str(problem)


def test_a_crash_fails_the_test_and_is_told(blender: Blender) -> None:
    problem = fault(blender, "blender_crashes", {})
    assert problem is not None
    assert "Blender ended" in problem


def test_a_hang_fails_the_test_and_the_next_test_has_a_sound_blender(blender: Blender) -> None:
    assert fault(blender, "all_is_well", {}) is None
    starts = blender.starts
    problem = fault(blender, "blender_hangs", {}, seconds=3.0)
    assert problem is not None
    assert "Blender hangs" in problem
    assert "blender_hangs" in problem.split("Blender printed")[1], "where it hung is not told"
    assert fault(blender, "all_is_well", {}) is None
    assert blender.starts == starts + 1
