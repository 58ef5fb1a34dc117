"""Flat things rest on flat things whose planes are level only to single precision."""

from __future__ import annotations

import numpy as np
import pytest

from physplace_addon.core.placement import Status
from tests.core.placement.household import PAN, block, ends_of, lathe, placed, single, start

DOMINO = block((0.5, 0.25, 0.08))
CUBE = block((0.3, 0.3, 0.3))
SLAB = block((0.6, 0.5, 0.3))


@pytest.mark.parametrize("seed", [0, 1, 2, 3])
def test_a_domino_lies_flat_in_a_pan(seed: int) -> None:
    placement = placed(
        single(DOMINO, "domino", 50 + seed),
        start([seed, 6, 3], 2.0, seed > 0),
        single(lathe(PAN, 24), "pan", 10 + seed),
    )
    certificate = placement.certificate()
    assert certificate.status is Status.BALANCED
    assert certificate.stable
    assert len(certificate.contacts) >= 3
    assert np.sum(ends_of(placement)[..., 2] < 0.05 + 1e-6) >= 6  # of three corners


@pytest.mark.parametrize("seed", [0, 1, 2, 3])
def test_a_cube_on_a_slab_stands_and_is_stable(seed: int) -> None:
    slab = np.eye(4)
    slab[2, 3] = 0.3
    placement = placed(
        single(CUBE, "cube", 50 + seed),
        start([seed, 3, 4], 2.0, seed > 0),
        single(SLAB, "slab", 10 + seed).transformed(slab),
    )
    certificate = placement.certificate()
    assert certificate.status is Status.BALANCED
    assert certificate.stable
    assert len(certificate.contacts) >= 3
