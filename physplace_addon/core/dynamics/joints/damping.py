"""The flow of dampers alone: momenta that fall exponentially while nothing moves.

With the rows J_d of the damped coordinates and C = diag(c unit^2), dampers make p' = -J_d' C J_d u, and the
joints let a wrench change u by P, the inverse mass on the motions that they leave. The damped rates y = J_d u
obey y' = -E C y with E = J_d P J_d'. In z = C^1/2 y the matrix S = C^1/2 E C^1/2 is symmetric, so

    impulse = -J_d' C^1/2 int_0^t exp(-S s) ds z_0

is exact, and stable however strong the dampers are.
"""

from __future__ import annotations

import numpy as np

from ...arrays import Floats
from .forces import damper_rows
from .rattle import JointedBodies, Position, projected


class DamperFlow:
    """The dampers of jointed bodies at one position."""

    def __init__(self, at: Position) -> None:
        count = len(at.centre)
        self._at = at
        self._rows, damping = damper_rows(at.frames)
        wrenches = self._rows.dense(count).reshape(-1, count, 6)
        responses = at.rows.responses(wrenches).reshape(len(wrenches), -1)
        self._roots = np.sqrt(damping)
        compliance = responses @ wrenches.reshape(len(wrenches), -1).T
        symmetric = self._roots[:, None] * compliance * self._roots
        self._rates, self._vectors = np.linalg.eigh(0.5 * (symmetric + symmetric.T))

    @property
    def rate(self) -> float:
        """The fastest decay, 1/s."""
        return float(self._rates.max(initial=0.0))

    def after(self, bodies: JointedBodies, momentum: Floats, time: float) -> Floats:
        """Return the momenta (m, 6) after a time, s, which may be negative."""
        modes = self._vectors.T @ (self._roots * self._rows.rates(self._at.rates(momentum)))
        rates = np.maximum(self._rates, 1e-300)
        sums = -np.expm1(-rates * time) / rates * modes
        impulse = self._rows.wrench(-self._roots * (self._vectors @ sums), len(momentum))
        return projected(bodies, self._at, momentum + impulse)[0]
