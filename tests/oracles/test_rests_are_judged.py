"""The two tests of a rest, by forces and by perturbation, on rests whose truth is plain: each must pass the
true ones and refuse the false.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
import pytest
from numpy.typing import ArrayLike

from tests.oracles.arrays import Floats
from tests.oracles.balance import balanced
from tests.oracles.contacts import contacts
from tests.oracles.facing import Solid, ground
from tests.oracles.frames import rotation_of
from tests.oracles.judgement import TOUCHING, judged
from tests.oracles.profiles import Profile, bezier, line
from tests.oracles.rests import nearest_rest
from tests.oracles.shapes import Ball, Box, HalfSpace, Resting, Revolution, Ring, Star, Superquadric
from tests.oracles.tubes import Tube

EYE = np.eye(3)
HELD = 1e-6  # imbalance, over the weight
BRIM = 5.0


def about(axis: ArrayLike, degrees: float) -> np.ndarray:
    """The rotation (3, 3) by an angle about an axis."""
    half = np.radians(degrees) / 2
    return rotation_of([np.cos(half), *(np.sin(half) * np.asarray(axis, float))])


def turning_down(down: ArrayLike) -> np.ndarray:
    """A rotation (3, 3) that takes the direction `down` to -z."""
    unit_down = np.asarray(down, float) / np.linalg.norm(np.asarray(down, float))
    axis = np.cross(unit_down, [0, 0, -1.0])
    length = np.linalg.norm(axis)
    return about(axis / length, np.degrees(np.arctan2(length, -unit_down[2]))) if length > 1e-12 else EYE


def on_floor(shape: Resting, rotation: Floats = EYE, lift: float = 0.0) -> list[Solid]:
    """The shape on the ground: as low as it can be at this rotation, plus `lift`."""
    height = float(shape.support((-rotation[2])[None])[0]) + lift
    position = np.array([0, 0, height]) - rotation @ shape.centre
    return [Solid(shape, rotation, position), ground()]


def line_along(axis: Floats) -> Callable[[np.ndarray], np.ndarray]:
    return lambda t: t[:, None] * axis


def jack() -> Tube:
    return Tube([(line_along(axis), -1, 1, False) for axis in EYE], 0.2)


def cone(half_height: float = 1.0) -> Revolution:
    sides = [line([0, -half_height], [1, -half_height]), line([1, -half_height], [0, half_height])]
    return Revolution(Profile(sides))


def dish() -> Revolution:
    """A shallow solid dish, its inside a parabola z = r^2 / 4."""
    outside = [line([0, -1], [BRIM / 2, -1]), line([BRIM / 2, -1], [BRIM / 2, BRIM**2 / 16])]
    top, bottom = np.array([BRIM / 2, BRIM**2 / 16]), np.array([0.0, 0.0])
    pull = np.array([BRIM / 4, 0.0])  # where the parabola's end tangents meet
    inside = bezier([top, top + (pull - top) * 2 / 3, bottom + (pull - bottom) * 2 / 3, bottom])
    return Revolution(Profile([*outside, inside]))


class Weighted(Box):
    """A box whose centre of mass is elsewhere: a table on its feet."""

    def __init__(self, half: Sequence[int], centre: ArrayLike) -> None:
        super().__init__(half)
        self.centre = np.asarray(centre, float)

    def support(self, d: Floats) -> Floats:
        return super().support(d) - np.asarray(d) @ self.centre


def ring_on_cone() -> list[Solid]:
    slant = np.arctan2(1, 2)
    height = 1 - (0.6 - 0.1 / np.cos(slant)) / np.tan(slant)
    return [Solid(Ring(0.6, 0.1), EYE, np.array([0, 0, height])), Solid(cone(), EYE, np.zeros(3))]


def ball_in_dish(aside: float = 0.0) -> list[Solid]:
    """A ball of radius 0.5 on the dish's inside, touching it at r = aside."""
    foot = np.array([aside, 0.0, aside**2 / 4])
    normal = np.array([-aside / 2, 0.0, 1.0])
    return [
        Solid(Ball(0.5), EYE, foot + 0.5 * normal / np.linalg.norm(normal)),
        Solid(dish(), EYE, np.zeros(3)),
    ]


def jack_on_three_tips() -> list[Solid]:
    return on_floor(jack(), turning_down([1, 1, 1]))


def jack_on_two_tips() -> list[Solid]:
    """Turned by 0.1 degrees about the line through two of its tips."""
    return on_floor(jack(), about(np.array([1, -1, 0]) / np.sqrt(2), 0.1) @ turning_down([1, 1, 1]))


def ellipsoid(down: Sequence[float]) -> list[Solid]:
    return on_floor(Superquadric([1.5, 1.0, 0.7], 1.0, 1.0), turning_down(down))


def bumpy() -> list[Solid]:
    shape = Star(
        lambda u: (
            1 + 0.08 * np.cos(u @ np.array([4.0, 3, 0]) + 0.4) + 0.06 * np.cos(u @ np.array([0.0, 2, 5]))
        )
    )
    return on_floor(shape, turning_down(nearest_rest(shape, [0.2, 0.3, -1]).down))


def standing_ball() -> list[Solid]:
    return [Solid(Ball(0.5), EYE, np.array([0, 0, 2.5])), Solid(Ball(2.0), EYE, np.zeros(3))]


TRUE: dict[str, Callable[[], list[Solid]]] = {
    "a cube on a face": lambda: on_floor(Box([1, 1, 1])),
    "a table whose centre is 1 % inside its feet": lambda: on_floor(Weighted([1, 1, 1], [0.99, 0, 0])),
    "a ring flat on the floor": lambda: on_floor(Ring(1.0, 0.3)),
    "a ring over a cone": ring_on_cone,
    "a cone on its side": lambda: on_floor(cone(), turning_down([2, 0, 1])),
    "a ball at the bottom of a dish": ball_in_dish,
    "a jack on three tips": jack_on_three_tips,
    "an ellipsoid on its short axis": lambda: ellipsoid([0, 0, -1]),
    "a bumpy ball on its feet": bumpy,
}
FALLING: dict[str, Callable[[], list[Solid]]] = {  # balanced, but not at a minimum
    "a cube on its edge": lambda: on_floor(Box([1, 1, 1]), about([1, 0, 0], 45)),
    "a ball on a ball": standing_ball,
    "an ellipsoid on its end": lambda: ellipsoid([1, 0, 0]),
    "an ellipsoid on its side": lambda: ellipsoid([0, 1, 0]),
    "a ring on its rim": lambda: on_floor(Ring(1.0, 0.3), about([1, 0, 0], 90)),
    "a cone on its apex": lambda: on_floor(cone(), about([1, 0, 0], 180)),
}
UNBALANCED: dict[str, Callable[[], list[Solid]]] = {
    "a cube a ten-thousandth above the floor": lambda: on_floor(Box([1, 1, 1]), lift=1e-4 * np.sqrt(3)),
    "a table whose centre is 1 % outside its feet": lambda: on_floor(Weighted([1, 1, 1], [1.01, 0, 0])),
    "a jack on two of three tips": jack_on_two_tips,
    "a cube a hundredth of a degree off its face": lambda: on_floor(
        Box([1, 1, 1]), about([0.6, 0.8, 0], 0.01)
    ),
    "a ball a hundredth up the side of a dish": lambda: ball_in_dish(0.01),
    "an ellipsoid a degree off its axis": lambda: ellipsoid([0, np.sin(0.017), -np.cos(0.017)]),
}


@pytest.mark.slow
@pytest.mark.parametrize("name", TRUE)
def test_a_true_rest_passes_both(name: str) -> None:
    found = judged(TRUE[name]())
    assert found.imbalance < HELD
    assert found.drop == 0.0
    assert found.impossible == 0


@pytest.mark.parametrize("name", FALLING)
def test_a_metastable_rest_is_balanced_but_falls(name: str) -> None:
    found = judged(FALLING[name]())
    assert found.imbalance < HELD
    assert found.drop > 1e-6


@pytest.mark.parametrize("name", UNBALANCED)
def test_a_false_rest_is_refused_by_both(name: str) -> None:
    found = judged(UNBALANCED[name]())
    assert found.imbalance > 1e-3
    assert found.drop > 1e-6


def tower(shifts: Sequence[float]) -> list[Solid]:
    """Unit cubes on one another on the ground, each at its shift along x."""
    cubes = [Solid(Box([0.5] * 3), EYE, np.array([x, 0, k + 0.5])) for k, x in enumerate(shifts)]
    return [*cubes, ground()]


def two_balls_in_a_trough(spread: float = 0.0) -> list[Solid]:
    """Two balls of radius 0.5 side by side between two blocks, a third one in the notch; `spread` apart."""
    side = 0.5 + spread / 2
    height = 0.5 + np.sqrt(1 - side**2)
    balls = [Solid(Ball(0.5), EYE, np.array(at)) for at in ([-side, 0, 0.5], [side, 0, 0.5], [0, 0, height])]
    walls = [Solid(Box([1, 4, 4]), EYE, np.array([x, 0, 0])) for x in (-2 - spread / 2, 2 + spread / 2)]
    rails = [Solid(Box([4, 1, 4]), EYE, np.array([0, y, 0])) for y in (-1.5, 1.5)]
    return [*balls, ground(), *walls, *rails]


@pytest.mark.slow
def test_a_tower_is_a_rest_of_all_its_cubes() -> None:
    found = judged(tower([0, 0.1, 0.2]), active=3, mixes=2)
    assert found.imbalance < HELD
    assert found.drop == 0.0


@pytest.mark.slow
def test_a_tower_that_leans_too_far_is_none_although_each_cube_stands_on_the_one_below() -> None:
    leaning = tower([0, 0.4, 0.8])
    for alone in range(3):
        rest = [leaning[alone], *leaning[:alone], *leaning[alone + 1 :]]
        assert judged(rest, mixes=0).imbalance < HELD
    found = judged(leaning, active=3, mixes=2)
    assert found.imbalance > 1e-3
    assert found.drop > 1e-6


@pytest.mark.slow
def test_a_ball_in_the_notch_of_two_is_at_rest_only_between_walls() -> None:
    found = judged(two_balls_in_a_trough(), active=3, mixes=2)
    assert found.imbalance < HELD
    assert found.drop == 0.0
    without_walls = two_balls_in_a_trough()
    del without_walls[4:6]
    found = judged(without_walls, active=3, mixes=2)
    assert found.imbalance > 1e-3
    assert found.drop > 1e-6


@pytest.mark.parametrize(("factor", "holds"), [(1.02, True), (0.98, False)])
def test_friction_holds_a_cube_on_a_slope_above_the_tangent_of_its_angle(factor: float, holds: bool) -> None:
    slope = about([1, 0, 0], 20)
    cube = Solid(Box([1, 1, 1]), slope, slope @ [0, 0, 1.0])
    under = Solid(HalfSpace(), slope, np.zeros(3))
    found = contacts([cube, under], [(0, 1)], TOUCHING, 1.0)
    assert len(found) >= 4
    held = balanced(found, [cube.centre], [1], [1], friction=factor * np.tan(np.radians(20)))
    assert (held.imbalance < HELD) is holds


def test_measured_contacts_are_where_they_are_known_to_be() -> None:
    found = contacts(jack_on_three_tips(), [(0, 1)], TOUCHING, 1.0)
    tips = np.eye(3) @ turning_down([1, 1, 1]).T
    assert len(found) == 3
    assert np.allclose(found.normal, [0, 0, 1], atol=1e-9)
    for tip in tips[:, :2]:
        assert np.abs(found.position[:, :2] - tip).sum(axis=1).min() < 1e-6
    found = contacts(ring_on_cone(), [(0, 1)], TOUCHING, 1.0)
    slant = np.arctan2(1, 2)
    assert np.allclose(found.normal[:, 2], np.sin(slant), atol=1e-8)
    assert np.allclose(np.hypot(*found.position[:, :2].T), 0.6 - 0.1 * np.cos(slant), atol=1e-8)


def test_an_edge_across_an_edge_pushes_across_both() -> None:
    crossed = about([0, 0, 1], 90) @ about([1, 0, 0], 45)
    beam = Box([2, 0.5, 0.5])
    solids = [
        Solid(beam, crossed, np.array([0, 0, np.sqrt(2)])),
        Solid(beam, about([1, 0, 0], 45), np.zeros(3)),
    ]
    found = contacts(solids, [(0, 1)], TOUCHING, 1.0)
    assert len(found) > 0
    assert np.allclose(found.normal, [0, 0, 1], atol=1e-7)
    assert np.allclose(found.position, [0, 0, np.sqrt(0.5)], atol=1e-7)
