# SPDX-License-Identifier: GPL-3.0-or-later
"""The kinds of elements: their names and display, and how each is read from its empties."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from bpy.types import Object

from ....core.errors import PhysPlaceError
from ....core.implicit import FormulaFunction, Quadrics
from ...access import custom_properties
from ...affine import is_similarity
from ...errors import SceneError
from ..empty_transforms import BlobSpace
from ..objects import BLOB, COEFFICIENTS, CYLINDER, FORMULA, OWN, number_of, other_end
from .elements import Cylinder, Element, Ellipsoid, Formula, Plane, Quadric, Sphere
from .solids import ROUNDING, TUBE, read_solid

PREFIX = f"{BLOB}."
TORUS = "(sqrt(x^2 + y^2) - R)^2 + z^2 - r^2"


@dataclass(frozen=True)
class ElementKind:
    """A kind of element.

    Attributes:
        label: its name for artists.
        description: its tooltip.
        display: the display type of its empties.
        read: returns the element of an object, in a blob's coordinates.
        has_end: whether it has a second empty.
        is_summed: whether it is a Gaussian in a sum.
        properties: the custom properties of a new one.
    """

    label: str
    description: str
    display: str
    read: Callable[[Object, BlobSpace], Element]
    has_end: bool = False
    is_summed: bool = False
    properties: Mapping[str, Any] = field(default_factory=dict)


def _sphere(obj: Object, frame: BlobSpace) -> Element:
    transform = frame.transform_of(obj)
    return Sphere(transform) if is_similarity(transform.matrix) else Ellipsoid(transform)


def _cylinder(obj: Object, frame: BlobSpace) -> Element:
    return Cylinder(frame.transform_of(obj), frame.transform_of(other_end(obj)))


def _plane(obj: Object, frame: BlobSpace) -> Element:
    return Plane(frame.transform_of(obj))


def _quadric(obj: Object, frame: BlobSpace) -> Element:
    keys = tuple(PREFIX + name for name in COEFFICIENTS)
    numbers = np.array([number_of(obj, key, 0.0) for key in keys])
    if not numbers[:9].any():
        raise SceneError(obj.name, "its quadric has no coefficients", f"set {keys[0]}, or another, off 0")
    return Quadric(frame.transform_of(obj), Quadrics.of([numbers]), keys)


def _formula(obj: Object, frame: BlobSpace) -> Element:
    text = custom_properties(obj).get(FORMULA)
    if not isinstance(text, str):
        found = f'its property "{FORMULA}" is {text!r}'
        raise SceneError(obj.name, found, 'set it to text, like "x^2 + y^2 - r^2"')
    keys = tuple(
        key for key, _ in custom_properties(obj).items() if key.startswith(PREFIX) and key not in OWN
    )
    constants = {key.removeprefix(PREFIX): number_of(obj, key, 0.0) for key in keys}
    try:
        own = FormulaFunction.read(text, constants)
    except PhysPlaceError as error:
        found, *shown = str(error).split("\n")
        remedy = "\n".join([f'see its properties "{FORMULA}" and "{PREFIX}..."', *shown])
        raise SceneError(obj.name, found, remedy) from error
    return Formula(frame.transform_of(obj), own, keys)


KINDS: dict[str, ElementKind] = {
    "sphere": ElementKind(
        "Sphere",
        "A ball: its place is the centre, its size the radius. Scaled by more on one axis, an ellipsoid",
        "SPHERE",
        _sphere,
        is_summed=True,
    ),
    CYLINDER: ElementKind(
        "Cylinder",
        "All that is near to the line between two empties: the first one's size is the radius",
        "SPHERE",
        _cylinder,
        has_end=True,
        is_summed=True,
    ),
    "flat_cylinder": ElementKind(
        "Cylinder, Flat Ends",
        "A cylinder along its z axis with flat ends; its rims are rounded by the property Rounding",
        "CUBE",
        read_solid,
        properties={ROUNDING: 0.1},
    ),
    "box": ElementKind(
        "Box", "A box with sharp edges, as its empty is drawn", "CUBE", read_solid, properties={ROUNDING: 0.0}
    ),
    "rounded_box": ElementKind(
        "Rounded Box",
        "A box whose edges are rounded by the property Rounding",
        "CUBE",
        read_solid,
        properties={ROUNDING: 0.3},
    ),
    "torus": ElementKind(
        "Torus",
        "A ring about its z axis; its size is the ring's radius, the property Tube the tube's share of it",
        "SPHERE",
        read_solid,
        properties={TUBE: 0.3},
    ),
    "cone": ElementKind(
        "Cone",
        "A cone along its z axis; its rim and apex are rounded by the property Rounding",
        "CUBE",
        read_solid,
        properties={ROUNDING: 0.1},
    ),
    "plane": ElementKind(
        "Plane",
        "Everything below a flat surface through its origin, as far as it goes; its z axis points out",
        "SINGLE_ARROW",
        _plane,
    ),
    "quadric": ElementKind(
        "Quadric",
        "Where a polynomial of degree two in its own x, y and z is below 0; its coefficients are properties",
        "PLAIN_AXES",
        _quadric,
        properties={PREFIX + name: value for name, value in COEFFICIENTS.items()},
    ),
    "formula": ElementKind(
        "Formula",
        "Where a formula in its own x, y and z is below 0; its text and constants are properties",
        "PLAIN_AXES",
        _formula,
        properties={FORMULA: TORUS, "blob.R": 0.7, "blob.r": 0.3},
    ),
}
