"""A sub-step of linkages that was tried, and what joints and limits exert in it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ...arrays import Bools, Floats
from .forces import spring_multipliers
from .loads import JointForces
from .rattle import JointedBodies, Position, Stage, given_coordinates

_SHORT = 1e-4  # radians or radii, way on which the bending of paths is found


@dataclass(frozen=True, eq=False)
class Trial:
    """A sub-step of h, s, that was tried from a position with momenta (m, 6)."""

    bodies: JointedBodies
    at: Position
    momentum: Floats
    stages: tuple[Stage, ...]
    h: float
    steps: tuple[float, ...]


def forces_of(trial: Trial) -> tuple[JointForces, JointForces]:
    """Return the forces of joints at the beginning and at the end of a sub-step, with those of drives,
    springs, dampers and weak motors.
    """
    last = trial.stages[-1]
    return (
        forces_now(trial.bodies, trial.at, trial.momentum),
        forces_now(trial.bodies, last.position, last.momentum),
    )


def forces_now(bodies: JointedBodies, at: Position, momentum: Floats) -> JointForces:
    """Return the forces of joints at a position with momenta (m, 6).

    With c, the second derivative of the residuals on paths without any force, they are those multipliers l
    with which J M^-1 (w + J' l) + c = 0; c is a central difference.
    """
    rates = at.rates(momentum)
    rows, pull = spring_multipliers(at.frames, rates, bodies.near)
    pushes = bodies.pushes
    pushed = given_coordinates(at.frames, pushes.joint, pushes.axis)
    loose = JointForces.of(at.frames, rows, pull).plus(JointForces.of(at.frames, pushed, pushes.size))
    if not len(at.rows.rows):
        return loose
    time = _SHORT / max(float(np.abs(rates).max()), 1e-100)
    before, now, after = (
        bodies.residuals(bodies.frames(*bodies.moved(at, momentum, t)), t) for t in (-time, 0.0, time)
    )
    bent = (after - 2.0 * now + before) / time**2
    drag = rows.wrench(pull, len(rates)) - _springs_alone(bodies, at, rates)
    held = at.rows.projection(at.rates(at.wrench + drag), -bent)
    return loose.plus(JointForces.of(at.frames, at.rows.rows, held))


def _springs_alone(bodies: JointedBodies, at: Position, rates: Floats) -> Floats:
    """Return the wrench (m, 6) of springs without dampers, which that of a position has in it already."""
    rows, pull = spring_multipliers(at.frames, np.zeros_like(rates), bodies.near)
    return rows.wrench(pull, len(rates))


def pulling_limits(trial: Trial, shape: tuple[int, ...]) -> Bools:
    """Return the axes (n, 6) whose limits pull in a trial, which they cannot."""
    drives = trial.bodies.drives
    pulling = np.zeros(shape, np.bool_)
    if len(drives):
        total = sum((stage.first + stage.second)[-len(drives) :] for stage in trial.stages)
        pulls = drives.sign * total < 0.0
        pulling[drives.joint[pulls], drives.axis[pulls]] = True
    return pulling
