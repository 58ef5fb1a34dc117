"""All texts that Blender shows of PhysPlace by itself, and so translates: names, tooltips, entries, labels.

`python -m tests.addon.shown_strings` prints them as a template for translators. What an operator reports when
it ends, and what the header says, are sentences made of what was found; they are not among these.
"""

from __future__ import annotations

import ast
import os
import sys
from pathlib import Path
from typing import Any

import bpy

from physplace_addon.panels import blobs
from physplace_addon.registration import CLASSES
from tests.blender_data import physplace

SHOWING = (bpy.types.Panel, bpy.types.Menu)


def described() -> list[tuple[str, str, str]]:
    """What is shown of each operator, property and entry: where it is, its name, its description."""
    found = []
    for cls in CLASSES:
        own: Any = cls
        if issubclass(cls, bpy.types.Operator):
            own = getattr(physplace, own.bl_idname.split(".")[1]).get_rna_type()
            found.append((cls.__name__, own.name, own.description))
        elif issubclass(cls, bpy.types.PropertyGroup | bpy.types.AddonPreferences):
            own = own.bl_rna
        else:
            continue
        inherited = {prop.identifier for prop in own.base.properties} if own.base else set()
        for prop in own.properties:
            if prop.identifier not in inherited | {"rna_type"}:
                found.append((f"{cls.__name__}.{prop.identifier}", prop.name, prop.description))
                for item in prop.enum_items if prop.type == "ENUM" else ():
                    place = f"{cls.__name__}.{prop.identifier} {item.identifier}"
                    found.append((place, item.name, item.description))
    return found


def labels() -> set[str]:
    """The titles of panels and menus, and the texts that their layouts are given as such."""
    found = {cls.bl_label for cls in CLASSES if issubclass(cls, SHOWING)}
    found |= {*blobs.OF_BLOBS.values(), *blobs.OF_ELEMENTS.values(), *blobs.OF_OWN_JOINS.values()}
    package = Path(blobs.__file__).resolve().parents[1]
    for path in package.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.Call):
                given = [word.value for word in node.keywords if word.arg == "text"]
                constants = [part for value in given for part in _branches(value)]
                found |= {each.value for each in constants if isinstance(each.value, str)}
    return found - {""}


def _branches(value: ast.expr) -> list[ast.Constant]:
    if isinstance(value, ast.IfExp):
        return _branches(value.body) + _branches(value.orelse)
    return [value] if isinstance(value, ast.Constant) else []


def shown() -> set[str]:
    """All of these texts."""
    return {text for _, *texts in described() for text in texts} | labels()


def main() -> None:
    """Print the template."""
    import physplace_addon

    physplace_addon.register()
    for text in sorted(shown()):
        quoted = text.replace("\\", "\\\\").replace('"', '\\"')
        print(f'msgid "{quoted}"\nmsgstr ""\n')
    sys.stdout.flush()
    os._exit(0)


if __name__ == "__main__":
    main()
