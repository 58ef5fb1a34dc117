"""Charts about poles lead to the meridian below a point."""

import numpy as np
import pytest

from physplace_addon.core.surfaces.bezier.nets import BezierNets
from tests.core.surfaces.bezier.patched_bodies import BODIES


@pytest.mark.parametrize("name", ["pebble", "lunes", "tip"])
def test_the_meridian_of_a_point_near_a_pole_passes_close_below_it(name: str) -> None:
    for sheet in BODIES[name].surfaces:
        for pole in sheet.poles:
            angle = np.linspace(0.0, 2.0 * np.pi, 60, endpoint=False)
            out = np.cos(angle)[:, None] * pole.plane[0] + np.sin(angle)[:, None] * pole.plane[1]
            assert isinstance(sheet.nets, BezierNets)
            size = 1e-3 * float(np.ptp(sheet.nets.places.reshape(-1, 3), axis=0).max())
            patch, at = pole.meridian(pole.point + size * out)
            offset = sheet.nets.slopes(patch, at).point - pole.point
            flat = offset @ pole.plane.T
            np.testing.assert_allclose(flat / size, out @ pole.plane.T, atol=2e-2)
            assert (np.abs(at[:, 1] - 1.0) < 0.1).all()


def test_only_the_pole_of_a_pointed_body_is_not_smooth() -> None:
    assert all(pole.smooth for sheet in BODIES["pebble"].surfaces for pole in sheet.poles)
    assert not any(pole.smooth for sheet in BODIES["tip"].surfaces for pole in sheet.poles)
