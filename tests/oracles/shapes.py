"""Exact shapes for the oracles, each in the form in which its support function is simplest.

A shape answers, in its own frame:
- `centre` (3,): centre of mass;
- `support(d (k, 3)) -> (k,)`: max over the exact surface of d . (x - centre);
- `branches(d (3,)) -> Branches`: every local maximum of d . (x - centre), with its point and the derivative
  dx/dd (3, 3), for shapes without symmetry;
- `signed_distance(x (k, 3)) -> (k,)` (negative inside), for the shapes that can serve as "the other body";
- `distance_and_slope(x)`: that, and its gradient (k, 3);
- `concavity`: a bound c on how fast the slope of that falls along a line, and within which distance of the
  surface it holds: there the signed distance plus c |x|^2 / 2 is convex;
- `core()`: patches of a core set and a radius: the shape is the Minkowski sum of the core and a ball. Used to
  walk over the shape as "the first body" of an overlap.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Protocol, runtime_checkable

import numpy as np
from numpy.typing import ArrayLike
from scipy.spatial import ConvexHull, cKDTree

from tests.oracles.arrays import Floats, Ints
from tests.oracles.frames import sphere_directions, tangents, unit
from tests.oracles.profiles import ArcPiece, PolynomialPiece, Profile, arc

STEP = 1e-30  # complex-step derivative: no cancellation, so it may be tiny


@dataclass(frozen=True)
class Branches:
    """Local maxima of d . (x - centre): values (m,), points relative to the centre (m, 3), dx/dd (m, 3,
    3).
    """

    values: np.ndarray
    points: np.ndarray
    derivatives: np.ndarray


@dataclass(frozen=True)
class Patch:
    """Part of a core set: `at(p (k, 2)) -> (k, 3)` over a box of parameters, and how densely to sample it."""

    at: Callable[[Floats], Floats]
    lower: tuple[float, float]
    upper: tuple[float, float]
    counts: tuple[int, int]


class Resting(Hashable, Protocol):
    """What can rest on a plane."""

    @property
    def centre(self) -> Floats: ...

    def support(self, d: Floats, /) -> Floats: ...


@runtime_checkable
class Branching(Resting, Protocol):
    """A resting shape that gives all local maxima of its support function."""

    def branches(self, d: Floats, /) -> Branches: ...


class Walker(Resting, Protocol):
    """What can be walked over, as the first body of an overlap."""

    def core(self) -> tuple[list[Patch], float]: ...


class Field(Hashable, Protocol):
    """What has a signed distance, as the other body of an overlap."""

    def signed_distance(self, x: Floats, /) -> Floats: ...


Shape = Resting | Field


class Ball:
    """A ball about the origin."""

    def __init__(self, radius: float) -> None:
        self.radius, self.centre = float(radius), np.zeros(3)

    def support(self, d: Floats) -> Floats:
        return np.full(len(d), self.radius)

    def signed_distance(self, x: Floats) -> Floats:
        result: Floats = np.linalg.norm(x, axis=1) - self.radius
        return result

    def distance_and_slope(self, x: Floats) -> tuple[Floats, Floats]:
        far = np.linalg.norm(x, axis=1)
        return far - self.radius, x / np.maximum(far, 1e-300)[:, None]

    @property
    def concavity(self) -> tuple[float, float]:
        return 0.0, np.inf

    def core(self) -> tuple[list[Patch], float]:
        return [Patch(lambda p: np.zeros((len(p), 3)), (0, 0), (0, 0), (1, 1))], self.radius


class Revolution:
    """A solid of revolution about z of a `Profile`."""

    def __init__(self, profile: Profile) -> None:
        self.profile = profile
        self.centre = np.array([0, 0, profile.solid_centre()])

    def angle(self, d: Floats) -> Floats:
        """Angle from +z of directions (k, 3)."""
        result: Floats = np.arctan2(np.hypot(d[:, 0], d[:, 1]), d[:, 2])
        return result

    def support(self, d: Floats) -> Floats:
        angle = self.angle(np.asarray(d))
        result: Floats = np.max(self.profile.support(angle)[0], axis=1) - self.centre[2] * np.cos(angle)
        return result

    def slopes(self, angle: Floats) -> Floats:
        """d support / d angle (k,) at angles (k,) (one side of a kink)."""
        values, points = self.profile.support(angle)
        r, z = points[np.arange(len(points)), np.argmax(values, axis=1)].T
        result: Floats = r * np.cos(angle) - (z - self.centre[2]) * np.sin(angle)
        return result

    def signed_distance(self, x: Floats) -> Floats:
        return self.distance_and_slope(x)[0]

    def distance_and_slope(self, x: Floats) -> tuple[Floats, Floats]:
        across = np.hypot(x[:, 0], x[:, 1])
        value, slope = self.profile.distance_and_slope(np.stack([across, x[:, 2]], axis=1))
        turned = x[:, :2] * (slope[:, 0] / np.maximum(across, 1e-300))[:, None]
        return value, np.column_stack([turned, slope[:, 1]])

    @cached_property
    def concavity(self) -> tuple[float, float]:
        reach = 0.9 * self.profile.reach()
        return 2.0 / reach, 0.5 * reach

    def core(self) -> tuple[list[Patch], float]:
        def over(piece: PolynomialPiece | ArcPiece) -> Callable[[Floats], Floats]:
            def at(p: Floats) -> Floats:
                q = piece.at(p[:, 0])[0]
                return np.stack([q[:, 0] * np.cos(p[:, 1]), q[:, 0] * np.sin(p[:, 1]), q[:, 1]], axis=1)

            return at

        return [Patch(over(piece), (0, 0), (1, 2 * np.pi), (17, 120)) for piece in self.profile.pieces], 0.0


class Ring(Revolution):
    """A torus about z: as a profile for its rests, as a thickened circle where its surface is walked over."""

    def __init__(self, major: float, minor: float) -> None:
        halves = [arc([major, 0], minor, 0, np.pi), arc([major, 0], minor, np.pi, 2 * np.pi)]
        super().__init__(Profile(halves, ring=True))
        self.major, self.minor = major, minor

    def distance_and_slope(self, x: Floats) -> tuple[Floats, Floats]:
        across = np.maximum(np.hypot(x[:, 0], x[:, 1]), 1e-300)
        out = across - self.major
        far = np.maximum(np.hypot(out, x[:, 2]), 1e-300)
        slope = np.column_stack([x[:, :2] * (out / across)[:, None], x[:, 2]]) / far[:, None]
        return far - self.minor, slope

    def core(self) -> tuple[list[Patch], float]:
        def at(p: Floats) -> Floats:
            return self.major * np.stack([np.cos(p[:, 0]), np.sin(p[:, 0]), 0 * p[:, 0]], axis=1)

        return [Patch(at, (0, 0), (2 * np.pi, 0), (1200, 1))], self.minor


class Star:
    """A radial surface x = rho(u) u; `rho(u (k, 3))` accepts complex unit vectors. Centre by quadrature."""

    def __init__(
        self, rho: Callable[[np.ndarray], np.ndarray], samples: int = 12000, centre: Floats | None = None
    ) -> None:
        self.rho = rho
        self.directions = sphere_directions(samples)
        self.points = self.directions * rho(self.directions)[:, None]
        self.neighbours = np.asarray(cKDTree(self.directions).query(self.directions, k=9)[1])[:, 1:]
        self.centre = self._centre() if centre is None else np.asarray(centre, float)

    def _centre(self) -> Floats:
        x, weight = np.polynomial.legendre.leggauss(160)
        angle = np.arange(320) * 2 * np.pi / 320
        z, turn = np.meshgrid(x, angle, indexing="ij")
        r = np.sqrt(1 - z * z)
        u = np.stack([r * np.cos(turn), r * np.sin(turn), z], axis=-1).reshape(-1, 3)
        w, rho = np.repeat(weight, len(angle)), self.rho(u)
        result: Floats = (w * rho**4 / 4) @ u / (w @ rho**3 / 3)
        return result

    def _chart(self, base: Floats, frame: Floats, p: np.ndarray) -> np.ndarray:
        v = base + np.einsum("kia,ka->ki", frame, p)
        u = v / np.sqrt(np.sum(v * v, axis=1))[:, None]
        result: np.ndarray = u * self.rho(u)[:, None]
        return result

    def _derivatives(self, base: Floats, frame: Floats) -> tuple[Floats, Floats]:
        """First (k, 3, 2) and second (k, 3, 2, 2) derivatives of the chart."""
        first, second, h, zero = [], [], 1e-5, np.zeros((len(base), 2))
        for a in range(2):
            e = 1j * STEP * np.eye(2)[a]
            first.append(self._chart(base, frame, zero + e).imag / STEP)
            second.append(
                [
                    (
                        self._chart(base, frame, zero + h * b + e).imag
                        - self._chart(base, frame, zero - h * b + e).imag
                    )
                    / (2 * h * STEP)
                    for b in np.eye(2)
                ]
            )
        return np.stack(first, axis=-1), np.moveaxis(np.array(second), (0, 1), (-2, -1))

    def peaks(self, d: Floats, start: Ints) -> tuple[Floats, Floats]:
        """Sample indices polished to local maxima of d . x: points (m, 3) and dx/dd (m, 3, 3)."""
        base = self.directions[start]
        for _ in range(10):
            frame = tangents(base)
            first, second = self._derivatives(base, frame)
            slope = np.einsum("i,kia->ka", d, first)
            bend = np.einsum("i,kiab->kab", d, second)
            bend = (bend + np.swapaxes(bend, 1, 2)) / 2
            value, vector = np.linalg.eigh(bend)
            inverse = np.einsum("kac,kc,kbc->kab", vector, 1 / np.minimum(value, -1e-6), vector)
            step = -np.einsum("kab,kb->ka", inverse, slope)
            step *= np.minimum(1, 0.03 / np.maximum(np.linalg.norm(step, axis=1), 1e-30))[:, None]
            base = unit(self._chart(base, frame, step))
            if np.max(np.abs(step)) < 1e-12:
                break
        frame = tangents(base)
        first, second = self._derivatives(base, frame)
        bend = np.einsum("i,kiab->kab", d, second)
        derivative = -np.einsum("kia,kab,kjb->kij", first, np.linalg.inv(bend), first)
        return self._chart(base, frame, np.zeros((len(base), 2))), derivative

    def branches(self, d: Floats) -> Branches:
        height = self.points @ d
        high = np.nonzero(height > height.max() - 0.4 * np.ptp(height))[0]
        peak = high[np.all(height[high, None] >= height[self.neighbours[high]], axis=1)]
        points, derivative = self.peaks(d, peak)
        points = points - self.centre
        return Branches(points @ d, points, derivative)

    def support(self, d: Floats) -> Floats:
        return np.array([np.max(self.branches(one).values) for one in np.asarray(d)])

    def core(self) -> tuple[list[Patch], float]:
        def over(frame: tuple[Floats, Floats, Floats]) -> Callable[[Floats], Floats]:
            def at(p: Floats) -> Floats:
                u = unit(frame[0] + np.tan(p[:, :1]) * frame[1] + np.tan(p[:, 1:]) * frame[2])
                result: Floats = u * self.rho(u)[:, None]
                return result

            return at

        eye, q = np.eye(3), np.pi / 4
        frames = [(sign * eye[i], eye[i - 1], eye[i - 2]) for i in range(3) for sign in (1, -1)]
        return [Patch(over(f), (-q, -q), (q, q), (41, 41)) for f in frames], 0.0


class Superquadric(Star):
    """((|x/a|^(2/e2) + |y/b|^(2/e2))^(e2/e1) + |z/c|^(2/e1) = 1, e <= 2: convex, so its support is the
    dual norm.
    """

    def __init__(self, sizes: ArrayLike, exponent_1: float, exponent_2: float) -> None:
        self.sizes = np.asarray(sizes, float)
        self.powers = 2 / exponent_2, 2 / exponent_1
        super().__init__(lambda u: 1 / _iterated(u / self.sizes, *self.powers), centre=np.zeros(3))

    def support(self, d: Floats) -> Floats:
        q, p = (power / (power - 1) for power in self.powers)
        return _iterated(np.asarray(d, float) * self.sizes, q, p)


def _iterated(x: Floats, inner: float, outer: float) -> Floats:
    x = np.where(np.real(x) < 0, -x, x)
    across = np.maximum(np.abs(x[:, 0]), np.abs(x[:, 1]))
    across = np.where(across > 0, across, 1.0)
    ring = (x[:, 0] / across) ** inner + (x[:, 1] / across) ** inner
    ring = np.where(ring == 0, 0, np.where(ring == 0, 1, ring) ** (1 / inner)) * across
    high = np.maximum(np.abs(ring), np.abs(x[:, 2]))
    result: Floats = ((ring / high) ** outer + (x[:, 2] / high) ** outer) ** (1 / outer) * high
    return result


class Polyhedron:
    """The convex hull of points (n, 3) is what rests on a plane; `centre` is given, a hull's own by
    default.
    """

    def __init__(self, points: ArrayLike, centre: ArrayLike | None = None) -> None:
        self.points = np.asarray(points, float)
        self.hull = ConvexHull(self.points)
        self.centre = self._centre() if centre is None else np.asarray(centre, float)

    def _centre(self) -> Floats:
        middle = self.points.mean(axis=0)
        a, b, c = np.moveaxis(self.points[self.hull.simplices] - middle, 1, 0)
        volume = np.abs(np.sum(a * np.cross(b, c), axis=1))
        result: Floats = middle + (volume[:, None] * (a + b + c) / 4).sum(axis=0) / volume.sum()
        return result

    def support(self, d: Floats) -> Floats:
        result: Floats = np.max(np.asarray(d) @ (self.points - self.centre).T, axis=1)
        return result


class Box:
    """An axis-aligned box of half sizes (3,), as the other body of an overlap."""

    def __init__(self, half: ArrayLike) -> None:
        self.half, self.centre = np.asarray(half, float), np.zeros(3)

    def support(self, d: Floats) -> Floats:
        result: Floats = np.abs(d) @ self.half
        return result

    def signed_distance(self, x: Floats) -> Floats:
        over = np.abs(x) - self.half
        result: Floats = np.linalg.norm(np.maximum(over, 0), axis=1) + np.minimum(np.max(over, axis=1), 0)
        return result

    def core(self) -> tuple[list[Patch], float]:
        def over(axis: int, sign: int) -> Callable[[Floats], Floats]:
            def at(p: Floats) -> Floats:
                x = np.empty((len(p), 3))
                x[:, axis] = sign * self.half[axis]
                x[:, axis - 1], x[:, axis - 2] = p[:, 0], p[:, 1]
                return x

            return at

        patches = []
        for axis in range(3):
            size = (self.half[axis - 1], self.half[axis - 2])
            patches += [Patch(over(axis, s), (-size[0], -size[1]), size, (17, 17)) for s in (1, -1)]
        return patches, 0.0


class Together:
    """Several shapes that stand still side by side, each shifted to its place, as the other body."""

    def __init__(self, shapes: Sequence[Shape], places: ArrayLike) -> None:
        self.shapes, self.places = list(shapes), np.asarray(places, float).reshape(-1, 3)

    def signed_distance(self, x: Floats) -> Floats:
        result: Floats = np.min(
            [_distance(shape, x - place) for shape, place in zip(self.shapes, self.places, strict=True)],
            axis=0,
        )
        return result


def _distance(shape: Shape, x: Floats) -> Floats:
    assert hasattr(shape, "signed_distance")
    distance: Floats = shape.signed_distance(x)
    return distance


class HalfSpace:
    """All that lies below the plane through `point` with unit `normal`."""

    def __init__(self, normal: ArrayLike = (0, 0, 1), point: ArrayLike = (0, 0, 0)) -> None:
        self.normal, self.point = unit(normal), np.asarray(point, float)

    def signed_distance(self, x: Floats) -> Floats:
        result: Floats = (x - self.point) @ self.normal
        return result
