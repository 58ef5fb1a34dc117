"""Balls heaped in a bowl, one after another, each at the lowest place it finds: a world to place the next in.

A ball's centre stays above the bowl's inner wall moved inwards by its radius, z >= f(rho), and two radii from
all centres before it.  From a few places around the axis it slides down to a lowest point, by sequential
quadratic programming; the lowest of these is its own.  Nothing here knows of the solver.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache

import numpy as np
from scipy.interpolate import CubicSpline
from scipy.optimize import OptimizeResult, minimize

from tests.oracles.arrays import Floats
from tests.oracles.profiles import bezier

STARTS = 9
ABOVE = 0.6  # how far above the highest ball so far the next one starts, in radii


@lru_cache
def heap(wall: tuple[tuple[float, ...], ...], radius: float, count: int) -> np.ndarray:
    """Centres (count, 3) of balls heaped on a bowl's inner wall, a cubic (r, z) from border to axis."""
    floor = _floor(wall, radius)
    centres = np.empty((0, 3))
    for number in range(count):
        found = [_settled(start, centres, floor, radius) for start in _starts(number, centres, radius)]
        lowest = min(found, key=_height)
        centres = np.concatenate([centres, lowest[None]])
    return centres


def _height(centre: Floats) -> float:
    return float(centre[2])


def _starts(number: int, centres: Floats, radius: float) -> Floats:
    """Places around the axis, turned a little from ball to ball, above all balls so far."""
    top = centres[:, 2].max(initial=0.0) + (2.0 + ABOVE) * radius
    turn = 2.4 * number + 2.0 * np.pi * np.arange(STARTS) / STARTS
    far = radius * (0.3 + 0.5 * np.arange(STARTS))
    return np.stack([far * np.cos(turn), far * np.sin(turn), np.full(STARTS, top)], axis=1)


def _floor(wall: tuple[tuple[float, ...], ...], radius: float) -> CubicSpline:
    """The least height of a centre by its distance from the axis, even in it."""
    t = np.linspace(0.0, 1.0, 2001)
    point, slope, _ = bezier(np.array(wall)).at(t)
    normal = np.stack([slope[:, 1], -slope[:, 0]], axis=1) / np.linalg.norm(slope, axis=1)[:, None]
    r, z = (point + radius * normal)[::-1].T
    inner = np.concatenate([[True], np.diff(np.maximum.accumulate(r)) > 1e-9]) & (r > 1e-6)
    r, z = r[inner], z[inner]
    return CubicSpline(np.concatenate([-r[::-1], r]), np.concatenate([z[::-1], z]))


def _settled(start: Floats, centres: Floats, floor: CubicSpline, radius: float) -> Floats:
    """The lowest point (3,) that sliding down from a start leads to."""
    slope = floor.derivative()

    def room(p: Floats) -> Floats:
        rho = np.hypot(p[0], p[1])
        apart = np.sum((p - centres) ** 2, axis=1) - 4.0 * radius**2
        return np.concatenate([[p[2] - floor(rho)], apart])

    def room_slope(p: Floats) -> Floats:
        rho = max(np.hypot(p[0], p[1]), 1e-12)
        tilt = -slope(rho) / rho
        return np.concatenate([[[tilt * p[0], tilt * p[1], 1.0]], 2.0 * (p - centres)])

    minimized: Callable[..., OptimizeResult] = minimize
    found = minimized(
        lambda p: p[2],
        start,
        jac=lambda p: np.array([0.0, 0.0, 1.0]),
        constraints={"type": "ineq", "fun": room, "jac": room_slope},
        method="SLSQP",
        options={"ftol": 1e-14, "maxiter": 300},
    )
    return found.x if room(found.x).min() > -1e-9 else np.array([*start[:2], np.inf])
