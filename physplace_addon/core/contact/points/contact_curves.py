"""Contact curves and areas: samples for soft pairs, such as a ring on a floor or a lid on its rim.

Where the gap hardly curves along a pair (K R below SOFT), one interface point does not hold up what is a
curve in the world: the next step would turn the body through it.  Samples of the curve are therefore added to
the points.  They keep their place along the curve, are stationary across it, and are thinned to a number that
a step can carry.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from ...arrays import Bools, Ints
from ...vectors import dot
from ..body_pair import BodyPair
from ..features import FACE
from ..sidedness import on_their_sides
from .extremal_pairs import solve_extremal_pairs
from .face_seeds import FaceSeeds
from .interface_points import SOFT, InterfacePoints, spread_out

SAME = 1e-6  # of R: distance within which two points of the same features are one
_SAMPLES = 24  # of a contact curve: on a circle of radius R its chords then stay within 9e-3 R of it
_NEIGHBOURS = 3  # nearest samples that a lowest point of a curve is compared with


@dataclass(frozen=True)
class CurveSources:
    """What contact curves are sampled from: the seeds of faces over faces, and those of edges over faces."""

    faces: list[FaceSeeds]
    edges: list[InterfacePoints]


def sample_contact_curves(
    body_pair: BodyPair,
    points: InterfacePoints,
    sources: CurveSources,
    within: float,
    before: BodyPair | None,
) -> list[InterfacePoints]:
    """Return samples of the contact curves of those points that are soft, and the lowest points of each.

    Args:
        within: the largest gap of a sample, a length.
        before: a pose known to be free of overlap, which shows the sides of sheets; None at the first pose.
    """
    soft = (points.softest < SOFT / body_pair.radius) & (points.gap < within)
    if not soft.any():
        return []
    curves = points.take(soft)
    known, out = np.unique(body_pair.curve_feature(curves)), []
    for source in [seeds.points.take(seeds.over_base) for seeds in sources.faces] + sources.edges:
        source = source.take(np.isin(body_pair.curve_feature(source), known))
        if len(source):
            source = _thinned(body_pair, source)
            source = on_their_sides(before or body_pair, source, curves)
            out.append(_solved_samples(body_pair, source, within))
    samples = InterfacePoints.join([InterfacePoints.none(), *out])
    keys = body_pair.curve_feature(samples)
    out.extend(_lowest_points(body_pair, samples.take(keys == key)) for key in known.tolist())
    return out


def _lowest_points(body_pair: BodyPair, samples: InterfacePoints) -> InterfacePoints:
    """Return the extremal pairs that start at samples lower than their neighbours, now free along the curve.

    A tilted ring has two; the mesh, whose rows run across the curve, may show only one of them.
    """
    if len(samples) <= _NEIGHBOURS:
        return samples.take(slice(0, 0))
    offset = samples.point1[:, None] - samples.point1[None]
    distance = dot(offset, offset)
    np.fill_diagonal(distance, np.inf)
    nearest = np.argsort(distance, axis=1)[:, :_NEIGHBOURS]
    lower = np.nonzero((samples.gap[nearest] > samples.gap[:, None]).all(axis=1))[0]
    lowest = samples.take(lower)
    free = replace(lowest, on_curve=np.zeros(len(lowest), bool))
    solved, valid = solve_extremal_pairs(body_pair, free, known_sides=True)
    return solved.take(valid & ~solved.on_curve)


def _thinned(body_pair: BodyPair, source: InterfacePoints) -> InterfacePoints:
    """Return some of the unsolved points, spread over where they are."""
    source = source.take(_over_flat_base(body_pair, source))
    return source.take(spread_out(body_pair.first(source).geometry().point, 2 * _SAMPLES))


def _solved_samples(body_pair: BodyPair, source: InterfacePoints, within: float) -> InterfacePoints:
    """Return the samples solved on their sides, without regard to normal cones.

    No point of the body may pass a face, whether it is the lowest or not.
    """
    samples = replace(source, on_curve=np.ones(len(source), bool))
    solved, valid = solve_extremal_pairs(body_pair, samples, known_sides=True)
    near = solved.take(valid & (solved.gap < within))
    return near.take(spread_out(near.point1, _SAMPLES))


def _over_flat_base(body_pair: BodyPair, points: InterfacePoints) -> Bools:
    """Return which unsolved points (k,) stand over their base, if that is flat and so maybe a small face.

    Points over curved bases always count.
    """
    on_world = points.dim2 == FACE
    over = np.ones(len(points), bool)
    over[on_world] = ~body_pair.world.body.face_flat[points.index2[on_world]]
    over[~on_world] = ~body_pair.active.body.face_flat[points.index1[~on_world]]
    flat = np.nonzero(~over)[0]
    first, second = body_pair.evaluate(points.take(flat))
    normal = np.where(on_world[flat, None], second.normal, first.normal)
    offset = first.point - second.point
    beside = offset - dot(offset, normal)[:, None] * normal
    over[flat] = dot(beside, beside) < (SAME * body_pair.radius) ** 2
    return over


def settled_or_lowest(body_pair: BodyPair, points: InterfacePoints) -> Ints:
    """Return the rows of the settled points, and of each curve's lowest point that has not settled.

    A point that is still on its way along a soft direction is a sample like others; one a curve is enough.
    """
    unsettled = np.nonzero(points.on_curve)[0]
    unsettled = unsettled[np.argsort(points.gap[unsettled])]
    first = np.unique(body_pair.curve_feature(points.take(unsettled)), return_index=True)[1]
    return np.concatenate([np.nonzero(~points.on_curve)[0], unsettled[first]])


def lowest_released(body_pair: BodyPair, tracked: InterfacePoints, within: float) -> InterfacePoints:
    """Return the lowest tracked sample of each contact curve, solved anew, now free along the curve.

    It may lie at a minimum of its own that no seed leads to, as one of two beside each other between the same
    corners of the mesh.  within: the largest |gap| of a sample, a length.
    """
    samples = tracked.take(tracked.on_curve & (np.abs(tracked.gap) <= within))
    if len(samples) == 0:
        return samples
    samples = samples.take(np.argsort(samples.gap, kind="stable"))
    lowest = samples.take(np.unique(body_pair.curve_feature(samples), return_index=True)[1])
    free = replace(lowest, on_curve=np.zeros(len(lowest), bool))
    solved, valid = solve_extremal_pairs(body_pair, free, known_sides=True)
    return solved.take(valid & ~solved.on_curve)


def lost_samples(
    body_pair: BodyPair, tracked: InterfacePoints, found: InterfacePoints, within: float
) -> InterfacePoints:
    """Return the tracked samples of contact curves of which no point was found again.

    An old sample is better than none.  within: the largest |gap| of a sample, a length.
    """
    samples = tracked.take(tracked.on_curve & (np.abs(tracked.gap) <= within))
    if len(samples) == 0:
        return samples
    known = np.isin(body_pair.curve_feature(samples), body_pair.curve_feature(found))
    return samples.take(~known)
