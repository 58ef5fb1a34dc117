# SPDX-License-Identifier: GPL-3.0-or-later
"""Blender's own messages kept back, and the progress of the demo shown in one line a step."""

from __future__ import annotations

import os
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager

STANDARD_OUTPUT = 1  # the file descriptor that Blender writes to from C


@contextmanager
def quiet() -> Iterator[None]:
    """Keep back what is written to the standard output, by C too, and show it only after an exception."""
    sys.stdout.flush()
    shown = os.dup(STANDARD_OUTPUT)
    with tempfile.TemporaryFile() as log:
        os.dup2(log.fileno(), STANDARD_OUTPUT)
        try:
            yield
        except BaseException:
            log.seek(0)
            sys.stderr.write(log.read().decode(errors="replace"))
            raise
        finally:
            sys.stdout.flush()
            os.dup2(shown, STANDARD_OUTPUT)
            os.close(shown)


@contextmanager
def progress(doing: str) -> Iterator[None]:
    """Print what is being done, and when it is done the seconds it took; Blender is quiet meanwhile."""
    print(f"{doing} ...", end=" ", flush=True)
    started = time.perf_counter()
    try:
        with quiet():
            yield
    except BaseException:
        print("failed", flush=True)
        raise
    print(f"{time.perf_counter() - started:.1f} s", flush=True)
