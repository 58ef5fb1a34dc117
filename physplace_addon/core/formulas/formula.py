"""Formulas that are read once and evaluated at many points: values, exact derivatives, proven ranges.

A formula is evaluated node by node, in any `Arithmetic`, as jets: value, first and second derivatives (see
`jets`).  For third derivatives of formulas in one variable the elements are duals, each with its derivative
by t: evaluated at t with slope 1, the slope of the second derivative is the third one.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from ..arrays import Floats
from .arithmetic import NUMBERS, Arithmetic, Element, plus, times
from .derivatives import BINARY, UNARY, power_derivatives
from .graded import Graded, GradedArithmetic, graded
from .jets import Jet, Order, binary_jet, power_jet, unary_jet
from .nodes import NUMBER, VARIABLE, Builder, Node, Place
from .parser import Parser
from .ranges import RANGES, Range


@dataclass(frozen=True, eq=False)
class Dual:
    """A value and its derivative by one parameter, None for zero; both elements of another arithmetic."""

    value: Element
    slope: Element

    def __neg__(self) -> Dual:
        return Dual(-self.value, None if self.slope is None else -self.slope)

    def __add__(self, other: Dual | float) -> Dual:
        b = _dual(other)
        return Dual(self.value + b.value, plus(self.slope, b.slope))

    def __radd__(self, other: float) -> Dual:
        return self + other

    def __sub__(self, other: Dual | float) -> Dual:
        return self + -_dual(other)

    def __rsub__(self, other: float) -> Dual:
        return -self + other

    def __mul__(self, other: Dual | float) -> Dual:
        b = _dual(other)
        return Dual(self.value * b.value, plus(times(self.slope, b.value), times(self.value, b.slope)))

    def __rmul__(self, other: float) -> Dual:
        return self * other

    def __truediv__(self, other: Dual | float) -> Dual:
        b = _dual(other)
        quotient = self.value / b.value
        change = plus(self.slope, times(-quotient, b.slope))
        return Dual(quotient, None if change is None else change / b.value)

    def __rtruediv__(self, other: float) -> Dual:
        return _dual(other) / self


def _dual(value: Dual | float) -> Dual:
    return value if isinstance(value, Dual) else Dual(value, None)


class DualArithmetic(Arithmetic):
    """Functions of duals over the elements of an arithmetic."""

    def __init__(self, inner: Arithmetic) -> None:
        self._inner = inner

    def function(self, name: str, x: Element) -> Element:
        """Return a function with its derivative."""
        value = self._inner.function(name, x.value)
        return Dual(value, times(UNARY[name](self._inner, x.value, value)[0], x.slope))

    def power(self, x: Element, exponent: float) -> Element:
        """Return a fixed power with its derivative."""
        slope = power_derivatives(self._inner, x.value, exponent)[0]
        return Dual(self._inner.power(x.value, exponent), times(slope, x.slope))

    def general_power(self, x: Element, y: Element) -> Element:
        """Return x^y with its derivative."""
        return self._pair("pow", x, y, self._inner.general_power)

    def atan2(self, y: Element, x: Element) -> Element:
        """Return the angle with its derivative."""
        return self._pair("atan2", y, x, self._inner.atan2)

    def hypot(self, x: Element, y: Element) -> Element:
        """Return the hypotenuse with its derivative."""
        return self._pair("hypot", x, y, self._inner.hypot)

    def _pair(self, name: str, x: Element, y: Element, function: Any) -> Dual:
        x, y = _dual(x), _dual(y)
        value = function(x.value, y.value)
        by_x, by_y = BINARY[name](self._inner, x.value, y.value, value)[:2]
        return Dual(value, plus(times(by_x, x.slope), times(by_y, y.slope)))

    def below(self, x: Element, y: Element) -> Any:
        """Return what the values compare to."""
        return self._inner.below(_dual(x).value, _dual(y).value)

    def chosen(self, which: Any, x: Element, y: Element) -> Element:
        """Return values and derivatives chosen one by one."""
        x, y = _dual(x), _dual(y)
        value = self._inner.chosen(which, x.value, y.value)
        if x.slope is None and y.slope is None:
            return Dual(value, None)
        slopes = (0.0 * own.value if own.slope is None else own.slope for own in (x, y))
        return Dual(value, self._inner.chosen(which, *slopes))


@dataclass(frozen=True, eq=False)
class JetArrays:
    """Values (m, k) of m formulas at k points, first derivatives (m, n, k), second ones (m, n, n, k)."""

    value: Floats
    first: Floats
    second: Floats


@dataclass(frozen=True, eq=False)
class Formulas:
    """m formulas in n variables, as one list of nodes.

    variables: their names.  nodes: every one after those it is made of; places: where each was read.
    outputs: the nodes that are the formulas.
    """

    variables: tuple[str, ...]
    nodes: tuple[Node, ...]
    places: tuple[Place, ...]
    outputs: tuple[int, ...]

    @classmethod
    def read(
        cls, texts: Sequence[str], variables: Sequence[str], constants: Mapping[str, float] | None = None
    ) -> Formulas:
        """Return formulas read from texts.

        Args:
            texts: one for each formula.
            variables: their names.
            constants: numbers by name.

        Raises:
            FormulaError: at the character where a text goes wrong.
        """
        builder = Builder()
        known = constants or {}
        outputs = tuple(Parser(text, variables, known, builder).parse() for text in texts)
        return cls(tuple(variables), tuple(builder.nodes), tuple(builder.places), outputs)

    def values(self, points: Floats) -> Floats:
        """Return the values (m, k) at points (n, k); NaN or infinite where a formula is not defined."""
        jets = self.numbers(points, 0)
        return np.stack([np.broadcast_to(jet.value, points.shape[1:]) for jet in jets])

    def jets(self, points: Floats) -> JetArrays:
        """Return values and exact derivatives to second order at points (n, k)."""
        jets, count, shape = self.numbers(points, 2), len(self.variables), points.shape[1:]
        value = np.empty((len(jets), *shape))
        first, second = np.zeros((len(jets), count, *shape)), np.zeros((len(jets), count, count, *shape))
        for row, jet in enumerate(jets):
            value[row] = jet.value
            for i, slope in enumerate(jet.first):
                if slope is not None:
                    first[row, i] = slope
            for (i, j), bend in zip(Order(2, count).pairs, jet.second, strict=True):
                if bend is not None:
                    second[row, i, j] = second[row, j, i] = bend
        return JetArrays(value, first, second)

    def ranges(self, lower: Floats, upper: Floats, order: int = 2) -> list[Jet]:
        """Return, for each formula, proven ranges of its value and derivatives over boxes [lower, upper],
        each (n, k).

        The elements of the jets are `Range`s, and None for zero.  NaN is where nothing could be proven; where
        the value is NaN, nothing else counts.
        """
        variables = [Range(low, high) for low, high in zip(lower, upper, strict=True)]
        one = Range(np.ones(()), np.ones(()))
        with np.errstate(all="ignore"):
            return self._outputs(self._evaluated(RANGES, order, variables, one, _as_range))

    def thirds(self, t: Floats) -> Floats:
        """Return the third derivatives (m, k) of formulas in one variable at its values t (k,)."""
        thirds = self._thirds(NUMBERS, t, np.float64(1.0), np.float64)
        return np.stack([np.zeros(len(t)) if own is None else np.broadcast_to(own, len(t)) for own in thirds])

    def third_ranges(self, lower: Floats, upper: Floats) -> list[Range | None]:
        """Return, for each formula in one variable, the range of its third derivative over [lower, upper],
        each (k,).

        It is None for zero, NaN where nothing could be proven.
        """
        return self._thirds(RANGES, Range(lower, upper), _as_range(1.0), _as_range)

    def _thirds(self, own: Arithmetic, t: Element, one: Element, number: Element) -> list[Element]:
        with np.errstate(all="ignore"):
            evaluated = self._evaluated(
                DualArithmetic(own),
                2,
                [Dual(t, one)],
                Dual(one, None),
                lambda value: Dual(number(value), None),
            )
            bends = [jet.second[0] for jet in self._outputs(evaluated)]
        return [None if bend is None else bend.slope for bend in bends]

    def graded(self, variables: Sequence[Graded]) -> list[Graded]:
        """Return each formula as a polynomial in t, for variables that are such polynomials."""
        with np.errstate(all="ignore"):
            return [
                jet.value
                for jet in self._outputs(
                    self._evaluated(
                        GradedArithmetic(), 0, variables, None, lambda value: graded(_as_range(value))
                    )
                )
            ]

    def unproven_in(self, lower: Floats, upper: Floats) -> tuple[str, Place, int] | None:
        """Return the first operation that cannot be shown to be twice differentiable over boxes, though its
        arguments can.

        Args:
            lower, upper: the boxes (n, k).

        Returns:
            its name, its place in a text, and the first of the boxes; None for none.
        """
        variables = [Range(low, high) for low, high in zip(lower, upper, strict=True)]
        one = Range(np.ones(()), np.ones(()))
        with np.errstate(all="ignore"):
            for number, jet in self._evaluated(RANGES, 2, variables, one, _as_range):
                parts = [part.magnitude for part in (jet.value, *jet.first, *jet.second) if part is not None]
                known = np.isfinite(np.sum(np.broadcast_arrays(lower[0], *parts)[1:], axis=0))
                if not known.all():
                    return self.nodes[number].operation, self.places[number], int(np.argmin(known))
        return None

    def numbers(self, points: Floats | Sequence[Floats], order: int, by: int | None = None) -> list[Jet]:
        """Return each formula's values and derivatives up to an order at points, as they are found.

        A derivative that is zero is None, one that is constant may be one number.

        Args:
            points: (n, k); single numbers may stand for variables that are not differentiated by.
            order: 0 to 2.
            by: how many of the first variables to differentiate by; all, unless given.
        """
        with np.errstate(all="ignore"):
            return self._outputs(self._evaluated(NUMBERS, order, list(points), 1.0, np.float64, by))

    def _outputs(self, evaluated: Iterator[tuple[int, Jet]]) -> list[Jet]:
        """Return the jets of the formulas themselves, from those of all nodes."""
        jets = {place: jet for place, jet in evaluated if place in self.outputs}
        return [jets[output] for output in self.outputs]

    def _evaluated(
        self,
        own: Arithmetic,
        order: int,
        variables: Sequence[Element],
        one: Element,
        number: Element,
        by: int | None = None,
    ) -> Iterator[tuple[int, Jet]]:
        """Return the jets of all nodes, one after another; each is forgotten when no later one needs it."""
        wanted = Order(order, len(self.variables) if by is None else by)
        jets: dict[int, Jet] = {}
        for place, (node, last_of) in enumerate(zip(self.nodes, self._last_uses, strict=True)):
            if node.operation == NUMBER:
                jets[place] = wanted.constant(number(node.number))
            elif node.operation == VARIABLE:
                jets[place] = wanted.variable(node.arguments[0], variables[node.arguments[0]], one)
            else:
                jets[place] = self._applied(own, wanted, node, jets)
            yield place, jets[place]
            for done in last_of:
                del jets[done]

    @cached_property
    def _last_uses(self) -> tuple[tuple[int, ...], ...]:
        """For each node, those that no later node is made of."""
        last = dict(enumerate(range(len(self.nodes))))
        for place, node in enumerate(self.nodes):
            if node.operation != VARIABLE:
                last.update(dict.fromkeys(node.arguments, place))
        done: list[list[int]] = [[] for _ in self.nodes]
        for place, user in last.items():
            done[user].append(place)
        return tuple(tuple(own) for own in done)

    def _applied(self, own: Arithmetic, order: Order, node: Node, jets: Mapping[int, Jet]) -> Jet:
        arguments = [jets[argument] for argument in node.arguments]
        if len(arguments) == 1:
            return unary_jet(own, order, node.operation, arguments[0])
        x, y = arguments
        if node.operation == "multiply" and x is y:
            return power_jet(own, order, x, 2.0)
        if node.operation == "pow":
            exponent = self.nodes[node.arguments[1]]
            if exponent.operation == NUMBER:
                return power_jet(own, order, x, exponent.number)
        return binary_jet(own, order, node.operation, x, y)


def _as_range(number: float) -> Range:
    value = np.asarray(number, dtype=np.float64)
    return Range(value, value)


def number_of(text: str, constants: Mapping[str, float] | None = None) -> float:
    """Return the number that a formula without variables is.

    Raises:
        FormulaError: as `Formulas.read` does.
    """
    formulas = Formulas.read([text], (), constants)
    return formulas.nodes[formulas.outputs[0]].number
