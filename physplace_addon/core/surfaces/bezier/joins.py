"""How patches are joined: which sides coincide, which way the patches face, where the joins are smooth.

Two sides are joined where their control polygons coincide, forwards or backwards, and no third side is there.
Followed counter-clockwise in (u, v), two patches that face the same way run along their common side in
opposite directions; patches are turned over until they do, from the first of each connected part on.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from scipy.spatial import cKDTree

from ...arrays import Bools, Floats, Ints
from ...errors import SurfaceError
from ...mesh.edges import component_labels
from ...vectors import cross, length, unit
from ..bernstein import sub_matrices
from ..patches import POLE_SIDE, SidedPatches
from ..rational import dehomogenized
from .nets import COINCIDENT, BezierNets, side_parameters, sides_of

# Sine of the largest angle between normals along a join that is no crease: what single precision leaves in
# control points.
SMOOTH_SINE = 1e-4
# Whether a counter-clockwise path follows each side with its own parameter, or against it.
_TURN = np.array([-1, 1, 1, -1])
# Parameters at which normals are compared along a join.
_ALONG_JOIN = np.array([0.06, 0.25, 0.5, 0.75, 0.94])


@dataclass(frozen=True, eq=False)
class Joins:
    """For each patch and side (n, 4), what is joined to it.

    patch, side: the other patch and its side, -1 for none.  backwards: the parameters run against each other.
    smooth: the tangent plane goes on.
    """

    patch: Ints
    side: Ints
    backwards: Bools
    smooth: Bools

    def parameters_beyond(self, side: Ints, patch: Ints, at: Floats) -> Floats:
        """Return the parameters (k, 2), on the joined patches, of points `at` (k, 2) on sides (k,) of patches
        (k,).
        """
        t = np.where(side < 2, at[:, 1], at[:, 0])
        along = np.where(self.backwards[patch, side], 1.0 - t, t)
        return side_parameters(self.side[patch, side], along)


def consistently_oriented(control: Floats, kind: str, size: float) -> Floats:
    """Return nets (n, d + 1, d + 1, c), those turned over that face another way than the ones they are joined
    to.

    Raises:
        SurfaceError: for a surface with one side only.
    """
    turned, torn = orientation_flips(match_sides(side_polygons(control, size), size))
    if torn:
        raise SurfaceError(kind, "patches", "have one side only", "cut the surface open")
    out: Floats = np.where(turned[:, None, None, None], control.transpose(0, 2, 1, 3), control)
    return out


def orientation_flips(joins: Joins) -> tuple[Bools, list[tuple[int, int]]]:
    """Return which patches (n,) to turn over so that all face as their neighbours do, and the torn joins.

    Torn are the patches and sides of the joins over which they still do not: none, unless the surface has one
    side only.
    """
    facing = np.zeros(len(joins.patch), dtype=np.intp)
    torn = []
    for first in range(len(facing)):
        if facing[first]:
            continue
        facing[first], front = 1, [first]
        while front:
            patch = front.pop()
            for own in np.nonzero(joins.patch[patch] >= 0)[0].tolist():
                other, side = int(joins.patch[patch, own]), int(joins.side[patch, own])
                against = _TURN[own] * _TURN[side] * (1 if joins.backwards[patch, own] else -1)
                wanted = int(facing[patch] * against)
                if not facing[other]:
                    facing[other] = wanted
                    front.append(other)
                elif facing[other] != wanted:
                    torn.append((patch, own))
    return facing < 0, torn


def with_poles_last(control: Floats, kind: str, size: float) -> BezierNets:
    """Return the nets with every side that is one point turned to v = 1, cut in two where both ends are.

    Args:
        control: nets (n, d + 1, d + 1, c).
        kind: the name of the kind in errors.
        size: half the diagonal of the body's box.

    Raises:
        SurfaceError: for sides without length that are neighbours, or more than two.
    """
    out, polar = [], []
    extents = np.ptp(sides_of(dehomogenized(control)), axis=2).max(axis=2)
    for number, (net, extent) in enumerate(zip(control, extents, strict=True)):
        points = np.nonzero(extent <= COINCIDENT * size)[0].tolist()
        if points in ([], [0], [1], [2], [3]):
            out.append(_turned_to_pole(net, points[0]) if points else net)
            polar.append(bool(points))
        elif points in ([0, 1], [2, 3]):
            low, high = _halves(net if points == [2, 3] else np.rot90(net, axes=(0, 1)))
            out += [np.rot90(low, 2, axes=(0, 1)), high]
            polar += [True, True]
        else:
            found = f"number {number} has sides {points} in one point"
            raise SurfaceError(kind, "patches", found, "expected opposite sides at most")
    nets = np.array(out)
    last = np.array(polar)
    _draw_together(nets, last)
    return BezierNets(nets, last)


def _draw_together(control: Floats, polar: Bools) -> None:
    """Put the whole pole side of polar patches in one point (in place)."""
    end = control[polar, :, -1]
    point = dehomogenized(end).mean(axis=1, keepdims=True)
    control[polar, :, -1, :3] = point * end[..., 3:] if control.shape[3] == 4 else point


def _turned_to_pole(net: Floats, side: int) -> Floats:
    """Return a net (d + 1, d + 1, c) turned so that the given side becomes v = 1; it faces the same way."""
    quarter_turns = {1: 1, 2: 2, 0: 3, POLE_SIDE: 0}
    turned: Floats = np.rot90(net, quarter_turns[side], axes=(0, 1))
    return turned


def _halves(net: Floats) -> tuple[Floats, Floats]:
    """Return the halves of a net (d + 1, d + 1, c) below and above v = 1/2."""
    low, high = np.einsum("bjq,iqx->bijx", sub_matrices(2, len(net) - 1), net)
    return low, high


def side_polygons(control: Floats, size: float) -> Floats:
    """Return the control polygons (n, 4, d + 1, 3) of the sides of nets (n, d + 1, d + 1, c).

    Those of rational nets have the weights, relative to those of the ends and times the size, as a fourth
    coordinate (n, 4, d + 1, 4).
    """
    sides = sides_of(control)
    polygons = dehomogenized(sides)
    if control.shape[3] == 3:
        return polygons
    share = sides[..., 3:] / (sides[:, :, :1, 3:] + sides[:, :, -1:, 3:])
    return np.concatenate([polygons, size * share], axis=3)


def joins_of(nets: BezierNets, size: float) -> Joins:
    """Return the joins of nets, with which of them are smooth."""
    return with_smoothness(nets, match_sides(side_polygons(nets.control, size), size))


def with_smoothness(nets: SidedPatches, joins: Joins) -> Joins:
    """Return joins that say over which of them the tangent plane of the patches goes on."""
    smooth = np.zeros(joins.patch.shape, dtype=np.bool_)
    patch, own = np.nonzero(joins.patch >= 0)
    count = len(_ALONG_JOIN)
    t = np.tile(_ALONG_JOIN, len(patch))
    first = np.repeat(patch, count), np.repeat(own, count)
    at = side_parameters(first[1], t)
    beyond = joins.parameters_beyond(first[1], first[0], at)
    apart = cross(_normals(nets, first[0], at), _normals(nets, joins.patch[first], beyond))
    smooth[patch, own] = length(apart).reshape(-1, count).max(axis=1, initial=0.0) < SMOOTH_SINE
    return replace(joins, smooth=smooth)


def faces_of(joins: Joins) -> Ints:
    """Return the face (n,) of each patch: all patches that join smoothly are one face."""
    patch, side = np.nonzero(joins.smooth)
    return component_labels(np.column_stack([patch, joins.patch[patch, side]]), len(joins.patch))


def joins_within(joins: Joins, own: Ints) -> Joins:
    """Return the joins of one face's patches (m,), numbered anew, without its creases."""
    new = np.full(len(joins.patch), -1, dtype=np.intp)
    new[own] = np.arange(len(own))
    smooth = joins.smooth[own]
    patch = np.where(smooth, new[joins.patch[own]], -1)
    return Joins(patch, np.where(smooth, joins.side[own], -1), joins.backwards[own], smooth)


def _normals(nets: SidedPatches, patch: Ints, at: Floats) -> Floats:
    slopes = nets.slopes(patch, at)
    return unit(cross(slopes.along, slopes.across))


def match_sides(sides: Floats, size: float) -> Joins:
    """Return the joins of patches by their sides; none of them is smooth yet.

    Args:
        sides: polygons (n, 4, m, 3 or more) of control points or of points.
        size: half the diagonal of the body's box; points within 1e-7 of it coincide.
    """
    polygons = sides.reshape(-1, *sides.shape[2:])
    near = COINCIDENT * size
    middle = polygons[..., :3].mean(axis=1)
    partner = np.full(len(polygons), -1, dtype=np.intp)
    backwards = np.zeros(len(polygons), dtype=np.bool_)
    found = np.zeros(len(polygons), dtype=np.intp)
    extent = np.ptp(polygons[..., :3], axis=1).max(axis=1)
    pairs = cKDTree(middle).query_pairs(2.0 * near, output_type="ndarray")
    for a, b in pairs[(extent[pairs] > near).all(axis=1)].tolist():
        forward = np.abs(polygons[a] - polygons[b]).max() <= near
        if forward or np.abs(polygons[a] - polygons[b, ::-1]).max() <= near:
            partner[a], partner[b] = b, a
            backwards[[a, b]] = not forward
            found[[a, b]] += 1
    partner[found > 1] = -1
    shape = sides.shape[:2]
    joined = np.where(partner < 0, -1, partner // 4).reshape(shape)
    side = np.where(partner < 0, -1, partner % 4).reshape(shape)
    return Joins(joined, side, backwards.reshape(shape), np.zeros(shape, dtype=np.bool_))
