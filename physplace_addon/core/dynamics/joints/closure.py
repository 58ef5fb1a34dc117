"""Joints closed at the start: bodies moved least, in the metric of their masses, until Phi = 0.

Gauss and Newton: the least |x|_M with Phi + J x = 0 is x = -M^-1 J' (J M^-1 J')^-1 Phi, repeated, no step
longer than half a radius or radian.  Limits that are violated take part as equations.  What is left open
after that contradicts itself, or is out of reach.
"""

from __future__ import annotations

import numpy as np

from ...arrays import Floats
from ...errors import JointError
from ...mechanics.inertia import Inertia
from ...mechanics.joints.equations import AnchorFrames, JointRows, Joints, equation_rows, limit_rows
from ...vectors import length
from ..free_rotation import PrincipalAxes
from ..motion import Motion, anchor_frames
from .multipliers import Multipliers

CLOSED = 1e-9
"""Largest residual, lengths over R and radians, of a joint that is closed."""

_STEPS = 100
_LONGEST_STEP = 0.5  # R_b or radians: equations bend by about so much
_PROXIMAL = 1e-7  # share of the diagonal: keeps a step short where equations contradict one another
_ROUNDING = 1e-13  # of residuals, over the bodies' distance from the origin over R


def closed_joints(joints: Joints, inertia: Inertia, motion: Motion) -> Motion:
    """Return a motion in which joints are closed, limits obeyed, and velocities allowed by the equations.

    Raises:
        JointError: they cannot all be closed by moving from here; it names the joint that is open most.
    """
    axes = PrincipalAxes.of(inertia)
    far = 1.0 + np.abs(motion.centre).max(initial=0.0) / joints.length
    for _ in range(_STEPS):
        rows = _open_rows(anchor_frames(joints, inertia, motion))
        if np.abs(rows.value).max(initial=0.0) <= _ROUNDING * far:
            break
        inverse = inverse_mass(inertia, axes, axes.in_scene(motion.rotation))
        motion = motion.displaced(inertia, _least_motion(rows, inverse))
    rows = _open_rows(anchor_frames(joints, inertia, motion))
    _check_closed(joints, rows)
    return consistent(joints, inertia, motion)


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


def _open_rows(frames: AnchorFrames) -> JointRows:
    """Return the equations and the violated limits."""
    limits = limit_rows(frames)
    return JointRows.join([equation_rows(frames), limits.take(limits.value < 0.0)])


def _least_motion(rows: JointRows, inverse: Floats) -> Floats:
    """Return the twists (m, 6) of one step."""
    multipliers = Multipliers(rows, inverse, _PROXIMAL)
    impulse = multipliers.impulse(multipliers.solve(-rows.value))
    twists: Floats = (inverse @ impulse[:, :, None])[:, :, 0]
    longest = float(length(twists.reshape(-1, 3)).max())
    return twists * min(1.0, _LONGEST_STEP / max(longest, 1e-300))


def _check_closed(joints: Joints, rows: JointRows) -> None:
    """Raise a JointError if a row's value is not zero."""
    if not len(rows) or np.abs(rows.value).max() <= CLOSED:
        return
    worst = int(np.abs(rows.value).argmax())
    axis, size = int(rows.axis[worst]), float(abs(rows.value[worst]))
    still = f"a gap of {size * joints.length:.3g}" if axis < 3 else f"an angle of {np.degrees(size):.3g} deg"
    raise JointError(
        joints.names[int(rows.joint[worst])],
        f"it cannot be closed together with the others, {still} stays open",
        "move its anchors together, or give its axes more freedom",
    )
