"""Local thickness: how far the other side of a body, or the next one, is from a point of its surface.

A surface is sampled well enough for a mesh where points are nearer to each other than they are to another
part of the surface (the local feature size of Amenta and Bern 1999). Between two parallel sheets t apart, a
triangle whose circumcircle has the radius r < t has its dual edge cross one of them only. From each point the
line along the normal is followed both ways. F is taken at distances that grow by a factor, by a greater one
next to the point, where only little room is left for a gap or a body. Between the first two of different sign
the crossing is bisected. So a gap is passed over that is less wide than the nearest distance, or that begins
and ends, with the body beyond it, between two distances.
"""

from __future__ import annotations

import numpy as np

from ..arrays import Bools, Floats
from ..vectors import directions_across, length_and_unit
from .functions.base import ImplicitFunction
from .sizing_field import greatest_curvature

_GROWTH = 1.35  # factor from one distance to the next
_NEAR = 1.0 / 256.0  # share of the farthest distance from which on distances grow by that factor
_NEARER = 4.0  # factor of the distances before it
_NEAREST = 1.0 / 4096.0  # share of the farthest distance at which F is taken first
_HALVINGS = 4  # of the step that holds the crossing: known to 2 % of its distance then, or 19 % of a near one
_TURN = 0.9  # radians that the normal turns from sample to sample at most
_SHARE = 0.75  # share of the local thickness that samples are apart at most
# spacings: where the body is thinner than this, as in a wedge beside a crease, samples come no nearer for it
THINNEST = 1.0 / 40.0
_LEAST = 1.0 / 400.0  # spacings: the sizing field is no smaller
_ACROSS = np.arange(1.0, 9.0) / 8.0  # shares of the width of a slit at which F is taken
_TILT = np.radians(18.0)  # from the normal, of rays that meet the sides of a slit from its rounded bottom
_TURNS = np.linspace(0.0, 2.0 * np.pi, 8, endpoint=False)  # about the normal, of such rays, in radians
_BLOCK = 200_000  # places at which F is evaluated at once


def local_thickness(function: ImplicitFunction, points: Floats, farthest: float) -> Floats:
    """Return how far points (n, 3) of the surface are from it along their normals, inwards or outwards (n,).

    Args:
        function: F.
        points: on the surface, in scene units.
        farthest: the distance that is returned where the surface is not met before it, in scene units.
    """
    return places_across(function, points, farthest)[1]


def places_across(function: ImplicitFunction, points: Floats, farthest: float) -> tuple[Floats, Floats]:
    """Return the places (n, 3) of the surface that points (n, 3) of it face along their normals, inwards or
    outwards, whichever is nearer, and how far they are (n,); where none is met, places that are the farthest
    distance away, in scene units.
    """
    distances = _distances(farthest)
    found, ways = np.full(len(points), farthest), np.zeros(points.shape)
    rows = max(1, _BLOCK // len(distances))
    for start in range(0, len(points), rows):
        own = slice(start, start + rows)
        normals = length_and_unit(function.gradient(points[own])[1])[1]
        ways[own] = normals
        for side in (-1.0, 1.0):
            met = _first_crossing(function, points[own], side * normals, distances)
            nearer = met < found[own]
            found[own] = np.where(nearer, met, found[own])
            ways[own] = np.where(nearer[:, None], side * normals, ways[own])
    return points + found[:, None] * ways, found


def clear_distances(
    function: ImplicitFunction, points: Floats, directions: Floats, farthest: float
) -> Floats:
    """Return how far points (n, 3) of the surface are from it along unit directions (n, k, 3), the nearest of
    these (n,); the farthest distance where it is not met, in scene units.
    """
    starts = np.repeat(points, directions.shape[1], axis=0)
    met = _first_crossing(function, starts, directions.reshape(-1, 3), _distances(farthest))
    return np.asarray(met.reshape(directions.shape[:2]).min(axis=1))


def _distances(farthest: float) -> Floats:
    """Return the distances (d,) at which F is taken, up to the farthest one, in scene units."""
    few = round(np.log(_NEAR / _NEAREST) / np.log(_NEARER))
    count = int(np.ceil(np.log(1.0 / _NEAR) / np.log(_GROWTH))) + 1
    near = np.geomspace(_NEAREST, _NEAR, few, endpoint=False)
    return farthest * np.concatenate([near, np.geomspace(_NEAR, 1.0, count)])


def in_slits(function: ImplicitFunction, points: Floats, width: float) -> Bools:
    """Return which points (n, 3) of the surface are in slits outside the body: they face another side of it
    that is no farther than a width, in scene units, or are on the rounded bottom of one narrower than 36
    degrees.

    Between parallel sides 2 r apart the bottom has the radius r, and a ray at an angle a to its normal meets
    a side r / sin a away: where the surface bends less than sin a / width, none is near enough.
    """
    normals = length_and_unit(function.gradient(points)[1])[1]
    met = _is_met(function, points, width * normals)
    bent = np.flatnonzero(~met)
    bent = bent[greatest_curvature(function, points[bent]) * width > np.sin(_TILT)]
    first, second = np.moveaxis(directions_across(normals[bent]), 1, 0)
    for turn in _TURNS:
        way = np.cos(turn) * first + np.sin(turn) * second
        met[bent] |= _is_met(
            function, points[bent], width * (np.cos(_TILT) * normals[bent] + np.sin(_TILT) * way)
        )
    return met


def _is_met(function: ImplicitFunction, points: Floats, ways: Floats) -> Bools:
    """Return from which points (n, 3) the ways (n, 3) lead into the body."""
    places = points[:, None] + _ACROSS[:, None] * ways[:, None]
    inside = (function.value(places.reshape(-1, 3)) < 0.0).reshape(len(points), len(_ACROSS))
    return np.asarray(inside.any(axis=1))


def _first_crossing(
    function: ImplicitFunction, points: Floats, directions: Floats, distances: Floats
) -> Floats:
    """Return how far points (n, 3) are from the surface along directions (n, 3); the last of the distances
    (d,) where it is not met.
    """
    places = points[:, None] + distances[:, None] * directions[:, None]
    inside = (function.value(places.reshape(-1, 3)) < 0.0).reshape(places.shape[:2])
    changed = inside[:, 1:] != inside[:, :-1]
    met = np.flatnonzero(changed.any(axis=1))
    step = np.argmax(changed[met], axis=1)
    near, far, before = distances[step], distances[step + 1], inside[met, step]
    for _ in range(_HALVINGS):
        middle = 0.5 * (near + far)
        same = (function.value(points[met] + middle[:, None] * directions[met]) < 0.0) == before
        near, far = np.where(same, middle, near), np.where(same, far, middle)
    found = np.full(len(points), distances[-1])
    found[met] = near
    return found


def sizing_field(function: ImplicitFunction, points: Floats, spacing: float) -> Floats:
    """Return how far apart samples shall be about points (n, 3) of the surface (n,), in scene units.

    It is the spacing, less where the normal would turn too far from sample to sample or the body is thin.
    """
    bend = np.maximum(greatest_curvature(function, points), _TURN / spacing)
    thick = np.maximum(_SHARE * local_thickness(function, points, spacing / _SHARE), THINNEST * spacing)
    return np.asarray(np.maximum(np.minimum(_TURN / bend, thick), _LEAST * spacing))
