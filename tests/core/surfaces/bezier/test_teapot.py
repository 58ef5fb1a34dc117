"""The teapot is Newell's: its numbers, its symmetry, its smooth joins, and the oracle's view of it."""

import numpy as np
import pytest

from physplace_addon.core.arrays import Floats
from physplace_addon.core.surfaces.bezier.bodies import bezier
from tests.core.surfaces.bezier.patched_bodies import BODIES
from tests.oracles.patches import Patches
from tests.teapot import LID_SCALE, lid_nets, pot_nets


def sorted_points(nets: Floats) -> Floats:
    points = np.unique(np.round(nets.reshape(-1, 3), 9) + 0.0, axis=0)
    result: Floats = points[np.lexsort(points.T)]
    return result


def test_there_are_thirty_two_patches_in_two_bodies() -> None:
    assert len(pot_nets()) + len(lid_nets()) == 32


def test_it_has_the_known_extent() -> None:
    """Of the control points: 3.15 high, from handle to spout -3 to 3.525, two radii of 2."""
    points = np.concatenate([pot_nets(), lid_nets()]).reshape(-1, 3)
    np.testing.assert_allclose(points.min(axis=0), [-3.0, -2.0, 0.0], atol=1e-12)
    np.testing.assert_allclose(points.max(axis=0), [3.525, 2.0, 3.15], atol=1e-12)


@pytest.mark.parametrize("nets", [pot_nets(), lid_nets()], ids=["pot", "lid"])
def test_it_is_its_own_mirror_image(nets: Floats) -> None:
    np.testing.assert_allclose(sorted_points(nets), sorted_points(nets * [1, -1, 1]), atol=1e-12)


def test_the_pot_is_smooth_and_open_only_at_the_rim_and_the_ends_of_handle_and_spout() -> None:
    pot = BODIES["pot"]
    assert [len(sheet.nets) for sheet in pot.surfaces] == [16, 4, 4]
    heights = sorted(
        round(float(curve.geometry(np.array([0]), np.array([0.0])).point[0, 2]), 6) for curve in pot.curves
    )
    assert heights == [0.9, 1.425, 2.025, 2.4, 2.4]
    assert not len(pot.vertices)


@pytest.mark.slow
@pytest.mark.parametrize("nets", [pot_nets(), lid_nets(LID_SCALE)], ids=["pot", "lid"])
def test_its_centre_of_mass_is_that_of_the_oracle(nets: Floats) -> None:
    np.testing.assert_allclose(bezier(nets).mass.center, Patches(nets).centre, atol=1e-12)


def test_the_lid_as_designed_falls_in_and_the_scaled_one_goes_over_the_rim() -> None:
    rim = BODIES["pot"].surfaces[0]
    v = np.linspace(0.0, 1.0, 401)
    at = rim.layout.face_parameters(np.zeros(401, dtype=int), np.column_stack([np.zeros(401), v]))
    profile = rim.geometry(np.zeros(401, dtype=int), at).point
    radius = np.hypot(profile[:, 0], profile[:, 1])
    assert radius.min() == pytest.approx(1.38, abs=0.005)
    border = BODIES["lid"].curves[0].geometry(np.array([0]), np.array([0.0])).point[0]
    designed = np.hypot(border[0], border[1])
    assert designed < radius.min()
    assert designed * LID_SCALE > radius.max()
