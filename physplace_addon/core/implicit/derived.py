"""A function made of another one, whose parameters are its own."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Self

from ..arrays import Bools, Floats
from .function import ImplicitFunction


@dataclass(frozen=True, eq=False)
class Derived(ImplicitFunction):
    """Another function, seen in some other way."""

    function: ImplicitFunction

    @property
    def parameters(self) -> Floats:
        """The function's."""
        return self.function.parameters

    @property
    def names(self) -> tuple[str, ...]:
        """The function's."""
        return self.function.names

    @property
    def positive(self) -> Bools:
        """The function's."""
        return self.function.positive

    def with_parameters(self, parameters: Floats) -> Self:
        """Return the same of the function with other parameters."""
        return replace(self, function=self.function.with_parameters(parameters))
