"""Parts of formulas are where their hulls say, and are told to wave where they do."""

from __future__ import annotations

import numpy as np
import pytest

from physplace_addon.core.surfaces.bernstein import bernstein
from physplace_addon.core.surfaces.formula.bodies import formula
from physplace_addon.core.surfaces.geometry import HullDeviation
from tests.core.surfaces.formula.formula_bodies import NAMED, body_of


@pytest.mark.parametrize("name", NAMED)
def test_parts_differ_from_their_hulls_by_no_more_than_the_slack(name: str, rng: np.random.Generator) -> None:
    for sheet in body_of(name).surfaces:
        nets = sheet.nets
        patch = rng.integers(len(nets), size=60)
        size = 2.0 ** -rng.integers(2, 7, size=(60, 2))
        lower = np.floor(rng.uniform(size=(60, 2)) / size) * size
        along = rng.normal(size=(60, 3))
        along /= np.linalg.norm(along, axis=1)[:, None]
        hulls = nets.hulls(patch, lower, lower + size)
        slack, one_way = HullDeviation.of(hulls), HullDeviation.of(hulls, along)
        for _ in range(10):
            at = rng.uniform(size=(60, 2))
            weights, jets = bernstein(at, 1), nets.derivatives(patch, lower + size * at)
            for a, b, exact, more, less in (
                (0, 0, jets.point, slack.point, one_way.point),
                (1, 0, size[:, :1] * jets.du, slack.first[:, 0], one_way.first[:, 0]),
                (0, 1, size[:, 1:] * jets.dv, slack.first[:, 1], one_way.first[:, 1]),
            ):
                part = np.einsum("ki,kj,kijx->kx", weights[:, 0, a], weights[:, 1, b], hulls.control)
                assert (np.linalg.norm(part - exact, axis=1) <= more + 1e-13).all()
                assert (np.abs(((part - exact) * along).sum(axis=1)) <= less + 1e-13).all()


def test_a_ring_bends_one_way_and_a_ripple_waves() -> None:
    cells = np.stack(np.meshgrid(np.arange(32), np.arange(32), indexing="ij"), axis=-1).reshape(-1, 2) / 32
    first = np.zeros(len(cells), dtype=np.intp)
    ring = body_of("torus").surfaces[0]
    assert not ring.may_wave(first, cells, cells + 1 / 32).any()
    ripple = formula({"x": "u", "y": "v", "z": "sin(u)", "u": "0, 99", "v": "0, 1"}).surfaces[0]
    assert ripple.may_wave(first, cells, cells + 1 / 32).all()
