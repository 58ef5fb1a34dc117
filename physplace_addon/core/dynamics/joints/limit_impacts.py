"""Impacts of linkages that touch nothing on the limits of their joints.

Where coordinates x run into limits, impulses f along their rows J stop them, and throw them back with
Newton's restitution e, all limits that are touched and all joints at once (Bouma and Vanecek 1991,
section 3):

    f >= 0,    r = x'_after - (J u + J P J' f),    f = 0 or r = 0,    x'_after = -e x'_before where it hits,

P the inverse mass on the motions that the joints leave.  With several limits of different restitution
Newton's law may add energy: then the rates are brought back towards those without a bounce until it does not.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ...arrays import Floats, Ints
from .drives import Candidates, bounded_forces, candidates
from .loads import JointForces
from .rattle import JointedBodies, Position, given_coordinates


class LimitHit(NamedTuple):
    """What has run into a limit: after which time, s, the joint, its axis, and at what speed, R a second."""

    time: float
    joint: int
    axis: int
    speed: float


class LimitImpact(NamedTuple):
    """The momenta (m, 6) after an impact, the impulses of joints, and what ran into limits: the numbers (k,)
    of joints and axes, and the speeds (k,), R a second.
    """

    momentum: Floats
    impulses: JointForces
    joint: Ints
    axis: Ints
    speed: Floats


def limit_impact(
    bodies: JointedBodies, at: Position, momentum: Floats, coordinates: Floats, slow: float
) -> LimitImpact | None:
    """Return the impact of bodies on limits that they touch; None where none is run into.

    Args:
        bodies: without drives.
        at: where they are.
        momentum: p (m, 6).
        coordinates: of the joints (n, 6).
        slow: speed, R a second, up to which nothing bounces.
    """
    among = _unyielding(bodies, coordinates)
    way = np.where(np.isinf(among.upper), 1.0, 0.0) - np.where(np.isinf(among.lower), 1.0, 0.0)
    rows = given_coordinates(at.frames, among.joint, among.axis)
    dense, rates = rows.dense(len(momentum)), at.rates(momentum)
    now = dense @ rates.ravel()
    speed = -way * now
    if not (speed > 0.0).any():
        return None
    responses = at.rows.responses(dense.reshape(-1, *momentum.shape))
    compliance = dense @ responses.reshape(len(dense), -1).T
    restitution = bodies.joints.restitution[among.joint, among.axis]
    back = np.where(speed > slow, way * restitution * speed, 0.0)
    stopped, thrown = (
        bounded_forces(compliance, among.rate + rate - now, among.lower, among.upper)
        for rate in (np.zeros_like(back), back)
    )
    stop, bounce = (rates + np.tensordot(force, responses, 1) for force in (stopped, thrown))
    share = share_without_gain(bodies.inertia.blocks(at.rotation), rates, stop, bounce)
    force = stopped + share * (thrown - stopped)
    pushed = momentum + (force @ dense).reshape(momentum.shape)
    held = at.rows.projection(at.rates(pushed))
    impulses = JointForces.of(at.frames, rows, force).plus(JointForces.of(at.frames, at.rows.rows, held))
    hits = speed > 0.0
    return LimitImpact(
        pushed + at.rows.impulse(held), impulses, among.joint[hits], among.axis[hits], speed[hits]
    )


def _unyielding(bodies: JointedBodies, coordinates: Floats) -> Candidates:
    """Return the limits that are touched, and the motors that no impulse can hold up."""
    nothing = np.zeros_like(bodies.joints.locked)
    among = candidates(bodies.joints, coordinates, nothing, nothing)
    return among.take(np.isinf(among.lower) | np.isinf(among.upper))


def share_without_gain(
    blocks: Floats,
    before: Floats,
    stopped: Floats,
    bounced: Floats,
    works: tuple[float, float] = (0.0, 0.0),
) -> float:
    """Return the greatest share, at most 1, of the way from rates `stopped` (m, 6) to `bounced` on which
    there is no more energy than with rates `before`.

    Args:
        blocks: the mass matrices (m, 6, 6).
        before, stopped, bounced: rates; those of bodies whose motion is given are the same.
        works: that the impulses do on such bodies, where others are stopped and where they bounce.
    """

    def product(a: Floats, b: Floats) -> float:
        return float(np.einsum("bi,bij,bj->", a, blocks, b))

    change = bounced - stopped
    a, b, c = product(change, change), product(stopped, change), product(stopped, stopped)
    b, c = b + works[1] - works[0], c + 2.0 * works[0]
    most = product(before, before)
    if a + 2.0 * b + c <= most or a == 0.0:
        return 1.0
    share = (-b + np.sqrt(max(b * b - a * (c - most), 0.0))) / a
    return float(np.clip(share, 0.0, 1.0))
