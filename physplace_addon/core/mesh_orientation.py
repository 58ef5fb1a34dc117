"""Which side of a mesh is out: neighbours made to agree, shells turned so that they enclose their volume.

Two triangles on one edge agree when they run along it in opposite directions. Give each triangle two nodes,
as it is and turned over; join the nodes that agree across each edge where two triangles meet. A piece of
surface can be oriented exactly if no triangle's two nodes are connected; then either of the piece's two
components is a choice, and the one that turns fewer triangles is taken. A piece like a Moebius strip stays as
it is.

The faces bound a solid if on every edge as many sides run one way as the other; four faces may meet where
parts of the solid touch. A shell is a set of faces connected through edges. One whose signed volume is
negative is turned over, unless it lies within the box of a shell of positive volume: that is a cavity.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components

from .arrays import Bools, Floats, Ints
from .mass import areas, signed_volumes
from .mesh_edges import EdgeTable, edge_table

LEAST_VOLUME = 1e-8  # of area times diagonal; the weld leaves no real solid thinner than that


@dataclass(frozen=True, eq=False)
class Orientation:
    """Triangles (t, 3) turned to agree, their edges, whether they bound a solid, and what was done."""

    triangles: Ints
    edges: EdgeTable
    closed: bool
    notes: tuple[str, ...]


def oriented(points: Floats, triangles: Ints) -> Orientation:
    """Orient a clean mesh, points (n, 3), triangles (t, 3) of distinct corners."""
    notes: list[str] = []
    edges = edge_table(triangles)
    if np.any(edges.paired & (edges.balance != 0)):
        turned = _disagreeing(edges, len(triangles))
        triangles, edges = _turned(triangles, turned)
        notes.append(f"{int(turned.sum())} faces turned to agree with their neighbours")
    if not edges.closed:
        return Orientation(triangles, edges, False, tuple(notes))
    turned = _inside_out(points[triangles] - points.mean(axis=0), edges)
    if np.any(turned):
        triangles, edges = _turned(triangles, turned)
        notes.append(f"{int(turned.sum())} faces of inside-out shells turned over")
    return Orientation(triangles, edges, _encloses(points, triangles), tuple(notes))


def _turned(triangles: Ints, turned: Bools) -> tuple[Ints, EdgeTable]:
    """The triangles with some of them (t,) turned over, and their edges."""
    result = np.where(turned[:, None], triangles[:, ::-1], triangles)
    return result, edge_table(result)


def _disagreeing(edges: EdgeTable, count: int) -> Bools:
    """Which triangles (t,) to turn over so that neighbours agree, the fewest of each piece."""
    first, second = edges.faces[edges.paired].T
    shift = np.where(edges.balance[edges.paired] == 0, 0, count)
    rows = np.concatenate([first, first + count])
    columns = np.concatenate([second + shift, (second + count + shift) % (2 * count)])
    labels = _labels(rows, columns, 2 * count)
    upright, turned = labels[:count], labels[count:]
    kept = np.bincount(upright, minlength=int(labels.max()) + 1)
    disagreeing: Bools = (kept[turned] > kept[upright]) | (
        (kept[turned] == kept[upright]) & (turned < upright)
    )
    return disagreeing


def _labels(rows: Ints, columns: Ints, count: int) -> Ints:
    graph = coo_array((np.ones(len(rows), dtype=bool), (rows, columns)), shape=(count, count))
    labels: Ints = connected_components(graph, directed=False)[1].astype(np.intp)
    return labels


def _inside_out(corners: Floats, edges: EdgeTable) -> Bools:
    """Which triangles (t,) belong to shells to be turned over; corners (t, 3, 3) near the origin."""
    first = np.repeat(edges.faces[:, 0], edges.count)
    labels = _labels(first, edges.order // 3, len(corners))
    volumes = np.bincount(labels, weights=signed_volumes(corners))
    sign = 1.0 if volumes.sum() >= 0.0 else -1.0
    negative = np.flatnonzero(sign * volumes < 0.0)
    turned = np.full(len(volumes), sign < 0.0)
    if len(negative):
        lower, upper = _boxes(corners, labels)
        inside = _within_any(lower, upper, negative, np.flatnonzero(sign * volumes > 0.0))
        turned[negative[~inside]] = sign > 0.0
    flipped: Bools = turned[labels]
    return flipped


def _boxes(corners: Floats, labels: Ints) -> tuple[Floats, Floats]:
    """The boxes (s, 3), (s, 3) of shells: triangles (t, 3, 3) with labels (t,)."""
    order = np.argsort(labels, kind="stable")
    begins = np.flatnonzero(np.diff(labels[order], prepend=-1))
    lower = np.minimum.reduceat(corners.min(axis=1)[order], begins)
    upper = np.maximum.reduceat(corners.max(axis=1)[order], begins)
    return lower, upper


def _within_any(lower: Floats, upper: Floats, inner: Ints, outer: Ints) -> Bools:
    """Whether boxes `inner` (i,) lie strictly within any of the boxes `outer` (o,)."""
    inside = np.zeros(len(inner), dtype=bool)
    for box in outer[np.argsort(-np.prod(upper[outer] - lower[outer], axis=1))][:64]:
        inside |= np.all((lower[inner] > lower[box]) & (upper[inner] < upper[box]), axis=1)
    return inside


def _encloses(points: Floats, triangles: Ints) -> bool:
    """Whether a closed mesh encloses a volume that is more than rounding."""
    corners = points[triangles] - points.mean(axis=0)
    diagonal = float(np.linalg.norm(points.max(axis=0) - points.min(axis=0)))
    volume = float(signed_volumes(corners).sum())
    return volume > LEAST_VOLUME * diagonal * float(areas(corners).sum())
