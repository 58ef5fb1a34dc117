"""From a cage to the limit over each of its quadrilaterals: a tree of Bezier nets and ready parts.

A quadrilateral that is neither regular nor ready (see `neighbourhoods`) is refined into four, again and
again; each round takes only such faces and those around them.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from ...arrays import Floats, Ints
from ...errors import SurfaceError
from ..bezier.nets import BezierNets
from .cage import Cage, cage_around
from .extraordinary import bezier_nets, powers_of
from .neighbourhoods import (
    Corners,
    VertexFan,
    control_grids,
    corners_of,
    fans_of,
    ready_corners,
    regular_faces,
)
from .nets import LimitNets, Tips, Tree
from .refinement import refine

KIND = "subdivision"  # the name of this kind of surface in errors
# Refinements: ten until all sharpness has gone, and some to part the extraordinary vertices of one face.
_MOST = 16


@dataclass(eq=False)
class _Growing:
    """A tree being built: columns of nodes, nets, and the neighbourhoods of ready parts by fan."""

    child: list[Ints] = field(default_factory=list)
    net: list[Ints] = field(default_factory=list)
    fan: list[Ints] = field(default_factory=list)
    row: list[Ints] = field(default_factory=list)
    corner: list[Ints] = field(default_factory=list)
    nets: list[Floats] = field(default_factory=list)
    fans: dict[VertexFan, list[Floats]] = field(default_factory=dict)
    count: int = 0
    net_count: int = 0

    def add(self, cage: Cage, points: Floats, faces: Ints) -> Ints:
        """Add nodes for some faces (m,) of a cage of quadrilaterals, and return those to be cut in four."""
        corners = corners_of(cage)
        regular = regular_faces(corners, cage)[faces]
        corner = np.where(regular, -1, ready_corners(corners, cage)[faces])
        rest = np.flatnonzero(~regular & (corner < 0))
        self.count += len(faces)
        child, net = np.full(len(faces), -1), np.full(len(faces), -1)
        child[rest] = self.count + 4 * np.arange(len(rest))
        net[regular] = self.net_count + np.arange(int(regular.sum()))
        self.net_count += int(regular.sum())
        self.nets.append(bezier_nets(control_grids(cage, points, faces[regular])))
        ready = np.flatnonzero(corner >= 0)
        half = 4 * faces[ready] + corner[ready]
        fan, row = self._tips(cage, corners, points, half)
        for column, values in ((self.child, child), (self.net, net), (self.corner, corner)):
            column.append(values)
        for column, values in ((self.fan, fan), (self.row, row)):
            column.append(np.full(len(faces), -1))
            column[-1][ready] = values
        return faces[rest]

    def _tips(self, cage: Cage, corners: Corners, points: Floats, half: Ints) -> tuple[Ints, Ints]:
        number, row = np.empty(len(half), dtype=np.intp), np.empty(len(half), dtype=np.intp)
        for fan, (members, vertices) in fans_of(cage, corners, half).items():
            known = self.fans.setdefault(fan, [])
            number[members] = list(self.fans).index(fan)
            row[members] = sum(map(len, known)) + np.arange(len(members))
            known.append(points[vertices])
        return number, row

    def done(self, quads: int) -> LimitNets:
        """Return the limit over the first `quads` nodes, with all that has been added."""
        tree = Tree(*(np.concatenate(c) for c in (self.child, self.net, self.fan, self.row, self.corner)))
        tips = [Tips.of(powers_of(fan), np.concatenate(points)) for fan, points in self.fans.items()]
        control = np.concatenate(self.nets).reshape(-1, 4, 4, 3)
        leaves = BezierNets(control, np.zeros(len(control), dtype=np.bool_))
        return LimitNets(leaves, np.zeros(quads, dtype=np.bool_), np.arange(quads), tree, tuple(tips))


def limit_of(cage: Cage, points: Floats) -> LimitNets:
    """Return the limit over all faces of a prepared cage of quadrilaterals, points (nv, 3).

    Raises:
        SurfaceError: for a cage whose extraordinary vertices sixteen refinements do not part.
    """
    growing, quads = _Growing(), len(cage.sizes)
    faces = np.arange(quads)
    for _ in range(_MOST):
        rest = growing.add(cage, points, faces)
        if not len(rest):
            return growing.done(quads)
        part, _, vertices = cage_around(cage, rest)
        cage, matrix = refine(part)
        points = matrix @ points[vertices]
        faces = np.arange(4 * len(rest))
    raise SurfaceError(KIND, "cage", "its corners cannot be told apart", "simplify it where many faces meet")
