"""The list of neighbouring floaters, kept from step to step."""

import numpy as np
import pytest

from physplace_addon.core.implicit.particles import verlet_list
from physplace_addon.core.implicit.particles.fission_and_death import fission
from physplace_addon.core.implicit.particles.floaters import Floaters
from physplace_addon.core.implicit.particles.repulsion import repulsion
from physplace_addon.core.implicit.particles.verlet_list import VerletList
from tests.core.implicit.particles.scattered_floaters import ALPHA, energies, scattered


@pytest.mark.parametrize("small", [3000, 0], ids=["all looked for", "some looked for"])
def test_kept_neighbours_feel_what_all_pairs_feel_through_births_and_deaths(
    monkeypatch: pytest.MonkeyPatch, small: int
) -> None:
    monkeypatch.setattr(verlet_list, "_SMALL", small)
    draw = np.random.default_rng(2)
    positions, radii = scattered(100)
    ages = np.zeros(100, dtype=np.intp)
    floaters = Floaters(positions, radii, np.tile([0.0, 0.0, 1.0], (100, 1)), radii, ages)
    kept = VerletList()
    for step in range(30):
        pairs = kept.of(floaters, floaters.radii)
        felt = repulsion(floaters.positions, floaters.radii, floaters.radii, pairs, ALPHA)
        whole = energies(floaters.positions, floaters.radii).sum(axis=1)
        assert np.allclose(felt.energy, whole, rtol=1e-9, atol=1e-12), step
        parents = draw.choice(len(floaters), 3, replace=False)
        floaters = fission(floaters, parents, draw)
        dead = draw.random(len(floaters)) < 0.03
        kept.without(dead)
        floaters = floaters.take(~dead)
        moved = floaters.positions + 1e-3 * draw.normal(size=floaters.positions.shape)
        floaters = Floaters(moved, floaters.radii, floaters.gradients, floaters.desired, floaters.ages)
