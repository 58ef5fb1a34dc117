"""Blobs: a bias less the sum of Gaussians, F = b - sum g_i (Witkin and Heckbert 1994, section 5).

q is the bias and then each field's elements one after another: for spheres [b, c1, s1, c2, s2, ...], 4 k + 1
numbers, for cylinders 7 k + 1. Fields of both kinds may be mixed. A greater bias makes the surface smaller.
One of 0 or less, or greater than all Gaussians together, leaves none, and the box is then EMPTY.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Self

import numpy as np
from numpy.typing import ArrayLike
from scipy.sparse import csr_array

from ....arrays import Bools, Floats
from ....errors import ImplicitError
from .. import sparse_rows
from ..base import ImplicitFunction
from ..bounding_boxes import EMPTY
from ..sparse_rows import SparseRows
from .cylinders import CylinderField
from .fields import Field
from .spheres import SphereField

# shares of the way between two planes, which are tried at once for the box
_SHARES = np.linspace(0.0, 1.0, 21)
# the six sides of a box; rounds of trying, each of which divides the way by 20
_SIDES, _ROUNDS = np.arange(6), 3
_ROUNDING = 1e-13  # share of the bias by which a sum of Gaussians may be rounded
_STEEPEST = math.sqrt(2.0 / math.e)  # steepest slope of exp(-x^2 / s^2), times s


def blobby_spheres(bias: float, centres: ArrayLike, radii: ArrayLike) -> Blob:
    """Return the blob of spheres with centres (k, 3) and radii s (k,), or one for all, in scene units.

    Raises:
        ImplicitError: for other shapes and for what is not finite.
    """
    return Blob(_finite(bias), (SphereField.of(centres, radii),))


def blobby_cylinders(bias: float, starts: ArrayLike, ends: ArrayLike, radii: ArrayLike) -> Blob:
    """Return the blob of cylinders about segments from starts to ends, each (k, 3), with radii s (k,) or one.

    Raises:
        ImplicitError: for other shapes and for what is not finite.
    """
    return Blob(_finite(bias), (CylinderField.of(starts, ends, radii),))


def _finite(bias: float) -> float:
    """Return the bias. Raises ImplicitError if it is not finite."""
    if not math.isfinite(bias):
        raise ImplicitError("blob", "bias", f"{bias}", "set it to a number between 0 and 1")
    return float(bias)


@dataclass(frozen=True, eq=False)
class Blob(ImplicitFunction):
    """F = bias - the sum of all Gaussians of the fields.

    Attributes:
        bias: b, without unit; the surface is where the Gaussians add up to it.
        fields: the sums of Gaussians.
    """

    bias: float
    fields: tuple[Field, ...]

    @property
    def parameters(self) -> Floats:
        """The bias, then each field's parameters (m,)."""
        return self._parameters.copy()

    @cached_property
    def _parameters(self) -> Floats:
        """The parameters (m,), not to be written to."""
        return np.concatenate(((self.bias,), *(field.parameters for field in self.fields)))

    @property
    def scales(self) -> Floats:
        """1 for lengths; for the bias the steepest slope of a Gaussian of the mean radius (m,)."""
        radii = np.concatenate([field.radii for field in self.fields] or [np.zeros(0)])
        mean = float(radii.mean()) if len(radii) else 0.0
        return np.concatenate(
            ([_STEEPEST / mean if mean > 0.0 else 1.0], *(own.scales for own in self.fields))
        )

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the bias and of each field's parameters (m); a kind is numbered through all fields."""
        names, counts = ["bias"], dict[str, int]()
        for field in self.fields:
            first = counts.get(field.kind, 0)
            counts[field.kind] = first + len(field.rows)
            numbers = range(first + 1, counts[field.kind] + 1)
            names += [f"{field.kind} {number}: {column}" for number in numbers for column in field.columns]
        return tuple(names)

    @property
    def positive(self) -> Bools:
        """Which parameters (m,) must stay above 0: the bias and the radii."""
        return np.concatenate(([True], *(field.positive for field in self.fields)))

    def with_parameters(self, parameters: Floats) -> Self:
        """Return the blob with other parameters (m,); radii below 0 become their opposites."""
        every = np.array(parameters, dtype=np.float64)
        parts = zip(self.fields, self._parted(every), strict=True)
        made = type(self)(float(every[0]), tuple([field.over(part) for field, part in parts]))
        made.__dict__["_parameters"] = every  # of which the fields show their parts
        return made

    def _parted(self, parameters: Floats) -> list[Floats]:
        """Return each field's own among all parameters (m, ...). Raises ValueError for another number of
        them.
        """
        parts, stop = [], 1
        for field in self.fields:
            start, stop = stop, stop + field.rows.size
            parts.append(parameters[start:stop])
        if len(parameters) != stop:
            raise ValueError(f"expected {stop} parameters, found {len(parameters)}")
        return parts

    def value(self, x: Floats) -> Floats:
        """Return F (k,)."""
        value = np.full(len(x), self.bias)
        for field in self.fields:
            value -= field.total(x)
        return value

    def gradient(self, x: Floats) -> tuple[Floats, Floats]:
        """Return F (k,) and F_x (k, 3)."""
        return self._less([field.gradient_and_sum(x) for field in self.fields], len(x))

    def _less(self, firsts: Sequence[Floats], count: int) -> tuple[Floats, Floats]:
        """Return F (k,) and F_x (k, 3) from the fields' gradients and sums, each (4, k), which are
        overwritten.
        """
        if not firsts:
            return np.full(count, self.bias), np.zeros((count, 3))
        first = firsts[0] if len(firsts) == 1 else sum(firsts[1:], start=firsts[0])
        gradient = first[:3]
        return self.bias - first[3], np.negative(gradient, out=gradient).T

    def hessian(self, x: Floats) -> tuple[Floats, Floats, Floats]:
        """Return F (k,), F_x (k, 3) and F_xx (k, 3, 3)."""
        both = [field.hessian(x) for field in self.fields]
        bend = np.zeros((3, 3, len(x)))
        for _, second in both:
            bend -= second
        return *self._less([first for first, _ in both], len(x)), np.moveaxis(bend, -1, 0)

    def parameter_gradient(self, x: Floats) -> csr_array:
        """Return F_q (k, m), without entries where a Gaussian is neglected."""
        if all(field.is_small(x) for field in self.fields):
            return _dense_gradient(self.fields, x).matrix()
        parts = [field.parameter_rows(x) for field in self.fields]
        minus = [part._replace(data=np.negative(part.data)) for part in parts]
        return sparse_rows.side_by_side([sparse_rows.of_dense(np.ones((len(x), 1))), *minus]).matrix()

    def derivatives(self, x: Floats) -> tuple[Floats, Floats, Floats]:
        """Return F (k,), F_x (k, 3) and the dense F_q (k, m), which share the Gaussians."""
        if not all(field.is_small(x) for field in self.fields):
            return super().derivatives(x)
        rates = np.empty((len(self._parameters), len(x)))
        rates[0] = 1.0
        of_fields = rates[1:]
        parts = zip(self.fields, self._parted(rates), strict=True)
        firsts = [field.gradient_and_derivatives(x, part) for field, part in parts]
        np.negative(of_fields, out=of_fields)
        return *self._less(firsts, len(x)), rates.T

    def parameter_rate(self, x: Floats, rate: Floats) -> Floats:
        """Return F_q . rate (k,)."""
        result = np.full(len(x), float(rate[0]))
        for field, part in zip(self.fields, self._parted(rate), strict=True):
            result -= field.parameter_rate(x, part)
        return result

    def gradient_and_rate(self, x: Floats, rate: Floats) -> tuple[Floats, Floats, Floats]:
        """Return F (k,), F_x (k, 3) and F_q . rate (k,), which share the Gaussians."""
        parts = zip(self.fields, self._parted(rate), strict=True)
        both = [field.gradient_and_rate(x, part) for field, part in parts]
        change = np.full(len(x), float(rate[0]))
        for _, own in both:
            change -= own
        return *self._less([first for first, _ in both], len(x)), change

    def box(self) -> Floats:
        """Return a box (2, 3) that holds the surface: proven, and tight for elements far from one another."""
        return box_of_sum(self.bias, self.fields)

    @property
    def middles(self) -> Floats:
        """The middles (k, 3) of the balls and of the cylinders' segments."""
        return np.concatenate([np.zeros((0, 3)), *(field.spans.mean(axis=1) for field in self.fields)])

    def is_endless(self) -> bool:
        """Return False: Gaussians fall to nothing far away."""
        return False

    def box_inside(self, level: float) -> Floats:
        """Return a box (2, 3) that holds all places where the sum is at least the bias less the level."""
        return box_of_sum(self.bias - level, self.fields) if level < self.bias else super().box_inside(level)

    def range(self, lower: Floats, upper: Floats) -> tuple[Floats, Floats]:
        """Return bounds (k,) of F over boxes (k, 3), from each element's least and greatest distance to the
        box.
        """
        bounds = [field.bounds(lower, upper) for field in self.fields]
        least, most = np.full(len(lower), self.bias), np.full(len(lower), self.bias)
        for low, high in bounds:
            least -= high
            most -= low
        return least, most

    def least_slope(self, lower: Floats, upper: Floats, directions: Floats, level: float = np.inf) -> Floats:
        """Return lower bounds (k,) of F_x . direction over boxes (k, 3), the sum of each element's."""
        slope = np.zeros(len(lower))
        for field in self.fields:
            slope += field.least_fall(lower, upper, directions)
        return slope

    def rising_range(self, lower: Floats, upper: Floats, level: float) -> tuple[Floats, Floats]:
        """Return bounds (k,) over boxes (k, 3) of what rises on beyond a level, as the logarithm of the sum.

        With the sum S it is F and, beyond the level, b log((b - level) / S) more: it has no end.
        """
        least, most = self.range(lower, upper)
        if not 0.0 <= level < self.bias:
            return least, most
        return risen(least, self.bias, level), risen(most, self.bias, level)


def risen(value: Floats, bias: float, level: float) -> Floats:
    """Return what rises on (k,) beyond a level where the bias less a sum of Gaussians has values (k,)."""
    left = np.maximum(bias - value, 0.0)
    with np.errstate(divide="ignore"):
        rise = np.maximum(np.log((bias - level) / left), 0.0)
    return np.asarray(value + bias * rise)


def _dense_gradient(fields: Sequence[Field], x: Floats) -> SparseRows:
    """Return F_q (n, m) of few points (n, 3), with entries where a Gaussian is not neglected."""
    values = np.ones((len(x), 1 + sum(field.rows.size for field in fields)))
    near = np.ones(values.shape, dtype=np.bool_)
    start = 1
    for field in fields:
        own = slice(start, start + field.rows.size)
        shares, near[:, own] = field.dense_derivatives(x)
        np.negative(shares, out=values[:, own])
        start = own.stop
    return sparse_rows.of_dense(values, near)


def box_of_sum(bias: float, fields: Sequence[Field]) -> Floats:
    """Return a box (2, 3) that holds all places where the fields' sum is at least the bias, or EMPTY.

    Along an axis a Gaussian is at most that of the distance by which a place lies beyond its element. The sum
    of these bounds falls outwards: what lies beyond the place where it is the bias is free of the surface.
    That place is bracketed for all six sides at once.

    Args:
        bias: the level of the sum, without unit.
        fields: the fields that are summed.
    """
    spans = np.concatenate([field.spans for field in fields] or [np.zeros((0, 2, 3))])
    radii = np.concatenate([field.radii for field in fields] or [np.zeros(0)])
    spans, radii = spans[radii > 0.0], radii[radii > 0.0]
    if not 0.0 < bias < len(radii):
        return EMPTY.copy()
    edges = np.concatenate((-spans[:, 0], spans[:, 1]), axis=1).T
    low, high = edges.min(axis=1), (edges + radii * np.sqrt(np.log(len(radii) / bias))).max(axis=1)
    for _ in range(_ROUNDS):
        tried = low[:, None] + (high - low)[:, None] * _SHARES
        beyond = np.maximum(tried[..., None] - edges[:, None], 0.0)
        beyond /= radii
        beyond *= -beyond
        above = np.exp(beyond).sum(axis=-1) >= bias * (1.0 - _ROUNDING)
        last = np.clip(above.sum(axis=1), 1, len(_SHARES) - 1)
        low, high = tried[_SIDES, last - 1], tried[_SIDES, last]
    box = np.stack((-high[:3], high[3:]))
    return box if (box[0] <= box[1]).all() else EMPTY.copy()
