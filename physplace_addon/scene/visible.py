# SPDX-License-Identifier: GPL-3.0-or-later
"""What stands visible in a scene, and which of it moves with the active object.

The dependency graph lists every visible object and instance once, with one exception: text, metaballs and
bevelled curves come as themselves and again as an instance that holds their mesh. Only the instance is taken.

The active object carries its children, and what it or they instance: together they are one rigid body. All
the rest is the world, except objects flagged with the custom property `physplace_ignore` and the curves that
define an exact surface.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from bpy.types import Depsgraph, Object

from ..core.arrays import Floats
from .access import custom_properties, present
from .definitions import curve_names, has_definition
from .meshes import GEOMETRY_TYPES

IGNORE = "physplace_ignore"


@dataclass(frozen=True, eq=False)
class Item:
    """An evaluated object or instance and its world matrix (4, 4). Lives only while it is iterated over."""

    evaluated: Object
    matrix: Floats
    exact: bool


@dataclass(frozen=True)
class Family:
    """The full names of an object and of all that moves with it."""

    names: frozenset[str]

    @classmethod
    def of(cls, active: Object) -> Family:
        """The object and its children, theirs too."""
        return cls(frozenset(member.name_full for member in (active, *active.children_recursive)))


def items(depsgraph: Depsgraph, family: Family, *, moving: bool) -> Iterator[Item]:
    """Everything visible that has a shape: what moves with the active object, or all the rest.

    Each item must be used up before the next one is asked for.
    """
    helpers = _helpers(depsgraph)
    for instance in depsgraph.object_instances:
        shown = present(instance.object)
        owner = instance.parent if instance.is_instance and instance.parent else shown
        if (original(owner).name_full in family.names) != moving:
            continue
        if not instance.is_instance and not instance.show_self:
            continue
        if _ignored(original(shown)) or _ignored(original(owner)) or shown.name in helpers:
            continue
        doubles_itself = instance.is_instance and original(owner) == original(shown)
        exact = has_definition(shown)
        if exact and not doubles_itself:
            yield Item(shown, np.array(instance.matrix_world, dtype=np.float64), exact=True)
        elif not exact and shown.type in GEOMETRY_TYPES and (shown.type == "MESH" or instance.is_instance):
            yield Item(shown, np.array(instance.matrix_world, dtype=np.float64), exact=False)


def original(evaluated: Object) -> Object:
    """The object of the file that an evaluated object is made from."""
    source = evaluated.original
    return source if isinstance(source, Object) else evaluated


def _ignored(obj: Object) -> bool:
    return bool(custom_properties(obj).get(IGNORE, False))


def _helpers(depsgraph: Depsgraph) -> frozenset[str]:
    names: set[str] = set()
    for obj in depsgraph.objects:
        names |= curve_names(obj)
    return frozenset(names)
