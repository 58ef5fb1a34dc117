"""Contact curves: samples for pairs that are soft, as a ring on a floor or a lid on its rim (DESIGN section
3).

Where the gap hardly curves along the pair, one point does not hold up what is a curve in the world: the next
step would turn the body through it.  Samples around the curve are held where they are along it, stationary
across it, and thinned.
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
from .interface_points import InterfacePoints, spread_out
from .linearization import SOFT

SAME = 1e-6  # distance / R within which two points of the same features are one
_SAMPLES = 24  # points that a contact curve is given
_NEIGHBOURS = 3  # samples nearest to one of them


@dataclass(frozen=True)
class CurveSources:
    """What contact curves are sampled from: faces' samples and edges' starts."""

    faces: list[FaceSeeds]
    edges: list[InterfacePoints]


def sample_contact_curves(
    body_pair: BodyPair,
    points: InterfacePoints,
    candidates: CurveSources,
    within: float,
    before: BodyPair | None,
) -> list[InterfacePoints]:
    """Sample the soft ones of points, from the candidates with a gap below `within` (a length).

    before: a pose known to be free of overlap, where sheets show their sides; None: this is the first.
    """
    soft = (points.softest < SOFT / body_pair.radius) & (points.gap < within)
    if not soft.any():
        return []
    curves = points.take(soft)
    known, out = np.unique(body_pair.curve_feature(curves)), []
    for source in [samples.points.take(samples.footed) for samples in candidates.faces] + candidates.edges:
        source = source.take(np.isin(body_pair.curve_feature(source), known))
        if len(source):
            source = _thinned(body_pair, source)
            source = on_their_sides(before or body_pair, source, curves)
            out.append(_held(body_pair, source, within))
    samples = InterfacePoints.join([InterfacePoints.none(), *out])
    keys = body_pair.curve_feature(samples)
    out.extend(_floors(body_pair, samples.take(keys == key)) for key in known.tolist())
    return out


def _floors(body_pair: BodyPair, samples: InterfacePoints) -> InterfacePoints:
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
    free = replace(lowest, on_curve=np.zeros(len(lowest), bool))
    solved, valid = solve_extremal_pairs(body_pair, free, known_sides=True)
    return solved.take(valid & ~solved.on_curve)


def _thinned(body_pair: BodyPair, source: InterfacePoints) -> InterfacePoints:
    """Choose some of the unsolved points, all over where they are."""
    source = source.take(_over_flat_base(body_pair, source))
    return source.take(spread_out(body_pair.first(source).geometry().point, 2 * _SAMPLES))


def _held(body_pair: BodyPair, source: InterfacePoints, within: float) -> InterfacePoints:
    """Hold samples where they are, on their sides of their bases.

    They need no normal cone: no point of the body may pass a face, lowest or not.
    """
    held = replace(source, on_curve=np.ones(len(source), bool))
    solved, valid = solve_extremal_pairs(body_pair, held, known_sides=True)
    near = solved.take(valid & (solved.gap < within))
    return near.take(spread_out(near.point1, _SAMPLES))


def _over_flat_base(body_pair: BodyPair, points: InterfacePoints) -> Bools:
    """Tell which unsolved points stand over their base, where that is flat and so may be one of many small
    faces.
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
    """Return the rows of the settled points and, of those still under way along a soft direction, of the
    lowest of each feature: the samples stand for the rest.
    """
    held = np.nonzero(points.on_curve)[0]
    held = held[np.argsort(points.gap[held])]
    lowest = held[np.unique(body_pair.curve_feature(points.take(held)), return_index=True)[1]]
    return np.concatenate([np.nonzero(~points.on_curve)[0], lowest])


def lost_samples(
    body_pair: BodyPair, tracked: InterfacePoints, found: InterfacePoints, within: float
) -> InterfacePoints:
    """Return the tracked samples of contact curves of which nothing was found again: better an old sample
    than none.
    """
    samples = tracked.take(tracked.on_curve & (np.abs(tracked.gap) <= within))
    known = np.isin(body_pair.curve_feature(samples), body_pair.curve_feature(found))
    return samples.take(~known)
