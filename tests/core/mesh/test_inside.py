"""Both inside tests, against a sphere, against each other, and where they differ."""

import numpy as np
import pytest

from physplace_addon.core.mesh.inside import encloses, winding_number, windings
from physplace_addon.core.mesh.mass import signed_volumes
from tests.core.collision.soups import sphere, torus
from tests.core.meshes import CUBE_POINTS, CUBE_TRIANGLES


@pytest.mark.parametrize("scale", [1e-6, 1.0, 1e6])
def test_rays_and_solid_angles_agree_on_a_torus(rng: np.random.Generator, scale: float) -> None:
    triangles = scale * torus()
    points = scale * rng.uniform(-1.5, 1.5, size=(400, 3)) * [1.0, 1.0, 0.4]
    inside = encloses(triangles, points)
    assert 20 < inside.sum() < 380
    assert np.array_equal(inside, winding_number(points, triangles) > 0.5)


def test_a_ball_contains_what_is_nearer_than_its_faces(rng: np.random.Generator) -> None:
    triangles = sphere(around=40, across=20)
    points = rng.uniform(-1.2, 1.2, size=(500, 3))
    radius = np.linalg.norm(points, axis=1)
    found = encloses(triangles, points)
    assert found[radius < 0.98].all()
    assert not found[radius > 1.0].any()


def test_an_inside_out_shell_winds_backwards() -> None:
    triangles, point = sphere(), np.zeros((1, 3))
    orientation = windings(triangles, point)[0]
    assert abs(orientation) == 1
    assert windings(triangles[:, ::-1], point)[0] == -orientation
    assert encloses(triangles[:, ::-1], point)[0]


def test_a_shell_inside_another_is_counted_twice() -> None:
    nested = np.concatenate([sphere(), 0.5 * sphere()])
    points = np.array([[0.01, 0.02, 0.03], [0.7, 0.1, 0.1], [2.0, 0.1, 0.1]])
    assert np.abs(windings(nested, points)).tolist() == [2, 1, 0]
    assert encloses(nested, points).tolist() == [False, True, False]
    assert np.allclose(np.abs(winding_number(points, nested)), [2.0, 1.0, 0.0], atol=1e-12)


def test_a_small_hole_changes_solid_angles_little() -> None:
    triangles = sphere(around=40, across=20)
    point = np.zeros(3)
    whole, open_ = winding_number(point, triangles), winding_number(point, np.delete(triangles, 410, axis=0))
    assert 0.0 < abs(whole - open_) < 0.01


def test_no_points_give_no_numbers() -> None:
    assert windings(sphere(), np.zeros((0, 3))).shape == (0,)
    assert winding_number(np.zeros((0, 3)), sphere()).shape == (0,)


def test_triangles_of_any_width_are_met(rng: np.random.Generator) -> None:
    """Nested cubes from 1 to 1e-5: each is searched among others of its width."""
    sizes = 10.0 ** -np.arange(6.0)
    cubes = np.concatenate([size * CUBE_POINTS[CUBE_TRIANGLES] for size in sizes])
    points = rng.uniform(-0.6, 0.6, size=(len(sizes), 40, 3)) * sizes[:, None, None]
    expected = (np.abs(points).max(axis=2)[..., None] < 0.5 * sizes).sum(axis=2)
    sign = int(np.sign(signed_volumes(CUBE_POINTS[CUBE_TRIANGLES]).sum()))
    assert np.array_equal(windings(cubes, points.reshape(-1, 3)), sign * expected.ravel())
