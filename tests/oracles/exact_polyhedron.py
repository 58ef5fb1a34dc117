"""Polyhedra with whole coordinates and their arithmetic without rounding."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from math import lcm
from typing import overload

Number = int | Fraction
Point = tuple[Number, Number, Number]
Flat = tuple[Number, Number]
Triangle = tuple[int, int, int]
Whole = tuple[int, int, int]


@overload
def minus(a: Whole, b: Whole) -> Whole: ...


@overload
def minus(a: Point, b: Point) -> Point: ...


def minus(a: Point, b: Point) -> Point:
    return a[0] - b[0], a[1] - b[1], a[2] - b[2]


@overload
def cross(a: Whole, b: Whole) -> Whole: ...


@overload
def cross(a: Point, b: Point) -> Point: ...


def cross(a: Point, b: Point) -> Point:
    return a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]


@overload
def dot(a: Whole, b: Whole) -> int: ...


@overload
def dot(a: Point, b: Point) -> Number: ...


def dot(a: Point, b: Point) -> Number:
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]


def at(a: Point, b: Point, share: Number) -> Point:
    u = minus(b, a)
    return a[0] + share * u[0], a[1] + share * u[1], a[2] + share * u[2]


def is_zero(a: Point) -> bool:
    return not any(a)


@dataclass(frozen=True)
class Polyhedron:
    """A triangle mesh with integer coordinates, wound outward."""

    points: tuple[Whole, ...]
    triangles: tuple[Triangle, ...]

    @cached_property
    def normals(self) -> list[Whole]:
        return [cross(minus(b, a), minus(c, a)) for a, b, c in self.corners]

    @cached_property
    def bounds(self) -> list[tuple[Whole, Whole, list[tuple[Whole, int]]]]:
        """Of each triangle its box, and the planes of itself and of its sides: their normals, inward, and the
        product of these with a point of the plane.
        """
        found = []
        for corners, normal, (low, high) in zip(self.corners, self.normals, self.boxes, strict=True):
            a, b, c = corners
            inward = [(cross(normal, minus(y, x)), x) for x, y in ((a, b), (b, c), (c, a))]
            found.append((low, high, [(n, dot(n, x)) for n, x in [(normal, a), *inward]]))
        return found

    @cached_property
    def corners(self) -> list[tuple[Whole, Whole, Whole]]:
        return [(self.points[a], self.points[b], self.points[c]) for a, b, c in self.triangles]

    @cached_property
    def boxes(self) -> list[tuple[Whole, Whole]]:
        return [box(corners) for corners in self.corners]

    @cached_property
    def at_sides(self) -> dict[tuple[int, int], list[int]]:
        """The triangles at each side."""
        found: dict[tuple[int, int], list[int]] = {}
        for number, triangle in enumerate(self.triangles):
            for side in sides(triangle):
                found.setdefault(ordered(side), []).append(number)
        return found

    @cached_property
    def face(self) -> list[int]:
        """The number of each triangle's planar face: triangles across sides that only two share."""
        label = list(range(len(self.triangles)))

        def root(i: int) -> int:
            while label[i] != i:
                i = label[i]
            return i

        for both in self.at_sides.values():
            if len(both) == 2 and self._continue(*both):
                label[root(both[0])] = root(both[1])
        return [root(i) for i in range(len(label))]

    def _continue(self, i: int, j: int) -> bool:
        same = dot(self.normals[i], self.normals[j]) > 0
        return same and is_zero(cross(self.normals[i], self.normals[j]))

    @cached_property
    def borders(self) -> dict[tuple[int, int], tuple[int, ...]]:
        """The faces of each side that is not inside a face."""
        found = {}
        for side, numbers in self.at_sides.items():
            faces = tuple(sorted(self.face[i] for i in numbers))
            if len(numbers) != 2 or faces[0] != faces[1]:
                found[side] = faces
        return found

    @cached_property
    def vertices(self) -> frozenset[Whole]:
        """The points at which a border turns, or ends, or meets another."""
        around: dict[int, list[tuple[int, int]]] = {}
        for side in self.borders:
            for point in side:
                around.setdefault(point, []).append(side)
        return frozenset(self.points[p] for p, both in around.items() if not self._passes(p, both))

    def _passes(self, p: int, both: list[tuple[int, int]]) -> bool:
        if len(both) != 2 or self.borders[both[0]] != self.borders[both[1]]:
            return False
        u, v = (minus(self.points[sum(side) - p], self.points[p]) for side in both)
        return is_zero(cross(u, v)) and dot(u, v) < 0

    @cached_property
    def edges(self) -> list[tuple[Whole, Whole]]:
        """The longest straight runs of borders from vertex to vertex."""
        ends = self.vertices
        follow: dict[Whole, list[Whole]] = {}
        for a, b in self.borders:
            follow.setdefault(self.points[a], []).append(self.points[b])
            follow.setdefault(self.points[b], []).append(self.points[a])
        found = set()
        for start in ends:
            for step in follow[start]:
                before, here = start, step
                while here not in ends:
                    (after,) = (p for p in follow[here] if p != before)
                    before, here = here, after
                found.add((min(start, here), max(start, here)))
        return sorted(found)

    @cached_property
    def edge_boxes(self) -> list[tuple[Whole, Whole]]:
        return [box(edge) for edge in self.edges]

    def holding(self, point: Point) -> list[int]:
        """The triangles that hold a point, which is tested as integers over one denominator."""
        below, above = _floor(point), _ceiling(point)
        w = lcm(*(part.denominator for part in point))
        x, y, z = (part.numerator * (w // part.denominator) for part in point)
        found = []
        for i, (low, high, planes) in enumerate(self.bounds):
            if low[0] > below[0] or low[1] > below[1] or low[2] > below[2]:
                continue
            if above[0] > high[0] or above[1] > high[1] or above[2] > high[2]:
                continue
            heights = (n[0] * x + n[1] * y + n[2] * z - w * offset for n, offset in planes)
            if next(heights) == 0 and all(height >= 0 for height in heights):
                found.append(i)
        return found

    def smallest(self, point: Point) -> list[tuple[int, object]]:
        """The entities of least dimension that hold a point: (dimension, which)."""
        if point in self.vertices:
            return [(0, point)]
        inside = _ceiling(point), _floor(point)  # these are in a box of integers if the point is
        edges = [
            edge
            for edge, around in zip(self.edges, self.edge_boxes, strict=True)
            if overlap(around, inside) and on_segment(point, *edge)
        ]
        if edges:
            return [(1, edge) for edge in edges]
        return [(2, face) for face in sorted({self.face[i] for i in self.holding(point)})]


def sides(triangle: Triangle) -> Iterator[tuple[int, int]]:
    a, b, c = triangle
    yield from ((a, b), (b, c), (c, a))


def ordered(side: tuple[int, int]) -> tuple[int, int]:
    return min(side), max(side)


def _floor(point: Point) -> Whole:
    x, y, z = point
    return x.numerator // x.denominator, y.numerator // y.denominator, z.numerator // z.denominator


def _ceiling(point: Point) -> Whole:
    x, y, z = point
    return (
        -(-x.numerator // x.denominator),
        -(-y.numerator // y.denominator),
        -(-z.numerator // z.denominator),
    )


def box(points: Sequence[Whole]) -> tuple[Whole, Whole]:
    low: Whole = (min(p[0] for p in points), min(p[1] for p in points), min(p[2] for p in points))
    return low, (max(p[0] for p in points), max(p[1] for p in points), max(p[2] for p in points))


def overlap(a: tuple[Whole, Whole], b: tuple[Whole, Whole]) -> bool:
    (low, high), (floor, roof) = a, b
    if low[0] > roof[0] or low[1] > roof[1] or low[2] > roof[2]:
        return False
    return not (floor[0] > high[0] or floor[1] > high[1] or floor[2] > high[2])


def on_segment(p: Point, a: Point, b: Point) -> bool:
    u, v = minus(b, a), minus(p, a)
    return is_zero(cross(u, v)) and 0 <= dot(u, v) <= dot(u, u)
