"""A body from an exact complex: curved faces, rims and apexes, with a tessellation whose error is bounded.

A closed surface may pass through itself so that a part of it is inside out, like one loop of a figure of
eight.  It then encloses no solid: the body is a sheet, and its normals do not tell inside from outside.
"""

from __future__ import annotations

from typing import Protocol

import numpy as np

from ..arrays import Floats, Ints, box_of
from ..mesh.enclosing_ball import enclosing_ball
from ..mesh.inside import windings
from ..mesh.mass import VOLUME, MassProperties
from ..mesh.shells import LEAST_VOLUME
from ..surfaces.base import Curve, Surface
from ..surfaces.tessellation import Tessellation
from ..vectors import cross, length
from .body import SPREAD_NOTE, Body, sheet_mass

_PROBED = 300
"""Most triangles at which the outside is tested, spread over all; it bounds the time."""

_OVER = 2.0
"""Height of the tested points over their triangles, in bounds of the tessellation's error, so that it cannot
put them inside."""


class Boundary(Protocol):
    """What an exact body is made from; `GridComplex` and `PatchComplex` are two of its kinds."""

    @property
    def surfaces(self) -> tuple[Surface, ...]:
        """The faces."""

    @property
    def curves(self) -> tuple[Curve, ...]:
        """The edges."""

    @property
    def vertices(self) -> Floats:
        """The vertices (nv, 3)."""

    @property
    def vertex_directions(self) -> tuple[Floats, ...]:
        """Unit directions (m, 3) along the body at each vertex."""

    @property
    def closed(self) -> bool:
        """Whether the faces enclose a solid."""

    @property
    def mass(self) -> MassProperties:
        """The mass, integrated over the exact surfaces."""

    def tessellate(
        self, resolution: tuple[int, int] | None = None, tolerance: float | None = None
    ) -> Tessellation:
        """Return triangles at a resolution (lines nu, nv) or within a tolerance, a length."""


def exact(
    complex: Boundary,
    name: str,
    resolution: tuple[int, int] | None = None,
    tolerance: float | None = None,
) -> Body:
    """Return the body of an exact complex; its mass and features are exact.

    Args:
        complex: faces, edges and vertices.
        name: of the body, for messages.
        resolution: lines (nu, nv) of the tessellation; None to keep to the tolerance.
        tolerance: largest distance of the tessellation from the surface, in scene units; 0.2 % of the
            complex's size unless given.

    Raises:
        SurfaceError: for a tolerance that needs millions of cells.
    """
    mesh = complex.tessellate(resolution, tolerance)
    closed = complex.closed and _is_solid(mesh, complex.mass)
    mass = complex.mass if closed == complex.closed else sheet_mass(complex.surfaces)
    curve_counts = [curve.edge_count for curve in complex.curves]
    face_counts = [surface.face_count for surface in complex.surfaces]
    cone_start, cone_directions = _cones(complex.vertex_directions)
    return Body(
        name=name,
        surfaces=complex.surfaces,
        face_surface=_owners(face_counts),
        face_index=_numbers(face_counts),
        curves=complex.curves,
        edge_curve=_owners(curve_counts),
        edge_index=_numbers(curve_counts),
        vertices=complex.vertices,
        cone_start=cone_start,
        cone_directions=cone_directions,
        triangles=mesh.points[mesh.corners],
        triangle_face=mesh.face.astype(np.intp, copy=False),
        triangle_uv=mesh.uv,
        triangle_bound=mesh.bound,
        triangle_corners=mesh.corners,
        point_count=len(mesh.points),
        segments=mesh.segments,
        segment_edge=mesh.segment_edge,
        segment_t=mesh.segment_t,
        segment_bound=mesh.segment_bound,
        segment_owner=mesh.segment_owner,
        vertex_owner=mesh.vertex_owner,
        mass=mass,
        radius=enclosing_ball(mesh.points)[1],
        face_flat=np.repeat([surface.flat for surface in complex.surfaces], face_counts).astype(bool),
        closed=closed,
        notes=() if mass.basis == VOLUME else (SPREAD_NOTE,),
    )


def _is_solid(mesh: Tessellation, mass: MassProperties) -> bool:
    """Return whether a closed tessellation encloses a volume and no tested triangle of it is inside out."""
    corners = mesh.points[mesh.corners]
    lower, upper = box_of(mesh.points)
    diagonal = float(np.linalg.norm(upper - lower))
    normal = cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    doubled = length(normal)
    if not mass.volume > LEAST_VOLUME * diagonal * 0.5 * float(doubled.sum()):
        return False
    some = np.flatnonzero(doubled > 0.0)
    some = some[np.linspace(0, len(some) - 1, min(len(some), _PROBED)).astype(np.intp)]
    over = _OVER * float(mesh.bound.max()) + LEAST_VOLUME * diagonal
    places = corners[some].mean(axis=1) + over * normal[some] / doubled[some, None]
    return not (windings(corners, places) < 0).any()


def _owners(counts: list[int]) -> Ints:
    return np.repeat(np.arange(len(counts), dtype=np.intp), counts)


def _numbers(counts: list[int]) -> Ints:
    numbers = [np.arange(count, dtype=np.intp) for count in counts]
    return np.concatenate([np.empty(0, dtype=np.intp), *numbers])


def _cones(cones: tuple[Floats, ...]) -> tuple[Ints, Floats]:
    start = np.concatenate([[0], np.cumsum([len(cone) for cone in cones])]).astype(np.intp)
    return start, np.concatenate([np.empty((0, 3)), *cones])
