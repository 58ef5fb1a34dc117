"""The boundary complex of a profile turned about the z axis.

The profile is a chain of smooth runs.  Each run sweeps one face; a corner between runs, or a free end,
sweeps a rim edge; an end on the axis that is not horizontal is an apex, any other end on the axis a smooth
pole.  The chain encloses a solid if it is a ring or has both ends on the axis; it is then turned so that
the solid lies on its left.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ..arrays import Floats
from .circle import Circles
from .complexes import CONE_SAMPLES, Complex
from .profiles import Profile
from .quadrature import revolution_mass
from .revolution import Revolution
from .tessellation import EdgeSide, VertexCorner

_HORIZONTAL = 1e-9


_NONE = -1


@dataclass(frozen=True)
class _Corner:
    """A rim: the run that ends there and the run that starts there, `_NONE` where there is none."""

    before: int
    after: int


def revolve(kind: str, runs: Sequence[Profile], ring: bool = False) -> Complex:
    """Return the complex of smooth runs (the solid on their left) that follow one another end to end.

    `ring`: the last run ends where the first starts; a single periodic run has no corner at all.
    """
    faces = tuple(Revolution(run) for run in runs)
    closed = ring or (faces[0].collapsed[2] and faces[-1].collapsed[3])
    corners = _corners(faces, ring)
    apexes = [_apex(runs, face, upper) for face, upper in _tips(faces, runs)]
    size = _half_diagonal(runs)
    return Complex(
        kind,
        faces,
        (_rims(runs, corners),) if corners else (),
        tuple(_edge_side(corner) for corner in corners),
        np.array([point for point, _ in apexes]).reshape(-1, 3),
        tuple(cone for _, cone in apexes),
        tuple(VertexCorner(face, False, upper) for face, upper in _tips(faces, runs)),
        closed,
        revolution_mass(runs, closed),
        size,
    )


def _corners(faces: Sequence[Revolution], ring: bool) -> list[_Corner]:
    last = len(faces) - 1
    inner = [_Corner(i, i + 1) for i in range(last)]
    if ring:
        return inner if faces[0].profile.domain.periodic else [*inner, _Corner(last, 0)]
    first = [] if faces[0].collapsed[2] else [_Corner(_NONE, 0)]
    return [*first, *inner, *([] if faces[last].collapsed[3] else [_Corner(last, _NONE)])]


def _edge_side(corner: _Corner) -> EdgeSide:
    return EdgeSide(corner.after, 2) if corner.before == _NONE else EdgeSide(corner.before, 3)


def _rims(runs: Sequence[Profile], corners: Sequence[_Corner]) -> Circles:
    inward = np.full((len(corners), 2, 2), np.nan)
    places = np.empty((len(corners), 2))
    for i, corner in enumerate(corners):
        if corner.before != _NONE:
            places[i], tangent = runs[corner.before].end(upper=True)
            inward[i, 0] = -tangent
        if corner.after != _NONE:
            places[i], inward[i, 1] = runs[corner.after].end(upper=False)
    return Circles(places[:, 0], places[:, 1], inward)


def _tips(faces: Sequence[Revolution], runs: Sequence[Profile]) -> list[tuple[int, bool]]:
    """Faces, and which end of their v, that meet the axis in an apex."""
    ends = [(0, False), (len(faces) - 1, True)]
    on_axis = [(face, upper) for face, upper in ends if faces[face].collapsed[3 if upper else 2]]
    return [(face, upper) for face, upper in on_axis if abs(runs[face].end(upper)[1][1]) > _HORIZONTAL]


def _apex(runs: Sequence[Profile], face: int, upper: bool) -> tuple[Floats, Floats]:
    """Return the apex (3,) and directions (32, 3) down its cone."""
    at, tangent = runs[face].end(upper)
    radial, axial = -tangent if upper else tangent
    u = 2.0 * math.pi * np.arange(CONE_SAMPLES) / CONE_SAMPLES
    cone = np.column_stack([radial * np.cos(u), radial * np.sin(u), np.full(CONE_SAMPLES, axial)])
    return np.array([0.0, 0.0, at[1]]), cone


def _half_diagonal(runs: Sequence[Profile]) -> float:
    samples = [run.evaluate(np.linspace(run.domain.lower, run.domain.upper, 65)) for run in runs]
    radius = max(float(p.r.max()) for p in samples)
    z = np.concatenate([p.z for p in samples])
    return math.hypot(math.sqrt(2.0) * radius, 0.5 * float(np.ptp(z)))
