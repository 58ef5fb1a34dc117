"""Delaunay refinement: points added to a restricted Delaunay triangulation until its triangles are good.

The dual edge of a restricted triangle meets the surface in the centre c of a ball through its corners, with
no point inside of it (a surface Delaunay ball). Where the triangle is bad, c becomes a point (Chew 1993,
Boissonnat and Oudot 2005). No new point is then nearer to another than the radius r of its ball. A triangle
is bad where

- r exceeds a share of the sizing field at c (`sizing_field`), so that it is finer where the body is thin;
- it is farther from c, so from the surface, than is allowed, or is so at its own centre or the middle of an
  edge: where edges are cut for that afterwards (`refinement`), angles become half of what they were;
- r exceeds `_SKINNY` times its shortest side: the least angle is arcsin(1 / (2 _SKINNY)) = 19.5 degrees
  where this ends, and it does end, as what is added for this reason makes no side shorter;
- its normal, or the triangles about one of its corners, are not those of a surface, or it is in a small
  closed part beside a greater one, although they are proven to be of one component.

Creases are followed first (`crease_curves`), and their zones are kept free: a bad triangle whose centre is in
one halves links of the crease instead, and may be as thin as it is. So does one that reaches from a crease to
just beyond its zone, and is too far from the surface in there: more points around the zone do not help.

All bad triangles are taken in a round, the largest first, but none whose centre is near one taken. Points
without a triangle get a ring of points, and one across from them on the next sheet, as where the body is
thinner than its points are apart. In the depth of slits no points could tell one side from the other: there
none are added, and triangles close them. Where that begins, the triangles at some points may be no disk. Of
the tetrahedra about these more count as inside then, until they are.

The area over the square of the sizing field tells how many points are needed. The first points tell already
where they are too many.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from scipy.spatial import cKDTree

from ...arrays import Bools, Floats, Ints
from ...jobs import Job, Progress
from ...vectors import length
from ..functions.base import ImplicitFunction
from ..local_thickness import THINNEST, in_slits, local_thickness, sizing_field
from ..neighbours import nearest, thinned_rows
from ..projection import distances_to_surface, projected
from ..sizing_field import greatest_curvature
from ..surface_components.component_search import SurfaceComponents
from .mesh_topology import MeshTopology, area_vectors
from .restricted_delaunay import (
    DualEdges,
    DualEdgesOfRounds,
    RestrictedDelaunay,
    bad_points,
    in_bubbles,
    rings,
)
from .surface_balls import SurfaceBalls, surface_balls
from .surface_points import CreaseSearch, SurfacePoints, neighbouring
from .surface_sampling import thinned

_ROUNDS = 40  # most rounds in which points are added
_FOLLOWED = 16  # rounds after which creases are no longer followed where triangles at them are still bad
# times as large as the sizing field allows that balls may be after as many rounds: it has jumps, where each
# new point finds a smaller size beside it, and what is asked of a mesh is in the other bounds
_EASED = 2.0
_PINCHED = 8  # times that tetrahedra change sides about points in slits where the triangles are no disk
_SAME = 0.05  # spacings: points nearer to each other than this are one
_SPARSE = 0.8  # sizing field: greatest radius of a ball
_AIM = 0.6  # share of the allowed distance, because the greatest one is not quite at the centres
_SKINNY = 1.5  # shortest sides: greatest radius of a ball
_ENOUGH = 1.25  # times these bounds: where nothing exceeds them by more, the triangles are good enough
_APART = 0.6  # radii of a ball: the least distance of other centres that are added in its round
_BESIDE = 3.0  # radii of a zone: where points are added so near to a knife, its links are not halved yet
_HEM = 0.5  # zones: smaller balls of triangles from a crease to just beyond its zone get no point
_ROOM = 0.3  # radii of a ball: a point so near to its centre says that it is none
_LEAST = 1.0 / 500.0  # spacings: balls so small are never bad, as at creases
MOST_POINTS = 60_000  # points that a mesh may have, unless it had many from the start
_GROWTH = 3  # times as many points as at first that it may have then
_WORK = 7  # times as many points that may be triangulated in all rounds together
_DEEP = 0.25 * THINNEST  # spacings: no points are in slits so narrow
_MOST_ESTIMATED = 40_000  # points that a surface may need by the first look at it
# distances of a point from the next one, squared: the area for each of points spread at random (0.55 of the
# plane is covered by disks as wide as their distance where no more fit in)
_AREA = 1.5
_LONG, _COVERED = 2.5, 1.0  # spacings: knives too sharp for a mesh, and far too sharp ones, are no longer
_WIDEST, _BEND = 0.8, 0.7  # spacings, and radians over which the surface bends: the widest distances counted
_PATCH = 0.5  # squares of the sizing field: area of the surface for each of its points
_NONE = np.zeros(0, dtype=np.intp)


@dataclass(frozen=True, eq=False)
class FirstPoints:
    """The points that refinement begins with.

    Attributes:
        function: F.
        spacing: the usual distance of points, in scene units.
        within: how far triangles may be from the surface, in scene units.
        points: the points, those on creases among them.
        creases: finds more creases.
        given: how many points there were before creases were found.
    """

    function: ImplicitFunction
    spacing: float
    within: float
    points: SurfacePoints
    creases: CreaseSearch
    given: int

    @classmethod
    def of(cls, function: ImplicitFunction, points: Floats, spacing: float, within: float) -> FirstPoints:
        """Return the points to begin with, of points (n, 3) near the surface."""
        places = on_surface(function, points, spacing, within)
        places = places[~in_slits(function, places, _DEEP * spacing)]
        places = thinned(places, np.full(len(places), _SAME * spacing))
        creases = CreaseSearch(function, spacing, within)
        own = creases.taken_into(SurfacePoints.of(places), neighbouring(places), _NONE)
        return cls(function, spacing, within, own, creases, len(places))

    @cached_property
    def needed(self) -> float:
        """About how many points the surface needs, as far as these can tell."""
        return _estimated(self.function, self.points.plain, self.spacing)

    @property
    def need_too_many(self) -> bool:
        """Whether the surface needs more points than are allowed, as far as these can tell."""
        return self.needed > max(_MOST_ESTIMATED, _GROWTH * self.given)

    @property
    def are_on_long_knives(self) -> bool:
        """Whether creases too sharp for a mesh are so long that more points beside them do not help."""
        curves = self.points.curves
        lengths = (
            float(curves.gaps[sharp[curves.links].all(axis=1)].sum())
            for sharp in (curves.points.too_sharp, curves.points.far_too_sharp)
        )
        return any(own > most * self.spacing for own, most in zip(lengths, (_LONG, _COVERED), strict=True))


def delaunay_refining(first: FirstPoints, components: SurfaceComponents) -> Job[RestrictedDelaunay]:
    """Return triangles through points of the surface, and through all that were added, in rounds.

    Args:
        first: the points to begin with, which are used up.
        components: those of the surface.

    Returns:
        The triangulation; bad points are left where the surface needs more points than are allowed.
    """
    function, spacing, within = first.function, first.spacing, first.within
    own, creases, balls, worked = first.points, first.creases, None, 0
    rounds = DualEdgesOfRounds(function, spacing, components)
    most = max(MOST_POINTS, _GROWTH * first.given)
    for round_ in range(_ROUNDS):
        found = rounds.of(own.places, own.names, own.weights, knives=own.knives(function, THINNEST * spacing))
        bad = _bad(function, own, found, components, spacing)
        balls = surface_balls(function, own, found, spacing, components, balls)
        sparse = _SPARSE if round_ < _FOLLOWED else _EASED * _SPARSE
        more, crowded = points_of_a_round(function, own, found.triangles, bad, balls, spacing, within, sparse)
        grown = creases.taken_into(own, MeshTopology.of(found.triangles, len(own.places)).ends, crowded)
        worked += len(own.places)
        needed = 0.0 if bad.any() else _needed(own, found.triangles, balls)
        too_many = max(needed, len(grown.places) + len(more)) > most or worked > _WORK * most
        ends = too_many or (not len(more) and grown is own) or round_ == _ROUNDS - 1
        late = (ends or round_ >= _FOLLOWED) and round_ < _ROUNDS - 1
        # what is sharper than notches that are followed has no mesh without its edges
        if late and not own.curves.points.sharp.any() and _are_at_creases(bad, own, found.triangles):
            grown = creases.given_up(own)
        elif ends:
            break
        own = grown.with_more(more)
        yield Progress(f"Joining {len(own.places)} points of the surface")
    may = np.zeros(len(bad), dtype=np.bool_)
    for _ in range(0 if too_many else _PINCHED):
        pinched = np.flatnonzero(bad)
        pinched = pinched[in_slits(function, own.places[pinched], THINNEST * spacing)]
        if not len(pinched):
            break
        may |= np.isin(np.arange(len(bad)), pinched)
        found = rounds.of(own.places, own.names, own.weights, may, own.knives(function, THINNEST * spacing))
        bad = _bad(function, own, found, components, spacing)
    bad &= ~_redundant(function, own.places, found.triangles, spacing)
    beside = _are_beside_knives(own, bad, spacing)
    return RestrictedDelaunay(own.places, found.triangles, bad, too_many, beside)


def _bad(
    function: ImplicitFunction,
    points: SurfacePoints,
    found: DualEdges,
    components: SurfaceComponents,
    spacing: float,
) -> Bools:
    """Return at which points (n,) the triangles are no surface, or not the right one."""
    bad = bad_points(points.places, points.normals(function), found.triangles, spacing)
    bad[_buried(function, points, found.triangles, spacing)] = False
    bad[found.triangles[in_bubbles(found, components)]] = True
    return bad


def _are_at_creases(bad: Bools, points: SurfacePoints, triangles: Ints) -> bool:
    """Return whether some bad points (n,) are on creases, or in triangles with those that are."""
    on = np.arange(len(bad)) < len(points.curves.vertices)
    beside = triangles[on[triangles].any(axis=1)]
    return bool(bad[on].any() or bad[beside].any())


def _are_beside_knives(points: SurfacePoints, bad: Bools, spacing: float) -> bool:
    """Return whether some bad points (n,) are within a spacing of a knife sharper than notches that count."""
    curves = points.curves.points
    sharp = curves.places[curves.sharp]
    if not len(sharp) or not bad.any():
        return False
    return bool((nearest(points.places[bad], sharp)[0] <= spacing).any())


def _estimated(function: ImplicitFunction, places: Floats, spacing: float) -> float:
    """Return about how many points the surface needs, by those (n, 3) that are spread over it at first.

    Each stands for the area that the distance to the next one leaves it, but not for more than bends as it
    does, and twice where the next one is on the other side of what is thin. They are outside of the zones of
    creases, on which the other side is as near as one likes, however thick the body is.
    """
    if len(places) < 2:
        return 0.0
    apart = np.minimum(np.asarray(cKDTree(places).query(places, 2)[0])[:, 1], _WIDEST * spacing)
    apart = np.minimum(apart, _BEND / np.maximum(greatest_curvature(function, places), _BEND / spacing))
    sizes = sizing_field(function, places, spacing)
    sheets = np.where(local_thickness(function, places, spacing) < apart, 2.0, 1.0)
    return float(np.sum(sheets * _AREA * apart**2 / (_PATCH * sizes**2)))


def _buried(function: ImplicitFunction, points: SurfacePoints, triangles: Ints, spacing: float) -> Ints:
    """Return the points (k,) without triangles that need none: on narrow creases, and in slits narrower than
    points come near to each other, as in the depth of such creases, which triangles close.
    """
    unused = np.ones(len(points.places), dtype=np.bool_)
    unused[triangles] = False
    rows = np.flatnonzero(unused)
    slit = in_slits(function, points.places[rows], THINNEST * spacing)
    return rows[slit | (rows < len(points.curves.vertices))]


def _redundant(function: ImplicitFunction, points: Floats, triangles: Ints, spacing: float) -> Bools:
    """Return which points (n,) have no triangle and need none: a corner is nearer than samples are apart.

    They are found in the depth of creases.
    """
    redundant = np.ones(len(points), dtype=np.bool_)
    redundant[triangles] = False
    unused = np.flatnonzero(redundant)
    if len(unused) and len(triangles):
        apart = nearest(points[unused], points[np.unique(triangles)])[0]
        redundant[unused] = apart <= sizing_field(function, points[unused], spacing)
    return redundant & (len(triangles) > 0)


def _needed(points: SurfacePoints, triangles: Ints, balls: SurfaceBalls) -> float:
    """Return about how many points the surface needs, as far as it is known."""
    area = length(area_vectors(points.places, triangles))
    return float(np.sum(area / (_PATCH * _sizes(balls, points.curves.zone_at(balls.centres), points) ** 2)))


def _sizes(balls: SurfaceBalls, zone: Ints, points: SurfacePoints) -> Floats:
    """Return the sizing field (t,) at the centres of balls, of which some are in zones (t,) of creases.

    Both sides of a crease come as near to each other as one likes: there the points of the crease decide.
    """
    sizes = balls.sizes.copy()
    sizes[zone >= 0] = np.maximum(sizes[zone >= 0], points.curves.zones[zone[zone >= 0]])
    return sizes


def points_of_a_round(
    function: ImplicitFunction,
    points: SurfacePoints,
    triangles: Ints,
    bad: Bools,
    balls: SurfaceBalls,
    spacing: float,
    within: float,
    share: float,
) -> tuple[Floats, Ints]:
    """Return the points (k, 3) that are added in a round, and points (c,) on creases that need more there.

    Nothing is added in the zones of creases, where triangles may be thin.

    Args:
        function: F.
        points: the points (n) so far.
        triangles: those through them (t, 3).
        bad: points (n,) where these are no surface.
        balls: the balls of the triangles.
        spacing: the usual distance of points, in scene units.
        within: how far triangles may be from the surface, in scene units.
        share: how large balls may be, as a share of the sizing field.
    """
    places, zone = points.places, points.curves.zone_at(balls.centres)
    used = np.zeros(len(places), dtype=np.bool_)
    used[triangles] = True
    side = length(places[triangles] - places[np.roll(triangles, 1, axis=1)]).min(axis=1)
    faulty, large = bad[triangles].any(axis=1), balls.radii > _LEAST * spacing
    skinny = np.where(zone < 0, balls.radii / (_SKINNY * side), 0.0)
    sparse = np.where(zone < 0, balls.radii / (share * balls.sizes), 0.0)
    excess = np.maximum.reduce((sparse, balls.away / (_AIM * within), skinny))
    wanting = (faulty | (excess > 1.0)) & large
    wanting[wanting] = ~in_slits(function, balls.centres[wanting], _DEEP * spacing)
    if not (wanting & (faulty | (excess > _ENOUGH))).any() and not (bad & ~used).any():
        return np.zeros((0, 3)), _NONE
    widest, wide = _widest_zones(points, triangles)
    spanning = (
        wanting & (zone < 0) & (_HEM * wide > balls.radii) & ~faulty & (np.maximum(sparse, skinny) <= 1.0)
    )
    crowded = np.union1d(zone[wanting & (zone >= 0)], widest[spanning])
    wanting &= (zone < 0) & ~spanning
    centres, radii = balls.centres[wanting], balls.radii[wanting]
    # no ball has a point inside: where one is near the centre, rounding or a point of another sheet made it
    free = nearest(centres, places)[0] >= _ROOM * radii
    centres, radii = centres[free], radii[free]
    order = np.argsort(-excess[wanting][free], kind="stable")
    stays = order[thinned_rows(centres[order], _APART * radii[order])]
    ringed = rings(function, places, bad & ~used, spacing)
    ringed = ringed[~in_slits(function, ringed, _DEEP * spacing)]
    more: Floats = np.concatenate([centres[stays], ringed[points.curves.zone_at(ringed) < 0]])
    more = thinned(more, _ROOM * nearest(more, places)[0])
    return _on_surface(function, more, within), crowded[~_early(points, crowded, more)]


def _widest_zones(points: SurfacePoints, triangles: Ints) -> tuple[Ints, Floats]:
    """Return the corner (t,) of each triangle (t, 3) with the widest zone of a crease, and how wide it is."""
    zones = np.pad(points.curves.zones, (0, len(points.places) - len(points.curves.vertices)))[triangles]
    return triangles[np.arange(len(triangles)), zones.argmax(axis=1)], zones.max(axis=1)


def _early(points: SurfacePoints, crowded: Ints, more: Floats) -> Bools:
    """Return which of some vertices of creases (c,) are on knives beside which points (k, 3) are added.

    Until points are near enough to each other to tell one side from the other, triangles are bad whatever the
    links.
    """
    if not len(more) or not len(crowded):
        return np.zeros(len(crowded), dtype=np.bool_)
    beside = nearest(points.places[crowded], more)[0] <= _BESIDE * points.curves.zones[crowded]
    return np.asarray(beside & points.curves.knife_axes[crowded].any(axis=1))


def on_surface(function: ImplicitFunction, points: Floats, spacing: float, within: float) -> Floats:
    """Return the places (k, 3) of the surface next to points (n, 3) that are about a spacing apart."""
    return _on_surface(function, projected(function, points, 0.5 * spacing), within)


def _on_surface(function: ImplicitFunction, places: Floats, within: float) -> Floats:
    """Return those of places (k, 3) that are on the surface: where F is flat, Newton's steps lead off it."""
    places = places[np.isfinite(places).all(axis=1)]
    return places[distances_to_surface(*function.gradient(places)) <= within]
