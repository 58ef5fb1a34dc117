"""Random surfaces of several parts: balls, ellipsoids, thin cylinders, summed sharply and smoothly."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations

import numpy as np
from scipy.optimize import NonlinearConstraint, minimize
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components

from physplace_addon.core.arrays import Floats
from physplace_addon.core.implicit import (
    Blob,
    CylinderField,
    Ellipsoids,
    Scaled,
    SphereField,
    Spheres,
    blobby_cylinders,
    union,
)
from physplace_addon.core.implicit.functions.base import ImplicitFunction
from tests.core.implicit.functions.every_function import rotations

BIAS = 0.5
REACH = float(np.sqrt(np.log(1.0 / BIAS)))  # of a lone Gaussian's surface, in its radii
KINDS = ("ball", "ellipsoid", "cylinder")
SUMS = ("sharp", "smooth", "gaussians")


@dataclass(frozen=True)
class Part:
    """A part: its kind, half-axes (3,), rotation (3, 3) and centre (3,); a cylinder lies along its x axis."""

    kind: str
    axes: Floats
    turn: Floats
    centre: Floats

    def at(self, centre: Floats) -> Part:
        """The same part elsewhere."""
        return Part(self.kind, self.axes, self.turn, centre)

    @property
    def ends(self) -> tuple[Floats, Floats]:
        """The ends of a cylinder's segment."""
        half = (self.axes[0] - self.axes[1]) * self.turn[:, 0]
        return self.centre - half, self.centre + half

    @property
    def area(self) -> float:
        """About the area of its surface; an ellipsoid's by Thomsen's formula, within 1.1 %."""
        if self.kind == "cylinder":
            return float(4.0 * np.pi * self.axes[0] * self.axes[1])
        products = (self.axes * np.roll(self.axes, 1)) ** 1.6075
        return float(4.0 * np.pi * products.mean() ** (1.0 / 1.6075))

    def function(self) -> ImplicitFunction:
        """F of the part alone, in units of length."""
        if self.kind == "ball":
            return Spheres.of(self.centre, self.axes[0])
        if self.kind == "ellipsoid":
            return Ellipsoids.of(self.centre, self.axes, self.turn)
        radius = self.axes[1] / REACH
        steep = 2.0 * BIAS * REACH / radius  # |F_x| of the Gaussian on its surface
        return Scaled(blobby_cylinders(BIAS, [self.ends[0]], [self.ends[1]], radius), 1.0 / steep)

    def distances(self, places: Floats) -> Floats:
        """About how far places (n, 3) are from the part (n,); less than 0 inside."""
        if self.kind != "cylinder":
            return self.function().value(places)
        a, b = self.ends
        share = np.clip((places - a) @ (b - a) / ((b - a) @ (b - a)), 0.0, 1.0)
        distances: Floats = np.linalg.norm(places - a - share[:, None] * (b - a), axis=1) - self.axes[1]
        return distances

    def slopes(self, places: Floats) -> Floats:
        """The gradients (n, 3) of `distances` at places (n, 3)."""
        if self.kind != "cylinder":
            return self.function().gradient(places)[1]
        step = 1e-7 * np.eye(3)
        return (
            np.stack([self.distances(places + way) - self.distances(places - way) for way in step], axis=1)
            / 2e-7
        )

    def surface(self) -> Floats:
        """Places on the part (n, 3)."""
        way = np.random.default_rng(1).normal(size=(600, 3))
        way /= np.linalg.norm(way, axis=1)[:, None]
        if self.kind != "cylinder":
            return np.asarray(self.centre + (self.axes * way) @ self.turn.T)
        share = np.linspace(0.0, 1.0, 600)[:, None]
        along: Floats = (1.0 - share) * self.ends[0] + share * self.ends[1]
        return np.asarray(along + self.axes[1] * way)


def random_part(rng: np.random.Generator) -> Part:
    """A ball, an ellipsoid up to 10:1, or a cylinder up to 40:1."""
    kind, size = str(rng.choice(KINDS)), rng.uniform(0.3, 0.7)
    turn = rotations(rng, 1)[0]
    if kind == "ball":
        axes = np.full(3, size)
    elif kind == "ellipsoid":
        axes = size * np.exp(-np.log(10.0) * rng.uniform(0.0, 1.0, 3))
        axes *= size / axes.max()
    else:
        slender = np.exp(rng.uniform(np.log(5.0), np.log(40.0)))
        axes = np.array([1.6 * size, 1.6 * size / slender, 1.6 * size / slender])
    return Part(kind, axes, turn, np.zeros(3))


def random_parts(rng: np.random.Generator) -> list[Part]:
    """One to eight parts, each beside the others at a gap of .01 to 1 of its radius, or grown into them."""
    parts = [random_part(rng)]
    for _ in range(int(rng.integers(0, 8))):
        parts.append(beside(parts, random_part(rng), rng))
    return parts


def beside(parts: list[Part], part: Part, rng: np.random.Generator) -> Part:
    """A part moved towards the others along a line until the gap is as drawn."""
    way = rng.normal(size=3)
    way /= np.linalg.norm(way)
    goal = parts[rng.integers(len(parts))].centre
    gap = part.axes[1] * (np.exp(rng.uniform(np.log(0.01), 0.0)) if rng.random() < 0.7 else -0.4)
    places = part.surface()

    def apart(t: float) -> float:
        return min(float(own.distances(places + goal + t * way).min()) for own in parts)

    low, high = 0.0, 12.0
    for _ in range(40):
        middle = 0.5 * (low + high)
        low, high = (middle, high) if apart(middle) < gap else (low, middle)
    return part.at(goal + high * way)


def summed(parts: list[Part], how: str, rng: np.random.Generator) -> ImplicitFunction:
    """The parts as one function; Gaussians are balls and cylinders, an ellipsoid is a row of balls."""
    if how == "gaussians":
        balls = [(part.centre, part.axes[0]) for part in parts if part.kind == "ball"]
        for part in parts:
            if part.kind == "ellipsoid":
                balls.extend(
                    (part.centre + s * part.axes[0] * part.turn[:, 0], part.axes[1]) for s in (-0.5, 0.5)
                )
        long = [part for part in parts if part.kind == "cylinder"]
        return Blob(
            BIAS,
            (
                SphereField.of(
                    np.reshape([centre for centre, _ in balls], (-1, 3)),
                    np.array([r / REACH for _, r in balls]),
                ),
                CylinderField.of(
                    np.reshape([part.ends[0] for part in long], (-1, 3)),
                    np.reshape([part.ends[1] for part in long], (-1, 3)),
                    np.array([part.axes[1] / REACH for part in long]),
                ),
            ),
        )
    thinnest = min(float(part.axes.min()) for part in parts)
    radius = thinnest * float(rng.uniform(0.1, 0.6)) if how == "smooth" else 0.0
    return union([part.function() for part in parts], radius)


def groups_of(parts: list[Part]) -> int:
    """How many groups of overlapping parts there are, as far as two of them can be told apart."""
    pairs = [pair for pair in combinations(range(len(parts)), 2) if overlap(parts[pair[0]], parts[pair[1]])]
    first, second = np.array(pairs, dtype=np.intp).reshape(-1, 2).T
    links = coo_array((np.ones(len(pairs)), (first, second)), shape=(len(parts), len(parts)))
    return int(connected_components(links, directed=False)[0])


def overlap(one: Part, other: Part) -> bool:
    """Whether two parts, which are convex, have a place in common: where neither is farther than t, t < 0."""

    def height(z: Floats) -> float:
        return float(z[3])

    def up(_: Floats) -> Floats:
        return np.array([0.0, 0.0, 0.0, 1.0])

    def rooms(z: Floats) -> Floats:
        return np.array([z[3] - part.distances(z[None, :3])[0] for part in (one, other)])

    def slopes(z: Floats) -> Floats:
        return np.stack([np.append(-part.slopes(z[None, :3])[0], 1.0) for part in (one, other)])

    def least(start: Floats) -> float:
        t = max(float(part.distances(start[None])[0]) for part in (one, other))
        first: Floats = np.append(start, t)
        found = minimize(
            height,
            first,
            jac=up,
            constraints=NonlinearConstraint(rooms, 0.0, np.inf, jac=slopes),
            method="SLSQP",
            tol=1e-14,
            options={"maxiter": 300},
        )
        return max(float(part.distances(found.x[None, :3])[0]) for part in (one, other))

    places = one.surface()
    near = places[np.argsort(other.distances(places))[:2]]
    return min(least(start) for start in (one.centre, other.centre, *near)) < 0.0


def drawn(seed: int) -> tuple[str, list[Part], np.random.Generator]:
    """How the parts of a random surface are summed, the parts, and the source of what else is random."""
    rng = np.random.default_rng([17, seed])
    return SUMS[seed % len(SUMS)], random_parts(rng), rng


def random_scene(seed: int) -> tuple[ImplicitFunction, str]:
    """A random surface and how it is described."""
    how, parts, rng = drawn(seed)
    return summed(parts, how, rng), f"{how} sum of {', '.join(part.kind for part in parts)}"
