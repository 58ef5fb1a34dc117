"""Functions written as formulas in x, y and z, whose named constants are the parameters q.

F < 0 is inside: a sphere is x^2 + y^2 + z^2 - r^2 with the constant r.  Derivatives are exact, by the points
and by the constants; ranges are proven, and where nothing can be proven they are infinite.  Where a formula
is not defined F is not a number.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Self

import numpy as np
from scipy.sparse import csr_array

from ..arrays import Bools, Floats
from ..errors import ImplicitError
from ..formulas import RESERVED, Formulas, Jet
from . import sparse_rows
from .function import ImplicitFunction
from .isolated import isolated
from .polynomial_boxes import polynomial_box
from .ranged_boxes import box_by_ranges

PLACES = ("x", "y", "z")
_SAMPLES = 12


@dataclass(frozen=True, eq=False)
class FormulaFunction(ImplicitFunction):
    """F(x, y, z) with constants (m,) by the names of the formula's further variables."""

    formulas: Formulas
    constants: Floats
    scales_of_constants: Floats

    @classmethod
    def read(cls, text: str, constants: Mapping[str, float] | None = None) -> Self:
        """Read a formula in x, y, z and constants by name.

        Raises FormulaError at the character where the text goes wrong, ImplicitError for a constant whose
        name means something else or whose value is not finite.
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
        """The constants."""
        return self.constants.copy()

    @property
    def scales(self) -> Floats:
        """For each constant the change that moves the surface about a unit, measured when it was read."""
        return self.scales_of_constants.copy()

    @property
    def names(self) -> tuple[str, ...]:
        """The constants' names."""
        return self.formulas.variables[3:]

    @property
    def positive(self) -> Bools:
        """None: what a constant means only the formula knows."""
        return np.zeros(len(self.constants), dtype=np.bool_)

    def with_parameters(self, parameters: Floats) -> Self:
        """Return the same formula with other constants."""
        return replace(self, constants=np.array(parameters, dtype=np.float64))

    def _jet(self, x: Floats, order: int, by: int) -> Jet:
        """The formula's value and derivatives by the first `by` of its variables."""
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
        """Return F_q (k, m), all entries."""
        return sparse_rows.of_dense(self._by_constants(x)[2]).matrix()

    def _by_constants(self, x: Floats) -> tuple[Floats, Floats, Floats]:
        """F (k,), F_x (k, 3) and F_q (k, m)."""
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

    def pieces(self) -> Floats:
        """Return a place (k, 3) in each component that ranges tell from all others."""
        return isolated(self)

    def box(self) -> Floats:
        """Return a box (2, 3) that holds the surface, as far as ranges prove one; else infinite."""
        return self._bounded(None)

    def inside(self, level: float) -> Floats:
        """Return a box (2, 3) that holds where F <= level, as far as ranges prove one; else infinite."""
        return self._bounded(level)

    def _bounded(self, level: float | None) -> Floats:
        """The box by ranges, or, where that is infinite, the one of a polynomial narrowed by them."""
        box = box_by_ranges(self, level=level)
        if np.isfinite(box).all() or (box[0] > box[1]).any():
            return box
        known = polynomial_box(self.formulas, self.constants, level)
        return box_by_ranges(self, known=known, level=level) if np.isfinite(known).all() else box

    def range(self, lower: Floats, upper: Floats) -> tuple[Floats, Floats]:
        """Return proven bounds of F over boxes; infinite where nothing is proven."""
        constants = np.broadcast_to(self.constants[:, None], (len(self.constants), len(lower)))
        low, high = np.concatenate((lower.T, constants)), np.concatenate((upper.T, constants))
        found = self.formulas.ranges(low, high, order=0)[0].value
        least, most = _filled(found.lower, len(lower)), _filled(found.upper, len(lower))
        return np.where(np.isnan(least), -np.inf, least), np.where(np.isnan(most), np.inf, most)

    def _measured_scales(self) -> Floats:
        """1 over the root mean square of F_q / |F_x| on a grid, more of what is near to the surface."""
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
    return np.array(np.broadcast_to(value, count), dtype=np.float64)


def _columns(parts: tuple[Floats | None, ...], count: int) -> Floats:
    columns = np.zeros((count, len(parts)))
    for i, part in enumerate(parts):
        if part is not None:
            columns[:, i] = part
    return columns
