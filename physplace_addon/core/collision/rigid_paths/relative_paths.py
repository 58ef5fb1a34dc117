"""The motion of bodies A in the frames of bodies B, both on curved paths, and bounds of its derivatives.

A path over tau in [0, 1] takes a body's reference point to X(tau) = X0 + tau s + tau (tau - 1) b and turns
the body about it by E(tau) = exp(tau w), w in fixed axes.  In the axes of B, which turn with it, an arm r of
A, given at tau = 0 in the same axes, is at

    y(tau) = delta + a,    delta = E_B' (X_A - X_B),    a = M r,    M = E_B' E_A.

With the spin W = E_B' (w_A - w_B) of A in these axes, whose own rate is A' = -w_B x W,

    delta'  = E_B' (X_A - X_B)' - w_B x delta,
    delta'' = E_B' (X_A - X_B)'' - 2 w_B x E_B' (X_A - X_B)' + w_B x (w_B x delta),
    a' = W x a,    a'' = W x (W x a) + A' x a.

Let D0, D1, D2 bound the lengths of X_A - X_B and of its two derivatives; its third is zero.  Then

    |delta'|   <= Z1 = D1 + |w_B| D0,             |a'|   <= k1 |r|,  k1 = |W|,
    |delta''|  <= Z2 = D2 + 2 |w_B| D1 + |w_B|^2 D0,   |a''|  <= k2 |r|,  k2 = k1^2 + |w_A x w_B|,
    |delta'''| <= Z3 = 3 |w_B| D2 + 3 |w_B|^2 D1 + |w_B|^3 D0,
    |a'''| <= k3 |r|,  k3 = k1^3 + (3 k1 + |w_B|) |w_A x w_B|.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ...arrays import Floats, Ints
from ...vectors import coordinate_cross, coordinate_dot, coordinate_length

_DIAGONAL = np.arange(3)


@dataclass(frozen=True, eq=False)
class RelativePaths:
    """The paths of k bodies A against those of k bodies B, in the axes of B at tau = 0.

    vectors (15, k): X_A - X_B at tau = 0; s and b of A less those of B; w_A; w_B.  Lengths and radians.
    bounds (6, k): Z1, Z2, Z3, k1, k2, k3.
    """

    vectors: Floats
    bounds: Floats

    @classmethod
    def of(cls, offset: Floats, shift: Floats, bend: Floats, turn_a: Floats, turn_b: Floats) -> RelativePaths:
        """Return the paths of coordinate arrays (3, k): what `vectors` are, in this order."""
        spin, around = coordinate_length(turn_a - turn_b), coordinate_length(turn_b)
        mixed = coordinate_length(coordinate_cross(turn_a, turn_b))
        far, bent = coordinate_length(shift), coordinate_length(bend)
        d0, d1, d2 = coordinate_length(offset) + far + 0.25 * bent, far + bent, 2.0 * bent
        bounds = np.stack(
            [
                d1 + around * d0,
                d2 + around * (2.0 * d1 + around * d0),
                around * (3.0 * d2 + around * (3.0 * d1 + around * d0)),
                spin,
                spin**2 + mixed,
                spin**3 + (3.0 * spin + around) * mixed,
            ]
        )
        return cls(np.concatenate([offset, shift, bend, turn_a, turn_b]), bounds)

    def take(self, rows: Ints) -> RelativePaths:
        """Return the paths of rows (m,)."""
        return RelativePaths(np.take(self.vectors, rows, axis=1), np.take(self.bounds, rows, axis=1))

    def derivative_bounds(self, arm: Floats) -> Floats:
        """Return bounds (3, ..., k) of three derivatives of points with arms of lengths (..., k)."""
        first, second = self.bounds[:3], self.bounds[3:]
        return np.stack([first[i] + second[i] * arm for i in range(3)])

    def start(self) -> RelativeMotion:
        """Return the motion at tau = 0."""
        offset, shift, bend, turn_a, turn_b = self.vectors.reshape(5, 3, -1)
        return _motion(None, offset, shift - bend, 2.0 * bend, turn_a - turn_b, turn_b)

    def at(self, tau: Floats) -> RelativeMotion:
        """Return the motion at one time (k,) for each."""
        offset, shift, bend, turn_a, turn_b = self.vectors.reshape(5, 3, -1)
        turned = _rotations(np.concatenate([turn_a * tau, turn_b * tau], axis=1))
        first, back = turned[:, :, : tau.size], turned[:, :, tau.size :].transpose(1, 0, 2)
        place = offset + tau * (shift + (tau - 1.0) * bend)
        parts = np.stack([place, shift + (2.0 * tau - 1.0) * bend, 2.0 * bend, turn_a - turn_b])
        place, rate, change, spin = (back[None] * parts[:, None]).sum(axis=2)
        product: Floats = (back[:, :, None] * first).sum(axis=1)
        return _motion(product, place, rate, change, spin, turn_b)


@dataclass(frozen=True, eq=False)
class RelativeMotion:
    """Where k bodies A are and how they move in the axes of bodies B, at one time each.

    matrix (3, 3, k): M; None for the identity.
    offset, rate, change (3, k): delta and its first two derivatives.
    spin, spin_rate (3, k): W and A'.
    """

    matrix: Floats | None
    offset: Floats
    rate: Floats
    change: Floats
    spin: Floats
    spin_rate: Floats

    def take(self, rows: Ints) -> RelativeMotion:
        """Return the motion of rows (m,)."""
        matrix = None if self.matrix is None else np.take(self.matrix, rows, axis=2)
        parts = (self.offset, self.rate, self.change, self.spin, self.spin_rate)
        return RelativeMotion(matrix, *(np.take(each, rows, axis=1) for each in parts))

    def arms(self, arms: Floats) -> Floats:
        """Return a of arms r (..., 3, k)."""
        if self.matrix is None:
            return arms
        turned: Floats = (self.matrix * arms[..., None, :, :]).sum(axis=-2)
        return turned

    def turning(self, vectors: Floats) -> tuple[Floats, Floats]:
        """Return the first two derivatives of vectors (3, ..., k) that are fixed in A."""
        each = (slice(None), *(None,) * (vectors.ndim - 2))
        spin, spin_rate = self.spin[each], self.spin_rate[each]
        rate = coordinate_cross(spin, vectors)
        change = coordinate_cross(spin, rate) + coordinate_cross(spin_rate, vectors)
        return rate, change


def _motion(
    matrix: Floats | None, place: Floats, rate: Floats, change: Floats, spin: Floats, around: Floats
) -> RelativeMotion:
    """Return the motion by X_A - X_B, its derivatives, W and w_B (3, k), in the axes of B."""
    swing = coordinate_cross(around, place)
    return RelativeMotion(
        matrix,
        place,
        rate - swing,
        change + coordinate_cross(around, swing - 2.0 * rate),
        spin,
        coordinate_cross(spin, around),
    )


def _rotations(vectors: Floats) -> Floats:
    """Return the rotations (3, 3, k) of rotation vectors (3, k), by Rodrigues' formula (`rigid`)."""
    square = coordinate_dot(vectors, vectors)
    angle = np.sqrt(square)
    versine = 0.5 * np.sinc(angle / (2.0 * np.pi)) ** 2
    out: Floats = (versine * vectors)[:, None] * vectors
    out[_DIAGONAL, _DIAGONAL] += 1.0 - versine * square
    x, y, z = np.sinc(angle / np.pi) * vectors
    out[0, 1] -= z
    out[0, 2] += y
    out[1, 0] += z
    out[1, 2] -= x
    out[2, 0] -= y
    out[2, 1] += x
    return out
