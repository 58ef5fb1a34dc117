"""What an artist types for a surface of formulas, read and checked.

One patch is `x`, `y`, `z` in u and v, and the domains `u` and `v`, such as "0, 2*pi, periodic".  Several
patches are `1.x`, `1.y`, ..., `2.x`, ...; what all of them share may be given once, without a number.  Any
other name is a constant: a number for use in all of them.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import NoReturn

from ...errors import SurfaceError
from ...formulas import RESERVED, FormulaError, Formulas, number_of
from ..geometry import Interval

KIND = "formula"  # the name of this kind of surface in errors
COORDINATES, PARAMETERS = ("x", "y", "z"), ("u", "v")
# Patches of a surface, and operations of one patch's formulas: what is proven in some seconds.
MOST_PATCHES, MOST_OPERATIONS = 64, 400
# Least width of a domain over its larger end: with less, rounding hides what lies between the ends.
_LEAST_SHARE = 1e-9
_OWN = (*COORDINATES, *PARAMETERS)  # what a patch may have of its own
_NUMBERED = re.compile(r"([0-9]+)\.(.*)", re.DOTALL)  # A name with the number of its patch, such as 2.x.


@dataclass(frozen=True, eq=False)
class FormulaSource:
    """One patch as it is typed: x, y, z as formulas of u and v, their domains, and the name of each."""

    formulas: Formulas
    u: Interval
    v: Interval
    names: Mapping[str, str]


def read_sources(parameters: Mapping[str, object]) -> list[FormulaSource]:
    """Return the patches that parameters define, in the order of their numbers.

    Args:
        parameters: texts and numbers by name, without the prefix of the property.

    Raises:
        SurfaceError: naming the parameter and the character, for whatever is missing, unknown or wrong.
    """
    numbers = sorted({_patch_number(name) for name in parameters} - {0})
    if len(numbers) > MOST_PATCHES:
        _refuse(f"{numbers[-1]}.x", f"is one of {len(numbers)} patches", f"expected {MOST_PATCHES} at most")
    constants = {name: _constant(name, parameters[name]) for name in parameters if _is_constant(name)}
    return [_source(parameters, number, constants) for number in (numbers or [0])]


def read_path(parameters: Mapping[str, object]) -> tuple[Formulas, Interval]:
    """Return the path that `path.x`, `path.y`, `path.z` define in t, and `path.t` as its domain.

    Raises:
        SurfaceError: as `read_sources` does.
    """
    names = {own: f"path.{own}" for own in (*COORDINATES, "t")}
    others = [name for name in parameters if name not in names.values()]
    constants = {name: _constant(name, parameters[name], ("t",)) for name in others}
    texts = {own: _text(parameters, name) for own, name in names.items()}
    return _formulas(names, texts, constants, ("t",)), _domain(names["t"], texts["t"], constants)


def _refuse(name: str, found: str, remedy: str) -> NoReturn:
    raise SurfaceError(KIND, name, found, remedy)


def definition_error(name: str, error: FormulaError) -> SurfaceError:
    """Return an error that names the parameter, and shows the character."""
    found = f"character {error.position + 1}: {error.found}"
    return SurfaceError(KIND, name, found, f"{error.remedy}\n{error.excerpt}")


def _patch_number(name: str) -> int:
    """Return the number of the patch that a parameter belongs to; 0 for none."""
    match = _NUMBERED.fullmatch(name)
    if match is None:
        return 0
    if match[2] not in _OWN or len(match[1]) > 4 or int(match[1]) == 0:
        _refuse(name, "is not known", "expected a number from 1 on, and x, y, z, u or v, as in 1.x")
    return int(match[1])


def _is_constant(name: str) -> bool:
    return name not in _OWN and _NUMBERED.fullmatch(name) is None


def _constant(name: str, value: object, variables: tuple[str, ...] = PARAMETERS) -> float:
    if not re.fullmatch(r"[^\W\d]\w*", name):
        _refuse(name, "is no name for a constant", "expected a letter, then letters, digits or _")
    if name in RESERVED or name in variables:
        _refuse(
            name, "is the name of a function, a number or a parameter", "choose another name for the constant"
        )
    if isinstance(value, (bool, int, float)) and math.isfinite(value):
        return float(value)
    _refuse(name, f"found {value!r}", "expected a finite number, a constant for the formulas")


def _source(parameters: Mapping[str, object], number: int, constants: Mapping[str, float]) -> FormulaSource:
    names = {own: _name_of(parameters, number, own) for own in _OWN}
    texts = {own: _text(parameters, name) for own, name in names.items()}
    u, v = (_domain(names[own], texts[own], constants) for own in PARAMETERS)
    return FormulaSource(_formulas(names, texts, constants), u, v, names)


def _name_of(parameters: Mapping[str, object], number: int, own: str) -> str:
    """Return the parameter that gives a coordinate or a domain of a patch: its own, or the one of all."""
    numbered = f"{number}.{own}"
    return numbered if numbered in parameters or (number and own not in parameters) else own


def _text(parameters: Mapping[str, object], name: str) -> str:
    if name not in parameters:
        _refuse(name, "is missing", "expected x, y and z as formulas, u and v as domains")
    value = parameters[name]
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        return repr(value)
    if isinstance(value, str):
        return value
    _refuse(name, f"found {value!r}", "expected text")


def _formulas(
    names: Mapping[str, str],
    texts: Mapping[str, str],
    constants: Mapping[str, float],
    variables: tuple[str, ...] = PARAMETERS,
) -> Formulas:
    own = ""
    try:
        for own in COORDINATES:
            Formulas.read([texts[own]], variables, constants)
    except FormulaError as error:
        raise definition_error(names[own], error) from error
    formulas = Formulas.read([texts[own] for own in COORDINATES], variables, constants)
    if len(formulas.nodes) > MOST_OPERATIONS:
        found = f"the formulas of a patch have {len(formulas.nodes)} operations"
        _refuse(names["x"], found, f"expected {MOST_OPERATIONS} at most")
    return formulas


def _domain(name: str, text: str, constants: Mapping[str, float]) -> Interval:
    """Return the interval of "lower, upper" or "lower, upper, periodic"."""
    parts = _split_at_commas(text)
    periodic = len(parts) == 3 and parts[2][1].strip().lower() == "periodic"
    if len(parts) != 2 and not periodic:
        _refuse(name, f"found {text[:80]!r}", 'expected "lower, upper" or "lower, upper, periodic"')
    lower, upper = (_number(name, text, *part, constants) for part in parts[:2])
    if not (lower < upper and math.isfinite(upper - lower)):
        _refuse(name, f"found {lower:g} to {upper:g}", "expected the lower end first, then a greater one")
    if upper - lower < _LEAST_SHARE * max(abs(lower), abs(upper)):
        found = f"is {upper - lower:.3g} wide, and that far from zero that rounding hides what lies between"
        _refuse(name, found, "begin it at 0, and add in the formulas what is needed")
    return Interval(lower, upper, periodic)


def _split_at_commas(text: str) -> list[tuple[int, str]]:
    """Return the pieces between the commas that are in no parentheses, and where each starts."""
    pieces, start, depth = [], 0, 0
    for place, character in enumerate(text):
        depth += (character == "(") - (character == ")")
        if character == "," and depth <= 0:
            pieces.append((start, text[start:place]))
            start = place + 1
    return [*pieces, (start, text[start:])]


def _number(name: str, text: str, start: int, piece: str, constants: Mapping[str, float]) -> float:
    try:
        return number_of(piece, constants)
    except FormulaError as error:
        shown = FormulaError(text, start + error.position, error.found, error.remedy)
        raise definition_error(name, shown) from error
