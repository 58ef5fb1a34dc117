"""Neighbouring floaters: as pairs, each once, and as columns of each floater's neighbours.

Where parts of a surface meet in a groove, the way between floaters on its two sides leads around its bottom:
it is longer than the straight one, and begins in another direction. Let n_i and n_j be the normals, phi the
angle between them, and r = p_i - p_j. The tangent planes meet in a line, along l = n_i x n_j / sin phi. With
the sides unfolded about it into one plane, r is

    (n_j . r - n_i . r) / sin phi  e_i + (r . l) l,    e_i = (n_j - cos phi n_i) / sin phi,

where e_i is the direction in which p_i is from the line, n_j . r / sin phi how far it is, and -n_i . r / sin
phi how far p_j is. By the straight way, floaters at the bottom would not be driven from it by those of the
other side, and would gather there.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from ...arrays import Bools, Floats, Ints

# cosine between normals below which a bend may be a groove; about less the straight way is at most 1/7 short
FOLDED = 0.5
# share of how far one floater is before the other's tangent plane, by which that one may be behind its own:
# the sides of a groove may bulge
_BULGE = 0.4
# cosines between normals where repulsion across a groove begins to fade, and is gone: nearly opposite sides
# may be parted by a gap
_FADES, FADED = -0.5, -0.85


@dataclass(frozen=True, eq=False)
class FloaterPairs:
    """Pairs of neighbouring floaters, each once.

    Attributes:
        first: the number of one of them (m,).
        second: the number of the other (m,).
        weight: the factor (m,) on their repulsion, from 0 to 1.
        folded: pairs across a groove, which are not among these; None if there are none.
    """

    first: Ints
    second: Ints
    weight: Floats
    folded: FloaterPairs | None = None

    def ends_of(self, some: Bools) -> tuple[Ints, Ints]:
        """Return the numbers of both ends (k,) of the pairs of which at least one is among some floaters
        (r,).
        """
        which = (some.take(self.first) | some.take(self.second)).nonzero()[0]
        first, second = self.first.take(which), self.second.take(which)
        if self.folded is None:
            return first, second
        more = self.folded.ends_of(some)
        return np.concatenate([first, more[0]]), np.concatenate([second, more[1]])


class Neighbours(NamedTuple):
    """The neighbours of m floaters, k each.

    Attributes:
        numbers: their numbers (k, m), greater than all for none.
        apart: p_i - p_j by coordinates (3, k, m), in scene units; huge for none.
        square: |p_i - p_j|^2 (k, m).
        weight: the factor (k, m) on their repulsion, from 0 to 1; None where all are 1.
    """

    numbers: Ints
    apart: Floats
    square: Floats
    weight: Floats | None


def across_grooves(apart: Floats, normals: Floats, others: Floats) -> tuple[Bools, Floats]:
    """Return which pairs are across a groove, and the weights of all, if they are.

    In a groove each floater is before the tangent plane of the other one. Where none is, the bend may be a
    wire's, and round: there the straight way is nearer to the true one.

    Args:
        apart: r by coordinates (3, ...), in scene units.
        normals: n_i (3, ...).
        others: n_j (3, ...).
    """
    cosine = np.add.reduce(normals * others, axis=0)
    ahead, behind = (np.add.reduce(own * apart, axis=0) for own in (others, normals))
    behind *= -1.0
    hollow = np.minimum(ahead, behind) > -_BULGE * np.maximum(ahead, behind)
    weight = np.clip((cosine - FADED) / (_FADES - FADED), 0.0, 1.0)
    return np.asarray(hollow & (cosine < FOLDED)), np.asarray(weight)


def unfolded(apart: Floats, normals: Floats, others: Floats) -> Floats:
    """Return r (3, ...) with the sides of a groove unfolded, by coordinates, tangential to n_i.

    Where the normals have become nearly opposite since a pair was found, it is shorter, and not 0 / 0.

    Args:
        apart: r by coordinates (3, ...), in scene units.
        normals: n_i (3, ...).
        others: n_j (3, ...).
    """
    cosine = np.add.reduce(normals * others, axis=0)
    line = np.stack(
        [
            normals[1] * others[2] - normals[2] * others[1],
            normals[2] * others[0] - normals[0] * others[2],
            normals[0] * others[1] - normals[1] * others[0],
        ]
    )
    ahead, behind = (np.add.reduce(own * apart, axis=0) for own in (others, normals))
    across = (np.maximum(ahead, 0.0) - np.minimum(behind, 0.0)) * (others - cosine * normals)
    along = np.add.reduce(line * apart, axis=0) * line
    result: Floats = (across + along) / np.maximum(1.0 - cosine * cosine, 1.0 - FADED * FADED)
    return result
