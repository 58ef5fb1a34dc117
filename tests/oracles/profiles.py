"""Plane profiles (r, z) of solids of revolution: signed distance and support, to machine precision.

A profile is a chain of smooth pieces walked with the solid on its left: from the axis below to the axis
above, or once around for a ring. Both queries start from dense samples and end in clamped Newton steps on
one piece. The sign of a distance comes from the normal where the nearest point is smooth, and from
convexity at a corner.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike
from scipy.spatial import cKDTree

from tests.oracles.arrays import Floats, Ints

STILL = 1e-13  # of a piece: a step of Newton's method after which the next is within rounding


@dataclass(frozen=True)
class PolynomialPiece:
    """Points sum_k coefficients[k] s^k, s in [0, 1]; coefficients (degree + 1, 2)."""

    coefficients: np.ndarray

    def at(self, s: Floats) -> list[Floats]:
        """Point, first and second derivative, each (k, 2)."""
        values, c, s = [], self.coefficients, s[:, None]
        for _ in range(3):
            value = np.broadcast_to(c[-1], (len(s), 2))
            for coefficient in c[-2::-1]:
                value = value * s + coefficient
            values.append(value)
            c = c[1:] * np.arange(1, len(c))[:, None] if len(c) > 1 else np.zeros((1, 2))
        return values


@dataclass(frozen=True)
class ArcPiece:
    """A circular arc about centre (2,) from one angle to another, angles from the r axis in radians."""

    centre: np.ndarray
    radius: float
    start: float
    end: float

    def at(self, s: Floats) -> list[Floats]:
        """Point, first and second derivative, each (k, 2)."""
        turn = self.end - self.start
        angle = self.start + turn * s
        out = np.stack([np.cos(angle), np.sin(angle)], axis=1) * self.radius
        along = np.stack([-out[:, 1], out[:, 0]], axis=1)
        return [self.centre + out, along * turn, -out * turn**2]


def line(start: ArrayLike, end: ArrayLike) -> PolynomialPiece:
    """A straight piece."""
    start, end = np.asarray(start, float), np.asarray(end, float)
    return PolynomialPiece(np.stack([start, end - start]))


def arc(centre: ArrayLike, radius: float, start: float, end: float) -> ArcPiece:
    """A circular piece; angles in radians."""
    return ArcPiece(np.asarray(centre, float), float(radius), float(start), float(end))


def bezier(points: ArrayLike) -> PolynomialPiece:
    """A cubic Bezier piece from its four control points (4, 2)."""
    p = np.asarray(points, float)
    change = np.array([[1, 0, 0, 0], [-3, 3, 0, 0], [3, -6, 3, 0], [-1, 3, -3, 1]], float)
    return PolynomialPiece(change @ p)


class Profile:
    """A chain of pieces; `ring` when it closes on itself away from the axis."""

    def __init__(
        self, pieces: Sequence[ArcPiece | PolynomialPiece], ring: bool = False, samples: int = 65
    ) -> None:
        self.pieces, self.ring = list(pieces), ring
        self.grid = np.linspace(0, 1, samples)
        self.sampled = np.stack([p.at(self.grid)[0] for p in self.pieces])
        self.tree = cKDTree(self.sampled.reshape(-1, 2))
        self.turns = self._turns()
        self.straight = all(isinstance(p, PolynomialPiece) and len(p.coefficients) == 2 for p in self.pieces)

    def _turns(self) -> np.ndarray:
        """Sine of the turn at each piece's start and end (pieces, 2); positive at a convex corner."""
        ends = np.array([0.0, 1.0])
        tangent = np.stack([p.at(ends)[1] for p in self.pieces])
        tangent /= np.linalg.norm(tangent, axis=-1, keepdims=True)
        incoming = np.roll(tangent[:, 1], 1, axis=0)
        outgoing = np.roll(tangent[:, 0], -1, axis=0)
        if not self.ring:
            incoming[0] = tangent[0, 0] * [1, -1]
            outgoing[-1] = tangent[-1, 1] * [1, -1]
        return np.stack([_cross(incoming, tangent[:, 0]), _cross(tangent[:, 1], outgoing)], axis=1)

    def signed_distance(self, q: Floats) -> Floats:
        """Signed distance (k,) of points (k, 2) with r >= 0, negative inside the solid."""
        return self.distance_and_slope(q)[0]

    def distance_and_slope(self, q: Floats) -> tuple[Floats, Floats]:
        """Signed distance (k,) of points (k, 2) with r >= 0, negative inside, and its slope (k, 2)."""
        q = np.asarray(q, float)
        if self.straight:
            return self._to_straight(q)
        near = min(4, self.tree.n)
        index = np.asarray(self.tree.query(q, k=near)[1])
        best, value, slope = np.full(len(q), np.inf), np.zeros(len(q)), np.zeros((len(q), 2))
        piece_of, start = index // len(self.grid), self.grid[index % len(self.grid)]
        first = np.ones(piece_of.shape, bool)  # the nearest sample on each piece is start enough
        for column in range(1, near):
            first[:, column] = np.all(piece_of[:, :column] != piece_of[:, column : column + 1], axis=1)
        for number, piece in enumerate(self.pieces):
            row, place = np.nonzero((piece_of == number) & first)
            if len(row):
                s = self._closest(piece, q[row], start[row, place])
                point, along, _ = piece.at(s)
                signed, rise = _signed(q[row] - point, along, self._turn(number, s))
                order = np.argsort(-np.abs(signed), kind="stable")
                order = order[np.abs(signed[order]) < best[row[order]]]
                row = row[order]
                best[row], value[row], slope[row] = np.abs(signed[order]), signed[order], rise[order]
        return value, slope

    def _to_straight(self, q: Floats) -> tuple[Floats, Floats]:
        """The same where all pieces are straight."""
        start, end = self.sampled[:, 0], self.sampled[:, -1]
        along = end - start
        s = np.clip(np.einsum("kmi,mi->km", q[:, None] - start, along) / (along**2).sum(axis=1), 0.0, 1.0)
        offset = q[:, None] - start - s[:, :, None] * along
        piece, row = np.argmin((offset**2).sum(axis=2), axis=1), np.arange(len(q))
        return _signed(offset[row, piece], along[piece], self._turn(piece, s[row, piece]))

    def _turn(self, piece: Ints | int, s: Floats) -> Floats:
        """Sine of the turn of the profile at parameters (k,) of pieces: 0 but at their ends."""
        at_start, at_end = self.turns[piece].T
        turn: Floats = np.where(s == 0.0, at_start, np.where(s == 1.0, at_end, 0.0))
        return turn

    @staticmethod
    def _closest(piece: PolynomialPiece | ArcPiece, q: Floats, s: Floats) -> Floats:
        """Clamped Newton from parameters (k,) to the closest points of a piece."""
        for _ in range(12):
            p, d1, d2 = piece.at(s)
            slope = np.sum((p - q) * d1, axis=1)
            speed = np.sum(d1 * d1, axis=1)
            curve = speed + np.sum((p - q) * d2, axis=1)
            moved = np.clip(s - slope / np.where(curve > 0.05 * speed, curve, speed), 0, 1)
            still, s = np.max(np.abs(moved - s)) < STILL, moved
            if still:
                break
        return s

    def reach(self) -> float:
        """How far outside of the solid a point has one nearest point only: min |p - q|^2 / 2 n . (q - p) over
        samples p with a normal n, and q; infinite for a convex solid.
        """
        along = np.stack([piece.at(self.grid)[1] for piece in self.pieces]).reshape(-1, 2)
        normal = np.stack([along[:, 1], -along[:, 0]], axis=1) / np.linalg.norm(along, axis=1, keepdims=True)
        points, least = self.sampled.reshape(-1, 2), np.inf
        for angle in np.linspace(0.0, np.pi, 13):
            way = np.stack([points[:, 0] * np.cos(angle), points[:, 0] * np.sin(angle), points[:, 1]], axis=1)
            apart = way - np.stack([points[:, 0], 0.0 * points[:, 0], points[:, 1]], axis=1)[:, None]
            rise = np.einsum("pk,pqk->pq", normal, apart[:, :, [0, 2]])
            length = np.linalg.norm(apart, axis=2)
            seen = (rise > 1e-9 * length) & (length > 1e-9)  # corners repeat, but for rounding
            least = min(least, float((length[seen] ** 2 / (2.0 * rise[seen])).min(initial=np.inf)))
        return least

    def support(self, angle: Floats) -> tuple[Floats, Floats]:
        """Farthest points of every piece along (sin, cos)(angle): values (k, pieces), points (k, pieces,
        2).
        """
        w = np.stack([np.sin(angle), np.cos(angle)], axis=1)
        values, points = [], []
        for piece, sampled in zip(self.pieces, self.sampled, strict=True):
            s = self.grid[np.argmax(w @ sampled.T, axis=1)]
            p = piece.at(s)[0]
            end = piece.at(_climb(piece, s, w))[0]
            better = np.sum(end * w, axis=1) >= np.sum(p * w, axis=1)
            p = np.where(better[:, None], end, p)
            points.append(p)
            values.append(np.sum(p * w, axis=1))
        return np.stack(values, axis=1), np.stack(points, axis=1)

    def solid_centre(self) -> float:
        """Height z of the solid's centre of mass, by Gauss-Legendre sums over the pieces (divergence
        theorem).
        """
        x, weight = np.polynomial.legendre.leggauss(60)
        s, weight = (x + 1) / 2, weight / 2
        volume = moment = 0.0
        for piece in self.pieces:
            p, d1, _ = piece.at(s)
            volume += np.sum(weight * p[:, 0] ** 2 * d1[:, 1])
            moment += np.sum(weight * p[:, 0] ** 2 * p[:, 1] * d1[:, 1])
        return float(moment / volume)


def _signed(offset: Floats, along: Floats, turn: Floats) -> tuple[Floats, Floats]:
    """Signed distances (k,) and slopes (k, 2) from the offsets of the nearest points, the directions (k, 2)
    in which the profile goes there, and the turns (k,) of its corners there.
    """
    distance = np.linalg.norm(offset, axis=1)
    normal = np.stack([along[:, 1], -along[:, 0]], axis=1) / np.linalg.norm(along, axis=1, keepdims=True)
    side = np.where(np.abs(turn) > 1e-9, np.sign(turn), np.sign(np.sum(offset * normal, axis=1)))
    some = distance > 0.0
    rise = np.where(some[:, None], side[:, None] * offset / np.where(some, distance, 1.0)[:, None], normal)
    return side * distance, rise


def _cross(a: Floats, b: Floats) -> Floats:
    return a[:, 0] * b[:, 1] - a[:, 1] * b[:, 0]


def _climb(piece: ArcPiece | PolynomialPiece, t: Floats, w: Floats) -> Floats:
    """Clamped Newton from parameters t (k,) to the farthest point along directions w (k, 2)."""
    for _ in range(12):
        _, d1, d2 = piece.at(t)
        slope, curve = np.sum(d1 * w, axis=1), np.sum(d2 * w, axis=1)
        bent = curve < -1e-12
        moved = np.clip(t - np.where(bent, slope / np.where(bent, curve, -1.0), 0.0), 0, 1)
        still, t = np.max(np.abs(moved - t)) < 1e-15, moved
        if still:
            break
    return t
