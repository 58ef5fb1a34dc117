"""On which side of an open sheet something is: where it was seen at a pose free of overlap.

A closed solid's face knows its outside.  A sheet has two, and at a trial pose, where one may have run into
the other, the distance tells the wrong one; a pose known to be free of overlap tells the right one.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from ..arrays import Bools, Floats
from ..vectors import dot
from .body_pair import BodyPair
from .features import FACE
from .points.interface_points import InterfacePoints
from .points.minimization import closest_points_on_faces

_FOOT_ROUNDS = 8
_ONE_PLANE = 2e-3  # 1 - cos of the angle of faces that continue each other, one of them a step before


def on_their_sides(view: BodyPair, points: InterfacePoints, known: InterfacePoints) -> InterfacePoints:
    """Put unsolved points over faces on their sides: outside, or, of a base that does not know its outside,
    where the mover is at the pose of `view`.

    What all but touches its base there is on the side whose normal is most like that of the nearest of the
    `known` points of its feature.
    """
    side = np.ones(len(points))
    doubtful = ~view.knows_outside(points)
    for on_world in (True, False):
        over = points.dim2 == FACE if on_world else (points.dim1 == FACE) & (points.dim2 != FACE)
        rows = np.nonzero(doubtful & over)[0]
        if len(rows):
            side[rows] = sides_of_base(view, points.take(rows), on_world, known)
    return replace(points, side=side)


def sides_of_base(view: BodyPair, points: InterfacePoints, on_world: bool, known: InterfacePoints) -> Floats:
    """Return on which sides (k,) of faces of the world, or of the active body, unsolved points stand, as in
    `on_their_sides`.
    """
    first, second = view.first(points), view.second(points)
    mover, base = (first, second) if on_world else (second, first)
    at_mover = mover.geometry().point
    _, foot = closest_points_on_faces(at_mover, base, view.radius, _FOOT_ROUNDS)
    height = dot(at_mover - foot.point, foot.normal)
    near = np.nonzero(np.abs(height) <= view.sign_tolerance)[0]
    if len(near) and len(known):
        outward = foot.normal[near] if on_world else -foot.normal[near]
        offset = (at_mover if on_world else foot.point)[near][:, None] - known.point1
        distance = dot(offset, offset)
        features = view.curve_feature(points.take(near))
        distance[features[:, None] != view.curve_feature(known)] = np.inf
        nearest = np.argmin(distance, axis=1)
        told = np.isfinite(distance[np.arange(len(near)), nearest])
        height[near[told]] = dot(outward, known.normal[nearest])[told]
    return np.where(height < 0.0, -1.0, 1.0)


def turned_against_neighbours(points: InterfacePoints, known: InterfacePoints, near: float) -> Bools:
    """Tell which points (k,) of a vertex over a face look to the other side than a known one, nearer than
    `near`, of the same vertex over a face of nearly one plane: the vertex slid from one to the other.
    """
    over = (points.dim1 == FACE) != (points.dim2 == FACE)
    if not over.any() or len(known) == 0:
        return np.zeros(len(points), bool)
    on_world = points.dim2 == FACE
    mine = np.where(on_world, points.index1, points.index2)
    theirs = np.where(on_world[:, None], known.index1, known.index2)
    same = (points.dim1[:, None] == known.dim1) & (points.dim2[:, None] == known.dim2)
    same &= (mine[:, None] == theirs) & over[:, None] & (np.abs(known.gap) < near)
    against: Bools = (same & (points.normal @ known.normal.T < _ONE_PLANE - 1.0)).any(axis=1)
    return against
