"""An implicit surface as a body: exact faces, a tessellation that bounds its error, exact rests."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from scipy.optimize import OptimizeResult, minimize_scalar

from physplace_addon.core.bodies import exact
from physplace_addon.core.bodies.implicit_solid import blob_body, making_blob_body
from physplace_addon.core.errors import PhysPlaceError
from physplace_addon.core.implicit import (
    Ellipsoids,
    HalfSpaces,
    blobby_spheres,
    difference,
    intersection,
    union,
)
from physplace_addon.core.implicit.functions.base import ImplicitFunction
from physplace_addon.core.rigid import Pose
from physplace_addon.core.surfaces import kinds
from tests.core.bodies.blob_bodies import BIAS, RADIUS, RING, ball_of, rested, ring
from tests.oracles.frames import quaternion_of, random_rotation, rotation_of


@pytest.mark.parametrize(("scale", "away"), [(1e-3, 0.0), (1.0, 1e4), (1e3, 0.0)])
def test_a_single_blobby_sphere_has_the_mass_and_the_rest_of_a_ball(scale: float, away: float) -> None:
    radius = scale * RADIUS
    body = blob_body(ball_of(scale, (away, 0.2, 0.3)), "ball", tolerance=0.02 * radius)
    assert body.mass.volume == pytest.approx(4 / 3 * np.pi * radius**3, rel=1e-9)
    assert body.mass.inertia == pytest.approx(0.4 * radius**2 * np.eye(3), abs=1e-9 * radius**2)
    floor = exact(kinds.plane(40 * scale, 40 * scale), "floor")
    turn = random_rotation(np.random.default_rng(0))
    start = np.array([0, 0, 3 * scale]) - turn @ body.mass.center
    certificate, _, centre = rested(body, Pose(quaternion_of(turn), start), [floor])
    assert certificate.status.at_rest
    assert centre[2] == pytest.approx(radius, abs=1e-9 * radius)


def test_a_peanut_lies_on_both_of_its_lobes_at_its_exact_height() -> None:
    """Its highest points are where the sum of both Gaussians along its axis is greatest."""
    function = blobby_spheres(BIAS, [[-1, 0, 0], [1, 0, 0]], [1.0, 1.0])
    minimized: Callable[..., OptimizeResult] = minimize_scalar
    most = -minimized(
        lambda x: -np.exp(-((x - 1) ** 2)) - np.exp(-((x + 1) ** 2)),
        bounds=(0.5, 1.2),
        options={"xatol": 1e-13},
    ).fun
    body = blob_body(function, "peanut", tolerance=0.02)
    turn = random_rotation(np.random.default_rng(5))
    floor = exact(kinds.plane(40, 40), "floor")
    certificate, rotation, centre = rested(body, Pose(quaternion_of(turn), np.array([0, 0, 3.0])), [floor])
    assert certificate.status.at_rest
    assert centre[2] == pytest.approx(np.log(most / BIAS) ** 0.5, abs=1e-9 * body.radius)
    assert abs(rotation[2, 0]) <= 1e-7


def test_a_ball_sinks_into_a_ring_of_blobs_as_deep_as_its_symmetry_says() -> None:
    """It touches all eight spheres' midst or all eight gaps: the ball's distance from the ring is the same
    there.
    """
    ball, radius = exact(kinds.sphere(0.8), "ball"), 0.8
    certificate, _, centre = rested(
        ball, Pose(np.array([1.0, 0, 0, 0]), np.array([0.03, 0.02, 2.0])), [ring()]
    )
    assert certificate.status.at_rest
    assert np.abs(centre[:2]).max() <= 1e-6
    function = blobby_spheres(BIAS, RING, [0.55] * 8)
    random = np.random.default_rng(0).normal(size=(40000, 3))
    sphere = centre + radius * random / np.linalg.norm(random, axis=1)[:, None]
    value, gradient = function.gradient(sphere)
    gap = value / np.linalg.norm(gradient, axis=1)
    assert -1e-9 <= gap.min() <= 1e-3
    contacts = certificate.contacts.position
    assert np.abs(np.linalg.norm(contacts - centre, axis=1) - radius).max() <= 1e-8
    value, gradient = function.gradient(contacts)
    assert np.abs(value / np.linalg.norm(gradient, axis=1)).max() <= 1e-8


def test_a_ring_of_eight_blobs_comes_to_rest_on_a_cone() -> None:
    cone = exact(kinds.cone(1.5, 3.0), "cone")
    turn = rotation_of([0.99875, 0.045, 0.02, 0.0])
    certificate, rotation, centre = rested(
        ring(), Pose(quaternion_of(turn), np.array([0.03, 0.02, 5.0])), [cone]
    )
    assert certificate.status.at_rest
    contacts = (certificate.contacts.position - centre) @ rotation + ring().mass.center
    value, gradient = blobby_spheres(BIAS, RING, [0.55] * 8).gradient(contacts)
    assert np.abs(value / np.linalg.norm(gradient, axis=1)).max() <= 1e-8


@pytest.mark.slow
def test_a_sharp_union_is_its_parts_and_the_mass_is_counted_once() -> None:
    """Two balls of radius r, 0.6 apart: each has a cap of height h = r - 0.3 in the other."""
    body = blob_body(union([ball_of(centre=(x, 0, 0)) for x in (-0.3, 0.3, 0.3)]), "pair", tolerance=0.02)
    cap = RADIUS - 0.3
    volume = 2 * (4 / 3 * np.pi * RADIUS**3 - np.pi * cap**2 * (3 * RADIUS - cap) / 3)
    assert body.mass.volume == pytest.approx(volume, rel=3e-4)
    assert body.mass.center == pytest.approx(np.zeros(3), abs=1e-4)
    floor = exact(kinds.plane(40, 40), "floor")
    turn = rotation_of([0.9995, 0.0, 0.03, 0.01])
    certificate, _, centre = rested(body, Pose(quaternion_of(turn), np.array([0, 0, 1.0])), [floor])
    assert certificate.status.at_rest
    assert centre[2] == pytest.approx(RADIUS, abs=1e-4)
    assert certificate.contacts.position[:, 2] == pytest.approx(0, abs=1e-9)


def test_a_part_a_twentieth_of_the_rest_is_not_left_out() -> None:
    function = blobby_spheres(BIAS, [[0.0, 0.0, 0.0], [3.0, 0.1, 0.2]], [1.0, 0.05])
    body = blob_body(function, "moon", tolerance=0.02)
    assert body.face_count == 2
    assert body.mass.volume == pytest.approx(4 / 3 * np.pi * RADIUS**3 * (1 + 0.05**3), rel=1e-6)


@pytest.mark.parametrize(
    ("function", "said"),
    [
        (HalfSpaces.of([[0, 0, 1]], [[0, 0, 0]]), "infinite"),
        (difference(ball_of(), [ball_of(centre=(0, 0, 0.6))]), "sharp edge"),  # no mesh fits an acute one
        (intersection([ball_of(centre=(-0.3, 0, 0)), ball_of(centre=(0.3, 0, 0))]), "sharp edge"),
        (intersection([ball_of(), ball_of(centre=(4, 0, 0))]), "no surface"),
        (union([ball_of(), HalfSpaces.of([[0, 0, 1]], [[0, 0, 0]])]), "infinite"),
    ],
)
def test_what_cannot_be_a_body_is_refused_by_name_with_a_remedy(
    function: ImplicitFunction, said: str
) -> None:
    with pytest.raises(PhysPlaceError, match=f'"thing".*{said}'):
        blob_body(function, "thing")


def test_the_body_of_a_thin_blob_is_made_in_many_slices() -> None:
    plate = Ellipsoids.of([[0.0, 0.0, 0.0]], [[1.0, 1.0, 0.2]], [np.eye(3)])
    job = making_blob_body(plate, "plate")
    words = {next(job).words.split()[0] for _ in range(14)}
    job.close()
    assert words == {"Joining", "Comparing", "Laying"}
