"""How several things are told in a sentence."""

from __future__ import annotations

from collections.abc import Sequence

_NAMED = 3  # that a sentence bears


def counted(count: int, thing: str) -> str:
    """So many things, of a kind whose name has an s when they are several."""
    return f"{count} {thing}{'' if count == 1 else 's'}"


def in_words(names: Sequence[str]) -> str:
    """Names as in a sentence; of many, how many others there are."""
    return listed([f'"{name}"' for name in names])


def listed(things: Sequence[str]) -> str:
    """Things as in a sentence, as they are written; of many, how many others there are."""
    told, others = list(things[:_NAMED]), len(things) - _NAMED
    if others > 0:
        told.append(counted(others, "other"))
    return " and ".join([", ".join(told[:-1]), told[-1]] if len(told) > 1 else told)
