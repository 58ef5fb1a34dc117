"""Where a smooth-shaded mesh is creased, and the tangents of its edges and the normals of its corners.

Corners of faces about a vertex that no crease parts are a *fan*; a fan has one normal, the mean of those of
its corners weighted by their angles, as Blender has it.  But corners of faces that are small beside another
of the fan do not count: a large face with a rounded edge stays flat.  Edges leave a vertex

    smooth edges, darts (one crease there)   along their chord, laid into the fan's tangent plane
    two creases that turn by less than 60°   along the circle through both chords
    other creases                            so that they mirror their other end, or along the chord

and a fan between two creases takes its normal from them: it is at right angles to both.  Where a normal is
far from that of a face, there is no smooth surface: the fan's edges become creases, and if that does not
help, creases go straight into the vertex.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from ...arrays import Bools, Floats, Ints
from ...mesh.edges import component_labels
from ...vectors import cross, dot, length, unit
from ..subdivision.cage import Cage

MOST_TURN = 0.5  # cosine of the angle, 60°, from which on faces and edges meet at a crease
_ROUNDS = 16  # times that creases are added before the mesh is left flat
_ALIKE = 0.9998  # cosine of the angle, 1°, from which on wanted normals differ
_FAR = 0.5  # cosine of the largest angle, 60°, at a corner: of normals to faces, of chords to tangents
_PARALLEL = 1e-6  # sine below which two creases are one line
# Shares of the largest face's area from which on others of the fan count at all, and fully.
_NOTHING, _ALL = 0.1, 0.2
BLUNT = 0.1  # least sine of the angle of a corner that is clearly narrower than a half plane


@dataclass(frozen=True, eq=False)
class ShadedMesh:
    """A mesh whose creases are infinitely sharp edges.

    cage: its faces.  points (nv, 3).  wanted (h, 3): the normal that is wanted at each corner, of any length
    above zero.  areas (nf,): the area of each face, or of the face of which it is a part.
    """

    cage: Cage
    points: Floats
    wanted: Floats
    areas: Floats

    @cached_property
    def chord(self) -> Floats:
        """From the start of each half-edge to its end (h, 3), scene units."""
        return self.points[self.cage.heads] - self.points[self.cage.corners]

    @cached_property
    def face_normals(self) -> Floats:
        """The unit normals (nf, 3) of the faces, by Newell's sums."""
        return unit(newell_normals(self.cage, self.points))

    @cached_property
    def angles(self) -> Floats:
        """The angles (h,) of the corners, radians."""
        before = -self.chord[self.cage.previous]
        angle: Floats = np.arctan2(length(cross(self.chord, before)), dot(self.chord, before))
        return angle


def newell_normals(cage: Cage, points: Floats) -> Floats:
    """Return normals (nf, 3) of faces, by Newell's sums; their length is twice the area."""
    origin = points[cage.corners[cage.starts[:-1]]][cage.face]
    turns = cross(points[cage.corners] - origin, points[cage.heads] - origin)
    return np.asarray(np.add.reduceat(turns, cage.starts[:-1], axis=0))


@dataclass(frozen=True, eq=False)
class TangentMesh:
    """A mesh with all its creases.

    shaded: the mesh.  normals (h, 3): unit normals of its corners.  tangents (h, 2, 3): unit tangents of
    half-edges where they start and where they end, both into the edge.
    """

    shaded: ShadedMesh
    normals: Floats
    tangents: Floats

    @property
    def blunt(self) -> Bools:
        """Which corners (h,) are about as wide as a half plane, or wider."""
        start, stop = self.tangents[:, 0], self.tangents[self.shaded.cage.previous, 1]
        wide = dot(self.normals, cross(start, stop))
        return np.asarray(np.where(dot(start, stop) < 0.0, wide < BLUNT, wide < 0.0))


def crease_sharp_edges(shaded: ShadedMesh, flat: Bools) -> Cage:
    """Return the cage with all edges creased that are not between two faces, or at which a face is flat or
    two meet at a large angle.

    Args:
        shaded: the mesh.
        flat: which faces (nf,) are flat.
    """
    cage = shaded.cage
    beyond = cage.face[cage.twin]
    turn = dot(shaded.face_normals[cage.face], shaded.face_normals[beyond])
    sharp = cage.sharp | (cage.twin < 0) | flat[cage.face] | flat[beyond] | (turn <= MOST_TURN + 1e-6)
    return with_creases(cage, sharp)


def crease_split_normals(shaded: ShadedMesh, set_by_hand: Bools) -> Cage:
    """Return the cage with those edges creased, too, on whose two sides different normals are wanted at an
    end.

    Args:
        shaded: the mesh.
        set_by_hand: at which corners (h,) the normal is set by hand; only those count.
    """
    cage = shaded.cage
    wanted = unit(shaded.wanted)
    here = np.flatnonzero(cage.twin >= 0)
    across = cage.twin[here]
    sharp = cage.sharp.copy()
    for one, other in ((here, cage.next[across]), (cage.next[here], across)):
        apart = dot(wanted[one], wanted[other]) < _ALIKE
        sharp[here[apart & set_by_hand[one] & set_by_hand[other]]] = True
    return with_creases(cage, sharp)


def with_creases(cage: Cage, sharp: Bools) -> Cage:
    """Return the cage with the edges of some half-edges (h,) creased, and no others."""
    edge = np.zeros(len(cage.ends), dtype=np.bool_)
    np.logical_or.at(edge, cage.edge, sharp)
    return replace(cage, edge_sharpness=np.where(edge[cage.edge], np.inf, 0.0))


def find_tangents(shaded: ShadedMesh, hard: Bools) -> TangentMesh | None:
    """Return the mesh with tangents, normals, and as many more creases as it takes; None if none do.

    Args:
        shaded: the creased mesh.
        hard: vertices (nv,) that creases leave along their chords.
    """
    hard = hard.copy()
    for _ in range(_ROUNDS):
        found, bad = _tried(shaded, hard)
        if not bad.any():
            return found
        sharp = shaded.cage.sharp | bad
        if (sharp > shaded.cage.sharp).any():
            shaded = replace(shaded, cage=with_creases(shaded.cage, sharp))
        elif hard[shaded.cage.corners[bad]].all():
            break
        else:
            hard[shaded.cage.corners[bad]] = True
    return None


def _tried(shaded: ShadedMesh, hard: Bools) -> tuple[TangentMesh, Bools]:
    """Return tangents and normals, and at which half-edges (h,) a crease is missing.

    Creases are straight where they leave hard vertices (nv,).  Half-edges that are sharp already are marked
    where a crease would not help.
    """
    cage = shaded.cage
    fan = _fans(cage)
    weight = shaded.angles * _shares(fan, shaded.areas[cage.face])
    mean = _by_fan(fan, weight[:, None] * unit(shaded.wanted))
    mean /= np.maximum(length(mean), 1e-300)[:, None]
    leaving, free = _crease_tangents(shaded, hard)
    normal = _fan_normals(cage, fan, mean, leaving, free)
    turned = dot(normal, mean)[fan] < _FAR
    steep = dot(normal[fan], shaded.face_normals[cage.face]) < _FAR
    bad = _by_fan(fan, (turned | steep)[:, None].astype(np.float64))[fan, 0] > 0.0
    normals = normal[fan]
    tangents, short = _laid_in(shaded, normals, leaving, free)
    return TangentMesh(shaded, normals, tangents), bad | bad[cage.next] | short


def _fans(cage: Cage) -> Ints:
    """Return the fan (h,) of each corner."""
    following = cage.twin[cage.previous]
    linked = np.flatnonzero((following >= 0) & ~cage.sharp[cage.previous])
    return component_labels(np.column_stack([linked, following[linked]]), len(cage.corners))


def _shares(fan: Ints, areas: Floats) -> Floats:
    """Return how much corners (h,) of faces with areas (h,) count: less where others of the fan are much
    larger.
    """
    most = np.zeros(int(fan.max()) + 1)
    np.maximum.at(most, fan, areas)
    shares: Floats = np.clip((areas / most[fan] - _NOTHING) / (_ALL - _NOTHING), 0.0, 1.0)
    return shares


def _by_fan(fan: Ints, values: Floats) -> Floats:
    """Return the sums (fans, c) of values (h, c) of corners."""
    columns = [np.bincount(fan, weights=column) for column in values.T]
    return np.stack(columns, axis=1)


def _crease_tangents(shaded: ShadedMesh, hard: Bools) -> tuple[Floats, Bools]:
    """Return unit tangents (ne, 2, 3) of creases into the edges at their ends, and which ends are free.

    Free (ne, 2) to lie in a tangent plane are those of smooth edges and of darts.
    """
    cage = shaded.cage
    ends, points = cage.ends, shaded.points
    sharp = np.zeros(len(ends), dtype=np.bool_)
    sharp[cage.edge[cage.sharp]] = True
    count = np.bincount(ends[sharp].ravel(), minlength=len(points))
    along = points[ends[:, 1]] - points[ends[:, 0]]
    leaving = np.stack([along, -along], axis=1)
    size = length(along)
    leaving /= size[:, None, None]
    through = _through(ends, np.flatnonzero(sharp), np.where(hard, 0, count), leaving, size)
    chord = along / size[:, None]
    for end in (0, 1):
        other = through[:, 1 - end]
        lone = sharp & np.isnan(through[:, end, 0]) & ~hard[ends[:, end]]
        rows = np.flatnonzero(lone & ~np.isnan(other[:, 0]))
        back, way = other[rows], chord[rows]
        leaving[rows, end] = back - 2.0 * dot(back, way)[:, None] * way
    leaving = np.where(np.isnan(through), leaving, through)
    return leaving, ~sharp[:, None] | ((count < 2) & ~hard)[ends]


def _through(ends: Ints, creases: Ints, count: Ints, leaving: Floats, size: Floats) -> Floats:
    """Return tangents (ne, 2, 3) where two creases go on in one another, else NaN."""
    found = np.full(leaving.shape, np.nan)
    vertex = ends[creases].ravel()
    order = np.argsort(vertex, kind="stable")
    order = order[count[vertex[order]] == 2].reshape(-1, 2)
    edge, end = creases[order // 2], order % 2
    a, b = -leaving[edge[:, 0], end[:, 0]], leaving[edge[:, 1], end[:, 1]]
    on = np.flatnonzero(dot(a, b) > MOST_TURN + 1e-6)
    edge, end = edge[on], end[on]
    way = unit(a[on] * size[edge[:, 1], None] + b[on] * size[edge[:, 0], None])
    found[edge[:, 0], end[:, 0]], found[edge[:, 1], end[:, 1]] = -way, way
    return found


def _fan_normals(cage: Cage, fan: Ints, mean: Floats, leaving: Floats, free: Bools) -> Floats:
    """Return the unit normals (fans, 3), at right angles to the creases on both sides of each fan."""
    sides = np.zeros((2, len(mean), 3))
    before = cage.previous
    for side, half in ((0, np.arange(len(fan))), (1, before)):
        edge = cage.edge[half]
        end = (cage.ends[edge, 1] == cage.corners).astype(np.intp)
        rows = np.flatnonzero(cage.sharp[half] & ~free[edge, end])
        sides[side, fan[rows]] = leaving[edge[rows], end[rows]]
    first, last = sides
    across = cross(first, last)
    sine = length(across)
    one = np.where(length(first)[:, None] > 0.0, first, last)
    laid = mean - dot(mean, one)[:, None] * one
    sign = np.where(dot(across, mean) < 0.0, -1.0, 1.0)
    wide = sine > _PARALLEL
    normal = np.where(wide[:, None], sign[:, None] * across, laid)
    size = length(normal)
    found: Floats = np.where(size[:, None] > 1e-9, normal / np.maximum(size, 1e-300)[:, None], 0.0)
    return found


def _laid_in(shaded: ShadedMesh, normals: Floats, leaving: Floats, free: Bools) -> tuple[Floats, Bools]:
    """Return unit tangents (h, 2, 3) of half-edges at their ends, and which chords (h,) are too
    steep there.
    """
    cage = shaded.cage
    chord = unit(shaded.chord)
    found, short = [], np.zeros(len(chord), dtype=np.bool_)
    for way, vertex, at in ((chord, cage.corners, normals), (-chord, cage.heads, normals[cage.next])):
        end = (cage.ends[cage.edge, 1] == vertex).astype(np.intp)
        laid = way - dot(way, at)[:, None] * at
        size = length(laid)
        loose = free[cage.edge, end]
        short |= loose & (size < _FAR)
        laid /= np.maximum(size, 1e-9)[:, None]
        found.append(np.where(loose[:, None], laid, leaving[cage.edge, end]))
    return np.stack(found, axis=1), short
