"""Records of arrays that share their rows, and the ways through long arrays."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
import pytest

from physplace_addon.core.arrays import (
    PORTION,
    SHARED,
    ArrayRecord,
    Bools,
    Floats,
    Ints,
    Scratch,
    box_of,
    chosen,
    portions,
)


@dataclass(frozen=True, eq=False)
class Points(ArrayRecord):
    place: Floats
    number: Ints


@dataclass(frozen=True, eq=False)
class Pairs(ArrayRecord):
    first: Points
    gap: Floats
    name: str
    corners: Floats = field(metadata=SHARED)


def points(count: int, start: int = 0) -> Points:
    number = np.arange(start, start + count)
    return Points(np.outer(number, [1.0, 10.0, 100.0]), number)


def pairs(count: int, start: int = 0) -> Pairs:
    return Pairs(points(count, start), np.arange(count) / 8.0, "pairs", np.eye(3))


@pytest.mark.parametrize(
    "rows", [np.array([3, 0, 3, -1]), np.array([], dtype=int), slice(1, 4), np.arange(5) % 2 == 0]
)
def test_taking_rows_takes_them_from_each_array(rows: Ints | Bools | slice) -> None:
    taken = pairs(5).take(rows)
    np.testing.assert_array_equal(taken.first.number, np.arange(5)[rows])
    np.testing.assert_array_equal(taken.first.place, points(5).place[rows])
    np.testing.assert_array_equal(taken.gap, (np.arange(5) / 8.0)[rows])


def test_what_is_shared_is_passed_on() -> None:
    whole = pairs(5)
    taken = whole.take(np.array([0]))
    assert taken.corners is whole.corners
    assert taken.name == "pairs"


def test_a_slice_gives_views_and_numbers_give_copies() -> None:
    whole = pairs(5)
    assert np.shares_memory(whole.take(slice(1, 3)).gap, whole.gap)
    assert not np.shares_memory(whole.take(np.arange(5)).gap, whole.gap)


def test_joined_parts_are_the_whole() -> None:
    whole = pairs(7)
    joined = Pairs.join([whole.take(slice(0, 2)), whole.take(slice(2, 2)), whole.take(slice(2, 7))])
    np.testing.assert_array_equal(joined.first.place, whole.first.place)
    np.testing.assert_array_equal(joined.gap, whole.gap)
    assert joined.corners is whole.corners


@pytest.mark.parametrize("rows", [np.array([4, 1]), np.array([False, True, False, False, True])])
def test_rows_that_are_put_are_there(rows: Ints | Bools) -> None:
    whole, part = pairs(5), pairs(2, start=50)
    own = whole.copy()
    own.put(rows, part)
    np.testing.assert_array_equal(own.take(rows).first.number, [50, 51])
    np.testing.assert_array_equal(whole.first.number, np.arange(5))
    assert own.take(np.array([0, 2, 3])).first.number.tolist() == [0, 2, 3]


@pytest.mark.parametrize("count", [0, 1, PORTION, PORTION + 1, 3 * PORTION - 1])
def test_portions_cover_each_row_once(count: int) -> None:
    rows = np.arange(count)
    np.testing.assert_array_equal(np.concatenate([rows[:0], *(rows[part] for part in portions(count))]), rows)
    assert all(part.stop - part.start <= PORTION for part in portions(count))


def test_choosing_all_copies_nothing() -> None:
    rows: Floats = np.arange(4, dtype=float)
    assert chosen(rows, np.ones(4, dtype=bool)) is rows
    np.testing.assert_array_equal(chosen(rows, rows > 1.5), [2.0, 3.0])


def test_a_box_holds_the_extreme_coordinates() -> None:
    lower, upper = box_of(np.array([[0.0, 5.0, -1.0], [2.0, -5.0, 3.0], [1.0, 0.0, 0.0]]))
    np.testing.assert_array_equal([lower, upper], [[0.0, -5.0, -1.0], [2.0, 5.0, 3.0]])


def test_scratch_memory_is_handed_out_again_until_it_is_too_small() -> None:
    scratch = Scratch()
    first = scratch.floats("gaps", 2, 100)
    assert np.shares_memory(scratch.floats("gaps", 2, 90), first)
    larger = scratch.floats("gaps", 2, 500)
    assert larger.shape == (2, 500)
    assert not np.shares_memory(larger, first)
    assert scratch.ints("numbers", 1, 3).dtype == np.intp
