"""Unions, intersections and differences of functions: sharp, or smooth with a radius.

The union of f_1 .. f_k is F = min f_j. Smoothly, with radius r, it is the F for which

    sum_j p(u_j) = 1,   p(u) = max(u, 0)^3,   u_j = 1 + (F - f_j) / r.

On the surface, F = 0, that is the superelliptic blend of Rockwood and Owen (1987) with the exponent 3, sum
max(1 - f_j / r, 0)^3 = 1; on every other level it is the same blend of the functions less that level. It is
symmetric in any number of functions, it is f_j exactly where all others are larger by r or more, and it is
twice continuously differentiable. With S = sum p'(u_j), its derivatives by the f_j are the weights

    l_j = p'(u_j) / S,   which sum up to 1, so that F is no steeper than the f_j, and
    F_fj,fk = -(1 / r S) sum_i p''(u_i) (d_ij - l_j) (d_ik - l_k).

By r it changes by sum l_j u_j - 1. Two equal functions give 0.206 r less than either: that is how far the
blend reaches out of a corner.

The intersection is minus the union of the opposites, and a difference the intersection with the opposite of
what is taken away.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Self

import numpy as np
from scipy.sparse import csr_array

from ...arrays import Bools, Floats, Ints
from ...errors import ImplicitError
from . import sparse_rows
from .base import ImplicitFunction
from .bounding_boxes import EMPTY, box_by_ranges
from .minima import Minimum, least_mean, sharp_minimum, smooth_minimum
from .operands import Operand, operand_of
from .solids.solids import least_of_active
from .sparse_rows import SparseRows
from .transformed import Scaled

_ROUNDING = 2.0**-46  # relative rounding of a blended value, in radii
_LEAST_RADIUS = 1e-100  # scene units: a smaller radius could not be divided by


def union(functions: Sequence[ImplicitFunction], radius: float = 0.0) -> Combination:
    """Return the union of functions, blended over a length `radius`, in scene units, or sharp for 0.

    Raises:
        ImplicitError: for no functions, and for a radius below 0.
    """
    return Combination(tuple(functions), _checked("union", functions, radius), 1.0)


def intersection(functions: Sequence[ImplicitFunction], radius: float = 0.0) -> Combination:
    """Return the intersection of functions, blended over a length `radius`, in scene units, or sharp for 0.

    Raises:
        ImplicitError: for no functions, and for a radius below 0.
    """
    return Combination(tuple(functions), _checked("intersection", functions, radius), -1.0)


def difference(
    function: ImplicitFunction, others: Sequence[ImplicitFunction], radius: float = 0.0
) -> Combination:
    """Return what is inside of a function and of none of the others, blended over a length `radius`.

    Raises:
        ImplicitError: for a radius below 0.
    """
    return intersection([function, *(complement(other) for other in others)], radius)


def complement(function: ImplicitFunction) -> Scaled:
    """Return the function whose inside is another function's outside."""
    return Scaled(function, -1.0)


def _checked(kind: str, functions: Sequence[ImplicitFunction], radius: float) -> float:
    """Return the radius. Raises ImplicitError for no functions, and for a radius below 0."""
    if not functions:
        raise ImplicitError(kind, "functions", "none", "give at least one")
    if not (np.isfinite(radius) and radius >= 0.0):
        raise ImplicitError(kind, "radius", f"{radius:g}", "set it to 0 for a sharp edge, or above")
    return float(radius)


@dataclass(frozen=True, eq=False)
class Combination(ImplicitFunction):
    """A union or an intersection of functions.

    Attributes:
        functions: the functions f_j; their values must be in units of length if the radius is above 0.
        radius: r in scene units, 0 for sharp edges; above 0 it is the first of the parameters.
        sign: 1 for a union, -1 for an intersection.
    """

    functions: tuple[ImplicitFunction, ...]
    radius: float
    sign: float

    @property
    def parameters(self) -> Floats:
        """The radius of a smooth combination, then each function's parameters (m,)."""
        own = [self.radius] if self.radius > 0.0 else []
        return np.concatenate((own, *(function.parameters for function in self.functions)))

    @property
    def scales(self) -> Floats:
        """1 for the radius, then each function's scales (m,)."""
        own = [1.0] if self.radius > 0.0 else []
        return np.concatenate((own, *(function.scales for function in self.functions)))

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the parameters (m), with the number of the function they belong to."""
        own = ("blend radius",) if self.radius > 0.0 else ()
        parts = enumerate(self.functions, 1)
        return (*own, *(f"part {number}, {name}" for number, part in parts for name in part.names))

    @property
    def positive(self) -> Bools:
        """The radius, and each function's own (m,)."""
        own = np.ones(1 if self.radius > 0.0 else 0, dtype=np.bool_)
        return np.concatenate((own, *(function.positive for function in self.functions)))

    @cached_property
    def _parts(self) -> tuple[slice, ...]:
        """The slice of the parameters that belongs to each function."""
        ends = np.cumsum([int(self.radius > 0.0), *(len(own.parameters) for own in self.functions)])
        return tuple(
            slice(start, end) for start, end in zip(ends[:-1].tolist(), ends[1:].tolist(), strict=True)
        )

    def with_parameters(self, parameters: Floats) -> Self:
        """Return the same combination with other parameters (m,); a radius below 0 becomes its opposite."""
        parts = zip(self.functions, self._parts, strict=True)
        functions = tuple(function.with_parameters(parameters[own]) for function, own in parts)
        radius = max(abs(float(parameters[0])), _LEAST_RADIUS) if self.radius > 0.0 else 0.0
        return replace(self, functions=functions, radius=radius)

    @cached_property
    def _operands(self) -> tuple[Operand, ...]:
        """The functions as operands, which have k columns together."""
        return tuple(operand_of(function, self.sign) for function in self.functions)

    def _blended(self, values: Floats) -> Minimum:
        """Return the minimum, with the combination's sign, of values (n, k) of all columns."""
        own = self.sign * values
        blended = smooth_minimum(own, self.radius) if self.radius > 0.0 else sharp_minimum(own)
        return replace(
            blended,
            value=self.sign * blended.value,
            bends=self.sign * blended.bends,
            growth=self.sign * blended.growth,
        )

    def _at(self, x: Floats) -> Minimum:
        """Return the minimum at points (n, 3)."""
        return self._blended(np.concatenate([operand.values(x) for operand in self._operands], axis=1))

    def _mattering(self, blended: Minimum) -> Iterator[tuple[Operand, Ints, Ints, Ints]]:
        """Yield each operand with the pairs of points and columns whose weight is not 0.

        Yields:
            The operand, the points (e,), its own columns (e,), and the same columns among all k (e,).
        """
        start = 0
        for operand in self._operands:
            rows, columns = np.nonzero(blended.weights[:, start : start + operand.count])
            yield operand, rows, columns, columns + start
            start += operand.count

    def value(self, x: Floats) -> Floats:
        """Return F (n,)."""
        return self._at(x).value

    def gradient(self, x: Floats) -> tuple[Floats, Floats]:
        """Return F (n,) and F_x (n, 3), the sum of the f_x weighted by l_j."""
        blended = self._at(x)
        return blended.value, self._slope(x, blended)

    def _slope(self, x: Floats, blended: Minimum) -> Floats:
        """Return F_x (n, 3)."""
        slope = np.zeros((len(x), 3))
        for operand, rows, columns, places in self._mattering(blended):
            if len(rows):
                weights = blended.weights[rows, places, None]
                _add(slope, rows, weights * operand.gradient(x[rows], columns), operand.count)
        return slope

    def hessian(self, x: Floats) -> tuple[Floats, Floats, Floats]:
        """Return F (n,), F_x (n, 3) and F_xx (n, 3, 3)."""
        blended = self._at(x)
        slope, bend = self._slope(x, blended), np.zeros((len(x), 3, 3))
        for operand, rows, columns, places in self._mattering(blended):
            if not len(rows):
                continue
            own_slope, own_bend = operand.gradient_and_hessian(x[rows], columns)
            d = own_slope - slope[rows]
            outer = blended.bends[rows, places, None, None] * d[:, :, None] * d[:, None, :]
            own_bend = blended.weights[rows, places, None, None] * own_bend - outer
            _add(bend, rows, own_bend, operand.count)
        return blended.value, slope, bend

    def parameter_gradient(self, x: Floats) -> csr_array:
        """Return F_q (n, m), with entries only of the functions that matter at a point."""
        blended = self._at(x)
        growth = blended.growth[:, None]
        parts = [sparse_rows.of_dense(growth, growth != 0.0)] if self.radius > 0.0 else []
        for operand, rows, columns, places in self._mattering(blended):
            shares = sparse_rows.scaled(
                operand.parameter_rows(x[rows], columns), blended.weights[rows, places]
            )
            parts.append(_spread(shares, rows, len(x)))
        return sparse_rows.side_by_side(parts).matrix()

    def parameter_rate(self, x: Floats, rate: Floats) -> Floats:
        """Return F_q . rate (n,)."""
        return self._rate(x, self._at(x), rate)

    def _rate(self, x: Floats, blended: Minimum, rate: Floats) -> Floats:
        """Return F_q . rate (n,) for a rate (m,)."""
        result = blended.growth * rate[0] if self.radius > 0.0 else np.zeros(len(x))
        parts = zip(self._mattering(blended), self._parts, strict=True)
        for (operand, rows, columns, places), own in parts:
            if len(rows):
                change = blended.weights[rows, places] * operand.parameter_rate(x[rows], columns, rate[own])
                _add(result, rows, change, operand.count)
        return result

    def gradient_and_rate(self, x: Floats, rate: Floats) -> tuple[Floats, Floats, Floats]:
        """Return F (n,), F_x (n, 3) and F_q . rate (n,)."""
        blended = self._at(x)
        return blended.value, self._slope(x, blended), self._rate(x, blended, rate)

    def box(self) -> Floats:
        """Return a box (2, 3) that holds the surface, from the functions' boxes or, if these have none, from
        ranges.
        """
        boxes = np.stack([function.box() for function in self.functions])
        if self.sign > 0.0 and self.radius == 0.0:
            return np.stack((boxes[:, 0].min(axis=0), boxes[:, 1].max(axis=0)))
        inside = self.box_inside(0.0)
        if np.isfinite(inside).all() or (inside[0] > inside[1]).any():
            return inside
        finite = boxes[np.isfinite(boxes).all(axis=(1, 2))]
        hint = np.stack((finite[:, 0].min(axis=0), finite[:, 1].max(axis=0))) if len(finite) else -EMPTY
        return box_by_ranges(self, hint, inside)

    @property
    def middles(self) -> Floats:
        """The middles (k, 3) of all functions' elements."""
        return np.concatenate([function.middles for function in self.functions])

    def box_inside(self, level: float) -> Floats:
        """Return a box (2, 3) about where F <= level, from the functions' own boxes.

        An intersection lies in all of them. A smooth union of k functions reaches out of them by as much as
        the blend of k equal values is less than each, r (1 - k^(-1/3)).
        """
        if self.sign > 0.0:
            count = sum(operand.count for operand in self._operands)
            level = level + self.radius * (1.0 - count ** (-1.0 / 3.0) + _ROUNDING)
            boxes = np.stack([function.box_inside(level) for function in self.functions])
            return np.stack((boxes[:, 0].min(axis=0), boxes[:, 1].max(axis=0)))
        boxes = np.stack([function.box_inside(level) for function in self.functions])
        box = np.stack((boxes[:, 0].max(axis=0), boxes[:, 1].min(axis=0)))
        return EMPTY.copy() if (box[0] > box[1]).any() else box

    def range(self, lower: Floats, upper: Floats) -> tuple[Floats, Floats]:
        """Return bounds (n,) of F over boxes (n, 3): F grows with each function, so they come from the
        functions'.
        """
        ranges = [operand.ranges(lower, upper) for operand in self._operands]
        least_, most = (self._bound(np.concatenate([own[i] for own in ranges], axis=1)) for i in (0, 1))
        slack = _ROUNDING * self.radius
        return least_ - slack, most + slack

    def least_slope(self, lower: Floats, upper: Floats, directions: Floats, level: float = np.inf) -> Floats:
        """Return lower bounds (n,) of F_x . direction, the mean of the functions' slopes weighted by l_j.

        Up to a level F depends on the f_j up to that level only, or that and r: beyond, they may rise on.
        """
        own = self._level(level)
        one, other = (self.sign * bound for bound in self._rising_ranges(lower, upper, own))
        slopes = np.concatenate(
            [operand.least_slopes(lower, upper, directions, own) for operand in self._operands], axis=1
        )
        if self.radius == 0.0:
            return least_of_active(slopes, one, other)
        return least_mean(slopes, np.minimum(one, other), np.maximum(one, other), self.radius)

    def _level(self, level: float) -> float:
        """Return the level up to which the functions matter where F is no greater than a level."""
        return level + self.radius if self.sign > 0.0 else level

    def _rising_ranges(self, lower: Floats, upper: Floats, level: float) -> tuple[Floats, Floats]:
        """Return bounds (n, k) over boxes (n, 3) of the functions, which rise on beyond a level."""
        ranges = [operand.rising_ranges(lower, upper, level) for operand in self._operands]
        least, most = (np.concatenate([own[i] for own in ranges], axis=1) for i in (0, 1))
        return least, most

    def rising_range(self, lower: Floats, upper: Floats, level: float) -> tuple[Floats, Floats]:
        """Return bounds (n,) over boxes (n, 3) of what rises on beyond a level, as `range` does."""
        least, most = (self._bound(own) for own in self._rising_ranges(lower, upper, self._level(level)))
        slack = _ROUNDING * self.radius
        return least - slack, most + slack

    def _bound(self, values: Floats) -> Floats:
        """Return F (n,) of values (n, k) that may be infinite."""
        own = self.sign * values
        bound: Floats = own.min(axis=1)
        known = np.isfinite(bound)
        if self.radius > 0.0:
            bound[known] = smooth_minimum(own[known], self.radius).value
        bound *= self.sign
        return bound


def _add(total: Floats, rows: Ints, values: Floats, count: int) -> None:
    """Add values (e, ...) to rows (e,) of a total (n, ...), each of which occurs up to `count` times."""
    if count == 1:
        total[rows] += values
    else:
        np.add.at(total, rows, values)


def _spread(shares: SparseRows, rows: Ints, count: int) -> SparseRows:
    """Return rows that belong to points `rows` (e,), which rise and may repeat, as rows of all `count`
    points.
    """
    return shares._replace(starts=shares.starts[np.searchsorted(rows, np.arange(count + 1))])
