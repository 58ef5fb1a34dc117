"""Limit patches: points and derivatives where endless refinement leads, and at extraordinary vertices."""

import numpy as np
import pytest

from physplace_addon.core.arrays import Floats, Ints
from physplace_addon.core.surfaces.subdivision.cage import Cage
from physplace_addon.core.surfaces.subdivision.limit import limit_of
from physplace_addon.core.surfaces.subdivision.nets import LimitNets
from tests.core.surfaces.subdivision import cages

CAGES = cages.cages()

each_cage = pytest.mark.parametrize("name", CAGES)

CORNERS = np.array([[0.0, 0.0], [1.0, 0.0], [1.0, 1.0], [0.0, 1.0]])


def limit(name: str) -> tuple[Floats, Cage, LimitNets]:
    points, cage = cages.quadrilaterals(*CAGES[name])
    return points, cage, limit_of(cage, points)


def places(nets: LimitNets, count: int, rng: np.random.Generator, margin: float = 0.0) -> tuple[Ints, Floats]:
    patch = rng.integers(0, len(nets), count)
    return patch, rng.uniform(margin, 1.0 - margin, (count, 2))


@pytest.mark.slow
@each_cage
def test_points_are_where_endless_refinement_leads(name: str, rng: np.random.Generator) -> None:
    points, cage, nets = limit(name)
    patch, at = places(nets, 3, rng)
    at[0] *= 1e-3
    at[1] = [1.0 - 1e-9, 1e-9]
    found = nets.slopes(patch, at).point
    expected = [cages.refined_at(points, cage, face, uv) for face, uv in zip(patch.tolist(), at, strict=True)]
    np.testing.assert_allclose(found, expected, rtol=0, atol=1e-6 * np.ptp(points, axis=0).max())


@each_cage
def test_derivatives_are_those_of_differences(name: str, rng: np.random.Generator) -> None:
    nets, step = limit(name)[2], 2.0**-16
    patch = rng.integers(0, len(nets), 24)
    at = (rng.integers(0, 64, (24, 2)) + rng.uniform(0.1, 0.9, (24, 2))) / 64  # not where patches meet
    ours = nets.derivatives(patch, at)
    for axis, first, seconds in ((0, ours.du, ("duu", "duv")), (1, ours.dv, ("duv", "dvv"))):
        shift = step * np.eye(2)[axis]
        ahead, behind = nets.derivatives(patch, at + shift), nets.derivatives(patch, at - shift)
        difference = (ahead.point - behind.point) / (2 * step)
        np.testing.assert_allclose(first, difference, rtol=0, atol=1e-7 * np.abs(first).max())
        for name_, by in zip(seconds, ("du", "dv"), strict=True):
            difference = (getattr(ahead, by) - getattr(behind, by)) / (2 * step)
            exact = getattr(ours, name_)
            np.testing.assert_allclose(exact, difference, rtol=0, atol=1e-7 * max(np.abs(exact).max(), 1.0))


@each_cage
def test_there_is_a_plane_and_a_bounded_curvature_even_at_extraordinary_vertices(name: str) -> None:
    nets = limit(name)[2]
    patch = np.repeat(np.arange(len(nets)), 4)
    for away in (0.0, 1e-15, 1e-9):
        at = np.abs(np.tile(CORNERS, (len(nets), 1)) - away)
        slopes, normal, form = nets.forms(patch, at)
        np.testing.assert_allclose(np.linalg.norm(normal, axis=1), 1.0, atol=1e-12)
        size = np.linalg.norm(slopes.along, axis=1) ** 2
        assert np.isfinite(form).all()
        assert np.abs(form[:, 0, 0] / size).max() < 200
