# SPDX-License-Identifier: GPL-3.0-or-later
"""Runs the test suite on every Blender LTS that PhysPlace supports, each in an environment of its own.

    python3 tools/test_all.py [--available] [--others] [--set-up] [words for pytest]

A Blender whose Python this machine lacks is listed as not run, and that is a failure: nobody should read
"passed" and believe it means all three. With --available it is only listed. With --others the Blender that
`make test` has tested is left out. With --set-up the environments are made and nothing is tested.
"""

from __future__ import annotations

import subprocess
import sys
import time

import pythons
import setup

NOT_RUN = "NOT RUN"


def run(blender: str, options: list[str] | None) -> str:
    """Set up one Blender, and test it unless there are no options; what became of it, in a few words."""
    try:
        pythons.find(setup.BLENDERS[blender])
    except pythons.PythonError as error:
        return f"{NOT_RUN}: {' '.join(str(error).split())}"
    folder = setup.ROOT / (".venv" if blender == setup.default_blender() else f".venv-{blender}")
    try:
        setup.set_up_blender(blender, folder)
    except setup.SetupError as error:
        print(error, flush=True)
        return "FAILED in set-up, see above"
    if options is None:
        return "passed: it is set up"
    started = time.monotonic()
    parallel = ["--numprocesses=auto", "--dist=loadfile"]
    command = [str(folder / "bin" / "python"), "-m", "pytest", *parallel, *options]
    code = subprocess.run(command, cwd=setup.ROOT, stdin=subprocess.DEVNULL).returncode
    return f"{'FAILED' if code else 'passed'} in {time.monotonic() - started:.0f} s"


def main() -> int:
    """Run all, print a line for each, fail unless all passed."""
    accepted = ("passed", NOT_RUN) if "--available" in sys.argv else ("passed",)
    words = [word for word in sys.argv[1:] if word not in ("--available", "--others", "--set-up")]
    options = None if "--set-up" in sys.argv else words
    tested = {setup.default_blender()} if "--others" in sys.argv else set()
    outcomes = {}
    for blender in sorted(setup.BLENDERS.keys() - tested):
        print(f"\n=== Blender {blender} LTS ===", flush=True)
        outcomes[blender] = run(blender, options)
    print()
    for blender, outcome in outcomes.items():
        python = pythons.name_of(setup.BLENDERS[blender])
        print(f"Blender {blender} LTS, Python {python}: {outcome}")
    return 0 if all(outcome.startswith(accepted) for outcome in outcomes.values()) else 1


if __name__ == "__main__":
    sys.exit(main())
