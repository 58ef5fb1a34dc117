"""Lays PhysPlace out as an installed extension, for one Blender.

A Blender that brings scipy (Debian's do, by Debian's package) gets the extension without wheels; any other
gets the wheel that the manifest has for its Python.
"""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import tomllib
from pathlib import Path
from typing import NamedTuple

import build
from tests.window.programs import Programs

PROBE = """
import importlib.util, json, sys, bpy
scipy = importlib.util.find_spec("scipy") is not None
print("PROBE", json.dumps([bpy.app.version_string, list(sys.version_info[:2]), scipy]))
"""


class Found(NamedTuple):
    """What a Blender is."""

    version: str
    python: tuple[int, int]
    has_scipy: bool


def probe(programs: Programs) -> Found:
    """Ask Blender what it is; raises RuntimeError if it does not start."""
    words = [programs.blender, "--background", "--factory-startup", "--python-expr", PROBE]
    command = programs.command(*words)
    answer = subprocess.run(command, capture_output=True, text=True, stdin=subprocess.DEVNULL, cwd=build.ROOT)
    line = re.search("^PROBE (.*)$", answer.stdout, re.MULTILINE)
    if line is None:
        raise RuntimeError(f"{programs.blender} does not start:\n{answer.stdout}{answer.stderr}")
    version, (major, minor), has_scipy = json.loads(line[1])
    return Found(version, (major, minor), has_scipy)


def wheels_for(python: tuple[int, int]) -> list[Path]:
    """The extension's wheel for this Python on Linux; raises RuntimeError if it has none."""
    names = tomllib.loads(build.MANIFEST.read_text())["wheels"]
    tag = "-cp{}{}-".format(*python)
    found = [build.ROOT / name for name in names if tag in name and "manylinux" in name]
    if not found:
        version = "{}.{}".format(*python)
        raise RuntimeError(f"this Blender brings no scipy, nor does the extension for Python {version}")
    return found


def lay_out(found: Found, user_folder: Path) -> None:
    """Install the extension in a user's folder of this Blender."""
    wheels = [] if found.has_scipy else wheels_for(found.python)
    target = user_folder / "extensions" / "user_default" / "physplace"
    shutil.copytree(build.ROOT / "physplace_addon", target, ignore=shutil.ignore_patterns("__pycache__"))
    names = "".join(f'"./wheels/{wheel.name}",' for wheel in wheels)
    whole, listed = build.MANIFEST.read_text(), re.compile(r"^wheels = \[.*?^\]", re.MULTILINE | re.DOTALL)
    (target / "blender_manifest.toml").write_text(listed.sub(f"wheels = [{names}]", whole))
    (target / "wheels").mkdir()
    for wheel in wheels:
        build.fetch(wheel)
        shutil.copy(wheel, target / "wheels")
