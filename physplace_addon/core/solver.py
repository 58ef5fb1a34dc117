"""The face that every solver has, so that one interactive session drives them all.

Placement, manipulation and sculpting go on in discrete valid states.  A session steps a solver while its
status is running, shows `state` whenever it likes, and tells the artist `status.message`.
"""

from __future__ import annotations

from typing import Protocol, TypeVar, runtime_checkable

__all__ = ["Solver", "SolverStatus"]

StateT_co = TypeVar("StateT_co", covariant=True)


class SolverStatus(Protocol):
    """Running, or how a solver ended: a member of the solver's own Enum."""

    @property
    def message(self) -> str:
        """A sentence for a person."""
        ...

    @property
    def is_running(self) -> bool:
        """Whether a step may still change anything."""
        ...


@runtime_checkable
class Solver(Protocol[StateT_co]):
    """What makes one discrete, valid state after another."""

    @property
    def status(self) -> SolverStatus:
        """Running, or how it ended."""
        ...

    @property
    def state(self) -> StateT_co:
        """The last state: a frozen value."""
        ...

    def step(self) -> StateT_co:
        """Make the next state and return it; the last one again where it has ended, or the step failed.

        A hard case never raises: the status says it.
        """
        ...
