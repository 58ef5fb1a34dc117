"""The flow of dampers and of the bodies' own damping alone: momenta that fall off while nothing moves.

With the rows J_d of the damped coordinates and C = diag(c unit^2), dampers make p' = -J_d' C J_d u, and the
joints let a wrench change u by P, the inverse mass on the motions that they leave. The damped rates y = J_d u
obey y' = -E C y with E = J_d P J_d'. In z = C^1/2 y the matrix S = C^1/2 E C^1/2 is symmetric, so

    impulse = -J_d' C^1/2 int_0^t exp(-S s) ds z_0

is exact, and stable however strong the dampers are.

The bodies' own damping makes p' = -Pi L p, with Pi p = p + J' k the projection on what the joints leave, and
L the rates of `BodyDamping`. Its flow is the series of its exponential, in parts in which no rate decays by
more than e.

Both together are half of the second flow, the first, and half of the second: symmetric, of second order.
"""

from __future__ import annotations

import numpy as np

from ...arrays import Floats
from .forces import damped, damper_rows
from .rattle import JointedBodies, Position, projected

_MOST_TERMS = 20  # of the series: 1 / 20! is below rounding
_ROUNDING = 1e-17  # of the momenta that a term may be left out for


def is_damped(bodies: JointedBodies) -> bool:
    """Return whether there is a damper, or a body whose own velocity falls off."""
    return bool(damped(bodies.joints).any() or bodies.damping.rates.any())


class DamperFlow:
    """The dampers of jointed bodies, and the bodies' own damping, at one position."""

    def __init__(self, bodies: JointedBodies, at: Position) -> None:
        self._bodies, self._at = bodies, at
        self._has_dampers = bool(damped(bodies.joints).any())
        self._own = float(bodies.damping.rates.max(initial=0.0))
        if self._has_dampers:
            self._decompose(len(at.centre))

    def _decompose(self, count: int) -> None:
        self._rows, damping = damper_rows(self._at.frames)
        wrenches = self._rows.dense(count).reshape(-1, count, 6)
        responses = self._at.rows.responses(wrenches).reshape(len(wrenches), -1)
        self._roots = np.sqrt(damping)
        compliance = responses @ wrenches.reshape(len(wrenches), -1).T
        symmetric = self._roots[:, None] * compliance * self._roots
        self._rates, self._vectors = np.linalg.eigh(0.5 * (symmetric + symmetric.T))

    @property
    def rate(self) -> float:
        """The fastest decay, 1/s."""
        return max(self._own, float(self._rates.max(initial=0.0)) if self._has_dampers else 0.0)

    def after(self, momentum: Floats, time: float) -> Floats:
        """Return the momenta (m, 6) after a time, s, which may be negative."""
        if not self._has_dampers:
            return self._fallen(momentum, time)
        half = self._fallen(momentum, 0.5 * time)
        modes = self._vectors.T @ (self._roots * self._rows.rates(self._at.rates(half)))
        rates = np.maximum(self._rates, 1e-300)
        sums = -np.expm1(-rates * time) / rates * modes
        impulse = self._rows.wrench(-self._roots * (self._vectors @ sums), len(momentum))
        return self._fallen(projected(self._bodies, self._at, half + impulse)[0], 0.5 * time)

    def _fallen(self, momentum: Floats, time: float) -> Floats:
        """Return the momenta (m, 6) after the bodies' own damping alone."""
        parts = int(np.ceil(abs(time) * self._own))
        for _ in range(parts):
            momentum = self._series(momentum, time / parts)
        return momentum

    def _series(self, momentum: Floats, time: float) -> Floats:
        rows, rates = self._at.rows, self._bodies.damping.rates
        enough = _ROUNDING * float(np.abs(momentum).max())
        total, term = momentum.copy(), momentum
        for order in range(1, _MOST_TERMS + 1):
            term = (-time / order) * rates * term
            term = term + rows.impulse(rows.projection(self._at.rates(term)))
            total += term
            if np.abs(term).max() <= enough:
                break
        return total
