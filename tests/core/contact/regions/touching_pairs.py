"""Random pairs of polyhedra with integer coordinates that touch and do not overlap.

Each maker puts the bodies together in its own way, so that all kinds of coincidence occur; a random integer
matrix then stretches both alike, which keeps what touches and makes slivers.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from itertools import combinations, permutations, product

import numpy as np

from tests.oracles.arrays import Ints
from tests.oracles.exact_polyhedron import Polyhedron

Tetrahedra = Ints  # (k, 4, 3)
Pair = tuple[Polyhedron, Polyhedron]


def polyhedron_of(cells: Tetrahedra) -> Polyhedron:
    """The boundary of the union of tetrahedra (k, 4, 3) that meet in whole faces, edges or vertices."""
    numbers: dict[tuple[int, int, int], int] = {}
    sides: Counter[tuple[int, ...]] = Counter()
    wound = {}
    for cell in cells.tolist():
        corners = [numbers.setdefault((x, y, z), len(numbers)) for x, y, z in cell]
        turned = np.linalg.det(np.subtract(cell[1:], cell[0])) < 0
        for a, b, c in ((0, 2, 1), (0, 1, 3), (1, 2, 3), (0, 3, 2)):
            side = corners[a], corners[c if turned else b], corners[b if turned else c]
            sides[tuple(sorted(side))] += 1
            wound[tuple(sorted(side))] = side
    triangles = [wound[side] for side, count in sides.items() if count == 1]
    used = sorted({p for triangle in triangles for p in triangle})
    place = {old: new for new, old in enumerate(used)}
    points = list(numbers)
    return Polyhedron(
        tuple(points[p] for p in used), tuple((place[a], place[b], place[c]) for a, b, c in triangles)
    )


def mapped(solid: Polyhedron, matrix: Ints, shift: Ints) -> Polyhedron:
    """The solid after an integer map."""
    points = (np.array(solid.points) @ matrix.T + shift).tolist()
    turned = np.linalg.det(matrix) < 0
    triangles = tuple((a, c, b) if turned else (a, b, c) for a, b, c in solid.triangles)
    return Polyhedron(tuple((x, y, z) for x, y, z in points), triangles)


def grid(counts: tuple[int, int, int], mirrored: bool = False) -> Tetrahedra:
    """The tetrahedra (k, 4, 3) of a grid of unit cubes, six each, that meet in whole faces."""
    cells = []
    for corner in product(*(range(n) for n in counts)):
        for order in permutations(range(3)):
            path = [np.array(corner)]
            for axis in order:
                path.append(path[-1] + np.eye(3, dtype=np.int64)[axis])
            cells.append(path)
    found = np.array(cells)
    if mirrored:
        found[..., 0] = counts[0] - found[..., 0]
    return found


def random_map(rng: np.random.Generator) -> Ints:
    """An integer matrix (3, 3) with an inverse; every third one makes slivers."""
    while True:
        matrix = rng.integers(-3, 4, (3, 3))
        if rng.integers(3) == 0:
            matrix[:, rng.integers(3)] *= rng.integers(10, 60)
            matrix = matrix @ np.array([[1, 0, 0], [int(rng.integers(20)), 1, 0], [0, 0, 1]])
        if abs(np.linalg.det(matrix)) > 0.5:
            return matrix.astype(np.int64)


def cells_of_one_grid(rng: np.random.Generator) -> Pair:
    """Two sets of tetrahedra of one grid: concave, non-manifold, one inside a hollow of the other."""
    cells = grid((2, 2, 1)) if rng.integers(2) else grid((2, 1, 1), mirrored=True)
    order = rng.permutation(len(cells))
    first, second = rng.integers(1, 7, 2)
    return polyhedron_of(cells[order[:first]]), polyhedron_of(cells[order[first : first + second]])


def cubes_of_one_grid(rng: np.random.Generator) -> Pair:
    """Two sets of cubes of one grid: large faces with holes, steps, bodies that touch themselves."""
    cells = grid((3, 3, 2)).reshape(18, 6, 4, 3)
    order = rng.permutation(18)
    first, second = rng.integers(1, 6, 2)
    parts = cells[order[:first]], cells[order[first : first + second]]
    return polyhedron_of(parts[0].reshape(-1, 4, 3)), polyhedron_of(parts[1].reshape(-1, 4, 3))


def frame_and_peg(rng: np.random.Generator) -> Pair:
    """A frame around a hole, in which there are some cubes."""
    cells = grid((3, 3, 2)).reshape(3, 3, 2, 6, 4, 3)
    ring = [(i, j, 0) for i, j in product(range(3), range(3)) if (i, j) != (1, 1)]
    ring = ring[: int(rng.integers(6, 9))]
    others = [(1, 1, 0), (1, 1, 1), (0, 1, 1), (2, 2, 1), (1, 0, 1)]
    pegs = [others[i] for i in rng.permutation(len(others))[: rng.integers(1, 5)]]
    first = np.concatenate([cells[i] for i in ring])
    return polyhedron_of(first), polyhedron_of(np.concatenate([cells[i] for i in pegs]))


def halves(rng: np.random.Generator) -> Pair:
    """Cells of two grids that do not fit, on both sides of a plane: edges cross, vertices are anywhere."""
    below, above = grid((2, 2, 1)), grid((2, 2, 1), mirrored=bool(rng.integers(2)))
    below, above = below.copy(), above.copy()
    below[..., 2] -= 1
    sizes = [(2, 3), (3, 2), (1, 1), (2, 2), (1, 3)][rng.integers(5)]
    below, above = below * sizes[0], above * sizes[1]
    above = above + np.append(rng.integers(-2, 4, 2), 0)
    chosen = [cells[rng.permutation(len(cells))[: rng.integers(1, 9)]] for cells in (below, above)]
    return polyhedron_of(chosen[0]), polyhedron_of(chosen[1])


def single_cells(rng: np.random.Generator) -> Pair:
    """Two random tetrahedra, a random point of a feature of one laid on that of a feature of the other."""
    while True:
        cells = 6 * rng.integers(-4, 5, (2, 4, 3))
        if min(abs(np.linalg.det(cell[1:] - cell[0])) for cell in cells) < 1:
            continue
        places = [_on_feature(rng, cell) for cell in cells]
        if rng.integers(3) == 0:  # an edge along one of the other
            cells[1, 1] = cells[1, 0] + (cells[0, 1] - cells[0, 0]) * rng.choice([-2, -1, 1, 2])
            places = [_on_feature(rng, cell[:2]) for cell in cells]
        cells[1] += places[0] - places[1]
        if abs(np.linalg.det(cells[1, 1:] - cells[1, 0])) > 1 and _apart(cells[0], cells[1]):
            return polyhedron_of(cells[:1]), polyhedron_of(cells[1:])


def cell_on_cells(rng: np.random.Generator) -> Pair:
    """A tetrahedron that touches a body of several, concave or not, anywhere."""
    while True:
        cells = grid((2, 2, 1))[rng.permutation(24)[: rng.integers(2, 7)]] * 6
        cell = 3 * rng.integers(-4, 5, (4, 3))
        if abs(np.linalg.det(cell[1:] - cell[0])) < 1:
            continue
        cell += _on_feature(rng, cells[0]) - _on_feature(rng, cell)
        if all(_apart(cell, other) for other in cells):
            return polyhedron_of(cells), polyhedron_of(cell[None])


def edges_across(rng: np.random.Generator) -> Pair:
    """Two tetrahedra of which two edges cross."""
    while True:
        cells = 6 * rng.integers(-4, 5, (2, 4, 3))
        places = [cell[0] + (cell[1] - cell[0]) // 6 * rng.integers(1, 6) for cell in cells]
        cells[1] += places[0] - places[1]
        thin = min(abs(np.linalg.det(cell[1:] - cell[0])) for cell in cells)
        if thin > 1 and _apart(cells[0], cells[1]):
            return polyhedron_of(cells[:1]), polyhedron_of(cells[1:])


def _on_feature(rng: np.random.Generator, corners: Ints) -> Ints:
    """A vertex, or a point of an edge or a face, of integer coordinates: corners are multiples of 3."""
    chosen = corners[rng.permutation(len(corners))]
    kind = rng.integers(3 if len(corners) > 2 else 2)
    if kind == 0:
        point = chosen[0]
    elif kind == 1:
        point = chosen[0] + (chosen[1] - chosen[0]) // 3 * rng.integers(1, 3)
    else:
        point = chosen[:3].sum(axis=0) // 3
    return np.asarray(point)


def _apart(a: Ints, b: Ints) -> bool:
    """Whether the insides of two tetrahedra (4, 3) do not meet: an axis with no common inside."""
    i, j, k = np.array(list(combinations(range(4), 3))).T
    sides = [np.cross(cell[j] - cell[i], cell[k] - cell[i]) for cell in (a, b)]
    start, end = np.array(list(combinations(range(4), 2))).T
    across = np.cross((a[end] - a[start])[:, None], b[end] - b[start]).reshape(-1, 3)
    axes = np.concatenate([*sides, across])
    high, low = a @ axes.T, b @ axes.T
    beside = (high.max(axis=0) <= low.min(axis=0)) | (low.max(axis=0) <= high.min(axis=0))
    return bool((beside & axes.any(axis=1)).any())


MAKERS: tuple[Callable[[np.random.Generator], Pair], ...] = (
    cells_of_one_grid,
    cubes_of_one_grid,
    frame_and_peg,
    *(halves, single_cells, cell_on_cells, edges_across) * 2,
)


def touching_pair(rng: np.random.Generator, number: int) -> Pair:
    """The pair of a number, by the makers in turn, stretched."""
    first, second = MAKERS[number % len(MAKERS)](rng)
    matrix, shift = random_map(rng), rng.integers(-5, 6, 3)
    return mapped(first, matrix, shift), mapped(second, matrix, shift)
