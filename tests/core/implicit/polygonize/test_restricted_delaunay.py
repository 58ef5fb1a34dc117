"""On which component points are is known of those that stay, and found of those that are new."""

import numpy as np
import pytest
from scipy.spatial import ConvexHull

from physplace_addon.core.implicit import Spheres, union
from physplace_addon.core.implicit.polygonize.restricted_delaunay import (
    ComponentNumbers,
    DualEdges,
    in_bubbles,
)
from physplace_addon.core.implicit.surface_components.component_search import components_of

X = np.array([0.0, 1.5, 9.0])
BALLS = union([Spheres.of([x, 0.0, 0.0], 0.7) for x in X])


def on_balls(rng: np.random.Generator, count: int) -> tuple[np.ndarray, np.ndarray]:
    """Points (count, 3) on three balls, and the ball (count,) of each."""
    ball = rng.integers(len(X), size=count)
    way = rng.normal(size=(count, 3))
    way /= np.linalg.norm(way, axis=1)[:, None]
    return 0.7 * way + X[ball, None] * np.array([1.0, 0.0, 0.0]), ball


def test_each_ball_has_a_number_of_its_own_however_points_come_and_go(rng: np.random.Generator) -> None:
    numbers = ComponentNumbers(components_of(BALLS))
    (first, _), (second, ball) = on_balls(rng, 60), on_balls(rng, 90)
    numbers.of(first)
    of_ball = [int(np.unique(numbers.of(second)[ball == own]).item()) for own in range(len(X))]
    assert sorted(of_ball) == [0, 1, 2]
    third, ball = on_balls(rng, 90)
    rows, kept = rng.permutation(90), rng.integers(90, size=40)
    mixed = np.concatenate([third, second[kept]])
    found = numbers.of(mixed)
    assert np.array_equal(found, numbers.components.numbers_of(mixed))
    assert np.array_equal(found[:90], np.array(of_ball)[ball])
    assert np.array_equal(numbers.of(mixed[rows]), found[rows])


def test_what_is_returned_may_be_changed(rng: np.random.Generator) -> None:
    numbers, places = ComponentNumbers(components_of(BALLS)), on_balls(rng, 20)[0]
    found = numbers.of(places)
    found[:] = -1
    assert (numbers.of(places) >= 0).all()


@pytest.mark.parametrize(("count", "believed"), [(400, False), (40, True)])
def test_a_small_closed_part_is_not_believed_beside_a_greater_one(count: int, believed: bool) -> None:
    """Four triangles in a notch are closed and on the surface, whose only component is elsewhere."""
    points = np.random.default_rng(1).normal(size=(count, 3))
    points /= np.linalg.norm(points, axis=1)[:, None]
    ball = ConvexHull(points).simplices.astype(np.intp)
    bubble = np.array([[0, 1, 2], [0, 3, 1], [1, 3, 2], [2, 3, 0]]) + ball.max() + 1
    triangles = np.concatenate([ball, bubble])
    nowhere = np.zeros((len(triangles), 3))
    found = DualEdges(triangles, nowhere, nowhere, np.zeros(len(triangles), dtype=np.intp))
    marked = in_bubbles(found, components_of(Spheres.of([0.0, 0.0, 0.0], 1.0)))
    assert not marked[: len(ball)].any()
    assert marked[len(ball) :].tolist() == 4 * [not believed]
