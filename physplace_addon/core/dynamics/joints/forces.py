"""Springs and dampers along the axes of joints.

With x the shift (length) or turn (radians) of an axis, a spring has the energy 1/2 k (x - x_0)^2 and a damper
the force -c x'.  The rows J of a coordinate x / unit make a force f into the wrench unit J' f by the rates of
the twists.
"""

from __future__ import annotations

import numpy as np

from ...arrays import Bools, Floats
from ...mechanics.joints.equations import AnchorFrames, JointRows, Joints, coordinate_rows


def sprung(joints: Joints) -> Bools:
    """Return the axes (n, 6) that have a spring."""
    return ~joints.locked & (joints.stiffness > 0.0)


def damped(joints: Joints) -> Bools:
    """Return the axes (n, 6) that have a damper."""
    return ~joints.locked & (joints.damping > 0.0)


def spring_wrench(frames: AnchorFrames, count: int, near: Floats | None = None) -> Floats:
    """Return the wrench (m, 6) of all springs on m bodies, by the rates of twists.

    Args:
        frames: of the joints.
        count: m.
        near: coordinates (n, 6) known before, to count whole turns from.
    """
    rows, stretch = _stretches(frames, near)
    stiffness = frames.joints.stiffness[rows.joint, rows.axis]
    units = frames.joints.units[rows.axis]
    return rows.wrench(-units * stiffness * stretch, count)


def spring_energies(frames: AnchorFrames, near: Floats | None = None) -> Floats:
    """Return the energies of the joints' springs (n,), force times length."""
    rows, stretch = _stretches(frames, near)
    energies = 0.5 * frames.joints.stiffness[rows.joint, rows.axis] * stretch**2
    return np.asarray(np.bincount(rows.joint, energies, len(frames.joints)), dtype=np.float64)


def spring_energy(frames: AnchorFrames, near: Floats | None = None) -> float:
    """Return the energy of all springs, force times length."""
    return float(spring_energies(frames, near).sum())


def spring_rows(frames: AnchorFrames) -> tuple[JointRows, Floats]:
    """Return the rows (k,) of the sprung coordinates, and the stiffness k unit^2 (k,) along each."""
    rows = coordinate_rows(frames, sprung(frames.joints))
    return rows, _by_row(frames.joints, frames.joints.stiffness, rows)


def damper_rows(frames: AnchorFrames) -> tuple[JointRows, Floats]:
    """Return the rows (k,) of the damped coordinates, and the damping c unit^2 (k,) along each."""
    rows = coordinate_rows(frames, damped(frames.joints))
    return rows, _by_row(frames.joints, frames.joints.damping, rows)


def spring_multipliers(
    frames: AnchorFrames, rates: Floats, near: Floats | None = None
) -> tuple[JointRows, Floats]:
    """Return the rows (k,) of axes with springs or dampers, and their multipliers (k,) at rates (m, 6).

    near: coordinates (n, 6) known before, to count whole turns from.
    """
    joints = frames.joints
    rows = coordinate_rows(frames, sprung(joints) | damped(joints), near)
    at, units = (rows.joint, rows.axis), joints.units[rows.axis]
    pull = joints.stiffness[at] * (units * rows.value - joints.rest[at])
    drag = joints.damping[at] * units * rows.rates(rates)
    multipliers: Floats = -units * (pull + drag)
    return rows, multipliers


def _by_row(joints: Joints, values: Floats, rows: JointRows) -> Floats:
    chosen: Floats = values[rows.joint, rows.axis] * joints.units[rows.axis] ** 2
    return chosen


def _stretches(frames: AnchorFrames, near: Floats | None) -> tuple[JointRows, Floats]:
    """Return the rows of the sprung coordinates, and how far they are from rest, lengths and radians (k,)."""
    rows = coordinate_rows(frames, sprung(frames.joints), near)
    at = rows.value * frames.joints.units[rows.axis]
    stretch: Floats = at - frames.joints.rest[rows.joint, rows.axis]
    return rows, np.asarray(stretch)
