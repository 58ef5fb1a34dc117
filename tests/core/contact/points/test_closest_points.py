"""Closest points on curved and flat faces."""

from __future__ import annotations

import numpy as np
import pytest

from physplace_addon.core.bodies.body import Body
from physplace_addon.core.bodies.topology.seams import seams_of
from physplace_addon.core.contact.features import FACE, FeaturePoints
from physplace_addon.core.contact.points.closest_points import (
    closest_points_across_seams,
    closest_points_on_faces,
)
from physplace_addon.core.rigid import Pose
from tests.core.contact.body_pairs import body, pose


def faces(solid: Body, placed: Pose | None, rng: np.random.Generator, count: int) -> FeaturePoints:
    """Random corners of the tessellation."""
    rows = rng.integers(0, len(solid.triangles), count)
    return FeaturePoints(
        solid, placed, np.full(count, FACE), solid.triangle_face[rows], solid.triangle_uv[rows, 0]
    )


@pytest.mark.parametrize("name", ["torus", "ellipsoid"])
def test_a_point_over_a_face_finds_the_point_it_was_lifted_from(name: str, rng: np.random.Generator) -> None:
    at = faces(body(name), pose((0.3, 1.0, 0.2), (0.1, 0.2, 0.3)), rng, 40)
    there = at.geometry()
    beside = at.moved(0.03 * rng.normal(size=(40, 3)))
    found, closest = closest_points_on_faces(there.point + 0.05 * there.normal, beside, 1.0, 10)
    assert np.abs(closest.point - there.point).max() < 1e-12
    assert np.abs(found.geometry().point - closest.point).max() == 0.0


def test_the_start_stays_as_it_was(rng: np.random.Generator) -> None:
    at = faces(body("torus"), None, rng, 10)
    param = at.param.copy()
    closest_points_on_faces(at.geometry().point + 0.1, at, 1.0, 3)
    assert (at.param == param).all()


def test_a_closest_point_goes_on_beyond_a_seam() -> None:
    """From a point over a cylinder's disk, begun on the side of the cylinder, the foot is on the disk."""
    cylinder = body("cylinder")
    side = int(np.argmax(~cylinder.face_flat))
    triangle = int(np.flatnonzero(cylinder.triangle_face == side)[0])
    count = 5
    places = np.stack([np.linspace(0.1, 0.4, count), np.zeros(count), np.full(count, 1.2)], axis=1)
    start = np.tile(cylinder.triangle_uv[triangle, 0], (count, 1))
    faces = FeaturePoints(cylinder, None, np.full(count, FACE), np.full(count, side), start)
    _, stays = closest_points_on_faces(places, faces, cylinder.radius, 20)
    assert np.abs(np.hypot(*stays.point[:, :2].T) - 0.5).max() < 1e-9
    found, at = closest_points_across_seams(places, faces, seams_of(cylinder), cylinder.radius, 20)
    assert (found.index != side).all()
    assert np.allclose(at.point, places - [0.0, 0.0, 0.2], atol=1e-12)
    assert np.allclose(at.normal, [0.0, 0.0, 1.0], atol=1e-12)
