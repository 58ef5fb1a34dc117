"""Points that are one but for rounding, made one.

Only points whose places along one direction in general position differ by no more than the tolerance can be
within it; in a mesh without doubled vertices hardly any do. The others need not be searched.

From a soup of triangles to a mesh whose topology can be read off its indices.

Artists' meshes have split vertices, doubled faces and triangles of no area. In order:

1. leave out vertices that no triangle uses, and triangles at places that are not numbers;
2. weld vertices nearer than WELD times the box's diagonal, float32 copies of one point (mesh_welding);
3. drop triangles with a repeated corner, and needles, whose normals are noise (mesh_needles);
4. keep one of each set of triangles with the same corners, as in a sheet with both its sides (mesh_doubles).

Everything is sorting and labelling of arrays; there is no loop over triangles. What was done is told in
notes, one for each kind of dirt.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from scipy.spatial import cKDTree

from ..arrays import Bools, Floats, Ints, box_of, chosen
from ..errors import MeshError
from .duplicate_faces import single_triangles
from .edges import components
from .sliver_triangles import distinct_corners, needles, without_needles

_DIRECTION = np.array([0.5377, 0.6811, 0.4972])  # in general position to what is modelled on axes and grids


def weld(points: Floats, tolerance: float) -> tuple[Floats, Ints]:
    """Points (m, 3) with those within a tolerance of each other made one, and the new index (n,) of each
    point.

    The first of the points that are merged stands for all of them.
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
    """The points (s,), increasing, that may be within the tolerance of another."""
    along = points @ (_DIRECTION / np.linalg.norm(_DIRECTION))
    order = _order(along)
    rounding = 8.0 * np.finfo(np.float64).eps * float(np.abs(points).max())
    near = np.diff(along[order]) <= tolerance + rounding
    suspects = np.zeros(len(points), dtype=bool)
    suspects[order[:-1][near]] = suspects[order[1:][near]] = True
    return np.flatnonzero(suspects)


def _order(values: Floats) -> Ints:
    """The order (n,) of values (n,).

    Whole numbers below 65536 are counted, not compared, and what lies almost in order is soon sorted.
    """
    low, high = float(values.min()), float(values.max())
    rough = (values - low) / (high - low) * 65535.0 if high > low else values - low
    order = np.argsort(rough.astype(np.uint16), kind="stable")
    return order[np.argsort(values[order], kind="stable")]


def _merged(points: Floats, tolerance: float) -> Ints:
    """For each point (n,) the first one it is merged with, itself if none."""
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
        labels = components(pairs, len(distinct))[labels]
    foremost = np.full(int(labels.max()) + 1, len(points))
    np.minimum.at(foremost, labels, np.arange(len(points)))
    return foremost[labels]


WELD = 1e-7  # of the diagonal of the bounding box: float32 resolves 6e-8 of the largest coordinate


@dataclass(frozen=True, eq=False)
class CleanMesh:
    """Points (n, 3), triangles (t, 3) of distinct corners and with area; and what was done to get there.

    two_sided (t,): the triangles that were there both ways round. width: what counts as no distance.
    """

    points: Floats
    triangles: Ints
    two_sided: Bools
    width: float
    notes: tuple[str, ...]

    def single(self, kept: Bools, two_sided: Bools) -> CleanMesh:
        """The mesh of its triangles that are kept (t,), the others being doubles of theirs."""
        note = f"{int((~kept).sum())} triangles of doubled faces merged"
        points, triangles = _used(self.points, self.triangles[kept])
        return replace(
            self, points=points, triangles=triangles, two_sided=two_sided[kept], notes=(*self.notes, note)
        )


def clean(points: Floats, triangles: Ints, name: str) -> CleanMesh:
    """Leave out, weld, drop, merge: points (n, 3), triangles (t, 3). Raises MeshError (no faces, none of
    finite numbers, no size, no area).
    """
    _check(points, triangles, name)
    named, faces = _used(points, triangles)
    used, kept = _finite(named, faces, name)
    width = WELD * _diagonal(used, name)
    welded, labels = weld(used, width)
    corners = kept if len(welded) == len(used) else labels[kept]
    distinct = chosen(corners, distinct_corners(corners))
    needle = needles(welded, distinct, width)
    first, two_sided = single_triangles(distinct, np.zeros(len(distinct), dtype=bool))
    doubled = len(distinct) - len(first)
    sound = distinct[first] if doubled else distinct
    if needle.any():
        sound, two_sided, more = _without_needles(welded, sound, two_sided, width)
        doubled += more
    if len(sound) == 0:
        raise MeshError(name, "all its triangles have no area", "give the object a face with some width")
    counts = {
        "vertices that belong to no face left out": len(points) - len(named),
        "faces left out that have no place (not a finite number)": len(faces) - len(kept),
        "doubled vertices merged": len(used) - len(welded),
        "triangles of no area dropped": len(corners) - int((~needle).sum()),
        "doubled faces merged": doubled,
    }
    notes = tuple(f"{count} {what}" for what, count in counts.items() if count)
    return CleanMesh(*_used(welded, sound), two_sided, width, notes)


def _without_needles(
    points: Floats, triangles: Ints, two_sided: Bools, width: float
) -> tuple[Ints, Bools, int]:
    """The triangles (m, 3) with area, each once, whether they lie both ways round, and how many parts of
    others turned out to lie there, too.
    """
    sound, source = without_needles(points, triangles, width)
    first, both = single_triangles(sound, two_sided[source])
    return sound[first], both, len(sound) - len(first)


def _check(points: Floats, triangles: Ints, name: str) -> None:
    if len(triangles) == 0 or len(points) == 0:
        raise MeshError(name, "it has no faces", "add faces, or leave the object out")
    if triangles.min() < 0 or triangles.max() >= len(points):
        raise MeshError(name, f"a face names a vertex that is not among its {len(points)}", "repair the mesh")


def _used(points: Floats, triangles: Ints) -> tuple[Floats, Ints]:
    """The points that triangles use, in their old order, and the triangles renumbered."""
    used = np.zeros(len(points), dtype=bool)
    used[triangles.ravel()] = True
    if used.all():
        return points, triangles
    numbers = np.cumsum(used, dtype=np.intp) - 1
    return points[used], numbers[triangles]


def _finite(points: Floats, triangles: Ints, name: str) -> tuple[Floats, Ints]:
    """The triangles whose corners are finite numbers, and the points they use."""
    finite: Bools = np.asarray(np.isfinite(points).all(axis=1))
    if finite.all():
        return points, triangles
    sound = triangles[finite[triangles].all(axis=1)]
    if len(sound) == 0:
        remedy = "repair or delete these vertices"
        raise MeshError(name, "each of its faces has a vertex that is not finite numbers", remedy)
    return _used(points, sound)


def _diagonal(points: Floats, name: str) -> float:
    """The diagonal of the box of points (n, 3)."""
    lower, upper = box_of(points)
    diagonal = float(np.linalg.norm(upper - lower))
    if not 0.0 < diagonal < np.inf:
        raise MeshError(name, "it has no size", "check the object's scale")
    return diagonal
