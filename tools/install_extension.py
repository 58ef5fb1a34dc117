# SPDX-License-Identifier: GPL-3.0-or-later
"""Installs a built zip in Blender as an artist would, installs it again over itself, disables and removes it.

It sees that it comes up whole each time, that it goes away whole, and that no file of it is left behind.

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


def installed() -> list[str]:
    """The files of PhysPlace and of its wheels in the user's folder, seen from there; caches do not count."""
    folder = Path(bpy.utils.resource_path("USER"))
    files = [path for path in folder.rglob("*") if path.is_file() and "__pycache__" not in path.parts]
    return [str(path.relative_to(folder)) for path in files if {"physplace", "scipy"} & set(path.parts)]


def install(package: Path) -> None:
    """Install the zip and enable it; an installed one is replaced."""
    bpy.ops.extensions.package_install_files(
        filepath=str(package), repo="user_default", enable_on_install=True
    )


def remove() -> None:
    """Remove it as the button in the preferences does."""
    preferences = bpy.context.preferences
    assert preferences is not None
    repos = preferences.extensions.repos
    index = [repo.module for repo in repos].index("user_default")
    bpy.ops.extensions.package_uninstall(repo_index=index, pkg_id="physplace")


def life(package: Path) -> str:
    """Lead the zip through its life; return what is wrong, or nothing."""
    for time in ("installed", "installed again"):
        install(package)
        if "scene.physplace" not in names_in_blender():
            return f"{time} and enabled, but scene.physplace is not there"
        if not installed():
            return f"{time}, but its files are not in the user's folder"
    bpy.ops.preferences.addon_disable(module=MODULE)
    if names_in_blender():
        return f"left behind when disabled: {sorted(names_in_blender())}"
    remove()
    left = installed()
    return f"left behind when removed: {left[:5]} and others, {len(left)} in all" if left else ""


def main() -> int:
    """Say how the zip's life went; return the exit code."""
    if len(sys.argv) != 2:
        print(__doc__, file=sys.stderr)
        return 2
    package = Path(sys.argv[1]).resolve()
    if not package.is_file():
        print(f"install_extension: there is no file {package}", file=sys.stderr)
        return 2
    wrong = life(package)
    if wrong:
        print(f"{package.name}: {wrong}", file=sys.stderr)
        return 1
    print(f"{package.name}: installed twice, disabled and removed in Blender {bpy.app.version_string}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
