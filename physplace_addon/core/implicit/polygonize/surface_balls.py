"""Surface Delaunay balls: balls about places of the surface through the corners of restricted triangles.

The dual edge of a restricted triangle meets the surface in the centre c of a ball through its corners, with
no point inside of it. Newton's steps along the dual edge find c, and halving where they fail. Where corners
have weights, c is of equal power to them, and its root is the radius.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

import numpy as np

from ...arrays import Bools, Floats, Ints
from ...vectors import cross, dot, length, length_and_unit
from ..functions.base import ImplicitFunction
from ..local_thickness import sizing_field
from ..projection import distances_within, newton_heights, traced_step
from ..surface_components.component_search import SurfaceComponents
from .restricted_delaunay import DualEdges
from .surface_points import SurfacePoints

_NUMBERS = np.int64(2_000_000)  # names that make different keys of triangles
_NEWTON = 4  # Newton steps along dual edges
_ON = 0.05  # radii of a ball: how far its centre may be from the surface
_HALVINGS = 24  # halvings of dual edges along which Newton's steps fail
# a circle of so many longest sides, or a triangle of so small a share of their squares, has a centre that is
# rounding
_FARTHEST, _NO_AREA = 1e4, 1e-9
_FLAT = 1e-20  # squares of the longest side: least square of twice the area that is divided by


@dataclass(frozen=True, eq=False)
class SurfaceBalls:
    """Surface Delaunay balls of triangles.

    Attributes:
        keys: numbers (t,) that tell triangles apart.
        centres: their centres (t, 3), on the surface.
        radii: their radii (t,), in scene units.
        sizes: the sizing field there (t,), in scene units.
        off: how far the triangles are from the surface (t,) at their own centres and the middles of their
            edges, to first order, in scene units.
        away: how far they are from the surface (t,) there and at the centres of the balls, in scene units.
    """

    keys: Ints
    centres: Floats
    radii: Floats
    sizes: Floats
    off: Floats
    away: Floats


def surface_balls(
    function: ImplicitFunction,
    points: SurfacePoints,
    found: DualEdges,
    spacing: float,
    components: SurfaceComponents,
    known: SurfaceBalls | None,
) -> SurfaceBalls:
    """Return the balls (t,) of triangles; those that are known already are not computed again."""
    names = np.sort(points.names[found.triangles], axis=1)
    keys = (names[:, 0] * _NUMBERS + names[:, 1]) * _NUMBERS + names[:, 2]
    count = len(keys)
    centres, sizes, off = np.zeros((count, 3)), np.zeros(count), np.zeros(count)
    new = np.ones(count, dtype=np.bool_)
    if known is not None and len(known.keys):
        order = np.argsort(known.keys)
        place = np.minimum(np.searchsorted(known.keys, keys, sorter=order), len(order) - 1)
        same = order[place]
        new = known.keys[same] != keys
        stays = same[~new]
        centres[~new], sizes[~new], off[~new] = known.centres[stays], known.sizes[stays], known.off[stays]
    rows = np.flatnonzero(new)
    centres[rows] = _centres(function, points, found, rows, components)
    sizes[rows] = sizing_field(function, centres[rows], spacing)
    weights = points.weights[found.triangles]
    corners = points.places[found.triangles]
    off[rows] = _off(function, corners[rows])
    flat, first = _circumcentres(corners, weights), corners[:, 0]
    rounding = _is_rounding(corners, length(flat - first))
    flat[rounding] = centres[rounding]
    squares = (dot(centre - first, centre - first) - weights[:, 0] for centre in (centres, flat))
    radii = np.sqrt(np.maximum(np.maximum(*squares), 0.0))
    away = np.maximum(length(flat - centres), np.where(np.isnan(off), radii, off))
    return SurfaceBalls(keys, centres, radii, sizes, off, away)


def _off(function: ImplicitFunction, corners: Floats) -> Floats:
    """Return how far triangles (t, 3, 3) are from the surface (t,), at centres and midpoints of edges."""
    middles = 0.5 * (corners + np.roll(corners, 1, axis=1))
    places = np.concatenate([middles, corners.mean(axis=1, keepdims=True)], axis=1)
    away = distances_within(function, places.reshape(-1, 3), np.repeat(corners, 4, axis=0))
    return np.asarray(away.reshape(-1, 4).max(axis=1))


def _centres(
    function: ImplicitFunction,
    points: SurfacePoints,
    found: DualEdges,
    rows: Ints,
    components: SurfaceComponents,
) -> Floats:
    """Return where the dual edges of triangles (k,) meet the surface (k, 3)."""
    corners = points.places[found.triangles[rows]]
    flat = _circumcentres(corners, points.weights[found.triangles[rows]])
    radius = length(flat - corners[:, 0])
    inner, outer = found.inner[rows], found.outer[rows]
    way = length_and_unit(outer - inner)[1]
    low, high = dot(inner - flat, way), dot(outer - flat, way)
    height = np.clip(0.0, low, high)
    for _ in range(_NEWTON):
        step = newton_heights(*function.gradient(flat + height[:, None] * way), way)
        height = np.clip(height + np.where(np.isfinite(step), step, 0.0), low, high)
    centres = flat + height[:, None] * way
    value, gradient = function.gradient(centres)
    lost = ~(np.abs(value) <= _ON * radius * length(gradient)) | _is_rounding(corners, radius)
    if lost.any():
        centres[lost] = _halved(function, found, rows[lost], components)
    return traced_step(function, centres, 0.1 * length(centres - corners[:, 0]), 2)[0]


def _is_rounding(corners: Floats, radius: Floats) -> Bools:
    """Return of which triangles (t, 3, 3) a centre so far (t,) from the first corner is rounding."""
    side = length(corners - np.roll(corners, 1, axis=1)).max(axis=1)
    area = 0.5 * length(cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0]))
    return np.asarray((radius > _FARTHEST * side) | (area <= _NO_AREA * side**2))


def _halved(
    function: ImplicitFunction, found: DualEdges, rows: Ints, components: SurfaceComponents
) -> Floats:
    """Return where dual edges (k,) cross the surface (k, 3), by halving.

    By the sign of F alone first: where that ends on another component, by what their own encloses, which
    takes much longer to tell.
    """
    inner, outer, part = found.inner[rows], found.outer[rows], found.part[rows]
    below = function.value(inner) < 0.0
    centres = _halved_by(lambda places: (function.value(places) < 0.0) == below, inner, outer)
    if len(components) > 1 and components.proven:
        wrong = ((function.value(outer) < 0.0) == below) | (components.numbers_of(centres) != part)
        for own in np.unique(part[wrong]).tolist():
            on = np.flatnonzero(wrong & (part == own))
            centres[on] = _halved_by(partial(components.within, own), inner[on], outer[on])
    return centres


def _halved_by(is_inner: Callable[[Floats], Bools], inner: Floats, outer: Floats) -> Floats:
    """Return places (k, 3) between inner and outer ones (k, 3) where it changes which of both they are."""
    for _ in range(_HALVINGS if len(inner) else 0):
        middle = 0.5 * (inner + outer)
        own = is_inner(middle)[:, None]
        inner, outer = np.where(own, middle, inner), np.where(own, outer, middle)
    return 0.5 * (inner + outer)


def _circumcentres(corners: Floats, weights: Floats) -> Floats:
    """Return the centres (t, 3) of equal power to the corners of triangles (t, 3, 3) with weights (t, 3).

    Those of triangles without an area are far away, but numbers.
    """
    b, c = corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0]
    bb, bc, cc = dot(b, b), dot(b, c), dot(c, c)
    own_b, own_c = bb - weights[:, 1] + weights[:, 0], cc - weights[:, 2] + weights[:, 0]
    twice = 2.0 * np.maximum(
        bb * cc - bc * bc, np.maximum(_FLAT * np.maximum(bb, cc) ** 2, np.finfo(np.float64).tiny)
    )
    along_b, along_c = (cc * own_b - bc * own_c) / twice, (bb * own_c - bc * own_b) / twice
    return np.asarray(corners[:, 0] + along_b[:, None] * b + along_c[:, None] * c)
