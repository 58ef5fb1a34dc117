"""The body of a triangle mesh that is made when it is needed, whole or in part.

Cleaning a mesh and turning its triangles to agree looks at all of it.  So do its edges and vertices, its mass
and its smallest ball, which take more than twice as long, but of a large mesh that stands still only the
place matters that something comes near to: an excerpt of the mesh needs none of the rest.
"""

from __future__ import annotations

from dataclasses import fields, replace
from typing import Final

import numpy as np
from numpy.typing import ArrayLike

from ..arrays import Bools, Floats
from .body import Body, checked_affine, mapped, reversed_corners
from .excerpt import excerpt, is_of_triangles
from .polyhedra import OrientedMesh

_FIELDS: Final = frozenset(each.name for each in fields(Body))
_UNMOVED: Final = np.eye(4)


class MeshBody(Body):
    """A body of which the triangles are known, and whether it is closed; any other field makes the rest.

    From then on it is a plain Body.
    """

    _mesh: OrientedMesh
    _notes: tuple[str, ...]
    _source: Body | None
    _affine: Floats

    def __init__(
        self,
        name: str,
        mesh: OrientedMesh,
        notes: tuple[str, ...] = (),
        source: Body | None = None,
        affine: Floats = _UNMOVED,
    ) -> None:
        """Take what a body is made of.

        Args:
            name: of the object.
            mesh: the mesh.
            notes: before those of the mesh.
            source: the body of the mesh itself, if this is another one; None for none.
            affine: the map (4, 4) from there.
        """
        corners = mesh.triangles
        mirrored = bool(np.linalg.det(affine[:3, :3]) < 0.0)
        self.__dict__.update(
            name=name,
            triangle_corners=reversed_corners(corners) if mirrored else corners,
            point_count=len(mesh.points),
            triangle_bound=np.zeros(len(corners)),
            closed=mesh.found.closed,
            derived={},
            _mesh=mesh,
            _notes=notes,
            _source=source,
            _affine=affine,
        )

    @classmethod
    def of(cls, points: ArrayLike, triangles: ArrayLike, name: str, notes: tuple[str, ...] = ()) -> MeshBody:
        """Return what `polyhedron` does, with notes before its own. Raises MeshError as that."""
        return cls(name, OrientedMesh.of(points, triangles, name), notes)

    def __getattr__(self, name: str) -> object:
        if name not in _FIELDS:
            raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")
        if name == "triangles":
            points = mapped(self._mesh.points, self._affine)
            self.__dict__[name] = np.take(points, self.triangle_corners, axis=0)
        else:
            self.make()
        return self.__dict__[name]

    def make(self) -> None:
        """Make all of the body."""
        if self._source is None:
            made = self._mesh.body(self.name)
            made = replace(made, notes=(*self._notes, *made.notes)) if self._notes else made
        else:
            make_whole(self._source)
            made = self._source.transformed(self._affine, self.name)
        for own in ("_mesh", "_notes", "_source", "_affine"):
            del self.__dict__[own]
        self.__dict__.update({each: getattr(made, each) for each in _FIELDS - {"derived"}})
        object.__setattr__(self, "__class__", Body)

    def transformed(self, affine: ArrayLike, name: str | None = None) -> Body:
        """Return this body after an invertible affine map (4, 4), to be made when it is needed.

        Raises:
            PhysPlaceError: the map is not finite, or it flattens the body.
        """
        matrix = checked_affine(affine, self.name) @ self._affine
        named = self.name if name is None else name
        return MeshBody(named, self._mesh, source=self._source or self, affine=matrix)

    def excerpt(self, kept: Bools) -> Body:
        """Return some triangles (t,), at least one, made without all of the body (`OrientedMesh.excerpt`)."""
        found = self._mesh.excerpt(kept, self.name)
        return found if self._source is None else found.transformed(self._affine)


def make_whole(body: Body) -> None:
    """Make all of a body that is not made yet."""
    if isinstance(body, MeshBody):
        body.make()


def is_of_flat_triangles(body: Body) -> bool:
    """Return whether a body is a mesh: each triangle a flat face, each segment an edge."""
    return isinstance(body, MeshBody) or is_of_triangles(body)


def some_of(body: Body, kept: Bools) -> Body:
    """Return some triangles (t,), at least one, of a body that is a mesh, with the edges and vertices that
    these own.

    What is neither contact nor shape is of the whole of a body that is made, else of the excerpt: mass,
    radius, notes.
    """
    return body.excerpt(kept) if isinstance(body, MeshBody) else excerpt(body, kept)
