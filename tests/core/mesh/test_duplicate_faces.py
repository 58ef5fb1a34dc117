"""Duplicate faces, against sets of corners."""

import numpy as np
import pytest

from physplace_addon.core.arrays import Ints
from physplace_addon.core.mesh.duplicate_faces import unique_regions, unique_triangles
from physplace_addon.core.mesh.edges import edge_table
from tests.core.meshes import torus


def orientation(corners: Ints) -> bool:
    a, b, c = corners.tolist()
    return bool((a < b) + (b < c) + (c < a) == 2)


@pytest.mark.parametrize("seed", range(4))
def test_one_of_each_set_of_corners_is_kept(seed: int) -> None:
    rng = np.random.default_rng(seed)
    triangles = np.array([rng.permutation(7)[:3] for _ in range(60)])
    kept, two_sided = unique_triangles(triangles, np.zeros(len(triangles), dtype=bool))
    groups: dict[frozenset[int], list[int]] = {}
    for number, corners in enumerate(triangles.tolist()):
        groups.setdefault(frozenset(corners), []).append(number)
    assert kept.tolist() == sorted(group[0] for group in groups.values())
    for number, both in zip(kept.tolist(), two_sided.tolist(), strict=True):
        ways = {orientation(triangles[other]) for other in groups[frozenset(triangles[number].tolist())]}
        assert both == (len(ways) == 2)


def test_what_is_known_to_be_two_sided_stays_so() -> None:
    kept, two_sided = unique_triangles(np.array([[0, 1, 2], [1, 2, 3]]), np.array([False, True]))
    assert kept.tolist() == [0, 1]
    assert two_sided.tolist() == [False, True]


def test_a_square_and_its_back_cut_the_other_way_are_one_face() -> None:
    points = np.array([[0.0, 0, 0], [1, 0, 0], [1, 1, 0], [0, 1, 0]])
    triangles = np.array([[0, 1, 2], [0, 2, 3], [0, 3, 1], [1, 3, 2]])
    kept, two_sided = unique_regions(points, triangles, edge_table(triangles), 1e-9, np.zeros(4, dtype=bool))
    assert kept.tolist() == [True, True, False, False]
    assert two_sided[kept].all()


def test_a_bent_square_is_no_flat_region() -> None:
    points = np.array([[0.0, 0, 0], [1, 0, 0.2], [1, 1, 0], [0, 1, 0.2]])
    triangles = np.array([[0, 1, 2], [0, 2, 3], [0, 3, 1], [1, 3, 2]])
    kept, _ = unique_regions(points, triangles, edge_table(triangles), 1e-9, np.zeros(4, dtype=bool))
    assert kept.all()


def test_a_finely_divided_dome_is_no_duplicate_of_the_disk_under_it() -> None:
    """Each triangle of the dome is within the width of the next one, the dome is fifty widths high."""
    around, up = 64, 16
    turn, rise = 2.0 * np.pi * np.arange(around) / around, 0.5 * np.pi * np.arange(up) / up
    ring = np.stack([np.cos(turn), np.sin(turn), np.zeros(around)], axis=1)
    dome = np.concatenate([ring * np.cos(a) + [0.0, 0.0, np.sin(a)] for a in rise])
    points = np.concatenate([dome, [[0.0, 0.0, 1.0], [0.0, 0.0, 0.0]]])
    here = np.arange(around)
    there = np.roll(here, -1)
    side = [
        np.stack([around * j + here, around * j + there, around * (j + 1) + there], axis=1)
        for j in range(up - 1)
    ]
    back = [
        np.stack([around * j + here, around * (j + 1) + there, around * (j + 1) + here], axis=1)
        for j in range(up - 1)
    ]
    top = np.stack(
        [around * (up - 1) + here, around * (up - 1) + there, np.full(around, up * around)], axis=1
    )
    disk = np.stack([there, here, np.full(around, up * around + 1)], axis=1)
    triangles = np.concatenate([*side, *back, top, disk])
    width = 0.02
    kept, two_sided = unique_regions(
        points, triangles, edge_table(triangles), width, np.zeros(len(triangles), dtype=bool)
    )
    assert kept.all()
    assert not two_sided.any()


def test_a_closed_surface_without_a_border_is_no_flat_region() -> None:
    points, triangles = torus(24, 12)
    wide = 10.0
    kept, _ = unique_regions(
        points, triangles, edge_table(triangles), wide, np.zeros(len(triangles), dtype=bool)
    )
    assert kept.all()
