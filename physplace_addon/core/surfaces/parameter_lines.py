"""The parameter lines of a tessellation, for a resolution or for a tolerance.

Lines are counted, not cells: a resolution of 15 by 5 makes 14 by 4 cells.  For a tolerance the share of each
direction in a cell's bound is measured by halving the cell: shares fall with the square of the width, so what
halving takes away is three quarters of the share.  Every interval whose cells exceed the tolerance is cut
into as many parts as its share calls for, until all cells are within the tolerance.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ..arrays import Floats, Ints
from ..errors import SurfaceError
from .base import Patch

MOST_CELLS = 1_000_000  # cells of a body: some hundred megabytes of triangles
_ROUNDS = 24  # rounds of cutting, each into two to six parts, after which the tolerance is given up
# Parts into which one round may cut an interval, since the share of a coarse cell is only an estimate.
_MOST_PARTS = 6


def lines_at(patches: Sequence[Patch], resolution: tuple[int, int]) -> tuple[Floats, list[Floats]]:
    """Return the common u lines, and each patch's v lines, for a resolution in lines (nu, nv).

    The v cells are shared out over all patches by the length of their ranges.  Each piece between breaks gets
    one cell at least, and a parameter that closes on itself three.
    """
    u_breaks = patches[0].breaks[0]
    u_counts = _shared_out(_least(patches[0], 0, resolution[0] - 1), np.diff(u_breaks))
    pieces = [np.diff(patch.breaks[1]) for patch in patches]
    total = _least(patches[0], 1, resolution[1] - 1) if len(patches) == 1 else resolution[1] - 1
    v_counts = np.split(
        _shared_out(total, np.concatenate(pieces)), np.cumsum([len(piece) for piece in pieces])[:-1]
    )
    v = [_lines(patch.breaks[1], counts) for patch, counts in zip(patches, v_counts, strict=True)]
    return _lines(u_breaks, u_counts), v


def lines_within(patches: Sequence[Patch], tolerance: float) -> tuple[Floats, list[Floats]]:
    """Return the common u lines, and each patch's v lines, whose cells are all within a tolerance, scene
    units.

    Raises:
        SurfaceError: if a million cells do not suffice.
    """
    u = _lines(patches[0].breaks[0], _shared_out(_least(patches[0], 0, 8), np.diff(patches[0].breaks[0])))
    v = [_first_v_lines(patch) for patch in patches]
    for _ in range(_ROUNDS):
        growths = [_growth(patch, u, own, tolerance) for patch, own in zip(patches, v, strict=True)]
        growth_u = np.max([growth for growth, _ in growths], axis=0)
        if not np.any(growth_u > 1) and not any(np.any(growth > 1) for _, growth in growths):
            return u, v
        u = _lines(u, growth_u)
        v = [_lines(own, growth) for own, (_, growth) in zip(v, growths, strict=True)]
        _check_size((len(u) - 1) * sum(len(own) - 1 for own in v), tolerance)
    raise SurfaceError("tessellation", "tolerance", f"not reached: {tolerance:g}", "use a larger tolerance")


def _first_v_lines(patch: Patch) -> Floats:
    pieces = np.diff(patch.breaks[1])
    return _lines(patch.breaks[1], _shared_out(_least(patch, 1, len(pieces)), pieces))


def _check_size(cells: int, tolerance: float) -> None:
    if cells > MOST_CELLS:
        found = f"{tolerance:g} needs more than {cells} cells"
        raise SurfaceError(
            "tessellation", "tolerance", found, "use a larger tolerance, or a surface with fewer waves"
        )


def _growth(patch: Patch, u: Floats, v: Floats, tolerance: float) -> tuple[Ints, Ints]:
    """Return into how many parts to cut each interval of u and of v; 1 where it is within the tolerance."""
    bounds = _bounds(patch, u, v)
    excess = bounds > tolerance
    if not excess.any():
        return np.ones(len(u) - 1, dtype=np.intp), np.ones(len(v) - 1, dtype=np.intp)
    half_u = _bounds(patch, _halved(u), v).reshape(len(u) - 1, 2, -1).max(axis=1)
    half_v = _bounds(patch, u, _halved(v)).reshape(len(u) - 1, -1, 2).max(axis=2)
    share_u = np.where(excess, np.maximum(bounds - half_u, 0.0), 0.0) * 4.0 / 3.0
    share_v = np.where(excess, np.maximum(bounds - half_v, 0.0), 0.0) * 4.0 / 3.0
    parts_u = np.clip(np.ceil(np.sqrt(2.0 * share_u / tolerance)), 1, _MOST_PARTS).astype(np.intp)
    parts_v = np.clip(np.ceil(np.sqrt(2.0 * share_v / tolerance)), 1, _MOST_PARTS).astype(np.intp)
    idle = excess & (parts_u == 1) & (parts_v == 1)
    parts_u[idle & (share_u >= share_v)] = 2
    parts_v[idle & (share_u < share_v)] = 2
    return parts_u.max(axis=1), parts_v.max(axis=0)


def _bounds(patch: Patch, u: Floats, v: Floats) -> Floats:
    """Return the bounds (cells of u, cells of v)."""
    lower, upper = cells_of(u, v)
    bounds = patch.cell_bounds(np.zeros(len(lower), dtype=np.intp), lower, upper)
    return bounds.reshape(len(u) - 1, len(v) - 1)


def _halved(lines: Floats) -> Floats:
    return _lines(lines, np.full(len(lines) - 1, 2, dtype=np.intp))


def _least(patch: Patch, axis: int, cells: int) -> int:
    return max(cells, 3 if patch.domain[axis].periodic else 1)


def _shared_out(total: int, lengths: Floats) -> Ints:
    """Return numbers of cells for pieces, shared out by length, one each at least; the largest remainders get
    what is left.
    """
    spare = max(total - len(lengths), 0)
    ideal = spare * lengths / lengths.sum()
    counts: Ints = np.floor(ideal).astype(np.intp)
    left = spare - int(counts.sum())
    counts[np.argsort(counts - ideal, kind="stable")[:left]] += 1
    counts += 1
    return counts


def _lines(breaks: Floats, counts: Ints) -> Floats:
    """Return the parameters that cut the piece after breaks[i] into counts[i] equal cells."""
    piece = np.repeat(np.arange(len(counts)), counts)
    within = np.arange(len(piece)) - np.repeat(np.cumsum(counts) - counts, counts)
    inner = breaks[piece] + (breaks[piece + 1] - breaks[piece]) * (within / counts[piece])
    return np.concatenate([inner, breaks[-1:]])


def cells_of(u: Floats, v: Floats) -> tuple[Floats, Floats]:
    """Return the lower and the upper corners (k, 2) of all cells between lines u and v, u outermost."""
    nu, nv = len(u) - 1, len(v) - 1
    lower = np.column_stack([np.repeat(u[:-1], nv), np.tile(v[:-1], nu)])
    return lower, np.column_stack([np.repeat(u[1:], nv), np.tile(v[1:], nu)])
