"""Bodies joined into one, so that arrays of features may be of many pairs of bodies.

A heap of bodies makes hundreds of pairs that are near, each with a few features.  A round of numpy calls for
each pair would cost more than its mathematics.  So the distinct bodies are joined once into one
`ContactBody`, each in its own frame, and rows of features say of which pair they are (`BodyPairs`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from operator import is_

import numpy as np

from ...arrays import Ints
from ...collision import roots_of_parts
from ..contact_body import ContactBody
from ..points.interface_points import InterfacePoints

_MOST = 5000  # triangles of a body that is joined: above, what a pair takes by itself outweighs the calls
_ROLE = "joined in contact"


@dataclass(frozen=True, eq=False)
class JoinedBodies:
    """Distinct bodies, n of them, and all of them as one.

    roots (n,): the node of the tree of all that is the root of each.
    starts (3, n): the numbers in all of the first vertex, the first edge and the first face of each.
    """

    parts: tuple[ContactBody, ...]
    every: ContactBody
    roots: Ints
    starts: Ints

    @classmethod
    def of(cls, parts: Sequence[ContactBody], role: str = _ROLE) -> JoinedBodies:
        """Return one or more bodies joined; the same ones are joined once for each role they have."""
        known = parts[0].body.derived.get(role)
        if isinstance(known, JoinedBodies) and known._is_of(parts):
            return known
        every = ContactBody.joined(parts)
        sizes = [[len(p.body.vertices), p.body.edge_count, p.body.face_count] for p in parts]
        starts = np.cumsum(sizes, axis=0) - sizes
        counts = np.array([len(part.body.triangles) for part in parts])
        made = cls(tuple(parts), every, roots_of_parts(every.tree, counts), np.ascontiguousarray(starts.T))
        parts[0].body.derived[role] = made
        return made

    @cached_property
    def first_triangles(self) -> Ints:
        """The number (n,) in all of the first triangle of each."""
        counts = np.array([len(part.body.triangles) for part in self.parts])
        first: Ints = np.cumsum(counts) - counts
        return first

    def _is_of(self, parts: Sequence[ContactBody]) -> bool:
        return len(parts) == len(self.parts) and all(map(is_, parts, self.parts))

    def numbered(self, points: InterfacePoints, kinds: Ints, sign: int) -> InterfacePoints:
        """Return points with features numbered as in all bodies together, or for sign -1 as in their own.

        kinds (m + 1,): the number among the parts of each moving body and, last, of the fixed ones; -1 for
        those whose features keep their numbers.
        """
        shift1 = sign * self._starts_of(points.dim1, kinds[points.body1])
        shift2 = sign * self._starts_of(points.dim2, kinds[points.body2])
        return replace(
            points,
            index1=points.index1 + shift1,
            piece1=points.piece1 + shift1,
            index2=points.index2 + shift2,
            piece2=points.piece2 + shift2,
        )

    def _starts_of(self, dim: Ints, part: Ints) -> Ints:
        starts: Ints = np.where(part < 0, 0, self.starts[dim, part])
        return starts


def is_small(body: ContactBody) -> bool:
    """Return whether a body has so few triangles that it is searched with others."""
    return len(body.body.triangles) <= _MOST


def may_be_joined(body: ContactBody) -> bool:
    """Return whether a body is a small solid without curved parts, whose faces know their outsides."""
    return is_small(body) and body.is_plain_solid
