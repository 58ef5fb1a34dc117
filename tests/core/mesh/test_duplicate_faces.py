"""Duplicate faces, against sets of corners."""

import numpy as np
import pytest

from physplace_addon.core.arrays import Ints
from physplace_addon.core.mesh.duplicate_faces import unique_regions, unique_triangles
from physplace_addon.core.mesh.edges import edge_table


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
