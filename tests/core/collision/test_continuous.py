"""Moving primitives cross where a fine film of their motion shows it."""

from collections.abc import Callable, Sequence

import numpy as np
import pytest

from physplace_addon.core.arrays import Bools, Floats
from physplace_addon.core.collision import closest_on_segments, edge_crossings, vertex_crossings
from physplace_addon.core.collision.continuous import SweptCrossing
from tests.core.collision.soups import shifted

FRAMES = 1500


def between(start: Floats, end: Floats, part: float | Floats) -> Floats:
    return start + part * (end - start)


def volume(x: Floats, b: Floats, c: Floats) -> Floats:
    result: Floats = np.einsum("ki,ki->k", x, np.cross(b, c))
    return result


def film(
    volume_at: Callable[[float], Floats], inside_at: Callable[[float], Bools], count: int
) -> tuple[Bools, Floats]:
    """Which pairs change sign while inside, and in which frame first."""
    crossed, first = np.zeros(count, dtype=bool), np.ones(count)
    before = volume_at(0.0)
    for frame in range(1, FRAMES + 1):
        now = volume_at(frame / FRAMES)
        new = (before * now < 0.0) & ~crossed & inside_at((frame - 0.5) / FRAMES)
        crossed |= new
        first[new] = (frame - 0.5) / FRAMES
        before = now
    return crossed, first


def agree(found: SweptCrossing, filmed: Bools, first: Floats) -> None:
    """All but those that graze a border in the film's half frame."""
    assert (found.crossed != filmed).mean() < 0.003
    both = found.crossed & filmed
    assert np.abs(found.fraction[both] - first[both]).max() < 2.0 / FRAMES
    assert (found.fraction[~found.crossed] == 1.0).all()


@pytest.mark.slow
def test_vertices_cross_triangles_as_filmed(rng: np.random.Generator) -> None:
    start, end = rng.normal(size=(2, 1500, 3, 3))
    end = start + 0.5 * end
    point_start = rng.normal(size=(1500, 3))
    point_end = point_start + 2.0 * rng.normal(size=(1500, 3))

    def at(part: float) -> tuple[Floats, ...]:
        t, p = between(start, end, part), between(point_start, point_end, part)
        return p - t[:, 0], t[:, 1] - t[:, 0], t[:, 2] - t[:, 0], t, p

    def inside(part: float) -> Bools:
        *_, t, p = at(part)
        normal = np.asarray(np.cross(t[:, 1] - t[:, 0], t[:, 2] - t[:, 0]), float)
        sides = [volume(normal, t[:, (i + 1) % 3] - t[:, i], p - t[:, i]) > 0.0 for i in range(3)]
        result: Bools = np.all(sides, axis=0)
        return result

    found = vertex_crossings(point_start, point_end, start, end)
    filmed, first = film(lambda part: volume(*at(part)[:3]), inside, 1500)
    assert 30 < filmed.sum() < 300
    agree(found, filmed, first)
    assert np.array_equal(found.side, np.sign(volume(*at(0.0)[:3])))


@pytest.mark.slow
def test_edges_cross_edges_as_filmed(rng: np.random.Generator) -> None:
    first_start, second_start = rng.normal(size=(2, 1500, 2, 3))
    first_end = first_start + rng.normal(size=(1500, 2, 3))
    second_end = second_start + rng.normal(size=(1500, 2, 3))

    def volume_at(part: float) -> Floats:
        p, q = between(first_start, first_end, part), between(second_start, second_end, part)
        return volume(q[:, 0] - p[:, 0], p[:, 1] - p[:, 0], q[:, 1] - q[:, 0])

    def inside(part: float) -> Bools:
        found = closest_on_segments(
            between(first_start, first_end, part), between(second_start, second_end, part)
        )
        return found.s_inside & found.t_inside

    found = edge_crossings(first_start, first_end, second_start, second_end)
    filmed, first = film(volume_at, inside, 1500)
    assert 60 < filmed.sum() < 600
    agree(found, filmed, first)
    assert np.array_equal(found.side, np.sign(volume_at(0.0)))


TRIANGLE = np.array([[[0.0, 0, 0], [1, 0, 0], [0, 1, 0]]])


@pytest.mark.parametrize("scale", [1e-6, 1.0, 1e6])
@pytest.mark.parametrize("offset", [0.0, 1e3])
@pytest.mark.parametrize(
    ("start", "end", "crossed", "side", "fraction"),
    [
        ([0.2, 0.2, 1.0], [0.2, 0.2, -3.0], True, 1.0, 0.25),
        ([0.2, 0.2, -1.0], [0.2, 0.2, 1.0], True, -1.0, 0.5),
        ([0.2, 0.2, 1.0], [0.2, 0.2, 0.1], False, 1.0, 1.0),
        ([0.8, 0.8, 1.0], [0.8, 0.8, -1.0], False, 1.0, 1.0),
        ([0.0, 0.0, 1.0], [0.0, 0.0, -1.0], True, 1.0, 0.5),
        ([0.5, 0.5, 1.0], [0.5, 0.5, -1.0], True, 1.0, 0.5),
        ([0.2, 0.2, 1.0], [0.2, 0.2, 1.0], False, 1.0, 1.0),
        ([-2.0, 0.2, 0.5], [2.0, 0.2, 0.5], False, 1.0, 1.0),
    ],
    ids=["down", "up", "short of it", "beside", "at a corner", "on an edge", "at rest", "above"],
)
def test_a_vertex_against_a_standing_triangle(
    scale: float,
    offset: float,
    start: Sequence[float],
    end: Sequence[float],
    crossed: bool,
    side: float,
    fraction: float,
) -> None:
    first, last = (scale * (np.array([point]) + offset) for point in (start, end))
    triangle = scale * (TRIANGLE + offset)
    found = vertex_crossings(first, last, triangle, triangle)
    assert found.crossed.tolist() == [crossed]
    assert found.side.tolist() == [side]
    assert found.fraction[0] == pytest.approx(fraction, abs=1e-10 * (1.0 + offset))


def test_the_crossing_is_as_exact_as_its_equation(rng: np.random.Generator) -> None:
    heights = rng.random((1000, 2)) + 1e-3
    start = np.column_stack([0.2 + 0.2 * rng.random((1000, 2)), heights[:, 0]])
    end = start * [1.0, 1.0, 0.0] - [0.0, 0.0, 1.0] * heights[:, 1:]
    triangles = np.repeat(TRIANGLE, 1000, axis=0)
    found = vertex_crossings(start, end, triangles, triangles)
    assert found.crossed.all()
    assert np.abs(found.fraction - heights[:, 0] / heights.sum(axis=1)).max() < 4e-15


def test_no_vertex_slips_between_triangles_that_share_an_edge(rng: np.random.Generator) -> None:
    """Aimed exactly at the shared diagonal, every vertex is caught by one of the two."""
    turn = np.linalg.qr(rng.normal(size=(3, 3)))[0]
    corners = np.array([[0.0, 0, 0], [1, 0, 0], [1, 1, 0], [0, 1, 0]]) @ turn.T + 0.3
    aim = between(corners[0], corners[2], rng.random((2000, 1)))
    drift = rng.normal(size=(2000, 3))
    caught = np.zeros(2000, dtype=bool)
    for triangle in ([0, 1, 2], [0, 2, 3]):
        standing = np.repeat(corners[triangle][None], 2000, axis=0)
        caught |= vertex_crossings(aim + drift, aim - drift, standing, standing).crossed
    assert caught.all()


def test_a_vertex_that_passes_and_comes_back_is_caught() -> None:
    """A see-saw z = (2 tau - 1) x under a vertex that goes from x = -1 to 1 at z = 0.25."""
    flat = np.array([[-5.0, -5.0, 0.0], [5.0, -5.0, 0.0], [0.0, 5.0, 0.0]])
    tilt = np.outer(flat[:, 0], [0.0, 0.0, 1.0])
    left, right = np.array([[-1.0, 0.0, 0.25]]), np.array([[1.0, 0.0, 0.25]])
    found = vertex_crossings(left, right, (flat - tilt)[None], (flat + tilt)[None])
    assert found.crossed.tolist() == [True]
    assert found.side.tolist() == [-1.0]
    assert found.fraction[0] == pytest.approx(0.25, abs=1e-15)


def test_sliding_on_the_plane_of_a_triangle_is_a_touch_with_no_side() -> None:
    start, end = np.array([[0.2, 0.2, 0.0]]), np.array([[0.4, 0.3, 0.0]])
    found = vertex_crossings(start, end, TRIANGLE, TRIANGLE)
    assert found.side.tolist() == [0.0]
    assert found.crossed.tolist() == [True]
    assert found.fraction.tolist() == [0.0]


@pytest.mark.parametrize("angle", [1.0, 1e-3, 1e-6])
def test_nearly_parallel_edges_cross_when_one_is_dropped_through_the_other(angle: float) -> None:
    resting = np.array([[[-1.0, 0, 0], [1, 0, 0]]])
    turned = np.array([[[-np.cos(angle), -np.sin(angle), 0], [np.cos(angle), np.sin(angle), 0]]])
    above, below = shifted(turned, 0.0, 0.0, 0.5), turned - [0.0, 0.0, 1.0]
    found = edge_crossings(above, below, resting, resting)
    assert found.crossed.all()
    assert found.fraction[0] == pytest.approx(1.0 / 3.0, abs=1e-9)


def test_edges_that_pass_each_other_by_do_not_cross() -> None:
    resting = np.array([[[-1.0, 0, 0], [1, 0, 0]]])
    crossing = np.array([[[1.01, -1.0, 0.5], [1.01, 1.0, 0.5]]])
    assert not edge_crossings(crossing, crossing - [0.0, 0.0, 1.0], resting, resting).crossed.any()


def test_no_pairs_cross_nothing() -> None:
    none = np.zeros((0, 3, 3))
    assert vertex_crossings(none[:, 0], none[:, 0], none, none).crossed.shape == (0,)
    assert edge_crossings(none[:, :2], none[:, :2], none[:, :2], none[:, :2]).crossed.shape == (0,)
