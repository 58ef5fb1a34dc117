"""From a soup of triangles to a mesh whose topology can be read off its indices.

Artists' meshes have split vertices, doubled faces and triangles of no area. In order:

1. weld vertices nearer than WELD times the box's diagonal (float32 copies of one point);
2. drop triangles with a repeated corner, and needles: triangles lower than that same distance, whose
   normal is noise. Where a needle's longest side has one other triangle, that triangle is first split at the
   needle's third corner, so that the mesh stays closed (a corner on the side of a neighbour is common);
3. keep one of each set of triangles with the same three corners (a sheet modelled with both of its sides).

Everything is sorting and labelling of arrays; there is no loop over triangles.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components
from scipy.spatial import cKDTree

from .arrays import Bools, Floats, Ints
from .errors import MeshError
from .mesh_edges import edge_table

WELD = 1e-7  # of the diagonal of the bounding box: float32 resolves 6e-8 of the largest coordinate
SPLIT_ROUNDS = 8


@dataclass(frozen=True, eq=False)
class CleanMesh:
    """Points (n, 3), triangles (t, 3) of distinct corners and with area; and what was done to get there."""

    points: Floats
    triangles: Ints
    diagonal: float
    notes: tuple[str, ...]

    @property
    def corners(self) -> Floats:
        """The corners' positions (t, 3, 3)."""
        corners: Floats = self.points[self.triangles]
        return corners


def clean(points: Floats, triangles: Ints, name: str) -> CleanMesh:
    """Weld, drop, merge: points (n, 3), triangles (t, 3). Raises MeshError (empty, not finite, no size, no
    area).
    """
    diagonal = _checked_diagonal(points, triangles, name)
    notes: list[str] = []
    points, triangles = _used(points, triangles)
    welded, labels = weld(points, WELD * diagonal)
    if len(welded) < len(points):
        notes.append(f"{len(points) - len(welded)} doubled vertices merged")
    corners = labels[triangles]
    kept = without_needles(welded, corners, WELD * diagonal)
    if len(kept) < len(corners):
        notes.append(f"{len(corners) - len(kept)} triangles of no area dropped")
    if len(kept) == 0:
        raise MeshError(name, "all its triangles have no area", "give the object a face with some width")
    single = without_doubles(kept)
    if len(single) < len(kept):
        notes.append(f"{len(kept) - len(single)} doubled faces merged")
    welded, single = _used(welded, single)
    return CleanMesh(welded, single, diagonal, tuple(notes))


def _checked_diagonal(points: Floats, triangles: Ints, name: str) -> float:
    if len(triangles) == 0 or len(points) == 0:
        raise MeshError(name, "it has no faces", "add faces, or leave the object out")
    if triangles.min() < 0 or triangles.max() >= len(points):
        raise MeshError(name, f"a face names a vertex that is not among its {len(points)}", "repair the mesh")
    used = points[triangles.ravel()]
    if not np.all(np.isfinite(used)):
        raise MeshError(
            name, "some of its vertices are not finite numbers", "repair or delete these vertices"
        )
    diagonal = float(np.linalg.norm(used.max(axis=0) - used.min(axis=0)))
    if not 0.0 < diagonal < np.inf:
        raise MeshError(name, "it has no size", "check the object's scale")
    return diagonal


def _used(points: Floats, triangles: Ints) -> tuple[Floats, Ints]:
    """The points that triangles use, in their old order, and the triangles renumbered."""
    used = np.zeros(len(points), dtype=bool)
    used[triangles.ravel()] = True
    numbers = np.cumsum(used, dtype=np.intp) - 1
    return points[used], numbers[triangles]


def weld(points: Floats, tolerance: float) -> tuple[Floats, Ints]:
    """Points (m, 3) with those within a tolerance of each other made one, and the new index (n,) of each
    point.

    The first of the points that are merged stands for all of them.
    """
    order = np.lexsort(points.T)
    ordered = points[order]
    first = np.concatenate([[True], np.any(ordered[1:] != ordered[:-1], axis=1)])
    labels = np.empty(len(points), dtype=np.intp)
    labels[order] = np.cumsum(first) - 1
    distinct = ordered[first]
    pairs = cKDTree(distinct, balanced_tree=False, compact_nodes=False).query_pairs(
        tolerance, output_type="ndarray"
    )
    if len(pairs):
        labels = _components(pairs, len(distinct))[labels]
    return _representatives(points, labels)


def _representatives(points: Floats, labels: Ints) -> tuple[Floats, Ints]:
    """The first point of each label, in the points' own order, and the labels renumbered to match."""
    _, first, inverse = np.unique(labels, return_index=True, return_inverse=True)
    rank = np.empty(len(first), dtype=np.intp)
    rank[np.argsort(first)] = np.arange(len(first))
    return points[np.sort(first)], rank[inverse.ravel()]


def _components(pairs: Ints, count: int) -> Ints:
    graph = coo_array((np.ones(len(pairs), dtype=bool), (pairs[:, 0], pairs[:, 1])), shape=(count, count))
    labels: Ints = connected_components(graph, directed=False)[1].astype(np.intp)
    return labels


def without_needles(points: Floats, triangles: Ints, width: float) -> Ints:
    """The triangles (m, 3) higher than a width above their longest side; see step 2 of the module.

    A needle's neighbour over its longest side is split at the needle's third corner, unless two needles ask
    for the same neighbour at once; those wait for the next of at most SPLIT_ROUNDS rounds.
    """
    for _ in range(SPLIT_ROUNDS):
        triangles = triangles[_distinct_corners(triangles)]
        needle, longest = _needles(points, triangles, width)
        if not np.any(needle):
            return triangles
        split = _split_neighbours(triangles, needle, longest)
        if split is None:
            break
        triangles = split
    triangles = triangles[_distinct_corners(triangles)]
    return triangles[~_needles(points, triangles, width)[0]]


def _distinct_corners(triangles: Ints) -> Bools:
    distinct: Bools = np.all(triangles != np.roll(triangles, 1, axis=1), axis=1)
    return distinct


def _needles(points: Floats, triangles: Ints, width: float) -> tuple[Bools, Ints]:
    """Whether triangles (t,) are lower than a width, and which corner (t,) begins the longest side."""
    corners = points[triangles]
    sides = np.roll(corners, -1, axis=1) - corners
    lengths = np.sqrt(np.einsum("tsi,tsi->ts", sides, sides))
    cross = np.cross(sides[:, 0], sides[:, 1])
    height = np.sqrt(np.einsum("ti,ti->t", cross, cross)) / np.maximum(
        lengths.max(axis=1), np.finfo(float).tiny
    )
    return height <= width, np.argmax(lengths, axis=1)


def _split_neighbours(triangles: Ints, needle: Bools, longest: Ints) -> Ints | None:
    """The triangles, needles taken out and their neighbours split; None where no needle has a neighbour."""
    faces, other = _splittable(triangles, needle, longest)
    if len(faces) == 0:
        return None
    neighbour, side = other // 3, other % 3
    middle = triangles[faces, (longest[faces] + 2) % 3]
    a, b, c = (triangles[neighbour, (side + shift) % 3] for shift in range(3))
    halves = np.concatenate([np.stack([a, middle, c], axis=1), np.stack([middle, b, c], axis=1)])
    gone = np.zeros(len(triangles), dtype=bool)
    gone[faces] = gone[neighbour] = True
    split: Ints = np.concatenate([triangles[~gone], halves])
    return split


def _splittable(triangles: Ints, needle: Bools, longest: Ints) -> tuple[Ints, Ints]:
    """Needles (s,) and the sides (s,) of sound triangles across their longest sides, each triangle once."""
    table = edge_table(triangles)
    first, second = table.sides[table.paired].T
    partner = np.full(3 * len(triangles), -1, dtype=np.intp)
    partner[first], partner[second] = second, first
    faces = np.flatnonzero(needle)
    other = partner[3 * faces + longest[faces]]
    sound = (other >= 0) & ~needle[other // 3]
    faces, other = faces[sound], other[sound]
    _, once = np.unique(other // 3, return_index=True)
    return faces[once], other[once]


def without_doubles(triangles: Ints) -> Ints:
    """The triangles (m, 3) with one kept, the first, of those with the same corners in any order."""
    ordered = np.sort(triangles, axis=1)
    order = np.lexsort(ordered.T)
    ordered = ordered[order]
    first = np.concatenate([[True], np.any(ordered[1:] != ordered[:-1], axis=1)])
    single: Ints = triangles[np.sort(order[first])]
    return single
