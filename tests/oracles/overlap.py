"""Largest interpenetration of two exact bodies at given poses, from signed distances.

With A = core + ball(r) and an exact signed distance of B, A's deepest point lies r beyond the least signed
distance over A's core. The core is sampled, its lowest local samples are kept, and each is refined by
zooming: a 7 x 7 grid of parameters about the best point so far, shrunk each round. No derivatives, so
corners and rims need no care. Unless A lies wholly inside B, looking from one side sees every overlap.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import ArrayLike

from tests.oracles.arrays import Floats
from tests.oracles.shapes import HalfSpace, Patch, Resting, Shape

AXIS = np.linspace(-1, 1, 7)
ZOOM = np.stack(np.meshgrid(AXIS, AXIS, indexing="ij"), axis=-1).reshape(-1, 2)
KEPT = 6  # lowest local samples of a patch that are refined


def separation(
    a: Resting,
    rotation_a: Floats,
    position_a: ArrayLike,
    b: Shape,
    rotation_b: Floats | None = None,
    position_b: ArrayLike = (0, 0, 0),
    below: float = np.inf,
) -> float:
    """Least signed distance from A's surface to B: negative is the depth of overlap, positive the clearance.

    Poses take each shape's frame to the world: rotations (3, 3), positions (3,). Lengths in world units.
    Where the answer is surely not less than `below` the search stops early, at some greater value.
    """
    rotation_b = np.eye(3) if rotation_b is None else rotation_b
    assert hasattr(a, "core")
    assert hasattr(b, "signed_distance")
    if isinstance(b, HalfSpace):
        return _over_plane(a, rotation_a, position_a, b, rotation_b, position_b)
    rotation = rotation_b.T @ rotation_a
    shift = rotation_b.T @ (np.asarray(position_a, float) - np.asarray(position_b))
    patches, radius = a.core()

    def distance_to_b(points: Floats) -> Floats:
        return b.signed_distance(points @ rotation.T + shift)

    sampled = [_sampled(patch, distance_to_b) for patch in patches]
    least = min(value.min() for _, value in sampled)
    for patch, (p, value) in sorted(zip(patches, sampled, strict=True), key=lambda each: each[1][1].min()):
        least = min(least, _least(patch, p, value, distance_to_b, least, below + radius))
    return float(least - radius)


def _over_plane(
    a: Resting,
    rotation_a: Floats,
    position_a: ArrayLike,
    b: HalfSpace,
    rotation_b: Floats,
    position_b: ArrayLike,
) -> float:
    normal = rotation_b @ b.normal
    centre = rotation_a @ a.centre + np.asarray(position_a)
    height = (centre - rotation_b @ b.point - np.asarray(position_b)) @ normal
    return float(height - a.support(-(normal @ rotation_a)[None])[0])


def _sampled(patch: Patch, distance: Callable[[Floats], Floats]) -> tuple[Floats, Floats]:
    """The parameters (m, n, 2) of a patch's samples, and their distances (m, n)."""
    grid = [np.linspace(lo, hi, n) for lo, hi, n in zip(patch.lower, patch.upper, patch.counts, strict=True)]
    p = np.stack(np.meshgrid(*grid, indexing="ij"), axis=-1)
    return p, distance(patch.at(p.reshape(-1, 2))).reshape(patch.counts)


def _least(
    patch: Patch, p: Floats, value: Floats, distance: Callable[[Floats], Floats], known: float, below: float
) -> float:
    """The least distance over a patch; some greater one where it is not less than `known` or `below`."""
    low = np.ones(value.shape, bool)
    for axis in (0, 1):
        padded = np.concatenate([v := np.moveaxis(value, axis, 0), v[-1:]])
        before = np.concatenate([v[:1], v[:-1]])
        low &= np.moveaxis((v <= before) & (v <= padded[1:]), 0, axis)
    # The signed distance changes no faster than the point moves.
    low &= value - _reach(patch, p) <= min(known, value.min(), below)
    if not low.any():
        return float(value.min())
    chosen = np.argwhere(low)
    chosen = chosen[np.argsort(value[tuple(chosen.T)], kind="stable")][:KEPT]
    width = np.array(
        [(hi - lo) / max(n - 1, 1) for lo, hi, n in zip(patch.lower, patch.upper, patch.counts, strict=True)]
    )
    return _zoom(patch, distance, p[tuple(chosen.T)], width, below)


def _reach(patch: Patch, p: Floats) -> float:
    """How far a point of the patch can be from the nearest sample: half a cell's diagonal and a margin."""
    x = patch.at(p.reshape(-1, 2)).reshape(*patch.counts, 3)
    steps = [np.max(np.linalg.norm(np.diff(x, axis=axis), axis=-1), initial=0.0) for axis in (0, 1)]
    return 0.75 * float(np.hypot(*steps))


def _zoom(
    patch: Patch, distance: Callable[[Floats], Floats], centre: Floats, width: Floats, below: float
) -> float:
    """Refine all candidates (k, 2) at once; a step to the grid's border keeps the width."""
    here = patch.at(centre)
    best, widths = distance(here), np.tile(width, (len(centre), 1))
    for _ in range(60):
        p = np.clip(centre[:, None] + widths[:, None] * ZOOM, patch.lower, patch.upper)
        x = patch.at(p.reshape(-1, 2))
        value = distance(x).reshape(len(centre), -1)
        reach = np.linalg.norm(x.reshape(len(centre), -1, 3) - here[:, None], axis=2).max(axis=1)
        row, index = np.arange(len(centre)), np.argmin(value, axis=1)
        better = value[row, index] < best
        border = better & (np.max(np.abs(ZOOM[index]), axis=1) > 0.99)
        centre = np.where(better[:, None], p[row, index], centre)
        here = np.where(better[:, None], x.reshape(len(centre), -1, 3)[row, index], here)
        best = np.where(better, value[row, index], best)
        widths = np.where(border[:, None], widths, widths * 0.37)
        if np.max(reach) < 1e-13:
            break
        hopeful = best - 3 * reach <= min(best.min(), below)
        if not hopeful.any():
            break
        centre, here, best, widths = centre[hopeful], here[hopeful], best[hopeful], widths[hopeful]
    return float(best.min())
