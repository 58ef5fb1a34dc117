"""Bodies of Bezier patches: faces, closed or open, outside out, or refused."""

import numpy as np
import pytest

from physplace_addon.core.errors import SurfaceError
from physplace_addon.core.surfaces.bezier.bodies import bezier
from tests.core.surfaces.bezier.patched_bodies import BODIES, CLOSED, NETS, samples


def test_smooth_joins_make_one_face_and_creases_several() -> None:
    assert [len(BODIES[name].surfaces) for name in NETS] == [1, 1, 6, 1, 1, 3, 1]


def test_only_a_body_without_open_sides_is_closed() -> None:
    assert [name for name in NETS if BODIES[name].closed] == CLOSED


@pytest.mark.parametrize("name", CLOSED)
def test_normals_of_a_solid_point_out_of_it(name: str, rng: np.random.Generator) -> None:
    body = BODIES[name]
    middle = body.mass.center
    for sheet in body.surfaces:
        g = sheet.geometry(*samples(sheet, 200, rng))
        assert np.all(np.einsum("ki,ki->k", g.normal, g.point - middle) > 0.0)


def test_numbers_of_another_shape_are_refused() -> None:
    with pytest.raises(SurfaceError, match=r"\(n, 4, 4, 3\)"):
        bezier(np.zeros((4, 4, 3)))
    with pytest.raises(SurfaceError, match="finite"):
        bezier(np.full((1, 4, 4, 3), np.nan))
