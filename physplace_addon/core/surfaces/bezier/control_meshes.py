"""Bezier nets from a mesh of their control points: every block of 3 by 3 quadrilaterals is one patch.

A mesh falls into islands where its faces do not share an edge, or share one that is marked as a cut.  Each
island is a grid of 3 m by 3 n quadrilaterals, m by n patches that share their borders.  From a half-edge h
along u the next one along u is next(twin(next(h))), the next one along v twin(next(next(h))).
"""

from __future__ import annotations

import numpy as np

from ...arrays import Bools, Floats, Ints
from ...errors import SurfaceError
from ...mesh.edges import component_labels
from ..subdivision.cage import Cage

KIND = "bezier"  # the name of this kind of surface in errors
_SIDE = 3  # faces along each side of a net: a bicubic patch has four control points there


def nets_of_control_mesh(points: Floats, cage: Cage) -> Floats:
    """Return control points (n, 4, 4, 3) from the vertices of a mesh.

    Args:
        points: vertices (nv, 3).
        cage: the faces between them; cuts are infinitely sharp edges.

    Raises:
        SurfaceError: for faces that are no such grids.
    """
    if not len(cage.sizes):
        raise _wrong("has no faces", "model its control points: 3 by 3 quadrilaterals for each patch")
    others = np.flatnonzero(cage.sizes != 4)
    if len(others):
        found = f"face {others[0]} has {cage.sizes[others[0]]} corners"
        raise _wrong(found, "give every face four corners")
    beyond = np.where(cage.sharp, -1, cage.twin)
    island = _islands(cage, beyond)
    starts = _corners(cage, beyond)
    nets = []
    for number in range(int(island.max()) + 1):
        own = starts[island[cage.face[starts]] == number]
        faces = int((island == number).sum())
        nets.append(_cut(points[_grid(cage, beyond, own, faces)]))
    return np.concatenate(nets)


def _wrong(found: str, remedy: str) -> SurfaceError:
    return SurfaceError(KIND, "mesh", found, remedy)


def _islands(cage: Cage, beyond: Ints) -> Ints:
    """Return the island (nf,) of each face."""
    half, count = np.flatnonzero(beyond >= 0), len(cage.sizes)
    return component_labels(np.column_stack([cage.face[half], cage.face[beyond[half]]]), count)


def _corners(cage: Cage, beyond: Ints) -> Ints:
    """Return the half-edges that leave the corners of islands, along their borders."""
    alone: Bools = (beyond < 0) & (beyond[cage.previous] < 0)
    return np.flatnonzero(alone)


def _grid(cage: Cage, beyond: Ints, corners: Ints, faces: int) -> Ints:
    """Return the vertices (rows, columns) of one island, which has these corners and so many faces."""
    remedy = "make it 3 by 3 faces, or a grid of such blocks; mark the edges between blocks as seams"
    if len(corners) != 4:
        raise _wrong(f"an island of {faces} faces has {len(corners)} corners, not 4", remedy)
    after = cage.next
    first = [int(corners[0])]
    while len(first) <= faces and beyond[after[first[-1]]] >= 0:
        first.append(int(after[beyond[after[first[-1]]]]))
    rows = [np.array(first)]
    while len(rows) * len(first) <= faces and (beyond[after[after[rows[-1]]]] >= 0).all():
        rows.append(beyond[after[after[rows[-1]]]])
    grid = np.stack(rows)
    whole = len(np.unique(cage.face[grid])) == faces == grid.size
    if not whole or grid.shape[0] % _SIDE or grid.shape[1] % _SIDE:
        raise _wrong(f"an island of {faces} faces is no grid of 3 by 3 blocks", remedy)
    last = after[after[grid[-1]]]
    corner = np.concatenate([cage.corners[grid], cage.heads[last][None]])
    right = np.append(cage.heads[grid[:, -1]], cage.corners[last[-1]])
    return np.column_stack([corner, right])


def _cut(points: Floats) -> Floats:
    """Return the nets (n, 4, 4, 3), along u first, of a grid of control points (rows, columns, 3)."""
    rows = np.arange(0, points.shape[0] - 1, _SIDE)[:, None] + np.arange(_SIDE + 1)
    columns = np.arange(0, points.shape[1] - 1, _SIDE)[:, None] + np.arange(_SIDE + 1)
    nets = points[rows[:, None, None, :], columns[None, :, :, None]]
    return np.asarray(nets.reshape(-1, 4, 4, 3))
