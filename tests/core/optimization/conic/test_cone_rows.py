"""Rows of cones as blocks are the same matrix as their sparse rows, whatever these touch."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import sparse

from physplace_addon.core.arrays import Floats
from physplace_addon.core.optimization.conic.cone_rows import ConeRows


def random_rows(rng: np.random.Generator, count: int, size: int, alike: bool) -> Floats:
    """Rows of contacts (3 k, d), each over one or two of the bodies; those of one contact over the same
    columns, or each over some of them.
    """
    rows = np.zeros((count, 3, size))
    for contact in rows:
        bodies = rng.choice(size // 6, int(rng.integers(1, 3)), replace=False)
        columns = np.concatenate([6 * body + np.arange(6) for body in bodies])
        contact[:, columns] = rng.normal(size=(3, len(columns)))
        if not alike:
            contact[rng.random(contact.shape) < 0.5] = 0.0
    return rows.reshape(3 * count, size)


@pytest.mark.parametrize("alike", [True, False])
@pytest.mark.parametrize(("contacts", "limits"), [(5, 0), (0, 4), (7, 3), (0, 0)])
def test_blocks_hold_all_normal_rows_then_those_of_both_tangents(
    contacts: int, limits: int, alike: bool
) -> None:
    rng = np.random.default_rng([contacts, limits, alike])
    above = random_rows(rng, contacts, 24, alike)
    below = np.where(rng.random((limits, 24)) < 0.2, rng.normal(size=(limits, 24)), 0.0)
    rows = ConeRows.of(sparse.csr_array(above), sparse.csr_array(below))
    nothing = np.zeros_like(below)
    expected = np.concatenate(
        [above[0::3], below, above[1::3], nothing, above[2::3], nothing],
    )
    assert len(rows) == contacts + limits
    np.testing.assert_array_equal(rows.dense(), expected)
    np.testing.assert_array_equal(rows.csr().toarray(), expected)

    by_row, by_column = rng.normal(size=(3, contacts + limits)), rng.normal(size=24)
    scaled = rows.scaled(by_row, by_column)
    np.testing.assert_allclose(scaled.dense(), by_row.ravel()[:, None] * expected * by_column, rtol=1e-14)
    normal = np.linalg.norm(expected[: contacts + limits] * by_column, axis=1)
    np.testing.assert_allclose(
        rows.normal_lengths(by_column), np.where(normal > 0.0, normal, 1.0), rtol=1e-14
    )
