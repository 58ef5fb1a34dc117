"""A mesh of blocks of 3 by 3 faces is the control points of Bezier patches."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest

from physplace_addon.core.arrays import Floats
from physplace_addon.core.errors import SurfaceError
from physplace_addon.core.surfaces.bezier.bodies import bezier
from physplace_addon.core.surfaces.bezier.control_meshes import nets_of_control_mesh
from tests.core.surfaces.bezier.patched_bodies import cube_nets, hill_nets
from tests.core.surfaces.smooth.smooth_meshes import cage_of


def grid(rows: int, columns: int, first: int = 0) -> list[tuple[int, ...]]:
    """Faces of rows by columns, over (rows + 1) by (columns + 1) vertices."""
    at = first + np.arange((rows + 1) * (columns + 1)).reshape(rows + 1, columns + 1)
    four = np.stack([at[:-1, :-1], at[:-1, 1:], at[1:, 1:], at[1:, :-1]], axis=-1)
    return [tuple(face) for face in four.reshape(-1, 4).tolist()]


def islands(nets: Floats) -> tuple[Floats, list[tuple[int, ...]]]:
    """Each net as an island of its own, along u from row to row."""
    points = nets.transpose(0, 2, 1, 3).reshape(-1, 3)
    return points, [face for number in range(len(nets)) for face in grid(3, 3, 16 * number)]


@pytest.mark.parametrize("nets", [cube_nets(), hill_nets()])
def test_islands_of_nine_faces_are_their_nets(nets: Floats, rng: np.random.Generator) -> None:
    points, faces = islands(nets)
    order = rng.permutation(len(faces))
    turned = [np.roll(faces[i], rng.integers(4)).tolist() for i in order]
    found = nets_of_control_mesh(points, cage_of(turned, points))
    plain, shuffled = bezier(nets), bezier(found)
    assert len(found) == len(nets)
    assert len(shuffled.surfaces) == len(plain.surfaces)
    assert shuffled.closed == plain.closed
    assert shuffled.mass.volume == pytest.approx(plain.mass.volume, rel=1e-12)


def test_a_grid_of_blocks_is_joined_patches(rng: np.random.Generator) -> None:
    points = np.stack(np.meshgrid(np.arange(7.0), np.arange(4.0), [0.0], indexing="ij"), axis=-1).reshape(
        -1, 3
    )
    points[:, 2] = rng.normal(size=len(points))
    nets = nets_of_control_mesh(points, cage_of(grid(6, 3), points))
    assert nets.shape == (2, 4, 4, 3)
    sides = [side for net in nets for side in (net[0], net[3], net[:, 0], net[:, 3])]
    assert len({frozenset(map(tuple, side.tolist())) for side in sides}) == 7
    seam = [(12 + i, 13 + i) for i in range(3)]
    apart = nets_of_control_mesh(points, cage_of(grid(6, 3), points, seam))
    corners = [{tuple(p) for p in found[:, ::3, ::3].reshape(-1, 3).tolist()} for found in (nets, apart)]
    assert corners[0] == corners[1]


@pytest.mark.parametrize(
    ("faces", "said"),
    [
        (grid(3, 4), "no grid of 3 by 3"),
        ([(0, 1, 2)], "3 corners"),
        ([], "no faces"),
        ([(i, (i + 1) % 9, 9 + (i + 1) % 9, 9 + i) for i in range(9)], "0 corners"),
        ([*grid(3, 3), (3, 7, 16, 17)], "no grid|corners"),
    ],
)
def test_other_faces_are_refused(faces: Sequence[tuple[int, ...]], said: str) -> None:
    points = np.random.default_rng(0).normal(size=(20, 3))
    cage = cage_of(faces, points) if faces else cage_of([(0, 1, 2)], points)
    if not faces:
        cage = type(cage)(cage.corners[:0], cage.starts[:1], cage.edge_sharpness[:0], cage.vertex_sharpness)
    with pytest.raises(SurfaceError, match=said):
        nets_of_control_mesh(points, cage)
