"""Restricted Delaunay triangulation: triangles through points of an implicit surface.

A triangle of the points' Delaunay tetrahedra is restricted to the surface if its dual edge, between the
centres of the circumspheres on its two sides, crosses the surface; that is so where F has another sign at one
centre than at the other. So the restricted triangles are the boundary of the tetrahedra whose centres are
inside: they have no border, and each knows its outer side, whatever the points. They have the surface's
topology where the points are dense enough for its curvature and its narrow parts (Boissonnat and Oudot 2005).
Where they are not, some points are left out, or triangles meet at them in several fans, or face another way
than F_x. `delaunay_refinement` adds points then. Components that are proven to be all are
triangulated one by one, with what each encloses in place of the inside.

Many points on one sphere have no definite tetrahedra, and Qhull's time is quadratic in them. For the
combinatorics alone they are moved by a thousandth of their distances.

Points on creases have weights (`crease_curves`): what counts is a place's power, the square of its distance
from a point less the weight.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, fields
from functools import partial

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components
from scipy.spatial import QhullError, cKDTree

from ...arrays import Bools, Floats, Ints
from ...vectors import cross, directions_across, dot, length, length_and_unit
from ..functions.base import ImplicitFunction
from ..local_thickness import THINNEST, places_across, sizing_field
from ..neighbours import nearest
from ..projection import projected
from ..surface_components.component_search import SurfaceComponents
from .mesh_topology import MeshTopology, area_vectors
from .surface_sampling import low_discrepancy, thinned
from .tetrahedra import Knives, circumcentres, delaunay_tetrahedra

_UNMOVED = 1e-3  # of the spacing: how far the centre of a tetrahedron may move and keep its side
_STIR = 1e-3  # share of the distance to the next point by which points are moved for Qhull
# least cosine between a triangle's normal and F_x at one of its corners; at creases not at all
_FACING = 0.35
_LARGE = 0.25  # spacings: smaller triangles may face otherwise, as some do across creases
_CLOSEST = 0.35  # sizing field: rings are no narrower
_RING = 6  # points laid around a point without triangles
_APART = 0.6  # radii of a ring: the least distance of points that are added from one another and from others
_BUBBLE = 0.02  # share of a component's triangles: a part of its mesh that has fewer is not believed
# the triangle opposite to each corner, outwards in a tetrahedron of positive volume
_OPPOSITE = np.array([[1, 2, 3], [0, 3, 2], [0, 1, 3], [0, 2, 1]])
# factors that scramble the bits of a number (Steele, Lea and Flood 2014)
_GOLDEN = np.uint64(0x9E3779B97F4A7C15)
_MIX = (np.uint64(0xBF58476D1CE4E5B9), np.uint64(0x94D049BB133111EB))
_Sides = Callable[[Floats, Ints], Bools]
UInts = NDArray[np.uint64]


@dataclass(frozen=True, eq=False)
class RestrictedDelaunay:
    """Triangles through points on the surface.

    Attributes:
        points: the points (n, 3).
        triangles: their numbers (t, 3), wound outwards.
        bad: the points (n,) where the triangles are no surface, or not the right one.
        needs_more: whether more points are needed than are allowed.
        too_sharp: whether bad points are beside knives.
    """

    points: Floats
    triangles: Ints
    bad: Bools
    needs_more: bool = False
    too_sharp: bool = False


@dataclass(frozen=True, eq=False)
class DualEdges:
    """Restricted triangles with the ends of their dual edges.

    Attributes:
        triangles: the corners (t, 3), wound outwards.
        inner: the ends (t, 3) that are within.
        outer: the other ends (t, 3).
        part: the component (t,) that each triangle is of; 0 where they are not triangulated one by one.
    """

    triangles: Ints
    inner: Floats
    outer: Floats
    part: Ints


_NO_PLACES, _NO_NUMBERS = np.zeros((0, 3)), np.zeros(0, dtype=np.intp)
_NONE = DualEdges(np.zeros((0, 3), dtype=np.intp), _NO_PLACES, _NO_PLACES, _NO_NUMBERS)


class ComponentNumbers:
    """On which component points are. Of those that were asked for the last time it is known already.

    To follow the slope from a point to the regions on both sides of it takes most of a round's time where
    there are several components, and from round to round most points stay.
    """

    def __init__(self, components: SurfaceComponents) -> None:
        self.components = components
        self._places, self._numbers = _NO_PLACES, _NO_NUMBERS

    def of(self, places: Floats) -> Ints:
        """Return the component (k,) that each place (k, 3) on the surface is on: -1 if unknown."""
        numbers, new = np.full(len(places), -1), np.ones(len(places), dtype=np.bool_)
        if len(self._places):
            apart, row = nearest(places, self._places)
            new = apart > 0.0
            numbers[~new] = self._numbers[row[~new]]
        numbers[new] = self.components.numbers_of(places[new])
        self._places, self._numbers = places, numbers
        return numbers.copy()


class DualEdgesOfRounds:
    """Finds dual edges round after round, in which few of the points change.

    A component whose points are those of the round before keeps its triangles. In others most tetrahedra
    stay, and so do the sides of the surface that their centres are on; to ask F for those of all takes as
    long as to find the tetrahedra.
    """

    def __init__(self, function: ImplicitFunction, spacing: float, components: SurfaceComponents) -> None:
        """Begin with nothing known of a surface whose points are about a spacing apart."""
        self.function, self.spacing, self.components = function, spacing, components
        self._numbers = ComponentNumbers(components)
        self._known: dict[int, _Known] = {}

    def of(
        self,
        places: Floats,
        names: Ints,
        weights: Floats,
        pinched: Bools | None = None,
        knives: Knives | None = None,
    ) -> DualEdges:
        """Return the restricted triangles through points, and their dual edges.

        Args:
            places: the points (n, 3).
            names: numbers (n,), of each point the same in all rounds.
            weights: the squares of radii about the points (n,), in scene units: those of zones of creases.
            pinched: points (n,) about which tetrahedra may change sides so that the triangles are one disk.
            knives: which of the points are on knives; none unless given.
        """
        components = self.components
        may = np.zeros(len(places), dtype=np.bool_) if pinched is None else pinched
        knives = Knives.none(self.function, places) if knives is None else knives
        if len(components) < 2 or not components.proven or not len(places):
            inside = partial(_is_inside, self.function)
            return self._one(0, inside, knives, names, weights, may)
        number = _with_nearest(self._numbers.of(places), places)
        found = []
        for own in range(len(components)):
            rows = np.flatnonzero(number == own)
            within = partial(components.within, own)
            one = self._one(own, within, knives.taken(rows), names[rows], weights[rows], may[rows])
            turned = one.triangles[:, ::-1] if components.is_hollow(own) else one.triangles
            found.append(DualEdges(rows[turned], one.inner, one.outer, np.full(len(turned), own)))
        return DualEdges(
            *(np.concatenate([getattr(one, field.name) for one in found]) for field in fields(DualEdges))
        )

    def _one(
        self,
        own: int,
        within: Callable[[Floats], Bools],
        knives: Knives,
        names: Ints,
        weights: Floats,
        pinched: Bools,
    ) -> DualEdges:
        """Return the triangles through a component's points, those of the round before if it had these."""
        known = self._known.setdefault(own, _Known(_UNMOVED * self.spacing))
        if pinched.any() or not known.has(names, weights):
            sides = partial(known.sides, within)
            known.edges = _boundary(sides, knives, names, weights, self.spacing, pinched)
            known.names, known.weights = names, weights
        return known.edges


class _Known:
    """What is known of a component from the round before.

    unmoved: how far a centre may have moved, a length, and still be on the side where it was.
    """

    def __init__(self, unmoved: float) -> None:
        self.edges, self.names, self.weights = _NONE, _NO_NUMBERS, np.zeros(0)
        self._keys, self._inside = np.zeros(0, dtype=np.uint64), np.zeros(0, dtype=np.bool_)
        self._centres, self._unmoved = np.zeros((0, 3)), unmoved

    def has(self, names: Ints, weights: Floats) -> bool:
        """Return whether the points were the same, with the same weights (n,)."""
        return np.array_equal(names, self.names) and np.array_equal(weights, self.weights)

    def sides(self, within: Callable[[Floats], Bools], centres: Floats, names: Ints) -> Bools:
        """Return which tetrahedra, by the names of their corners (s, 4), have their centres (s, 3) within.

        It is asked only of those that are new, or whose centres have moved: a point that has got a nearer
        neighbour is stirred by less, which moves the centre of a sliver far.
        """
        keys = _scrambled(names).sum(axis=1, dtype=np.uint64)
        inside, new = np.zeros(len(keys), dtype=np.bool_), np.ones(len(keys), dtype=np.bool_)
        if len(self._keys):
            place = np.minimum(np.searchsorted(self._keys, keys), len(self._keys) - 1)
            new = self._keys[place] != keys
            new |= length(self._centres[place] - centres) > self._unmoved
            inside[~new] = self._inside[place[~new]]
        inside[new] = within(centres[new])
        order = np.argsort(keys)
        self._keys, self._inside, self._centres = keys[order], inside[order], centres[order]
        return inside


def _is_inside(function: ImplicitFunction, places: Floats) -> Bools:
    """Return which places (k, 3) are inside, F < 0."""
    return np.asarray(function.value(places) < 0.0)


def _scrambled(names: Ints) -> UInts:
    """Return for each name a number whose bits are as good as random: sums of them tell sets apart."""
    bits = (names.astype(np.uint64) + np.uint64(1)) * _GOLDEN
    bits = (bits ^ (bits >> np.uint64(30))) * _MIX[0]
    bits = (bits ^ (bits >> np.uint64(27))) * _MIX[1]
    return np.asarray(bits ^ (bits >> np.uint64(31)))


def _with_nearest(number: Ints, points: Floats) -> Ints:
    """Return the components (n,) that points (n, 3) are on: where it is -1, that of the nearest other."""
    unknown, known = np.flatnonzero(number < 0), np.flatnonzero(number >= 0)
    if len(unknown) and len(known):
        number[unknown] = number[known[nearest(points[unknown], points[known])[1]]]
    return number


def bad_points(points: Floats, normals: Floats, triangles: Ints, spacing: float) -> Bools:
    """Return at which points (n, 3) the triangles (t, 3) are no surface, or not the right one.

    Args:
        points: points on the surface.
        normals: the unit normals (n, 2, 3) there, on a crease those of both sides.
        triangles: triangles through them.
        spacing: the usual distance of the points, in scene units.
    """
    topology = MeshTopology.of(triangles, len(points))
    bad = topology.non_manifold | ~topology.used
    if len(triangles):
        bad[triangles[_misfacing(points, normals, triangles, spacing)]] = True
    return bad


def in_bubbles(found: DualEdges, components: SurfaceComponents) -> Bools:
    """Return which triangles (t,) are in small parts of the mesh beside a greater one of the same component,
    which has but one.
    """
    if not len(found.triangles) or not components.proven:
        return np.zeros(len(found.triangles), dtype=np.bool_)
    label = MeshTopology.of(found.triangles, int(found.triangles.max()) + 1).component_labels
    sizes, own = np.bincount(label), np.zeros(int(found.part.max()) + 1, dtype=np.intp)
    np.maximum.at(own, found.part, sizes[label])
    return np.asarray(sizes[label] < _BUBBLE * own[found.part])


def _misfacing(points: Floats, normals: Floats, triangles: Ints, spacing: float) -> Bools:
    """Return which triangles (t,) face another way than the normals at their corners, and are not small."""
    facing = length_and_unit(area_vectors(points, triangles))[1]
    cosine = np.einsum("ti,tcsi->tcs", facing, normals[triangles])
    side = points[triangles] - points[np.roll(triangles, 1, axis=1)]
    large = np.einsum("tci,tci->tc", side, side).max(axis=1) > (_LARGE * spacing) ** 2
    return np.asarray((cosine.max(axis=(1, 2)) < _FACING) & large)


def _boundary(
    sides: _Sides, knives: Knives, names: Ints, weights: Floats, spacing: float, pinched: Bools
) -> DualEdges:
    """Return the triangles between tetrahedra whose centres are within and others, with these centres.

    The centroid is the centre of those across a knife.
    """
    points = knives.places
    if len(points) < 4:
        return _NONE
    middle = points.mean(axis=0)
    distance = np.minimum(np.asarray(cKDTree(points).query(points, 2)[0])[:, 1], spacing)
    stirred = points - middle + _STIR * distance[:, None] * low_discrepancy(len(points))
    try:
        simplices, neighbours = delaunay_tetrahedra(stirred, weights)
    except QhullError:
        return _NONE
    centres, volume = circumcentres(stirred[simplices], weights[simplices])
    across = knives.rows_across(simplices)
    centres[across] = stirred[simplices[across]].mean(axis=1)
    inside = np.append(sides(centres + middle, names[simplices]), False)
    before = -1
    while pinched.any() and before != inside.sum():
        before = int(inside.sum())
        for point in np.flatnonzero(pinched).tolist():
            _fill(point, stirred, simplices, neighbours, inside)
    tetrahedron, corner = np.nonzero(inside[:-1, None] & ~inside[neighbours])
    triangles = simplices[tetrahedron[:, None], _OPPOSITE[corner]]
    turned: Ints = np.where((volume[tetrahedron] < 0.0)[:, None], triangles[:, ::-1], triangles)
    beyond = neighbours[tetrahedron, corner]
    outer = centres[beyond]
    far = beyond < 0
    outwards = length_and_unit(area_vectors(stirred, turned[far]))[1]
    outer[far] = stirred[turned[far, 0]] + 2.0 * float(np.abs(stirred).max()) * outwards
    return DualEdges(
        turned, centres[tetrahedron] + middle, outer + middle, np.zeros(len(turned), dtype=np.intp)
    )


def _fill(point: int, points: Floats, simplices: Ints, neighbours: Ints, inside: Bools) -> None:
    """Have more tetrahedra about a point be inside (s + 1,), so that its triangles are one disk, or none.

    They are one where those that are inside hang together, and the others do, with what is beyond them all.
    Of the latter that part stays which goes beyond, or is seen under about the greatest solid angle; none if
    it parts the former.
    """
    star = np.flatnonzero((simplices == point).any(axis=1))
    corner = np.argmax(simplices[star] == point, axis=1)
    ways = points[simplices[star[:, None], _OPPOSITE[corner]]] - points[point]
    a, b, c = np.moveaxis(length_and_unit(ways)[1], 1, 0)
    number = np.full(len(inside), -1)
    number[star], number[-1] = np.arange(len(star)), len(star)
    beside = number[neighbours[star]]
    beside[np.arange(len(star)), corner] = -1
    angle = np.append(np.abs(dot(a, cross(b, c))), np.inf if (beside == len(star)).any() else -1.0)
    row, face = np.nonzero(beside >= 0)
    own = np.append(inside[star], False)
    same = own[row] == own[beside[row, face]]
    links = (np.ones(int(same.sum()), dtype=bool), (row[same], beside[row, face][same]))
    part = connected_components(coo_array(links, shape=(len(own), len(own))), directed=False)[1]
    sizes = np.bincount(part[~own], angle[~own], int(part.max()) + 1)
    inside[star[(~own & (part != np.argmax(sizes)))[:-1]]] = True
    if len(np.unique(part[own])) > 1:
        inside[star] = True


def rings(function: ImplicitFunction, points: Floats, bad: Bools, spacing: float) -> Floats:
    """Return points (k, 3) of the surface in rings around those of points (n, 3) that are bad, and across
    from these.

    A ring is half as wide as the distance to the next point, unless that is much less than the sizing field.
    Where the next sheet has no point across from a bad one, their dual edges cross both sheets, and points
    beside the bad one do not help.
    """
    if not bad.any() or len(points) < 2:
        return np.zeros((0, 3))
    tree = cKDTree(points)
    size = sizing_field(function, points[bad], spacing)
    width = np.minimum(0.5 * np.asarray(tree.query(points[bad], 2)[0])[:, 1], size)
    wide = width > _CLOSEST * size
    centres, width = points[bad][wide], width[wide]
    tangents = directions_across(length_and_unit(function.gradient(centres)[1])[1])
    angle = 2.0 * np.pi * (np.arange(_RING) / _RING + low_discrepancy(len(centres))[:, :1])
    way = np.cos(angle)[..., None] * tangents[:, None, 0] + np.sin(angle)[..., None] * tangents[:, None, 1]
    ring = (centres[:, None] + width[:, None, None] * way).reshape(-1, 3)
    ring = projected(function, ring, 0.5 * float(width.max(initial=0.0)))
    across, apart = places_across(function, points[bad], spacing)
    across = projected(function, across[apart < spacing], THINNEST * spacing)
    least = _APART * np.concatenate([np.repeat(width, _RING), apart[apart < spacing]])
    more = np.concatenate([ring, across])
    free = np.isfinite(more).all(axis=1)
    free[free] = tree.query(more[free])[0] >= least[free]
    order = np.argsort(-least[free], kind="stable")
    return thinned(more[free][order], least[free][order])
