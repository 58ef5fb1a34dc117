"""The boundary of a body made of Bezier patches.

Patches that join smoothly are one face, however many they are; see `bezier_joins`, `bezier_chains`.  Where
every side is joined the patches enclose a solid, else they are a sheet of uniform thickness.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

import numpy as np
from numpy.typing import ArrayLike

from ...arrays import Bools, Floats, Ints
from ...errors import SurfaceError
from ...mesh.edges import components
from ...mesh.mass import MassProperties, combined
from ...vectors import cross, length
from ..patches import POLE_SIDE, SidedPatches
from ..quadrature import sheet_mass
from ..rational import dehomogenized
from ..validation import finite_array
from .chains import borders_of, chains_of, vertices_of
from .complex import PatchComplex
from .joins import Joins, consistently_oriented, faces_of, joins_of, joins_within, with_poles_last
from .mass import signed_volume, solid_mass
from .nets import BezierNets
from .poles import pole_charts
from .sheet import BezierSheet

_KIND = "bezier"
_STEEP = 1e-6  # sine of the angle between tangents, or slope / size, that stands for none
_PROBES = 9  # a direction of each patch, where it must have a tangent plane
PatchKind = TypeVar("PatchKind", bound=SidedPatches)


def bezier(control: ArrayLike) -> PatchComplex:
    """Return the body of bicubic Bezier patches, control points (n, 4, 4, 3): patch, along u, along v.

    Outside is where dS/du x dS/dv of the first patch points, the others are turned over to agree with it; a
    solid is turned outside out.  Sides coincide within 1e-7 of the size.
    Raises SurfaceError for another shape, numbers that are not finite, patches that have no tangent plane
    somewhere, or that cannot be joined so.
    """
    nets = finite_array(_KIND, "patches", control)
    if nets.ndim != 4 or nets.shape[1:] != (4, 4, 3) or not len(nets):
        raise SurfaceError(_KIND, "patches", f"found shape {nets.shape}", "expected (n, 4, 4, 3)")
    return bezier_boundary(_KIND, nets)


def bezier_boundary(kind: str, control: Floats) -> PatchComplex:
    """Return the body of Bezier patches of a kind, control points (n, d + 1, d + 1, 3), or homogeneous ones
    (n, d + 1, d + 1, 4) with positive weights; the rest is as for `bezier`.
    """
    size = 0.5 * float(np.linalg.norm(np.ptp(dehomogenized(control).reshape(-1, 3), axis=0)))
    nets = with_poles_last(consistently_oriented(control, kind, size), kind, size)
    _check_tangent_planes(kind, nets)
    outward = _outside_out(nets, kind, size)
    return patch_boundary(kind, outward, joins_of(outward, size), size, solid_mass)


def _check_tangent_planes(kind: str, nets: BezierNets) -> None:
    """Raise SurfaceError where patches have no tangent plane."""
    t = np.linspace(0.0, 1.0, _PROBES)
    at = np.stack(np.meshgrid(t, t, indexing="ij"), axis=-1).reshape(-1, 2)
    slopes = nets.slopes(np.repeat(np.arange(len(nets)), len(at)), np.tile(at, (len(nets), 1)))
    along, across = length(slopes.along), length(slopes.across)
    least = _STEEP * np.ptp(nets.places.reshape(len(nets), -1, 3), axis=1).max(axis=1).repeat(len(at))
    area = length(cross(slopes.along, slopes.across))
    wrong = (along <= least) | (across <= least) | (area <= _STEEP * along * across)
    if wrong.any():
        x, y, z = slopes.point[int(np.argmax(wrong))].tolist()
        found = f"there is no tangent plane at ({x:.4g}, {y:.4g}, {z:.4g})"
        raise SurfaceError(kind, "points", found, "spread out the control points there")


def patch_boundary(
    kind: str,
    nets: PatchKind,
    joins: Joins,
    size: float,
    mass_of_solid: Callable[[PatchKind], MassProperties],
) -> PatchComplex:
    """Return the boundary that patches make, joined so: its faces, edges, vertices and mass."""
    closed = is_closed(nets, joins)
    face, index = _faces(joins)
    sheets = [_sheet(nets, joins, face, number) for number in range(int(face.max()) + 1)]
    borders = borders_of(nets, joins, size)
    chains = chains_of(nets, borders)
    poles = [pole for sheet in sheets for pole in sheet.poles]
    mass = mass_of_solid(nets) if closed else combined([sheet_mass(sheet) for sheet in sheets])
    vertices, cones, corners = vertices_of(nets, borders, poles, size)
    return PatchComplex(
        nets,
        joins,
        tuple(sheets),
        face,
        index,
        tuple(chains),
        vertices,
        tuple(cones),
        tuple(corners),
        closed,
        mass,
        size,
        kind,
    )


def _outside_out(nets: BezierNets, kind: str, size: float) -> BezierNets:
    """The nets of a solid turned over if its normals point inwards."""
    if not is_closed(nets, joins_of(nets, size)) or signed_volume(nets) > 0.0:
        return nets
    return with_poles_last(np.ascontiguousarray(nets.control.transpose(0, 2, 1, 3)), kind, size)


def is_closed(nets: SidedPatches, joins: Joins) -> bool:
    """Whether every side is joined, or a pole."""
    open_sides: Bools = joins.patch < 0
    open_sides[nets.polar, POLE_SIDE] = False
    return not open_sides.any()


def _faces(joins: Joins) -> tuple[Ints, Ints]:
    """Return the face (n,) of each patch, and its number (n,) there."""
    face = faces_of(joins)
    index = np.empty(len(face), dtype=np.intp)
    for number in range(int(face.max()) + 1):
        own = np.nonzero(face == number)[0]
        index[own] = np.arange(len(own))
    return face, index


def _sheet(nets: SidedPatches, joins: Joins, face: Ints, number: int) -> BezierSheet:
    """The face with a number, of its own patches numbered anew."""
    own = np.nonzero(face == number)[0]
    mine, inner = nets.take(own), joins_within(joins, own)
    return BezierSheet(mine, inner, *pole_charts(mine, _fans(mine, inner)))


def _fans(nets: SidedPatches, joins: Joins) -> list[Ints]:
    """Groups of polar patches about one pole: joined along their meridians."""
    polar = np.nonzero(nets.polar)[0]
    pairs = [
        (patch, int(joins.patch[patch, side]))
        for patch in polar.tolist()
        for side in (0, 1)
        if joins.smooth[patch, side] and nets.polar[joins.patch[patch, side]]
    ]
    group = components(np.array(pairs, dtype=np.intp).reshape(-1, 2), len(nets))
    return [np.nonzero(group == number)[0] for number in np.unique(group[polar]).tolist()]
