"""A step of curved meshes costs little more than one of the same meshes with flat faces, coarse or fine.

Times are of the thread alone, in one run, so that the machine's load does not count.
"""

from __future__ import annotations

import time

import numpy as np
import pytest

from physplace_addon.core.arrays import Floats, Ints
from physplace_addon.core.bodies import Body, polyhedron
from physplace_addon.core.placement import Placement, Settings
from physplace_addon.core.rigid import Pose
from tests.core.surfaces.smooth.smooth_meshes import curved

START = Pose(np.array([np.cos(0.3), np.sin(0.3), 0.0, 0.0]), np.array([0.9, 0.1, 0.9]))
STEPS = 12


def ring(around: int, across: int, size: float) -> tuple[Floats, Ints]:
    """Points and quadrilaterals of a torus."""
    turn, lean = (2.0 * np.pi * np.arange(count) / count for count in (around, across))
    a, b = (each.ravel() for each in np.meshgrid(turn, lean, indexing="ij"))
    out = 1.0 + 0.4 * np.cos(b)
    i, j = (each.ravel() for each in np.indices((around, across)))
    after, above = (i + 1) % around, (j + 1) % across
    faces = np.stack([i * across + j, after * across + j, after * across + above, i * across + above], axis=1)
    return size * np.stack([out * np.cos(a), out * np.sin(a), 0.4 * np.sin(b)], axis=1), faces


def halves(points: Floats, faces: Ints) -> Body:
    """The polyhedron of the faces, each cut in two."""
    return polyhedron(points, np.concatenate([faces[:, [0, 1, 2]], faces[:, [0, 2, 3]]]), "ring")


def step_time(active: Body, world: Body) -> float:
    """The median time, seconds, of a step of a ring that comes to lie on another one."""
    placement, times = Placement(active, START, [world], Settings(eps_max=0.05)), []
    for _ in range(STEPS):
        began = time.thread_time()
        placement.step()
        times.append(time.thread_time() - began)
    assert placement.state.local_points.gap.min() > -1e-9
    return float(np.median(times[1:]))


@pytest.mark.slow  # the curved bodies of 9,000 faces take seconds to make
def test_three_thousand_curved_faces_on_six_thousand_cost_a_few_steps_of_flat_ones() -> None:
    small, large = ring(75, 40, 0.4), ring(120, 50, 1.0)
    flat = step_time(halves(*small), halves(*large))
    fine = step_time(*(curved(points, faces.tolist()) for points, faces in (small, large)))
    few = (ring(24, 12, 0.4), ring(36, 16, 1.0))
    coarse = step_time(*(curved(points, faces.tolist()) for points, faces in few))
    assert fine < 2.0 * coarse
    assert fine < 3.0 * flat
