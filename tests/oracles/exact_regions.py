"""The contact regions of two touching polyhedra with integer coordinates, in exact rational arithmetic.

Everything is found by brute force on sets of points (Bouma and Vanecek 1991, Definition 2), and nothing is
derived from what borders on what: the overlaps of all pairs of coplanar triangles, cut out as convex
polygons; then all stretches of edges on the other boundary, of which those in an overlap are dropped; then
all points of contact, of which those in an overlap or on a stretch are dropped.  The two entities of a region
are the smallest ones that hold it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise
from typing import TypeVar

from tests.oracles.exact_polyhedron import (
    Number,
    Point,
    Polyhedron,
    Whole,
    at,
    box,
    cross,
    dot,
    is_zero,
    minus,
    on_segment,
    overlap,
)

K = TypeVar("K")
V = TypeVar("V")


@dataclass(frozen=True)
class Region:
    """A region: its dimension, those of the two entities, and its points, of lines and faces the hull's."""

    dimension: int
    dims: tuple[int, int]
    points: frozenset[Point]


def exact_regions(first: Polyhedron, second: Polyhedron) -> list[Region]:
    """All contact regions of two polyhedra that touch and do not overlap."""
    overlaps = list(_overlaps(first, second))
    found = [_face(parts) for parts in _by_pair(overlaps).values()]
    polygons = [polygon for _, polygon in overlaps]
    stretches = [
        (dims, entities, ends)
        for dims, entities, ends in _stretches(first, second)
        if not _in_any(at(*ends, Fraction(1, 2)), polygons)
    ]
    found += [
        _line(key[0], parts)
        for key, parts in _by_pair([((dims, entities), ends) for dims, entities, ends in stretches]).items()
    ]
    for point in sorted(_touching_points(first, second)):
        if _in_any(point, polygons) or any(on_segment(point, *ends) for _, _, ends in stretches):
            continue
        for dim1, _ in first.smallest(point):
            for dim2, _ in second.smallest(point):
                found.append(Region(0, (dim1, dim2), frozenset([point])))
    return found


def _by_pair(parts: Sequence[tuple[K, V]]) -> dict[K, list[V]]:
    found: dict[K, list[V]] = {}
    for key, part in parts:
        found.setdefault(key, []).append(part)
    return found


Polygon = tuple[list[Point], Point]  # corners, normal


def _overlaps(first: Polyhedron, second: Polyhedron) -> Iterator[tuple[tuple[int, int], Polygon]]:
    """The faces and the common polygon of each pair of coplanar triangles that overlap."""
    for i, corners in enumerate(first.corners):
        for j, others in enumerate(second.corners):
            if not overlap(first.boxes[i], second.boxes[j]):
                continue
            normal = first.normals[i]
            if any(dot(normal, minus(p, corners[0])) for p in others):
                continue
            polygon = _clipped(list(corners), others, second.normals[j])
            if len(polygon) > 2 and not is_zero(_area(polygon)):
                yield (first.face[i], second.face[j]), (polygon, normal)


def _clipped(polygon: list[Point], by: Sequence[Point], normal: Point) -> list[Point]:
    """The part of a convex polygon inside a triangle of its plane."""
    for a, b in zip(by, [*by[1:], by[0]], strict=True):
        inward = cross(normal, minus(b, a))
        heights = [dot(inward, minus(p, a)) for p in polygon]
        cut: list[Point] = []
        for k, p in enumerate(polygon):
            before, height = heights[k - 1], heights[k]
            if before * height < 0:
                cut.append(at(polygon[k - 1], p, Fraction(before) / (before - height)))
            if height >= 0:
                cut.append(p)
        polygon = cut
    return polygon


def _area(polygon: list[Point]) -> Point:
    total: Point = (0, 0, 0)
    for a, b in pairwise(polygon[1:]):
        part = cross(minus(a, polygon[0]), minus(b, polygon[0]))
        total = (total[0] + part[0], total[1] + part[1], total[2] + part[2])
    return total


def _in_any(point: Point, polygons: Sequence[Polygon]) -> bool:
    return any(_in_polygon(point, *polygon) for polygon in polygons)


def _in_polygon(point: Point, corners: list[Point], normal: Point) -> bool:
    if dot(normal, minus(point, corners[0])) != 0:
        return False
    signs = [
        dot(normal, cross(minus(b, a), minus(point, a)))
        for a, b in zip(corners, [*corners[1:], corners[0]], strict=True)
    ]
    return all(s >= 0 for s in signs) or all(s <= 0 for s in signs)


def _face(parts: list[Polygon]) -> Region:
    normal = parts[0][1]
    sizes = [part * part for part in normal]
    drop = sizes.index(max(sizes))
    return Region(2, (2, 2), frozenset(_hull({p for corners, _ in parts for p in corners}, drop)))


def _hull(points: set[Point], drop: int) -> list[Point]:
    """The corners of the hull, those on its sides left out: Andrew's chains, without one axis."""
    u, v = (axis for axis in range(3) if axis != drop)

    def left(a: Point, b: Point, c: Point) -> bool:
        return (b[u] - a[u]) * (c[v] - a[v]) - (b[v] - a[v]) * (c[u] - a[u]) > 0

    chains = []
    in_order = sorted(points, key=lambda p: (p[u], p[v]))
    for chain_order in (in_order, in_order[::-1]):
        chain: list[Point] = []
        for p in chain_order:
            while len(chain) > 1 and not left(chain[-2], chain[-1], p):
                chain.pop()
            chain.append(p)
        chains += chain[:-1]
    return chains


Stretch = tuple[tuple[int, int], tuple[object, object], tuple[Point, Point]]


def _stretches(first: Polyhedron, second: Polyhedron) -> Iterator[Stretch]:
    """Dimensions, entities and ends of all stretches of edges of one boundary on the other."""
    for edge, ends, smallest in _pieces(first, second):
        for dim, which in smallest:
            yield (1, dim), (edge, which), ends
    for edge, ends, smallest in _pieces(second, first):
        for dim, which in smallest:
            if dim == 2:  # those along an edge were found from the other side
                yield (2, 1), (which, edge), ends


Piece = tuple[tuple[Point, Point], tuple[Point, Point], list[tuple[int, object]]]


def _pieces(solid: Polyhedron, other: Polyhedron) -> Iterator[Piece]:
    """The edges of a solid, and the ends and smallest entities of the pieces of them on another boundary."""
    whole = box(other.points)
    for edge, around in zip(solid.edges, solid.edge_boxes, strict=True):
        if overlap(around, whole):
            for ends, smallest in _pieces_on(edge, around, other):
                yield edge, ends, smallest


def _pieces_on(
    edge: tuple[Whole, Whole], around: tuple[Whole, Whole], other: Polyhedron
) -> Iterator[tuple[tuple[Point, Point], list[tuple[int, object]]]]:
    """The pieces of an edge, between places where anything changes, that lie on a boundary."""
    a, b = edge
    u = minus(b, a)
    shares: set[Number] = {0, 1}
    for i, corners in enumerate(other.corners):
        normal = other.normals[i]
        if not overlap(around, other.boxes[i]) or dot(normal, u) or dot(normal, minus(a, corners[0])):
            continue
        for c, d in zip(corners, [*corners[1:], corners[0]], strict=True):
            shares.update(_cuts(a, u, c, minus(d, c)))
    for border, place in zip(other.edges, other.edge_boxes, strict=True):
        if overlap(around, place) and not dot(cross(u, minus(border[1], border[0])), minus(border[0], a)):
            shares.update(_cuts(a, u, border[0], minus(border[1], border[0])))
    cuts = sorted(s for s in shares if 0 <= s <= 1)
    if len(cuts) == 2 and not _on_boundary(at(a, b, Fraction(1, 2)), other):
        return
    for low, high in pairwise(cuts):
        middle = at(a, b, Fraction(low + high) / 2)
        if _on_boundary(middle, other):
            yield (at(a, b, low), at(a, b, high)), other.smallest(middle)


def _on_boundary(point: Point, other: Polyhedron) -> bool:
    return bool(other.holding(point))


def _cuts(a: Point, u: Point, c: Point, v: Point) -> list[Number]:
    """Where the line a + s u meets the segment c + t v of a plane through it: the values of s."""
    offset, across = minus(c, a), cross(u, v)
    if is_zero(across):
        if not is_zero(cross(u, offset)):
            return []
        square = dot(u, u)
        end = (offset[0] + v[0], offset[1] + v[1], offset[2] + v[2])
        return [Fraction(dot(offset, u)) / square, Fraction(dot(end, u)) / square]
    size = dot(across, across)
    t = Fraction(dot(cross(offset, u), across)) / size
    return [Fraction(dot(cross(offset, v), across)) / size] if 0 <= t <= 1 else []


def _line(dims: tuple[int, int], parts: list[tuple[Point, Point]]) -> Region:
    ends = sorted({p for part in parts for p in part})
    return Region(1, dims, frozenset([ends[0], ends[-1]]))


def _touching_points(first: Polyhedron, second: Polyhedron) -> set[Point]:
    """All vertices on the other boundary, and all crossings of edges."""
    found: set[Point] = {p for p in first.vertices if second.holding(p)}
    found |= {p for p in second.vertices if first.holding(p)}
    for edge, around in zip(first.edges, first.edge_boxes, strict=True):
        for other, place in zip(second.edges, second.edge_boxes, strict=True):
            if overlap(around, place):
                found |= set(_crossing(edge, other))
    return found


def _crossing(edge: tuple[Point, Point], other: tuple[Point, Point]) -> list[Point]:
    u, v, offset = minus(edge[1], edge[0]), minus(other[1], other[0]), minus(other[0], edge[0])
    across = cross(u, v)
    if is_zero(across) or dot(across, offset):
        return []
    return [at(*edge, s) for s in _cuts(edge[0], u, other[0], v) if 0 <= s <= 1]
