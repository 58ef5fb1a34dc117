"""Cleaning: from a soup of triangles to a mesh whose topology can be read off its indices.

Artists' meshes have split vertices, duplicate faces and triangles without area.  In this order:

1. leave out vertices that no triangle uses, and triangles with coordinates that are not finite;
2. weld vertices nearer than WELD times the box's diagonal, which are float32 copies of one point;
3. drop triangles with a repeated corner, and slivers, whose normals are noise (`sliver_triangles`);
4. keep one of each set of triangles with the same corners, such as both sides of a sheet (`duplicate_faces`).

Everything is sorting and labelling of arrays, without a loop over triangles.  Notes say what was changed.

Welding: only points whose heights along one direction differ by no more than the tolerance can be that near
to each other.  The direction is in general position, so in a mesh without duplicate vertices hardly any
points are left to search.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from scipy.spatial import cKDTree

from ..arrays import Bools, Floats, Ints, box_of, chosen
from ..errors import MeshError
from .duplicate_faces import unique_triangles
from .edges import component_labels
from .sliver_triangles import are_slivers, distinct_corners, without_slivers

_DIRECTION = np.array([0.5377, 0.6811, 0.4972])
"""A direction in general position to what is modelled on axes and grids."""

PLACELESS = "faces left out that have no place (not a finite number)"
"""How the note ends on faces with a vertex that is nowhere."""

WELD = 1e-7
"""Distance of points that are one, over the bounding box's diagonal.  float32 resolves 6e-8 of a
coordinate."""


def weld(points: Floats, tolerance: float) -> tuple[Floats, Ints]:
    """Return points (m, 3) without those within a tolerance of others, and the new index (n,) of each point.

    Args:
        points: (n, 3).  Of points that are merged, the first is kept.
        tolerance: a length.
    """
    some = _suspects(points, tolerance)
    labels = np.arange(len(points))
    if len(some) == 0:
        return points, labels
    labels[some] = some[_merged(points[some], tolerance)]
    kept = labels == np.arange(len(points))
    numbers = np.cumsum(kept, dtype=np.intp) - 1
    return points[kept], numbers[labels]


def _suspects(points: Floats, tolerance: float) -> Ints:
    """Return the points (s,), increasing, that may be within the tolerance of another."""
    along = points @ (_DIRECTION / np.linalg.norm(_DIRECTION))
    order = _order(along)
    rounding = 8.0 * np.finfo(np.float64).eps * float(np.abs(points).max())
    near = np.diff(along[order]) <= tolerance + rounding
    suspects = np.zeros(len(points), dtype=bool)
    suspects[order[:-1][near]] = suspects[order[1:][near]] = True
    return np.flatnonzero(suspects)


def _order(values: Floats) -> Ints:
    """Return the order (n,) of values (n,).

    numpy sorts 16-bit integers by counting, and an array that is almost in order in few passes.
    """
    low, high = float(values.min()), float(values.max())
    rough = (values - low) / (high - low) * 65535.0 if high > low else values - low
    order = np.argsort(rough.astype(np.uint16), kind="stable")
    return order[np.argsort(values[order], kind="stable")]


def _merged(points: Floats, tolerance: float) -> Ints:
    """Return for each point (n,) the first one that it is merged with, itself if there is none."""
    order = np.lexsort(points.T)
    ordered = points[order]
    first = np.concatenate([[True], (ordered[1:] != ordered[:-1]).any(axis=1)])
    labels = np.empty(len(points), dtype=np.intp)
    labels[order] = np.cumsum(first) - 1
    distinct = ordered[first]
    pairs = cKDTree(distinct, balanced_tree=False, compact_nodes=False).query_pairs(
        tolerance, output_type="ndarray"
    )
    if len(pairs):
        labels = component_labels(pairs, len(distinct))[labels]
    foremost = np.full(int(labels.max()) + 1, len(points))
    np.minimum.at(foremost, labels, np.arange(len(points)))
    return foremost[labels]


@dataclass(frozen=True, eq=False)
class CleanMesh:
    """Points (n, 3) and triangles (t, 3) with distinct corners and with area.

    two_sided (t,): triangles that were there in both orientations.  width: a length that counts as zero.
    notes: what was changed.
    """

    points: Floats
    triangles: Ints
    two_sided: Bools
    width: float
    notes: tuple[str, ...]

    def without_duplicates(self, kept: Bools, two_sided: Bools) -> CleanMesh:
        """Return the mesh of the triangles (t,) to keep; the others are duplicates of them."""
        note = f"{int((~kept).sum())} triangles of doubled faces merged"
        return self._of(kept, two_sided, note)

    def without_walls(self, walls: Bools) -> CleanMesh:
        """Return the mesh without some triangles (t,), which are walls inside of it."""
        return self._of(~walls, self.two_sided, f"{int(walls.sum())} triangles of walls inside left out")

    def _of(self, kept: Bools, two_sided: Bools, note: str) -> CleanMesh:
        points, triangles = used_points(self.points, self.triangles[kept])
        return replace(
            self, points=points, triangles=triangles, two_sided=two_sided[kept], notes=(*self.notes, note)
        )


def clean(points: Floats, triangles: Ints, name: str) -> CleanMesh:
    """Return the clean mesh of points (n, 3) and triangles (t, 3).

    Raises:
        MeshError: no faces, none with finite coordinates, no size, or no area.
    """
    _check(points, triangles, name)
    named, faces = used_points(points, triangles)
    used, kept = _finite(named, faces, name)
    width = WELD * _diagonal(used, name)
    welded, labels = weld(used, width)
    corners = kept if len(welded) == len(used) else labels[kept]
    distinct = chosen(corners, distinct_corners(corners))
    sliver = are_slivers(welded, distinct, width)
    first, two_sided = unique_triangles(distinct, np.zeros(len(distinct), dtype=bool))
    doubled = len(distinct) - len(first)
    sound = distinct[first] if doubled else distinct
    kept_slivers = 0
    if sliver.any():
        sound, two_sided, more = _without_slivers(welded, sound, two_sided, width)
        doubled += more
        kept_slivers = int(are_slivers(welded, sound, width).sum())
    if len(sound) == 0:
        raise MeshError(name, "all its triangles have no area", "give the object a face with some width")
    counts = {
        "vertices that belong to no face left out": len(points) - len(named),
        PLACELESS: len(faces) - len(kept),
        "doubled vertices merged": len(used) - len(welded),
        "triangles of no area dropped": len(corners) - int((~sliver).sum()) - kept_slivers,
        "doubled faces merged": doubled,
    }
    notes = tuple(f"{count} {what}" for what, count in counts.items() if count)
    return CleanMesh(*used_points(welded, sound), two_sided, width, notes)


def _without_slivers(
    points: Floats, triangles: Ints, two_sided: Bools, width: float
) -> tuple[Ints, Bools, int]:
    """Return the triangles (m, 3) with area, which (m,) are two-sided, and how many duplicates were dropped.

    Triangles that are split beside a sliver may become duplicates of others.
    """
    sound, source = without_slivers(points, triangles, width)
    first, both = unique_triangles(sound, two_sided[source])
    return sound[first], both, len(sound) - len(first)


def _check(points: Floats, triangles: Ints, name: str) -> None:
    if len(triangles) == 0 or len(points) == 0:
        raise MeshError(name, "it has no faces", "add faces, or leave the object out")
    if triangles.min() < 0 or triangles.max() >= len(points):
        raise MeshError(name, f"a face names a vertex that is not among its {len(points)}", "repair the mesh")


def used_points(points: Floats, triangles: Ints) -> tuple[Floats, Ints]:
    """Return the points that triangles use, in their old order, and the triangles renumbered."""
    used = np.zeros(len(points), dtype=bool)
    used[triangles.ravel()] = True
    if used.all():
        return points, triangles
    numbers = np.cumsum(used, dtype=np.intp) - 1
    return points[used], numbers[triangles]


def _finite(points: Floats, triangles: Ints, name: str) -> tuple[Floats, Ints]:
    """Return the points that triangles with finite corners use, and those triangles."""
    finite: Bools = np.asarray(np.isfinite(points).all(axis=1))
    if finite.all():
        return points, triangles
    sound = triangles[finite[triangles].all(axis=1)]
    if len(sound) == 0:
        remedy = "repair or delete these vertices"
        raise MeshError(name, "each of its faces has a vertex that is not finite numbers", remedy)
    return used_points(points, sound)


def _diagonal(points: Floats, name: str) -> float:
    """Return the diagonal, a length, of the bounding box of points (n, 3)."""
    lower, upper = box_of(points)
    diagonal = float(np.linalg.norm(upper - lower))
    if not 0.0 < diagonal < np.inf:
        raise MeshError(name, "it has no size", "check the object's scale")
    return diagonal
