"""Profiles in the half-plane: the closest point is closer than any other nearby."""

from itertools import pairwise

import numpy as np
import pytest

from physplace_addon.core.arrays import Floats, Ints
from physplace_addon.core.surfaces.curves.cubics import PiecewiseCubic
from physplace_addon.core.surfaces.curves.piecewise import closest_point_step
from physplace_addon.core.surfaces.curves.profiles import (
    ArcProfile,
    BezierProfile,
    LineProfile,
    ProfilePoint,
)
from tests.core.surfaces.curves.joined_profiles import join_profiles

CUBIC = np.array([[[1.0, 0.0], [1.6, 0.2], [1.8, 0.9], [1.2, 1.4]]])
PROFILES = {
    "line": LineProfile((0.5, 0.0), (1.5, 2.0)),
    "arc": ArcProfile((1.0, 0.0), 0.7, -1.2, 1.4),
    "hollow": ArcProfile((2.0, 0.0), 0.7, 1.8, 4.2, turn=-1.0),
    "cubic": BezierProfile(PiecewiseCubic.from_control(CUBIC, np.array([0.0, 2.0]))),
    "joined": join_profiles([LineProfile((1.0, -1.0), (1.0, 0.0)), ArcProfile((0.4, 0.0), 0.6, 0.0, 1.2)]),
}


@pytest.mark.parametrize("name", PROFILES)
def test_derivatives_agree_with_differences(name: str, rng: np.random.Generator) -> None:
    profile, h = PROFILES[name], 1e-6
    domain = profile.domain
    v = rng.uniform(domain.lower + 0.05, domain.upper - 0.05, 20)
    v = v[np.abs(v[:, None] - profile.breaks).min(axis=1) > 1e-3]
    here, low, high = (profile.evaluate(v + shift) for shift in (0.0, -h, h))
    np.testing.assert_allclose(here.r1, (high.r - low.r) / (2 * h), atol=1e-8)
    np.testing.assert_allclose(here.z2, (high.z1 - low.z1) / (2 * h), atol=1e-7)


@pytest.mark.parametrize("name", PROFILES)
def test_no_other_point_nearby_is_closer(name: str, rng: np.random.Generator) -> None:
    profile = PROFILES[name]
    domain = profile.domain
    v = rng.uniform(domain.lower, domain.upper, 30)
    start = profile.evaluate(v)
    dr, dz = rng.normal(scale=0.01, size=(2, 30))
    found = profile.evaluate(profile.nearest(v, start, dr, dz))
    every = profile.evaluate(np.linspace(domain.lower, domain.upper, 4001))

    def away(p: ProfilePoint, rows: int | Ints) -> Floats:
        result: Floats = np.hypot(start.r[rows] + dr[rows] - p.r, start.z[rows] + dz[rows] - p.z)
        return result

    least = np.array([away(every, row).min() for row in range(30)])
    assert (away(found, np.arange(30)) <= least + 1e-6).all()


@pytest.mark.parametrize("name", PROFILES)
def test_an_arc_lies_within_its_bound_of_its_chord(name: str, rng: np.random.Generator) -> None:
    profile = PROFILES[name]
    breaks = profile.breaks
    for low, high in pairwise(breaks):
        lower, upper = np.sort(rng.uniform(low, high, 2))[:, None]
        inside = profile.evaluate(np.linspace(lower[0], upper[0], 50))
        points = np.stack([inside.r, inside.z], axis=1)
        along = points[-1] - points[0]
        share = np.clip((points - points[0]) @ along / (along @ along), 0.0, 1.0)
        away = np.linalg.norm(points - points[0] - share[:, None] * along, axis=1)
        assert away.max() <= profile.chord_bounds(lower, upper)[0] + 1e-13


def test_a_step_towards_the_closest_point_of_a_line_is_exact() -> None:
    step = closest_point_step(np.array([4.0]), np.array([3.0]), np.array([0.0]), 0.25)
    assert step.tolist() == [0.75]


def test_beyond_the_centre_of_curvature_a_step_is_bounded() -> None:
    step = closest_point_step(np.array([1.0]), np.array([0.1]), np.array([5.0]), 0.25)
    assert step.tolist() == [0.4]
