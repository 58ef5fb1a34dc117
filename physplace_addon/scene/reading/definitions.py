# SPDX-License-Identifier: GPL-3.0-or-later
"""Exact surfaces as objects define them: the custom property `surface` and its parameters `surface.<name>`.

The values are read from the evaluated object, so keyed and driven parameters count as they are now. A
parameter that names a curve object is replaced by that curve's control points. The control points of the kind
"bezier" are the object's own mesh.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache, partial

import bpy
import numpy as np
from bpy.types import Object

from ...core import bodies
from ...core.arrays import Floats
from ...core.bodies import Body
from ...core.bodies.exact_surfaces import Boundary
from ...core.errors import SurfaceError
from ...core.surfaces import kinds
from ...core.surfaces.bezier.control_meshes import KIND as BEZIER
from ...core.surfaces.bezier.control_meshes import nets_of_control_mesh
from ...core.surfaces.formula.definitions import KIND as FORMULA
from ..access import custom_properties, plain_value
from ..errors import SceneError
from .curves import bezier_pieces
from .kept_bodies import MadeBody, digest
from .meshes import arrays_of, cut_cage

KIND = "surface"
PREFIX = "surface."
CURVES = {"revolution": "profile", "tube": "path"}  # the parameter that names a curve object


def has_definition(obj: Object) -> bool:
    """Return whether an object is an exact surface, whatever its mesh."""
    return KIND in custom_properties(obj)


@dataclass(frozen=True, eq=False)
class DefinitionSource:
    """What the body of an exact surface is made of: its kind, its parameters, and the object's name."""

    name: str
    kind: str
    parameters: Mapping[str, object]

    @property
    def content(self) -> bytes:
        """What the surface is."""
        values = [(key, plain_value(value)) for key, value in sorted(self.parameters.items())]
        return digest("exact", self.kind, values)

    def boundary(self) -> Boundary:
        """Return the faces, edges and vertices, in the object's coordinates. Raises SceneError."""
        try:
            build = formula_of if self.kind == FORMULA else partial(kinds.build, self.kind)
            return build(self.parameters)
        except SurfaceError as error:
            raise _named(self.name, error) from error

    def made(self) -> MadeBody:
        """Return the body, in the object's coordinates. Raises SceneError."""
        return MadeBody(self.body())

    def body(self, resolution: tuple[int, int] | None = None, tolerance: float | None = None) -> Body:
        """Return the body at a resolution or within a tolerance, see `body_of`. Raises SceneError."""
        boundary = self.boundary()
        try:
            return bodies.exact(boundary, self.name, resolution, tolerance)
        except SurfaceError as error:
            raise _named(self.name, error) from error


def definition_of(evaluated: Object) -> DefinitionSource:
    """Return what an object defines. Raises SceneError, which names the object and the property."""
    kind = custom_properties(evaluated)[KIND]
    if not isinstance(kind, str):
        raise SceneError(
            evaluated.name, f'its property "surface" is {kind!r}', 'set it to text, like "sphere"'
        )
    try:
        return DefinitionSource(evaluated.name, kind, parameters_of(evaluated, kind))
    except SurfaceError as error:
        raise _named(evaluated.name, error) from error


def boundary_of(evaluated: Object) -> Boundary:
    """Return the exact faces, edges and vertices that an object defines, in its local coordinates.

    Raises SceneError, which names the object and the property, for a definition without meaning.
    """
    return definition_of(evaluated).boundary()


def body_of(
    evaluated: Object, resolution: tuple[int, int] | None = None, tolerance: float | None = None
) -> Body:
    """Return the body that an object defines, in its local coordinates.

    Args:
        evaluated: the object.
        resolution: the number of lines (nu, nv) of each face; None to refine to the tolerance.
        tolerance: the largest distance of its triangles from the surface, local units; None: the default.

    Raises:
        SceneError: for a definition without meaning, or a surface that needs too many triangles.
    """
    return definition_of(evaluated).body(resolution, tolerance)


def _named(name: str, error: SurfaceError) -> SceneError:
    found, *shown = str(error).split("\n")
    return SceneError(name, found, "\n".join(["see the object's custom properties", *shown]))


def formula_of(parameters: Mapping[str, object]) -> Boundary:
    """Return the boundary that formulas define; recent ones are cached.

    Raises SurfaceError for a definition without meaning.
    """
    if all(isinstance(value, (str, int, float)) for value in parameters.values()):
        return _remembered(tuple(sorted(parameters.items())))
    return kinds.build(FORMULA, parameters)


@lru_cache(maxsize=32)
def _remembered(parameters: tuple[tuple[str, str | int | float], ...]) -> Boundary:
    return kinds.build(FORMULA, dict(parameters))


def parameters_of(evaluated: Object, kind: str) -> Mapping[str, object]:
    """Return the parameters of an object's surface by name; curve objects become their control points."""
    parameters: dict[str, object] = {
        key.removeprefix(PREFIX): value
        for key, value in custom_properties(evaluated).items()
        if key.startswith(PREFIX)
    }
    if kind == BEZIER:
        parameters["control"] = _control_nets(evaluated)
    curve = CURVES.get(kind)
    if curve is not None and curve in parameters:
        pieces, closed = bezier_pieces(_curve_object(evaluated, curve, parameters[curve]))
        if kind == "revolution":
            pieces = np.delete(pieces, 1, axis=2)
        parameters[curve] = pieces
        parameters["closed"] = closed
    return parameters


def _control_nets(evaluated: Object) -> Floats:
    """Return the nets (n, 4, 4, 3) of the faces of an object's mesh, cut along its seams.

    Raises SurfaceError for faces that give none.
    """
    if evaluated.type != "MESH":
        raise SurfaceError(BEZIER, "mesh", "the object has none", "model its control points as a mesh")
    mesh = evaluated.to_mesh()
    try:
        return nets_of_control_mesh(arrays_of(mesh)[0], cut_cage(mesh, "use_seam"))
    finally:
        evaluated.to_mesh_clear()


def curve_names(obj: Object) -> frozenset[str]:
    """Return the names of the curve objects that define an object's surface: they are no obstacles."""
    properties = custom_properties(obj)
    curve = CURVES.get(str(properties.get(KIND, "")))
    return frozenset() if curve is None else frozenset({str(properties.get(PREFIX + curve, ""))})


def _curve_object(evaluated: Object, parameter: str, name: object) -> Object:
    found: Object | None = bpy.data.objects.get(name) if isinstance(name, str) else None
    if found is None:
        raise SceneError(
            evaluated.name,
            f'its property "{PREFIX}{parameter}" names no object: {name!r}',
            "set it to the name of a curve object",
        )
    return found
