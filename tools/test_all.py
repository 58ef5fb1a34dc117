# SPDX-License-Identifier: GPL-3.0-or-later
"""Runs the test suite on every Blender LTS that PhysPlace supports, each in an environment of its own.

A Blender whose Python this machine lacks is listed as not run, and that is a failure: nobody should read
"passed" and believe it means all three.
"""

from __future__ import annotations

import subprocess
import sys
import time

import pythons
import setup


def run(blender: str, options: list[str]) -> str:
    """Set up and test one Blender; what became of it, in a few words."""
    folder = setup.ROOT / f".venv-{blender}"
    try:
        setup.set_up_blender(blender, folder)
    except (setup.SetupError, pythons.PythonError) as error:
        print(error, flush=True)
        return f"NOT RUN: {str(error).splitlines()[0]}"
    started = time.monotonic()
    command = [str(folder / "bin" / "python"), "-m", "pytest", *options]
    code = subprocess.run(command, cwd=setup.ROOT, stdin=subprocess.DEVNULL).returncode
    outcome = "passed" if code == 0 else "FAILED"
    return f"{outcome} in {time.monotonic() - started:.0f} s"


def main() -> int:
    """Run all, print a line for each, fail unless all passed."""
    outcomes = {}
    for blender in sorted(setup.BLENDERS):
        print(f"\n=== Blender {blender} LTS ===", flush=True)
        outcomes[blender] = run(blender, sys.argv[1:])
    print()
    for blender, outcome in outcomes.items():
        print(f"Blender {blender} LTS, Python {pythons.name_of(setup.BLENDERS[blender])}: {outcome}")
    return 0 if all(outcome.startswith("passed") for outcome in outcomes.values()) else 1


if __name__ == "__main__":
    sys.exit(main())
