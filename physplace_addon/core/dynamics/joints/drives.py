"""Which motors hold their speed and which limits bind during a step.

A motor is an equation J u = x' while the force f that this needs is at most its greatest one, and that force
otherwise.  A limit that is touched is an equation with x' = 0 while it pushes, and nothing otherwise.  Both
are bounds l <= f <= h on the mean force of a step along a coordinate, with the residual r of its rate:

    l < f < h: r = 0,    f = l: r <= 0,    f = h: r >= 0,    r = x' - J (u + h P (w + J' f)),

P the inverse mass on the motions that the joints leave.  The few rows are sorted out by an active set.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ...arrays import ArrayRecord, Bools, Floats, Ints
from ...mechanics.joints.equations import Joints
from .rattle import Drives, Position, Pushes, given_coordinates

_MOST_ROUNDS = 30
_PROXIMAL = 1e-9  # share of the diagonal: for coordinates that repeat one another
_SLIGHT = 1e-12  # of the target rates and their residuals, over their scale, that is rounding

TOUCHING = 1e-8
"""Largest gap, over R or radians, of a limit that is touched."""


@dataclass(frozen=True, eq=False)
class Candidates(ArrayRecord):
    """Coordinates (k,) that may be driven: start, rate as in `Drives`, and bounds of their forces.

    certain (k,): limits that bind, whatever the mean force of the step.
    """

    joint: Ints
    axis: Ints
    start: Floats
    rate: Floats
    lower: Floats
    upper: Floats
    certain: Bools

    def __len__(self) -> int:
        return len(self.joint)


def candidates(joints: Joints, coordinates: Floats, released: Bools, certain: Bools) -> Candidates:
    """Return the motors and the touched limits.

    Args:
        joints: n of them.
        coordinates: of all axes (n, 6).
        released: the axes (n, 6) whose limits were found to pull.
        certain: the axes (n, 6) whose limits were found to be passed.
    """
    at_lower = (coordinates - joints.lower / joints.units <= TOUCHING) & ~released
    at_upper = (joints.upper / joints.units - coordinates <= TOUCHING) & ~released
    speed = np.nan_to_num(joints.speed)
    blocked = (at_lower & (speed < 0.0)) | (at_upper & (speed > 0.0))
    driven = ~np.isnan(joints.speed) & ~(blocked & np.isinf(joints.greatest))
    most = joints.greatest * joints.units
    none = np.zeros_like(coordinates)
    never = np.zeros_like(certain)
    return Candidates.join(
        [
            _chosen(driven, coordinates, joints.speed / joints.units, -most, most, never),
            _chosen(at_lower, joints.lower / joints.units, none, none, none + np.inf, certain),
            _chosen(at_upper, joints.upper / joints.units, none, none - np.inf, none, certain),
        ]
    )


def drives_of(at: Position, momentum: Floats, h: float, among: Candidates) -> tuple[Drives, Pushes]:
    """Return what is driven during a step of h, s, and the constant forces of motors that are too weak.

    Args:
        at: the position at the beginning, without drives.
        momentum: p (m, 6) there.
        h: the step, s.
        among: the candidates.
    """
    if not len(among):
        return Drives.none(), Pushes.none()
    count = len(at.centre)
    rows = given_coordinates(at.frames, among.joint, among.axis).dense(count)
    wrenches = np.concatenate([rows.reshape(-1, count, 6), at.wrench[None]])
    responses = at.rows.responses(wrenches).reshape(len(wrenches), -1)
    compliance = rows @ responses[:-1].T
    free = rows @ (at.rates(momentum).ravel() + h * responses[-1])
    force = bounded_forces(compliance, (among.rate - free) / h, among.lower, among.upper)
    held = among.certain | ((force > among.lower) & (force < among.upper))
    sign = np.where(np.isinf(among.upper), 1.0, 0.0) - np.where(np.isinf(among.lower), 1.0, 0.0)
    pushed = ~held & (force != 0.0)
    return (
        Drives(among.joint[held], among.axis[held], among.start[held], among.rate[held], sign[held]),
        Pushes(among.joint[pushed], among.axis[pushed], force[pushed]),
    )


def _chosen(
    which: Bools, start: Floats, rate: Floats, lower: Floats, upper: Floats, certain: Bools
) -> Candidates:
    joint, axis = np.nonzero(which)
    bounds = lower[which], upper[which]
    return Candidates(joint, axis, start[which], rate[which], *bounds, certain[which])


def bounded_forces(matrix: Floats, right: Floats, lower: Floats, upper: Floats) -> Floats:
    """Return l <= f <= h with matrix f = right, but for coordinates at a bound that hinder it."""
    matrix = matrix + np.diag(_PROXIMAL * np.diag(matrix) + 1e-300)
    slight = _SLIGHT * (1.0 + np.abs(right).max())
    force, inside = np.clip(np.zeros_like(right), lower, upper), np.ones(len(right), np.bool_)
    for _ in range(_MOST_ROUNDS):
        outside = ~inside
        rest = right[inside] - matrix[np.ix_(inside, outside)] @ force[outside]
        force[inside] = np.linalg.solve(matrix[np.ix_(inside, inside)], rest)
        residual = right - matrix @ force
        leaving = inside & ((force <= lower) | (force >= upper))
        at_lower = outside & (force <= lower) & (residual > slight)
        back = at_lower | (outside & (force >= upper) & (residual < -slight))
        if not leaving.any() and not back.any():
            break
        force = np.clip(force, lower, upper)
        inside = (inside & ~leaving) | back
    return force
