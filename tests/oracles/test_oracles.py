"""The oracles against shapes whose answers are known in closed form, and against each other."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from tests.oracles.arrays import Floats
from tests.oracles.balance import best_residual, over_support, residual
from tests.oracles.frames import (
    angle_between,
    quaternion_of,
    random_rotation,
    rotation_of,
    sphere_directions,
    tangents,
    unit,
)
from tests.oracles.overlap import separation
from tests.oracles.profiles import Profile, arc, bezier, line
from tests.oracles.rests import all_rests, is_local_minimum, nearest_rest
from tests.oracles.shapes import (
    Ball,
    Box,
    HalfSpace,
    Polyhedron,
    Resting,
    Revolution,
    Star,
    Superquadric,
)
from tests.oracles.triangles import crossings
from tests.oracles.tubes import Tube

EYE = np.eye(3)


def cone(radius: float = 1.0, height: float = 2.0) -> Revolution:
    return Revolution(
        Profile([line([0, -height / 2], [radius, -height / 2]), line([radius, -height / 2], [0, height / 2])])
    )


def ring(major: float = 1.0, minor: float = 0.3) -> Revolution:
    return Revolution(
        Profile([arc([major, 0], minor, 0, np.pi), arc([major, 0], minor, np.pi, 2 * np.pi)], True)
    )


def ring_tube(major: float = 1.0, minor: float = 0.3) -> Tube:
    return Tube(
        [(lambda t: major * np.stack([np.cos(t), np.sin(t), 0 * t], axis=1), 0, 2 * np.pi, True)], minor
    )


def line_along(axis: Floats) -> Callable[[np.ndarray], np.ndarray]:
    return lambda t: t[:, None] * axis


def jack(reach: float = 1.0, radius: float = 0.2) -> Tube:
    return Tube([(line_along(reach * axis), -1, 1, False) for axis in EYE], radius)


def trefoil(radius: float = 0.25) -> Tube:
    def centre_line(t: np.ndarray) -> np.ndarray:
        return np.stack(
            [np.sin(t) + 2 * np.sin(2 * t), np.cos(t) - 2 * np.cos(2 * t), -np.sin(3 * t)], axis=1
        )

    return Tube([(centre_line, 0, 2 * np.pi, True)], radius)


def bumpy(directions: np.ndarray) -> np.ndarray:
    x, y, z = directions.T
    result: np.ndarray = 1 + 0.08 * np.sin(4 * x) * np.cos(3 * y) + 0.06 * np.sin(5 * z + 1) + 0.04 * x * y
    return result


def test_rotations_go_to_quaternions_and_back() -> None:
    m = random_rotation(np.random.default_rng(1))
    assert np.allclose(rotation_of(quaternion_of(m)), m, atol=1e-14)
    assert np.allclose(
        rotation_of([np.cos(0.2), 0, 0, np.sin(0.2)]) @ [1, 0, 0], [np.cos(0.4), np.sin(0.4), 0]
    )


def test_a_cone_has_its_centre_at_a_quarter_and_rests_on_base_and_side() -> None:
    shape = cone()
    assert shape.centre[2] == pytest.approx(-0.5, abs=1e-14)
    rests = all_rests(shape, 30)
    heights = {round(rest.height, 9) for rest in rests}
    side = 1.5 * np.sin(np.arctan2(1, 2))
    assert heights == {0.5, round(side, 9)}
    assert abs(min(rest.height for rest in rests) - 0.5) < 1e-14
    assert all(is_local_minimum(shape, rest) for rest in rests)


def test_a_ring_as_revolution_and_as_tube_has_one_support_and_lies_flat() -> None:
    d = sphere_directions(200)
    assert np.allclose(ring().support(d), ring_tube().support(d), atol=1e-14)
    rest = nearest_rest(ring(), [0.2, 0.1, -1])
    assert rest.height == pytest.approx(0.3, abs=1e-15)
    assert rest.tilt == pytest.approx(np.arctan(np.hypot(0.2, 0.1)), abs=1e-14)


@pytest.mark.slow
def test_a_jack_rests_on_three_tips() -> None:
    rests = all_rests(jack())
    assert len(rests) == 8
    for rest in rests:
        assert rest.supports == 3
        assert rest.height == pytest.approx(1 / np.sqrt(3) + 0.2, abs=1e-14)
        assert np.allclose(np.abs(rest.down), 1 / np.sqrt(3), atol=1e-12)


def test_an_ellipsoid_rests_only_on_its_short_axis() -> None:
    shape = Superquadric([1.5, 1.0, 0.7], 1.0, 1.0)
    d = sphere_directions(100)
    assert np.allclose(shape.support(d), np.linalg.norm(d * [1.5, 1, 0.7], axis=1), atol=1e-13)
    assert [rest.height for rest in all_rests(shape)] == pytest.approx([0.7, 0.7], abs=1e-15)
    star = Star(lambda u: 1 / np.sqrt(np.sum((u / [1.5, 1.0, 0.7]) ** 2, axis=1)))
    assert np.linalg.norm(star.centre) < 1e-13
    rest = nearest_rest(star, [0.3, 0.4, -1])
    assert abs(rest.height - 0.7) < 1e-13
    assert abs(rest.down[2]) > 1 - 1e-15


def test_a_box_shaped_superquadric_has_the_support_of_its_samples() -> None:
    shape = Superquadric([1.2, 1.0, 0.8], 0.6, 0.8)
    d = sphere_directions(50)
    sampled = np.max(d @ shape.points.T, axis=1)
    assert np.all(sampled <= shape.support(d) + 1e-12)
    assert np.all(sampled > shape.support(d) - 2e-2)
    assert len(all_rests(shape)) == 6


@pytest.mark.slow
@pytest.mark.parametrize("make", [trefoil, lambda: Star(bumpy)])
def test_found_rests_are_minima_and_independent_of_the_start(make: Callable[[], Resting]) -> None:
    shape = make()
    for rest in all_rests(shape, 4):
        assert is_local_minimum(shape, rest)
        again = nearest_rest(shape, unit(rest.down + tangents(rest.down) @ [2e-4, 1e-4]))
        assert again.height == pytest.approx(rest.height, abs=1e-12)
        assert angle_between(again.down, rest.down) < 1e-9


def test_branch_derivatives_agree_with_differences() -> None:
    for shape in (trefoil(), Star(bumpy)):
        d = unit([0.3, -0.5, 0.8])
        b = shape.branches(d)
        top = np.argmax(b.values)
        for e in tangents(d).T * 1e-5:
            ahead, behind = shape.branches(unit(d + e)), shape.branches(unit(d - e))
            difference = ahead.points[np.argmax(ahead.values)] - behind.points[np.argmax(behind.values)]
            assert np.allclose(difference / 2e-5, b.derivatives[top] @ e / 1e-5, atol=1e-4)


def test_polyhedra_rest_on_faces() -> None:
    cube = Polyhedron(np.array(np.meshgrid([-1, 1], [-1, 1], [-1, 1])).reshape(3, -1).T)
    rests = all_rests(cube, 40)
    assert len(rests) == 6
    assert all(rest.height == pytest.approx(1, abs=1e-15) for rest in rests)


def test_spline_profiles_measure_distance_to_brute_force() -> None:
    profile = Profile(
        [
            line([0, 0], [0.6, 0]),
            bezier([[0.6, 0], [1.4, 0.5], [0.1, 0.8], [0.8, 1.5]]),
            bezier([[0.8, 1.5], [0.3, 1.4], [0.2, 0.9], [0, 0.9]]),
        ]
    )
    random = np.random.default_rng(3)
    q = random.uniform([0, -0.5], [1.5, 2], (100, 2))
    s = np.linspace(0, 1, 8001)
    dense = np.concatenate([p.at(s)[0] for p in profile.pieces])
    brute = np.array([np.linalg.norm(dense - one, axis=1).min() for one in q])
    found = profile.signed_distance(q)
    assert np.allclose(np.abs(found), brute, atol=1e-6)
    corners = np.concatenate([dense, dense[::-1] * [-1, 1]])
    x, y = corners.T
    crossing = (y[:, None] > q[:, 1]) != (np.roll(y, -1)[:, None] > q[:, 1])
    rise = np.where(np.roll(y, -1) == y, 1, np.roll(y, -1) - y)
    at = x[:, None] + (np.roll(x, -1) - x)[:, None] * (q[:, 1] - y[:, None]) / rise[:, None]
    inside = np.sum(crossing & (q[:, 0] < at), axis=0) % 2 == 1
    assert np.array_equal(inside, found < 0)


def test_separations_of_known_pairs() -> None:
    random = np.random.default_rng(5)
    ball, box, floor = Ball(0.5), Box([1, 2, 3]), HalfSpace()
    turn = random_rotation(random)
    assert separation(ball, turn, [0, 0, 0.4], floor) == pytest.approx(-0.1, abs=1e-15)
    assert separation(ball, EYE, [0, 0, 3.5 - 1e-9], box) == pytest.approx(-1e-9, abs=1e-15)
    assert separation(ball, turn, turn @ [1.3, 0, 0.0], ring(1, 0.3), turn) == pytest.approx(-0.5, abs=1e-9)
    assert separation(ring(), EYE, [0, 0, 0.3], floor) == pytest.approx(0, abs=1e-15)
    assert separation(box, EYE, [0, 0, 3.3 - 1e-9], ring()) == pytest.approx(-1e-9, abs=1e-12)


def test_a_ring_over_a_cone_touches_at_a_circle_from_either_side() -> None:
    half = np.arctan2(1, 2)
    height = 1 - (0.6 - 0.1 / np.cos(half)) / np.tan(half)
    for depth in (0, 1e-9):
        position = [0, 0, height - depth]
        drop = -depth * np.sin(half)
        assert separation(ring(0.6, 0.1), EYE, position, cone()) == pytest.approx(drop, abs=1e-11)
        assert separation(ring_tube(0.6, 0.1), EYE, position, cone()) == pytest.approx(drop, abs=1e-11)


def test_triangles_that_touch_do_not_cross_and_those_that_pass_do() -> None:
    a = np.array([[[0, 0, 0], [1, 0, 0], [0, 1, 0]]], float)
    b = np.array([[[0.2, 0.2, -1], [0.3, 0.3, 1], [0.9, 0.9, 1]]], float)
    up = np.array([0, 0, 1.0])
    assert len(crossings(a, b, 1e-9)) == 1
    assert len(crossings(a, b + up, 1e-9)) == 0
    assert len(crossings(a, b + (1 - 1e-8) * up, 1e-9)) == 1
    assert len(crossings(a, a + 0.0, 1e-9)) == 0
    assert len(crossings(a, b + 5.0, 1e-9)) == 0


def test_a_table_with_its_centre_outside_its_feet_is_not_supported() -> None:
    feet = np.array([[1, 1, 0], [1, -1, 0], [-1, 1, 0], [-1, -1, 0]], float)
    up = np.tile([0, 0, 1.0], (4, 1))
    assert best_residual(feet, up, [0.99, 0, 1]) < 1e-12
    assert best_residual(feet, up, [1.01, 0, 1]) > 1e-3
    assert over_support(feet, [0.99, 0, 1])
    assert not over_support(feet, [1.01, 0, 1])
    assert residual(feet, up, np.full(4, 0.25), [0, 0, 1]) == (0.0, 0.0)
