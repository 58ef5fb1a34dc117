"""Delaunay refinement: points added to a restricted Delaunay triangulation until its triangles are good.

The dual edge of a restricted triangle meets the surface in the centre c of a ball through its corners, with
no point inside of it (a surface Delaunay ball). Where the triangle is bad, c becomes a point (Chew 1993,
Boissonnat and Oudot 2005). No new point is then nearer to another than the radius r of its ball. A triangle
is bad where

- r exceeds a share of the sizing field at c (`sizing_field`), so that it is finer where the body is thin;
- it is farther from c, so from the surface, than is allowed;
- r exceeds `_SKINNY` times its shortest side: the least angle is arcsin(1 / (2 _SKINNY)) = 19.5 degrees
  where this ends, and it does end, as what is added for this reason makes no side shorter;
- its normal, or the triangles about one of its corners, are not those of a surface.

All bad triangles are taken in a round, the largest first, but none whose centre is near one taken. Points
without a triangle get a ring of points, as where the body is thinner than its points are apart.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ...arrays import Bools, Floats, Ints
from ...jobs import Job, Progress
from ...vectors import dot, length, length_and_unit
from ..functions.base import ImplicitFunction
from ..local_thickness import sizing_field
from ..neighbours import nearest, thinned_rows
from ..projection import newton_heights, projected
from ..surface_components.component_search import SurfaceComponents
from .mesh_topology import area_vectors
from .restricted_delaunay import DualEdges, RestrictedDelaunay, bad_points, dual_edges, rings
from .surface_sampling import thinned

_ROUNDS = 40  # most rounds in which points are added
_SAME = 0.05  # spacings: points nearer to each other than this are one
_SPARSE = 0.8  # sizing field: greatest radius of a ball
_AIM = 0.6  # share of the allowed distance, because the greatest one is not quite at the centres
_SKINNY = 1.5  # shortest sides: greatest radius of a ball
_ENOUGH = 1.25  # times these bounds: where nothing exceeds them by more, the triangles are good enough
_APART = 0.6  # radii of a ball: the least distance of other centres that are added in its round
_LEAST = 1.0 / 500.0  # spacings: balls so small are never bad, as at creases
MOST_POINTS = 60_000  # points that a mesh may have, unless it had many from the start
_GROWTH = 3  # times as many points as at first that it may have then
_WORK = 7  # times as many points that may be triangulated in all rounds together
# rounds after which a surface is given up that is thinner than its points are apart at so many of them
_EARLY, _HOPELESS = 5, 0.5
_NUMBERS = np.int64(2_000_000)  # points whose numbers make different keys of triangles
_PATCH = 0.5  # squares of the sizing field: area of the surface for each of its points
_NEWTON = 4  # Newton steps along dual edges
_ON = 0.05  # radii of a ball: how far its centre may be from the surface
_HALVINGS = 24  # halvings of dual edges along which Newton's steps fail


@dataclass(frozen=True, eq=False)
class _Balls:
    """Surface Delaunay balls of triangles.

    Attributes:
        keys: numbers (t,) that tell triangles apart, rising.
        centres: their centres (t, 3), on the surface.
        radii: their radii (t,), in scene units.
        sizes: the sizing field there (t,), in scene units.
        away: how far the triangles are from the centres (t,), in scene units.
    """

    keys: Ints
    centres: Floats
    radii: Floats
    sizes: Floats
    away: Floats


def delaunay_refining(
    function: ImplicitFunction,
    points: Floats,
    spacing: float,
    within: float,
    components: SurfaceComponents,
) -> Job[RestrictedDelaunay]:
    """Return triangles through points near the surface, and through all that were added, in rounds.

    Args:
        function: F.
        points: points (n, 3) near the surface.
        spacing: their usual distance, in scene units.
        within: how far the triangles may be from the surface, in scene units.
        components: those of the surface.

    Returns:
        The triangulation; bad points are left where the surface needs more points than are allowed.
    """
    points = thinned(projected(function, points, 0.5 * spacing), np.full(len(points), _SAME * spacing))
    balls, most = None, max(MOST_POINTS, _GROWTH * len(points))
    worked = 0
    for round_ in range(_ROUNDS):
        found = dual_edges(function, points, spacing, components)
        bad = bad_points(function, points, found.triangles, spacing)
        balls = _balls(function, points, found, spacing, components, balls)
        more = _added(function, points, found.triangles, bad, balls, spacing, within)
        worked += len(points)
        needed = max(len(points) + len(more), 0.0 if bad.any() else _needed(points, found.triangles, balls))
        too_many = needed > most or worked > _WORK * most or (round_ >= _EARLY and bad.mean() > _HOPELESS)
        if not len(more) or too_many:
            break
        points = np.concatenate([points, more])
        yield Progress(f"Joining {len(points)} points of the surface")
    bad &= ~_redundant(function, points, found.triangles, spacing)
    return RestrictedDelaunay(points, found.triangles, bad, too_many)


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


def _needed(points: Floats, triangles: Ints, balls: _Balls) -> float:
    """Return about how many points the surface needs, as far as it is known."""
    area = length(area_vectors(points, triangles))
    return float(np.sum(area / (_PATCH * balls.sizes**2)))


def _balls(
    function: ImplicitFunction,
    points: Floats,
    found: DualEdges,
    spacing: float,
    components: SurfaceComponents,
    known: _Balls | None,
) -> _Balls:
    """Return the balls (t,) of triangles; those that are known already are not computed again."""
    corners = np.sort(found.triangles, axis=1)
    keys = (corners[:, 0] * _NUMBERS + corners[:, 1]) * _NUMBERS + corners[:, 2]
    count = len(keys)
    centres, sizes = np.zeros((count, 3)), np.zeros(count)
    new = np.ones(count, dtype=np.bool_)
    if known is not None and len(known.keys):
        order = np.argsort(known.keys)
        place = np.minimum(np.searchsorted(known.keys, keys, sorter=order), len(order) - 1)
        same = order[place]
        new = known.keys[same] != keys
        centres[~new], sizes[~new] = known.centres[same[~new]], known.sizes[same[~new]]
    rows = np.flatnonzero(new)
    centres[rows] = _centres(function, points, found, rows, components)
    sizes[rows] = sizing_field(function, centres[rows], spacing)
    flat, radius = _circumcentres(points[found.triangles])
    return _Balls(
        keys,
        centres,
        np.maximum(length(points[found.triangles[:, 0]] - centres), radius),
        sizes,
        length(flat - centres),
    )


def _centres(
    function: ImplicitFunction, points: Floats, found: DualEdges, rows: Ints, components: SurfaceComponents
) -> Floats:
    """Return where the dual edges of triangles (k,) meet the surface (k, 3)."""
    flat, radius = _circumcentres(points[found.triangles[rows]])
    inner, outer = found.inner[rows], found.outer[rows]
    way = length_and_unit(outer - inner)[1]
    low, high = dot(inner - flat, way), dot(outer - flat, way)
    height = np.clip(0.0, low, high)
    for _ in range(_NEWTON):
        step = newton_heights(*function.gradient(flat + height[:, None] * way), way)
        height = np.clip(height + np.where(np.isfinite(step), step, 0.0), low, high)
    centres = flat + height[:, None] * way
    value, gradient = function.gradient(centres)
    lost = ~(np.abs(value) <= _ON * radius * length(gradient))
    if lost.any():
        centres[lost] = _halved(function, found, rows[lost], components)
    reach = 0.1 * float(radius.max(initial=0.0))
    return projected(function, centres, reach, 2)


def _halved(
    function: ImplicitFunction, found: DualEdges, rows: Ints, components: SurfaceComponents
) -> Floats:
    """Return where dual edges (k,) cross the surface (k, 3), by halving."""
    inner, outer, part = found.inner[rows], found.outer[rows], found.part[rows]
    several = len(components) > 1 and components.proven
    for _ in range(_HALVINGS):
        middle = 0.5 * (inner + outer)
        if several:
            inside = np.zeros(len(middle), dtype=np.bool_)
            for own in np.unique(part):
                inside[part == own] = components.within(int(own), middle[part == own])
        else:
            inside = function.value(middle) < 0.0
        inner, outer = np.where(inside[:, None], middle, inner), np.where(inside[:, None], outer, middle)
    return 0.5 * (inner + outer)


def _circumcentres(corners: Floats) -> tuple[Floats, Floats]:
    """Return the circumcentres (t, 3) and the radii (t,) of triangles (t, 3, 3)."""
    b, c = corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0]
    bb, bc, cc = dot(b, b), dot(b, c), dot(c, c)
    twice = 2.0 * np.maximum(bb * cc - bc * bc, np.finfo(np.float64).tiny)
    offset = (cc * (bb - bc) / twice)[:, None] * b + (bb * (cc - bc) / twice)[:, None] * c
    return corners[:, 0] + offset, length(offset)


def _added(
    function: ImplicitFunction,
    points: Floats,
    triangles: Ints,
    bad: Bools,
    balls: _Balls,
    spacing: float,
    within: float,
) -> Floats:
    """Return the points (k, 3) that are added in a round."""
    used = np.zeros(len(points), dtype=np.bool_)
    used[triangles] = True
    side = length(points[triangles] - points[np.roll(triangles, 1, axis=1)]).min(axis=1)
    faulty, large = bad[triangles].any(axis=1), balls.radii > _LEAST * spacing
    parts = (
        balls.radii / (_SPARSE * balls.sizes),
        balls.away / (_AIM * within),
        balls.radii / (_SKINNY * side),
    )
    excess = np.maximum.reduce(parts)
    if not ((faulty | (excess > _ENOUGH)) & large).any() and not (bad & ~used).any():
        return np.zeros((0, 3))
    wanting = (faulty | (excess > 1.0)) & large
    centres, radii = balls.centres[wanting], balls.radii[wanting]
    order = np.argsort(-excess[wanting], kind="stable")
    centres, radii = centres[order], radii[order]
    stays = thinned_rows(centres, _APART * radii)
    ringed = rings(function, points, bad & ~used, spacing)
    more: Floats = np.concatenate([centres[stays], ringed])
    return more[np.isfinite(more).all(axis=1)]
