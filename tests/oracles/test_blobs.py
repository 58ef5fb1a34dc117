"""The oracle of blobs: its surface, its bound of the distance, and overlaps seen with it."""

from __future__ import annotations

import numpy as np
import pytest

from benchmarks.overlap_of_bodies import overlap_of
from benchmarks.random_scenes import BLOBS, LEVEL, SPREAD, Thing
from physplace_addon.core.arrays import Floats
from physplace_addon.core.bodies import polyhedron
from physplace_addon.core.bodies.implicit_solid import blob_body
from physplace_addon.core.implicit import blobby_spheres
from physplace_addon.core.rigid import Pose
from tests.bodies_of_the_paper import cuboid, torus
from tests.oracles.blobs import Gaussians
from tests.oracles.shapes import Ring

RADIUS = SPREAD * np.sqrt(np.log(1.0 / LEVEL))  # of a ball


def moved(*place: float) -> Pose:
    return Pose(np.array([1.0, 0.0, 0.0, 0.0]), np.array(place))


def blob(kind: str) -> Thing:
    shape = Gaussians(BLOBS[kind], SPREAD, LEVEL)
    return Thing(blob_body(blobby_spheres(LEVEL, BLOBS[kind], SPREAD), kind, tolerance=0.05), shape)


@pytest.mark.parametrize("kind", list(BLOBS))
def test_its_surface_is_that_of_the_body(kind: str) -> None:
    thing = blob(kind)
    body, shape = thing.body, Gaussians(BLOBS[kind], SPREAD, LEVEL)
    places = body.face_points(body.triangle_face, body.triangle_uv.mean(axis=1))
    assert np.abs(shape.signed_distance(places)).max() < 1e-12
    (patch,), thickness = shape.core()
    walked = patch.at(np.random.default_rng(0).uniform(patch.lower, patch.upper, (500, 2)))
    assert thickness == 0.0
    assert np.abs(shape.signed_distance(walked)).max() < 1e-12


@pytest.mark.parametrize("kind", list(BLOBS))
def test_its_bound_has_the_sign_of_the_distance_and_is_not_more(kind: str) -> None:
    shape, rng = Gaussians(BLOBS[kind], SPREAD, LEVEL), np.random.default_rng(1)
    (patch,), _ = shape.core()
    surface = patch.at(rng.uniform(patch.lower, patch.upper, (4000, 2)))
    places = rng.normal(size=(300, 3))
    nearest = np.linalg.norm(places[:, None] - surface, axis=2).min(axis=1)
    bound = shape.signed_distance(places)
    assert (np.abs(bound) <= nearest).all()
    assert ((bound > 0.0) == (shape.sum(places) < LEVEL)).all()


@pytest.mark.parametrize("blob_first", [True, False])
def test_a_blob_overlaps_a_torus_only_where_it_touches_it(blob_first: bool) -> None:
    """It is a ball above the ring's circle: their surfaces meet at the sum of the radii."""
    ring = torus(1.0, 0.3)
    assert isinstance(ring.shape, Ring)
    ball, other = blob("ball"), Thing(ring.body, ring.shape)
    for beyond, touches in ((1e-6, False), (-1e-4, True)):
        over = moved(1.0, 0.0, 0.3 + RADIUS + beyond)
        pair = (ball, over, other, moved(0, 0, 0))
        depth = overlap_of(*pair) if blob_first else overlap_of(*pair[2:], *pair[:2])
        assert depth == 0.0 if not touches else 0.3e-4 < depth <= 1e-4 + 1e-12


def test_of_a_wide_mesh_only_what_is_near_a_blob_is_looked_at(monkeypatch: pytest.MonkeyPatch) -> None:
    """Not all of the floor in parts as small as the blob's: the bound of the distance is weak far away."""
    ball, ground = blob("ball"), Thing(polyhedron(*cuboid([0.0, 0.0, -0.5], [20.0, 20.0, 0.5]), "floor"))
    looked_at, shape = [0], Gaussians.signed_distance

    def counted(self: Gaussians, places: Floats) -> Floats:
        looked_at[0] += len(places)
        return shape(self, places)

    monkeypatch.setattr(Gaussians, "signed_distance", counted)
    for height, touches in ((1e-6, False), (-1e-3, True)):
        depth = overlap_of(ball, moved(0.3, 0.2, RADIUS + height), ground, moved(0, 0, 0))
        assert depth == 0.0 if not touches else 0.3e-3 < depth <= 1e-3 + 1e-12
    assert looked_at[0] < 20_000
