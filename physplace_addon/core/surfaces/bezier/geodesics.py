"""Geodesic tracing over a face of many patches: the point closest to a displaced one, on whatever patch.

One round is a Gauss-Newton step on the distance to the target q, in the basis (A, B) of the patch,

    [A.A  A.B; A.B  B.B] (dp, dv) = (A.m, B.m),   m = q - S,   du = dp / scale,

cut at the sides of the unit square.  There the trace goes on in the next patch, or, where there is none that
joins smoothly, along the side.  A step over a pole, or of more than half the distance to one that is near, is
taken in the pole's chart instead.  A step's error falls with its square: rounds end with a first step that is
a small part of the patch, one that is a small part of the whole distance, or one below the rounding of the
points.  A trace that ends farther from its target than it began was too long for the surface's curvature;
half of its displacement is traced instead.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from ...arrays import ArrayRecord, Bools, Floats, Ints
from ...vectors import dot, length
from ..patches import POLE_SIDE, Patches, Slopes
from .joins import Joins
from .poles import PoleChart

_ROUNDS = 8  # rounds of one trace; each side or pole that is crossed takes one
_QUICK = 3  # rounds within which nearly all traces end: only longer ones are checked for divergence
_HALVINGS = 4  # times that a displacement is halved after a trace that diverged
# Size of a step over the whole distance, below which no further one is taken: the next is its square.
_ENOUGH = 0.1
# Change of (u, v) below which a first step needs no other: what it misses is of the order of its square.
_SHORT = 0.05
# w below which a step of more than half the distance to the pole is taken in the pole's chart.
_NEAR_POLE = 0.25
_ON_POLE = 1e-100  # scale that stands for 0, so that its inverse is still a number
_NOWHERE = -1  # stands for no patch and no side


@dataclass(frozen=True, eq=False)
class PatchAtlas:
    """The patches of a face, how they join, and the charts about their poles.

    pole_of (n,): the number of each patch's pole, -1 for none.
    """

    nets: Patches
    joins: Joins
    poles: tuple[PoleChart, ...]
    pole_of: Ints

    def next_of(self, patch: Ints, side: Ints) -> Ints:
        """Return the patches beyond sides, arrays of one shape; -1 where none joins smoothly."""
        beyond: Ints = np.where(self.joins.smooth[patch, side], self.joins.patch[patch, side], _NOWHERE)
        return beyond


@dataclass(frozen=True, eq=False)
class _Tracers(ArrayRecord):
    """Traces that go on.

    rows: among all.  patch, at (k, 2): where they are.  target (k, 3).  distance (k,): the length of the
    whole displacement.  entered (k,): the side they have come in by, which they do not leave by at once.
    """

    rows: Ints
    patch: Ints
    at: Floats
    target: Floats
    distance: Floats
    entered: Ints


def trace(atlas: PatchAtlas, patch: Ints, at: Floats, displacement: Floats) -> tuple[Ints, Floats]:
    """Return the patches (k,) and parameters (k, 2) of the points closest to displaced points.

    Args:
        atlas: the face.
        patch: where to start (k,).
        at: the parameters there (k, 2).
        displacement: (k, 3), scene units.
    """
    end, at_end, lost = _traced(atlas, patch, at, displacement)
    rows, share = np.nonzero(lost)[0], 1.0
    for _ in range(_HALVINGS):
        if not len(rows):
            break
        share *= 0.5
        end[rows], at_end[rows], lost = _traced(atlas, patch[rows], at[rows], share * displacement[rows])
        rows = rows[lost]
    return end, at_end


def _traced(atlas: PatchAtlas, patch: Ints, at: Floats, displacement: Floats) -> tuple[Ints, Floats, Bools]:
    """Return where traces end, and which (k,) of the long ones ended farther from their targets than they
    began.
    """
    slopes = atlas.nets.slopes(patch, at)
    rows, nowhere = np.arange(len(patch)), np.full(len(patch), _NOWHERE, dtype=np.intp)
    whole = length(displacement)
    tracers = _Tracers(rows, patch, at, slopes.point + displacement, whole, nowhere)
    patch, at, lost = patch.copy(), at.copy(), np.zeros(len(patch), dtype=np.bool_)
    for round_ in range(_ROUNDS):
        before = tracers.at
        tracers, size = _round(atlas, tracers, slopes)
        patch[tracers.rows], at[tracers.rows] = tracers.patch, tracers.at
        going = size > np.maximum(_ENOUGH * tracers.distance, atlas.nets.rounding)
        if round_ == 0:
            going &= np.isinf(size) | (np.abs(tracers.at - before).max(axis=1) > _SHORT)
        if not going.any():
            break
        if not going.all():
            tracers = tracers.take(going)
        slopes = atlas.nets.slopes(tracers.patch, tracers.at)
        if round_ >= _QUICK:
            lost[tracers.rows] = length(tracers.target - slopes.point) > tracers.distance
    return patch, at, lost


def _round(atlas: PatchAtlas, tracers: _Tracers, slopes: Slopes) -> tuple[_Tracers, Floats]:
    """Return all after one step, and the size of the step (k,), infinite where it was cut at a side."""
    step, size = _step(atlas, tracers, slopes)
    at, side = _cut_at_sides(tracers.at, step)
    moved = replace(tracers, at=at, entered=np.full(len(at), _NOWHERE, dtype=np.intp))
    polar = _close_to_poles(atlas, tracers, slopes, size)
    if side is not None:
        stopped = side != _NOWHERE
        polar |= (side == POLE_SIDE) & atlas.nets.polar[tracers.patch]
        moved = _continued_beyond(atlas, moved, np.nonzero(stopped)[0], side)
        size = np.where(stopped, np.inf, size)
    if polar.any():
        moved = _turned_about_poles(atlas, moved, tracers.patch, polar)
        size = np.where(polar, np.inf, size)
    return moved, size


def _step(atlas: PatchAtlas, tracers: _Tracers, slopes: Slopes) -> tuple[Floats, Floats]:
    """Return the steps (k, 2) in (u, v), none of them out of a closed side, and their lengths (k,)."""
    miss, a, b = tracers.target - slopes.point, slopes.along, slopes.across
    metric = np.stack([dot(a, a), dot(a, b), dot(b, b)])
    pull = np.stack([dot(a, miss), dot(b, miss)])
    aa, ab, bb = metric
    step = np.stack([bb * pull[0] - ab * pull[1], aa * pull[1] - ab * pull[0]], axis=1)
    step /= (aa * bb - ab * ab)[:, None]
    closed = _blocked(atlas, tracers, step)
    if closed is not None:
        alone = (pull / metric[[0, 2]]).T
        step = np.where(closed[:, ::-1], alone, step)
        again = _blocked(atlas, tracers, step)
        step[closed if again is None else closed | again] = 0.0
    p, v = step.T
    size = np.sqrt(np.maximum(aa * p * p + 2.0 * ab * p * v + bb * v * v, 0.0))
    step[:, 0] /= np.maximum(slopes.scale, _ON_POLE)
    return step, size


def _blocked(atlas: PatchAtlas, tracers: _Tracers, step: Floats) -> Bools | None:
    """Return which parts (k, 2) of steps lead out of a side that must not be left by; None for none."""
    on_side = (tracers.at <= 0.0) | (tracers.at >= 1.0)
    if not on_side.any():
        return None
    low, high = (tracers.at <= 0.0) & (step < 0.0), (tracers.at >= 1.0) & (step > 0.0)
    if not (low | high).any():
        return None
    side = np.array([0, 2]) + high
    beyond = atlas.next_of(tracers.patch[:, None], side)
    beyond = np.where((side == POLE_SIDE) & atlas.nets.polar[tracers.patch][:, None], 0, beyond)
    closed: Bools = (low | high) & ((beyond == _NOWHERE) | (side == tracers.entered[:, None]))
    return closed if closed.any() else None


def _cut_at_sides(at: Floats, step: Floats) -> tuple[Floats, Ints | None]:
    """Return where steps (k, 2) end within the unit square, and the side (k,) they were cut at, -1 for none.

    The sides are None if no step was cut.
    """
    end = at + step
    outside = (end < 0.0) | (end > 1.0)
    if not outside.any():
        return end, None
    room = np.where(step > 0.0, 1.0 - at, at)
    share = np.where(outside, room / np.where(outside, np.abs(step), 1.0), np.inf)
    axis = np.argmin(share, axis=1)
    rows = np.arange(len(at))
    stopped = outside.any(axis=1)
    part = np.where(stopped, share[rows, axis], 1.0)
    end = np.clip(at + part[:, None] * step, 0.0, 1.0)
    upper = step[rows, axis] > 0.0
    end[rows[stopped], axis[stopped]] = upper[stopped]
    return end, np.where(stopped, 2 * axis + upper, _NOWHERE)


def _continued_beyond(atlas: PatchAtlas, tracers: _Tracers, stopped: Ints, side: Ints) -> _Tracers:
    """Return the tracers, those cut at a side with a smooth join moved over to the next patch."""
    beyond = atlas.next_of(tracers.patch[stopped], side[stopped])
    over = stopped[beyond != _NOWHERE]
    if not len(over):
        return tracers
    own, patch = side[over], tracers.patch[over]
    at, new, entered = tracers.at.copy(), tracers.patch.copy(), tracers.entered.copy()
    at[over] = atlas.joins.parameters_beyond(own, patch, tracers.at[over])
    new[over], entered[over] = atlas.joins.patch[patch, own], atlas.joins.side[patch, own]
    return replace(tracers, patch=new, at=at, entered=entered)


def _close_to_poles(atlas: PatchAtlas, tracers: _Tracers, slopes: Slopes, size: Floats) -> Bools:
    """Return which tracers are so close to a pole that their step, of length `size` (k,), is not reliable."""
    close: Bools = atlas.nets.polar[tracers.patch]
    if not close.any():
        return close
    distance = length(slopes.point - atlas.nets.pole[tracers.patch])
    close = close & (slopes.scale < _NEAR_POLE) & (size > 0.5 * distance)
    return close & (size > _ENOUGH * tracers.distance)


def _turned_about_poles(atlas: PatchAtlas, tracers: _Tracers, patch: Ints, chosen: Bools) -> _Tracers:
    """Return the tracers, the chosen ones put where the charts of the poles of their patches (k,) say."""
    at, new, entered = tracers.at.copy(), tracers.patch.copy(), tracers.entered.copy()
    number = atlas.pole_of[patch]
    for pole in np.unique(number[chosen]).tolist():
        rows = np.nonzero(chosen & (number == pole))[0]
        new[rows], at[rows] = atlas.poles[pole].meridian(tracers.target[rows])
    entered[chosen] = _NOWHERE
    return replace(tracers, patch=new, at=at, entered=entered)
