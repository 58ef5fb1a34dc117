"""Functions written as formulas in x, y and z, whose named constants are the parameters q.

F < 0 is inside: a sphere is x^2 + y^2 + z^2 - r^2 with the constant r. Derivatives by the place and by the
constants are exact; ranges are proven, and infinite where nothing can be proven. Where a formula is not
defined F is NaN.

The box about the surface of a polynomial follows from its leading terms. All of space lies on the curves x_i
= t^a_i u_i, t >= 0, from the origin through the boundary of the cube |u_i| <= 1. Along them F is a polynomial
in t with coefficients c_d(u). Over a patch of that boundary where c_d >= l_d, with l_D > 0 for the highest
power D, F is above 0 for all t > s if

    sum_{d<D} max(-l_d, 0) s^(d-D) < l_D,

and the surface is no farther out than s^a_i u_i. The weights a_i are such that the pure powers of the three
axes lead together: x^4 + y^2 + z^2 - x^2 is followed along x = t u, y = t^2 v, z = t^2 w.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from math import lcm
from typing import Self

import numpy as np
from scipy.sparse import csr_array

from ...arrays import Bools, Floats, Ints
from ...errors import ImplicitError
from ...formulas import RESERVED, Formulas, Jet, Range, graded
from . import sparse_rows
from .base import ImplicitFunction
from .bounding_boxes import EMPTY, box_by_ranges

_PATCHES = 8  # patches along each edge of a face of the cube, at first
# halvings of patches, and patches, after which the leading terms are taken to vanish somewhere
_ROUNDS, _MOST = 12, 4096
_BISECTIONS = 24  # halvings of the bracket of s: 6e-8 of it is left
_SLACK = 1e-9  # relative reserve, much more than what is rounded


def polynomial_box(formulas: Formulas, constants: Floats, level: float | None) -> Floats:
    """Return a box (2, 3) about the surface of a polynomial, or about all places where it is at most `level`.

    Args:
        formulas: the formula in x, y, z and m constants.
        constants: their values (m,).
        level: in the units of F; None for the surface.

    Returns:
        The box, infinite where the formula is no polynomial, or where its leading terms do not decide its
            sign.
    """
    degrees, sign = _degrees(formulas, constants)
    known = degrees.all() and not (degrees % 2).any()
    if not known or sign == 0.0 or (level is not None and sign < 0.0):
        return -EMPTY
    top = lcm(*degrees.tolist())
    weights = top // degrees
    box, (lower, upper) = np.zeros((2, 3)), _faces()
    for _ in range(_ROUNDS):
        least, most = _coefficients(formulas, constants, weights, (lower, upper))
        if len(least) <= top or not np.isfinite(least + most).all():
            break
        if level is not None:
            least[0] -= level + _SLACK * (abs(level) + np.abs(least[0]))
        if sign < 0.0:
            least, most = -most, -least
        if (most[-1] <= 0.0).any():
            break
        won = least[-1] > 0.0
        ends = (1.0 + _SLACK) * _beyond(least[:, won])[:, None] ** weights
        box[0] = np.minimum(box[0], (ends * lower[won]).min(axis=0, initial=0.0))
        box[1] = np.maximum(box[1], (ends * upper[won]).max(axis=0, initial=0.0))
        lower, upper = _halved(lower[~won], upper[~won])
        if not len(lower):
            return box
        if len(lower) > _MOST:
            break
    return -EMPTY


def _degrees(formulas: Formulas, constants: Floats) -> tuple[Ints, float]:
    """Return the degrees of F along the three axes, and the sign that its leading terms have in common.

    Returns:
        The degrees (3,), 0 where not known; the sign, or 0 if the leading terms differ in it.
    """
    axes = np.eye(3)
    least, most = _coefficients(formulas, constants, np.ones(3, dtype=np.intp), (axes, axes))
    there = (least > 0.0) | (most < 0.0)
    if not np.isfinite(least + most).all():
        return np.zeros(3, dtype=np.intp), 0.0
    degrees = len(there) - 1 - np.argmax(there[::-1], axis=0)
    signs = np.sign(least[degrees, range(3)])
    return np.where(there.any(axis=0), degrees, 0), float(signs[0]) if (signs == signs[0]).all() else 0.0


def _coefficients(
    formulas: Formulas, constants: Floats, weights: Ints, patches: tuple[Floats, Floats]
) -> tuple[Floats, Floats]:
    """Return bounds of the coefficients of 1, t, t^2, ... over patches.

    Args:
        formulas: the formula.
        constants: the values of its constants (m,).
        weights: a_i (3,).
        patches: the lowest and the highest corners, each (k, 3).

    Returns:
        The lower and the upper bounds, each (n, k) for n powers.
    """
    own = [
        graded(Range(low, high), int(weight))
        for low, high, weight in zip(patches[0].T, patches[1].T, weights, strict=True)
    ]
    known = [graded(Range(value, value)) for value in constants]
    parts = formulas.graded([*own, *known])[0].parts
    bounds = np.zeros((2, len(parts), len(patches[0])))
    for power, part in enumerate(parts):
        if part is not None:
            bounds[0, power], bounds[1, power] = part.lower, part.upper
    return bounds[0], bounds[1]


def _faces() -> tuple[Floats, Floats]:
    """Return the patches of the boundary of the cube from -1 to 1: lowest and highest
    corners, each (k, 3).
    """
    ticks = np.linspace(-1.0, 1.0, _PATCHES + 1)
    low = np.stack(np.meshgrid(ticks[:-1], ticks[:-1], indexing="ij"), axis=-1).reshape(-1, 2)
    high = np.stack(np.meshgrid(ticks[1:], ticks[1:], indexing="ij"), axis=-1).reshape(-1, 2)
    lower = [np.insert(low, axis, side, axis=1) for axis in range(3) for side in (-1.0, 1.0)]
    upper = [np.insert(high, axis, side, axis=1) for axis in range(3) for side in (-1.0, 1.0)]
    return np.concatenate(lower), np.concatenate(upper)


def _halved(lower: Floats, upper: Floats) -> tuple[Floats, Floats]:
    """Return patches cut in two across their longest side: lowest and highest corners, each (2 k, 3)."""
    rows = np.arange(len(lower))
    axis = (upper - lower).argmax(axis=1)
    middle = 0.5 * (lower + upper)[rows, axis]
    below, above = upper.copy(), lower.copy()
    below[rows, axis] = above[rows, axis] = middle
    return np.concatenate([lower, above]), np.concatenate([below, upper])


def _beyond(least: Floats) -> Floats:
    """Return the t (k,) beyond which polynomials are above 0.

    Args:
        least: lower bounds (n, k) of their n coefficients, of which the last ones are above 0.
    """
    short = np.maximum(-least[:-1], 0.0) / least[-1]
    powers = np.arange(len(short), 0, -1.0)[:, None]
    high: Floats = 2.1 * (short ** (1.0 / powers)).max(axis=0)  # the sum of all 2.1^-n is less than 1
    low = np.zeros_like(high)
    for _ in range(_BISECTIONS):
        middle = 0.5 * (low + high)
        with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
            proven = (short * middle**-powers).sum(axis=0) < 1.0 - _SLACK
        low, high = np.where(proven, low, middle), np.where(proven, middle, high)
    return high


PLACES = ("x", "y", "z")  # the variables that are no constants
_SAMPLES = 12  # points along each axis of the box at which the scales of constants are measured


@dataclass(frozen=True, eq=False)
class FormulaFunction(ImplicitFunction):
    """F(x, y, z) as a formula with constants.

    Attributes:
        formulas: the parsed formula; its variables are x, y, z and the names of the constants.
        constants: their values (m,), in units that only the formula knows.
        scales_of_constants: the change of each (m,) that moves the surface by about a scene unit.
    """

    formulas: Formulas
    constants: Floats
    scales_of_constants: Floats

    @classmethod
    def read(cls, text: str, constants: Mapping[str, float] | None = None) -> Self:
        """Return the function that a text means, with its constants by name.

        Raises:
            FormulaError: at the character where the text goes wrong.
            ImplicitError: for a constant whose name means something else, or whose value is not finite.
        """
        known = dict(constants or {})
        for name, value in known.items():
            if name in PLACES or name in RESERVED:
                raise ImplicitError(
                    "formula", f"constant {name!r}", "this name is taken", "choose another one"
                )
            if not np.isfinite(value):
                raise ImplicitError("formula", f"constant {name!r}", f"{value}", "set it to a finite number")
        formulas = Formulas.read([text], (*PLACES, *known))
        values = np.array(list(known.values()), dtype=np.float64)
        own = cls(formulas, values, np.ones(len(values)))
        return replace(own, scales_of_constants=own._measured_scales()) if known else own

    @property
    def parameters(self) -> Floats:
        """The constants (m,)."""
        return self.constants.copy()

    @property
    def scales(self) -> Floats:
        """The change of each constant (m,) that moves the surface by about a unit, measured
        when it was read.
        """
        return self.scales_of_constants.copy()

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the constants (m)."""
        return self.formulas.variables[3:]

    @property
    def positive(self) -> Bools:
        """None (m,): only the formula knows what a constant means."""
        return np.zeros(len(self.constants), dtype=np.bool_)

    def with_parameters(self, parameters: Floats) -> Self:
        """Return the same formula with other constants (m,)."""
        return replace(self, constants=np.array(parameters, dtype=np.float64))

    def _jet(self, x: Floats, order: int, by: int) -> Jet:
        """Return the formula's value and its derivatives to an order, by the first `by` of its variables."""
        return self.formulas.numbers([*x.T, *self.constants], order, by)[0]

    def value(self, x: Floats) -> Floats:
        """Return F (k,)."""
        return _filled(self._jet(x, 0, 0).value, len(x))

    def gradient(self, x: Floats) -> tuple[Floats, Floats]:
        """Return F (k,) and F_x (k, 3)."""
        jet = self._jet(x, 1, 3)
        return _filled(jet.value, len(x)), _columns(jet.first, len(x))

    def hessian(self, x: Floats) -> tuple[Floats, Floats, Floats]:
        """Return F (k,), F_x (k, 3) and F_xx (k, 3, 3)."""
        jet = self._jet(x, 2, 3)
        bends = _columns(jet.second, len(x))  # xx, xy, xz, yy, yz, zz
        bend = bends[:, [0, 1, 2, 1, 3, 4, 2, 4, 5]].reshape(-1, 3, 3)
        return _filled(jet.value, len(x)), _columns(jet.first, len(x)), bend

    def parameter_gradient(self, x: Floats) -> csr_array:
        """Return F_q (k, m), with all entries."""
        return sparse_rows.of_dense(self._by_constants(x)[2]).matrix()

    def _by_constants(self, x: Floats) -> tuple[Floats, Floats, Floats]:
        """Return F (k,), F_x (k, 3) and F_q (k, m)."""
        jet = self._jet(x, 1, 3 + len(self.constants))
        first = _columns(jet.first, len(x))
        return _filled(jet.value, len(x)), first[:, :3], np.ascontiguousarray(first[:, 3:])

    def parameter_rate(self, x: Floats, rate: Floats) -> Floats:
        """Return F_q . rate (k,)."""
        change: Floats = self._by_constants(x)[2] @ rate
        return change

    def gradient_and_rate(self, x: Floats, rate: Floats) -> tuple[Floats, Floats, Floats]:
        """Return F (k,), F_x (k, 3) and F_q . rate (k,)."""
        value, slope, by_constants = self._by_constants(x)
        return value, slope, by_constants @ rate

    def box(self) -> Floats:
        """Return a box (2, 3) that holds the surface, as far as ranges prove one; otherwise infinite."""
        return self._bounded(None)

    def box_inside(self, level: float) -> Floats:
        """Return a box (2, 3) that holds where F <= level, as far as ranges prove one; otherwise infinite."""
        return self._bounded(level)

    def _bounded(self, level: float | None) -> Floats:
        """Return the box (2, 3) by ranges or, where that is infinite, the box of a polynomial narrowed by
        them.
        """
        box = box_by_ranges(self, level=level)
        if np.isfinite(box).all() or (box[0] > box[1]).any():
            return box
        known = polynomial_box(self.formulas, self.constants, level)
        return box_by_ranges(self, known=known, level=level) if np.isfinite(known).all() else box

    def range(self, lower: Floats, upper: Floats) -> tuple[Floats, Floats]:
        """Return proven bounds (k,) of F over boxes (k, 3); infinite where nothing is proven."""
        constants = np.broadcast_to(self.constants[:, None], (len(self.constants), len(lower)))
        low, high = np.concatenate((lower.T, constants)), np.concatenate((upper.T, constants))
        found = self.formulas.ranges(low, high, order=0)[0].value
        least, most = _filled(found.lower, len(lower)), _filled(found.upper, len(lower))
        return np.where(np.isnan(least), -np.inf, least), np.where(np.isnan(most), np.inf, most)

    def least_slope(self, lower: Floats, upper: Floats, directions: Floats, level: float = np.inf) -> Floats:
        """Return proven lower bounds (k,) of F_x . direction over boxes (k, 3), from those of F_x."""
        constants = np.broadcast_to(self.constants[:, None], (len(self.constants), len(lower)))
        low, high = np.concatenate((lower.T, constants)), np.concatenate((upper.T, constants))
        first = self.formulas.ranges(low, high, order=1)[0].first
        slope, size = np.zeros(len(lower)), np.zeros(len(lower))
        with np.errstate(invalid="ignore"):
            for part, across in zip(first[:3], directions.T, strict=True):
                if part is not None:
                    least = np.minimum(part.lower * across, part.upper * across)
                    slope, size = slope + least, size + np.abs(least)
            slope -= _SLACK * size
        return np.where(np.isnan(slope), -np.inf, slope)

    def _measured_scales(self) -> Floats:
        """Return 1 over the root mean square of F_q / |F_x| (m,) on a grid, weighted towards the surface."""
        box = self.box()
        box = box if np.isfinite(box).all() else np.array([[-1.0] * 3, [1.0] * 3])
        axes = np.linspace(box[0], box[1], _SAMPLES).T
        places = np.stack(np.meshgrid(*axes, indexing="ij"), axis=-1).reshape(-1, 3)
        value, slope, by_constants = self._by_constants(places)
        with np.errstate(all="ignore"):
            steep = np.sqrt((slope * slope).sum(axis=1))
            near = np.exp(-((_SAMPLES * value / (steep * np.ptp(box, axis=0).max())) ** 2))
            moves = near[:, None] * (by_constants / steep[:, None]) ** 2
        sound = np.isfinite(moves).all(axis=1) & np.isfinite(near)
        mean = moves[sound].sum(axis=0) / max(float(near[sound].sum()), 1e-300)
        return np.where(mean > 0.0, 1.0 / np.sqrt(np.where(mean > 0.0, mean, 1.0)), 1.0)


def _filled(value: Floats, count: int) -> Floats:
    """Return a value, which may be a single one for all points, as an array (count,)."""
    return np.array(np.broadcast_to(value, count), dtype=np.float64)


def _columns(parts: tuple[Floats | None, ...], count: int) -> Floats:
    """Return derivatives, of which None stands for 0, as columns (count, n)."""
    columns = np.zeros((count, len(parts)))
    for i, part in enumerate(parts):
        if part is not None:
            columns[:, i] = part
    return columns
