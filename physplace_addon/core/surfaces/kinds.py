"""From a kind's name and its parameters, as an artist types them, to the complex; numbers and arrays only."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from ..errors import SurfaceError
from .complexes import Complex
from .primitives import cone, cylinder, plane, revolution, sphere, superquadric, torus, tube


@dataclass(frozen=True)
class Kind:
    """A function of named parameters, the ones it needs and the ones it can do without."""

    function: Callable[..., Complex]
    required: tuple[str, ...]
    optional: tuple[str, ...] = ()


KINDS: Mapping[str, Kind] = {
    "plane": Kind(plane, ("size_x", "size_y")),
    "sphere": Kind(sphere, ("radius",)),
    "torus": Kind(torus, ("major_radius", "minor_radius")),
    "cylinder": Kind(cylinder, ("radius", "height")),
    "cone": Kind(cone, ("radius", "height")),
    "superquadric": Kind(superquadric, ("size_x", "size_y", "size_z"), ("exponent_1", "exponent_2")),
    "revolution": Kind(revolution, ("profile",), ("closed", "sharp")),
    "tube": Kind(tube, ("path", "radius"), ("closed",)),
}


def build(kind: str, parameters: Mapping[str, Any]) -> Complex:
    """Return the complex of a kind by name: numbers, and control points for `profile` and `path`.

    Raises SurfaceError naming the kind and the property for an unknown kind, a missing or an unknown
    parameter, and a value that is no number, not finite, or out of range.
    """
    if kind not in KINDS:
        raise SurfaceError(str(kind), "surface", "is not a kind of surface", f"expected one of {', '.join(KINDS)}")
    known = KINDS[kind]
    names = (*known.required, *known.optional)
    for name in known.required:
        if name not in parameters:
            raise SurfaceError(kind, name, "is missing", f"expected all of {', '.join(known.required)}")
    for name in parameters:
        if name not in names:
            raise SurfaceError(kind, str(name), "is not a parameter of this kind", f"expected {', '.join(names)}")
    return known.function(**parameters)
