"""Gregory's patches: their definition and their bounds."""

from __future__ import annotations

from functools import partial

import mpmath
import numpy as np
import pytest
from mpmath import mpf

from physplace_addon.core.surfaces.smooth.gregory import GregoryNets
from tests.core.surfaces.point_distances import distances


def random_nets(count: int = 4, seed: int = 5) -> GregoryNets:
    random = np.random.default_rng(seed)
    control, twists = random.normal(size=(count, 4, 4, 3)), random.normal(size=(count, 2, 2, 3))
    return GregoryNets(control, np.zeros(count, dtype=bool), twists)


def by_definition(nets: GregoryNets, patch: int, axis: int, u: mpf, v: mpf) -> mpf:
    """A coordinate of a patch, its inner points moved between two places, in 30 digits."""
    u, v = mpmath.mpf(u), mpmath.mpf(v)
    weights = [[mpmath.binomial(3, i) * t**i * (1 - t) ** (3 - i) for i in range(4)] for t in (u, v)]
    total = mpmath.mpf(0)
    for i in range(4):
        for j in range(4):
            point = mpmath.mpf(nets.control[patch, i, j, axis])
            if i in (1, 2) and j in (1, 2):
                s, t = (u, 1 - u)[i - 1], (v, 1 - v)[j - 1]
                half = mpmath.mpf(nets.twists[patch, i - 1, j - 1, axis]) / 2
                point = (s * (point + half) + t * (point - half)) / (s + t)
            total += weights[0][i] * weights[1][j] * point
    return total


def test_points_and_derivatives_are_those_of_the_definition() -> None:
    nets = random_nets()
    at = np.array([[0.3, 0.6], [1e-3, 0.25], [0.999, 1e-4], [0.5, 0.5]])
    found = nets.derivatives(np.arange(4), at)
    names = {"point": (0, 0), "du": (1, 0), "dv": (0, 1), "duu": (2, 0), "duv": (1, 1), "dvv": (0, 2)}
    with mpmath.workdps(40):
        for patch, (u, v) in enumerate(at.tolist()):
            for name, order in names.items():
                for axis in (0, 2):
                    exact = mpmath.diff(partial(by_definition, nets, patch, axis), (u, v), order)
                    assert getattr(found, name)[patch, axis] == pytest.approx(float(exact), abs=4e-12)


def test_no_point_is_farther_from_its_triangles_than_the_bound() -> None:
    nets = random_nets(5)
    counts = np.array([[1, 1], [2, 3], [4, 4], [7, 5], [9, 9]])
    bounds, first = nets.bounds(counts), 0
    random = np.random.default_rng(2)
    for patch, (nu, nv) in enumerate(counts.tolist()):
        for cell in range(nu * nv):
            low, size = np.array(divmod(cell, nv)) / (nu, nv), 1 / np.array([nu, nv])
            corner = low + size * np.array([[0, 0], [1, 0], [0, 1], [1, 1]])
            corners = nets.slopes(np.full(4, patch), corner).point
            points = nets.slopes(np.full(40, patch), low + size * random.uniform(size=(40, 2))).point
            away = distances(points, corners[[[0, 1, 2], [3, 2, 1]]]).min(axis=1)
            assert away.max() <= bounds[first + cell]
        first += nu * nv
