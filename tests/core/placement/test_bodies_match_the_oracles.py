"""The two descriptions of every test body agree: centre of mass, support, and points on the surface."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from tests.bodies_of_the_paper import BOWL, GLASS, LID, Paired, cylinder, ellipsoid, sphere, straw, turned
from tests.core.placement.drops import BODIES
from tests.oracles.frames import sphere_directions

MAKERS: dict[str, Callable[[], Paired]] = {
    **BODIES,
    "bowl": lambda: turned("bowl", BOWL),
    "glass": lambda: turned("glass", GLASS),
    "lid": lambda: turned("lid", LID),
    "cylinder": cylinder,
    "ellipsoid": ellipsoid,
    "sphere": sphere,
    "straw": straw,
}


@pytest.mark.parametrize("name", MAKERS)
def test_both_descriptions_agree(name: str) -> None:
    paired = MAKERS[name]()
    body, shape = paired.body, paired.shape
    assert np.allclose(body.mass.center, shape.centre, rtol=0, atol=1e-13)
    d = sphere_directions(40)
    below = shape.support(d) - np.max(d @ (body.points - shape.centre).T, axis=1)
    assert below.min() >= -1e-13
    assert below.max() <= 0.004 * body.radius
    some = slice(None, None, max(1, len(body.triangles) // 1000))
    on_surface = body.face_geometry(body.triangle_face[some], body.triangle_uv[some, 0]).point
    if hasattr(shape, "signed_distance"):
        assert np.abs(shape.signed_distance(on_surface)).max() <= 1e-13
    if hasattr(shape, "rho"):
        distance = np.linalg.norm(on_surface, axis=1)
        assert np.allclose(shape.rho(on_surface / distance[:, None]), distance, rtol=0, atol=1e-13)
