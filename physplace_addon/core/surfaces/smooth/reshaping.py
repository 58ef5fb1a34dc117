"""Other faces in place of those that curves cannot be filled into: triangles, and insets."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from ...arrays import Bools, Ints
from ...vectors import cross, dot, length
from ..subdivision.cage import Cage
from .creases import MOST_TURN, ShadedMesh, TangentMesh

_INSET = 0.5  # share of the distance from a face's border to its middle at which its inset copy lies


def unfillable_faces(shaded: ShadedMesh) -> Bools:
    """Return which faces (nf,) do not lie around their middle, seen from there.

    Of those of four corners also those that have one that is turned in, or far out of their plane.
    """
    cage, points = shaded.cage, shaded.points
    start, stop = points[cage.corners], points[cage.heads]
    middle = (np.add.reduceat(start, cage.starts[:-1]) / cage.sizes[:, None])[cage.face]
    normal = shaded.face_normals[cage.face]
    seen = dot(normal, cross(start - middle, stop - middle)) <= 0.0
    corner = cross(shaded.chord[cage.previous], shaded.chord)
    bent = dot(normal, corner) <= MOST_TURN * length(corner)
    half = seen | (bent & (cage.sizes == 4)[cage.face])
    return np.asarray(np.logical_or.reduceat(half, cage.starts[:-1]))


def triangulate_faces(
    shaded: ShadedMesh, which: Bools, triangles: Ints, owner: Ints
) -> tuple[ShadedMesh, Ints]:
    """Return the mesh with triangles for some of its faces, and of which face (nf,) each of its faces is a
    part.

    Args:
        shaded: the mesh.
        which: the faces (nf,) to replace.
        triangles: corners (t, 3) of all faces' triangles.
        owner: the face (t,) of each.
    """
    cage = shaded.cage
    chosen = which[owner]
    three, of = triangles[chosen], owner[chosen]
    keys = cage.face * np.intp(cage.vertex_count) + cage.corners
    order = np.argsort(keys, kind="stable")
    found = order[np.searchsorted(keys[order], (of[:, None] * np.intp(cage.vertex_count) + three).ravel())]
    along = (cage.heads[found].reshape(-1, 3) == np.roll(three, -1, axis=1)).ravel()
    sharp = np.where(along, cage.edge_sharpness[found], 0.0)
    kept = ~which[cage.face]
    sizes = np.concatenate([cage.sizes[~which], np.full(len(three), 3)])
    return (
        ShadedMesh(
            Cage(
                np.concatenate([cage.corners[kept], three.ravel()]),
                np.concatenate([[0], np.cumsum(sizes)]),
                np.concatenate([cage.edge_sharpness[kept], sharp]),
                cage.vertex_sharpness,
            ),
            shaded.points,
            np.concatenate([shaded.wanted[kept], shaded.wanted[found]]),
            np.concatenate([shaded.areas[~which], shaded.areas[of]]),
        ),
        np.concatenate([np.flatnonzero(~which), of]),
    )


def inset_faces(settled: TangentMesh) -> tuple[ShadedMesh, Ints]:
    """Return the mesh with insets in the faces that have blunt corners, and of which face each face is a
    part.

    An inset is a smaller copy of the face inside it, with quadrilaterals around.  So two faces share each
    such corner.
    """
    shaded, blunt = settled.shaded, settled.blunt
    cage, count = shaded.cage, len(shaded.points)
    which = np.logical_or.reduceat(blunt, cage.starts[:-1])
    half = np.flatnonzero(which[cage.face])
    number = np.full(len(cage.corners), -1, dtype=np.intp)
    number[half] = count + np.arange(len(half))
    middle = np.add.reduceat(shaded.points[cage.corners], cage.starts[:-1]) / cage.sizes[:, None]
    inner = shaded.points[cage.corners[half]] * (1.0 - _INSET) + _INSET * middle[cage.face[half]]
    corners = np.where(number < 0, cage.corners, number)
    around = np.stack([cage.corners[half], cage.heads[half], number[cage.next[half]], number[half]], axis=1)
    none = np.zeros(len(half))
    sharp = np.where(number < 0, cage.edge_sharpness, 0.0)
    beside = np.stack([cage.edge_sharpness[half], none, none, none], axis=1)
    own = shaded.face_normals[cage.face]
    wanted = np.where((number < 0)[:, None], shaded.wanted, own)
    ring = np.stack([shaded.wanted[half], shaded.wanted[cage.next[half]], own[half], own[half]], axis=1)
    starts = np.concatenate([cage.starts, cage.starts[-1] + 4 * np.arange(1, len(half) + 1)])
    new = Cage(
        np.concatenate([corners, around.ravel()]),
        starts,
        np.concatenate([sharp, beside.ravel()]),
        np.concatenate([cage.vertex_sharpness, none]),
    )
    made = replace(
        shaded,
        cage=new,
        points=np.concatenate([shaded.points, inner]),
        wanted=np.concatenate([wanted, ring.reshape(-1, 3)]),
        areas=np.concatenate([shaded.areas, shaded.areas[cage.face[half]]]),
    )
    return made, np.concatenate([np.arange(len(cage.sizes)), cage.face[half]])
