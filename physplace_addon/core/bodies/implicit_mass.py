"""The mass that patches of implicit surfaces enclose, from fluxes through them (the divergence theorem).

Of a union, each component's patches count where they are outside of the other components. Patches that cross
into another component are summed over many small squares, each in or out, which is good to about 1e-4 of the
mass; all others are integrated by Gauss's rule.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ..arrays import Bools, Floats
from ..implicit.functions.base import ImplicitFunction
from ..jobs import Job, Progress, finished
from ..mesh.mass import MassProperties
from ..surfaces.patches import Slopes
from ..surfaces.quadrature import flux_moments, gauss_rule, solid_of_moments
from .implicit_patches import BLOCK, ImplicitPatches

_RULES = 4, 6  # Gauss-Legendre nodes in each direction, tried in turn
_AGREED = 1e-10  # share of the moments by which two rules may differ
_SQUARES = 16  # squares in each direction, of patches that cross into another component
_LOOKS = np.linspace(0.0, 1.0, 4)  # parameters at which a patch is tested for being outside of the others


def solid_mass(parts: Sequence[ImplicitPatches]) -> MassProperties:
    """Return the mass, density 1, of what some closed sets of patches enclose together.

    See `weighing`.
    """
    return finished(weighing(parts))


def weighing(parts: Sequence[ImplicitPatches]) -> Job[MassProperties]:
    """Return the mass, density 1, of what some closed sets of patches enclose together, in slices.

    Args:
        parts: the patches of each component, all of one function.
    """
    corners = np.concatenate([patches.corners.reshape(-1, 3) for patches in parts])
    middle = 0.5 * (corners.min(axis=0) + corners.max(axis=0))
    total = np.zeros(13)
    for number, patches in enumerate(parts):
        others = [part.function for other, part in enumerate(parts) if other != number]
        total += yield from _outside(patches, others, middle)
    return solid_of_moments(total).moved(middle)


def _outside(patches: ImplicitPatches, others: Sequence[ImplicitFunction], middle: Floats) -> Job[Floats]:
    """Return the fluxes (13,) through some patches where they are outside of other functions."""
    if not others:
        return (yield from _by_gauss(patches, middle))
    looks = _covered(_evaluated(patches, _LOOKS).point, others).reshape(len(patches), -1)
    free, crossing = (
        patches.take(np.flatnonzero(rows))
        for rows in (~looks.any(axis=1), looks.any(axis=1) & ~looks.all(axis=1))
    )
    found = _evaluated(crossing, (np.arange(_SQUARES) + 0.5) / _SQUARES)
    share = np.where(_covered(found.point, others), 0.0, 1.0 / _SQUARES**2)
    whole = yield from _by_gauss(free, middle)
    return whole + _moments(found, share, middle)


def _covered(points: Floats, others: Sequence[ImplicitFunction]) -> Bools:
    """Return which points (k, 3) are inside of any of some functions."""
    covered: Bools = np.any([other.value(points) < 0.0 for other in others], axis=0)
    return covered


def _by_gauss(patches: ImplicitPatches, middle: Floats) -> Job[Floats]:
    """Return the fluxes (13,) through whole patches, by rules of more nodes until two agree."""
    total = np.full(13, np.inf)
    for nodes in _RULES:
        before, total = total, np.zeros(13)
        t, weight = gauss_rule(np.array([0.0, 1.0]), nodes)
        for start in range(0, len(patches), BLOCK):
            yield Progress(f"Weighing {len(patches)} patches", start / len(patches))
            some = patches.take(slice(start, start + BLOCK))
            share = np.tile(np.outer(weight, weight).ravel(), len(some))
            total += _moments(_evaluated(some, t), share, middle)
        size = np.abs(total[0]) ** (1.0 + np.array([0.0, *[1.0] * 3, *[2.0] * 9]) / 3.0)
        if (np.abs(total - before) <= _AGREED * size).all():
            break
    return total


def _evaluated(patches: ImplicitPatches, ticks: Floats) -> Slopes:
    """Return all patches at all pairs of parameters (m,), one patch after another."""
    at = np.stack(np.meshgrid(ticks, ticks, indexing="ij"), axis=-1).reshape(-1, 2)
    return patches.slopes(np.repeat(np.arange(len(patches)), len(at)), np.tile(at, (len(patches), 1)))


def _moments(found: Slopes, share: Floats, middle: Floats) -> Floats:
    """Return volume, first moments (3) and second moments (9) about the middle, of places with
    shares (k,).
    """
    return flux_moments(found.point - middle, found.along, found.across, share)
