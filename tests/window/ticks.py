"""How long each tick and each event of an operator takes, in the time of Blender's main thread."""

from __future__ import annotations

import importlib
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from tests.window import extension


@dataclass
class Ticks:
    """Seconds of the main thread in each call of an operator, and what the header said after it."""

    seconds: list[float] = field(default_factory=list)
    said: list[str] = field(default_factory=list)

    def __len__(self) -> int:
        return len(self.seconds)

    @property
    def longest(self) -> float:
        """The longest call."""
        return max(self.seconds, default=0.0)

    def above(self, limit: float) -> list[str]:
        """Each call that took longer, with what the header said."""
        pairs = zip(self.seconds, self.said, strict=True)
        return [f"{1e3 * seconds:.0f} ms: {said}" for seconds, said in pairs if seconds > limit]


@contextmanager
def timed() -> Iterator[Ticks]:
    """Measure each call of a modal operator in the block: its press, ticks and events."""
    base: Any = importlib.import_module(f"{extension.MODULE}.operators.modal").ModalOperator
    ticks, plain = Ticks(), {name: getattr(base, name) for name in ("invoke", "modal")}

    def measured(name: str) -> Any:
        def call(self: Any, context: Any, event: Any) -> Any:
            before = time.thread_time()
            try:
                return plain[name](self, context, event)
            finally:
                ticks.seconds.append(time.thread_time() - before)
                ticks.said.append(self.shown_header() if extension.open_sessions() else f"{name}, ended")

        return call

    for name in plain:
        setattr(base, name, measured(name))
    try:
        yield ticks
    finally:
        for name, method in plain.items():
            setattr(base, name, method)
