"""On which component points are is known of those that stay, and found of those that are new."""

from collections.abc import Callable

import numpy as np
import pytest
from scipy.spatial import ConvexHull

from physplace_addon.core.arrays import Floats
from physplace_addon.core.implicit import Boxes, FormulaFunction, ImplicitFunction, Spheres, union
from physplace_addon.core.implicit.polygonize.mesh_topology import MeshTopology, area_vectors
from physplace_addon.core.implicit.polygonize.restricted_delaunay import (
    ComponentNumbers,
    DualEdges,
    DualEdgesOfRounds,
    in_bubbles,
    rings,
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


@pytest.mark.parametrize("x", [[0.0], X], ids=["one ball", "three balls"])
def test_in_every_round_triangles_are_a_sphere_about_each_ball(
    x: list[float], rng: np.random.Generator, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Points come and go on the first ball only; what is known of the others, and of most of it, is used."""
    balls = union([Spheres.of([own, 0.0, 0.0], 0.7) for own in x])
    asked: list[int] = []
    monkeypatch.setattr(type(balls), "value", counted(type(balls).value, asked))
    rounds = DualEdgesOfRounds(balls, 0.3, components_of(balls))
    places = on_balls(rng, 400)[0]
    places = places[places[:, 0] < max(x) + 0.7]
    names, at_first = np.arange(len(places)), 0
    for number in range(4):
        asked.clear()
        found = rounds.of(places, names, np.zeros(len(places)))
        topology = MeshTopology.of(found.triangles, len(places))
        assert topology.used.all()
        assert not topology.non_manifold.any()
        assert topology.euler_characteristic == 2 * len(x)
        outwards = area_vectors(places, found.triangles)
        first = places[found.triangles[:, 0]]
        middles = np.array(x)[np.argmin(np.abs(first[:, :1] - np.array(x)), axis=1)]
        assert (np.einsum("ti,ti->t", outwards, first - np.outer(middles, [1.0, 0.0, 0.0])) > 0.0).all()
        at_first = at_first if number else sum(asked)
        assert len(x) == 1 or number == 0 or sum(asked) < 0.8 * at_first
        more = on_balls(rng, 30)[0]
        more = more[more[:, 0] < 0.7]
        stays = (places[:, 0] > 0.7) | (rng.random(len(places)) < 0.97)
        places = np.concatenate([places[stays], more])
        names = np.concatenate([names[stays], 1000 * (number + 1) + np.arange(len(more))])


def counted(value: Callable[..., Floats], asked: list[int]) -> Callable[..., Floats]:
    """A function of places (n, 3) that also notes how many they are."""

    def noted(self: ImplicitFunction, places: Floats) -> Floats:
        asked.append(len(places))
        return value(self, places)

    return noted


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


def test_dual_edges_cross_the_surface_although_points_get_nearer_neighbours(rng: np.random.Generator) -> None:
    """Four corners of a cell lie on one circle, so that stirring them by less moves a centre far."""
    ball = Spheres.of([0.0, 0.0, 0.0], 1.0)
    turn, rise = (
        each.ravel() for each in np.meshgrid(np.arange(16) * np.pi / 8.0, np.linspace(-1.2, 1.2, 9))
    )
    grid = np.stack([np.cos(rise) * np.cos(turn), np.cos(rise) * np.sin(turn), np.sin(rise)], axis=1)
    rounds = DualEdgesOfRounds(ball, 0.3, components_of(ball))
    rounds.of(grid, np.arange(len(grid)), np.zeros(len(grid)))
    near = grid[rng.choice(len(grid), 20, replace=False)] + 0.02 * rng.normal(size=(20, 3))
    near /= np.linalg.norm(near, axis=1)[:, None]
    points = np.concatenate([grid, near])
    edges = rounds.of(points, np.arange(len(points)), np.zeros(len(points)))
    assert len(edges.triangles) == 2 * len(points) - 4
    assert (np.linalg.norm(edges.inner, axis=1) < 1.0).all()
    assert (np.linalg.norm(edges.outer, axis=1) >= 1.0).all()


def test_a_point_without_triangles_gets_one_across_from_it_on_the_next_sheet() -> None:
    """Its own sheet is sampled already; the one across a gap, which bounds its dual edges, is not."""
    walls = union([Boxes.of([0.0, 0.0, z], [[1.0, 1.0, 0.5]]) for z in (-0.52, 0.52)])
    axis = np.linspace(-0.06, 0.06, 13)
    points = np.stack([*np.meshgrid(axis, axis), np.full((13, 13), -0.02)], axis=-1).reshape(-1, 3)
    bad = (points[:, :2] == 0.0).all(axis=1)
    assert bad.sum() == 1
    more = rings(walls, points, bad, 0.4)
    assert len(more) == 1
    assert more[0] == pytest.approx([0.0, 0.0, 0.02], abs=1e-9)


@pytest.mark.parametrize("seed", range(4))
def test_points_at_which_triangles_are_no_disk_are_filled_until_all_are(seed: int) -> None:
    """Points anywhere, among waves: at most of them several fans of triangles meet."""
    waves = FormulaFunction.read("sin(7*x)*sin(7*y) + sin(7*y)*sin(7*z) + sin(7*z)*sin(7*x) - 0.2", {})
    places = np.random.default_rng(seed).uniform(-1.0, 1.0, (120, 3))
    rounds = DualEdgesOfRounds(waves, 0.3, components_of(Spheres.of([0.0, 0.0, 0.0], 1.0)))
    pinched = np.zeros(len(places), dtype=np.bool_)
    count, passes = len(places), 0
    while count and passes < 8:
        found = rounds.of(places, np.arange(len(places)), np.zeros(len(places)), pinched)
        topology = MeshTopology.of(found.triangles, len(places))
        several = topology.non_manifold & topology.used
        count, passes = int(several.sum()), passes + 1
        assert passes > 1 or count > 40
        pinched |= several
    assert count == 0
    assert len(found.triangles) > 100
