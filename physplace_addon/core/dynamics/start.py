"""The start of a simulation: bodies that touch are parted by the gap that bodies in contact keep.

Joints may lock what stands on the floor: these give way by as much, and hold bodies where they are then.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from ..arrays import Bools, Floats, Ints
from ..contact.system import FIXED, OVERLAP, ContactSystem, InterfacePoints, Reach
from ..mechanics.start import clear_start
from ..optimization.step_qp import solve_qp
from .motion import Motion, anchor_frames
from .scene import Scene

_ROUNDS = 4
_NEARLY = 0.9  # of a gap that is enough
_SHARES = (1.0, 0.5, 0.2, 0.05)  # of the gap to be kept that are tried where there is no more room
_SHALLOW = 1e-3  # depth, over the least radius, up to which bodies that overlap are parted


def parted(scene: Scene, motion: Motion) -> Motion | None:
    """Return bodies moved by as little as gives them the gap that bodies in contact keep; None if they
    overlap by more than rounding and small errors of modelling explain.

    Where there is no room for that gap, as between bricks that fill a box, it is less.
    """
    system = scene.system(motion)
    cleared = clear_start(system, _reach(scene, scene.hold), _SHALLOW * system.radius)
    if cleared is None:
        return None
    begin = Motion.of(scene.inertia, cleared.system.poses, motion.velocity(scene.inertia), motion.spin)
    for share in _SHARES:
        found = _with_gap(scene, begin, share * scene.hold)
        if found is not None:
            return found
    return begin


def interfering(scene: Scene, motion: Motion) -> tuple[int, ...]:
    """Return the numbers of the bodies for which `parted` finds no place beside another one.

    Fixed bodies are numbered on after those that move.
    """
    system, found = scene.system(motion), set[int]()
    near = frozenset(system.pairs(0.0))
    tolerance, reach = _SHALLOW * system.radius, _reach(scene, scene.hold)
    for pair in near:
        alone = replace(system, never_meeting=system.never_meeting | (near - {pair}))
        if clear_start(alone, reach, tolerance) is None:
            found |= {number for number in pair if number != FIXED}
            if pair[1] == FIXED:
                found |= _interfering_parts(system, pair[0], reach, tolerance)
    return tuple(sorted(found))


def with_seated_joints(scene: Scene, numbers: Ints, motion: Motion) -> Scene:
    """Return a scene in which joints (n,) hold bodies where they are, near to where they held them."""
    joints = scene.joints.copy()
    held = joints.take(numbers)
    joints.put(numbers, held.seated(anchor_frames(held, scene.inertia, motion)))
    return replace(scene, joints=joints)


def _interfering_parts(system: ContactSystem, number: int, reach: Reach, tolerance: float) -> set[int]:
    """Return the numbers of the fixed bodies that a moving one overlaps."""
    body, pose = system.bodies[number].body, system.poses[number]
    return {
        len(system) + i
        for i, part in enumerate(system.parts)
        if clear_start(ContactSystem.of([body], [pose], [part]), reach, tolerance) is None
    }


def _reach(scene: Scene, gap: float) -> Reach:
    far = 2.0 * gap / float(scene.inertia.radius.min()) + _SHALLOW
    return Reach(far, far, far)


def _with_gap(scene: Scene, motion: Motion, gap: float) -> Motion | None:
    """Return bodies parted by a gap, a length; None if that is not possible."""
    given = np.repeat(scene.given, 6)
    for _ in range(_ROUNDS):
        system = scene.system(motion)
        points = system.generate(_reach(scene, gap), InterfacePoints.none(), None)
        near = points.take(points.gap < 2.0 * gap)
        if (near.gap >= _NEARLY * gap).all() and not system.misses_collision(points, OVERLAP):
            return motion
        change = _least_change(system, near, gap, given)
        if change is None:
            return None
        motion = motion.displaced(scene.inertia, change.reshape(-1, 6))
    return None


def _least_change(system: ContactSystem, points: InterfacePoints, gap: float, given: Bools) -> Floats | None:
    """Return the least twists (6 m,) that give all points a gap, a length; those given (6 m,) stay."""
    rows = system.gradients(points)
    rows[:, given] = 0.0
    moves = np.flatnonzero(~given)
    step = solve_qp(
        np.eye(len(moves)), np.zeros(len(moves)), rows[:, moves], (gap - points.gap) / system.radius
    )
    if step is None:
        return None
    change = np.zeros(len(given))
    change[moves] = step.x
    return change
