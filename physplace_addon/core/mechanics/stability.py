"""Is a rest stable, and by how much (DESIGN section 3, the certificate).

On the motions that keep every pressing contact, J x = 0, the energy's second derivative is that of the
Lagrangian, -sum f_i H_i - dw/dx.  A negative eigenvalue whose motion no other contact forbids makes the rest
metastable; zero ones are neutral (a cylinder rolls, a ball spins).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.linalg import null_space
from scipy.spatial import ConvexHull, QhullError

from ..arrays import Floats
from ..vectors import dot

_NEGATIVE = 1e-6
_PRESSES = 1e-7


@dataclass(frozen=True, eq=False)
class SecondOrder:
    """Eigenvalues (m,) of the energy on the free motions, and those motions (n, d) by which it falls."""

    values: Floats
    falling: Floats

    @property
    def stable(self) -> bool:
        """No motion lowers the energy to second order."""
        return len(self.falling) == 0


def second_order(
    gradients: Floats, hessians: Floats, forces: Floats, change: Floats | None = None
) -> SecondOrder:
    """Test the rest that `forces` (k,) hold at touching contacts with gradients (k, d) and hessians (k, d,
    d).

    change (d, d): the symmetric part of how the external wrench changes; none for gravity.
    """
    pressing = np.abs(forces) > _PRESSES
    size = gradients.shape[1]
    free = null_space(gradients[pressing], rcond=1e-7) if pressing.any() else np.eye(size)
    lagrangian = -np.einsum("i,iab->ab", forces[pressing], hessians[pressing])
    if change is not None:
        lagrangian = lagrangian - change
    values, vectors = np.linalg.eigh(free.T @ lagrangian @ free)
    motions = (free @ vectors).T
    falling = [motion for value, motion in zip(values, motions, strict=True) if value < -_NEGATIVE]
    idle = gradients[~pressing]
    allowed = [motion for motion in falling if _is_allowed(motion, idle)]
    return SecondOrder(values, np.array(allowed).reshape(-1, size))


def _is_allowed(motion: Floats, idle: Floats) -> bool:
    rise = idle @ motion
    return bool((rise > -1e-9).all() or (rise < 1e-9).all())


def support_margin(positions: Floats, centre: Floats, direction: Floats) -> float:
    """Return how far the centre of mass (3,) stands inside the hull of contacts (k, 3) seen along gravity
    (3,), in lengths.

    Negative outside; zero over a point or a line of support.
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
