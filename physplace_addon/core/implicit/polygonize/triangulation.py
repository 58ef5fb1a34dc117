"""A closed mesh from the points that sample an implicit surface.

`restricted_delaunay` finds triangles through the points that have the surface's topology.
`delaunay_refinement` adds points until they are near enough to it; `refinement` cuts what is still too far,
and `least_angles` changes thin triangles. None of these makes triangles cross each other, which is checked at
the end (`self_intersection`): such a mesh is returned as broken.
Every component that `surface_components` finds has to have triangles; where one has none, its seed and
samples of the surface join the points. The result is then checked by something that took no part in it
(`confirmation`). Where it has not the surface's topology, the finer mesh's points sample the surface anew.

What can have no mesh is refused by what is known soonest: by the boxes that space is cut into, and by how
many points the first ones say that a mesh would need. Components are looked for only then, among more boxes
where the mesh needs many points: a wall has about as many of either on the square of its thickness.

Area and volume are those that the triangles' own tend to: with every triangle cut in four, its new corners on
the surface, their errors are a quarter as large, which tells what is left (Richardson's extrapolation).
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

import numpy as np

from ...arrays import Bools, Floats, Ints
from ...jobs import Job, Progress, finished
from ...vectors import length
from ..functions.base import ImplicitFunction
from ..local_thickness import THINNEST
from ..projection import projected
from ..surface_components.component_search import SurfaceComponents, components_of
from ..surface_components.subdivision import BoxClass, ClassifiedBoxes, SearchLimits, subdivided
from .confirmation import is_confirmed
from .delaunay_refinement import FirstPoints, delaunay_refining, on_surface
from .least_angles import with_larger_angles
from .mesh_topology import MeshTopology, area_vectors
from .refinement import quartered, refined
from .restricted_delaunay import RestrictedDelaunay
from .self_intersection import crossing_triangles
from .surface_sampling import surface_samples
from .touching import touching_places

_SPACING = 2.0  # distance of floaters, in their radii
# share of the allowed distance, because the greatest one is not quite at the places where it is measured:
# more than `delaunay_refinement` leaves, as cutting makes angles smaller
_AIM = 0.9
_BESIDE = 0.02  # spacings: points so near to a crease stay where thin triangles are changed
_FEW = 12  # points: a component that has fewer is sampled anew
_FINER = 6  # halvings of the spacing, after which a surface without so many points is one without points
# boxes that are examined at most for each point that the surface needs, if that is more than a search has
# otherwise: walls need 2 to 9, so that their two sides are told apart everywhere
_BOXES_OF_A_POINT = 12.0
_CLOSEST = 1.0 / 500.0  # spacings: where boxes so small are still not decided, the surface touches itself
_SLIT = 2.0 * THINNEST  # spacings: slits as narrow between undecided boxes count as touching
_ATTEMPTS = 3  # triangulations, each of the points of the one before
_NEARER = 0.5  # factor of the spacing in each further attempt
_COARSEST = 0.25  # share of the surface's size: a greater sigma is no distance of points on it


class MeshStatus(Enum):
    """What became of a mesh; `message` says it to a person."""

    CLOSED = "the mesh is closed, and hangs together as the surface does"
    UNCONFIRMED = (
        "the mesh is closed, but it may lack a bridge or a hole of the surface, which has sharp creases or "
        "parts much thinner than its particles; smooth blends or smaller particles make sure"
    )
    COARSE = "the mesh is closed, but farther from the surface than it should be: use smaller particles"
    INCOMPLETE = (
        "the mesh lacks parts of the surface that are much smaller than its particles: use smaller ones"
    )
    TOO_THIN = (
        "parts of the surface are so thin, or bend so sharply, that a mesh would need too many points: "
        "make them thicker"
    )
    TOO_SHARP = "edges of the surface are too sharp for a mesh: make them blunter"
    TOUCHING = (
        "parts of the surface touch each other, or nearly so: move them apart or into each other, or blend "
        "them"
    )
    BROKEN = "parts of the surface are too thin or too sharp for its particles: use smaller ones"
    EMPTY = "there is no surface: make its elements larger, or bring them closer"
    INFINITE = "the surface is infinite, so no mesh closes it: intersect it with something that is not"

    @property
    def message(self) -> str:
        """A sentence for a person."""
        return self.value

    @property
    def closed(self) -> bool:
        """Whether the mesh encloses a solid."""
        return self in (MeshStatus.CLOSED, MeshStatus.UNCONFIRMED, MeshStatus.COARSE)


@dataclass(frozen=True, eq=False)
class Triangulation:
    """A mesh of an implicit surface; lengths in scene units.

    Attributes:
        points: points on the surface (n, 3).
        triangles: their numbers (t, 3), wound outwards.
        distance: how far triangles are from the surface at most, at their centres and at midpoints of edges.
        area: that of the surface, more exact than that of the triangles.
        volume: that of the solid, more exact than that of the triangles.
        euler_characteristic: points - edges + triangles.
        status: what became of the mesh.
    """

    points: Floats
    triangles: Ints
    distance: float
    area: float
    volume: float
    euler_characteristic: int
    status: MeshStatus

    @property
    def message(self) -> str:
        """What became of the mesh, for a person."""
        return self.status.message


def triangulated(
    function: ImplicitFunction, points: Floats, sigma: float, within: float | None = None
) -> Triangulation:
    """Return a closed mesh of the surface; if there can be none, the status says why.

    Args:
        function: F.
        points: points (n, 3) spread over the surface, about 2 sigma apart; more are added where needed.
        sigma: in scene units.
        within: how far from the surface the mesh may be, in scene units; 0.05 sigma unless given.
    """
    return finished(triangulating(function, points, sigma, within))


def triangulating(
    function: ImplicitFunction, points: Floats, sigma: float, within: float | None = None
) -> Job[Triangulation]:
    """Do what `triangulated` does, in slices: a round in which points are added is one, or a comparison."""
    if function.is_endless():
        return _nothing(MeshStatus.INFINITE)
    begun = _begun(function, points, sigma, within)
    if isinstance(begun, MeshStatus):
        return _nothing(begun)
    first, components = begun
    spacing, allowed = first.spacing, first.within
    for _ in range(_ATTEMPTS):
        if first.need_too_many:
            return _nothing(MeshStatus.TOO_THIN)
        found = yield from delaunay_refining(first, components)
        if not len(found.triangles) or found.bad.any():
            return _nothing(_why_broken(found))
        corners, triangles, distance = refined(function, found.points, found.triangles, _AIM * allowed)
        corners, triangles = with_larger_angles(
            function, corners, triangles, max(distance, _AIM * allowed), _BESIDE * spacing
        )
        if len(crossing_triangles(corners, triangles)):
            return _nothing(MeshStatus.BROKEN)
        yield Progress(f"Comparing {len(triangles)} triangles with the surface")
        found = RestrictedDelaunay(corners, triangles, np.zeros(len(corners), dtype=np.bool_))
        status = MeshStatus.CLOSED if distance <= allowed else MeshStatus.COARSE
        missing = components.seeds[_without_triangles(components, corners, triangles)]
        if not len(missing) and is_confirmed(function, components, corners, triangles):
            sure = components.proven or status is MeshStatus.COARSE
            return _result(function, found, distance, status if sure else MeshStatus.UNCONFIRMED)
        points, spacing = np.concatenate([corners, missing]), _NEARER * spacing
        if len(missing):
            points = np.concatenate([points, surface_samples(function, spacing)])
        first = FirstPoints.of(function, points, spacing, allowed)
    return _result(
        function, found, distance, MeshStatus.INCOMPLETE if len(missing) else MeshStatus.UNCONFIRMED
    )


def _begun(
    function: ImplicitFunction, points: Floats, sigma: float, within: float | None
) -> tuple[FirstPoints, SurfaceComponents] | MeshStatus:
    """Return the points that the first mesh begins with, and the components; or why there can be no mesh.

    The arguments are those of `triangulated`.
    """
    boxes = _boxes(function)
    if boxes is None:
        return MeshStatus.EMPTY
    sigma = min(sigma, _COARSEST * float(np.ptp(function.box(), axis=0).max()))
    if len(touching_places(function, boxes, _CLOSEST * _SPACING * sigma, _SLIT * _SPACING * sigma)):
        return MeshStatus.TOUCHING
    points, sigma = _enough(function, np.array(points, dtype=np.float64).reshape(-1, 3), sigma)
    allowed, spacing = 0.05 * sigma if within is None else within, _SPACING * sigma
    first = FirstPoints.of(function, points, spacing, allowed)
    if first.are_on_long_knives:
        return MeshStatus.TOO_SHARP
    if first.need_too_many:
        return MeshStatus.TOO_THIN
    most = max(SearchLimits.most, round(_BOXES_OF_A_POINT * first.needed))
    components = components_of(function, SearchLimits(most), boxes=boxes)
    if not len(points):
        return MeshStatus.EMPTY if components.proven and not len(components) else MeshStatus.INCOMPLETE
    more = _on_components_with_few(function, components, points, spacing)
    if len(more):
        first = FirstPoints.of(function, np.concatenate([points, more]), spacing, allowed)
    return first, components


def _boxes(function: ImplicitFunction) -> ClassifiedBoxes | None:
    """Return the boxes that space is cut into; None where they prove that there is no surface."""
    box = np.array(function.box())
    if (box[0] > box[1]).any():
        return None
    boxes = subdivided(function, box, SearchLimits())
    return boxes if boxes.which(BoxClass.GRAPH, BoxClass.UNDECIDED).any() else None


def _enough(function: ImplicitFunction, points: Floats, sigma: float) -> tuple[Floats, float]:
    """Return points (n, 3) and sigma; other points, and less, where the surface has but a few of these.

    What is much smaller than the box that its function knows, as the lens of two balls, has none at first.
    """
    spacing = _SPACING * sigma
    if len(on_surface(function, points, spacing, sigma)) >= _FEW:
        return points, sigma
    for _ in range(_FINER):
        points = surface_samples(function, spacing)
        if len(points) >= _FEW:
            return points, min(sigma, _COARSEST * float(np.ptp(points, axis=0).max()))
        spacing *= 0.5
    return points, sigma


def _on_components_with_few(
    function: ImplicitFunction, components: SurfaceComponents, points: Floats, spacing: float
) -> Floats:
    """Return samples (k, 3) of each component that has but a few of some points (n, 3)."""
    if len(components) < 2:
        return np.zeros((0, 3))
    number = components.numbers_of(projected(function, points, 0.5 * spacing))
    few = np.bincount(number[number >= 0], minlength=len(components)) < _FEW
    if not few.any():
        return np.zeros((0, 3))
    more = surface_samples(function, spacing)
    return np.asarray(more[few[components.numbers_of(more)]])


def _without_triangles(components: SurfaceComponents, points: Floats, triangles: Ints) -> Bools:
    """Return which components (c,) have no triangle (t, 3) through points (n, 3)."""
    bare = np.ones(len(components.seeds), dtype=np.bool_)
    on = components.numbers_of(points[np.unique(triangles)])
    bare[on[on >= 0]] = False
    return bare


def _why_broken(found: RestrictedDelaunay) -> MeshStatus:
    """Return why triangles are no surface."""
    if found.needs_more:
        return MeshStatus.TOO_THIN
    return MeshStatus.TOO_SHARP if found.too_sharp else MeshStatus.BROKEN


def _nothing(status: MeshStatus) -> Triangulation:
    """Return an empty mesh with a status."""
    return Triangulation(np.zeros((0, 3)), np.zeros((0, 3), dtype=np.intp), 0.0, 0.0, 0.0, 0, status)


def _result(
    function: ImplicitFunction, found: RestrictedDelaunay, distance: float, status: MeshStatus
) -> Triangulation:
    """Return the mesh, without points that are in no triangle, with its area and volume."""
    topology = MeshTopology.of(found.triangles, len(found.points))
    number = np.cumsum(topology.used) - 1
    points, triangles = found.points[topology.used], number[found.triangles]
    area, volume = _measured(function, points, triangles)
    return Triangulation(points, triangles, distance, area, volume, topology.euler_characteristic, status)


def _measured(function: ImplicitFunction, points: Floats, triangles: Ints) -> tuple[float, float]:
    """Return the surface's area and volume, from the triangles and from those of a quarter of their size."""
    rough = _sums(points, triangles)
    fine = _sums(*quartered(function, points, triangles))
    area, volume = (fine + (fine - rough) / 3.0).tolist()
    return area, volume


def _sums(points: Floats, triangles: Ints) -> Floats:
    """Return the area and the volume (2,) of a mesh."""
    vectors = area_vectors(points, triangles)
    middle = points[triangles].mean(axis=1) - points.mean(axis=0)
    area = length(vectors).sum()
    return np.array([area, np.einsum("ti,ti->", middle, vectors) / 3.0])
