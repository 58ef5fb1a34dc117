"""One Catmull-Clark refinement of a cage, with Pixar's semi-sharp creases as OpenSubdiv has them.

A face's new point is the mean of its corners.  An edge's is the mean of its ends and its two face points,
where it is sharp the midpoint, in between at a sharpness below 1.  A vertex of n edges goes by the number of
sharp ones and by its own sharpness:

    smooth, dart (none, one)    (n - 2)/n v + 1/n^2 (sum of neighbours + sum of face points)
    crease (two)                3/4 v + 1/8 (the ends of both)
    corner (more, or sharp)     v

All sharpness falls by 1.  Where that changes a vertex's kind, its rule is mixed from before and after by the
mean sharpness of what becomes smooth.

Sources: E. Catmull and J. Clark 1978; DeRose, Kass and Truong 1998.
"""

from __future__ import annotations

import numpy as np
from scipy.sparse import csr_array, diags_array, eye_array, vstack

from ...arrays import Bools, Floats, Ints
from .cage import Cage

SMOOTH, DART, CREASE, CORNER = 0, 1, 2, 3  # kinds of vertices, by their number of sharp edges


def refine(cage: Cage) -> tuple[Cage, csr_array]:
    """Return the refined cage, and the matrix from the points of the cage to those of the refined one.

    Its vertices are those of the cage, of the edges, and of the faces.  Face f of quadrilaterals becomes the
    faces 4 f to 4 f + 3, at its corners in order, each with the same corner lowest in (u, v) as its parent's.
    """
    edge = np.zeros(len(cage.ends))
    np.maximum.at(edge, cage.edge, cage.edge_sharpness)
    to_faces = _mean_of(cage.face, cage.corners, (len(cage.sizes), cage.vertex_count))
    matrix = vstack([_vertex_rule(cage, edge, to_faces), _edge_rule(cage, edge, to_faces), to_faces])
    return _children(cage, _softer(edge)), matrix.tocsr()


def _mean_of(rows: Ints, columns: Ints, shape: tuple[int, int]) -> csr_array:
    weight = 1.0 / np.maximum(np.bincount(rows, minlength=shape[0]), 1)
    return csr_array((weight[rows], (rows, columns)), shape=shape)


def _softer(sharpness: Floats) -> Floats:
    softer: Floats = np.maximum(sharpness - 1.0, 0.0)
    return softer


def _edge_rule(cage: Cage, edge: Floats, to_faces: csr_array) -> csr_array:
    every = np.repeat(np.arange(len(edge)), 2)
    middle = _mean_of(every, cage.ends.ravel(), (len(edge), cage.vertex_count))
    beside = _mean_of(cage.edge, cage.face, (len(edge), len(cage.sizes)))
    sharp = np.minimum(edge, 1.0)
    rule = diags_array(0.5 + 0.5 * sharp) @ middle + diags_array(0.5 - 0.5 * sharp) @ (beside @ to_faces)
    return csr_array(rule)


def vertex_kinds(cage: Cage, edge: Floats, vertex: Floats) -> Ints:
    """Return the kinds (nv,) of vertices, given the sharpness of edges (ne,) and vertices (nv,)."""
    count = np.bincount(cage.ends[edge > 0.0].ravel(), minlength=cage.vertex_count)
    kinds: Ints = np.where(vertex > 0.0, CORNER, np.minimum(count, CORNER))
    return kinds


def _vertex_rule(cage: Cage, edge: Floats, to_faces: csr_array) -> csr_array:
    vertex = cage.vertex_sharpness
    later, vertex_later = _softer(edge), _softer(vertex)
    kind, kind_later = vertex_kinds(cage, edge, vertex), vertex_kinds(cage, later, vertex_later)
    share = np.where(kind == kind_later, 1.0, _share_before(cage, edge, later))
    smooth = np.zeros(cage.vertex_count)
    total = csr_array((cage.vertex_count, cage.vertex_count))
    for weight, which, sharp in ((share, kind, edge > 0.0), (1.0 - share, kind_later, later > 0.0)):
        smooth += np.where(which < CREASE, weight, 0.0)
        total = total + diags_array(np.where(which == CORNER, weight, 0.0))
        total = total + diags_array(np.where(which == CREASE, weight, 0.0)) @ _crease_rule(cage, sharp)
    return csr_array(total + diags_array(smooth) @ _smooth_rule(cage, to_faces))


def _crease_rule(cage: Cage, sharp: Bools) -> csr_array:
    return csr_array(0.75 * eye_array(cage.vertex_count) + 0.125 * _neighbours(cage, sharp))


def _smooth_rule(cage: Cage, to_faces: csr_array) -> csr_array:
    count = np.maximum(np.bincount(cage.ends.ravel(), minlength=cage.vertex_count), 1).astype(np.float64)
    shape = (cage.vertex_count, len(cage.sizes))
    faces = csr_array((np.ones(len(cage.corners)), (cage.corners, cage.face)), shape=shape)
    near = _neighbours(cage, np.ones(len(cage.ends), dtype=np.bool_)) + faces @ to_faces
    return csr_array(diags_array((count - 2.0) / count) + diags_array(1.0 / count**2) @ near)


def _neighbours(cage: Cage, along: Bools) -> csr_array:
    """Return ones from each vertex to its neighbours along some edges (ne,)."""
    a, b = cage.ends[along].T
    entries = (np.ones(2 * len(a)), (np.concatenate([a, b]), np.concatenate([b, a])))
    return csr_array(entries, shape=(cage.vertex_count, cage.vertex_count))


def _share_before(cage: Cage, edge: Floats, later: Floats) -> Floats:
    """Return the mean sharpness (nv,), 1 at most, of what is sharp at each vertex and becomes smooth."""
    passing = (edge > 0.0) & (later <= 0.0)
    ends = cage.ends[passing]
    count = np.bincount(ends.ravel(), minlength=cage.vertex_count).astype(np.float64)
    total = np.bincount(ends.ravel(), np.repeat(edge[passing], 2), minlength=cage.vertex_count)
    own = cage.vertex_sharpness
    alone = (own > 0.0) & (own <= 1.0)
    count, total = count + alone, total + np.where(alone, own, 0.0)
    share: Floats = np.minimum(total / np.maximum(count, 1.0), 1.0)
    return share


def _children(cage: Cage, edge_later: Floats) -> Cage:
    """Return the faces of the refined cage; edge_later (ne,): the sharpness of the halves of its edges."""
    before = cage.previous
    vertices, edges = cage.vertex_count, len(cage.ends)
    columns = [cage.corners, vertices + cage.edge, vertices + edges + cage.face, vertices + cage.edge[before]]
    zero = np.zeros(len(cage.corners))
    sharpness = [edge_later[cage.edge], zero, zero, edge_later[cage.edge[before]]]
    turn = (np.arange(4) - _place(cage)[:, None]) % 4
    corners = np.take_along_axis(np.stack(columns, axis=1), turn, axis=1)
    sharp = np.take_along_axis(np.stack(sharpness, axis=1), turn, axis=1)
    vertex = np.concatenate([_softer(cage.vertex_sharpness), np.zeros(edges + len(cage.sizes))])
    return Cage(corners.ravel(), 4 * np.arange(len(corners) + 1), sharp.ravel(), vertex)


def _place(cage: Cage) -> Ints:
    """Return which corner of its face each half-edge starts from, for quadrilaterals; else 0."""
    place = np.arange(len(cage.corners)) - cage.starts[cage.face]
    return np.where(cage.sizes[cage.face] == 4, place, 0)
