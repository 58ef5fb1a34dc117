"""The inner products, vector products and lengths of each memory order, against numpy's own."""

import numpy as np
import pytest

from physplace_addon.core import vectors
from physplace_addon.core.arrays import Floats

COUNTS = (0, 1, 2, 7, 8, 1000)


@pytest.fixture(params=COUNTS)
def pair(request: pytest.FixtureRequest) -> Floats:
    rng = np.random.default_rng(request.param)
    return rng.normal(size=(2, request.param, 3))


def close(found: Floats, expected: Floats) -> None:
    np.testing.assert_allclose(found, expected, rtol=1e-14, atol=1e-14)


def test_vectors_last_agree_with_numpy(pair: Floats) -> None:
    a, b = pair
    close(vectors.dot(a, b), (a * b).sum(axis=1))
    close(vectors.cross(a, b), np.asarray(np.cross(a, b), float))
    close(vectors.length(a), np.linalg.norm(a, axis=1))
    close(vectors.unit(a), a / np.linalg.norm(a, axis=1)[:, None])


def test_coordinate_arrays_agree_with_vectors_last(pair: Floats) -> None:
    a, b = pair
    x, y = vectors.coordinate_arrays(a), vectors.coordinate_arrays(b)
    assert x.shape == (3, len(a))
    assert x.flags.c_contiguous
    np.testing.assert_array_equal(vectors.coordinate_cross(x, y).T, vectors.cross(a, b))
    close(vectors.coordinate_dot(x, y), vectors.dot(a, b))
    close(vectors.coordinate_length(x), vectors.length(a))


def test_columns_and_coordinate_arrays_give_the_same_bits(pair: Floats) -> None:
    a, b = np.asfortranarray(pair[0]), np.asfortranarray(pair[1])
    np.testing.assert_array_equal(vectors.column_dot(a, b), vectors.coordinate_dot(a.T, b.T))
    np.testing.assert_array_equal(vectors.column_length(a), vectors.coordinate_length(a.T))
    np.testing.assert_array_equal(vectors.column_length(a), np.linalg.norm(a, axis=1))


def test_rows_of_columns_are_columns_again() -> None:
    a = np.asfortranarray(np.arange(30.0).reshape(10, 3))
    rows = np.array([7, 0, 7])
    found = vectors.column_rows(a, rows)
    np.testing.assert_array_equal(found, a[rows])
    assert found.flags.f_contiguous


def test_stacks_of_triangles_keep_their_corners_first() -> None:
    triangles = np.arange(18, dtype=float).reshape(2, 3, 3)
    found = vectors.coordinate_arrays(triangles)
    for which, corner, axis in np.ndindex(2, 3, 3):
        assert found[corner, axis, which] == triangles[which, corner, axis]


def test_shapes_broadcast() -> None:
    rng = np.random.default_rng(3)
    a, b = rng.normal(size=(4, 1, 3)), rng.normal(size=(5, 3))
    close(vectors.cross(a, b), np.asarray(np.cross(a, b), float))
    close(vectors.dot(a, b), (a * b).sum(axis=-1))
    assert vectors.cross(a, b).shape == (4, 5, 3)


def test_a_vector_product_keeps_the_memory_order_of_its_first_factor() -> None:
    a = np.asfortranarray(np.random.default_rng(4).normal(size=(6, 3)))
    assert vectors.cross(a, a + 1.0).flags.f_contiguous


def test_zero_vectors_have_no_direction_but_stay_zero() -> None:
    lengths, units = vectors.length_and_unit(np.array([[0.0, 0.0, 0.0], [0.0, 3.0, 4.0]]))
    np.testing.assert_array_equal(lengths, [0.0, 5.0])
    np.testing.assert_array_equal(units, [[0.0, 0.0, 0.0], [0.0, 0.6, 0.8]])


def test_vectors_come_back_from_their_coordinates() -> None:
    a = np.random.default_rng(5).normal(size=(9, 3))
    np.testing.assert_array_equal(vectors.from_coordinates(*a.T), a)
