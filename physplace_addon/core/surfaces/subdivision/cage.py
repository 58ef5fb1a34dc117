"""A subdivision cage as half-edges: which corner follows which, what lies across, what is sharp.

Half-edge h runs from `corners[h]` along its face, counter-clockwise seen from outside, to the face's next
corner.  An edge is *paired* where exactly two half-edges run along it, one each way.  Every other edge, at a
border, of three faces, or of two that face different ways, is infinitely sharp, and its ends are corners
where more than a border meets: so does OpenSubdiv treat what is not a manifold.

Sharpness is Pixar's: 0 smooth, falling by 1 with each refinement, infinite from 10 on (DeRose, Kass and
Truong 1998, "Subdivision surfaces in character animation").
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from ...arrays import Bools, Floats, Ints
from ...mesh.edges import component_labels

INFINITE = 10.0  # sharpness from which on an edge or a vertex stays sharp: OpenSubdiv's


@dataclass(frozen=True, eq=False)
class Cage:
    """Faces over vertex_count vertices.

    corners (h,): the vertex that each half-edge leaves.  starts (nf + 1,): the first half-edge of each face,
    and their number.  edge_sharpness (h,): that of each half-edge's edge; vertex_sharpness (nv,); both 0 to
    infinity.
    """

    corners: Ints
    starts: Ints
    edge_sharpness: Floats
    vertex_sharpness: Floats

    @property
    def vertex_count(self) -> int:
        """The number of vertices."""
        return len(self.vertex_sharpness)

    @cached_property
    def sizes(self) -> Ints:
        """The number of corners of each face (nf,)."""
        return np.diff(self.starts)

    @cached_property
    def face(self) -> Ints:
        """The face of each half-edge (h,)."""
        return np.repeat(np.arange(len(self.sizes)), self.sizes)

    @cached_property
    def next(self) -> Ints:
        """The half-edge that follows each (h,)."""
        following = np.arange(1, len(self.corners) + 1)
        following[self.starts[1:] - 1] = self.starts[:-1]
        return following

    @cached_property
    def previous(self) -> Ints:
        """The half-edge before each (h,)."""
        previous = np.empty_like(self.next)
        previous[self.next] = np.arange(len(self.next))
        return previous

    @cached_property
    def heads(self) -> Ints:
        """The vertex at which each half-edge ends (h,)."""
        return self.corners[self.next]

    @cached_property
    def _edges(self) -> tuple[Ints, Ints]:
        low, high = np.minimum(self.corners, self.heads), np.maximum(self.corners, self.heads)
        keys, edge = np.unique(low * self.vertex_count + high, return_inverse=True)
        return edge.astype(np.intp), np.stack(np.divmod(keys, max(self.vertex_count, 1)), axis=1)

    @property
    def edge(self) -> Ints:
        """The edge of each half-edge (h,)."""
        return self._edges[0]

    @property
    def ends(self) -> Ints:
        """The vertices of each edge (ne, 2)."""
        return self._edges[1]

    @cached_property
    def twin(self) -> Ints:
        """The half-edge along the same edge the other way (h,), -1 where the edge is not paired."""
        order = np.argsort(self.edge, kind="stable")
        count = np.bincount(self.edge, minlength=len(self.ends))
        first = np.concatenate([[0], np.cumsum(count)[:-1]])[count == 2]
        one, other = order[first], order[first + 1]
        opposed = self.corners[one] == self.heads[other]
        twin = np.full(len(self.corners), -1, dtype=np.intp)
        twin[one[opposed]], twin[other[opposed]] = other[opposed], one[opposed]
        return twin

    @cached_property
    def sharp(self) -> Bools:
        """Whether each half-edge's edge is sharp for ever (h,)."""
        return np.isinf(self.edge_sharpness)


def with_infinite_sharpness(cage: Cage, sharp_corners: bool) -> Cage:
    """Return the cage with infinite sharpness written out.

    It is that of edges that are not paired, of vertices where the faces are no single fan or three such edges
    meet, and, if wanted, where a border has a single face.

    Args:
        cage: with sharpness as an artist sets it.
        sharp_corners: whether a border keeps the corner of a face that is alone there.
    """
    edge = np.where(cage.edge_sharpness >= INFINITE, np.inf, np.maximum(cage.edge_sharpness, 0.0))
    edge = np.where(cage.twin < 0, np.inf, edge)
    most = np.zeros(len(cage.ends))
    np.maximum.at(most, cage.edge, edge)
    vertex = np.where(cage.vertex_sharpness >= INFINITE, np.inf, np.maximum(cage.vertex_sharpness, 0.0))
    infinite = np.bincount(cage.ends[np.isinf(most)].ravel(), minlength=cage.vertex_count)
    corner = (infinite > 2) | _not_manifold(cage)
    if sharp_corners:
        faces = np.bincount(cage.corners, minlength=cage.vertex_count)
        corner |= (faces == 1) & (infinite == 2)
    return replace(cage, edge_sharpness=most[cage.edge], vertex_sharpness=np.where(corner, np.inf, vertex))


def _not_manifold(cage: Cage) -> Bools:
    """Return which vertices (nv,) have several fans of faces, or an edge that is neither paired nor at a
    border.
    """
    following = cage.twin[cage.previous]
    linked = np.flatnonzero(following >= 0)
    fan = component_labels(np.column_stack([linked, following[linked]]), len(cage.corners))
    _, one = np.unique(fan, return_index=True)
    fans = np.bincount(cage.corners[one], minlength=cage.vertex_count)
    torn = (np.bincount(cage.edge, minlength=len(cage.ends)) > 1)[cage.edge] & (cage.twin < 0)
    at_torn = np.zeros(cage.vertex_count, dtype=np.bool_)
    at_torn[cage.corners[torn]] = at_torn[cage.heads[torn]] = True
    manifold_not: Bools = (fans > 1) | at_torn
    return manifold_not


def cage_around(cage: Cage, faces: Ints) -> tuple[Cage, Ints, Ints]:
    """Return some faces and all that touch them, as a cage: first the faces themselves, in their order.

    Vertices of the touching faces alone have lost neighbours there.

    Args:
        cage: the whole.
        faces: numbers (m,) of faces.

    Returns:
        the cage; the numbers that its faces had before; the numbers that its vertices had before.
    """
    chosen = np.zeros(len(cage.sizes), dtype=np.bool_)
    chosen[faces] = True
    touched = np.zeros(cage.vertex_count, dtype=np.bool_)
    touched[cage.corners[chosen[cage.face]]] = True
    beside = np.zeros(len(cage.sizes), dtype=np.bool_)
    beside[cage.face[touched[cage.corners]]] = True
    beside[faces] = False
    kept = np.concatenate([faces, np.flatnonzero(beside)])
    half = half_edges_of(cage, kept)
    vertices, corners = np.unique(cage.corners[half], return_inverse=True)
    starts = np.concatenate([[0], np.cumsum(cage.sizes[kept])])
    part = Cage(corners, starts, cage.edge_sharpness[half], cage.vertex_sharpness[vertices])
    return part, kept, vertices


def half_edges_of(cage: Cage, faces: Ints) -> Ints:
    """Return the half-edges of some faces (m,), one face after another."""
    sizes = cage.sizes[faces]
    first = np.repeat(cage.starts[faces] - np.concatenate([[0], np.cumsum(sizes)[:-1]]), sizes)
    half: Ints = first + np.arange(len(first))
    return half
