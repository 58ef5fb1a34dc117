# SPDX-License-Identifier: GPL-3.0-or-later
"""Bilateral contacts of an object, as its custom property `physplace_bilateral` defines them.

The property is text: the name of an object, or several names separated by commas; a name may have commas
itself. Every contact that the
object forms with one of them, or with a child of it, sticks from the moment it touches: it slides but does
not separate (Snyder 1995, section 4.2).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

import bpy
from bpy.types import Object

from ..access import custom_properties
from ..errors import SceneError
from .scenario import Scenario
from .visible import Family

BILATERAL: Final = "physplace_bilateral"
_REMEDY: Final = "set it to the name of another object, or to several names separated by commas"


def bilateral_names(obj: Object) -> tuple[str, ...]:
    """Return the names of the objects that an object's contacts stick to; none without the property.

    Raises SceneError for a property that is not text, and for a name that is no other object's.
    """
    found = custom_properties(obj).get(BILATERAL, "")
    if not isinstance(found, str):
        raise SceneError(obj.name, f'its property "{BILATERAL}" is {found!r}', _REMEDY)
    names = tuple(_names(found.split(",")))
    own = Family.of(obj).names
    for name in names:
        if name not in bpy.data.objects:
            raise SceneError(obj.name, f'its property "{BILATERAL}" names no object: {name!r}', _REMEDY)
        if bpy.data.objects[name].name_full in own:
            raise SceneError(
                obj.name, f'its property "{BILATERAL}" names {name!r}, which moves with it', _REMEDY
            )
    return names


def _names(pieces: Sequence[str]) -> Iterator[str]:
    """Yield the names in a text cut at its commas; the most pieces that make an object's name are one."""
    while pieces:
        joined = [(count, ",".join(pieces[:count]).strip()) for count in range(len(pieces), 0, -1)]
        known = ((count, name) for count, name in joined if name in bpy.data.objects)
        count, name = next(known, joined[-1])
        pieces = pieces[count:]
        if name:
            yield name


def bilateral_pairs(scenario: Scenario) -> tuple[tuple[int, int], ...]:
    """Return which bodies of a scenario stick to each other where they touch.

    Returns:
        Pairs of bodies by number: the moving bodies come first, then those of the world.

    Raises SceneError as `bilateral_names` does.
    """
    movers = [subject.object for subject in scenario.subjects]
    families = [Family.of(mover).names for mover in movers]
    pairs: list[tuple[int, int]] = []
    for number, mover in enumerate(movers):
        named = [bpy.data.objects[name] for name in bilateral_names(mover)]
        members = frozenset[str]().union(*(Family.of(other).names for other in named))
        pairs += [(number, other) for other, names in enumerate(families) if names & members]
        parts = [part for part, owner in enumerate(scenario.owners) if owner in members]
        pairs += [(number, len(movers) + part) for part in parts]
    return tuple(pairs)
