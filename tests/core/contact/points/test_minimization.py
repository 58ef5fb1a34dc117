"""Pairs are led to the closest points that an independent minimizer finds, and stay where they should."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from scipy.optimize import OptimizeResult, minimize

from physplace_addon.core.arrays import Bools, Floats
from physplace_addon.core.contact.features import FACE, VERTEX, FeaturePoints
from physplace_addon.core.contact.points import minimization
from physplace_addon.core.contact.points.minimization import minimize_distance, minimize_gap
from physplace_addon.core.rigid import Pose
from tests.core.contact.body_pairs import body, pose


def ellipsoid(u: float, v: float) -> Floats:
    return np.array([1.2 * np.cos(v) * np.cos(u), np.cos(v) * np.sin(u), 0.8 * np.sin(v)])


def torus(u: float, v: float) -> Floats:
    ring = 1.0 + 0.3 * np.cos(v)
    return np.array([ring * np.cos(u), ring * np.sin(u), 0.3 * np.sin(v)])


def closest_by_brute_force(
    first: Callable[[float, float], Floats], second: Callable[[float, float], Floats], placed: Pose
) -> tuple[Floats, Floats]:
    """The closest points of two parametric surfaces, the first one placed: a grid, then scipy."""
    grid = np.stack(np.meshgrid(*(np.linspace(-np.pi, np.pi, 24, False),) * 2), axis=-1).reshape(-1, 2)
    a = placed.points(np.array([first(*uv) for uv in grid]))
    b = np.array([second(*uv) for uv in grid])
    i, j = np.unravel_index(np.argmin(((a[:, None] - b[None]) ** 2).sum(axis=2)), (len(a), len(b)))
    minimized: Callable[..., OptimizeResult] = minimize
    best = minimized(
        lambda x: ((placed.points(first(*x[:2])) - second(*x[2:])) ** 2).sum(),
        np.concatenate([grid[i], grid[j]]),
        method="BFGS",
        options={"gtol": 1e-10},
    )
    return placed.points(first(*best.x[:2])), second(*best.x[2:])


def near(
    name: str, placed: Pose | None, point: Floats, rng: np.random.Generator, count: int, spread: float
) -> FeaturePoints:
    """Features at corners of the tessellation about a world point: fair, but not good, starts."""
    solid = body(name)
    local = point if placed is None else placed.inverse().points(point)
    corners, uv = solid.triangles.reshape(-1, 3), solid.triangle_uv.reshape(-1, 2)
    wanted = local + spread * rng.normal(size=(count, 3))
    rows = np.argmin(((corners[None] - wanted[:, None]) ** 2).sum(axis=2), axis=1)
    return FeaturePoints(solid, placed, np.full(count, FACE), solid.triangle_face[rows // 3], uv[rows])


@pytest.mark.parametrize("at", [(0.3, 0.4, 1.5), (0.0, 2.3, 0.2), (-1.0, 0.5, 1.4)])
def test_fair_starts_lead_to_the_closest_pair(
    at: tuple[float, float, float], rng: np.random.Generator
) -> None:
    placed = pose(rng.normal(size=3), at)
    one, two = closest_by_brute_force(ellipsoid, torus, placed)
    mover = near("ellipsoid", placed, one, rng, 20, 0.1)
    base = near("torus", None, two, rng, 20, 0.1)
    pairs = minimize_gap(mover, base, np.ones(20), np.zeros(20, bool), 1.2, 0.25)
    assert pairs.converged.all()
    assert pairs.settled.all()
    assert np.abs(pairs.at_first.point - one).max() < 1e-6
    assert np.abs(pairs.at_second.point - two).max() < 1e-6
    gaps = ((pairs.at_first.point - pairs.at_second.point) * pairs.at_second.normal).sum(axis=1)
    assert np.abs(gaps - np.linalg.norm(one - two)).max() < 1e-9


def test_a_vertex_over_a_face_finds_its_closest_point(rng: np.random.Generator) -> None:
    at = np.array([0.4, 1.1, 0.9])
    solid, placed = body("cone"), pose((np.pi, 0.0, 0.0), at + np.array([0.0, 0.0, 1.0]))
    mover = FeaturePoints(solid, placed, np.array([VERTEX]), np.array([0]), np.zeros((1, 2)))
    direction = at - np.array([*(at[:2] / np.hypot(*at[:2])), 0.0])
    closest = at - direction * (1.0 - 0.3 / np.linalg.norm(direction))
    base = near("torus", None, closest, rng, 1, 0.1)
    pairs = minimize_gap(mover, base, np.ones(1), np.zeros(1, bool), 1.0, 0.3)
    assert pairs.converged.all()
    assert np.allclose(pairs.at_first.point[0], at, atol=1e-12)
    assert np.allclose(pairs.at_second.point[0], closest, atol=1e-12)


def test_two_circles_lead_to_their_closest_points(rng: np.random.Generator) -> None:
    solid, placed = body("cylinder"), pose((0.9, 0.4, 0.2), (0.9, 0.3, 2.3))
    t = np.linspace(0.0, 2.0 * np.pi, 2001)
    circle = np.stack([0.5 * np.cos(t), 0.5 * np.sin(t), np.ones_like(t)], axis=1)
    lower = placed.points(circle * [1.0, 1.0, -1.0])
    i, j = np.unravel_index(np.argmin(((lower[:, None] - circle[None]) ** 2).sum(axis=2)), (2001, 2001))

    def on_edge(placed_at: Pose | None, point: Floats, sign: float) -> FeaturePoints:
        edges = np.nonzero(np.sign(solid.edge_geometry(np.arange(2), np.zeros(2)).point[:, 2]) == sign)[0]
        start = np.arctan2(*(point if placed_at is None else placed_at.inverse().points(point))[[1, 0]])
        params = np.stack([start + 0.3 * rng.uniform(-1.0, 1.0, 8), np.zeros(8)], axis=1)
        return FeaturePoints(solid, placed_at, np.ones(8, int), np.repeat(edges, 8), params)

    pairs = minimize_distance(on_edge(placed, lower[i], -1.0), on_edge(None, circle[j], 1.0), 1.0)
    distance = np.linalg.norm(pairs.at_first.point - pairs.at_second.point, axis=1)
    assert pairs.converged.all()
    assert np.ptp(distance) < 1e-12
    assert 0.0 <= np.linalg.norm(lower[i] - circle[j]) - distance[0] < 1e-5


def test_samples_of_a_curve_slide_down_a_valley_but_not_along_it(rng: np.random.Generator) -> None:
    placed = pose((0.0, 0.0, 0.0), (0.0, 0.0, 0.4))
    wanted = np.linspace(0.0, 2.0 * np.pi, 12, False)
    starts = [placed.points(torus(u, -0.5 * np.pi + 0.4)) for u in wanted]
    mover = [near("torus", placed, start, rng, 1, 0.0) for start in starts]
    param = np.concatenate([feature.param for feature in mover])
    features = FeaturePoints(body("torus"), placed, np.full(12, FACE), np.zeros(12, int), param)
    before = features.geometry().point
    on_plane = near("plane", None, np.zeros(3), rng, 12, 0.5)
    pairs = minimize_gap(features, on_plane, np.ones(12), np.ones(12, bool), 1.3, 0.3)
    after = pairs.at_first.point
    assert pairs.converged.all()
    assert not pairs.settled.any()
    assert np.abs(after[:, 2] - 0.1).max() < 1e-12
    assert np.abs(np.hypot(after[:, 0], after[:, 1]) - 1.0).max() < 1e-7
    turned = np.arctan2(after[:, 1], after[:, 0]) - np.arctan2(before[:, 1], before[:, 0])
    assert np.abs(np.sin(turned)).max() < 1e-12


def test_a_pair_whose_closest_point_is_past_the_border_does_not_count_as_solved(
    rng: np.random.Generator,
) -> None:
    placed = pose((0.0, 0.0, 0.0), (4.2, 0.0, 1.1))
    mover = near("ball", placed, np.array([4.2, 0.0, 0.1]), rng, 4, 0.2)
    base = near("plane", None, np.array([3.9, 0.0, 0.0]), rng, 4, 0.1)
    pairs = minimize_gap(mover, base, np.ones(4), np.zeros(4, bool), 1.0, 0.3)
    assert not pairs.converged.any()
    assert pairs.at_second.point[:, 0].max() <= 4.0 + 1e-12


def test_an_inside_ball_leads_to_its_depth(rng: np.random.Generator) -> None:
    placed = pose((0.0, 0.0, 0.0), (0.0, 0.0, 1.9))
    mover = near("ball", placed, np.array([0.0, 0.0, 0.9]), rng, 10, 0.2)
    base = near("ball", None, np.array([0.0, 0.0, 1.0]), rng, 10, 0.2)
    pairs = minimize_gap(mover, base, np.ones(10), np.zeros(10, bool), 1.0, 0.3)
    gaps = ((pairs.at_first.point - pairs.at_second.point) * pairs.at_second.normal).sum(axis=1)
    assert pairs.converged.all()
    assert np.abs(gaps + 0.1).max() < 1e-12


def test_what_slides_to_the_end_of_a_cone_takes_few_rounds(monkeypatch: pytest.MonkeyPatch) -> None:
    cone, plane = body("cone"), body("plane")
    count = 12
    uv = np.stack([np.linspace(-3.0, 3.0, count), np.full(count, 0.5)], axis=1)
    side = int(
        np.flatnonzero(
            np.abs(cone.face_geometry(np.arange(cone.face_count), uv[: cone.face_count]).curvature).max(
                axis=(1, 2)
            )
            > 0
        )[0]
    )
    mover = FeaturePoints(
        cone, pose((0.6, 0.0, 0.0), (0.0, 0.0, 2.0)), np.full(count, FACE), np.full(count, side), uv
    )
    base = FeaturePoints(plane, None, np.full(count, FACE), np.zeros(count, np.intp), np.zeros((count, 2)))
    rounds, step = [0], minimization._mover_step

    def counted(*given: Any) -> tuple[Floats, Floats, Bools]:
        rounds[0] += 1
        return step(*given)

    monkeypatch.setattr(minimization, "_mover_step", counted)
    free = np.zeros(count, bool)
    found = minimize_gap(mover, base, np.ones(count), free, 1.0, 1e-3, patience=5)
    assert not (found.converged & found.settled).any()  # it is least at the rim, not on the side
    assert rounds[0] <= 8
