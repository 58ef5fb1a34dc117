"""The boundary of the body that a subdivision cage stands for: its Catmull-Clark limit surface, and its mass.

*Mass* comes from Bezier nets.  About an extraordinary corner the nets of some levels are taken, and the
quadrilateral that is left there as a bilinear one: it is so small that its error is rounding.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from ...arrays import Floats, Ints
from ...errors import SurfaceError
from ...mesh.mass import MassProperties
from ..bernstein import bernstein
from ..bezier.joins import Joins, joins_within
from ..bezier.mass import solid_mass
from ..bezier.nets import BezierNets
from ..complex import DEFAULT_TOLERANCE
from ..quadrature import adaptive_sheet, gauss_rule, sheet_moments
from ..validation import finite_array
from .bounds import quarter_nets
from .cage import Cage, with_infinite_sharpness
from .complex import CageComplex, Sheets, cage_boundary
from .limit import KIND, limit_of
from .neighbourhoods import corners_of
from .nets import LimitNets, Tips, tip_jets
from .refinement import refine
from .sheet import LimitSheet, extraordinary_vertices_of
from .tessellation import bounds_of, degenerate_patches

_SMALL = 2.0**-13  # size of what is left about an extraordinary corner, over its neighbourhood
_RULES = 4, 6  # Gauss-Legendre nodes in each direction of the rough and of the fine sum of an area
_CUTS = 8  # times that a net may be cut into four where the two sums disagree
_MANY = 8  # quadrilaterals about a vertex that are many
_TRIED = 1, 2, 4, 8  # cells along a side whose bounds tell how many a quadrilateral needs
_MOST_EXCESS = 8.0  # of a bound, over the tolerance, that counts: it is infinite for cells without area
_WORTH_IT = 0.8  # of the cells, that a refinement may leave
_REFINED = 3  # times that a cage is refined, at most
_AT_ONCE = 4096  # nets integrated together: some ten megabytes


def mass_of(nets: LimitNets, closed: bool) -> MassProperties:
    """Return the mass of the solid inside, or of a sheet of uniform thickness where the surface is not
    closed.
    """
    control = _all_nets(nets)
    if closed:
        return solid_mass(BezierNets(control, np.zeros(len(control), dtype=np.bool_)))
    middle = control.mean(axis=(0, 1, 2))
    return adaptive_sheet(control - middle, _rough_and_fine, quarter_nets, _CUTS).moved(middle)


def _rough_and_fine(control: Floats) -> tuple[Floats, Floats]:
    """Return the moments (m, 4, 4) of nets (m, 4, 4, 3) by two rules."""
    rough, fine = (_area_moments(control, nodes) for nodes in _RULES)
    return rough, fine


def _all_nets(nets: LimitNets) -> Floats:
    """Return the Bezier nets (m, 4, 4, 3) of the whole surface."""
    used = _leaves(nets)
    parts = [nets.leaves.control[nets.tree.net[used][nets.tree.net[used] >= 0]]]
    parts += [_tip_nets(tips) for tips in nets.tips]
    return np.concatenate(parts)


def _leaves(nets: LimitNets) -> Ints:
    return np.flatnonzero(nets.tree.child < 0)


def _tip_nets(tips: Tips) -> Floats:
    rows = np.arange(len(tips.limit))
    one = np.ones(len(rows), dtype=np.intp)
    growth = np.abs(tips.powers.rings).sum(axis=2).max(axis=1)
    levels = int(np.argmax(growth <= _SMALL * growth[0]))
    rings = [tips.nets(rows, level * one, ring * one) for level in range(levels) for ring in range(3)]
    found = np.stack(rings, axis=1).reshape(len(rows), -1, 4, 4, 3) + tips.limit[:, None, None, None]
    size = 2.0**-levels
    corners = np.array([[0.0, 0.0], [0.0, size], [size, 0.0], [size, size]])
    at = np.tile(corners, (len(rows), 1))
    ends = tip_jets(tips, np.repeat(rows, 4), at, 0)[:, 0, 0].reshape(-1, 2, 2, 3)
    third = np.array([[1.0, 0.0], [2.0, 1.0], [1.0, 2.0], [0.0, 1.0]]) / [[1.0], [3.0], [3.0], [1.0]]
    left = np.einsum("ia,jb,mabx->mijx", third, third, ends)
    return np.concatenate([found.reshape(-1, 4, 4, 3), left])


def _area_moments(control: Floats, nodes: int) -> Floats:
    """Return the integrals (m, 4, 4) of (1, x) (1, x)' dA over nets (m, 4, 4, 3)."""
    t, weight = gauss_rule(np.array([0.0, 1.0]), nodes)
    basis = bernstein(t, 1)
    value, slope = basis[:, 0], basis[:, 1]
    parts = []
    for start in range(0, len(control), _AT_ONCE):
        some = control[start : start + _AT_ONCE]
        point, du, dv = (
            np.einsum("ai,bj,mijx->mabx", u, v, some, optimize=True).reshape(len(some), -1, 3)
            for u, v in ((value, value), (slope, value), (value, slope))
        )
        share = np.outer(weight, weight).ravel() * np.linalg.norm(np.cross(du, dv), axis=2)
        parts.append(sheet_moments(point, share))
    return np.concatenate(parts) if parts else np.empty((0, 4, 4))


def quadrilateral_cage(points: ArrayLike, cage: Cage, sharp_corners: bool) -> tuple[Cage, Floats]:
    """Return a prepared cage of quadrilaterals with the same limit, and its points.

    Args:
        points: of the cage's vertices (nv, 3).
        cage: of faces with any number of corners.
        sharp_corners: whether a border keeps the corner of a face that is alone there.

    Raises:
        SurfaceError: for no faces, or points that are not finite.
    """
    at = finite_array(KIND, "points", points)
    if not len(cage.sizes):
        raise SurfaceError(KIND, "cage", "has no faces", "give it faces")
    cage = with_infinite_sharpness(cage, sharp_corners)
    if (cage.sizes == 4).all():
        return cage, at
    cage, matrix = refine(cage)
    return cage, np.asarray(matrix @ at)


def _estimated_cells(nets: LimitNets, tolerance: float) -> float:
    """Return about how many cells the tessellation of quadrilaterals takes for a tolerance, a length.

    Where the finest that are tried do not fit, bounds are taken to fall with the size of cells, and not with
    its square: they do next to a vertex of many quadrilaterals.
    """
    rows, total = np.arange(len(nets)), 0.0
    excess = np.full(len(nets), np.inf)
    for along in _TRIED:
        if len(rows):
            bounds = bounds_of(nets.take(rows), np.full((len(rows), 2), along), tolerance)
            excess = bounds.reshape(len(rows), -1).max(axis=1) / tolerance
        total += float(along**2 * (excess <= 1.0).sum())
        rows, excess = rows[excess > 1.0], excess[excess > 1.0]
    return total + float(((_TRIED[-1] * np.minimum(excess, _MOST_EXCESS)) ** 2).sum())


def _fewer_cells(cage: Cage, points: Floats, nets: LimitNets) -> tuple[Cage, Floats, LimitNets]:
    """Return a prepared cage, its points and its limit, refined as often as that leaves fewer cells."""
    if np.bincount(cage.corners).max() < _MANY:
        return cage, points, nets
    tolerance = 0.5 * DEFAULT_TOLERANCE * float(np.linalg.norm(np.ptp(points, axis=0)))
    cells = _estimated_cells(nets, tolerance)
    for _ in range(_REFINED):
        finer, matrix = refine(cage)
        places = np.asarray(matrix @ points)
        found = limit_of(finer, places)
        fewer = _estimated_cells(found, tolerance)
        if fewer > _WORTH_IT * cells:
            break
        cage, points, nets, cells = finer, places, found, fewer
    return cage, points, nets


def subdivision(cage: Cage, points: Floats, closed: bool) -> CageComplex:
    """Return the limit surface of a prepared cage of quadrilaterals, which encloses a solid or not.

    Quadrilaterals about a vertex of many are long and thin, and their parameters are far from even next to
    it.  So equal cells of theirs are small everywhere: at the apex of a cone of 32 faces 2,500 in each of
    them, and some 300 in all that two refinements make of one.  There the cage is refined.

    Raises:
        SurfaceError: for a surface without tangent planes.
    """
    nets = limit_of(cage, points)
    bad = int(degenerate_patches(nets).sum())
    if bad:
        raise SurfaceError(KIND, "cage", f"{bad} of its faces have no size", "merge its vertices by distance")
    cage, points, nets = _fewer_cells(cage, points, nets)
    vertices, odd = cage.corners.reshape(-1, 4), ~corners_of(cage).regular.reshape(-1, 4)

    def bounds(rows: Ints, counts: Ints, enough: float) -> Floats:
        return bounds_of(nets.take(rows), counts, enough)

    def sheets_of(face: Ints, joins: Joins) -> Sheets:
        sheets, origins = [], np.empty((len(face), 2))
        for number in range(int(face.max()) + 1):
            own = np.flatnonzero(face == number)
            mine, none = nets.take(own), np.full(len(own), -1, dtype=np.intp)
            extraordinary = extraordinary_vertices_of(mine, vertices[own], odd[own])
            sheets.append(LimitSheet(mine, joins_within(joins, own), (), none, extraordinary))
            origins[own] = sheets[-1].layout.origins
        return tuple(sheets), origins

    return cage_boundary(KIND, cage, nets, bounds, sheets_of, closed, mass_of(nets, closed))
