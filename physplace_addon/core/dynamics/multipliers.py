"""The multipliers of joint rows J (q, 6 m) on bodies with mass matrices M, whether or not rows repeat others.

They solve (J M^-1 J' + D) l = r.  A closed loop of hinges has more equations than it has motions to forbid,
so J M^-1 J' alone has no inverse.  D is a small share of its diagonal: a proximal point step (Rockafellar
1976).  Repeated on what is left of r, it converges to the solution of least norm next to the start wherever
there is one, by a factor of 1e-11 over the least positive eigenvalue, and nothing is biased.
"""

from __future__ import annotations

import numpy as np
from scipy import sparse
from scipy.linalg import cho_factor, cho_solve
from scipy.sparse.linalg import splu

from ..arrays import Floats
from .joint_equations import JointRows

_PROXIMAL = 1e-11  # D over the diagonal of J M^-1 J': above its rounding, and below what slows convergence
_MOST_DENSE = 150  # twists above which sparse factors are faster


class Multipliers:
    """The rows of joints at one position, factored."""

    def __init__(self, rows: JointRows, inverse_mass: Floats, proximal: float = _PROXIMAL) -> None:
        """Factor rows.

        Args:
            rows: q of them.
            inverse_mass: M^-1 (m, 6, 6) of the bodies.
            proximal: D over the diagonal of J M^-1 J'.
        """
        count = len(inverse_mass)
        self.rows = rows
        self._shape = (count, 6)
        self._dense = 6 * count <= _MOST_DENSE
        if not len(rows):
            return
        if self._dense:
            self._matrix = rows.dense(count)
            by_body = self._matrix.reshape(-1, count, 6).transpose(1, 0, 2) @ inverse_mass
            self._weighted = by_body.transpose(1, 0, 2).reshape(self._matrix.shape)
            compliance = self._weighted @ self._matrix.T
            compliance.ravel()[:: len(rows) + 1] *= 1.0 + proximal
            self._factor = cho_factor(compliance, lower=True, overwrite_a=True, check_finite=False)
        else:
            self._sparse = rows.sparse(count)
            blocks = (inverse_mass, np.arange(count), np.arange(count + 1))
            mass = sparse.bsr_array(blocks, shape=(6 * count, 6 * count)).tocsr()
            delassus = (self._sparse @ mass @ self._sparse.T).tocsc()
            delassus += sparse.diags_array(proximal * delassus.diagonal())
            self._factors = splu(delassus, permc_spec="MMD_AT_PLUS_A", options={"SymmetricMode": True})

    def solve(self, right: Floats) -> Floats:
        """Return the multipliers (q,) of right-hand sides r (q,)."""
        if not len(self.rows):
            return right
        if self._dense:
            return np.asarray(cho_solve(self._factor, right, check_finite=False))
        return np.asarray(self._factors.solve(right))

    def rates(self, rates: Floats) -> Floats:
        """Return J u (q,) for rates of twists u (m, 6)."""
        if not len(self.rows):
            return np.zeros(0)
        flat = rates.ravel()
        return np.asarray(self._matrix @ flat if self._dense else self._sparse @ flat)

    def impulse(self, multipliers: Floats) -> Floats:
        """Return J' l (m, 6) for multipliers l (q,)."""
        if not len(self.rows):
            return np.zeros(self._shape)
        flat = multipliers @ self._matrix if self._dense else self._sparse.T @ multipliers
        return np.asarray(flat).reshape(self._shape)

    def projection(self, rates: Floats, target: Floats | float = 0.0) -> Floats:
        """Return the multipliers (q,) whose impulse gives rates (m, 6) the target J u (q,)."""
        if not len(self.rows):
            return np.zeros(0)
        return self.solve(target - self.rates(rates))
