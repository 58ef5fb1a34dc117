"""The multipliers of joint rows J (q, 6 m) on bodies with mass matrices M, whether or not rows repeat others.

They solve A l = r, A = J M^-1 J'.  A closed loop of hinges has more equations than it has motions to forbid,
so A has no inverse, and r has a part that no l reaches: rounding, and what a round of Newton's method leaves.
With D a small share d of the diagonal of A,

    l = (A + D)^-1 A (A + D)^-1 r

has s / (s + d)^2 in place of 1 / s for each eigenvalue s, over the diagonal: 1 / s where s >> d, and nothing
where s = 0.  So l stays of least norm.  With d the root of the machine's precision, rounding in A is not
magnified.  Repeated on what is left of r, it converges by a factor 2 d / s.
"""

from __future__ import annotations

import numpy as np
from scipy import sparse
from scipy.linalg import cho_factor, cho_solve
from scipy.sparse.linalg import splu

from ...arrays import Floats
from .equations import JointRows

_PROXIMAL = 1e-8  # D over the diagonal of A: about the root of the machine's precision
_MOST_ROUNDS = 10  # of what a solution leaves; one or two, unless a body weighs a millionth of another
_ROUNDING = 1e-15  # rate, 1/s
_MOST_DENSE = 150  # twists above which sparse factors are faster


class Multipliers:
    """The rows of joints at one position, factored."""

    def __init__(self, rows: JointRows, inverse_mass: Floats, proximal: float = _PROXIMAL) -> None:
        """Factor rows.

        Args:
            rows: q of them.
            inverse_mass: M^-1 (m, 6, 6) of the bodies.
            proximal: D over the diagonal of A.
        """
        count = len(inverse_mass)
        self.rows = rows
        self._inverse = inverse_mass
        self._shape = (count, 6)
        self._dense = 6 * count <= _MOST_DENSE
        if not len(rows):
            return
        if self._dense:
            self._matrix = rows.dense(count)
            by_body = self._matrix.reshape(-1, count, 6).transpose(1, 0, 2) @ inverse_mass
            self._weighted = by_body.transpose(1, 0, 2).reshape(self._matrix.shape)
            compliance = self._weighted @ self._matrix.T
            self._compliance = compliance.copy()
            compliance.ravel()[:: len(rows) + 1] *= 1.0 + proximal
            self._factor = cho_factor(compliance, lower=True, overwrite_a=True, check_finite=False)
        else:
            self._sparse = rows.sparse(count)
            blocks = (inverse_mass, np.arange(count), np.arange(count + 1))
            mass = sparse.bsr_array(blocks, shape=(6 * count, 6 * count)).tocsr()
            delassus = (self._sparse @ mass @ self._sparse.T).tocsc()
            self._delassus = delassus.tocsr()
            delassus = delassus + sparse.diags_array(proximal * delassus.diagonal())
            self._factors = splu(delassus, permc_spec="MMD_AT_PLUS_A", options={"SymmetricMode": True})

    def solve(self, right: Floats) -> Floats:
        """Return the multipliers of right-hand sides r, (q,) or (q, k)."""
        if not len(self.rows):
            return right
        if self._dense:
            once = self._compliance @ cho_solve(self._factor, right, check_finite=False)
            return np.asarray(cho_solve(self._factor, once, overwrite_b=True, check_finite=False))
        return np.asarray(self._factors.solve(np.asarray(self._delassus @ self._factors.solve(right))))

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
        left = np.asarray(target - self.rates(rates), np.float64)
        matrix = self._compliance if self._dense else self._delassus
        total, before = np.zeros_like(left), np.inf
        for _ in range(_MOST_ROUNDS):
            change = self.solve(left)
            total += change
            left = left - np.asarray(matrix @ change)
            size = float(np.abs(left).max())
            if size <= _ROUNDING or size > 0.1 * before:
                break
            before = size
        return total

    def responses(self, wrenches: Floats) -> Floats:
        """Return the accelerations (k, m, 6) by wrenches (k, m, 6) on bodies that obey the rows."""
        free = (self._inverse @ wrenches[:, :, :, None])[:, :, :, 0]
        if not len(self.rows):
            return free
        rows = self._matrix if self._dense else self._sparse
        flat = free.reshape(len(free), -1)
        impulses = np.asarray(rows.T @ self.solve(np.asarray(rows @ flat.T)))
        bound = impulses.T.reshape(free.shape)
        accelerations: Floats = free - (self._inverse @ bound[:, :, :, None])[:, :, :, 0]
        return accelerations
