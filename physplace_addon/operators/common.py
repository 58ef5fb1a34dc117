# SPDX-License-Identifier: GPL-3.0-or-later
"""What placing and checking share: when they can run, how they show progress, how they end."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from bpy.types import Context, Operator, WindowManager

from ..core.placement import Certificate, Status
from ..scene.access import active_object

LEFT_IN_PLACE = frozenset({Status.NO_SUPPORT, Status.INTERFERING_START})


def why_not(context: Context) -> str | None:
    """The reason why no object can be placed now, or None."""
    if context.mode != "OBJECT":
        return "Only in Object Mode: leave the mode you are in first"
    if active_object(context) is None:
        return "There is no active object: click the object to place"
    return None


@contextmanager
def progress(manager: WindowManager, total: int) -> Iterator[WindowManager]:
    """The cursor shows how much of `total` is done, and shows itself again whatever happens."""
    manager.progress_begin(0, total)
    try:
        yield manager
    finally:
        manager.progress_end()


def announce(operator: Operator, name: str, certificate: Certificate) -> None:
    """Say how a placement or check of an object ended: a warning unless it is at rest."""
    status = certificate.status
    figures = f"{certificate.steps} steps, {len(certificate.contacts)} contacts"
    operator.report({"INFO"} if status.at_rest else {"WARNING"}, f'"{name}": {status.message} ({figures})')
