"""The names a formula may use: functions with their numbers of arguments, and constants.

All functions are smooth but for single places, which the manual's table names: there a derivative is infinite
(sqrt at 0), or the one towards larger values (abs, sign, min and max where two values meet).  Steps and
remainders (floor, mod) are left out: a surface made with them is torn.
"""

from __future__ import annotations

import difflib
import math
from collections.abc import Iterable, Mapping

ONE, TWO, MANY = (1, 1), (2, 2), (2, 8)
FUNCTIONS: Mapping[str, tuple[int, int]] = {
    **dict.fromkeys(("sin", "cos", "tan", "asin", "acos", "atan"), ONE),
    **dict.fromkeys(("sinh", "cosh", "tanh", "asinh", "acosh", "atanh"), ONE),
    **dict.fromkeys(("exp", "log", "log10", "sqrt", "cbrt", "abs", "sign"), ONE),
    **dict.fromkeys(("atan2", "hypot", "pow"), TWO),
    **dict.fromkeys(("min", "max"), MANY),
}
OTHER_NAMES: Mapping[str, str] = {
    **{"ln": "log", "arcsin": "asin", "arccos": "acos", "arctan": "atan", "arctan2": "atan2"},
    **{"arsinh": "asinh", "arcosh": "acosh", "artanh": "atanh", "sgn": "sign"},
}
CONSTANTS: Mapping[str, float] = {"pi": math.pi, "tau": math.tau, "e": math.e, "π": math.pi, "τ": math.tau}
RESERVED = frozenset((*FUNCTIONS, *OTHER_NAMES, *CONSTANTS))


def function_named(name: str) -> str | None:
    """Return the function of a name, or of another name for it; None if there is none."""
    own = OTHER_NAMES.get(name, name)
    return own if own in FUNCTIONS else None


def nearest(name: str, known: Iterable[str]) -> str | None:
    """Return the known name that a misspelt one is most likely meant to be."""
    close = difflib.get_close_matches(name[:40].lower(), list(known), n=1, cutoff=0.6)
    return close[0] if close else None
