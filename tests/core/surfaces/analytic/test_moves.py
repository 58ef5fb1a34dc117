"""Moving on a surface by displacements in space."""

import numpy as np
import pytest

from physplace_addon.core.arrays import Floats
from physplace_addon.core.surfaces import kinds
from physplace_addon.core.surfaces.analytic import swept
from physplace_addon.core.surfaces.base import Patch
from tests.bodies_of_the_paper import BOWL, turned
from tests.core.surfaces.analytic.exact_bodies import ALL, SMOOTH, samples

NEAREST = ["sphere", "torus", "apple", "capsule", "knot", "rod", "hook", "vase", "dish"]


def points(surface: Patch, uv: Floats) -> Floats:
    return surface.derivatives(np.zeros(len(uv), dtype=np.intp), uv).point


@pytest.mark.parametrize("name", ALL)
def test_no_displacement_stays_exactly_where_it_is(name: str, rng: np.random.Generator) -> None:
    for surface in ALL[name].surfaces:
        face, uv = samples(surface, 300, rng)
        assert np.array_equal(surface.move(face, uv, np.zeros((300, 3))), uv)


@pytest.mark.parametrize("name", ALL)
def test_no_displacement_stays_at_the_corners_of_the_domain(name: str) -> None:
    for surface in ALL[name].surfaces:
        (u, v) = surface.domain
        uv = np.array([[a, b] for a in (u.lower, u.upper) for b in (v.lower, v.upper)])
        moved = surface.move(np.zeros(4, dtype=np.intp), uv, np.zeros((4, 3)))
        np.testing.assert_allclose(points(surface, moved), points(surface, uv), atol=1e-15)


@pytest.mark.parametrize("name", SMOOTH)
def test_moving_is_exact_to_first_order(name: str, rng: np.random.Generator) -> None:
    """The error falls with the square of the step; the part along the normal is ignored."""
    surface = SMOOTH[name].surfaces[0]
    face, uv = samples(surface, 200, rng, margin=0.02)
    g = surface.geometry(face, uv)
    direction = rng.normal(size=(200, 3))
    tangential = direction - np.einsum("ki,ki->k", direction, g.normal)[:, None] * g.normal
    errors = []
    for h in (1e-3, 1e-4):
        moved = points(surface, surface.move(face, uv, h * direction))
        errors.append(np.quantile(np.linalg.norm(moved - g.point - h * tangential, axis=1), 0.9))
    assert errors[1] < 2e-2 * errors[0]


@pytest.mark.parametrize("name", NEAREST)
def test_moving_finds_the_foot_of_the_perpendicular(name: str, rng: np.random.Generator) -> None:
    surface = ALL[name].surfaces[0]
    face, uv = samples(surface, 200, rng, margin=0.1)
    target = points(surface, uv) + rng.normal(size=(200, 3)) * 0.02
    moved = surface.move(face, uv, target - points(surface, uv))
    g = surface.geometry(face, moved)
    miss = np.abs(np.einsum("kai,ki->ka", g.frame, target - g.point)).max(axis=1)
    assert np.quantile(miss, 0.95) < 2e-5


@pytest.mark.parametrize("name", SMOOTH)
def test_repeated_moves_towards_a_point_converge_to_a_foot_of_it(name: str, rng: np.random.Generator) -> None:
    surface = SMOOTH[name].surfaces[0]
    face, uv = samples(surface, 100, rng)
    g = surface.geometry(face, uv)
    target = g.point + 0.05 * g.normal + 0.05 * rng.normal(size=(100, 3))
    for _ in range(60):
        uv = surface.move(face, uv, target - points(surface, uv))
    g = surface.geometry(face, uv)
    miss = np.abs(np.einsum("kai,ki->ka", g.frame, target - g.point)).max(axis=1)
    assert np.mean(miss < 1e-8) > 0.9


@pytest.mark.parametrize("name", ["sphere", "ellipsoid", "bumpy sphere", "apple", "capsule"])
@pytest.mark.parametrize("upper", [False, True])
def test_a_walk_over_a_pole_goes_straight_on(name: str, upper: bool) -> None:
    surface = SMOOTH[name].surfaces[0]
    v = surface.domain[1]
    uv = np.array([[0.3, v.upper - 0.1 if upper else v.lower + 0.1]])
    start = points(surface, uv)[0, :2]
    ahead = -start / np.linalg.norm(start)
    for _ in range(10):
        uv = surface.move(np.zeros(1, dtype=np.intp), uv, np.array([[*(0.03 * ahead), 0.0]]))
    walked = points(surface, uv)[0, :2] - start
    assert walked @ ahead > 0.2
    assert abs(walked[0] * ahead[1] - walked[1] * ahead[0]) < 0.1 * np.linalg.norm(walked)


def test_a_pole_can_be_left_in_any_direction() -> None:
    surface = kinds.sphere(1.0).surfaces[0]
    angle = np.linspace(0.0, 6.0, 13)
    step = 0.1 * np.column_stack([np.cos(angle), np.sin(angle), np.zeros(13)])
    uv = np.tile([0.7, 0.5 * np.pi], (13, 1))
    moved = points(surface, surface.move(np.zeros(13, dtype=np.intp), uv, step))
    target = np.array([0.0, 0.0, 1.0]) + step
    np.testing.assert_allclose(moved, target / np.linalg.norm(target, axis=1)[:, None], atol=1e-15)


def test_bounded_parameters_clamp_and_periodic_ones_wrap() -> None:
    side = kinds.cylinder(0.5, 2.0).surfaces[1]
    face = np.zeros(1, dtype=np.intp)
    beyond = side.move(face, np.array([[0.0, 1.9]]), np.array([[0.0, 0.0, 5.0]]))
    assert beyond.tolist() == [[0.0, 2.0]]
    back = side.move(face, np.array([[0.1, 1.0]]), np.array([[0.0, -0.2, 0.0]]))
    assert 5.9 < back[0, 0] < 2.0 * np.pi


def test_a_tube_is_walked_over_its_round_end() -> None:
    surface = swept.tube([(0, 0, -1), (0, 0, 1)], 0.3).surfaces[0]
    face, uv = np.zeros(1, dtype=np.intp), np.array([[1.95, 0.0]])
    for _ in range(12):
        g = surface.geometry(face, uv)
        uv = surface.move(face, uv, 0.1 * np.asarray(np.cross(g.normal, [[0.0, 1.0, 0.0]]), float))
    assert points(surface, uv)[0, 0] < -0.2
    assert points(surface, uv)[0, 2] < 1.1


def test_a_step_over_a_tight_bend_after_a_slow_stretch_ends_beyond_it_and_not_behind() -> None:
    """The lip of the bowl: there the same change of v goes three times as far."""
    bowl = turned("bowl", BOWL).body
    v = np.linspace(2.38, 2.45, 15)
    here = bowl.face_geometry(np.zeros(15, int), np.stack([np.zeros(15), v], axis=1))
    dense = np.linspace(2.3, 2.6, 30_001)
    curve = bowl.face_geometry(
        np.zeros(len(dense), int), np.stack([np.zeros(len(dense)), dense], axis=1)
    ).point
    for length in (0.02, 0.05, 0.08):
        targets = here.point + length * here.frame[:, 1]
        uv = np.stack([np.zeros(15), v], axis=1)
        moved = bowl.face_move(np.zeros(15, int), uv, length * here.frame[:, 1])
        found = bowl.face_geometry(np.zeros(15, int), moved).point
        least = np.sqrt(((targets[:, None] - curve) ** 2).sum(axis=2)).min(axis=1)
        assert np.linalg.norm(found - targets, axis=1) == pytest.approx(least, abs=0.01 * length)
