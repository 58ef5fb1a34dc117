"""Smooth profile runs from what an artist draws: points through which a spline goes, or Bezier pieces.

A profile becomes a chain of Bezier pieces (m, p + 1, 2) in (r, z), of degree three or more, with weights
where they are rational, and corners where the tangent turns by more than `CORNER_ANGLE`.  Smaller turns, such
as single precision leaves in a smooth curve, are taken out: both handles are laid on their mean direction, an
end on the axis on the horizontal, so that every run is truly smooth.  A chain that encloses a solid is turned
so that the solid lies on its left, whichever way it was drawn.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import pairwise
from typing import Literal

import numpy as np
from scipy.interpolate import CubicSpline
from scipy.special import roots_legendre

from ...arrays import Bools, Floats, Ints
from ...errors import SurfaceError
from ..bernstein import CUBIC
from ..rational import homogeneous
from .cubics import bezier_of_hermite, chord_knots
from .piecewise import PiecewiseBezier
from .profiles import BezierProfile, LineProfile, Profile
from .rational import piecewise_bezier

KIND, PROPERTY = "revolution", "profile"  # the names of the kind and of the property in errors
# Largest turn of the tangent, radians, that counts as smooth: a tenth of a degree, far above what single
# precision leaves in handles.
CORNER_ANGLE = 2e-3
# Largest r, over the extent of the profile, of a point that counts as on the axis: some ten steps of single
# precision.
_ON_AXIS = 1e-6
# Largest distance of handles from the chord, over its length, of a piece that counts as straight.
_STRAIGHT = 1e-12
# Least speed, and least area enclosed, over the size of the profile: below it stands still, or encloses
# nothing.
_STOPPED = 1e-6
# Gauss-Legendre nodes of a piece for the area on its left: exact for polynomial pieces up to degree 16.
_NODES = 16


@dataclass(frozen=True, eq=False)
class ProfileChain:
    """Bezier pieces end to end.

    control (m, p + 1, 2) in (r, z), scene units; corner (m + 1,): which joints and ends are corners; ring:
    whether it closes; weights (m, p + 1) where the pieces are rational.
    """

    control: Floats
    corner: Bools
    ring: bool
    weights: Floats | None = None

    @property
    def size(self) -> float:
        """Half the diagonal of the control points' box, scene units."""
        return 0.5 * float(np.linalg.norm(np.ptp(self.control.reshape(-1, 2), axis=0)))

    @property
    def solid(self) -> bool:
        """Whether it encloses a solid: a ring, or both ends on the axis."""
        return self.ring or bool(self.control[0, 0, 0] == 0.0 and self.control[-1, -1, 0] == 0.0)

    def curve(self, start: int, stop: int, knots: Floats) -> PiecewiseBezier:
        """Return the pieces from start to before stop as a curve over knots."""
        control = self.control[start:stop]
        if self.weights is not None:
            control = homogeneous(control, self.weights[start:stop])
        return piecewise_bezier(control, knots, 2)

    def rolled(self, start: int) -> ProfileChain:
        """Return the ring that begins with another piece."""
        corner = np.roll(self.corner[:-1], -start)
        weights = None if self.weights is None else np.roll(self.weights, -start, axis=0)
        control = np.roll(self.control, -start, axis=0)
        return ProfileChain(control, np.append(corner, corner[0]), self.ring, weights)

    def backwards(self) -> ProfileChain:
        """Return the chain run through the other way."""
        weights = None if self.weights is None else self.weights[::-1, ::-1]
        return ProfileChain(self.control[::-1, ::-1].copy(), self.corner[::-1].copy(), self.ring, weights)


def spline_chain(points: Floats, sharp: Bools, ring: bool) -> ProfileChain:
    """Return the C2 cubic spline through points (n, 2), broken at the sharp ones (n,), by chord length.

    An end on the axis that is not sharp becomes a smooth pole; other free ends have no curvature.

    Raises:
        SurfaceError: where two successive points coincide.
    """
    tolerance = _ON_AXIS * float(np.ptp(points, axis=0).max())
    points = np.where(np.abs(points) <= [tolerance, 0.0], 0.0, points)
    if ring:
        points, sharp, ring = _opened_at_axis(points, sharp)
    if ring:
        points, sharp = _closed_up(points, sharp)
    stops = np.flatnonzero(np.concatenate([[True], sharp[1:-1], [True]]))
    periodic = ring and not sharp[0]
    runs = [_spline(points[a : b + 1], sharp[[a, b]], periodic) for a, b in pairwise(stops.tolist())]
    corner = sharp.copy()
    corner[[0, -1]] = not periodic
    return ProfileChain(np.concatenate(runs), corner, ring)


def _opened_at_axis(points: Floats, sharp: Bools) -> tuple[Floats, Bools, bool]:
    """Return a ring that runs along the axis opened there: it stands for the outline of a solid."""
    on = points[:, 0] == 0.0
    before, after = np.roll(on, 1), np.roll(on, -1)
    leaves = on & before & ~after
    if not leaves.any():
        return points, sharp, True
    order = np.roll(np.arange(len(points)), -int(np.argmax(leaves)))
    kept = order[~(on & before & after)[order]]
    return points[kept], sharp[kept], False


def _off_axis(along: Bools, ring: bool) -> Ints:
    """Return the pieces (in order) that do not run along the axis, which must be one stretch of the chain."""
    start = int(np.argmax(~along & np.roll(along, 1))) if ring else 0
    order = np.roll(np.arange(len(along)), -start)
    kept = np.flatnonzero(~along[order])
    if len(kept) == 0:
        raise SurfaceError(KIND, PROPERTY, "lies on the axis", "draw the outline beside it")
    if kept[-1] - kept[0] + 1 != len(kept):
        raise SurfaceError(KIND, PROPERTY, "touches the axis between its ends", "let only its ends lie on it")
    return order[kept]


def _closed_up(points: Floats, sharp: Bools) -> tuple[Floats, Bools]:
    """Return a ring with its first point repeated at its end, starting at a sharp one if there is any."""
    start = int(np.argmax(sharp))
    order = np.append(np.roll(np.arange(len(points)), -start), start)
    return points[order], sharp[order]


def _spline(points: Floats, sharp: Bools, periodic: bool) -> Floats:
    """Return Bezier pieces (m, 4, 2) of one smooth run."""
    knots = chord_knots(points)
    if np.any(np.diff(knots) <= 0.0):
        raise SurfaceError(KIND, PROPERTY, "two successive points coincide", "remove one of them")
    if periodic:
        return bezier_of_hermite(points, CubicSpline(knots, points, bc_type="periodic")(knots, 1), knots)
    outward, inward = _end_condition(points[0], sharp[0], 1.0), _end_condition(points[-1], sharp[1], -1.0)
    slopes = CubicSpline(knots, points, bc_type=(outward, inward))(knots, 1)
    return bezier_of_hermite(points, slopes, knots)


def _end_condition(point: Floats, sharp: bool, sign: float) -> tuple[Literal[1, 2], Floats]:
    pole = point[0] == 0.0 and not sharp
    return (1, np.array([sign, 0.0])) if pole else (2, np.zeros(2))


def bezier_chain(control: Floats, ring: bool, weights: Floats | None = None) -> ProfileChain:
    """Return the chain of Bezier pieces (m, p + 1, 2), with nearly smooth joints made smooth.

    Args:
        control: the control points (m, p + 1, 2), as (r, z) in scene units.
        ring: whether the last piece ends where the first starts.
        weights: (m, p + 1) of rational pieces.

    Raises:
        SurfaceError: where points coincide, handles have no length, or the profile lies on the axis.
    """
    control = control.copy()
    control[1:, 0] = control[:-1, -1]
    if ring:
        control[-1, -1] = control[0, 0]
    tolerance = _ON_AXIS * float(np.ptp(control[..., 0]) + np.ptp(control[..., 1]))
    ends = control[:, [0, -1], 0]
    control[:, [0, -1], 0] = np.where(np.abs(ends) <= tolerance, 0.0, ends)
    along_axis: Bools = np.max(np.abs(control[:, :, 0]), axis=1) <= tolerance
    if along_axis.any():
        kept = _off_axis(along_axis, ring)
        control, ring, weights = control[kept], False, None if weights is None else weights[kept]
    _give_straight_pieces_handles(control)
    corner = np.ones(len(control) + 1, dtype=np.bool_)
    for joint in range(len(control)) if ring else range(1, len(control)):
        corner[joint] = _sharp_after_smoothing(control, joint - 1, joint)
    if ring:
        corner[-1] = corner[0]
        return ProfileChain(control, corner, ring, weights).rolled(int(np.argmax(corner[:-1])))
    _lay_poles_flat(control)
    return ProfileChain(control, corner, ring, weights)


def _give_straight_pieces_handles(control: Floats) -> None:
    """Give straight pieces without handles handles at thirds, since they stand still at their ends (in
    place).
    """
    chord = control[:, -1] - control[:, 0]
    if np.any(np.hypot(chord[:, 0], chord[:, 1]) == 0.0):
        raise SurfaceError(KIND, PROPERTY, "two successive points coincide", "remove one of them")
    if control.shape[1] > CUBIC + 1:
        return
    bare = (control[:, 1] == control[:, 0]).all(axis=1) & (control[:, -2] == control[:, -1]).all(axis=1)
    control[bare, 1] = control[bare, 0] + chord[bare] / 3.0
    control[bare, 2] = control[bare, 3] - chord[bare] / 3.0


def _sharp_after_smoothing(control: Floats, before: int, after: int) -> bool:
    """Return whether a joint is a corner; if it nearly is none, lay its handles in one line (in place)."""
    arrive, leave = control[before, -1] - control[before, -2], control[after, 1] - control[after, 0]
    lengths = math.hypot(*arrive), math.hypot(*leave)
    if min(lengths) == 0.0:
        raise SurfaceError(KIND, PROPERTY, "a handle has no length", "give every handle a length")
    mean = arrive / lengths[0] + leave / lengths[1]
    if math.hypot(*(arrive / lengths[0] - leave / lengths[1])) > CORNER_ANGLE:
        return True
    mean /= math.hypot(*mean)
    control[before, -2] = control[before, -1] - lengths[0] * mean
    control[after, 1] = control[after, 0] + lengths[1] * mean
    return False


def _lay_poles_flat(control: Floats) -> None:
    for end, handle in ((control[0, 0], control[0, 1]), (control[-1, -1], control[-1, -2])):
        if end[0] == 0.0 and abs(handle[1] - end[1]) <= CORNER_ANGLE * abs(handle[0]):
            handle[1] = end[1]


def smooth_runs(chain: ProfileChain) -> list[Profile]:
    """Return the smooth runs of a chain, turned so that a solid lies on its left.

    Raises:
        SurfaceError: where the profile leaves its half-plane, stands still, or encloses nothing.
    """
    _check(chain)
    if chain.solid and _enclosed(chain) < 0.0:
        chain = chain.backwards()
    inner = chain.corner.copy()
    inner[[0, -1]] = True
    stops = np.flatnonzero(inner)
    periodic = chain.ring and not chain.corner[0]
    return [_run(chain, a, b, periodic) for a, b in pairwise(stops.tolist())]


def _run(chain: ProfileChain, first: int, last: int, periodic: bool) -> Profile:
    control = chain.control[first:last]
    if len(control) == 1 and _straight(control[0]):
        start, stop = control[0, 0].tolist(), control[0, -1].tolist()
        return LineProfile((start[0], start[1]), (stop[0], stop[1]))
    lengths = chord_knots(np.concatenate([control[:, 0], control[-1:, -1]]))
    return BezierProfile(chain.curve(first, last, lengths), periodic)


def _straight(control: Floats) -> bool:
    """Return whether a piece is the segment between its ends, never turning back."""
    chord, inner = control[-1] - control[0], control[1:-1] - control[0]
    length = math.hypot(*chord)
    along = inner @ chord / length**2
    off = inner[:, 0] * chord[1] - inner[:, 1] * chord[0]
    return bool(np.all(np.abs(off) <= _STRAIGHT * length**2) and np.all((along >= 0.0) & (along <= 1.0)))


def _enclosed(chain: ProfileChain) -> float:
    """Return the integral of r dz, of rational pieces nearly: positive where the solid lies on the left."""
    count = len(chain.control)
    nodes, weights = roots_legendre(_NODES)
    curve = chain.curve(0, count, np.arange(count + 1, dtype=np.float64))
    jet = curve.jet(_inside_pieces(count, 0.5 * (1.0 + nodes)))
    return float((jet[:, 0] * jet[:, 3]) @ np.tile(0.5 * weights, count))


def _inside_pieces(count: int, fractions: Floats) -> Floats:
    return (np.arange(count)[:, None] + fractions).reshape(-1)


def _check(chain: ProfileChain) -> None:
    """Raise SurfaceError where the profile leaves its half-plane, stands still, or encloses nothing."""
    size = chain.size
    if not size > 0.0:
        raise SurfaceError(KIND, PROPERTY, "has no size", "draw a curve of some length")
    curve = chain.curve(0, len(chain.control), np.arange(len(chain.control) + 1, dtype=np.float64))
    jet = curve.jet(_inside_pieces(len(chain.control), np.linspace(0.02, 0.98, 49)))
    lowest = float(jet[:, 0].min())
    if min(lowest, float(chain.control[:, 0, 0].min())) < 0.0:
        raise SurfaceError(KIND, PROPERTY, f"crosses the axis to r = {lowest:g}", "keep it at x >= 0")
    inner_on_axis: Ints = np.flatnonzero(chain.control[1:, 0, 0] <= 0.0)
    if len(inner_on_axis) or (chain.ring and chain.control[0, 0, 0] <= 0.0) or lowest == 0.0:
        raise SurfaceError(KIND, PROPERTY, "touches the axis between its ends", "let only its ends lie on it")
    if float(np.hypot(jet[:, 2], jet[:, 3]).min()) < _STOPPED * size / len(chain.control):
        raise SurfaceError(KIND, PROPERTY, "has a cusp, where it stands still", "give its handles a length")
    if chain.solid and abs(_enclosed(chain)) <= _STOPPED * size**2:
        raise SurfaceError(KIND, PROPERTY, "encloses no area", "draw an outline, or leave an end open")
