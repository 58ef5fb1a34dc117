# SPDX-License-Identifier: GPL-3.0-or-later
"""What changes an object's mesh from frame to frame, which a simulation leaves out of account.

Keys and drivers of shape keys and of modifiers do, modifiers that change a mesh by themselves, and those that
follow what may move. A modifier of geometry nodes follows what its inputs and the nodes of its group name.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from bpy.types import Collection, Key, Modifier, Node, NodeTree, Object

from ..access import pointers
from ..writing.actions import curves_of
from .sampling import may_move

# modifiers that change a mesh from frame to frame by themselves; of some, those of one kind
_CHANGING = frozenset(
    {"BUILD", "CLOTH", "EXPLODE", "MESH_CACHE", "MESH_SEQUENCE_CACHE", "OCEAN"}
    | {"PARTICLE_INSTANCE", "SOFT_BODY", "WAVE"}
)
_OF_A_KIND = {"DYNAMIC_PAINT": ("ui_type", "CANVAS"), "FLUID": ("fluid_type", "DOMAIN")}
_CHANGING_NODES = frozenset({"GeometryNodeInputSceneTime", "GeometryNodeSimulationOutput"})


def changes_shape(obj: Object) -> bool:
    """Return whether the mesh of an object may change from frame to frame."""
    by_keys = _is_animated(getattr(obj.data, "shape_keys", None), "")
    by_settings = _is_animated(obj, "modifiers")
    return by_keys or by_settings or any(each.show_viewport and _changes(each) for each in obj.modifiers)


def _is_animated(owner: Object | Key | NodeTree | None, prefix: str) -> bool:
    """Return whether keys or drivers change what has a data path with a prefix."""
    if owner is None or owner.animation_data is None:
        return False
    drivers = (driver for driver in owner.animation_data.drivers if not driver.mute)
    return any(each.data_path.startswith(prefix) for each in (*curves_of(owner), *drivers))


def _changes(modifier: Modifier) -> bool:
    """Return whether a modifier may change a mesh from frame to frame."""
    if modifier.type in _CHANGING:
        return True
    if modifier.type in _OF_A_KIND:
        name, kind = _OF_A_KIND[modifier.type]
        return bool(getattr(modifier, name) == kind)
    if modifier.type == "NODES":
        return _nodes_change(modifier)
    return any(_moves(getattr(modifier, name), modifier) for name in pointers(modifier))


def _nodes_change(modifier: Any) -> bool:
    """Return whether a modifier of geometry nodes may change a mesh from frame to frame."""
    trees = list(_trees(modifier.node_group, set()))
    nodes = [node for tree in trees for node in tree.nodes if not node.mute]
    named = [*_inputs(modifier), *(value for node in nodes for value in _named(node))]
    return (
        any(_is_animated(tree, "") for tree in trees)
        or any(node.bl_idname in _CHANGING_NODES for node in nodes)
        or any(_moves(value, modifier) for value in named)
    )


def _trees(tree: NodeTree | None, known: set[NodeTree]) -> Iterator[NodeTree]:
    """Yield a tree of nodes and those of the groups in it, each once."""
    if tree is None or tree in known:
        return
    known.add(tree)
    yield tree
    for node in tree.nodes:
        yield from _trees(getattr(node, "node_tree", None), known)


def _inputs(modifier: Any) -> list[object]:
    """Return the values of the inputs of a modifier of geometry nodes."""
    if not hasattr(modifier, "properties"):  # Blender before 5.2 keeps them as custom properties
        return list(modifier.values())
    inputs = modifier.properties.inputs
    every = [getattr(inputs, name) for name in pointers(inputs, settable=False)]
    return [getattr(each, "value", None) for each in every]


def _named(node: Node) -> Iterator[object]:
    """Yield what a node itself, and its sockets that nothing is linked to, name."""
    yield from (getattr(node, name) for name in pointers(node))
    yield from (getattr(socket, "default_value", None) for socket in node.inputs if not socket.is_linked)


def _moves(named: object, modifier: Modifier) -> bool:
    """Return whether what is named is or has an object, other than the modifier's own, that may move."""
    objects = named.all_objects if isinstance(named, Collection) else [named]
    own = modifier.id_data
    return any(isinstance(each, Object) and each != own and may_move(each) for each in objects)
