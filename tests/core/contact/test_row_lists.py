"""Lists of items by row and their joins, beside plain Python loops."""

import numpy as np
import pytest

from physplace_addon.core.arrays import Ints
from physplace_addon.core.contact.row_lists import (
    RowLists,
    distinct_pairs,
    first_of_each_pair,
    joined_by_row,
    placed,
    row_keys,
)
from tests.core.contact.body_pairs import pose


@pytest.fixture
def owned(rng: np.random.Generator) -> tuple[Ints, Ints]:
    """Items 100 to 159 that 20 rows own, some none."""
    return np.arange(100, 160), rng.integers(0, 20, 60)


def test_every_item_is_in_the_list_of_its_row_in_order(owned: tuple[Ints, Ints]) -> None:
    items, row = owned
    lists = RowLists.of(items, row, 20)
    for r in range(20):
        assert lists.items[lists.start[r] : lists.start[r + 1]].tolist() == items[row == r].tolist()
        assert lists.has_items[r] == (row == r).any()


def test_rows_may_be_looked_up_repeatedly_and_in_any_order(
    owned: tuple[Ints, Ints], rng: np.random.Generator
) -> None:
    items, row = owned
    rows = rng.integers(0, 20, 33)
    place, found = RowLists.of(items, row, 20).of_rows(rows)
    expected = [(i, item) for i, r in enumerate(rows) for item in items[row == r]]
    assert list(zip(place.tolist(), found.tolist(), strict=True)) == expected


def test_a_join_gives_all_pairs_of_equal_rows(rng: np.random.Generator) -> None:
    row_a, row_b = np.sort(rng.integers(0, 8, 15)), np.sort(rng.integers(0, 8, 12))
    a, b = rng.integers(0, 99, 15), rng.integers(0, 99, 12)
    left, right = joined_by_row(row_a, a, row_b, b, 8)
    expected = [(a[i], b[j]) for i in range(15) for j in range(12) if row_a[i] == row_b[j]]
    assert list(zip(left.tolist(), right.tolist(), strict=True)) == expected


def test_distinct_pairs_are_a_set(rng: np.random.Generator) -> None:
    a, b = rng.integers(0, 6, 50), rng.integers(0, 6, 50)
    found = list(zip(*(column.tolist() for column in distinct_pairs(a, b)), strict=True))
    assert found == sorted(set(zip(a.tolist(), b.tolist(), strict=True)))
    pairs = list(zip(a.tolist(), b.tolist(), strict=True))
    assert all(pairs.index(pairs[i]) == i for i in first_of_each_pair(a, b).tolist())


def test_no_pairs_have_no_first_rows() -> None:
    nothing = np.zeros(0, np.intp)
    assert len(first_of_each_pair(nothing, nothing)) == 0


def test_points_of_any_shape_are_placed_and_no_pose_is_the_identity(rng: np.random.Generator) -> None:
    points, at = rng.normal(size=(4, 3, 3)), pose((0.3, 0.2, 0.1), (1.0, 2.0, 3.0))
    np.testing.assert_allclose(placed(points, at), points @ at.matrix.T + [1.0, 2.0, 3.0], atol=1e-14)
    assert placed(points, None) is points


@pytest.mark.parametrize("largest", [3, 2**40])
def test_rows_have_the_same_key_only_if_they_are_equal_and_keys_keep_their_order(
    rng: np.random.Generator, largest: int
) -> None:
    columns = rng.integers(0, 4, (4, 300)) * (largest // 3)
    keys = row_keys(*columns).tolist()
    rows = [tuple(row) for row in columns.T.tolist()]
    assert len(set(rows)) == len(set(zip(rows, keys, strict=True))) == len(set(keys))
    by_key = sorted(zip(keys, rows, strict=True))
    assert [row for _, row in by_key] == sorted(rows)
