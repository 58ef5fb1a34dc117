# SPDX-License-Identifier: GPL-3.0-or-later
"""Presets of the scene's settings, by Blender's own mechanism, in the extension's folder of the user.

Blender lists, and loads, whatever script is in a folder `presets/SUBFOLDER` of the paths that it was told.
Its own operator would write presets into the user's scripts. An extension writes into the folder that it was
given, and nowhere else, so this one has its own. Some presets come with it, in its folder `presets`; they
stay as they are.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, cast

import bpy
import numpy as np
from bpy.props import BoolProperty, StringProperty
from bpy.types import Context, Operator

from ..properties import PhysPlaceSettings
from ..scene.access import present, scene_of
from ..scene.reading.settings import settings_of
from ..translations.spoken import spoken
from .common import tell

if TYPE_CHECKING:
    from bpy.stub_internal.rna_enums import OperatorReturnItems

SUBFOLDER: Final = "physplace/settings"
PACKAGE_FOLDER: Final = Path(__file__).parents[1]
SHIPPED: Final = PACKAGE_FOLDER / "presets" / SUBFOLDER
PACKAGE: Final = present(__package__).rpartition(".")[0]
OF_A_SCENE: Final = frozenset({"onto_collection"})  # what another scene does not have

_utils: Final = cast("Any", bpy.utils)  # the stubs do not know its functions for presets


class PHYSPLACE_OT_settings_preset_add(Operator):
    """Keep the scene's settings under a name, or remove what was kept."""

    bl_idname = "physplace.settings_preset_add"
    bl_label = "Add Settings Preset"
    bl_description = "Keep the settings of this scene under a name, for other scenes; or remove such a preset"
    bl_options = {"REGISTER", "INTERNAL"}

    if TYPE_CHECKING:
        name: str
        remove_name: bool
    else:
        name: StringProperty(
            name="Preset Name", description="The name of the preset", maxlen=64, options={"SKIP_SAVE"}
        )
        remove_name: BoolProperty(
            name="Remove",
            description="Remove the preset of this name, instead of adding it",
            options={"HIDDEN", "SKIP_SAVE"},
        )

    @classmethod
    def poll(cls, _context: Context) -> bool:
        """Return whether there is a folder for presets: only an installed extension has one."""
        there = is_extension()
        if not there:
            cls.poll_message_set(
                spoken("PhysPlace is not installed as an extension: it has no folder for presets")
            )
        return there

    def execute(self, context: Context) -> set[OperatorReturnItems]:
        """Write or remove the preset's file."""
        name = shown_name(self.name)
        if self.remove_name:
            return self._remove(name)
        path = Path(_user_folder(f"presets/{SUBFOLDER}", create=True), f"{file_name(name)}.py")
        if not name or _found(name) or path.exists():
            why = f'There is a preset "{name}" already' if name else "A preset needs a name"
            tell(self, "WARNING", f"{why}: type another one")
            return {"CANCELLED"}
        path.write_text(script_of(settings_of(scene_of(context))), encoding="utf-8")
        return {"FINISHED"}

    def _remove(self, name: str) -> set[OperatorReturnItems]:
        path = _own(self.name) or _own(name) or _found(self.name) or _found(name)
        if path is None:
            tell(self, "WARNING", f'There is no preset "{self.name}"')
            return {"CANCELLED"}
        if path.parent == SHIPPED:
            tell(self, "WARNING", f'The preset "{self.name}" comes with PhysPlace: it stays')
            return {"CANCELLED"}
        path.unlink()
        return {"FINISHED"}


def _own(name: str) -> Path | None:
    """Return the file of the user's own preset that Blender shows by a name; None if there is none."""
    folder = Path(_user_folder(f"presets/{SUBFOLDER}", create=True))
    named = (path for path in sorted(folder.glob("*.py")) if shown_of_file(path.name) == name)
    return next(named, None)


def _found(name: str) -> Path | None:
    """Return the file of the preset that Blender shows by a name; None if there is none."""
    found = cast("str | None", _utils.preset_find(name, SUBFOLDER, display_name=True))
    return None if found is None else Path(found)


def script_of(settings: PhysPlaceSettings) -> str:
    """Return a script, as Blender's own presets are, that gives the scene these settings."""
    own = [prop for prop in settings.bl_rna.properties if prop.identifier not in {"rna_type", "name"}]
    kept = [prop.identifier for prop in own if prop.identifier not in OF_A_SCENE]
    lines = [f"settings.{name} = {_value(settings, name)!r}" for name in kept]
    return "\n".join(["import bpy", "settings = bpy.context.scene.physplace", "", *lines, ""])


def _value(settings: PhysPlaceSettings, name: str) -> object:
    value = getattr(settings, name)
    if isinstance(value, float):
        return float(str(np.float32(value)))  # Blender's single precision, in as few digits as tell it
    return value if isinstance(value, (str, bool, int)) else tuple(value)


def file_name(name: str) -> str:
    """Return a file's name, without its ending, that Blender shows as the name of a preset."""
    letters = bpy.path.display_name_to_filepath(name.strip())
    kept = (letter if letter.isalnum() or letter == "-" else "_" for letter in letters)
    return "".join(kept).strip("_")


def shown_name(name: str) -> str:
    """Return the name that Blender shows of a preset kept under a name; empty if it cannot be kept."""
    return bpy.path.display_name(file_name(name), has_ext=False, title_case=False)


def shown_of_file(file: str) -> str:
    """Return the name that Blender shows of a preset's file."""
    return bpy.path.display_name(file, title_case=False)


def is_extension() -> bool:
    """Return whether this is installed as an extension, which has a folder of the user."""
    return PACKAGE.startswith("bl_ext.")


def _user_folder(path: str = "", *, create: bool = False) -> str:
    return bpy.utils.extension_path_user(PACKAGE, path=path, create=create)


@contextmanager
def presets_found() -> Iterator[None]:
    """Have Blender find the presets that come with it, and those of the user, until the block ends."""
    folders = [str(PACKAGE_FOLDER)]
    if is_extension():
        _user_folder(f"presets/{SUBFOLDER}", create=True)  # else Blender's list says that paths are missing
        folders.append(_user_folder())
    for folder in folders:
        _utils.register_preset_path(folder)
    try:
        yield
    finally:
        for folder in folders:
            _utils.unregister_preset_path(folder)
