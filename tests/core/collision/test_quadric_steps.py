"""Steps of bent pieces before quadrics, beside the distances of points of both pieces at many times."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from physplace_addon.core.arrays import Floats
from physplace_addon.core.collision.rigid_paths import Pieces, PiecesOnPaths, RelativePaths
from physplace_addon.core.collision.rigid_paths.least_quadratic import least_over_prisms
from physplace_addon.core.collision.rigid_paths.quadric_steps import PieceModels, steps_before_quadrics

COUNT, TIMES = 100, np.linspace(0.0, 1.0, 17)
STOP = 2e-3  # pieces are about as large as 1


def barycentric(count: int) -> Floats:
    """The coordinates of a grid over a triangle (n, 3)."""
    u, v = (each.ravel() for each in np.meshgrid(np.arange(count + 1), np.arange(count + 1)))
    inside = u + v <= count
    return np.asarray(np.stack([count - u - v, u, v], axis=1)[inside] / count)


def products(coordinates: Floats) -> Floats:
    return np.asarray(coordinates * np.roll(coordinates, -1, axis=-1))


def arrays(vectors: Floats) -> Floats:
    """Coordinate arrays (..., k) of arrays (k, ...)."""
    return np.ascontiguousarray(np.moveaxis(vectors, 0, -1))


def unit_normals(corners: Floats) -> Floats:
    normal = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    return np.asarray(normal / np.linalg.norm(normal, axis=1)[:, None])


@dataclass
class Pairs:
    """COUNT pairs of a piece A, a quadratic map, and a piece B, the graph of a quadratic function over its
    triangle in the plane z = 0.
    """

    first: Floats  # A's corners, from its reference point
    sides: Floats
    second: Floats  # B's corners, from its reference point, the origin
    bulges: Floats
    vectors: Floats  # (5, COUNT, 3), those of `RelativePaths`

    def points(self, tau: Floats, shares: Floats) -> Floats:
        """Points (COUNT, n, 3) of A's pieces in the axes of B at times (COUNT,)."""
        arms = shares @ self.first + 4.0 * products(shares) @ self.sides
        offset, shift, bend, turn_a, turn_b = self.vectors
        tau = tau[:, None]
        place = offset + tau * shift + tau * (tau - 1.0) * bend
        turned = place[:, None] + arms @ Rotation.from_rotvec(tau * turn_a).as_matrix().transpose(0, 2, 1)
        return np.asarray(turned @ Rotation.from_rotvec(tau * turn_b).as_matrix())

    def lowest(self, until: Floats, beyond: bool) -> Floats:
        """The least distances (COUNT,) of A's pieces from B's graphs until times (COUNT,).

        They are heights over the graph times the cosine of its slope, which is off by what it bends over such
        a distance.

        beyond: whether graphs go on beyond their triangles.
        """
        shares, plane = barycentric(20), np.linalg.inv(np.insert(self.second[..., :2], 2, 1.0, axis=2))
        least = np.full(COUNT, np.inf)
        for tau in TIMES:
            points = self.points(tau * until, shares)
            at = np.insert(points[..., :2], 2, 1.0, axis=2) @ plane
            height = points[..., 2] - (products(at) @ self.bulges[:, :, None])[..., 0]
            back, ahead = (np.roll(at, turn, axis=2) for turn in (1, -1))
            by_share = ahead * self.bulges[:, None] + back * np.roll(self.bulges, 1, axis=1)[:, None]
            slope = by_share @ plane[:, :2].transpose(0, 2, 1)
            apart = height / np.sqrt(1.0 + (slope**2).sum(axis=2))
            least = np.minimum(least, np.where(beyond | (at.min(axis=2) >= 0.0), apart, np.inf).min(axis=1))
        return least

    def steps(self) -> Floats:
        """How far they go, as quadrics show (COUNT,)."""
        nothing = np.zeros(COUNT)
        paths = RelativePaths.of(*np.moveaxis(self.vectors, 1, 2))
        first, second = (
            Pieces(arrays(each), arrays(unit_normals(each)), nothing, nothing, nothing)
            for each in (self.first, self.second)
        )
        pieces = PiecesOnPaths.of(
            paths.at(nothing), paths, first, second, np.full(COUNT, STOP), np.ones(COUNT)
        )
        models = PieceModels(arrays(self.sides), nothing, nothing, arrays(self.bulges), nothing)
        return steps_before_quadrics(pieces, models).step


def random_pairs(seed: int, bent: float, moves: float) -> Pairs:
    """Pieces that bend and move by so much, up to 4 stop distances apart where they are nearest."""
    rng = np.random.default_rng(seed)
    around = 2.0 * np.pi / 3.0 * np.arange(3) + rng.uniform(-0.4, 0.4, (2, COUNT, 3))
    flat = np.stack([np.cos(around), np.sin(around), np.zeros_like(around)], axis=3)
    first, second = rng.uniform(0.3, 0.7, (2, COUNT, 1, 1)) * flat
    normal = np.array([0.0, 0.0, 1.0]) + 0.05 * rng.normal(size=(COUNT, 3, 3))
    sides = 0.25 * bent * rng.normal(size=(COUNT, 3, 1)) * normal
    tilt = Rotation.from_rotvec(bent * rng.normal(size=(COUNT, 3)) * [1.0, 1.0, 0.0]).as_matrix()
    offset = 0.3 * rng.normal(size=(COUNT, 3))
    first = first @ tilt - offset[:, None] * 0.5
    vectors = np.concatenate([offset[None], moves * rng.normal(size=(4, COUNT, 3)) * [1.0, 1.0, 0.3]])
    made = Pairs(first, sides @ tilt, second, bent * rng.normal(size=(COUNT, 3)), vectors)
    for _ in range(3):
        made.vectors[0, :, 2] += rng.uniform(0.5, 4.0, COUNT) * STOP - made.lowest(
            np.ones(COUNT), beyond=True
        )
    return made


@pytest.mark.parametrize("seed", range(2))
@pytest.mark.parametrize(
    ("bent", "moves", "share"), [(0.0, 0.003, 0.9), (0.003, 0.003, 0.9), (0.01, 0.01, 0.6), (0.05, 0.05, 0.0)]
)
def test_pieces_stay_apart_as_far_as_steps_go(seed: int, bent: float, moves: float, share: float) -> None:
    pairs = random_pairs(seed, bent, moves)
    steps = pairs.steps()
    parted = steps > 0.0
    assert np.count_nonzero(parted) > COUNT // 2
    assert (pairs.lowest(steps, beyond=False)[parted] > STOP).all()
    free = pairs.lowest(np.ones(COUNT), beyond=True) > 1.2 * STOP
    assert np.count_nonzero(free) > COUNT // 2
    assert np.count_nonzero(steps[free] == 1.0) >= share * np.count_nonzero(free)


@pytest.mark.parametrize("moves", [0.003, 0.03])
def test_pieces_that_come_too_near_do_not_pass(moves: float) -> None:
    pairs = random_pairs(5, moves, moves)
    pairs.vectors[0, :, 2] -= pairs.lowest(np.ones(COUNT), beyond=False) - 0.97 * STOP
    met = pairs.lowest(np.ones(COUNT), beyond=False) < STOP
    assert np.count_nonzero(met) > COUNT // 2
    assert (pairs.steps()[met] < 1.0).all()


@pytest.mark.parametrize("convex", [True, False])
def test_quadratic_functions_are_bounded_over_a_prism(convex: bool) -> None:
    rng = np.random.default_rng(3)
    root = rng.normal(size=(200, 3, 3)) * 10.0 ** rng.uniform(-2.0, 1.0, (200, 1, 3))
    hessian = root @ root.transpose(0, 2, 1) if convex else root + root.transpose(0, 2, 1)
    value, slope = rng.normal(size=200), rng.normal(size=(200, 3)) * 10.0 ** rng.uniform(-1.0, 1.0, (200, 1))
    bounds = least_over_prisms(value, slope.T, arrays(hessian))
    shares = barycentric(30)[:, 1:]
    z = np.concatenate([np.insert(shares, 2, s, axis=1) for s in np.linspace(0.0, 1.0, 31)])
    values = value[:, None] + slope @ z.T + 0.5 * np.einsum("ni,kij,nj->kn", z, hessian, z)
    least, size = values.min(axis=1), np.abs(values).max(axis=1)
    assert (bounds <= least + 1e-12 * size).all()
    if convex:
        step = np.linalg.norm(hessian, axis=(1, 2)) * (3.0 / 30.0) ** 2
        assert (bounds >= least - step - 1e-12 * size).all()
