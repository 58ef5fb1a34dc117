# SPDX-License-Identifier: GPL-3.0-or-later
"""The values of all that is animated, as they are, and the way back to them.

Where Blender evaluates keys, anew or on another frame, each property that has keys or an NLA strip takes
the value that these give it. What an artist has changed without a key is lost: not only a location, but also
a delta, a custom property, the influence of a constraint, the colour of a material. Drivers do not count:
they leave nothing to change.

Data-blocks are held by their ids in a session of Blender: they may be renamed, undone or deleted meanwhile.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from itertools import chain
from typing import Any, Final

import bpy
from bpy.types import ID, Action, NodeTree
from bpy.utils import unescape_identifier

from .action_state import curve_lists, plain

_CUSTOM: Final = re.compile(r'(?P<owner>.*)\["(?P<name>(?:[^"\\]|\\.)*)"\]', re.DOTALL)
_ITEM: Final = re.compile(r"(?P<array>.*)\[(?P<index>\d+)\]", re.DOTALL)  # one number of several
_MODE: Final = "rotation_mode"  # set first: Blender converts the rotation to a new mode

_Address = tuple[int, bool]  # the id of a data-block, and whether its own node tree is meant


class AnimatedValues:
    """The values of what actions and NLA strips animate in data-blocks, as they were when this was made."""

    def __init__(self, blocks: Iterable[ID]) -> None:
        """Keep the values of some data-blocks, and of their own node trees."""
        parts = _parts(blocks)
        self._values = {address: _values_of(part) for address, part in parts.items() if _is_animated(part)}

    @classmethod
    def of_all(cls) -> AnimatedValues:
        """Return those of all data-blocks of the file."""
        return cls(_all_blocks())

    @classmethod
    def of_users(cls, action: Action | None, *blocks: ID) -> AnimatedValues:
        """Return those of data-blocks, and of all that use an action."""
        data: Any = bpy.data  # the stub asks for all arguments of what gives the users
        users: set[ID] = set() if action is None else data.user_map(subset={action})[action]
        return cls({*blocks, *users})

    def put_back(self, but: Mapping[int, Iterable[str]] | None = None) -> None:
        """Give everything that still exists these values again, where it has others.

        but: data paths that keep what they have, by the ids of data-blocks.
        """
        kept = {uid: frozenset(paths) for uid, paths in (but or {}).items()}
        parts = _parts(_all_blocks()) if self._values else {}
        for address in self._values.keys() & parts.keys():
            values = self._values[address]
            for path in sorted(values, key=lambda each: not each.endswith(_MODE)):
                if path not in kept.get(address[0], ()):
                    _put_back(parts[address], path, values[path])


def _parts(blocks: Iterable[ID]) -> dict[_Address, ID]:
    """Return data-blocks and their own node trees, which are in no list of the file."""
    found: dict[_Address, ID] = {}
    for block in blocks:
        found[block.session_uid, False] = block
        tree = getattr(block, "node_tree", None)
        if isinstance(tree, NodeTree) and tree.is_embedded_data:
            found[block.session_uid, True] = tree
    return found


def _all_blocks() -> Iterator[ID]:
    lists = (each for each in bpy.data.bl_rna.properties if each.type == "COLLECTION")
    return chain.from_iterable(getattr(bpy.data, each.identifier) for each in lists)


def _is_animated(block: Any) -> bool:
    return getattr(block, "animation_data", None) is not None


def _values_of(block: Any) -> dict[str, Any]:
    found = {}
    lists = (curves for each in _animating(block) for curves in curve_lists(each))
    for path in {curve.data_path for curves in lists for curve in curves}:
        try:
            found[path] = plain(block.path_resolve(path))
        except ValueError:  # a curve of something that is not there
            continue
    return found


def _animating(block: Any) -> Iterator[Any]:
    """Yield what has an action and a slot of it: the animation data, and strips, those in metas too."""
    data = block.animation_data
    yield data
    strips = [strip for track in data.nla_tracks for strip in track.strips]
    while strips:
        strip = strips.pop()
        strips += strip.strips
        yield strip


def _put_back(block: Any, path: str, value: Any) -> None:
    try:
        now = plain(block.path_resolve(path))
    except ValueError:  # it is not there any more
        return
    if now != value and _is_like(now, value):
        _write(block, path, value)


def _is_like(now: Any, value: Any) -> bool:
    """Return whether a property has as many numbers as a value: an artist may have made another of it."""
    both = isinstance(now, tuple), isinstance(value, tuple)
    return len(now) == len(value) if all(both) else not any(both)


def _write(block: Any, path: str, value: Any) -> None:
    item = _ITEM.fullmatch(path)
    if item is not None:
        block.path_resolve(item["array"])[int(item["index"])] = value
        return
    custom = _CUSTOM.fullmatch(path)
    if custom is None:
        owner, _, name = path.rpartition(".")
        setattr(block.path_resolve(owner) if owner else block, name, value)
        return
    holder = block.path_resolve(custom["owner"]) if custom["owner"] else block
    name = unescape_identifier(custom["name"])
    if isinstance(value, tuple):
        holder[name][:] = value
    else:
        holder[name] = value
    block.update_tag()
