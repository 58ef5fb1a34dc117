"""Sums of Gaussians of which some count more, less or against the others, or count twice, mirrored.

    F = b - sum_k w_k sum_i (g_i(x) + [g_i(S x)])

over groups k of elements of one weight. Elements of a weight below 0 push the surface away, as negative
metaballs do (Blinn 1982). S turns x over: the twin of a mirrored element is the same Gaussian about the
mirrored centre, and has the same parameters.

All Gaussians are positive: where F <= 0 those of positive weight add up to b over the greatest weight at
least, which bounds the surface.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Self

import numpy as np
from scipy.sparse import csr_array, hstack

from ....arrays import Bools, Floats
from ..base import ImplicitFunction
from ..bounding_boxes import EMPTY
from ..sparse_rows import rows_of, selected
from .blob import Blob, box_of_sum, risen
from .fields import Field


@dataclass(frozen=True, eq=False)
class GaussianGroup:
    """Elements of one weight.

    Attributes:
        weight: w, without unit; below 0 they count against the others.
        is_mirrored: whether each has a twin on the other side of the plane x = 0.
        fields: the elements.
    """

    weight: float
    is_mirrored: bool
    fields: tuple[Field, ...]

    @cached_property
    def sums(self) -> tuple[tuple[Blob, Floats], ...]:
        """The elements and their twins, as minus their sums, with the signs (m,) of the parameters there."""
        signs = np.concatenate([np.ones(field.rows.size) for field in self.fields])
        own = Blob(0.0, self.fields), signs
        if not self.is_mirrored:
            return (own,)
        turned = [_turned(field) for field in self.fields]
        twins = Blob(0.0, tuple(_twins(field) for field in self.fields))
        return own, (twins, np.concatenate(turned))


def _turned(field: Field) -> Floats:
    """Return -1 for each parameter (k p,) that is a coordinate x, and 1 for all others."""
    signs = np.array([-1.0 if name.endswith(" x") else 1.0 for name in field.columns])
    return np.tile(signs, len(field.rows))


def _twins(field: Field) -> Field:
    """Return the elements of a field, mirrored."""
    return replace(field, rows=field.rows * _turned(field).reshape(field.rows.shape))


@dataclass(frozen=True, eq=False)
class WeightedSum(ImplicitFunction):
    """F = bias - the weighted sum of Gaussians; parameters: the bias, then the elements of each group.

    Attributes:
        bias: b, without unit.
        groups: the elements by their weights.
    """

    bias: float
    groups: tuple[GaussianGroup, ...]

    @cached_property
    def _unweighted(self) -> Blob:
        """The blob of all elements, which has the same parameters."""
        return Blob(self.bias, tuple(field for group in self.groups for field in group.fields))

    @cached_property
    def _terms(self) -> tuple[tuple[float, Blob, Floats, slice], ...]:
        """The weight, minus the sum, the signs and the place of the parameters of each part."""
        terms, start = [], 1
        for group in self.groups:
            stop = start + sum(field.rows.size for field in group.fields)
            terms += [(group.weight, own, signs, slice(start, stop)) for own, signs in group.sums]
            start = stop
        return tuple(terms)

    @property
    def parameters(self) -> Floats:
        """The bias, then each group's parameters (m,)."""
        return self._unweighted.parameters

    @property
    def scales(self) -> Floats:
        """Those of the blob of all elements (m,)."""
        return self._unweighted.scales

    @property
    def names(self) -> tuple[str, ...]:
        """Those of the blob of all elements (m)."""
        return self._unweighted.names

    @property
    def positive(self) -> Bools:
        """Which parameters (m,) must stay above 0: the bias and the radii."""
        return self._unweighted.positive

    def with_parameters(self, parameters: Floats) -> Self:
        """Return the same sum with other parameters (m,); radii below 0 become their opposites."""
        fields = iter(self._unweighted.with_parameters(parameters).fields)
        groups = (replace(group, fields=tuple(next(fields) for _ in group.fields)) for group in self.groups)
        return replace(self, bias=float(parameters[0]), groups=tuple(groups))

    def value(self, x: Floats) -> Floats:
        """Return F (k,)."""
        value = np.full(len(x), self.bias)
        for weight, own, _, _ in self._terms:
            value += weight * own.value(x)
        return value

    def gradient(self, x: Floats) -> tuple[Floats, Floats]:
        """Return F (k,) and F_x (k, 3)."""
        value, slope = np.full(len(x), self.bias), np.zeros((len(x), 3))
        for weight, own, _, _ in self._terms:
            part = own.gradient(x)
            value += weight * part[0]
            slope += weight * part[1]
        return value, slope

    def hessian(self, x: Floats) -> tuple[Floats, Floats, Floats]:
        """Return F (k,), F_x (k, 3) and F_xx (k, 3, 3)."""
        value, slope, bend = np.full(len(x), self.bias), np.zeros((len(x), 3)), np.zeros((len(x), 3, 3))
        for weight, own, _, _ in self._terms:
            part = own.hessian(x)
            value += weight * part[0]
            slope += weight * part[1]
            bend += weight * part[2]
        return value, slope, bend

    def parameter_gradient(self, x: Floats) -> csr_array:
        """Return F_q (k, m)."""
        shares: dict[int, csr_array] = {}
        for weight, own, signs, place in self._terms:
            part = selected(rows_of(own.parameter_gradient(x)), np.arange(1 + len(signs)) > 0).matrix()
            part.data = part.data * (weight * signs)[part.indices]
            known = shares.get(place.start)
            shares[place.start] = part if known is None else csr_array(known + part)
        return csr_array(hstack([csr_array(np.ones((len(x), 1))), *shares.values()], format="csr"))

    def parameter_rate(self, x: Floats, rate: Floats) -> Floats:
        """Return F_q . rate (k,)."""
        change = np.full(len(x), float(rate[0]))
        for weight, own, signs, place in self._terms:
            change += weight * own.parameter_rate(x, np.concatenate(([0.0], signs * rate[place])))
        return change

    def is_endless(self) -> bool:
        """Return False: Gaussians fall to nothing far away."""
        return False

    def box(self) -> Floats:
        """Return a box (2, 3) that holds the surface."""
        return self.box_inside(0.0)

    @property
    def middles(self) -> Floats:
        """The middles (k, 3) of the elements whose weight is above 0."""
        own = [own.middles for weight, own, _, _ in self._terms if weight > 0.0]
        return np.concatenate([np.zeros((0, 3)), *own])

    def box_inside(self, level: float) -> Floats:
        """Return a box (2, 3) about where F <= level."""
        if level >= self.bias:
            return super().box_inside(level)
        terms = [(weight, own) for weight, own, _, _ in self._terms if weight > 0.0]
        if not terms:
            return EMPTY.copy()
        greatest = max(weight for weight, _ in terms)
        fields: Sequence[Field] = [field for _, own in terms for field in own.fields]
        return box_of_sum((self.bias - level) / greatest, fields)

    def range(self, lower: Floats, upper: Floats) -> tuple[Floats, Floats]:
        """Return bounds (k,) of F over boxes (k, 3)."""
        least, most = np.full(len(lower), self.bias), np.full(len(lower), self.bias)
        for weight, own, _, _ in self._terms:
            low, high = (weight * end for end in own.range(lower, upper))
            least += np.minimum(low, high)
            most += np.maximum(low, high)
        return least, most

    def least_slope(self, lower: Floats, upper: Floats, directions: Floats, level: float = np.inf) -> Floats:
        """Return lower bounds (k,) of F_x . direction over boxes (k, 3), the sum of all terms'."""
        slope = np.zeros(len(lower))
        for weight, own, _, _ in self._terms:
            slope += abs(weight) * own.least_slope(lower, upper, np.sign(weight) * directions)
        return slope

    def rising_range(self, lower: Floats, upper: Floats, level: float) -> tuple[Floats, Floats]:
        """Return bounds (k,) over boxes (k, 3) of what rises on beyond a level, if no weight is below 0."""
        least, most = self.range(lower, upper)
        if not 0.0 <= level < self.bias or any(group.weight < 0.0 for group in self.groups):
            return least, most
        return risen(least, self.bias, level), risen(most, self.bias, level)
