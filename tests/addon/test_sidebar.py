"""Long texts in panels."""

from physplace_addon.panels.sidebar import wrapped


def test_a_text_is_broken_between_words_where_there_is_no_more_room() -> None:
    assert wrapped("one two  three", 7.0, len) == ["one two", "three"]
    assert wrapped("one two three", 6.0, len) == ["one", "two", "three"]
    assert wrapped("a longword b", 4.0, len) == ["a", "longword", "b"]
    assert wrapped("", 4.0, len) == []
