"""Charts about the poles of patches: which meridian leads where.

Around a pole P the patches run out like slices of a cake: S = P + w Q(u, v), and Q(u, 1), seen in the plane
across the pole's normal, turns counter-clockwise with u.  A point y of that plane is therefore reached along
the meridian whose Q(u, 1) has the direction of y, at w = |y| / |Q(u, 1)| to first order.  A table of angles
gives the meridian well enough for Newton's steps to do the rest.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ...arrays import Floats, Ints
from ...vectors import cross, unit
from ..patches import Patches

_SLICES = 128  # slices of the table in each patch, which may go all the way round: 3 degrees each then
# Sine of the largest angle to the tangent plane at which meridians leave a smooth pole.
SMOOTH_POLE_SINE = 1e-4


@dataclass(frozen=True, eq=False)
class PoleChart:
    """A pole and the table of its meridians, sorted by angle.

    point, normal (3,); plane (2, 3), orthonormal; smooth: whether all meridians leave in the plane.  Slice i
    spans the angles from angles[i] to angles[i] + width[i], radians, the parameters from u[i] on of
    `patch[i]`, and the distances |Q| from reach[i, 0] to reach[i, 1].
    """

    point: Floats
    normal: Floats
    plane: Floats
    smooth: bool
    angles: Floats
    width: Floats
    patch: Ints
    u: Floats
    reach: Floats

    def meridian(self, target: Floats) -> tuple[Ints, Floats]:
        """Return patches (k,) and parameters (k, 2) of the points below targets (k, 3), to first order."""
        y = (target - self.point) @ self.plane.T
        first = self.angles[0]
        turn = first + np.mod(np.arctan2(y[:, 1], y[:, 0]) - first, 2.0 * math.pi)
        row = np.clip(np.searchsorted(self.angles, turn, side="right") - 1, 0, len(self.angles) - 1)
        fraction = np.clip((turn - self.angles[row]) / self.width[row], 0.0, 1.0)
        reach = self.reach[row, 0] + fraction * (self.reach[row, 1] - self.reach[row, 0])
        w = np.minimum(np.hypot(y[:, 0], y[:, 1]) / reach, 1.0)
        return self.patch[row], np.column_stack([self.u[row] + fraction / _SLICES, 1.0 - w])


def pole_chart(nets: Patches, patches: Ints) -> PoleChart:
    """Return the chart about the pole that the given polar patches (m,) share."""
    u = np.linspace(0.0, 1.0, _SLICES + 1)
    at = np.column_stack([np.tile(u, len(patches)), np.ones(len(u) * len(patches))])
    slopes = nets.slopes(np.repeat(patches, len(u)), at)
    ray = -slopes.across.reshape(len(patches), -1, 3)
    normal = _middle_normal(ray)
    plane = _plane_across(normal)
    smooth = bool(np.abs(unit(ray.reshape(-1, 3)) @ normal).max() < SMOOTH_POLE_SINE)
    x, y = np.moveaxis(ray @ plane.T, 2, 0)
    angle = np.unwrap(np.arctan2(y, x), axis=1)
    width, reach = np.diff(angle, axis=1).ravel(), np.hypot(x, y)
    start = angle[:, :-1].ravel()
    order = np.argsort(np.mod(start - start[0], 2.0 * math.pi))
    start = start[0] + np.mod(start - start[0], 2.0 * math.pi)
    return PoleChart(
        nets.pole[patches[0]],
        normal,
        plane,
        smooth,
        start[order],
        width[order],
        np.repeat(patches, _SLICES)[order],
        np.tile(u[:-1], len(patches))[order],
        np.stack([reach[:, :-1].ravel(), reach[:, 1:].ravel()], axis=1)[order],
    )


def _middle_normal(ray: Floats) -> Floats:
    """Return the unit normal (3,) that rays (m, s, 3) turn about, counter-clockwise, from all their areas."""
    area = cross(ray[:, :-1].reshape(-1, 3), ray[:, 1:].reshape(-1, 3)).sum(axis=0)
    normal: Floats = area / np.linalg.norm(area)
    return normal


def _plane_across(normal: Floats) -> Floats:
    helper = np.eye(3)[int(np.argmin(np.abs(normal)))]
    first = np.cross(helper, normal)
    first = first / np.linalg.norm(first)
    return np.stack([first, np.cross(normal, first)])


def pole_charts(nets: Patches, groups: Sequence[Ints]) -> tuple[tuple[PoleChart, ...], Ints]:
    """Return the charts of groups of polar patches, and the number of each patch's pole (n,), -1 for none."""
    number = np.full(len(nets), -1, dtype=np.intp)
    for i, group in enumerate(groups):
        number[group] = i
    return tuple(pole_chart(nets, group) for group in groups), number
