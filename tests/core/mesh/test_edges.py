"""Edges, shells and components of random triangles, against loops."""

from collections import defaultdict

import numpy as np
import pytest

from physplace_addon.core.arrays import Ints
from physplace_addon.core.mesh.edges import component_labels, edge_table, shell_labels, stable_order


@pytest.fixture(params=range(4))
def triangles(request: pytest.FixtureRequest) -> Ints:
    rng = np.random.default_rng(request.param)
    found = rng.integers(0, 12, size=(40, 3))
    result: Ints = found[
        (found[:, 0] != found[:, 1]) & (found[:, 1] != found[:, 2]) & (found[:, 2] != found[:, 0])
    ]
    return result


def sides_by_edge(triangles: Ints) -> dict[frozenset[int], list[int]]:
    found: dict[frozenset[int], list[int]] = defaultdict(list)
    for number, corners in enumerate(triangles.tolist()):
        for side in range(3):
            found[frozenset((corners[side], corners[(side + 1) % 3]))].append(3 * number + side)
    return found


def test_each_edge_knows_its_sides(triangles: Ints) -> None:
    table, expected = edge_table(triangles), sides_by_edge(triangles)
    assert len(table.ends) == len(expected)
    parts = np.split(table.order, np.cumsum(table.count)[:-1])
    for ends, sides, balance, part in zip(table.ends, table.sides, table.balance, parts, strict=True):
        own = expected[frozenset(ends.tolist())]
        assert part.tolist() == own
        assert sides.tolist() == [*own, -1][:2]
        starts = [triangles.ravel()[side] for side in own]
        forward = sum(int(start == ends.min()) for start in starts)
        assert balance == 2 * forward - len(own)


def test_triangles_that_share_edges_are_one_shell(triangles: Ints) -> None:
    label = list(range(len(triangles)))
    for sides in sides_by_edge(triangles).values():
        joined = {label[side // 3] for side in sides}
        label = [min(joined) if each in joined else each for each in label]
    found = shell_labels(edge_table(triangles))
    assert len({*zip(label, found.tolist(), strict=True)}) == len(set(label)) == len(set(found.tolist()))


def test_nothing_is_joined_across_no_edges(triangles: Ints) -> None:
    table = edge_table(triangles)
    labels = shell_labels(table, np.zeros(len(table.count), dtype=bool))
    assert len(set(labels.tolist())) == len(triangles)


def test_nodes_without_edges_are_components_of_their_own() -> None:
    labels = component_labels(np.array([[0, 3], [3, 4]]), 6)
    assert labels[0] == labels[3] == labels[4]
    assert len(set(labels.tolist())) == 4


def test_counting_sorts_stably(rng: np.random.Generator) -> None:
    keys = rng.integers(0, 7, size=200)
    assert np.array_equal(stable_order(keys, 7), np.argsort(keys, kind="stable"))
