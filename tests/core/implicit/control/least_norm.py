"""Random drags of a sculpted blob, beside a least-norm solution that shares nothing with the solver.

The metric is written down as its module's words say it: the mean square of the surface's motion, F_q q' over
|F_x|, at no more than 200 floaters, weighted by the squares of their radii, and 2 % of each parameter's own
scale. With its Cholesky factor L the unknowns are z = L' q', and LAPACK's singular values give the least z of
all that solve A L^-T z = b.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from scipy import linalg

from physplace_addon.core.arrays import Floats
from physplace_addon.core.implicit.control.constraint_equations import (
    DesiredStep,
    PointEvaluation,
    first_order_step,
)
from physplace_addon.core.implicit.control.parameter_metric import ParameterMetric
from physplace_addon.core.implicit.control.sculpting import Sculpting
from physplace_addon.core.implicit.control.state import SculptSettings, SculptState
from physplace_addon.core.implicit.particles.floaters import FloaterSettings
from tests.core.implicit.surfaces import fourteen_spheres

SETTINGS = SculptSettings(FloaterSettings(0.2))
_SETTLING, _POINTS, _PULL = 25, 10, 0.3
_SAMPLES, _RIDGE = 200, 0.02


class Drag(NamedTuple):
    """A drag: the norms of the least change and of ours, and the greatest error of what is asked, over it."""

    least: float
    made: float
    missed: float


def random_drags(seed: int, count: int) -> Iterator[Drag]:
    """Yield drags of one of up to ten control points of a random blob; the others are pinned."""
    draw = np.random.default_rng(seed)
    sculpting = Sculpting(fourteen_spheres(seed), SETTINGS, draw)
    for _ in range(_SETTLING):
        sculpting.step()
    places = sculpting.state.floaters.positions
    for place in places[draw.choice(len(places), draw.integers(1, _POINTS + 1), replace=False)]:
        sculpting.add(place)
    for _ in range(count):
        point = int(draw.integers(len(sculpting.state.controls)))
        place = sculpting.state.controls.position[point]
        sculpting.drag(point, place + _PULL * draw.normal(size=3))
        yield compared(sculpting.state)
        sculpting.step()
        sculpting.release(point)
        sculpting.step()


def compared(state: SculptState) -> Drag:
    """Return the next change of the parameters, to first order, beside the least one."""
    function, controls = state.function, state.controls
    measured = ParameterMetric(function, state.floaters, SETTINGS)
    limits, every = measured.limits, np.ones(len(function.parameters), dtype=np.bool_)
    moves = controls.moves(0.3, limits.stride)
    evaluated = PointEvaluation.of(function, controls, limits)
    desired = DesiredStep(moves, np.zeros(len(every)), return_to_surface=False)
    change = first_order_step(evaluated, controls, desired, measured.mobility(every), limits).change

    value, gradient = function.gradient(controls.position)
    rows = function.parameter_gradient(controls.position).toarray()
    asked = -(value + np.einsum("ni,ni->n", gradient, moves))
    lower = np.linalg.cholesky(metric(state))
    across = linalg.solve_triangular(lower, rows.T, lower=True).T
    least = linalg.lstsq(across, asked)[0]
    missed = np.abs(rows @ change - asked).max() / np.abs(asked).max()
    return Drag(float(np.linalg.norm(least)), float(np.linalg.norm(lower.T @ change)), float(missed))


def metric(state: SculptState) -> Floats:
    """Return M (m, m)."""
    function, floaters = state.function, state.floaters
    every = -(-len(floaters) // _SAMPLES)
    places, area = floaters.positions[::every], floaters.radii[::every] ** 2
    slope = np.linalg.norm(function.gradient(places)[1], axis=1)
    motion = function.parameter_gradient(places).toarray() / slope[:, None]
    mean: Floats = (motion.T * (area / area.sum())) @ motion
    return mean + _RIDGE * np.diag(function.scales**-2.0)
