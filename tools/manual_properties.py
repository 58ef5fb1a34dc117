# SPDX-License-Identifier: GPL-3.0-or-later
"""Writes the manual's page of properties, docs/properties.md, from what the extension registers.

    .venv/bin/python tools/manual_properties.py        in a Python that has bpy

The names, defaults and meanings are those of Blender's tooltips. A test holds the page against the code.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any, Final

ROOT = Path(__file__).resolve().parent.parent
PAGE = ROOT / "docs" / "properties.md"
HEAD = """\
# Properties

All that PhysPlace keeps in a file or in the preferences, and what its operators can be told. The tables are
made from the code by `tools/manual_properties.py`. Names are as a script writes them, meanings as Blender's
tooltips say them.
"""

# The groups of properties: a heading, how a script gets at it, and the class.
GROUPS: Final = (
    ("Settings of a scene", "scene.physplace", "PhysPlaceSettings"),
    ("An object", "object.physplace", "PhysPlaceObject"),
    ("A rest", "object.physplace.rests[0]", "PhysPlaceRest"),
    ("A force of a rest", "object.physplace.rests[0].forces[0]", "PhysPlaceRestForce"),
    ("Switches of the window", "window_manager.physplace", "PhysPlaceSwitches"),
    ("Preferences", "preferences of the extension", "PhysPlacePreferences"),
)
CUSTOM_HEAD = """\
## Custom properties

Those of exact surfaces begin with `surface` and stand in [Exact surfaces](manual.md#exact-surfaces), those of
blobs begin with `blob` and stand in [Blobs](blobs.md). These artists and scripts set:

| property | of | meaning |
|---|---|---|
"""
KEPT_HEAD = """
And these PhysPlace keeps itself:

| property | of | meaning |
|---|---|---|
"""
SET: Final = {
    "physplace_ignore": ("an object", "1: it is left out, with its children; nothing meets it"),
    "physplace_bilateral": (
        "what is placed",
        "names of objects that it does not separate from, with commas",
    ),
    "physplace_density": ("an object", "the weight of a unit of its volume, or of its area; 1 unless given"),
    "physplace_mass": ("an object", "the weight of all that it shows itself"),
    "physplace_center_of_mass": ("an object", "the name of a child that stands at its centre of mass"),
    "physplace_faceted": ("a mesh object", "1: its smooth faces are flat, 0: curved; before the setting"),
    "physplace_tolerance": ("a formula's object", "how far its mesh may be from the surface, a length"),
    "physplace_friction": ("what is simulated", "Coulomb's coefficient"),
    "physplace_restitution": ("what is simulated", "how much of its speed it keeps in an impact, 0 to 1"),
    "physplace_stiffness": ("a joint", "how stiff it is when the figure sits down: 0 limp, 1 locked"),
    "physplace_pin": ("a part of a figure", "where it is pinned"),
}
KEPT: Final = {
    "physplace_report": ("what was placed", "[the report](manual.md#the-report)"),
    "physplace_contacts": ("what was placed", "seven numbers a contact: place, direction, force"),
    "physplace_start": ("what was placed", "where it fell from"),
    "physplace_regions": (
        "a scene",
        "[their report](manual.md#the-report-of-contact-regions)",
    ),
    "physplace_joint": ("a constraint's object", "where the joint holds its two objects"),
    "physplace_blob": ("a mesh", "the blob that it was made from"),
    "physplace_blob_spacing": ("a mesh", "the spacing of the particles that it was made with"),
    "physplace_surface": ("a mesh", "the formula that it was made from"),
    "physplace_surface_error": ("a mesh", "why it could not be made from its formula"),
    "physplace_unbaked": ("a baked element", "its values before it was baked"),
    "physplace_unbaked_action": ("a baked element", "its action before it was baked"),
}


def page() -> str:
    """Return the page's text. The extension must be registered."""
    import bpy

    from physplace_addon.registration import CLASSES

    parts = [HEAD]
    groups: dict[str, Any] = {each.__name__: each for each in CLASSES}
    for heading, path, name in GROUPS:
        parts.append(f"## {heading}\n\n`{path}`:\n\n{_table(groups[name].bl_rna)}")
    parts.append(f"{CUSTOM_HEAD}{_rows(SET)}{KEPT_HEAD}{_rows(KEPT)}")
    parts.append("## Operators\n\nEach by its name in `bpy.ops`; those without properties are left out.\n")
    operators: Any = bpy.ops
    for name in sorted(dir(operators.physplace)):
        rna = getattr(operators.physplace, name).get_rna_type()
        if not name.endswith("_key") and _shown(rna):
            parts.append(f"### {rna.name}\n\n`physplace.{name}`:\n\n{_table(rna)}")
    return "\n".join(parts)


def _rows(properties: dict[str, tuple[str, str]]) -> str:
    return "".join(f"| `{name}` | {owner} | {meaning} |\n" for name, (owner, meaning) in properties.items())


def _shown(rna: Any) -> list[Any]:
    """Return the properties of a group or an operator that are not hidden."""
    blenders = "rna_type", "name", "bl_idname"
    return [each for each in rna.properties if each.identifier not in blenders and not each.is_hidden]


def _table(rna: Any) -> str:
    lines = ["| property | label | default | meaning |", "|---|---|---|---|"]
    for each in _shown(rna):
        meaning = each.description.replace("|", "\\|")
        lines.append(f"| `{each.identifier}` | {each.name} | {_default(each)} | {meaning}{_choices(each)} |")
    return "\n".join(lines) + "\n"


def _choices(each: Any) -> str:
    """Return what an enumeration has to choose from."""
    if each.type != "ENUM":
        return ""
    names = [f"`{item.identifier}` {item.name}" for item in each.enum_items]
    return (". " if each.description else "") + "One of " + ", ".join(names)


def _default(each: Any) -> str:
    """Return the value that a property has unless it is set."""
    if each.type in ("POINTER", "COLLECTION"):
        return ""
    if getattr(each, "is_array", False):
        return "(" + ", ".join(f"{value:.6g}" for value in each.default_array) + ")"
    value = each.default
    text = f"{value:.6g}" if isinstance(value, float) else repr(value)
    return f"`{text}`" if value != "" else ""


def main() -> None:
    """Register the extension and write the page."""
    sys.path.insert(0, str(ROOT))
    import physplace_addon

    physplace_addon.register()
    try:
        PAGE.write_text(page())
    finally:
        physplace_addon.unregister()


if __name__ == "__main__":
    main()
