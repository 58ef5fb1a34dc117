"""Edge classification by brute force in exact rational arithmetic, for integer coordinates.

Every place at which anything can change is found from all triangles, each place and the middle of each
stretch is looked up among all vertices, edges and faces, and winding numbers are sums of solid angles.  A
point is X / w with integers X and w, so all tests are integer ones; the solid angles have exact signs.
"""

import itertools
from fractions import Fraction
from typing import Any

import numpy as np

from physplace_addon.core.bodies.topology import Topology

Label = tuple[str, int]
Sequence = list[tuple[Label, tuple[Fraction, ...], Label]]
LARGEST = 1 << 60


class Oracle:
    """A solid with integer coordinates; `sequence` classifies one edge."""

    def __init__(self, topology: Topology) -> None:
        self.topology = topology
        self.vertices = _whole(topology.vertices)
        self.ends = _whole(topology.edge_ends)
        self.corners = _whole(topology.points[topology.triangles])
        a, b, c = self.corners.transpose(1, 0, 2)
        self.normal = np.cross(b - a, c - a)
        self.sides = np.roll(self.corners, -1, axis=1) - self.corners

    def sequence(self, edge: np.ndarray) -> Sequence:
        """The labels and exact points along an edge (2, 3) of integers, and what comes after each."""
        p, q = _whole(edge)
        times = sorted(self._times(p, q))
        labels = [self._label(p, q, t) for t in times]
        passed = [self._label(p, q, (s + t) / 2) for s, t in itertools.pairwise(times)]
        passed.append(("end", -1))
        kept = [0]
        for i in range(1, len(times) - 1):
            if not passed[i - 1] == labels[i] == passed[i]:
                kept.append(i)
        kept.append(len(times) - 1)
        return [(labels[i], _point(p, q, times[i]), passed[i]) for i in kept]

    def _times(self, p: np.ndarray, q: np.ndarray) -> set[Fraction]:
        first, last = self._heights(p, 1), self._heights(q, 1)
        found = {Fraction(0), Fraction(1)}
        for row in np.flatnonzero((first != last) & (first * np.sign(last) <= 0)):
            found.add(Fraction(int(first[row]), int(first[row] - last[row])))
        rows = np.flatnonzero((first == 0) & (last == 0))
        before, after = (np.einsum("ti,tsi->ts", self.normal[rows], self._turns(x, 1, rows)) for x in (p, q))
        for u, v in zip(before.ravel(), after.ravel(), strict=True):
            if u != v and 0 <= Fraction(int(u), int(u - v)) <= 1:
                found.add(Fraction(int(u), int(u - v)))
        return found

    def _heights(self, x: np.ndarray, w: int) -> np.ndarray:
        """Of X / w over the planes of all triangles, times w and the length of the normal."""
        heights: np.ndarray = ((x - w * self.corners[:, 0]) * self.normal).sum(axis=1)
        return heights

    def _turns(self, x: np.ndarray, w: int, rows: np.ndarray) -> np.ndarray:
        turns: np.ndarray = _cross(self.sides[rows], x - w * self.corners[rows])
        return turns

    def _label(self, p: np.ndarray, q: np.ndarray, t: Fraction) -> Label:
        w = t.denominator
        x = w * p + t.numerator * (q - p)
        assert np.abs(x).max() + w * np.abs(self.corners).max() < LARGEST / (6 * np.abs(self.normal).max())
        at = np.flatnonzero((w * self.vertices == x).all(axis=1))
        if len(at):
            return "vertex", int(at[0])
        along = self.ends[:, 1] - self.ends[:, 0]
        offset = x - w * self.ends[:, 0]
        straight = (_cross(along, offset) == 0).all(axis=1)
        share = (along * offset).sum(axis=1)
        at = np.flatnonzero(straight & (share >= 0) & (share <= w * (along * along).sum(axis=1)))
        if len(at):
            return "edge", int(at[0])
        heights = self._heights(x, w)
        rows = np.flatnonzero(heights == 0)
        inside = (np.einsum("ti,tsi->ts", self.normal[rows], self._turns(x, w, rows)) >= 0).all(axis=1)
        if inside.any():
            return "face", int(self.topology.triangle_face[rows[inside]].min())
        if not self.topology.closed:
            return "out", -1
        return ("in", -1) if self._winding(x / w, heights / w) > 0 else ("out", -1)

    def _winding(self, x: np.ndarray, heights: np.ndarray) -> int:
        """The sum of the solid angles of all triangles, signed by exact heights (van Oosterom, Strackee)."""
        a, b, c = (self.corners - x).transpose(1, 0, 2)
        u, v, w = (np.linalg.norm(side, axis=1) for side in (a, b, c))
        below = u * v * w + (a * b).sum(axis=1) * w + (b * c).sum(axis=1) * u + (c * a).sum(axis=1) * v
        total = float(2.0 * np.arctan2(-heights, below).sum() / (4.0 * np.pi))
        assert abs(total - round(total)) < 1e-3
        return round(total)


def _cross(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """As numpy's, for integers, and faster for few."""
    (x, y, z), (u, v, w) = np.moveaxis(a, -1, 0), np.moveaxis(b, -1, 0)
    return np.stack([y * w - z * v, z * u - x * w, x * v - y * u], axis=-1)


def _whole(numbers: Any) -> np.ndarray:
    whole = np.asarray(numbers).astype(np.int64)
    assert np.array_equal(whole, numbers)
    return whole


def _point(p: np.ndarray, q: np.ndarray, t: Fraction) -> tuple[Fraction, ...]:
    return tuple(int(a) + t * int(b - a) for a, b in zip(p, q, strict=True))
