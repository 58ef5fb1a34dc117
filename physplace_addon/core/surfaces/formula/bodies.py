"""The boundary of a body made of formulas: patches with their poles last, joined where their sides coincide.

A side that is one single point becomes a pole; patches with two such sides opposite one another are cut in
two.  Sides are joined where they run through the same points at the same shares of their parameters, the two
ends of a periodic one among them.  A patch that faces another way than its neighbour is turned over; a
surface with one side only stays open where it would have to be torn.  From there on all is as for Bezier
patches.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from itertools import pairwise

import numpy as np

from ...errors import SurfaceError
from ...mesh.mass import MassProperties
from ..bezier.bodies import is_closed, patch_boundary
from ..bezier.complex import PatchComplex
from ..bezier.joins import Joins, match_sides, orientation_flips, with_smoothness
from ..bezier.mass import middle_of, patch_moments
from ..bezier.nets import COINCIDENT
from ..quadrature import converged_integrals, solid_of_moments
from .checks import check_regular
from .definitions import KIND, FormulaSource, read_sources
from .patches import FormulaPatches

# Gauss-Legendre nodes in each direction of a patch, at which doubling ends: a second for some patches.
_MOST_NODES = 128
_OPPOSITE = ([0, 1], [2, 3])  # pairs of sides that are opposite one another


def formula(parameters: Mapping[str, object]) -> PatchComplex:
    """Return the body of the formulas that parameters define: see `definitions`.

    Raises:
        SurfaceError: naming the parameter and the character, for a definition that has no meaning, or that is
            not everywhere a smooth surface.
    """
    sources = read_sources(parameters)
    whole = _whole(sources)
    _check_defined(whole, sources)
    size = 0.5 * float(np.linalg.norm(np.ptp(whole.sample_points.reshape(-1, 3), axis=0)))
    _check_periods(whole, sources, size)
    patches = _with_poles_last(whole, sources, size)
    check_regular(patches, sources)
    patches, joins = _facing_alike(patches, size)
    if is_closed(patches, joins) and float(patch_moments(patches, 16, middle_of(patches))[0]) < 0.0:
        patches = patches.turned_over(np.ones(len(patches), dtype=np.bool_))
        joins = match_sides(patches.side_points, size)
    patches = replace(patches, seam=_seam(patches, joins))
    return patch_boundary(KIND, patches, with_smoothness(patches, joins), size, _solid_mass)


def _whole(sources: list[FormulaSource]) -> FormulaPatches:
    """Return one patch for each source, over its whole domain."""
    count = len(sources)
    none = np.zeros(count, dtype=np.bool_)
    return FormulaPatches(
        tuple(source.formulas for source in sources),
        np.arange(count),
        np.array([[source.u.lower, source.v.lower] for source in sources]),
        np.array([[source.u.upper, source.v.upper] for source in sources]),
        none,
        none,
    )


def _check_defined(whole: FormulaPatches, sources: list[FormulaSource]) -> None:
    """Raise SurfaceError for patches with points that are not finite, or without extent."""
    if not np.isfinite(whole.sample_points).all():
        check_regular(whole, sources)
    extent = np.ptp(whole.sample_points, axis=1).max(axis=1)
    for source, own in zip(sources, extent.tolist(), strict=True):
        if not own > 0.0:
            name = source.names["x"]
            raise SurfaceError(KIND, name, "all points are one", "expected x, y and z to change with u and v")


def _check_periods(whole: FormulaPatches, sources: list[FormulaSource], size: float) -> None:
    """Raise SurfaceError where the ends of a periodic domain do not meet."""
    for own, source in zip(whole.side_points, sources, strict=True):
        for axis, (name, interval) in enumerate((("u", source.u), ("v", source.v))):
            gap = float(np.abs(own[2 * axis] - own[2 * axis + 1]).max())
            if interval.periodic and gap > COINCIDENT * size:
                found = f"periodic, but its ends are {gap:.3g} apart"
                raise SurfaceError(KIND, source.names[name], found, "mend the ends, or leave out periodic")


def _with_poles_last(whole: FormulaPatches, sources: list[FormulaSource], size: float) -> FormulaPatches:
    """Return the patches with every side that is one point turned to t = 1, cut in two where two opposite
    ones are.
    """
    parts = []
    extent = np.ptp(whole.side_points, axis=2).max(axis=2) <= COINCIDENT * size
    for number, source in enumerate(sources):
        points = np.nonzero(extent[number])[0].tolist()
        own = whole.take(np.array([number]))
        if points in _OPPOSITE:
            parts += [
                _turned(half, side) for half, side in zip(_halves(own, points[0] // 2), points, strict=True)
            ]
        elif len(points) <= 1:
            parts += [_turned(own, side) for side in points] or [own]
        else:
            found = "neighbouring sides of the domain are one point each"
            raise SurfaceError(KIND, source.names["u"], found, "expected opposite sides at most")
    low, high, swapped, polar, source_of = (
        np.concatenate([getattr(part, name) for part in parts])
        for name in ("low", "high", "swapped", "polar", "source")
    )
    return FormulaPatches(whole.sources, source_of, low, high, swapped, polar)


def _halves(own: FormulaPatches, axis: int) -> list[FormulaPatches]:
    """Return one patch cut in the middle of u (axis 0) or of v."""
    ends = np.array([own.low[0, axis], 0.5 * (own.low[0, axis] + own.high[0, axis]), own.high[0, axis]])
    halves = []
    for start, stop in pairwise(ends.tolist()):
        low, high = own.low.copy(), own.high.copy()
        low[0, axis], high[0, axis] = start, stop
        halves.append(replace(own, low=low, high=high))
    return halves


def _turned(own: FormulaPatches, side: int) -> FormulaPatches:
    """Return one patch turned, not turned over, so that a side of its domain becomes the pole t = 1."""
    backwards = np.array([[[True, False]], [[False, True]], [[True, True]], [[False, False]]])[side]
    return replace(
        own,
        low=np.where(backwards, own.high, own.low),
        high=np.where(backwards, own.low, own.high),
        swapped=np.array([side < 2]),
        polar=np.array([True]),
    )


def _facing_alike(patches: FormulaPatches, size: float) -> tuple[FormulaPatches, Joins]:
    """Return patches turned over until all that are joined face alike, and the joins, cut where
    they cannot.
    """
    joins = match_sides(patches.side_points, size)
    turned, torn = orientation_flips(joins)
    patches = patches.turned_over(turned)
    joins = match_sides(patches.side_points, size)
    for patch, side in torn:
        own = 1 - side if turned[patch] and side < 2 else side
        joins.patch[patch, own] = -1
    return patches, joins


def _seam(patches: FormulaPatches, joins: Joins) -> float:
    """Return how far apart points are that count as one, on joined sides and on poles, scene units."""
    patch, side = np.nonzero(joins.patch >= 0)
    there = patches.side_points[joins.patch[patch, side], joins.side[patch, side]]
    there = np.where(joins.backwards[patch, side][:, None, None], there[:, ::-1], there)
    poles = patches.side_points[patches.polar, 3] - patches.pole[patches.polar][:, None]
    gaps = [np.abs(patches.side_points[patch, side] - there), np.abs(poles)]
    return 2.0 * max(float(gap.max(initial=0.0)) for gap in gaps)


def _solid_mass(patches: FormulaPatches) -> MassProperties:
    """Return the mass of a solid, by rules of more and more nodes."""
    middle = middle_of(patches)
    moments = converged_integrals(lambda nodes: patch_moments(patches, nodes, middle), most=_MOST_NODES)
    return solid_of_moments(moments).moved(middle)
