"""Features of every dimension: their geometry is that of finite differences along them."""

import numpy as np
import pytest

from physplace_addon.core.contact.features import EDGE, FACE, VERTEX, FeatureGeometry, FeaturePoints
from physplace_addon.core.rigid import Pose, Poses
from tests.core.contact.body_pairs import body, pose

PLACED = pose((0.4, -0.2, 0.7), (0.3, 0.1, -0.2))


def on_faces(name: str, rng: np.random.Generator, count: int = 12, placed: Pose = PLACED) -> FeaturePoints:
    solid = body(name)
    rows = rng.integers(0, len(solid.triangles), count)
    uv = solid.triangle_uv[rows].mean(axis=1)
    return FeaturePoints(solid, placed, np.full(count, FACE), solid.triangle_face[rows], uv)


def on_rims(rng: np.random.Generator, count: int = 8) -> FeaturePoints:
    t = np.stack([rng.uniform(0.0, 6.0, count), np.zeros(count)], axis=1)
    return FeaturePoints(body("cylinder"), PLACED, np.full(count, EDGE), rng.integers(0, 2, count), t)


@pytest.mark.parametrize("name", ["torus", "ellipsoid", "ball"])
def test_the_curvature_of_a_face_is_the_second_difference_along_it(
    name: str, rng: np.random.Generator
) -> None:
    points, step = on_faces(name, rng), 1e-4
    here = points.geometry()
    np.testing.assert_allclose(np.linalg.norm(here.normal, axis=1), 1.0, atol=1e-12)
    for a in range(2):
        along = step * here.tangents[:, a]
        ahead, back = points.moved(along).geometry().point, points.moved(-along).geometry().point
        second = np.einsum("ki,ki->k", ahead + back - 2.0 * here.point, here.normal) / step**2
        np.testing.assert_allclose(second, here.curvature[:, a, a], atol=1e-4)
        first = (ahead - back) / (2.0 * step)
        np.testing.assert_allclose(first, here.tangents[:, a], atol=1e-6)


def test_the_curvature_vector_of_an_edge_is_the_second_difference_along_it(rng: np.random.Generator) -> None:
    points, step = on_rims(rng), 1e-4
    here = points.geometry()
    along = step * here.tangents[:, 0]
    ahead, back = points.moved(along).geometry().point, points.moved(-along).geometry().point
    np.testing.assert_allclose((ahead + back - 2.0 * here.point) / step**2, here.curvature_vector, atol=1e-5)
    assert not here.tangents[:, 1].any()
    assert not here.normal.any()


def test_a_vertex_stays_where_it_is() -> None:
    apex = FeaturePoints(body("cone"), PLACED, np.array([VERTEX]), np.array([0]), np.zeros((1, 2)))
    there = apex.geometry()
    np.testing.assert_allclose(there.point, PLACED.points(body("cone").vertices), atol=1e-14)
    np.testing.assert_array_equal(apex.moved(np.ones((1, 3))).geometry().point, there.point)
    assert not there.tangents.any()


def test_mixed_dimensions_are_evaluated_as_each_alone(rng: np.random.Generator) -> None:
    solid = body("cylinder")
    dim, index = np.array([EDGE, FACE, EDGE, FACE]), np.array([0, 1, 1, 2])
    param = np.array([[0.3, 0.0], [0.2, 0.4], [2.0, 0.0], [0.1, 0.3]])
    points = FeaturePoints(solid, PLACED, dim, index, param)
    together = points.geometry()
    for row in range(4):
        alone = points.take(np.array([row])).geometry()
        for name in ("point", "tangents", "normal", "curvature", "curvature_vector"):
            np.testing.assert_allclose(getattr(together, name)[row], getattr(alone, name)[0], atol=1e-14)


def test_a_rigid_motion_turns_directions_and_places_alone(rng: np.random.Generator) -> None:
    there = on_faces("torus", rng).geometry()
    poses = Poses.of([PLACED] * len(there.point))
    turned = there.carried(poses)
    np.testing.assert_allclose(turned.point, PLACED.points(there.point), atol=1e-14)
    np.testing.assert_allclose(turned.normal, there.normal @ PLACED.matrix.T, atol=1e-14)
    np.testing.assert_array_equal(turned.curvature, there.curvature)
    back = turned.carried(poses.inverse())
    np.testing.assert_allclose(back.tangents, there.tangents, atol=1e-13)


def test_the_curvature_along_a_direction_is_linear_in_it(rng: np.random.Generator) -> None:
    there = on_faces("ellipsoid", rng).geometry()
    np.testing.assert_allclose(there.curvature_along(there.normal), there.curvature, atol=1e-14)
    np.testing.assert_allclose(there.curvature_along(there.tangents[:, 0]), 0.0, atol=1e-14)
    rims = on_rims(rng).geometry()
    inward = rims.curvature_vector / np.linalg.norm(rims.curvature_vector, axis=1)[:, None]
    np.testing.assert_allclose(rims.curvature_along(inward)[:, 0, 0], 2.0, atol=1e-12)  # 1 / radius


def test_rows_put_into_an_empty_value_are_those_taken_out_again(rng: np.random.Generator) -> None:
    there, rows = on_faces("torus", rng, 3).geometry(), np.array([4, 0, 2])
    room = FeatureGeometry.empty(5)
    room.put(rows, there)
    np.testing.assert_array_equal(room.take(rows).tangents, there.tangents)
    assert not room.point[[1, 3]].any()
