"""The motions that keep joints closed where bodies are, to second order (`jointed_bodies` has the equations).

Bodies that are connected by joints, a linkage, have a block Z_c of the basis Z of their own: equations of one
linkage say nothing of another.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from ...arrays import Floats, Ints
from ...contact.system import FIXED
from .equations import AnchorFrames, JointRows
from .second_derivatives import coordinate_hessians, equation_hessians

_RANK = 1e-8  # singular values, over the largest, of equations that others imply


@dataclass(frozen=True, eq=False)
class TangentSpace:
    """The free motions of m bodies at one position.

    frames: where the joints are.
    rows: the equations (k): first of locked axes, then of coordinates that are held, then others.
    counts: how many are of locked axes, and of coordinates.
    basis (6 m, d): Z, orthonormal motions that no equation forbids.
    inverse (6 m, k): J+, the pseudo-inverse of the equations.
    block (d,): the linkage of each motion.
    others: a function that returns the second derivatives of the other equations by two bodies' twists.
    """

    frames: AnchorFrames
    rows: JointRows
    counts: tuple[int, int]
    basis: Floats
    inverse: Floats
    block: Ints
    others: Callable[[], Floats]

    @classmethod
    def of(
        cls,
        frames: AnchorFrames,
        rows: JointRows,
        counts: tuple[int, int],
        linkage: Ints,
        others: Callable[[], Floats],
    ) -> TangentSpace:
        """Return the free motions.

        Args:
            frames: where the joints are.
            rows: their equations.
            counts: how many of them are of locked axes, and of coordinates that are held.
            linkage: the number (m,) of the linkage that each body is a part of.
            others: returns the second derivatives (n, 12, 12) of the others.
        """
        count, owner = len(linkage), linkage[rows.body.max(axis=1)]  # FIXED is the least number
        dense = rows.dense(count)
        inverse, columns, block = np.zeros((6 * count, len(rows))), list[Floats](), list[Ints]()
        for number in range(int(linkage.max()) + 1):
            mine = np.flatnonzero(np.repeat(linkage == number, 6))
            own = np.flatnonzero(owner == number)
            free, back = _decomposed(dense[np.ix_(own, mine)])
            inverse[np.ix_(mine, own)] = back
            wide = np.zeros((6 * count, free.shape[1]))
            wide[mine] = free
            columns.append(wide)
            block.append(np.full(free.shape[1], number))
        basis = np.concatenate(columns, axis=1)
        return cls(frames, rows, counts, basis, inverse, np.concatenate(block), others)

    @cached_property
    def bending(self) -> Floats:
        """Z' Phi''_r Z (k, d, d) of the equations."""
        locked, both = self.counts[0], sum(self.counts)
        blocks = np.concatenate(
            [
                equation_hessians(self.frames, self.rows.take(slice(None, locked))),
                coordinate_hessians(self.frames, self.rows.take(slice(locked, both))),
                self.others(),
            ]
        )
        return self.projected(blocks, self.rows.body)

    def projected(self, blocks: Floats, bodies: Ints) -> Floats:
        """Return second derivatives (k, d, d) by the free motions.

        Args:
            blocks: those (k, 12, 12) by the twists of two bodies each; what is by FIXED does not count.
            bodies: their numbers (k, 2).
        """
        by_body = self.basis.reshape(len(self.basis) // 6, 6, self.basis.shape[1])
        with_world = np.concatenate([by_body, np.zeros_like(by_body[:1])])
        assert FIXED == -1  # the last
        both = with_world[bodies].reshape(len(bodies), 12, self.basis.shape[1])
        found: Floats = both.transpose(0, 2, 1) @ (blocks @ both)
        return found


def _decomposed(rows: Floats) -> tuple[Floats, Floats]:
    """Return an orthonormal basis (n, d) of what rows (k, n) leave free, and their pseudo-inverse (n, k)."""
    if len(rows) == 0:
        return np.eye(rows.shape[1]), np.zeros((rows.shape[1], 0))
    left, sizes, right = np.linalg.svd(rows)
    rank = int((sizes > _RANK * sizes[0]).sum())
    inverse = (right[:rank].T / sizes[:rank]) @ left[:, :rank].T
    return np.asarray(right[rank:].T), inverse
