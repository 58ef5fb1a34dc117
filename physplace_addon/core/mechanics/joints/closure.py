"""Joints closed: bodies moved least, in a metric, until Phi = 0.

Gauss and Newton: with the metric's matrix M the least |x|_M with Phi + J x = 0 is x = -M^-1 J' (J M^-1 J')^-1
Phi, repeated, no step longer than half a radius or radian.  Limits that are violated take part as equations.
What is left open after that contradicts itself, or is out of reach.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from ...arrays import ArrayRecord, Floats
from ...errors import JointError
from ...rigid import quaternion_exponential, quaternion_product
from ...vectors import dot, length
from ..inertia import Inertia
from .equations import AnchorFrames, JointRows, Joints, equation_rows, limit_rows
from .multipliers import Multipliers

CLOSED = 1e-9
"""Largest residual, lengths over R and radians, of a joint that is closed."""

_STEPS = 100
_LONGEST_STEP = 0.5  # R_b or radians: equations bend by about so much
_PROXIMAL = 1e-7  # share of the diagonal: keeps a step short where equations contradict one another
_ROUNDING = 1e-13  # of residuals, over the bodies' distance from the origin over R


@dataclass(frozen=True, eq=False)
class Positions(ArrayRecord):
    """Where m bodies are.

    centre (m, 3): centres of mass in the scene, lengths.
    rotation (m, 4): unit quaternions that turn the bodies' own frames into the scene.
    """

    centre: Floats
    rotation: Floats

    def displaced(self, radius: Floats, twists: Floats) -> Positions:
        """Return the bodies, of radii (m,), moved by twists (m, 6) = (dX / R_b, dTheta)."""
        turn = quaternion_product(quaternion_exponential(twists[:, 3:]), self.rotation)
        turn /= np.sqrt(dot(turn, turn))[:, None]
        return Positions(self.centre + radius[:, None] * twists[:, :3], turn)

    def frames(self, joints: Joints, inertia: Inertia) -> AnchorFrames:
        """Return where the anchor frames of joints are."""
        return AnchorFrames.at(joints, inertia, self.centre, self.rotation)


def rounding(joints: Joints, positions: Positions) -> float:
    """Return the residual of a joint that rounding explains."""
    return _ROUNDING * (1.0 + float(np.abs(positions.centre).max(initial=0.0)) / joints.length)


def closed_positions(
    joints: Joints,
    inertia: Inertia,
    positions: Positions,
    inverse_metric: Callable[[Positions], Floats],
) -> Positions:
    """Return positions in which joints are closed and limits are obeyed.

    Args:
        joints: between the bodies.
        inertia: of the bodies.
        positions: of the bodies now.
        inverse_metric: from positions M^-1 (m, 6, 6), by the twists.

    Raises:
        JointError: they cannot all be closed by moving from here; it names the joint that is open most.
    """
    enough = rounding(joints, positions)
    for _ in range(_STEPS):
        rows = open_rows(positions.frames(joints, inertia))
        if np.abs(rows.value).max(initial=0.0) <= enough:
            break
        twists = least_motion(rows, inverse_metric(positions))
        positions = positions.displaced(inertia.radius, twists)
    _check_closed(joints, open_rows(positions.frames(joints, inertia)))
    return positions


def open_rows(frames: AnchorFrames) -> JointRows:
    """Return the equations and the violated limits."""
    limits = limit_rows(frames)
    return JointRows.join([equation_rows(frames), limits.take(limits.value < 0.0)])


def least_motion(rows: JointRows, inverse: Floats) -> Floats:
    """Return the twists (m, 6) of one step that closes rows, in the metric with M^-1 (m, 6, 6)."""
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
        joints.name(int(rows.joint[worst])),
        f"it cannot be closed together with the others, {still} stays open",
        "move its anchors together, or give its axes more freedom",
    )
