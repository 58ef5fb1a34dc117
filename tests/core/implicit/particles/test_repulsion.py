"""The repulsion of floaters, against differences and sums by brute force."""

import numpy as np
import pytest

from physplace_addon.core.implicit.particles.repulsion import SPEEDUP, repulsion
from tests.core.implicit.particles.scattered_floaters import ALPHA, all_pairs, energies, scattered


def test_the_desired_velocity_is_down_the_slope_of_the_energy() -> None:
    """Equation 9, corrected, against differences of E_i = sum_j E_ij + E_ji."""
    positions, radii = scattered(20)
    felt = repulsion(positions, radii, radii, all_pairs(20), ALPHA)
    h = 1e-7
    for i, axis in [(0, 0), (3, 1), (7, 2), (19, 0)]:
        sides = []
        for step in (h, -h):
            moved = positions.copy()
            moved[i, axis] += step
            each = energies(moved, radii)
            sides.append(each[i].sum() + each[:, i].sum())
        slope = (sides[0] - sides[1]) / (2.0 * h)
        assert felt.desired_velocity[i, axis] == pytest.approx(
            -SPEEDUP * radii[i] ** 2 * slope, rel=1e-5, abs=1e-7
        )


def test_the_energy_and_how_it_grows_with_the_radius_are_those_of_the_sum() -> None:
    """D_i and equation 13."""
    positions, radii = scattered(30)
    felt = repulsion(positions, radii, radii, all_pairs(30), ALPHA)
    assert np.allclose(felt.energy, energies(positions, radii).sum(axis=1), rtol=1e-12)
    grown = radii.copy()
    grown[4] += 1e-8
    change = (energies(positions, grown)[4].sum() - felt.energy[4]) / 1e-8
    assert felt.stiffness[4] == pytest.approx(change, rel=1e-4)
