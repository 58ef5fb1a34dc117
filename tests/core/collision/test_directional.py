"""Directional pairs, against all pairs of corners and faces."""

import numpy as np

from physplace_addon.core.arrays import Floats
from physplace_addon.core.collision import TriangleDirections, build_tree, directional_pairs
from physplace_addon.core.rigid import Pose
from tests.core.collision.soups import all_pairs, closest_on_triangles, random_soup, torus

EVERYWHERE = 1.0


def owning_all(triangles: Floats) -> TriangleDirections:
    """Triangles that own their corners, each of which can be touched along every direction."""
    count = len(triangles)
    corners = np.stack([triangles.min(axis=1), triangles.max(axis=1)], axis=1)
    return TriangleDirections(
        build_tree(triangles), np.full((3, count), EVERYWHERE), np.ones(count, bool), corners
    )


def owning_nothing(triangles: Floats) -> TriangleDirections:
    """Flat faces alone, which can be touched along their normals."""
    count = len(triangles)
    tree = build_tree(triangles)
    none = np.broadcast_to(np.array([[np.inf], [-np.inf]]), (count, 2, 3))
    return TriangleDirections(tree, np.abs(tree.planes[:, :3]).T.copy(), np.zeros(count, bool), none)


def pairs_within(first: Floats, second: Floats, reach: float) -> set[tuple[int, int]]:
    i, j = all_pairs(len(first), len(second))
    near = closest_on_triangles(first[i], second[j])[0] <= reach
    return set(zip(i[near].tolist(), j[near].tolist(), strict=True))


def test_with_features_in_all_directions_every_near_pair_is_there(rng: np.random.Generator) -> None:
    first, second = random_soup(rng, 80), random_soup(rng, 80)
    found = directional_pairs(owning_all(first), Pose.identity(), owning_all(second), 0.1, 1e-9)
    assert pairs_within(first, second, 0.1) <= set(map(tuple, found.tolist()))


def test_a_vertex_over_a_face_is_there(rng: np.random.Generator) -> None:
    first, second = 0.2 * random_soup(rng, 60, spread=6.0), torus()
    found = set(
        map(
            tuple,
            directional_pairs(
                owning_all(first), Pose.identity(), owning_nothing(second), 0.05, 1e-9
            ).tolist(),
        )
    )
    normal = np.cross(second[:, 1] - second[:, 0], second[:, 2] - second[:, 0])
    normal /= np.linalg.norm(normal, axis=1, keepdims=True)
    corners = first[:, None, :, None]  # beside the faces and their corners
    height = ((corners[..., 0, :] - second[:, None, 0]) * normal[:, None]).sum(axis=-1)
    foot = corners - (height[..., None] * normal[:, None])[..., None, :]
    inward = np.cross(normal[:, None], np.roll(second, -1, axis=1) - second)
    inside = ((foot - second[:, None]) * inward[:, None]).sum(axis=-1).min(axis=-1) >= 0.0
    over = ((np.abs(height) <= 0.05) & inside).any(axis=-1)
    expected = set(map(tuple, np.argwhere(over).tolist()))
    assert expected
    assert expected <= found


def test_beside_a_level_floor_nothing_is_found() -> None:
    floor = np.array([[[0.0, 0, 0], [1, 0, 0], [0, 1, 0]]])
    beside = floor + np.array([1.05, 0.0, 0.0])
    assert len(directional_pairs(owning_all(beside), Pose.identity(), owning_nothing(floor), 0.1, 1e-9)) == 0
    above = floor + np.array([0.0, 0.0, 0.05])
    assert len(directional_pairs(owning_all(above), Pose.identity(), owning_nothing(floor), 0.1, 1e-9)) == 1
