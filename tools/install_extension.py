# SPDX-License-Identifier: GPL-3.0-or-later
"""Installs a built zip in Blender as an artist would, and sees that it comes up whole and goes away whole.

BLENDER_USER_RESOURCES=<empty folder> python tools/install_extension.py dist/physplace-...zip
"""

import sys
from pathlib import Path

import bpy

MODULE = "bl_ext.user_default.physplace"


def names_in_blender() -> set[str]:
    """What PhysPlace has added to Blender's types."""
    classes = {name for name in dir(bpy.types) if name.startswith("PHYSPLACE_")}
    return classes | ({"scene.physplace"} if hasattr(bpy.types.Scene, "physplace") else set())


def main() -> int:
    """Install, enable, look, disable, look again."""
    package = Path(sys.argv[1]).resolve()
    bpy.ops.extensions.package_install_files(
        filepath=str(package), repo="user_default", enable_on_install=True
    )
    added = names_in_blender()
    if "scene.physplace" not in added:
        print(f"{package.name}: enabled, but scene.physplace is not there", file=sys.stderr)
        return 1
    bpy.ops.preferences.addon_disable(module=MODULE)
    if names_in_blender():
        print(f"{package.name}: left behind when disabled: {sorted(names_in_blender())}", file=sys.stderr)
        return 1
    print(f"{package.name}: installed, enabled and disabled in Blender {bpy.app.version_string}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
