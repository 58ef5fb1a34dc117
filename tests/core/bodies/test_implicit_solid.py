"""An implicit surface as a body: exact faces, a tessellation that bounds its error, exact rests."""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache

import numpy as np
import pytest
from scipy.optimize import minimize_scalar

from physplace_addon.core.bodies import exact
from physplace_addon.core.bodies.implicit_solid import blob_body
from physplace_addon.core.errors import PhysPlaceError
from physplace_addon.core.implicit import HalfSpaces, blobby_spheres, difference, intersection, union
from physplace_addon.core.implicit.polygonize.surface_sampling import surface_samples
from physplace_addon.core.placement import Placement
from physplace_addon.core.rigid import Pose
from physplace_addon.core.surfaces import kinds
from tests.core.implicit.surfaces import fourteen_spheres
from tests.oracles.frames import quaternion_of, random_rotation, rotation_of

BIAS = 0.5
RADIUS = np.log(1 / BIAS) ** 0.5  # of the surface of a blobby sphere of radius 1
EIGHT = np.arange(8) * np.pi / 4
RING = np.stack([np.cos(EIGHT), np.sin(EIGHT), 0 * EIGHT], axis=1)


def ball_of(scale=1.0, centre=(0.0, 0.0, 0.0)):
    return blobby_spheres(BIAS, [np.array(centre) * scale], [scale])


@lru_cache
def lump():
    return blob_body(fourteen_spheres(), "lump", tolerance=0.01)


@lru_cache
def ring():
    return blob_body(blobby_spheres(BIAS, RING, [0.55] * 8), "ring", tolerance=0.015)


def somewhere(body, count, seed=0):
    """Faces and parameters of random places, and the places of the tessellation there."""
    random = np.random.default_rng(seed)
    triangle, weights = (
        random.integers(len(body.triangles), size=count),
        random.dirichlet([1, 1, 1], size=count),
    )
    uv, flat = (np.einsum("kc,kci->ki", weights, own[triangle]) for own in (body.triangle_uv, body.triangles))
    return triangle, body.triangle_face[triangle], uv, flat


def rested(body, pose, world):
    """How it ended, and the last state's rotation and centre of mass."""
    placement = Placement(body, pose, world)
    certificate = placement.run()
    pose = placement.states[-1].pose
    rotation = rotation_of(pose.rotation)
    return certificate, rotation, rotation @ body.mass.center + pose.translation


def test_derivatives_are_those_of_finite_differences():
    patches = lump().surfaces[0].nets
    random = np.random.default_rng(1)
    patch, at, step = random.integers(len(patches), size=200), random.uniform(0.1, 0.9, (200, 2)), 1e-5
    exactly = patches.derivatives(patch, at)
    for axis, names in ((0, ("du", "duu", "duv")), (1, ("dv", "duv", "dvv"))):
        low, high = (patches.derivatives(patch, at + sign * step * np.eye(2)[axis]) for sign in (-1, 1))
        for name, of in zip(names, ("point", "du", "dv"), strict=True):
            difference = (getattr(high, of) - getattr(low, of)) / (2 * step)
            assert getattr(exactly, name) == pytest.approx(difference, abs=1e-9), name


def test_points_normals_and_curvature_are_the_functions_own():
    body, function = lump(), fourteen_spheres()
    _, face, uv, _ = somewhere(body, 400)
    found = body.face_geometry(face, uv)
    value, gradient, hessian = function.hessian(found.point)
    slope = np.linalg.norm(gradient, axis=1)
    assert np.abs(value / slope).max() <= 1e-13
    assert found.normal == pytest.approx(gradient / slope[:, None], abs=1e-12)
    bent = -found.frame @ hessian @ found.frame.transpose(0, 2, 1) / slope[:, None, None]
    assert found.curvature == pytest.approx(bent, abs=1e-9)


def test_where_a_patch_is_does_not_depend_on_the_guess():
    patches = lump().surfaces[0].nets
    random = np.random.default_rng(2)
    patch, at = random.integers(len(patches), size=300), random.uniform(0.0, 1.0, (300, 2))
    guessed = patches.forms(patch, at)
    for guesses in (0.0 * patches.guesses, random.uniform(-1e-2, 1e-2, patches.guesses.shape)):
        found = replace(patches, guesses=guesses).forms(patch, at)
        assert np.abs(found[0].point - guessed[0].point).max() <= 1e-14
        assert np.abs(found[1] - guessed[1]).max() <= 1e-13
        assert np.abs(found[2] - guessed[2]).max() <= 1e-9 * np.abs(guessed[2]).max()


def test_the_tessellation_is_as_near_as_it_says():
    body = lump()
    triangle, face, uv, _ = somewhere(body, 20000)
    point = body.face_geometry(face, uv).point
    away = np.full(len(point), np.inf)
    for own in (triangle, triangle ^ 1):  # both halves of a patch
        corners = body.triangles[own]
        normal = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
        plane = np.abs(np.einsum("ki,ki->k", point - corners[:, 0], normal)) / np.linalg.norm(normal, axis=1)
        away = np.minimum(away, plane)
    assert (away <= body.triangle_bound[triangle]).all()
    assert body.triangle_bound.max() <= 0.01


def test_a_walk_over_the_patches_ends_at_the_nearest_point():
    body = blob_body(ball_of(), "ball", tolerance=0.02)
    _, face, uv, _ = somewhere(body, 500)
    there = body.face_geometry(face, uv)
    random = np.random.default_rng(3)
    way = np.einsum("kab,ka->kb", there.frame, random.uniform(-0.05, 0.05, (500, 2)))
    end = body.face_geometry(face, body.face_move(face, uv, way)).point
    target = there.point + way
    nearest = RADIUS * target / np.linalg.norm(target, axis=1)[:, None]
    assert np.linalg.norm(end - nearest, axis=1).max() <= 2e-3


@pytest.mark.parametrize(("scale", "away"), [(1e-3, 0.0), (1.0, 1e4), (1e3, 0.0)])
def test_a_single_blobby_sphere_has_the_mass_and_the_rest_of_a_ball(scale, away):
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


def test_a_peanut_lies_on_both_of_its_lobes_at_its_exact_height():
    """Its highest points are where the sum of both Gaussians along its axis is greatest."""
    function = blobby_spheres(BIAS, [[-1, 0, 0], [1, 0, 0]], [1.0, 1.0])
    most = -minimize_scalar(
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


def test_a_ball_sinks_into_a_ring_of_blobs_as_deep_as_its_symmetry_says():
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


def test_a_ring_of_eight_blobs_comes_to_rest_on_a_cone():
    cone = exact(kinds.cone(1.5, 3.0), "cone")
    turn = rotation_of([0.99875, 0.045, 0.02, 0.0])
    certificate, rotation, centre = rested(
        ring(), Pose(quaternion_of(turn), np.array([0.03, 0.02, 5.0])), [cone]
    )
    assert certificate.status.at_rest
    contacts = (certificate.contacts.position - centre) @ rotation + ring().mass.center
    value, gradient = blobby_spheres(BIAS, RING, [0.55] * 8).gradient(contacts)
    assert np.abs(value / np.linalg.norm(gradient, axis=1)).max() <= 1e-8


def test_a_sharp_union_is_its_parts_and_the_mass_is_counted_once():
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


def test_each_part_of_a_surface_is_a_face():
    function = blobby_spheres(BIAS, [[0, 0, 0], [4, 0, 0]], [1.0, 1.0])
    body = blob_body(function, "two", surface_samples(function, 0.4), 0.2, tolerance=0.03)
    assert body.face_count == 2
    assert body.mass.center == pytest.approx([2, 0, 0], abs=1e-9)
    assert len(np.unique(body.triangle_corners)) == body.point_count


def test_a_part_a_twentieth_of_the_rest_is_not_left_out():
    function = blobby_spheres(BIAS, [[0, 0, 0], [3, 0.1, 0.2]], [1.0, 0.05])
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
def test_what_cannot_be_a_body_is_refused_by_name_with_a_remedy(function, said):
    with pytest.raises(PhysPlaceError, match=f'"thing".*{said}'):
        blob_body(function, "thing")
