"""Fixed points find their feet, on curved faces and flat ones."""

import numpy as np
import pytest

from physplace_addon.core.contact.features import FACE, FeaturePoints
from physplace_addon.core.contact.points.minimization import closest_points_on_faces
from tests.core.contact.meetings import body, pose


def faces(solid, placed, rng, count):
    """Random corners of the tessellation."""
    rows = rng.integers(0, len(solid.triangles), count)
    return FeaturePoints(
        solid, placed, np.full(count, FACE), solid.triangle_face[rows], solid.triangle_uv[rows, 0]
    )


@pytest.mark.parametrize("name", ["torus", "ellipsoid"])
def test_a_point_over_a_face_finds_the_point_it_was_lifted_from(name, rng):
    at = faces(body(name), pose((0.3, 1.0, 0.2), (0.1, 0.2, 0.3)), rng, 40)
    there = at.geometry()
    beside = at.moved(0.03 * rng.normal(size=(40, 3)))
    found, foot = closest_points_on_faces(there.point + 0.05 * there.normal, beside, 1.0, 10)
    assert np.abs(foot.point - there.point).max() < 1e-12
    assert np.abs(found.geometry().point - foot.point).max() == 0.0


def test_the_start_stays_as_it_was(rng):
    at = faces(body("torus"), None, rng, 10)
    param = at.param.copy()
    closest_points_on_faces(at.geometry().point + 0.1, at, 1.0, 3)
    assert (at.param == param).all()
