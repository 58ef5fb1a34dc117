"""Energy that a step adds by rounding and by the bending of paths is taken back, island by island.

The energy of an island, of what touches or is joined, rises in a step by

    dE = dT - m g . dX + dV - W,

T its kinetic energy, dX the shifts of centres of mass, V of its springs, W the work of a pull.  Contacts,
friction, limits and dampers only take energy: so dE > 0 is an error, and is taken from the rates u at its
end.

An island that nothing holds keeps its momentum and its angular momentum.  With u_c the motion of all of it as
one rigid body that has these, and u_r = u - u_c, T = T_c + T_r, since u_r has none of either.  So only u_r is
made less, by sqrt(1 - dE / T_r).  Where that is not enough, and where the world or a body whose motion is
given holds the island, all of u is.  Where even that is not enough, it all but stands still, and is left.

What a body in given motion touches, or a motor drives, may gain.
"""

from __future__ import annotations

import numpy as np

from ..arrays import Bools, Floats, Ints
from ..contact.system import FIXED, InterfacePoints
from ..mechanics.inertia import Inertia
from ..vectors import cross, dot
from .joints.forces import spring_energies
from .motion import Motion, anchor_frames
from .scene import Scene
from .sleeping import islands
from .step import Moment

_GAIN = 2e-7  # of an island's kinetic energy, that the rounding of a step may add


def without_gains(
    scene: Scene, start: Moment, end: Moment, contacts: InterfacePoints, work: Floats
) -> Moment:
    """Return the end of a step with the rates of islands made so much less that they gain no energy.

    Args:
        scene: what is simulated, without the joints that have broken.
        start: the moment before the step, and before what hits there.
        end: of the step.
        contacts: that took part at its end.
        work: of a pull on each body (m,).
    """
    pairs, number = _connected(scene, start, contacts)
    kinetic = [_of_islands(number, _kinetic_energies(scene, each.motion)) for each in (start, end)]
    gain = kinetic[1] - kinetic[0] + _of_islands(number, _lifting(scene, start.motion, end.motion) - work)
    gain += _spring_gains(scene, start, end, number)
    led = scene.given & end.motion.rates.any(axis=1)
    driven = _islands_beside(number, pairs, np.append(led, False))
    driven[number[_driven_by_motors(scene)]] = True
    gaining = (gain > _GAIN * np.maximum(*kinetic)) & ~driven
    if not gaining.any():
        return end
    held = _islands_beside(number, pairs, np.append(scene.given, True))
    rates = end.motion.rates.copy()
    for island in np.flatnonzero(gaining).tolist():
        own = np.flatnonzero((number == island) & ~scene.given)
        rates[own] = _slowed(scene.inertia.take(own), end.motion.take(own), gain[island], held[island])
    return end.with_rates(rates)


def _connected(scene: Scene, start: Moment, contacts: InterfacePoints) -> tuple[Ints, Ints]:
    """Return the pairs of bodies (n, 2) that are near, touch or are joined, and the bodies' islands (m,)."""
    near = [np.stack([points.body1, points.body2], axis=1) for points in (start.points, contacts)]
    pairs = np.concatenate([*near, scene.joints.body])
    return pairs, islands(len(scene), scene.given, InterfacePoints.none(), pairs)


def _of_islands(number: Ints, values: Floats) -> Floats:
    """Return the sums over islands of what bodies (m,) have."""
    return np.asarray(np.bincount(number, values, len(number)), dtype=np.float64)


def _kinetic_energies(scene: Scene, motion: Motion) -> Floats:
    """Return the kinetic energies (m,), 0 for bodies whose motion is given."""
    return np.where(scene.given, 0.0, motion.kinetic_energies(scene.inertia))


def _lifting(scene: Scene, start: Motion, end: Motion) -> Floats:
    """Return the energy of gravity (m,) that bodies gain, 0 for those whose motion is given."""
    lifted = -scene.inertia.mass * ((end.centre - start.centre) @ scene.gravity)
    return np.where(scene.given, 0.0, lifted)


def _spring_gains(scene: Scene, start: Moment, end: Moment, number: Ints) -> Floats:
    """Return the energy that the springs of islands gain (m,)."""
    gains = np.zeros(len(number))
    if len(scene.joints) == 0:
        return gains
    before, after = (
        spring_energies(anchor_frames(scene.joints, scene.inertia, each.motion), each.coordinates)
        for each in (start, end)
    )
    moves = np.append(~scene.given, False)  # the last is the fixed world
    ends = np.where(moves[scene.joints.body], scene.joints.body, FIXED).max(axis=1)
    some = np.flatnonzero(ends != FIXED)
    np.add.at(gains, number[ends[some]], (after - before)[some])
    return gains


def _islands_beside(number: Ints, pairs: Ints, bodies: Bools) -> Bools:
    """Return which islands (m,) pairs (n, 2) connect with some bodies (m + 1,), the world last."""
    some = bodies[pairs]
    beside = np.zeros(len(number), dtype=np.bool_)
    for one, other in ((0, 1), (1, 0)):
        found = pairs[some[:, other], one]
        beside[number[found[found != FIXED]]] = True
    return beside


def _driven_by_motors(scene: Scene) -> Ints:
    """Return the bodies that joints with motors have."""
    bodies = scene.joints.body[~np.isnan(scene.joints.speed).all(axis=1)].ravel()
    found: Ints = bodies[bodies != FIXED]
    return found


def _slowed(inertia: Inertia, motion: Motion, gain: float, held: bool) -> Floats:
    """Return the rates (k, 6) of an island that has less energy by its gain."""
    common = np.zeros_like(motion.rates) if held else rates_as_one(inertia, motion)
    for kept in (common, np.zeros_like(common)):
        rest = motion.rates - kept
        energy = float(Motion(motion.centre, motion.rotation, rest).kinetic_energies(inertia).sum())
        if energy > gain:
            slowed: Floats = kept + np.sqrt(1.0 - gain / energy) * rest
            return slowed
    return motion.rates


def rates_as_one(inertia: Inertia, motion: Motion) -> Floats:
    """Return the rates (k, 6) of bodies that move as one rigid body, with the momenta that they have."""
    mass, velocity = inertia.mass[:, None], motion.velocity(inertia)
    centre, mean = ((mass * each).sum(axis=0) / mass.sum() for each in (motion.centre, velocity))
    arm = motion.centre - centre
    angular = (motion.angular_momentum(inertia) + mass * cross(arm, velocity - mean)).sum(axis=0)
    outer = dot(arm, arm)[:, None, None] * np.eye(3) - arm[:, :, None] * arm[:, None]
    tensor = (inertia.tensors(motion.rotation) + mass[:, :, None] * outer).sum(axis=0)
    spin = np.broadcast_to(np.linalg.solve(tensor, angular), arm.shape)
    return np.concatenate([(mean + cross(spin, arm)) / inertia.radius[:, None], spin], axis=1)
