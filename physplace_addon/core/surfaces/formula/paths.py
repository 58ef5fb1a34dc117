"""Tubes along paths that are formulas in t."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from ...arrays import Floats
from ...errors import SurfaceError
from ...formulas import FormulaError, Formulas
from ..analytic.tube_bodies import tube_about
from ..complex import GridComplex
from ..curves.paths import Path, PathJet
from ..geometry import Interval
from ..validation import positive_number
from .bounds import largest_lengths
from .checks import reason_for
from .definitions import definition_error, read_path

_TUBE = "tube"  # the name of this kind of surface in errors
_PARTS = 8  # parts of a range over which third derivatives are bounded: ranges over short parts are tighter
_PROVEN_PARTS = 4096  # parts of the domain over each of which the path must be proven to be smooth
_UNKNOWN = 1e30  # A third derivative that is not bounded: more than any that is, and still a number.


@dataclass(frozen=True, eq=False)
class FormulaPath(Path):
    """The path of three formulas in t over an interval."""

    formulas: Formulas
    interval: Interval

    @property
    def domain(self) -> Interval:
        """The range of t."""
        return self.interval

    def jet(self, t: Floats) -> PathJet:
        """Return the point and its first two derivatives at t (k,)."""
        jets = self.formulas.jets(t[None])
        return PathJet(jets.value.T, jets.first[:, 0].T, jets.second[:, 0, 0].T)

    def third(self, t: Floats) -> Floats:
        """Return the third derivative (k, 3)."""
        return np.ascontiguousarray(self.formulas.thirds(t).T)

    def third_bounds(self, lower: Floats, upper: Floats) -> Floats:
        """Return the most of |c'''| (k,) by ranges over the parts of each interval."""
        shares = np.arange(_PARTS + 1) / _PARTS
        ends = lower[:, None] * (1.0 - shares) + upper[:, None] * shares
        ranges = self.formulas.third_ranges(ends[:, :-1].ravel(), ends[:, 1:].ravel())
        most: Floats = largest_lengths(ranges, len(lower) * _PARTS).reshape(-1, _PARTS).max(axis=1)
        return np.minimum(most, _UNKNOWN)


def tube_along_formulas(parameters: Mapping[str, object]) -> GridComplex:
    """Return the tube of a `radius` about the path that `path.x`, `path.y`, `path.z` and `path.t` define.

    Raises:
        SurfaceError: naming the parameter and the character, for what has no meaning or is no tube.
    """
    if "path" in parameters:
        raise SurfaceError(_TUBE, "path", "is there beside path.x", "expected a curve's name or formulas")
    radius = positive_number(_TUBE, "radius", parameters.get("radius"))
    try:
        formulas, interval = read_path(parameters)
        _check_smooth(formulas, interval)
    except SurfaceError as error:
        raise SurfaceError(_TUBE, error.subject, error.found, error.remedy) from error
    return tube_about(FormulaPath(formulas, interval), radius)


def _check_smooth(formulas: Formulas, interval: Interval) -> None:
    """Raise SurfaceError where a path is not proven to be twice differentiable, and to go on."""
    t = np.linspace(interval.lower, interval.upper, _PROVEN_PARTS + 1)
    found = formulas.unproven_in(t[None, :-1], t[None, 1:])
    if found is not None:
        operation, place, part = found
        reason, remedy = reason_for(operation)
        said = f"near t = {t[part]:.4g} {reason}"
        texts = [formulas.places[output].text for output in formulas.outputs]
        name = f"path.{'xyz'[texts.index(place.text)]}" if place.text in texts else "path.x"
        raise definition_error(name, FormulaError(place.text, place.position, said, remedy))
    slopes = [jet.first[0] for jet in formulas.ranges(t[None, :-1], t[None, 1:], 1)]
    moving = np.zeros(_PROVEN_PARTS, dtype=np.bool_)
    for slope in (slope for slope in slopes if slope is not None):
        moving |= (slope.lower > 0.0) | (slope.upper < 0.0)
    if not moving.all():
        found_at = f"stands still near t = {t[int(np.argmin(moving))]:.4g}"
        raise SurfaceError(_TUBE, "path.x, y, z", found_at, "end path.t there, or choose another parameter")
