"""Is a rest stable, and by how much.

On the motions that keep every pressing contact, J x = 0, the energy's second derivative is that of the
Lagrangian, -sum f_i H_i - dw/dx.  A negative eigenvalue whose motion no other contact forbids makes the rest
metastable; zero ones are neutral (a cylinder rolls, a ball spins).  J (k, d) and H (k, d, d) are the first
and second derivatives of gap / R, f (k,) the contact forces, w (d,) the external wrench.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.linalg import null_space
from scipy.spatial import ConvexHull, QhullError

from ..arrays import Floats
from ..vectors import dot

_NEGATIVE = 1e-6  # size of an eigenvalue, in weights times R, below which it counts as zero
_PRESSING_FORCE = 1e-7  # least force, in weights, of a contact that motions must keep
_RANK = 1e-7  # of the largest singular value of J: smaller ones count as zero
_SEPARATES = 1e-9  # change of gap / R, over a unit motion, that is rounding


@dataclass(frozen=True, eq=False)
class SecondOrder:
    """The energy's second derivative on the motions that keep every pressing contact.

    Attributes:
        values: its eigenvalues (n,), in units of one weight times R, ascending.
        falling: the motions (p, d), of length 1, by which the energy falls and which no contact forbids.
    """

    values: Floats
    falling: Floats

    @property
    def stable(self) -> bool:
        """Whether no motion lowers the energy to second order."""
        return len(self.falling) == 0


def second_order(
    gradients: Floats, curvature: Floats, forces: Floats, change: Floats | None = None
) -> SecondOrder:
    """Return the energy's second derivative at a rest, on its free motions.

    Args:
        gradients: J (k, d) of the touching contacts.
        curvature: sum f_i H_i (d, d) over these.
        forces: the contact forces (k,) that hold the rest.
        change: the symmetric part (d, d) of the external wrench's derivative; None where that is zero, as for
            gravity.
    """
    pressing = np.abs(forces) > _PRESSING_FORCE
    size = gradients.shape[1]
    free = null_space(gradients[pressing], rcond=_RANK) if pressing.any() else np.eye(size)
    lagrangian = -curvature if change is None else -curvature - change
    values, vectors = np.linalg.eigh(free.T @ lagrangian @ free)
    motions = (free @ vectors).T
    falling = [motion for value, motion in zip(values, motions, strict=True) if value < -_NEGATIVE]
    idle = gradients[~pressing]
    allowed = [motion for motion in falling if _is_allowed(motion, idle)]
    return SecondOrder(values, np.array(allowed).reshape(len(allowed), size))


def held_motions(gradients: Floats) -> Floats:
    """Return the motions (d, n), orthonormal, that contacts with gradients J (k, d) do not leave free: those
    that change their gaps.
    """
    sizes, motions = np.linalg.svd(gradients, full_matrices=False)[1:]
    held: Floats = motions[sizes > _RANK * sizes.max(initial=0.0)].T
    return held


def _is_allowed(motion: Floats, idle: Floats) -> bool:
    rise = idle @ motion
    return bool((rise > -_SEPARATES).all() or (rise < _SEPARATES).all())


def support_margin(positions: Floats, centre: Floats, direction: Floats) -> float:
    """Return how far, a length, the centre of mass stands inside the hull of the contacts seen along gravity.

    It is negative outside the hull, and zero over a point or a line of support.

    Args:
        positions: the contacts (k, 3).
        centre: the centre of mass (3,).
        direction: gravity's unit direction (3,).
    """
    if len(positions) < 3:
        return 0.0
    axes = null_space(direction[None])
    flat = (positions - centre) @ axes
    try:
        hull = ConvexHull(flat)
    except QhullError:
        return 0.0  # all contacts on one line: that is what Qhull refuses
    return -float((dot(hull.equations[:, :2], np.zeros(2)) + hull.equations[:, 2]).max())
