"""Of many things a message names a few, and says how many others there are."""

from __future__ import annotations

from physplace_addon.core.wording import counted, in_words, listed


def test_many_names_are_told_by_their_number() -> None:
    assert [counted(n, "step") for n in range(3)] == ["0 steps", "1 step", "2 steps"]
    assert in_words([]) == ""
    assert in_words(["a"]) == '"a"'
    assert in_words(["a", "b", "c"]) == '"a", "b" and "c"'
    assert in_words("abcd") == '"a", "b", "c" and 1 other'
    assert listed("abcdef") == "a, b, c and 3 others"
