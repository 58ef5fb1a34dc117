"""Blobs with control points for the tests: samples, metrics, and steps without floaters."""

from collections.abc import Callable, Sequence
from functools import partial

import numpy as np

from physplace_addon.core.arrays import Floats
from physplace_addon.core.implicit import blobby_spheres
from physplace_addon.core.implicit.control.constraint_equations import StepLimits
from physplace_addon.core.implicit.control.control_points import ControlPoints
from physplace_addon.core.implicit.control.corrected_step import SurfaceStep
from physplace_addon.core.implicit.control.least_change import RankedInverse
from physplace_addon.core.implicit.control.parameter_metric import mobility_by_motion, mobility_by_scales
from physplace_addon.core.implicit.control.surface_step import surface_step
from physplace_addon.core.implicit.functions.base import ImplicitFunction
from physplace_addon.core.implicit.functions.gaussians.blob import Blob
from physplace_addon.core.implicit.projection import projected

R = 0.6 * np.sqrt(np.log(2.0))  # of the lone blobby sphere: 0.5 = exp(-R^2 / 0.6^2)


def samples(blob: Blob, count: int, seed: int = 0) -> Floats:
    """Places on a blob, not evenly."""
    draw = np.random.default_rng(seed)
    centres = blob.parameters[1:].reshape(-1, 4)[:, :3]
    radii = blob.parameters[1:].reshape(-1, 4)[:, 3]
    which = draw.integers(len(radii), size=8 * count)
    way = draw.normal(size=(8 * count, 3))
    places = centres[which] + 1.2 * radii[which, None] * way / np.linalg.norm(way, axis=1)[:, None]
    places = projected(blob, projected(blob, places, 0.1 * radii.min()), 0.1 * radii.min())
    return places[np.abs(blob.value(places)) < 1e-12][:count]


def rates_and_slope(blob: Blob, places: Floats) -> tuple[Floats, Floats]:
    """F_q and |F_x|: their quotient is how far the surface moves across itself by each parameter."""
    return blob.parameter_gradient(places).toarray(), np.linalg.norm(blob.gradient(places)[1], axis=1)


def by_motion(blob: Blob, places: Floats) -> Floats:
    every = np.ones(len(blob.parameters), dtype=bool)
    return mobility_by_motion(*rates_and_slope(blob, places), np.ones(len(places)), blob.scales, every)


def ball(size: float = 1.0, centre: Sequence[float] = (0.0, 0.0, 0.0)) -> Blob:
    return blobby_spheres(0.5, [centre], [0.6 * size])


def sculpted(
    blob: ImplicitFunction,
    controls: ControlPoints,
    steps: int,
    size: float = 2.0,
    keep_normals: bool = False,
    watch: Callable[[SurfaceStep], None] | None = None,
    stride: float | None = None,
) -> tuple[ImplicitFunction, ControlPoints]:
    """The function and the points after so many steps, each of a stride at most: a tenth of the size."""
    near = 5e-5 * size
    limits = StepLimits(
        stride or 0.1 * size, near, size, 0.03 * size, blob.positive, blob.scales, keep_normals
    )
    made = None
    for _ in range(steps):
        made = surface_step(
            blob,
            controls,
            np.zeros(len(blob.parameters)),
            partial(mobility_by_scales, blob.scales),
            limits,
            np.zeros((0, 3)),
            made,
        )
        blob, controls = made.function, made.controls
        if watch is not None:
            watch(made)
    return blob, controls


def off(blob: ImplicitFunction, places: Floats) -> Floats:
    """How far places are off a surface, to first order."""
    value, gradient = blob.gradient(places)
    result: Floats = np.abs(value) / np.linalg.norm(gradient, axis=1)
    return result


def in_ranks(*ranks: Floats) -> RankedInverse:
    """The inverse of ranks of rows."""
    numbers = np.repeat(np.arange(len(ranks)), [len(rows) for rows in ranks])
    return RankedInverse.of(np.vstack(ranks), lambda: numbers)
