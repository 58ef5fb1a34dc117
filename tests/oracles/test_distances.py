"""Signed distances of exact shapes: slopes by differences, and how concave they are near the surface."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from benchmarks.overlap_of_bodies import ExactShape
from benchmarks.random_scenes import BLOBS, LEVEL, SPREAD
from tests.bodies_of_the_paper import BOWL
from tests.oracles.arrays import Floats
from tests.oracles.blobs import Gaussians
from tests.oracles.profiles import Profile, arc, bezier, line
from tests.oracles.shapes import Ball, Revolution, Ring

CYLINDER = [line([0, -1], [0.5, -1]), line([0.5, -1], [0.5, 1]), line([0.5, 1], [0, 1])]
HALVES = [arc([1.0, 0], 0.3, 0, np.pi), arc([1.0, 0], 0.3, np.pi, 2 * np.pi)]
SHAPES: dict[str, Callable[[], ExactShape]] = {
    "ball": lambda: Ball(0.7),
    "cylinder": lambda: Revolution(Profile(CYLINDER)),
    "cone": lambda: Revolution(Profile([line([0, -1], [1, -1]), line([1, -1], [0, 1])])),
    "torus": lambda: Ring(1.0, 0.3),
    "bowl": lambda: Revolution(Profile([bezier(piece) for piece in BOWL])),
    "peanut": lambda: Gaussians(BLOBS["peanut"], SPREAD, LEVEL),
}


def near_surface(shape: ExactShape, most: float) -> Floats:
    x = np.random.default_rng(0).uniform(-1.5, 1.5, (20_000, 3))
    return x[np.abs(shape.signed_distance(x)) < most]


@pytest.mark.parametrize("name", SHAPES)
def test_slopes_are_those_of_differences(name: str) -> None:
    shape, h = SHAPES[name](), 1e-6
    x = near_surface(shape, 0.2)
    rows = [shape.signed_distance(x + h * e) - shape.signed_distance(x - h * e) for e in np.eye(3)]
    error = np.abs(shape.distance_and_slope(x)[1] - np.stack(rows, axis=1) / (2.0 * h)).max(axis=1)
    assert np.quantile(error, 0.99) < 1e-6, "but where the nearest point jumps"
    np.testing.assert_array_equal(shape.distance_and_slope(x)[0], shape.signed_distance(x))


@pytest.mark.parametrize("name", SHAPES)
def test_near_the_surface_no_distance_lies_below_its_bound(name: str) -> None:
    shape, rng = SHAPES[name](), np.random.default_rng(1)
    falls, near = shape.concavity
    x = near_surface(shape, min(near, 0.3))
    way = rng.normal(size=x.shape) * rng.uniform(0.0, 0.5, len(x))[:, None] * min(near, 1.0)
    value, slope = shape.distance_and_slope(x)
    regular = np.abs(value) + np.linalg.norm(way, axis=1) < near
    bound = value + (way * slope).sum(axis=1) - 0.5 * falls * (way**2).sum(axis=1)
    assert np.count_nonzero(regular) > 100
    assert (shape.signed_distance(x + way) - bound)[regular].min() > -1e-12


def test_a_ring_of_two_arcs_is_the_one_of_its_closed_form() -> None:
    pieces, closed = Revolution(Profile(HALVES, ring=True)), Ring(1.0, 0.3)
    x = near_surface(closed, 0.25)
    for found, known in zip(pieces.distance_and_slope(x), closed.distance_and_slope(x), strict=True):
        assert np.abs(found - known).max() < 1e-9
    assert abs(pieces.profile.reach() - 0.7) < 1e-3
