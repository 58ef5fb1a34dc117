"""Formulas cut into tokens: numbers, names, operators and parentheses, each with its place in the text."""

from __future__ import annotations

import re
from dataclasses import dataclass

from .errors import FormulaError

MOST_CHARACTERS = 4000

NUMBER, NAME, SIGN, END = "number", "name", "sign", "end"
_TOKEN = re.compile(
    r"(?P<number>(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?)"
    r"|(?P<name>[^\W\d]\w*)"
    r"|(?P<sign>\*\*|[-+*/^(),])"
    r"|(?P<space>\s+)"
)


@dataclass(frozen=True)
class Token:
    """A piece of text, what kind of piece, and its first character's number from 0."""

    kind: str
    text: str
    position: int


def tokens_of(text: str) -> list[Token]:
    """Return the tokens of a formula, and one for its end; `**` is read as `^`.

    Raises FormulaError for a text of more than 4000 characters, and at a character that starts no token.
    """
    if len(text) > MOST_CHARACTERS:
        found = f"the formula has {len(text)} characters"
        raise FormulaError(text, MOST_CHARACTERS, found, f"use {MOST_CHARACTERS} at most")
    tokens, position = [], 0
    while position < len(text):
        match = _TOKEN.match(text, position)
        if match is None:
            found = f"found {text[position]!r}"
            raise FormulaError(text, position, found, "expected a number, a name or one of + - * / ^ ( ) ,")
        kind, piece = str(match.lastgroup), match.group()
        if kind != "space":
            tokens.append(Token(kind, "^" if piece == "**" else piece, position))
        position = match.end()
    tokens.append(Token(END, "", len(text)))
    return tokens
