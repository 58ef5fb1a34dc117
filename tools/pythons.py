# SPDX-License-Identifier: GPL-3.0-or-later
"""Finds a Python of a given version on this machine.

Runs under any Python from 3.9 on, because a machine's `python3` may be one that Blender cannot be used with.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

Version = tuple[int, int]

PROBE = """
import sys
try:
    import ensurepip, venv
    whole = 1
except ImportError:
    whole = 0
print(sys.version_info[0], sys.version_info[1], whole)
"""


class PythonError(Exception):
    """No Python on this machine will do; the message says which would."""


def name_of(version: Version) -> str:
    """The version as people write it: (3, 11) is "3.11"."""
    return "{}.{}".format(*version)


def candidates(version: Version) -> Iterator[str]:
    """Programs that may be a Python of this version: this one, those on PATH, those of pyenv."""
    yield sys.executable
    for program in ("python" + name_of(version), "python3"):
        found = shutil.which(program)
        if found:
            yield found
    pyenv = Path(os.environ.get("PYENV_ROOT") or Path.home() / ".pyenv")
    for folder in sorted(pyenv.glob(f"versions/{name_of(version)}.*"), reverse=True):
        yield str(folder / "bin" / "python")


def probe(program: str) -> tuple[Version, bool] | None:
    """The version of `program` and whether it can make environments; None if it is not a working Python."""
    try:
        answer = subprocess.run([program, "-c", PROBE], capture_output=True, text=True, timeout=60)
    except (OSError, subprocess.TimeoutExpired):
        return None
    if answer.returncode != 0:
        return None
    major, minor, whole = (int(word) for word in answer.stdout.split())
    return (major, minor), bool(whole)


def find(version: Version) -> str:
    """The first Python of this version that can make environments.

    Raises PythonError, saying what to install, if there is none.
    """
    incomplete = None
    for program in candidates(version):
        found = probe(program)
        if found is None or found[0] != version:
            continue
        if found[1]:
            return program
        incomplete = program
    if incomplete:
        raise PythonError(
            f"{incomplete} is Python {name_of(version)} but cannot make virtual environments:\n"
            "its venv module is missing. On Debian and Ubuntu: apt install python3-venv"
        )
    raise PythonError(f"Python {name_of(version)} was not found, neither on PATH nor in pyenv.")
