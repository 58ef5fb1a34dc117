"""Proofs that patches of formulas are surfaces: twice differentiable, with a tangent plane everywhere.

A box of parameters is proven where ranges of all derivatives are finite, and where a coordinate of A x B is
known not to be zero, nor next to nothing beside A and B.  (In a box that reaches to a pole, A is minus a mean
of S_st, so the range of S_st holds it.)  Boxes that are not proven are cut in four; what is left of a regular
surface is soon nothing, while a point without a derivative or a tangent plane is left in a box however small.
"""

from __future__ import annotations

import numpy as np

from ...arrays import Bools, Floats
from ...errors import SurfaceError
from ...formulas import FormulaError, Range
from .bounds import grid_boxes, largest_lengths
from .definitions import COORDINATES, KIND, FormulaSource, definition_error
from .patches import FormulaPatches

# Boxes along each direction at first, and rounds of cutting: boxes of the last round are 2^-14 of a patch
# wide.
_FIRST, _ROUNDS = 8, 12
_LEAST_SINE = 1e-9  # least sine of the angle of A and B: below it rounding hides the normal, as at a fold
_FEW = 64  # boxes that are followed further when all are too many
# Boxes of a round, and boxes times operations of a round: some seconds in all.
_MOST_BOXES, _MOST_WORK = 20_000, 2_000_000

# For each operation: why it may not be differentiable, and a remedy.
_REASONS = {
    "divide": ("the divisor becomes zero", "keep it away from zero"),
    "sqrt": (
        "the argument of the root becomes zero or negative",
        "keep it positive: at zero its slope is infinite",
    ),
    "cbrt": ("the argument of the root becomes zero", "keep it from zero: its slope is infinite there"),
    "abs": ("abs has a kink where its argument is zero", "cut the surface into patches there"),
    "sign": ("sign jumps where its argument is zero", "cut the surface into patches there"),
    "min": ("min has a kink where its arguments are equal", "cut the surface into patches there"),
    "max": ("max has a kink where its arguments are equal", "cut the surface into patches there"),
    "log": ("the argument of the logarithm becomes zero or negative", "keep it positive"),
    "log10": ("the argument of the logarithm becomes zero or negative", "keep it positive"),
    "pow": ("the base becomes zero or negative", "keep it positive; only whole exponents from 0 on take any"),
    "atan2": ("atan2 jumps behind the origin", "keep its arguments off y = 0, x <= 0"),
    "hypot": ("hypot has a tip where both arguments are zero", "keep one of them from zero"),
    "tan": ("tan has a pole", "keep its argument between two odd multiples of pi/2"),
}
# The reason and the remedy for any other operation.
_OTHERWISE = ("it is not defined, or its slope is infinite", "keep its argument within its domain")


def reason_for(operation: str) -> tuple[str, str]:
    """Return why an operation may not be differentiable, and a remedy."""
    return _REASONS.get(operation, _OTHERWISE)


def check_regular(patches: FormulaPatches, sources: list[FormulaSource]) -> None:
    """Raise SurfaceError where patches are not regular, or where more boxes are left than can be followed.

    Args:
        patches: to be proven.
        sources: the definitions, by which the error names the formula and the parameters.
    """
    for patch in range(len(patches)):
        source, most, lost = sources[int(patches.source[patch])], _MOST_BOXES, None
        lower, upper = grid_boxes(_FIRST, _FIRST)
        for _ in range(_ROUNDS):
            wrong = ~_is_proven(patches, patch, lower, upper)
            lower, upper = lower[wrong], upper[wrong]
            if not len(lower):
                break
            if len(lower) > min(most, _MOST_WORK // len(source.formulas.nodes)):
                lower, upper, most = lower[:_FEW], upper[:_FEW], _FEW
                lost = _place(patches.boxes(patch, lower, upper), 0)
            lower, upper = _quartered(lower, upper)
        if len(lower):
            raise _irregular(patches, patch, source, lower, upper)
        if lost is not None:
            raise _not_shown(source, lost)


def _not_shown(source: FormulaSource, where: str) -> SurfaceError:
    said = f"no tangent plane can be shown near {where}: a tip, a cusp, a line, or waves too fine"
    name = source.names["x"].removesuffix("x") + "x, y, z"
    return SurfaceError(KIND, name, said, "end the domain there, or choose other parameters")


@np.errstate(all="ignore")
def _is_proven(patches: FormulaPatches, patch: int, lower: Floats, upper: Floats) -> Bools:
    """Return which boxes [lower, upper] (k, 2) of one patch are proven to be regular, (k,)."""
    ranges = patches.ranges(patch, lower, upper)
    known = np.ones(len(lower), dtype=np.bool_)
    for own in (own for six in ranges for own in six if own is not None):
        known &= np.isfinite(own.magnitude)
    zero = Range(np.zeros(len(lower)), np.zeros(len(lower)))
    at_pole = patches.polar[patch] & (upper[:, 1] == 1.0)
    along = [_either(at_pole, six[4] or zero, six[1] or zero) for six in ranges]
    across = [six[2] or zero for six in ranges]
    least = _LEAST_SINE * largest_lengths(along, len(lower)) * largest_lengths(across, len(lower))
    upright = np.zeros(len(lower), dtype=np.bool_)
    for i, j in ((1, 2), (2, 0), (0, 1)):
        normal = along[i] * across[j] - along[j] * across[i]
        upright |= (normal.lower > least) | (normal.upper < -least)
    return known & upright


def _either(which: Bools, first: Range, second: Range) -> Range:
    return Range(np.where(which, first.lower, second.lower), np.where(which, first.upper, second.upper))


def _quartered(lower: Floats, upper: Floats) -> tuple[Floats, Floats]:
    """Return boxes (4 k, 2): each of those given (k, 2) cut into four."""
    middle = 0.5 * (lower + upper)
    corners = [np.array(upper_half, dtype=bool) for upper_half in ((0, 0), (0, 1), (1, 0), (1, 1))]
    low = np.concatenate([np.where(corner, middle, lower) for corner in corners])
    return low, np.concatenate([np.where(corner, upper, middle) for corner in corners])


def _irregular(
    patches: FormulaPatches, patch: int, source: FormulaSource, lower: Floats, upper: Floats
) -> SurfaceError:
    """Return the error that says what is wrong in the boxes that are left."""
    boxes = patches.boxes(patch, lower, upper)
    found = source.formulas.unproven_in(*boxes)
    if found is None:
        return _not_shown(source, _place(boxes, 0))
    operation, place, box = found
    reason, remedy = reason_for(operation)
    said = f"near {_place(boxes, box)} {reason}"
    error = FormulaError(place.text, place.position, said, remedy)
    return definition_error(_name_of(source, place.text), error)


def _place(boxes: tuple[Floats, Floats], box: int) -> str:
    u, v = (0.5 * (boxes[0] + boxes[1])[:, box]).tolist()
    return f"u = {u:.4g}, v = {v:.4g}"


def _name_of(source: FormulaSource, text: str) -> str:
    """Return the name of the first coordinate with a text."""
    places = [source.formulas.places[output].text for output in source.formulas.outputs]
    return source.names[COORDINATES[places.index(text)]] if text in places else source.names["x"]
