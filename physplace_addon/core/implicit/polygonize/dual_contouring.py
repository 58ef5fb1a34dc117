"""A mesh of an implicit surface from a regular grid, fast enough to follow a surface that is changed.

Dual contouring (Ju, Losasso, Schaefer and Warren 2002) with the vertices of surface nets (Gibson 1998). Every
edge of the grid whose ends are on different sides of the surface, F < 0 and F >= 0, is crossed by it: there
the four cells about the edge are joined by a quadrilateral. Every cell with such an edge has one vertex, in
the mean of the crossings of its edges and then on the surface by Newton's steps.

Where the normals n_i at a cell's crossings p_i differ much, the surface has a crease or a corner there. The
vertex is then where the planes meet best: with c the mean of the p_i, it is c + d for which

    (sum n_i n_i' + lambda 1) d = sum n_i (n_i . (p_i - c)).

Only cells that proven ranges of F do not exclude are looked at. So no part is lost that a cell cannot hold.
The mesh is closed and oriented; where two sheets of the surface share a cell they share its vertex, so that
it need not be manifold there. `triangulation` makes meshes that are.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ...arrays import Bools, Floats, Ints
from ...vectors import cross, dot, length
from ..functions.base import ImplicitFunction
from ..projection import projected
from ..uniform_grid import OCTANTS, cell_numbers

_OFFSET = 0.3819660112501051  # cells by which the grid is off the box: symmetric surfaces meet no corner
_BLOCK = 4  # cells along a side of the blocks that ranges exclude
_COARSEST = 32  # cells along a side of the first blocks
_DAMPING = 0.02  # lambda: pulls the vertex to the mean in directions that no plane tells
_CREASED = 0.12  # 1 less the length of the mean normal, in cells with a crease: two normals 57 deg apart
_ROUNDS = 2  # Newton steps of the vertices; from half a cell off, they leave the cell's size to the fourth
_APART = 0.8  # cosine between the normals of a vertex and of its face below which the face's side counts
_INWARDS = 0.25  # share of the way to the face's centre at which the normal of its side is taken
# the four cells about an edge along each axis, in the order of a quadrilateral seen along the axis
_AROUND = np.array(
    [
        [[0, 0, 0], [0, -1, 0], [0, -1, -1], [0, 0, -1]],
        [[0, 0, 0], [0, 0, -1], [-1, 0, -1], [-1, 0, 0]],
        [[0, 0, 0], [-1, 0, 0], [-1, -1, 0], [0, -1, 0]],
    ]
)


@dataclass(frozen=True, eq=False)
class GridMesh:
    """A mesh of quadrilaterals; lengths in scene units.

    Attributes:
        points: the vertices (n, 3), on the surface.
        quads: their numbers (q, 4), counter-clockwise seen from outside.
        normals: the surface's unit normals (q, 4, 3) at the corners of the quads; on both sides of a crease
            each its own.
        creased: whether they differ at a vertex anywhere.
    """

    points: Floats
    quads: Ints
    normals: Floats
    creased: bool


def grid_mesh(function: ImplicitFunction, box: Floats, spacing: float) -> GridMesh:
    """Return a mesh of the surface within a box (2, 3); it is open where the box cuts the surface off.

    Args:
        function: F.
        box: the lowest and the highest corner; finite. Without a surface the lowest is above the highest.
        spacing: the size of a cell, in scene units, above 0.
    """
    if (box[0] > box[1]).any():
        return _without_surface()
    counts = np.ceil((box[1] - box[0]) / spacing).astype(np.intp) + 3
    origin = box[0] - (1.0 + _OFFSET) * spacing
    inside, value, known = _corner_values(function, origin, spacing, counts)
    edges, places = _crossed_edges(inside, value, known)
    if not len(places):
        return _without_surface()
    cells, corners = _cells_around(edges, counts)
    places = origin + spacing * places
    points = _vertices(places, _unit_normals(function, places), corners, len(cells), spacing)
    points = projected(function, points, 0.5 * spacing, _ROUNDS)
    whole = (corners >= 0).all(axis=1)
    turned = inside.ravel()[np.ravel_multi_index(tuple(edges[whole, :3].T), inside.shape)]
    quads = np.where(turned[:, None], corners[whole], corners[whole, ::-1])
    return GridMesh(points, quads, *_corner_normals(function, points, quads))


def _without_surface() -> GridMesh:
    return GridMesh(np.zeros((0, 3)), np.zeros((0, 4), dtype=np.intp), np.zeros((0, 4, 3)), False)


def _corner_values(
    function: ImplicitFunction, origin: Floats, spacing: float, counts: Ints
) -> tuple[Bools, Floats, Bools]:
    """Return F at the grid's corners near the surface.

    Returns:
        Which corners (a, b, c) are inside, F there, and where F is known, each of the grid's shape.
    """
    blocks = _blocks_near(function, origin, spacing, counts)
    shape = tuple((counts + 1).tolist())
    known = np.zeros(shape, dtype=np.bool_)
    steps = cell_numbers(np.full(3, _BLOCK + 1.0)).astype(np.intp)
    numbers = (_BLOCK * blocks[:, None] + steps).reshape(-1, 3)
    numbers = numbers[(numbers <= counts).all(axis=1)]
    known[tuple(numbers.T)] = True
    value = np.zeros(shape)
    value[known] = function.value(origin + spacing * np.argwhere(known))
    return value < 0.0, value, known


def _blocks_near(function: ImplicitFunction, origin: Floats, spacing: float, counts: Ints) -> Ints:
    """Return the numbers (k, 3) of the blocks of cells that the surface may cross."""
    size = _COARSEST
    blocks = cell_numbers(np.ceil(counts / size))
    while True:
        low = origin + spacing * size * blocks
        blocks = blocks[function.may_cross(low, low + spacing * size)]
        if size <= _BLOCK:
            return blocks.astype(np.intp)
        blocks, size = (2.0 * blocks[:, None] + OCTANTS).reshape(-1, 3), size // 2
        blocks = blocks[(size * blocks < counts).all(axis=1)]


def _crossed_edges(inside: Bools, value: Floats, known: Bools) -> tuple[Ints, Floats]:
    """Return the edges that the surface crosses.

    Returns:
        The lower corner and the axis (e, 4) of each, and the places (e, 3), in cells, where F is 0 if it is
        linear along the edge.
    """
    edges, places = [], []
    for axis in range(3):
        low, high = (
            tuple(part if i == axis else slice(None) for i in range(3))
            for part in (slice(None, -1), slice(1, None))
        )
        crossed = (inside[low] != inside[high]) & known[low] & known[high]
        corner = np.argwhere(crossed)
        first, second = value[low][crossed], value[high][crossed]
        place = corner.astype(np.float64)
        place[:, axis] += first / (first - second)
        edges.append(np.column_stack([corner, np.full(len(corner), axis)]))
        places.append(place)
    return np.concatenate(edges), np.concatenate(places)


def _cells_around(edges: Ints, counts: Ints) -> tuple[Ints, Ints]:
    """Return the cells with a crossed edge, and which of them are about each edge.

    Returns:
        The cells (c,), and for each edge (e, 4) the positions of its four cells among them, -1 for none.
    """
    cells = edges[:, None, :3] + _AROUND[edges[:, 3]]
    there = ((cells >= 0) & (cells < counts)).all(axis=-1)
    flat = np.ravel_multi_index(tuple(np.moveaxis(cells, -1, 0)), tuple(counts.tolist()), mode="clip")
    number = np.full(int(np.prod(counts)), -1, dtype=np.intp)
    number[flat[there]] = 0
    used = np.flatnonzero(number == 0)
    number[used] = np.arange(len(used))
    return used, np.where(there, number[flat], -1)


def _unit_normals(function: ImplicitFunction, places: Floats) -> Floats:
    """Return the directions (e, 3) of F_x at places (e, 3); 0 where F_x is."""
    return _unit(function.gradient(places)[1])


def _unit(vectors: Floats) -> Floats:
    """Return vectors (n, 3) of unit length; 0 where one has none."""
    size = length(vectors)
    unit: Floats = vectors / np.where(size > 0.0, size, 1.0)[:, None]
    return unit


def _vertices(places: Floats, normals: Floats, corners: Ints, count: int, spacing: float) -> Floats:
    """Return a vertex (c, 3) for each cell, from the crossings (e, 3) of its edges and the normals there."""
    edge, side = np.nonzero(corners >= 0)
    cell = corners[edge, side]
    number = np.bincount(cell, minlength=count).astype(np.float64)
    points, mean = (
        np.stack([np.bincount(cell, own[edge, i], count) for i in range(3)], axis=1) / number[:, None]
        for own in (places, normals)
    )
    creased = np.flatnonzero(1.0 - length(mean) > _CREASED)
    if len(creased):
        points[creased] += _towards_creases(places, normals, points, (edge, cell), creased, spacing)
    return points


def _towards_creases(
    places: Floats, normals: Floats, points: Floats, pairs: tuple[Ints, Ints], creased: Ints, spacing: float
) -> Floats:
    """Return the steps (k, 3) from the means to where the planes of creased cells (k,) meet best."""
    local = np.full(len(points), -1, dtype=np.intp)
    local[creased] = np.arange(len(creased))
    edge, cell = pairs
    own = local[cell] >= 0
    edge, cell = edge[own], cell[own]
    n, which = normals[edge], local[cell]
    off = dot(n, places[edge] - points[cell])
    matrix = np.zeros((len(creased), 3, 3))
    right = np.zeros((len(creased), 3))
    np.add.at(matrix, which, n[:, :, None] * n[:, None, :])
    np.add.at(right, which, off[:, None] * n)
    step = np.linalg.solve(matrix + _DAMPING * np.eye(3), right[..., None])[..., 0]
    return np.asarray(np.clip(step, -spacing, spacing))


def _corner_normals(function: ImplicitFunction, points: Floats, quads: Ints) -> tuple[Floats, bool]:
    """Return unit normals (q, 4, 3) at the corners of quads, and whether there is any crease.

    At a crease they are those of the quad's own side.
    """
    normals = _unit_normals(function, points)[quads]
    corners = points[quads]
    flat = _unit(cross(corners[:, 2] - corners[:, 0], corners[:, 3] - corners[:, 1]))
    quad, corner = np.nonzero(np.einsum("qci,qi->qc", normals, flat) < _APART)
    if len(quad):
        middle = corners[quad].mean(axis=1)
        near = corners[quad, corner] + _INWARDS * (middle - corners[quad, corner])
        own = _unit_normals(function, near)
        normals[quad, corner] = np.where((dot(own, flat[quad]) > 0.0)[:, None], own, flat[quad])
    return normals, len(quad) > 0
