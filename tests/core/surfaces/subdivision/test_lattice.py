"""Other cells in neighbours: no cracks, bounds that hold, triangles beside edges and at vertices."""

import numpy as np
import pytest

from physplace_addon.core.arrays import Floats, Ints
from physplace_addon.core.bodies.curved_meshes import limit_complex
from physplace_addon.core.surfaces.cell_bounds import distances_to_triangles
from physplace_addon.core.surfaces.curves.piecewise import distance_to_segment
from physplace_addon.core.surfaces.subdivision.complex import CageComplex
from physplace_addon.core.surfaces.subdivision.tessellation import (
    CageTessellation,
    cells_within_tolerance,
    tessellate_cage,
)
from physplace_addon.core.surfaces.tessellation import Tessellation
from tests.core.surfaces.subdivision import cages

CAGES = cages.cages()
CLOSED = ["cube", "hard top", "soft top", "dart", "corner of creases", "five"]


def with_cells(body: CageComplex, seed: int) -> tuple[CageTessellation, Tessellation]:
    """Triangles of cells of random number in each patch."""
    counts = np.random.default_rng(seed).integers(1, 5, (len(body.nets), 2))
    bounds = body.bounds(np.arange(len(counts)), counts, 0.0)
    mesh = tessellate_cage(body.nets, body.joins, counts, bounds)
    return mesh, body._tessellation(mesh)


def side_counts(corners: Ints) -> Ints:
    """How often each side of the triangles occurs, and once for each direction that it is not followed in."""
    sides = np.concatenate([corners[:, [0, 1]], corners[:, [1, 2]], corners[:, [2, 0]]])
    _, forth = np.unique(sides, axis=0, return_counts=True)
    _, both = np.unique(np.sort(sides, axis=1), axis=0, return_counts=True)
    return np.concatenate([forth - 1, both - 2])


def welded(points: Floats, corners: Ints) -> Ints:
    """The corners with points at one place, as on creases, made one."""
    size = np.abs(points).max()
    return np.unique(np.round(points / (1e-9 * size)), axis=0, return_inverse=True)[1].reshape(-1)[corners]


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("name", CLOSED)
def test_no_side_of_a_triangle_is_left_alone(name: str, seed: int) -> None:
    body = limit_complex(*CAGES[name])[0]
    mesh, _ = with_cells(body, seed)
    corners = welded(mesh.points, mesh.corners)
    assert (side_counts(corners) == 0).all()
    assert len(mesh.cut.whole) > 2 * len(mesh.lattice.all_cells()[0])
    doubled = np.array([np.linalg.det(np.column_stack([uv, np.ones(3)])) for uv in mesh.uv])
    assert (doubled > 1e-9).all()
    np.testing.assert_allclose(np.bincount(mesh.patch, 0.5 * doubled), 1.0, rtol=1e-12)


@pytest.mark.parametrize("name", CLOSED)
def test_cut_triangles_are_as_near_as_their_bounds_say(name: str) -> None:
    body = limit_complex(*CAGES[name])[0]
    mesh, _ = with_cells(body, 7)
    cell = mesh.cut.whole // 2
    row, other = np.nonzero(cell[:, None] == cell)  # a point is near one of its cell's triangles
    weights = np.random.default_rng(0).dirichlet(np.ones(3), 30)
    for part in weights:
        at = np.einsum("k,tkx->tx", part, mesh.uv)
        point = body.nets.slopes(mesh.patch, at).point
        away = distances_to_triangles(point[row][:, None], mesh.points[mesh.corners[other]])[:, 0]
        assert (np.minimum.reduceat(away, np.flatnonzero(np.diff(row, prepend=-1))) <= mesh.bound).all()


@pytest.mark.parametrize("name", ["hard top", "corner of creases"])
def test_pieces_of_edges_are_sides_of_the_triangles_that_own_them(name: str) -> None:
    body = limit_complex(*CAGES[name])[0]
    for seed in range(3):
        _, found = with_cells(body, seed)
        corners = found.points[found.corners]
        for ends, owner in zip(found.segments, found.segment_owner, strict=True):
            away = np.linalg.norm(corners[owner][:, None] - ends, axis=2)
            assert (away.min(axis=0) == 0.0).all()
        for edge, curve in enumerate(body.curves):
            rows = np.flatnonzero(found.segment_edge == edge)
            at = curve.geometry(np.zeros(len(rows), int), found.segment_t[rows, 0]).point
            np.testing.assert_allclose(at, found.segments[rows, 0], atol=1e-9)
            middle = curve.geometry(np.zeros(len(rows), int), found.segment_t[rows].mean(axis=1)).point
            chord = found.segments[rows]
            away = distance_to_segment(middle, chord[:, 0], chord[:, 1])
            assert (away <= found.segment_bound[rows]).all()
        own = corners[found.vertex_owner]
        away = np.linalg.norm(own - body.vertices[:, None], axis=2)
        assert (away.min(axis=1) < 1e-12).all()


def test_only_what_bends_has_more_cells() -> None:
    points, cage = CAGES["five"]
    body = limit_complex(points, cage)[0]
    tolerance = 2e-3 * body.size
    counts, bounds = cells_within_tolerance(
        body.nets, body.bounds, body.joins, tolerance, "cage", np.ones(len(body.nets), int)
    )
    mesh = tessellate_cage(body.nets, body.joins, counts, bounds)
    assert mesh.bound.max() <= tolerance * (1.0 + 1e-12)
    own = [body.bounds(np.array([patch]), counts[[patch]], 0.0).max() for patch in range(len(counts))]
    assert min(own) > 0.0
    alone = counts[np.argmin(counts[:, 0])]
    assert (alone < counts.max(axis=0)).all()
