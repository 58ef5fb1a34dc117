"""The least forces with a given wrench: equations, limits, and contacts within their cones of friction.

Bodies that are held by more than they need leave forces open.  Of all f with A' f = w in a convex cone K,
those with the least |f| are unique: what is equally stiff everywhere exerts them.  With the projection P on K

    f = P(A x),    A' P(A x) = w,

x the least of the convex 1/2 |P(A x)|^2 - w . x.  Newton's method finds it; P is piecewise smooth, so a part
of a step is taken that lowers it.  For a contact q = (q_n, q_t) with e = q_t / |q_t| and coefficient mu

    P(q) = q where |q_t| <= mu q_n,    0 where mu |q_t| <= -q_n,    else s (1, mu e),
    s = (q_n + mu |q_t|) / (1 + mu^2).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from scipy import sparse
from scipy.sparse.linalg import splu

from ...arrays import Floats

_MOST = 40  # iterations
_EXACT = 1e-12  # lack of the wrench, over the wrench, that ends the search
_SOFT = 1e-12  # regularization, over the largest diagonal entry of A' A
_PARTS = 0.5 ** np.arange(12)  # of a step that are tried
_DECREASE = 1e-4  # of the expected decrease, that accepts one


class RowForces(NamedTuple):
    """Forces along equations (q,), of limits (g,), and of contacts (k, 3), normal and tangential."""

    equations: Floats
    limits: Floats
    contacts: Floats


@dataclass(frozen=True, eq=False)
class ForceRows:
    """What may exert forces: rows by d unknowns, whose lengths say how forces compare.

    equations (q, d): push and pull.  limits (g, d): push.  contacts (3 k, d): of each its normal row and two
    tangential ones; friction (k,): their coefficients.
    """

    equations: sparse.csr_array
    limits: sparse.csr_array
    contacts: sparse.csr_array
    friction: Floats

    def least(self, like: RowForces) -> RowForces:
        """Return the least forces within the cones that have the same wrench as others."""
        rows: Any = sparse.vstack([self.equations, self.limits, self.contacts], format="csr")
        wrench = rows.T @ np.concatenate([like.equations, like.limits, like.contacts.ravel()])
        squares = np.asarray(rows.multiply(rows).sum(axis=0)).ravel()
        soft = _SOFT * float(squares.max(initial=0.0)) or 1.0
        size, x = float(np.abs(wrench).max(initial=0.0)), np.zeros_like(wrench)
        forces, slopes = self._projected(rows @ x)
        for _ in range(_MOST):
            lack = wrench - rows.T @ forces - soft * x
            if np.abs(lack).max(initial=0.0) <= _EXACT * size:
                break
            matrix = rows.T @ (slopes @ rows) + soft * sparse.eye_array(len(x))
            step = splu(sparse.csc_array(matrix)).solve(lack)
            value = 0.5 * (forces @ forces + soft * (x @ x)) - wrench @ x
            for part in _PARTS.tolist():
                there = x + part * step
                forces, slopes = self._projected(rows @ there)
                found = 0.5 * (forces @ forces + soft * (there @ there)) - wrench @ there
                if found <= value - _DECREASE * part * (lack @ step):
                    break
            x = there
        return self._parted(forces)

    def _parted(self, forces: Floats) -> RowForces:
        q, g = self.equations.shape[0], self.limits.shape[0]
        return RowForces(forces[:q], forces[q : q + g], forces[q + g :].reshape(-1, 3))

    def _projected(self, forces: Floats) -> tuple[Floats, sparse.csr_array]:
        """Return P of forces (n,), and its derivative (n, n)."""
        free, pushes, contacts = self._parted(forces)
        pressed, blocks = _in_cones(contacts, self.friction)
        rigid = np.concatenate([np.ones_like(free), pushes > 0.0])
        parts: list[Any] = [sparse.diags_array(rigid)]
        if len(blocks):
            parts.append(sparse.bsr_array((blocks, np.arange(len(blocks)), np.arange(len(blocks) + 1))))
        slopes: Any = sparse.block_diag(parts, format="csr")
        return np.concatenate([free, np.maximum(pushes, 0.0), pressed.ravel()]), slopes


def _in_cones(forces: Floats, friction: Floats) -> tuple[Floats, Floats]:
    """Return P of forces of contacts (k, 3) with coefficients (k,), and its derivatives (k, 3, 3)."""
    normal, size = forces[:, 0], np.hypot(forces[:, 1], forces[:, 2])
    inside, gone = size <= friction * normal, friction * size <= -normal
    along = forces[:, 1:] / np.where(size > 0.0, size, 1.0)[:, None]
    ray = np.concatenate([np.ones((len(forces), 1)), friction[:, None] * along], axis=1)
    share = (normal + friction * size) / (1.0 + friction**2)
    across = np.zeros((len(forces), 3, 3))
    across[:, 1:, 1:] = np.eye(2) - along[:, :, None] * along[:, None]
    turning = friction * share / np.where(size > 0.0, size, 1.0)
    blocks = ray[:, :, None] * ray[:, None] / (1.0 + friction**2)[:, None, None]
    blocks += turning[:, None, None] * across
    blocks[inside], blocks[gone] = np.eye(3), 0.0
    found = np.where(inside[:, None], forces, share[:, None] * ray)
    found[gone] = 0.0
    return found, blocks
