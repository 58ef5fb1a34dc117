"""Hulls of patches of formulas: waves finer than the triangles are seen by these.

The polynomial of a part is Taylor's about its middle, to second order.  By how much the second derivatives
differ from that one's is known coordinate by coordinate from their ranges over the part, so the `twists` of
the hulls are the three axes, and a fourth that is zero.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from ..arrays import Bools, Floats, Ints
from ..formulas import Range
from ..vectors import cross, unit
from .base import Hulls

if TYPE_CHECKING:
    from .formula_patches import FormulaPatches

_FROM_MIDDLE = np.array([-0.5, -1.0 / 6.0, 1.0 / 6.0, 0.5])  # control points of u - 1/2
_SQUARED = np.array([0.25, -1.0 / 12.0, -1.0 / 12.0, 0.25])  # of its square
_LITTLE = 0.5  # part of a bend that may vary where corners tell enough
_UNKNOWN = 1e100  # where ranges prove nothing: infinite, but for products with zero
_SECOND = ((0, 0, 1), (0, 1, 1))


def hulls_of(patches: FormulaPatches, patch: Ints, lower: Floats, upper: Floats) -> Hulls:
    """Return the hulls of patches (k,) over rectangles [lower, upper] (k, 2) of (s, t)."""
    part = _Part.of(patches, patch, lower, upper)
    axes = np.broadcast_to(np.eye(4, 3), (len(patch), 4, 3))
    bends = np.concatenate([part.bends, np.zeros((len(patch), 3, 1))], axis=2)
    return Hulls(_taylor(part.point, part.first, part.second), axes, bends)


def may_wave(patches: FormulaPatches, patch: Ints, lower: Floats, upper: Floats) -> Bools:
    """Tell which parts (k,) may bend back within: their second derivatives along the normal vary by half of
    what these are in the middle, or more.
    """
    part = _Part.of(patches, patch, lower, upper)
    normal = unit(cross(part.first[:, 0], part.first[:, 1]))
    bend, more = part.second @ normal[:, :, None], part.bends @ np.abs(normal)[:, :, None]
    waves: Bools = np.linalg.norm(more[..., 0], axis=1) > _LITTLE * np.linalg.norm(bend[..., 0], axis=1)
    return waves


@dataclass(frozen=True)
class _Part:
    """Parts as functions of the unit square: point (k, 3), first (k, 2, 3) and second derivatives (k, 3, 3)
    in the middles, and by how much the second ones may differ from these (k, 3, 3), each coordinate.
    """

    point: Floats
    first: Floats
    second: Floats
    bends: Floats

    @classmethod
    def of(cls, patches: FormulaPatches, patch: Ints, lower: Floats, upper: Floats) -> _Part:
        size = upper - lower
        squares = np.stack([size[:, 0] ** 2, size[:, 0] * size[:, 1], size[:, 1] ** 2], axis=1)[..., None]
        jets = patches.jets(patch, 0.5 * (lower + upper))
        second = jets.second[:, _SECOND[0], _SECOND[1]]
        bends = np.empty_like(second)
        for number in np.unique(patch).tolist():
            rows = np.nonzero(patch == number)[0]
            bends[rows] = _differences(patches.ranges(number, lower[rows], upper[rows]), second[rows])
        return cls(jets.point, size[..., None] * jets.first, squares * second, squares * bends)


@np.errstate(all="ignore")
def _differences(ranges: Sequence[Sequence[Range | None]], second: Floats) -> Floats:
    """By how much second derivatives in ranges may differ from those in the middles (k, 3, 3): of each, the
    coordinates.
    """
    most = np.zeros_like(second)
    for x, six in enumerate(ranges):
        for which, own in enumerate(six[3:]):
            if own is not None:
                here = second[:, which, x]
                most[:, which, x] = np.maximum(own.upper - here, here - own.lower)
    return np.where(np.isfinite(most), most, _UNKNOWN)


def _taylor(point: Floats, first: Floats, second: Floats) -> Floats:
    """Control points (k, 4, 4, 3) of polynomials from their derivatives in the middle of the unit square."""
    by_u, by_v = _FROM_MIDDLE[:, None], _FROM_MIDDLE[None]
    by_uu, by_vv = 0.5 * _SQUARED[:, None], 0.5 * _SQUARED[None]
    terms = np.broadcast_arrays(by_u, by_v, by_uu, by_u * by_v, by_vv)
    parts = np.concatenate([first, second], axis=1)
    control: Floats = point[:, None, None] + np.einsum("nij,knx->kijx", np.stack(terms), parts)
    return control
