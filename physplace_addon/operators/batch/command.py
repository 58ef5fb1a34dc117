# SPDX-License-Identifier: GPL-3.0-or-later
"""The command of Blender's that does batches: `blender --command physplace job.json`.

It does the variations that are not done yet, and says a line of each.  Killed and started again it goes on
where it stopped; several machines share a job by ranges (`--first`, `--count`).
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Final, cast

import bpy

from ...core.errors import PhysPlaceError
from ...core.wording import counted
from .job_file import BatchJob, read_job
from .variations import finished, libraries, make_output, open_scene, variation, write

COMMAND: Final = "physplace"
ALL_AT_REST, SOME_NOT, REFUSED = 0, 1, 2  # exit codes


def run(words: Sequence[str]) -> int:
    """Do a batch; returns the exit code: 0 all at rest, 1 some are not, 2 the job cannot be done."""
    parser = argparse.ArgumentParser(
        prog=f"blender --command {COMMAND}",
        description="Makes variations of a scene whose objects come to rest.",
    )
    parser.add_argument("job", type=Path, help="a JSON file; the manual's page on batches says what is in it")
    parser.add_argument("--first", type=_number, default=0, help="number of the first variation to do")
    parser.add_argument("--count", type=_number, help="how many to do, from the first on; without it, all")
    parser.add_argument(
        "--accept-restless", action="store_true", help="exit with 0 although some objects are not at rest"
    )
    chosen = parser.parse_args(list(words))
    try:
        job = read_job(chosen.job.resolve())
        restless = _do(job, _range(job, chosen.first, chosen.count))
    except (PhysPlaceError, OSError) as error:  # OSError: a folder that cannot be written, a full disk
        print(f"{COMMAND}: {error}", file=sys.stderr)
        return REFUSED
    return SOME_NOT if restless and not chosen.accept_restless else ALL_AT_REST


def _number(word: str) -> int:
    """Return a number of variations that the command line gives."""
    found = int(word)
    if found < 0:
        raise argparse.ArgumentTypeError(f"{found} is less than 0")
    return found


def _range(job: BatchJob, first: int, count: int | None) -> range:
    end = job.variations if count is None else min(job.variations, first + count)
    return range(first, max(first, end))


def _do(job: BatchJob, numbers: range) -> int:
    """Do the variations that are not done; returns how many have objects that are not at rest."""
    open_scene(job)
    digest = job.digest(libraries())
    make_output(job)
    restless = 0
    for number in numbers:
        at_rest = finished(job, number, digest)
        if at_rest is None:
            made = variation(job, number)
            write(job, made, digest)
            at_rest = made.at_rest
            tried = "" if made.tries == 1 else f", scattered {made.tries} times"
            print(f"variation {number}: {'at rest' if at_rest else 'NOT at rest'}{tried}", flush=True)
        restless += not at_rest
    print(f"{counted(len(numbers), 'variation')}, {restless} not at rest", flush=True)
    return restless


@contextmanager
def added_command() -> Iterator[None]:
    """Give Blender the command for as long as the block lasts."""
    # the stub says that it gives nothing
    register = cast("Callable[..., object]", bpy.utils.register_cli_command)
    handle = register(COMMAND, run)
    try:
        yield
    finally:
        bpy.utils.unregister_cli_command(handle)
