"""Near flat features are looked for where they can be met: none is missed, and few that stand beside."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from scipy.spatial import ConvexHull

from physplace_addon.core.bodies import Body, polyhedron
from physplace_addon.core.collision import directional_pairs, near_pairs
from physplace_addon.core.contact.contact_body import ContactBody
from physplace_addon.core.contact.features import EDGE, VERTEX, FeaturePoints
from physplace_addon.core.contact.normal_cones import least_slopes
from physplace_addon.core.contact.points.interface_points import InterfacePoints
from physplace_addon.core.contact.regions.flat_pairs import flat_pairs
from tests.core.contact.body_pairs import lowered, meet
from tests.core.meshes import CUBE_POINTS, CUBE_TRIANGLES, torus

FEATURE = ("dim1", "index1", "dim2", "index2")


def convex(rng: np.random.Generator) -> Body:
    points = rng.normal(size=(12, 3))
    return polyhedron(points, ConvexHull(points).simplices, "convex")


def sheet(rng: np.random.Generator, cells: int = 6, bend: float = 0.1) -> Body:
    """A wavy sheet over [-2, 2]^2 with creases and flat spots."""
    line = np.linspace(-2.0, 2.0, cells + 1)
    x, y = np.meshgrid(line, line, indexing="ij")
    z = bend * rng.normal(size=x.shape) * (rng.random(x.shape) < 0.5)
    a = (np.arange(cells)[:, None] * (cells + 1) + np.arange(cells)).ravel()
    b, c, d = a + cells + 1, a + cells + 2, a + 1
    triangles = np.concatenate([np.stack([a, b, c], axis=1), np.stack([a, c, d], axis=1)])
    return polyhedron(np.stack([x, y, z], axis=-1).reshape(-1, 3), triangles, "sheet")


BODIES: dict[str, Callable[[np.random.Generator], Body]] = {
    "convex": convex,
    "sheet": sheet,
    "nearly flat": lambda rng: sheet(rng, bend=1e-5),
    "cube": lambda rng: polyhedron(CUBE_POINTS, CUBE_TRIANGLES, "cube"),
    "ring": lambda rng: polyhedron(*torus(12, 8), "ring"),
}


def keys(points: InterfacePoints) -> list[tuple[int, ...]]:
    columns = np.stack([getattr(points, name) for name in FEATURE], axis=1)
    return [*map(tuple, columns.tolist())]


@pytest.mark.parametrize("world", BODIES)
@pytest.mark.parametrize("active", BODIES)
def test_every_pair_within_reach_is_found_and_in_the_same_order(
    rng: np.random.Generator, active: str, world: str
) -> None:
    body_pair = meet(BODIES[active](rng), BODIES[world](rng))
    first, second = body_pair.active, body_pair.world
    everything = np.divmod(
        np.arange(len(first.triangle_flat) * len(second.triangle_flat)), len(second.triangle_flat)
    )
    found = 0
    for gap in (1e-10, 0.02):
        turned = meet(first.body, second.body, rng.normal(size=3), (*rng.normal(size=2), 9.0))
        near = lowered(turned, gap * turned.radius)
        if near is None:
            continue
        reach = 0.1 * near.radius
        expected = flat_pairs(near, *everything)
        expected = expected.take(np.abs(expected.gap) <= reach)
        pairs = directional_pairs(
            first.normal_bounds, near.pose, second.normal_bounds, reach, near.sign_tolerance
        )
        points = flat_pairs(near, pairs[:, 0], pairs[:, 1], None, reach)
        points = points.take(np.abs(points.gap) <= reach)
        assert keys(points) == keys(expected)
        assert np.abs(points.gap - expected.gap).max(initial=0.0) < 1e-13
        found += len(points)
    assert found


@pytest.mark.parametrize("name", BODIES)
def test_no_direction_of_a_normal_cone_is_outside_the_bounds(rng: np.random.Generator, name: str) -> None:
    body = ContactBody.of([BODIES[name](rng)])
    shape = body.body
    for dim, count, spread in (
        (EDGE, shape.edge_count, body.edge_normal_bounds),
        (VERTEX, len(shape.vertices), body.vertex_normal_bounds),
    ):
        index = np.repeat(np.arange(count), 400)
        upward = rng.normal(size=(len(index), 3)) * rng.choice([1e-6, 1e-3, 1.0], size=(len(index), 3))
        features = FeaturePoints(shape, None, np.full(len(index), dim), index, np.zeros((len(index), 2)))
        if dim == EDGE:
            tangent = features.geometry().tangents[:, 0]
            upward -= (upward * tangent).sum(axis=1)[:, None] * tangent
        upward /= np.linalg.norm(upward, axis=1)[:, None]
        inside = least_slopes(features, upward)[1] >= -1e-6
        assert inside.any()
        assert (np.abs(upward[inside]) <= spread[index[inside]] + 1e-9).all()


def test_over_a_level_floor_of_fine_cells_nothing_is_looked_for_beside(rng: np.random.Generator) -> None:
    floor, ring = sheet(rng, cells=60, bend=0.0), polyhedron(*torus(40, 20), "ring")
    body_pair = meet(
        ring.transformed(0.25 * np.eye(4) + 0.75 * np.diag([0.0, 0, 0, 1])), floor, at=(0.0, 0.0, 0.251)
    )
    reach = 2.0 * 4.0 / 60
    looked = directional_pairs(
        body_pair.active.normal_bounds,
        body_pair.pose,
        body_pair.world.normal_bounds,
        reach,
        body_pair.sign_tolerance,
    )
    points = flat_pairs(body_pair, looked[:, 0], looked[:, 1], None, reach)
    near = near_pairs(body_pair.active.tree, body_pair.pose, body_pair.world.tree, reach)
    assert len(points) >= 250
    assert len(looked) < 3 * len(points)
    assert len(near) > 10 * len(looked)
