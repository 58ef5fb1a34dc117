# SPDX-License-Identifier: GPL-3.0-or-later
"""The body of each visible thing.

It is the object's exact surface, the exact patches of its splines, the limit of its subdivision, its curved
smooth faces, or the polyhedron of its evaluated mesh.

A surface object is the exact patches of its splines, unless shape keys or modifiers change it: these change
the displayed surface, or its control points, in a way that Blender's API does not give. Then its body is the
polyhedron of the displayed mesh, and a note says why.
"""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass, replace
from typing import Protocol

import numpy as np
from bpy.types import Depsgraph, Object, Spline, SurfaceCurve

from ...core import bodies
from ...core.arrays import Floats
from ...core.bodies import Body
from ...core.errors import MeshError, SurfaceError
from ...core.jobs import Job
from ...core.surfaces.bezier.splines import SplineSheet, spline_surface
from ..access import original
from ..affine import is_singular
from ..blobs.bodies import BlobSource, blob_source
from ..blobs.objects import is_blob
from ..errors import SceneError
from .curves import Direction, control_points
from .definitions import definition_of
from .kept_bodies import MadeBody, digest, kept, with_notes
from .meshes import Triangulated, triangles_of
from .smooth import smooth_source
from .subdivision import limit_source
from .visible import VisibleItem

NOT_FINITE, RESET = "its transform is not finite", "reset its location, rotation and scale"
_AS_DISPLAYED = "its mesh as displayed, not its exact surface"


class ShapeSource(Protocol):
    """What a body with curved faces is made of, without anything of Blender."""

    @property
    def content(self) -> Hashable:
        """What the surface is."""

    def made(self) -> MadeBody:
        """Return the body in the object's coordinates."""


@dataclass(frozen=True, eq=False)
class FetchedShape:
    """What a body is made of, in an object's coordinates, fetched from Blender: nothing here is Blender's.

    Attributes:
        curved: what curved faces are made of; None for none.
        notes: why there are none, although there could be.
        mesh: what is displayed, which counts where no curved faces are made; None for nothing, and where such
            faces can be expected.
    """

    curved: ShapeSource | None
    notes: tuple[str, ...]
    mesh: Triangulated | None

    @property
    def lacks_mesh(self) -> bool:
        """Whether no curved faces were made after all, so that the displayed mesh has to be fetched, too."""
        return self.mesh is None and self.curved is not None and kept.is_bodiless(self.curved.content)

    def made(self) -> tuple[Hashable, MadeBody]:
        """Return the key and the body of the shape."""
        curved, notes = self.curved, self.notes
        if curved is not None:
            found = kept.made(curved.content, curved.made)
            notes += found.notes
            if found.body is not None:
                return curved.content, found
        if self.mesh is None:
            return None, MadeBody(None)
        mesh, key = self.mesh, self.mesh.content
        found = kept.made(key, lambda: _polyhedron(mesh, np.eye(4)))
        if found.body is None or not notes:
            return key, found
        body = found.body
        return (key, notes), kept.made((key, notes), lambda: MadeBody(with_notes(body, notes)))


@dataclass(frozen=True, eq=False)
class FetchedBody:
    """A body that can be made without Blender: a shape after an affine map (4, 4), with a name."""

    name: str
    shape: FetchedShape
    affine: Floats

    def made(self, left_out: dict[str, MeshError]) -> Body | None:
        """Return the body; None for one without faces, or one whose faces bound nothing: that is left out."""
        if is_singular(self.affine):
            mesh = self.shape.mesh
            found = MadeBody(None) if mesh is None else _polyhedron(mesh, self.affine)
        else:
            key, found = self.shape.made()
        if found.error is not None:
            left_out[self.name] = found.error
        if found.body is None:
            return None
        if is_singular(self.affine):
            return replace(found.body, name=self.name)
        return kept.placed(key, found.body, self.affine, self.name)

    def making(self, left_out: dict[str, MeshError]) -> Job[Body | None]:
        """Do what `made` does; the body of a blob is made in slices."""
        curved = self.shape.curved
        if isinstance(curved, BlobSource) and not is_singular(self.affine):
            yield from kept.making(curved.content, curved.making)
        return self.made(left_out)


class BodyReader:
    """Gives the bodies of visible items, from those that are kept where the meshes have not changed.

    Attributes:
        left_out: for each object whose faces bound nothing (such as faces without area), by name, the reason.
    """

    def __init__(self, depsgraph: Depsgraph) -> None:
        self._depsgraph = depsgraph
        self.left_out: dict[str, MeshError] = {}
        self._fetched: dict[tuple[str, bool, int], FetchedShape] = {}

    def body(self, item: VisibleItem, affine: Floats) -> Body | None:
        """Return an item's body after an affine map (4, 4); None for one without faces, or left out.

        Raises SceneError as `fetched`.
        """
        fetched = self.fetched(item, affine)
        body = None if fetched is None else fetched.made(self.left_out)
        if fetched is None or not fetched.shape.lacks_mesh:
            return body
        self._fetched.clear()
        return self.body(item, affine)

    def fetched(self, item: VisibleItem, affine: Floats) -> FetchedBody | None:
        """Return what an item's body after an affine map (4, 4) is made of.

        None for an item whose scale is zero on all axes. Raises SceneError for a map that is not finite, and
        for an exact surface flattened by a zero scale.
        """
        name = item.evaluated.name
        if not np.all(np.isfinite(affine)):
            raise SceneError(name, NOT_FINITE, RESET)
        if not affine[:3, :3].any():
            return None
        if is_singular(affine):
            if item.exact:
                raise SceneError(name, "its scale is zero", "give it a scale on every axis")
            return FetchedBody(name, FetchedShape(None, (), triangles_of(item.evaluated)), affine)
        # asked for its data, an object with Subdivision Surface is subdivided: only instances may share any
        data = None if item.shower == item.evaluated else item.evaluated.data
        own = (name, item.shower == item.evaluated, 0 if data is None else data.as_pointer())
        if own not in self._fetched:
            self._fetched[own] = self._shape(item)
        return FetchedBody(name, self._fetched[own], affine)

    def _shape(self, item: VisibleItem) -> FetchedShape:
        if item.exact:
            return FetchedShape(_exact(item), (), None)
        find = spline_source if original(item.evaluated).type == "SURFACE" else limit_source
        curved: ShapeSource | None
        curved, notes = find(item.evaluated, self._depsgraph)
        if curved is None and not notes:
            curved, notes = smooth_source(item.evaluated, self._depsgraph)
        is_needed = curved is None or kept.is_bodiless(curved.content)
        return FetchedShape(curved, notes, triangles_of(item.evaluated) if is_needed else None)


def _polyhedron(mesh: Triangulated, affine: Floats) -> MadeBody:
    """Begin the body of a mesh after an affine map (4, 4): the rest of it is made when it is needed."""
    if len(mesh.triangles) == 0:
        return MadeBody(None)
    with np.errstate(invalid="ignore"):  # a place that is not finite stays so
        moved = mesh.points @ affine[:3, :3].T + affine[:3, 3]
    try:
        notes = (f"{mesh.holed} faces with holes in them",) if mesh.holed else ()
        return MadeBody(bodies.MeshBody.of(moved, mesh.triangles, "mesh", notes))
    except MeshError as error:
        return MadeBody(None, error=error)


def _exact(item: VisibleItem) -> ShapeSource:
    return blob_source(original(item.evaluated)) if is_blob(item.evaluated) else definition_of(item.evaluated)


@dataclass(frozen=True, eq=False)
class SplineSource:
    """What the body of splines is made of: the surfaces as they are drawn."""

    sheets: tuple[SplineSheet, ...]

    @property
    def content(self) -> bytes:
        """What the surfaces are."""
        return digest("splines", [(sheet.points, sheet.weights, sheet.knots) for sheet in self.sheets])

    def made(self) -> MadeBody:
        """Return the body in the splines' coordinates; none, with the reason, where the mesh counts."""
        try:
            body = bodies.exact(spline_surface(self.sheets), "splines")
        except SurfaceError as error:
            return MadeBody(None, (f"{_AS_DISPLAYED}: {error.subject} {error.found}",))
        return MadeBody(with_notes(body, ("exact surface of its splines",)))


def spline_source(evaluated: Object, depsgraph: Depsgraph) -> tuple[SplineSource | None, tuple[str, ...]]:
    """Return what the body of a surface object's splines is made of.

    Returns:
        source: None for an object that has no such splines, or whose displayed mesh counts instead.
        notes: why the displayed mesh counts instead, if it does.
    """
    source = original(evaluated)
    if not isinstance(source.data, SurfaceCurve):
        return None, ()
    surface = source.evaluated_get(depsgraph).data
    assert isinstance(surface, SurfaceCurve)
    sheets = tuple(sheet_of(spline) for spline in surface.splines if _is_sheet(spline))
    because = _changed_by(source)
    if sheets and because:
        return None, (f"{_AS_DISPLAYED}, because of {because}",)
    return (SplineSource(sheets) if sheets else None), ()


def _is_sheet(spline: Spline) -> bool:
    """Return whether Blender shows a spline as a surface."""
    shown = spline.type == "NURBS" and not spline.hide
    return shown and Direction.u(spline).is_valid and Direction.v(spline).is_valid


def _changed_by(source: Object) -> str:
    """Return what makes the display of an object differ from its splines; empty if nothing does."""
    if isinstance(source.data, SurfaceCurve) and source.data.shape_keys is not None:
        return "its shape keys"
    acting = [modifier.name for modifier in source.modifiers if modifier.show_viewport]
    return f'its modifier "{acting[0]}"' if acting else ""


def sheet_of(spline: Spline) -> SplineSheet:
    """Return a NURBS surface; the first points of its cyclic directions stand again at their ends."""
    u, v = Direction.u(spline), Direction.v(spline)
    points = control_points(spline).reshape(v.count, u.count, 4).swapaxes(0, 1)[np.ix_(u.rows, v.rows)]
    return SplineSheet(points[..., :3], points[..., 3], (u.knots, v.knots))
