"""Numbers and lists of things, as words of a sentence for messages."""

from __future__ import annotations

from collections.abc import Sequence

_NAMED = 3
"""Most things that a sentence names; of more it gives the number of the others."""


def counted(count: int, thing: str) -> str:
    """Return a number and a noun, with an s unless the number is 1."""
    return f"{count} {thing}{'' if count == 1 else 's'}"


def in_words(names: Sequence[str]) -> str:
    """Return quoted names joined by commas and "and"; of many, the number of the others."""
    return listed([f'"{name}"' for name in names])


def listed(things: Sequence[str]) -> str:
    """Return things joined by commas and "and", without quotes; of many, the number of the others."""
    words, others = list(things[:_NAMED]), len(things) - _NAMED
    if others > 0:
        words.append(counted(others, "other"))
    return " and ".join([", ".join(words[:-1]), words[-1]] if len(words) > 1 else words)
