"""Reading of the scene that takes as long as a test wants, whatever the machine's speed."""

from __future__ import annotations

import time
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from typing import Any

from physplace_addon.core.jobs import Progress
from tests.window import extension
from tests.window.placements import operator
from tests.window.user import User


class Reading:
    """A job that reads, which goes on only when the test lets it, as on a slow machine."""

    def __init__(self, read: Any) -> None:
        self._read = read
        self._waits = True

    def job(self, *words: object) -> Generator[Progress, None, Any]:
        while self._waits:
            time.sleep(0.002)
            yield Progress("Reading")
        return (yield from self._read(*words))

    async def let_go_on(self, user: User) -> None:
        """Let it read, and wait until that has ended, and what came meanwhile is handled."""
        assert operator().is_busy
        self._waits = False
        await user.until(lambda: not extension.open_sessions() or not operator().is_busy)
        await user.wait()


@contextmanager
def slow(owner: object, name: str) -> Iterator[Reading]:
    """Have what an owner reads by a job of a name, a session or a module, take long."""
    read = getattr(owner, name)
    reading = Reading(read)
    setattr(owner, name, reading.job)
    try:
        yield reading
    finally:
        setattr(owner, name, read)
