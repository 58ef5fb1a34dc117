"""From a formula's text to its nodes, by precedence climbing: nothing of it ever reaches Python.

*Names.*  All functions are smooth but for single places, which the manual's table names: there a derivative
is infinite (sqrt at 0), or the one towards larger values (abs, sign, min and max where two values meet).
Steps and remainders (floor, mod) are left out: a surface made with them is torn.

*Precedence*, from loose to tight: + and -; * and /; the sign of a term; ^ (or **), from the right.  So -x^2
is -(x^2) and 2^3^2 is 2^(3^2).  A number before a name or a parenthesis, and a parenthesis before either,
multiply without a sign: 2u, 2(u + v), (u + 1)(v + 1), 2 sin(u)cos(v).  After / and ^ that would be ambiguous
and is refused.
"""

from __future__ import annotations

import difflib
import math
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from .errors import FormulaError
from .nodes import Builder

ONE, TWO, MANY = (1, 1), (2, 2), (2, 8)  # least and greatest numbers of arguments
# The functions, with their numbers of arguments.
FUNCTIONS: Mapping[str, tuple[int, int]] = {
    **dict.fromkeys(("sin", "cos", "tan", "asin", "acos", "atan"), ONE),
    **dict.fromkeys(("sinh", "cosh", "tanh", "asinh", "acosh", "atanh"), ONE),
    **dict.fromkeys(("exp", "log", "log10", "sqrt", "cbrt", "abs", "sign"), ONE),
    **dict.fromkeys(("atan2", "hypot", "pow"), TWO),
    **dict.fromkeys(("min", "max"), MANY),
}
# Other names of functions.
OTHER_NAMES: Mapping[str, str] = {
    **{"ln": "log", "arcsin": "asin", "arccos": "acos", "arctan": "atan", "arctan2": "atan2"},
    **{"arsinh": "asinh", "arcosh": "acosh", "artanh": "atanh", "sgn": "sign"},
}
# Constants by name.
CONSTANTS: Mapping[str, float] = {"pi": math.pi, "tau": math.tau, "e": math.e, "π": math.pi, "τ": math.tau}
RESERVED = frozenset((*FUNCTIONS, *OTHER_NAMES, *CONSTANTS))  # names that a constant may not have
MOST_CHARACTERS = 4000  # length of a text: what is parsed and evaluated at once
NUMBER, NAME, SIGN, END = "number", "name", "sign", "end"  # kinds of tokens
# Numbers, names, signs and spaces.
_TOKEN = re.compile(
    r"(?P<number>(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?)"
    r"|(?P<name>[^\W\d]\w*)"
    r"|(?P<sign>\*\*|[-+*/^(),])"
    r"|(?P<space>\s+)"
)
MOST_DEPTH = 60  # levels of parentheses, signs and powers: each calls the parser again
_SUM, _PRODUCT, _TERM, _POWER = 10, 20, 25, 30  # how tightly operators bind
# Operators between operands: operation, how tightly they bind, and how tightly their right operands must.
_BINARY = {
    "+": ("add", _SUM, _SUM + 1),
    "-": ("subtract", _SUM, _SUM + 1),
    "*": ("multiply", _PRODUCT, _PRODUCT + 1),
    "/": ("divide", _PRODUCT, _PRODUCT + 1),
    "^": ("pow", _POWER, _TERM),
}


def function_named(name: str) -> str | None:
    """Return the function of a name, or of another name for it; None if there is none."""
    own = OTHER_NAMES.get(name, name)
    return own if own in FUNCTIONS else None


def closest_name(name: str, known: Iterable[str]) -> str | None:
    """Return the known name that a misspelt one is most likely to stand for; None if none is near."""
    close = difflib.get_close_matches(name[:40].lower(), list(known), n=1, cutoff=0.6)
    return close[0] if close else None


@dataclass(frozen=True)
class Token:
    """A piece of text, what kind of piece, and its first character's number from 0."""

    kind: str
    text: str
    position: int


def tokens_of(text: str) -> list[Token]:
    """Return the tokens of a formula, and one for its end; `**` is read as `^`.

    Raises:
        FormulaError: for a text of more than 4000 characters, and at a character that starts no token.
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


class Parser:
    """One formula being read into a builder that may be shared; constants are numbers by name."""

    def __init__(
        self, text: str, variables: Sequence[str], constants: Mapping[str, float], builder: Builder
    ) -> None:
        self._text = text
        self._variables = tuple(variables)
        self._constants = {**CONSTANTS, **constants}
        self._builder = builder
        self._tokens = tokens_of(text)
        self._next = 0
        self._depth = 0
        self._last = ("", 0)  # the last operator, and the number of the token after its right operand

    def parse(self) -> int:
        """Return the node of the whole text.

        Raises:
            FormulaError: at the character where it goes wrong.
        """
        if self._now.kind == END:
            raise self._error(self._now, "the formula is empty", "expected a number, a name or a formula")
        node = self._expression(0)
        if self._now.kind != END:
            raise self._error(self._now, f"found {self._now.text!r}", self._what_may_follow())
        return node

    @property
    def _now(self) -> Token:
        return self._tokens[self._next]

    def _take(self) -> Token:
        token = self._now
        self._next += 1
        return token

    def _error(self, token: Token, found: str, remedy: str) -> FormulaError:
        return FormulaError(self._text, token.position, found, remedy)

    def _what_may_follow(self) -> str:
        if self._now.text == ")":
            return "expected no more: there is no ( for it"
        if self._now.text == ",":
            return "expected no more: commas stand between the arguments of a function; decimals have a point"
        return "expected + - * / ^ or the end"

    def _expression(self, tightness: int) -> int:
        """Return the node of operands joined by operators that bind at least so tightly."""
        self._depth += 1
        if self._depth > MOST_DEPTH:
            raise self._error(self._now, f"more than {MOST_DEPTH} levels deep", "write it with fewer levels")
        left = self._operand()
        while True:
            token = self._now
            if token.text in _BINARY and token.kind == SIGN:
                name, own, right = _BINARY[token.text]
                if own < tightness:
                    break
                self._take()
                left = self._combined(token, name, (left, self._expression(right)))
                if self._last[1] != self._next:  # else an operator inside the right operand is the nearer one
                    self._last = token.text, self._next
            elif self._multiplies() and tightness <= _PRODUCT:
                self._check_unambiguous(token)
                left = self._combined(token, "multiply", (left, self._expression(_PRODUCT + 1)))
            else:
                break
        self._depth -= 1
        return left

    def _combined(self, token: Token, name: str, nodes: tuple[int, ...]) -> int:
        return self._builder.add(name, nodes, self._text, token.position)

    def _multiplies(self) -> bool:
        """Return whether two operands lie side by side that are multiplied."""
        before, token = self._tokens[self._next - 1], self._now
        return (before.kind == NUMBER or before.text == ")") and (token.kind == NAME or token.text == "(")

    def _check_unambiguous(self, token: Token) -> None:
        """Raise FormulaError where the operand before this token is also the right one of / or ^."""
        operator, after = self._last
        if operator in ("/", "^") and after == self._next:
            found = f"a product without * after {operator} can be read in two ways"
            raise self._error(token, found, "write the * and parentheses")

    def _operand(self) -> int:
        token = self._take()
        if token.kind == NUMBER:
            return self._builder.number(float(token.text), self._text, token.position)
        if token.kind == NAME:
            return self._named(token)
        if token.text == "(":
            node = self._expression(0)
            self._close(token)
            return node
        if token.text in ("-", "+"):
            node = self._expression(_TERM)
            return node if token.text == "+" else self._combined(token, "negative", (node,))
        found = "the formula ends" if token.kind == END else f"found {token.text!r}"
        raise self._error(token, found, "expected a number, a name or (")

    def _close(self, opened: Token) -> None:
        token = self._now
        if token.text == ")":
            self._take()
            return
        found = "the formula ends" if token.kind == END else f"found {token.text!r}"
        raise self._error(token, found, f"expected ) for the ( at character {opened.position + 1}")

    def _named(self, token: Token) -> int:
        """Return the node of what begins with a name: a variable, a constant, or a function and its
        arguments.
        """
        name = token.text
        own = self._own(name, token)
        if own is not None:
            if self._now.text == "(":
                remedy = f"write {name}*(...) for a product"
                raise self._error(self._now, f"{name} is not a function", remedy)
            return own
        function = function_named(name)
        if function is None:
            raise self._unknown(token)
        if self._now.text != "(":
            remedy = f"write {name}(...), and {name}(...)^2 for its square"
            raise self._error(self._now, f"{name} is a function without its parentheses", remedy)
        return self._call(token, function)

    def _own(self, name: str, token: Token) -> int | None:
        if name in self._variables:
            return self._builder.variable(self._variables.index(name), self._text, token.position)
        if name in self._constants:
            return self._builder.number(self._constants[name], self._text, token.position)
        return None

    def _unknown(self, token: Token) -> FormulaError:
        known = [*self._variables, *self._constants, *FUNCTIONS]
        near = closest_name(token.text, known)
        own = ", ".join([*self._variables, *sorted(set(self._constants) - set(CONSTANTS))])
        remedy = f"did you mean {near!r}?" if near else f"expected {own}, pi, e, or a function such as sin"
        return self._error(token, f"{token.text[:40]!r} is not known", remedy)

    def _call(self, token: Token, function: str) -> int:
        opened = self._take()
        arguments = [self._expression(0)]
        while self._now.text == ",":
            self._take()
            arguments.append(self._expression(0))
        self._close(opened)
        least, most = FUNCTIONS[function]
        if not least <= len(arguments) <= most:
            wanted = str(least) if least == most else f"{least} to {most}"
            found = f"{token.text} has {len(arguments)} arguments"
            raise self._error(token, found, f"expected {wanted}, with commas between them")
        return self._folded(token, function, arguments)

    def _folded(self, token: Token, function: str, arguments: Sequence[int]) -> int:
        """Return one call; of more than two arguments, the call of a call."""
        if len(arguments) == 1:
            return self._combined(token, function, (arguments[0],))
        node = arguments[0]
        for other in arguments[1:]:
            node = self._combined(token, function, (node, other))
        return node
