"""Contact curves: samples for pairs that are soft, as a ring on a floor or a lid on its rim (DESIGN section
3).

Where the gap hardly curves along the pair, one point does not hold up what is a curve in the world: the next
step would turn the body through it.  Samples around the curve are held where they are along it, stationary
across it, and thinned.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from ..arrays import Bools, Floats, Ints
from .encounter import Encounter
from .features import EDGE, FACE, FeatureGeometry, dot
from .linearization import SOFT
from .points import InterfacePoints, spread_out
from .relaxation import relax_on_face
from .seeds import Samples
from .solving import solve_points

SAME = 1e-6  # distance / R within which two points of the same features are one
_FOOT_ROUNDS = 8
_SAMPLES = 24  # points that a contact curve is given
_NEIGHBOURS = 3  # samples nearest to one of them


@dataclass(frozen=True)
class Candidates:
    """What contact curves are sampled from: faces' samples and edges' starts."""

    faces: list[Samples]
    edges: list[InterfacePoints]


def spread(
    encounter: Encounter,
    points: InterfacePoints,
    candidates: Candidates,
    within: float,
    before: Encounter | None,
) -> list[InterfacePoints]:
    """Sample the soft ones of points, from the candidates with a gap below `within` (a length).

    before: a pose known to be free of overlap, where sheets show their sides; None: this is the first.
    """
    soft = (points.softest < SOFT / encounter.radius) & (points.gap < within)
    if not soft.any():
        return []
    curves = points.take(soft)
    features = sampled_feature(encounter, curves)
    known, out = set(features), []
    for source in [samples.points.take(samples.footed) for samples in candidates.faces] + candidates.edges:
        keys = sampled_feature(encounter, source)
        rows = [row for row, key in enumerate(keys) if key in known]
        if rows:
            source = source.take(np.array(rows))
            side = _sides(before or encounter, source, curves, features)
            samples = _samples_near(encounter, replace(source, side=side), within)
            out.extend([samples, _floors(encounter, samples)])
    return out


def _sides(
    view: Encounter, source: InterfacePoints, curves: InterfacePoints, features: list[tuple[bool, int, int]]
) -> Floats:
    """Tell on which side of its base each sample (k,) is: outside, or, of a base that does not know its
    outside, where it is seen from a pose free of overlap.
    """
    side = np.ones(len(source))
    doubtful = ~view.knows_outside(source)
    for on_world in (True, False):
        rows = np.nonzero(doubtful & ((source.dim2 == FACE) == on_world))[0]
        if len(rows):
            side[rows] = _sides_by_height(view, source.take(rows), on_world, curves, features)
    return side


def _sides_by_height(
    view: Encounter,
    source: InterfacePoints,
    on_world: bool,
    curves: InterfacePoints,
    features: list[tuple[bool, int, int]],
) -> Floats:
    """The side is that of the height over the foot; a sample that all but touches is on the side whose normal
    is most like that of the nearest soft pair of its feature.
    """
    first, second = view.first(source), view.second(source)
    mover, base = (first, second) if on_world else (second, first)
    ones, held = np.ones(len(source)), np.ones(len(source), bool)
    foot = relax_on_face(mover, base, ones, held, view.radius, np.inf, rounds=_FOOT_ROUNDS)
    height = dot(foot.at_first.point - foot.at_second.point, foot.at_second.normal)
    outward = foot.at_second.normal if on_world else -foot.at_second.normal
    offset = first.geometry().point[:, None] - curves.point1[None]
    distance = dot(offset, offset)
    for row, key in enumerate(sampled_feature(view, source)):
        distance[row, [key != other for other in features]] = np.inf
    towards = curves.normal[np.argmin(distance, axis=1)]
    sign = np.where(np.abs(height) > view.sure, height, dot(outward, towards))
    return np.where(sign < 0.0, -1.0, 1.0)


def _floors(encounter: Encounter, samples: InterfacePoints) -> InterfacePoints:
    """The lowest points of a contact curve: samples lower than their neighbours, let go along it.

    A tilted ring has two; the mesh, whose rows run across the curve, may show one of them only.
    """
    if len(samples) <= _NEIGHBOURS:
        return samples.take(slice(0, 0))
    offset = samples.point1[:, None] - samples.point1[None]
    distance = dot(offset, offset)
    np.fill_diagonal(distance, np.inf)
    nearest = np.argsort(distance, axis=1)[:, :_NEIGHBOURS]
    lower = np.nonzero((samples.gap[nearest] > samples.gap[:, None]).all(axis=1))[0]
    lowest = samples.take(lower)
    free = replace(lowest, held=np.zeros(len(lowest), bool))
    solved, valid = solve_points(encounter, free, known_sides=True)
    return solved.take(valid & ~solved.held)


def _samples_near(encounter: Encounter, source: InterfacePoints, within: float) -> InterfacePoints:
    """Hold samples where they are, on their sides of their bases.

    They need no normal cone: no point of the body may pass a face, lowest or not.
    """
    first, second = encounter.evaluate(source)
    on_world = source.dim2 == FACE
    held = replace(source, held=np.ones(len(source), bool))
    rows = np.nonzero(_over_flat_base(encounter, first, second, on_world))[0]
    held = held.take(rows[spread_out(first.point[rows], 2 * _SAMPLES)])
    solved, valid = solve_points(encounter, held, known_sides=True)
    near = solved.take(valid & (solved.gap < within))
    return near.take(spread_out(near.point1, _SAMPLES))


def _over_flat_base(
    encounter: Encounter, first: FeatureGeometry, second: FeatureGeometry, on_world: Bools
) -> Bools:
    """Tell which unsolved points stand over their base, where that is flat and so may be one of many small
    faces.
    """
    base_normal = np.where(on_world[:, None], second.normal, first.normal)
    offset = first.point - second.point
    beside = offset - dot(offset, base_normal)[:, None] * base_normal
    curved = np.where(on_world[:, None, None], second.curvature, first.curvature).any(axis=(1, 2))
    return curved | (dot(beside, beside) < (SAME * encounter.radius) ** 2)


def settled_or_lowest(encounter: Encounter, points: InterfacePoints) -> Ints:
    """Return the rows of the settled points and, of those still under way along a soft direction, of the
    lowest of each feature: the samples stand for the rest.
    """
    rows = np.nonzero(~points.held)[0].tolist()
    lowest: dict[tuple[bool, int, int], int] = {}
    for row in np.nonzero(points.held)[0][np.argsort(points.gap[points.held])].tolist():
        lowest.setdefault(sampled_feature(encounter, points.take(slice(row, row + 1)))[0], row)
    return np.array(rows + list(lowest.values()), dtype=np.intp)


def lost_samples(
    encounter: Encounter, tracked: InterfacePoints, found: InterfacePoints, within: float
) -> InterfacePoints:
    """Return the tracked samples of contact curves of which nothing was found again: better an old sample
    than none.
    """
    samples = tracked.take(tracked.held & (np.abs(tracked.gap) <= within))
    known = set(sampled_feature(encounter, found))
    rows = [row for row, key in enumerate(sampled_feature(encounter, samples)) if key not in known]
    return samples.take(np.array(rows, dtype=np.intp))


def sampled_feature(encounter: Encounter, points: InterfacePoints) -> list[tuple[bool, int, int]]:
    """Name the feature along which each point's contact curve runs, as (is the active body's, dimension,
    index): the edge if there is one, else the face that is not flat.  Its partner may change on the way, as
    triangles of a floor do.
    """
    flat1 = np.zeros(len(points), bool)
    faces = points.dim1 == FACE
    flat1[faces] = encounter.active.body.face_flat[points.index1[faces]]
    on_active = (points.dim1 == EDGE) | ((points.dim2 == FACE) & ~flat1)
    dim, index = (
        np.where(on_active, points.dim1, points.dim2),
        np.where(on_active, points.index1, points.index2),
    )
    return list(zip(on_active.tolist(), dim.tolist(), index.tolist(), strict=True))
