"""Joints closed at the start: bodies moved least, in the metric of their masses (`mechanics.joints.closure`),
and velocities changed least, until the equations allow them.  Nothing moves bodies whose motion is given.
"""

from __future__ import annotations

import numpy as np

from ...arrays import Bools, Floats
from ...mechanics.inertia import Inertia
from ...mechanics.joints.closure import Positions, closed_positions
from ...mechanics.joints.equations import Joints, equation_rows
from ...mechanics.joints.multipliers import Multipliers
from ..free_rotation import PrincipalAxes
from ..motion import Motion, anchor_frames


def closed_joints(joints: Joints, inertia: Inertia, motion: Motion, given: Bools | None = None) -> Motion:
    """Return a motion in which joints are closed, limits obeyed, and velocities allowed by the equations.

    Args:
        joints: between the bodies.
        inertia: of the bodies.
        motion: of the bodies.
        given: whose motion (m,) is given; None for nobody's.

    Raises:
        JointError: they cannot all be closed by moving from here; it names the joint that is open most.
    """
    axes = PrincipalAxes.of(inertia)
    stays = np.zeros(len(inertia), np.bool_) if given is None else given
    moves = np.append(~stays, False)  # the last is the fixed world
    joints = joints.take(np.flatnonzero(moves[joints.body].any(axis=1)))

    def inverse(positions: Positions) -> Floats:
        blocks = inverse_mass(inertia, axes, axes.in_scene(positions.rotation))
        blocks[stays] = 0.0
        return blocks

    found = closed_positions(joints, inertia, Positions(motion.centre, motion.rotation), inverse)
    return _consistent(joints, inertia, Motion(found.centre, found.rotation, motion.rates), inverse(found))


def _consistent(joints: Joints, inertia: Inertia, motion: Motion, inverse: Floats) -> Motion:
    """Return a motion with the least change of velocity that the equations allow, in the metric of mass with
    the inverse M^-1 (m, 6, 6).
    """
    rows = Multipliers(equation_rows(anchor_frames(joints, inertia, motion)), inverse)
    impulse = rows.impulse(rows.projection(motion.rates))
    change = (inverse @ impulse[:, :, None])[:, :, 0]
    return Motion(motion.centre, motion.rotation, motion.rates + change)


def inverse_mass(inertia: Inertia, axes: PrincipalAxes, in_scene: Floats) -> Floats:
    """Return the inverses M^-1 (m, 6, 6) of the mass matrices by the rates of twists.

    Args:
        inertia: of the bodies.
        axes: their principal axes.
        in_scene: these in the scene (m, 3, 3).
    """
    blocks = np.zeros((len(inertia), 6, 6))
    blocks[:, :3, :3] = (1.0 / (inertia.mass * inertia.radius**2))[:, None, None] * np.eye(3)
    blocks[:, 3:, 3:] = axes.inverse_tensors(in_scene)
    return blocks
