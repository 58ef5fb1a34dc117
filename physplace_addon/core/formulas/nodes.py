"""Formulas as nodes: a flat, immutable list in which every node comes after those it is made of.

Equal nodes are kept once, also among formulas that are built together (cos(u) in x and in y), and an
operation on numbers alone is a number at once.  Being flat, a formula can be as long as it likes: nothing
that goes over it calls itself.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from .arithmetic import NUMBERS, value_of
from .errors import FormulaError

NUMBER, VARIABLE = "number", "variable"  # nodes that are no operations


@dataclass(frozen=True)
class Node:
    """A number, a variable by its number, or an operation on earlier nodes."""

    operation: str
    arguments: tuple[int, ...] = ()
    number: float = 0.0


@dataclass(frozen=True)
class Place:
    """Where a node was first read: the text, and its character from 0."""

    text: str
    position: int


class Builder:
    """Nodes of one or more formulas, and the first place of each."""

    def __init__(self) -> None:
        self.nodes: list[Node] = []
        self.places: list[Place] = []
        self._known: dict[tuple[str, tuple[int, ...], str], int] = {}

    def number(self, value: float, text: str, position: int) -> int:
        """Return the node of a number.

        Raises:
            FormulaError: for one that is not finite.
        """
        if not math.isfinite(value):
            found = "is not defined" if math.isnan(value) else "is too large, or a division by zero"
            raise FormulaError(text, position, f"the value {found}", "expected a finite number")
        return self._kept(Node(NUMBER, (), value), text, position)

    def variable(self, index: int, text: str, position: int) -> int:
        """Return the node of a variable."""
        return self._kept(Node(VARIABLE, (index,)), text, position)

    def add(self, operation: str, arguments: tuple[int, ...], text: str, position: int) -> int:
        """Return the node of an operation.

        Raises:
            FormulaError: where numbers alone have no finite result.
        """
        nodes = [self.nodes[argument] for argument in arguments]
        if all(node.operation == NUMBER for node in nodes):
            with np.errstate(all="ignore"):
                value = value_of(NUMBERS, operation, [np.float64(node.number) for node in nodes])
            return self.number(float(value), text, position)
        return self._kept(Node(operation, arguments), text, position)

    def _kept(self, node: Node, text: str, position: int) -> int:
        key = (node.operation, node.arguments, node.number.hex())
        if key not in self._known:
            self._known[key] = len(self.nodes)
            self.nodes.append(node)
            self.places.append(Place(text, position))
        return self._known[key]
