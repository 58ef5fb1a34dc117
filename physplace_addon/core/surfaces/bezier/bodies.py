"""The boundary of a body made of Bezier patches, or of other patches that are joined by their sides.

Patches that join smoothly are one face, however many they are; sides without a smooth join are edges (see
`joins`, `chains`).  Where every side is joined the patches enclose a solid, else they are a sheet of uniform
thickness.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

import numpy as np
from numpy.typing import ArrayLike

from ...arrays import Bools, Floats, Ints
from ...errors import SurfaceError
from ...mesh.edges import component_labels
from ...mesh.mass import MassProperties, combined
from ...vectors import cross, length
from ..patches import POLE_SIDE, SidedPatches
from ..quadrature import face_sheet_mass
from ..rational import dehomogenized
from ..validation import finite_array
from .chains import borders_of, chains_of, vertices_of
from .complex import PatchComplex
from .joins import Joins, consistently_oriented, faces_of, joins_of, joins_within, with_poles_last
from .mass import signed_volume, solid_mass
from .nets import BezierNets
from .poles import pole_charts
from .sheet import BezierSheet

_KIND = "bezier"  # the name of this kind of surface in errors
# Sine of the angle between two tangents, or length of a tangent over the patch's size, below which there is
# no tangent plane.
_STEEP = 1e-6
_PROBES = 9  # parameters in each direction of a patch at which it must have a tangent plane
AnyPatches = TypeVar("AnyPatches", bound=SidedPatches)


def bezier(control: ArrayLike) -> PatchComplex:
    """Return the body of bicubic Bezier patches.

    Outside is where dS/du x dS/dv of the first patch points; the others are turned over to agree with it, and
    a solid is turned so that its outside is out.  Sides coincide within 1e-7 of the size.

    Args:
        control: control points (n, 4, 4, 3) by patch, along u, along v; scene units.

    Raises:
        SurfaceError: for another shape, numbers that are not finite, patches that have no tangent plane
            somewhere, or that cannot be joined.
    """
    nets = finite_array(_KIND, "patches", control)
    if nets.ndim != 4 or nets.shape[1:] != (4, 4, 3) or not len(nets):
        raise SurfaceError(_KIND, "patches", f"found shape {nets.shape}", "expected (n, 4, 4, 3)")
    return bezier_boundary(_KIND, nets)


def bezier_boundary(kind: str, control: Floats) -> PatchComplex:
    """Return the body of Bezier patches of any degree d; the rest is as for `bezier`.

    Args:
        kind: the name of the kind in errors.
        control: (n, d + 1, d + 1, 3), or homogeneous (n, d + 1, d + 1, 4) with positive weights.
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
    nets: AnyPatches,
    joins: Joins,
    size: float,
    mass_of_solid: Callable[[AnyPatches], MassProperties],
) -> PatchComplex:
    """Return the boundary that patches make: faces, edges, vertices and mass.

    Args:
        kind: the name of the kind in errors.
        nets: the patches.
        joins: how they are joined.
        size: half the diagonal of their box, scene units.
        mass_of_solid: the mass of patches that enclose a solid.
    """
    closed = is_closed(nets, joins)
    face, index = _faces(joins)
    sheets = [_sheet(nets, joins, face, number) for number in range(int(face.max()) + 1)]
    borders = borders_of(nets, joins, size)
    chains = chains_of(nets, borders)
    poles = [pole for sheet in sheets for pole in sheet.poles]
    mass = mass_of_solid(nets) if closed else combined([face_sheet_mass(sheet) for sheet in sheets])
    vertices, directions, corners = vertices_of(nets, borders, poles, size)
    return PatchComplex(
        nets,
        joins,
        tuple(sheets),
        face,
        index,
        tuple(chains),
        vertices,
        tuple(directions),
        tuple(corners),
        closed,
        mass,
        size,
        kind,
    )


def _outside_out(nets: BezierNets, kind: str, size: float) -> BezierNets:
    """Return the nets of a solid, turned over if its normals point inwards."""
    if not is_closed(nets, joins_of(nets, size)) or signed_volume(nets) > 0.0:
        return nets
    return with_poles_last(np.ascontiguousarray(nets.control.transpose(0, 2, 1, 3)), kind, size)


def is_closed(nets: SidedPatches, joins: Joins) -> bool:
    """Return whether every side is joined, or a pole."""
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
    """Return the face with a number, of its own patches numbered anew."""
    own = np.nonzero(face == number)[0]
    mine, inner = nets.take(own), joins_within(joins, own)
    return BezierSheet(mine, inner, *pole_charts(mine, _fans(mine, inner)))


def _fans(nets: SidedPatches, joins: Joins) -> list[Ints]:
    """Return groups of polar patches about one pole: joined along their meridians."""
    polar = np.nonzero(nets.polar)[0]
    pairs = [
        (patch, int(joins.patch[patch, side]))
        for patch in polar.tolist()
        for side in (0, 1)
        if joins.smooth[patch, side] and nets.polar[joins.patch[patch, side]]
    ]
    group = component_labels(np.array(pairs, dtype=np.intp).reshape(-1, 2), len(nets))
    return [np.nonzero(group == number)[0] for number in np.unique(group[polar]).tolist()]
