"""The exact bodies an artist can name, centred on the origin with axis z.

Each function returns the boundary of a body.  Every wrong number is a SurfaceError that names the kind, the
property, what was expected and what was found.  Lengths are in scene units.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np

from ..errors import SurfaceError
from .analytic.planar import rectangle
from .analytic.revolution import revolve
from .analytic.star import Star
from .analytic.superquadric import SuperquadricGauge, superquadric_mass
from .analytic.swept import revolution, tube
from .bezier.bodies import bezier
from .bezier.complex import PatchComplex
from .complex import GridComplex, featureless
from .curves.profiles import ArcProfile, LineProfile
from .formula.bodies import formula
from .formula.definitions import KIND as FORMULA
from .formula.paths import tube_along_formulas
from .validation import positive_number

# Below 0.1 a superquadric is a box to the eye, and its corners bend by more than floats follow; above 2 it is
# not convex.
LEAST_EXPONENT, MOST_EXPONENT = 0.1, 2.0


def plane(size_x: float, size_y: float) -> GridComplex:
    """Return a rectangle in the plane z = 0 with sides size_x and size_y; the side of +z is outside."""
    return rectangle(positive_number("plane", "size_x", size_x), positive_number("plane", "size_y", size_y))


def sphere(radius: float) -> GridComplex:
    """Return a sphere."""
    r = positive_number("sphere", "radius", radius)
    return revolve("sphere", [ArcProfile((0.0, 0.0), r, -0.5 * math.pi, 0.5 * math.pi)])


def torus(major_radius: float, minor_radius: float) -> GridComplex:
    """Return a ring torus about z; the minor radius must be less than the major one."""
    major = positive_number("torus", "major_radius", major_radius)
    minor = positive_number("torus", "minor_radius", minor_radius)
    if minor >= major:
        found = f"found {minor:g} with major_radius {major:g}, so the torus cuts itself"
        raise SurfaceError("torus", "minor_radius", found, "expected less than major_radius")
    arc = ArcProfile((major, 0.0), minor, 0.0, 2.0 * math.pi, periodic=True)
    return revolve("torus", [arc], ring=True)


def cylinder(radius: float, height: float) -> GridComplex:
    """Return a cylinder closed by disks, z from -height/2 to height/2."""
    r, h = positive_number("cylinder", "radius", radius), 0.5 * positive_number("cylinder", "height", height)
    corners = [(0.0, -h), (r, -h), (r, h), (0.0, h)]
    return revolve("cylinder", [LineProfile(a, b) for a, b in pairwise(corners)])


def cone(radius: float, height: float) -> GridComplex:
    """Return a cone closed by a disk, apex up, z from -height/2 to height/2."""
    r, h = positive_number("cone", "radius", radius), 0.5 * positive_number("cone", "height", height)
    return revolve("cone", [LineProfile((0.0, -h), (r, -h)), LineProfile((r, -h), (0.0, h))])


def superquadric(
    size_x: float, size_y: float, size_z: float, exponent_1: float = 1.0, exponent_2: float = 1.0
) -> GridComplex:
    """Return a superquadric with half-axes size_*.

    Exponents go from 0.1 (nearly a box) over 1 (ellipsoid) to 2 (octahedron).  Above 1 the coordinate planes
    are ridges, at 2 creases that are not features: see `analytic.superquadric`.

    Args:
        size_x, size_y, size_z: half-axes.
        exponent_1: shapes the meridians.
        exponent_2: shapes the parallels.
    """
    sizes = [("size_x", size_x), ("size_y", size_y), ("size_z", size_z)]
    axes = np.array([positive_number("superquadric", name, value) for name, value in sizes])
    e1, e2 = _exponent("exponent_1", exponent_1), _exponent("exponent_2", exponent_2)
    surface = Star(SuperquadricGauge(e1, e2), axes)
    return featureless("superquadric", surface, superquadric_mass(axes, e1, e2), float(np.linalg.norm(axes)))


def _exponent(name: str, value: object) -> float:
    number = positive_number("superquadric", name, value)
    if not LEAST_EXPONENT <= number <= MOST_EXPONENT:
        expected = f"expected {LEAST_EXPONENT:g} to {MOST_EXPONENT:g}"
        raise SurfaceError("superquadric", name, f"found {number:g}", expected)
    return number


@dataclass(frozen=True)
class SurfaceKind:
    """A function of named parameters: the names it needs, and those it can do without."""

    function: Callable[..., GridComplex | PatchComplex]
    required: tuple[str, ...]
    optional: tuple[str, ...] = ()


KINDS: Mapping[str, SurfaceKind] = {
    "plane": SurfaceKind(plane, ("size_x", "size_y")),
    "sphere": SurfaceKind(sphere, ("radius",)),
    "torus": SurfaceKind(torus, ("major_radius", "minor_radius")),
    "cylinder": SurfaceKind(cylinder, ("radius", "height")),
    "cone": SurfaceKind(cone, ("radius", "height")),
    "superquadric": SurfaceKind(superquadric, ("size_x", "size_y", "size_z"), ("exponent_1", "exponent_2")),
    "revolution": SurfaceKind(revolution, ("profile",), ("closed", "sharp")),
    "tube": SurfaceKind(tube, ("path", "radius"), ("closed",)),
    "bezier": SurfaceKind(bezier, ("control",)),
}


def build(kind: str, parameters: Mapping[str, Any]) -> GridComplex | PatchComplex:
    """Return the boundary of a kind by name.

    Args:
        kind: a name in KINDS, or "formula".
        parameters: numbers by name; control points for `profile` and `path`; whatever names the kind
            "formula" is given.

    Raises:
        SurfaceError: naming the kind and the property, for an unknown kind, a missing or an unknown
            parameter, and a value that is no number, not finite, or out of range.
    """
    if kind == FORMULA:
        return formula(parameters)
    if kind == "tube" and any(name.startswith("path.") for name in parameters):
        return tube_along_formulas(parameters)
    if kind not in KINDS:
        expected = f"expected one of {', '.join((*KINDS, FORMULA))}"
        raise SurfaceError(str(kind), "surface", "is not a kind of surface", expected)
    known = KINDS[kind]
    names = (*known.required, *known.optional)
    for name in known.required:
        if name not in parameters:
            raise SurfaceError(kind, name, "is missing", f"expected all of {', '.join(known.required)}")
    for name in parameters:
        if name not in names:
            expected = f"expected {', '.join(names)}"
            raise SurfaceError(kind, str(name), "is not a parameter of this kind", expected)
    return known.function(**parameters)
