# SPDX-License-Identifier: GPL-3.0-or-later
"""What a shape depends on must move with it, or it becomes another one on the way.

That are the objects its modifiers refer to, such as an armature, a lattice or a cutter, and the other
metaballs of one blob: those visible whose names are alike up to a number.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from bpy.types import Depsgraph, Modifier, Object

from .errors import SceneError
from .visible import original

SHAPELESS = frozenset(  # modifiers that move no point
    {
        *("DATA_TRANSFER", "NORMAL_EDIT", "WEIGHTED_NORMAL", "UV_PROJECT", "UV_WARP"),
        *("VERTEX_WEIGHT_EDIT", "VERTEX_WEIGHT_MIX", "VERTEX_WEIGHT_PROXIMITY"),
    }
)
DEFORMING_PARENTS = frozenset({"ARMATURE", "LATTICE"})


def check_moves_whole(obj: Object, depsgraph: Depsgraph) -> None:
    """Raise SceneError, naming both, if the shape of an object or a child depends on one that stays."""
    members = [obj, *obj.children_recursive]
    for member in members:
        for what, other in _needed(member, depsgraph):
            if other not in members:
                raise SceneError(
                    member.name,
                    f'{what} "{other.name}", which does not move with it',
                    "parent one to the other and place the parent, or make it a mesh of its own",
                )


def _needed(member: Object, depsgraph: Depsgraph) -> Iterator[tuple[str, Object]]:
    """The objects that a shape depends on, and how."""
    for modifier in member.modifiers:
        if modifier.show_viewport and modifier.type not in SHAPELESS:
            for other in _objects_of(modifier):
                yield f'its modifier "{modifier.name}" depends on', other
    if member.parent is not None and member.parent_type in DEFORMING_PARENTS:
        yield "it is deformed by", member.parent
    if member.type == "META":
        for other in depsgraph.objects:
            if other.type == "META" and _blob(other) == _blob(member):
                yield "it is one blob with", original(other)


def _objects_of(modifier: Modifier) -> Iterator[Object]:
    """The objects that a modifier refers to."""
    for prop in modifier.bl_rna.properties:
        other = getattr(modifier, prop.identifier) if prop.type == "POINTER" else None
        if isinstance(other, Object):
            yield other


def _blob(ball: Object) -> str:
    """What the names of all metaballs of a blob begin with."""
    return re.sub(r"\.\d+$", "", ball.name)
