"""Orientation: neighbours are made to agree, and shells are turned so that they enclose their volume.

Two triangles on one edge agree if they run along it in opposite directions.  Give each triangle two nodes of
a graph, one as it is and one turned over, and join the nodes that agree across each edge where two triangles
meet.  A connected piece of surface can be oriented if no triangle's two nodes are connected.  The piece then
has two components, and the one that turns fewer triangles is chosen.  A piece like a Moebius strip stays as
it is.

The faces bound a solid if on every edge as many sides run one way as the other; four faces may meet where
parts of the solid touch.  Its shells are then turned (`shells`).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..arrays import Bools, Floats, Ints, box_of
from .edges import EdgeTable, component_labels, edge_table, shell_labels
from .mass import areas
from .shells import LEAST_VOLUME, shells


@dataclass(frozen=True, eq=False)
class Orientation:
    """Triangles (t, 3) turned to agree, their edges, and whether they bound a solid.

    filled (t,): the triangles with matter on one side only, whose volume counts; all, if there is no solid.
    notes: what was changed.  borders: a note on open borders, empty if there are none.
    """

    triangles: Ints
    edges: EdgeTable
    closed: bool
    filled: Bools
    notes: tuple[str, ...]
    borders: str = ""


def oriented(points: Floats, triangles: Ints, two_sided: Bools) -> Orientation:
    """Return the orientation of a clean mesh: points (n, 3), triangles (t, 3) of distinct corners.

    Two-sided triangles (t,), which were there in both orientations, follow the others and are not counted.
    """
    notes: list[str] = []
    edges = edge_table(triangles)
    if np.any(edges.paired & (edges.balance != 0)):
        turned = _disagreeing(edges, two_sided)
        triangles, edges = _turned(triangles, turned)
        count = int((turned & ~two_sided).sum())
        notes += [f"{count} faces turned to agree with their neighbours"] if count else []
    everything = np.ones(len(triangles), dtype=bool)
    if not edges.closed:
        notes += _on_crowded(edges)
        return Orientation(triangles, edges, False, everything, tuple(notes), _on_borders(edges))
    lower, upper = box_of(points)
    corners = np.take(points - 0.5 * (lower + upper), triangles, axis=0)
    found = shells(corners, shell_labels(edges), two_sided)
    if found.volume <= LEAST_VOLUME * float(np.linalg.norm(upper - lower)) * float(areas(corners).sum()):
        return Orientation(triangles, edges, False, everything, tuple(notes))
    if np.any(found.turned):
        triangles, edges = _turned(triangles, found.turned)
    return Orientation(triangles, edges, True, found.filled, (*notes, *found.notes))


def _on_crowded(edges: EdgeTable) -> list[str]:
    several = int(np.sum((edges.count > 2) & (edges.balance != 0)))
    return [f"{several} edges have more than two faces"] if several else []


def _on_borders(edges: EdgeTable) -> str:
    border = edges.ends[edges.count == 1]
    if len(border) == 0:
        return ""
    count = len(np.unique(component_labels(border, int(border.max()) + 1)[border[:, 0]]))
    return f"{count} open borders, of {len(border)} edges"


def _turned(triangles: Ints, turned: Bools) -> tuple[Ints, EdgeTable]:
    """Return the triangles with some of them (t,) turned over, and their edges."""
    result = np.where(turned[:, None], triangles[:, ::-1], triangles)
    return result, edge_table(result)


def _disagreeing(edges: EdgeTable, two_sided: Bools) -> Bools:
    """Return which triangles (t,) to turn over so that neighbours agree.

    They are the smaller choice in each piece, where two-sided triangles (t,) do not count.
    """
    count = len(two_sided)
    first, second = edges.faces[edges.paired].T
    shift = np.where(edges.balance[edges.paired] == 0, 0, count)
    rows = np.concatenate([first, first + count])
    columns = np.concatenate([second + shift, (second + count + shift) % (2 * count)])
    labels = component_labels(np.stack([rows, columns], axis=1), 2 * count)
    upright, turned = labels[:count], labels[count:]
    kept = np.bincount(upright, weights=~two_sided, minlength=int(labels.max()) + 1)
    disagreeing: Bools = (kept[turned] > kept[upright]) | (
        (kept[turned] == kept[upright]) & (turned < upright)
    )
    return disagreeing
