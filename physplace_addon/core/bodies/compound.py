"""Compounds: several bodies as one, by concatenation.

Faces, edges, vertices and triangles follow one another in the order of the bodies.  All flat faces are joined
into one surface and all straight edges into one curve, so that a query on a world of many meshes stays a
single one.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TypeVar

import numpy as np

from ..arrays import Ints
from ..errors import PhysPlaceError
from ..mesh.enclosing_ball import enclosing_ball
from ..mesh.mass import AREA, MassProperties, combined, comparable
from ..surfaces.base import Curve, Surface
from ..surfaces.flat import Segments, Triangles
from .body import Body, sheet_mass


def merge(bodies: Sequence[Body], name: str, mass: MassProperties | None = None) -> Body:
    """Return one body made of one or more bodies in the same frame (see Body.transformed).

    Unless the mass is given, it is the sum of the bodies' masses if these are comparable.  Otherwise the
    masses of the bodies that were not given one are spread over their areas.

    Raises:
        PhysPlaceError: no bodies.
    """
    if not bodies:
        raise PhysPlaceError(f'"{name}": expected at least one body to merge')
    if len(bodies) == 1:
        only = bodies[0]
        if mass is None and only.name == name:
            return only  # with all that is kept with it
        return replace(only, name=name, mass=only.mass if mass is None else mass)
    surfaces, face_surface, face_index = _merged_faces(bodies)
    curves, edge_curve, edge_index = _merged_edges(bodies)
    triangle_shift = _shifts([len(body.triangles) for body in bodies])
    face_shift = _shifts([body.face_count for body in bodies])
    edge_shift = _shifts([body.edge_count for body in bodies])
    point_shift = _shifts([body.point_count for body in bodies])
    cone_shift = _shifts([len(body.cone_directions) for body in bodies])
    starts = [body.cone_start[:-1] for body in bodies]
    total_cones = sum(len(body.cone_directions) for body in bodies)
    return Body(
        name=name,
        surfaces=surfaces,
        face_surface=face_surface,
        face_index=face_index,
        curves=curves,
        edge_curve=edge_curve,
        edge_index=edge_index,
        vertices=np.concatenate([body.vertices for body in bodies]),
        cone_start=np.append(_shifted(starts, cone_shift), total_cones).astype(np.intp),
        cone_directions=np.concatenate([body.cone_directions for body in bodies]),
        triangles=np.concatenate([body.triangles for body in bodies]),
        triangle_face=_shifted([body.triangle_face for body in bodies], face_shift),
        triangle_uv=np.concatenate([body.triangle_uv for body in bodies]),
        triangle_bound=np.concatenate([body.triangle_bound for body in bodies]),
        triangle_corners=_shifted([body.triangle_corners for body in bodies], point_shift),
        point_count=sum(body.point_count for body in bodies),
        segments=np.concatenate([body.segments for body in bodies]),
        segment_edge=_shifted([body.segment_edge for body in bodies], edge_shift),
        segment_t=np.concatenate([body.segment_t for body in bodies]),
        segment_bound=np.concatenate([body.segment_bound for body in bodies]),
        segment_owner=_shifted([body.segment_owner for body in bodies], triangle_shift),
        vertex_owner=_shifted([body.vertex_owner for body in bodies], triangle_shift),
        mass=_merged_mass(bodies) if mass is None else mass,
        radius=enclosing_ball(np.concatenate([body.points for body in bodies]))[1],
        face_flat=np.concatenate([body.face_flat for body in bodies]),
        closed=all(body.closed for body in bodies),
        notes=tuple(f"{body.name}: {note}" for body in bodies for note in body.notes),
    )


def _merged_faces(bodies: Sequence[Body]) -> tuple[tuple[Surface, ...], Ints, Ints]:
    """Return the surfaces of all bodies, and for each face its surface and its number there."""
    curved, flat, slots = _separated([body.surfaces for body in bodies], Triangles, lambda s: s.face_count)
    if flat:
        curved.append(Triangles.join(flat))
    owner, index = _renumbered([(body.face_surface, body.face_index) for body in bodies], slots, len(curved))
    return tuple(curved), owner, index


def _merged_edges(bodies: Sequence[Body]) -> tuple[tuple[Curve, ...], Ints, Ints]:
    """Return the curves of all bodies, and for each edge its curve and its number there."""
    curved, flat, slots = _separated([body.curves for body in bodies], Segments, lambda c: c.edge_count)
    if flat:
        curved.append(Segments.join(flat))
    owner, index = _renumbered([(body.edge_curve, body.edge_index) for body in bodies], slots, len(curved))
    return tuple(curved), owner, index


Owner = TypeVar("Owner", Surface, Curve)
FlatOwner = TypeVar("FlatOwner", Triangles, Segments)


def _separated(
    rows: Sequence[Sequence[Owner]], kind: type[FlatOwner], count: Callable[[Owner], int]
) -> tuple[list[Owner], list[FlatOwner], list[Ints]]:
    """Return the owners that are not of the flat kind, those that are, and where each owner went.

    The latter is an array (owners, 2) for each body: the place among the curved ones, or -1 for a flat one;
    and the shift of the numbers of its faces or edges.
    """
    curved: list[Owner] = []
    flat: list[FlatOwner] = []
    slots, before = [], 0
    for row in rows:
        places = []
        for owner in row:
            if isinstance(owner, kind):
                places.append((-1, before))
                before += count(owner)
                flat.append(owner)
            else:
                places.append((len(curved), 0))
                curved.append(owner)
        slots.append(np.array(places, dtype=np.intp).reshape(-1, 2))
    return curved, flat, slots


def _renumbered(numbers: Sequence[tuple[Ints, Ints]], slots: Sequence[Ints], count: int) -> tuple[Ints, Ints]:
    """Return owners and indices of all bodies' faces or edges; the joined flat owner is the last of
    `count`.
    """
    owners = np.concatenate([slot[owner, 0] for (owner, _), slot in zip(numbers, slots, strict=True)])
    indices = [index + slot[owner, 1] for (owner, index), slot in zip(numbers, slots, strict=True)]
    return np.where(owners < 0, count - 1, owners), np.concatenate(indices)


def _shifts(counts: Sequence[int]) -> Ints:
    return np.concatenate([[0], np.cumsum(counts)[:-1]]).astype(np.intp)


def _shifted(numbers: Sequence[Ints], shifts: Ints) -> Ints:
    return np.concatenate([part + shift for part, shift in zip(numbers, shifts, strict=True)])


def _merged_mass(bodies: Sequence[Body]) -> MassProperties:
    if comparable([body.mass for body in bodies]):
        return combined([body.mass for body in bodies])
    return combined([body.mass if body.mass.given else _as_sheet(body) for body in bodies])


def _as_sheet(body: Body) -> MassProperties:
    if body.mass.basis == AREA:
        return body.mass
    return replace(sheet_mass(body.surfaces), density=body.mass.density)
