"""Joints closed at the start: bodies moved least, in the metric of their masses (`mechanics.joints.closure`),
and velocities changed least, until the equations allow them.
"""

from __future__ import annotations

import numpy as np

from ...arrays import Floats
from ...mechanics.inertia import Inertia
from ...mechanics.joints.closure import Positions, closed_positions
from ...mechanics.joints.equations import Joints, equation_rows
from ...mechanics.joints.multipliers import Multipliers
from ..free_rotation import PrincipalAxes
from ..motion import Motion, anchor_frames


def closed_joints(joints: Joints, inertia: Inertia, motion: Motion) -> Motion:
    """Return a motion in which joints are closed, limits obeyed, and velocities allowed by the equations.

    Raises:
        JointError: they cannot all be closed by moving from here; it names the joint that is open most.
    """
    axes = PrincipalAxes.of(inertia)

    def inverse(positions: Positions) -> Floats:
        return inverse_mass(inertia, axes, axes.in_scene(positions.rotation))

    found = closed_positions(joints, inertia, Positions(motion.centre, motion.rotation), inverse)
    return consistent(joints, inertia, Motion(found.centre, found.rotation, motion.rates))


def consistent(joints: Joints, inertia: Inertia, motion: Motion) -> Motion:
    """Return a motion with the least change of velocity, in the metric of mass, that the equations allow."""
    axes = PrincipalAxes.of(inertia)
    inverse = inverse_mass(inertia, axes, axes.in_scene(motion.rotation))
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
